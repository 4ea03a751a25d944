// What happened at the table, as sentences: the log beside it, and what is said aloud.

import { announce, app } from "./app.js";
import { cardNames } from "./cardnames.js";
import { h } from "./dom.js";
import { follow } from "./follow.js";
import { first, t } from "./i18n.js";
import { clock, seatName, seatNames } from "./names.js";

let heard = [];

/** Says aloud what has just happened; what comes at once is said in one go. */
export function hear(event) {
  const said = spoken(event);
  if (!said) return;
  heard.push(said);
  if (heard.length > 1) return;
  queueMicrotask(() => {
    announce(heard.join(" "));
    heard = [];
  });
}

function spoken(event) {
  if (event.kind === "ask") return t("turn.mine");
  if (event.kind === "chat") return event.own ? "" : t("chat.heard", { name: event.name, text: event.text });
  return sentence(event);
}

/** An event of the log in words, or "" for one that needs none. Games add their own messages:
 *  `log.<game>.<kind of move>`, and with `.mine` at its end for the own moves; values are `name`,
 *  `amount` (a number in the move) and `card` (names of what opened with it). */
export function sentence(event, table = app.state.table) {
  const own = event.seat !== undefined && event.seat === table?.seat;
  const key = event.kind === "move" ? `log.${table?.game}.${event.move[0]}` : `log.${event.kind}`;
  const words = WORDS[event.kind];
  if (words) return words(event, table);
  const values = { ...event, name: event.name ?? (event.seat === undefined ? "" : seatName(table, event.seat)) };
  if (event.kind === "move") {
    values.amount = typeof event.move[1] === "number" ? event.move[1] : 0;
    values.card = cardNames((event.opened ?? []).map(([, code]) => code));
  }
  return first(own ? [`${key}.mine`, key] : [key], values, "");
}

const WORDS = {
  match_over: ({ winner, shared }, table) => {
    if (typeof winner === "number") {
      return winner === table?.seat ? t("log.won.mine") : t("log.won", { name: seatName(table, winner) });
    }
    return shared?.length ? t("log.shared", { names: seatNames(table, shared) }) : t("log.nobody");
  },
  stopped: ({ seats, code }, table) =>
    seats?.length
      ? first([`log.stopped.${code}`], { names: seatNames(table, seats), n: seats.length }, t("log.stopped"))
      : t("log.stopped"),
  overdue: ({ seats, seconds }, table) =>
    t("log.overdue", { names: seatNames(table, seats), n: seats.length, seconds: Math.round(seconds) }),
  fault: (event, table) => faultText(event.code, seatName(table, event.seat)),
};

/** What somebody did who broke the rules, in plain words; SPEC section 12 has the codes. */
export function faultText(code, name) {
  const group = code.split(".")[0];
  return first([`fault.${code}`, `fault.${group}`], { name }, t("fault.form", { name }));
}

/** The log by hands, the newest last. */
export function log() {
  const events = app.state.log ?? [];
  return h(
    "div",
    {
      class: "log", key: "log", role: "log", "aria-live": "off", "aria-label": t("log.title"), tabindex: "0",
      ...follow("log", events.at(-1)?.n),
    },
    events.length ? parts(events).map(part) : h("p", { class: "quiet" }, t("log.empty")),
  );
}

/** The events in groups, each with the heading that stands over it. */
function parts(events) {
  const groups = [];
  for (const event of events) {
    if (event.kind === "hand_started") {
      groups.push({ key: `hand-${event.n}`, title: t("log.hand", { n: event.hand }), at: event.at, lines: [] });
      continue;
    }
    if (!groups.length) groups.push({ key: "before", title: "", at: 0, lines: [] });
    const text = sentence(event);
    if (text) groups.at(-1).lines.push({ n: event.n, at: event.at, text, kind: event.kind });
  }
  return groups;
}

function part({ key, title, at, lines }) {
  return h(
    "section",
    { key },
    title ? h("h3", null, title, " ", h("time", null, clock(at))) : null,
    h(
      "ol",
      null,
      lines.map((line) =>
        h(
          "li",
          { key: line.n, class: `log-${line.kind}` },
          h("span", null, line.text),
          h("time", null, clock(line.at)),
        ),
      ),
    ),
  );
}
