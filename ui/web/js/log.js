// What happened at the table, as sentences: the log beside it, and what is said aloud.

import { announce, app } from "./app.js";
import { cardNames } from "./cardnames.js";
import { h } from "./dom.js";
import { follow } from "./follow.js";
import { first, t } from "./i18n.js";
import { clock, seatName, seatNames, upper } from "./names.js";
import { goneText } from "./silent.js";

let heard = [];

/** What games add below a line of the log, by the name of the game: from an event and the hand it
 *  belongs to, sentences; and below which lines nothing is told yet, because it is still being shown. */
export const details = {};

let owed = null;

/** Keeps in mind the choice that is owed, and whether this window has answered it: drawn by games. */
export function owing(sent) {
  const { ask } = app.state;
  if (ask) owed = { until: ask.until, sent: Boolean(sent) };
  else if (owed?.until && Date.now() < owed.until - NEAR) owed = null; // answered in another window
}

const LATE = "facedown.late";
const NEAR = 500; // milliseconds before the end of the clock in which nobody is quick enough

/** Whether the clock moved for this player; kept over a reload of the page. */
function wasLate(event) {
  const { table } = app.state;
  if (event.kind !== "move" || event.seat !== table?.seat || !event.n) return false;
  const name = `${table.id}:${event.n}:${event.at}`;
  try {
    return Boolean(event.late) || (sessionStorage.getItem(LATE) ?? "").split(" ").includes(name);
  } catch {
    return Boolean(event.late);
  }
}

/** Notes whether it was the clock that made this move of the own seat. */
function noteLate(event) {
  const { table } = app.state;
  if (event.kind !== "move" || event.seat !== table?.seat) return;
  event.late = Boolean(owed?.until) && !owed.sent && Date.now() >= owed.until - NEAR;
  owed = null;
  if (!event.late) return;
  try {
    const before = (sessionStorage.getItem(LATE) ?? "").split(" ").slice(-50);
    sessionStorage.setItem(LATE, [...before, `${table.id}:${event.n}:${event.at}`].join(" "));
  } catch {
    // Then only this window knows, until it is loaded again.
  }
}

/** Says aloud what has just happened; what comes at once is said in one go. */
export function hear(event) {
  noteLate(event);
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
  const { table, view } = app.state;
  if (untold(event)) return ""; // it is shown first
  const more = event.kind === "move" ? (details[table?.game]?.(event, view?.hand_number) ?? []) : [];
  return [sentence(event), ...more].filter(Boolean).join(" ");
}

/** Whether the end of a hand is still being shown, so that the log must not tell it. */
function untold(event) {
  const { table, view } = app.state;
  if (!["hand_over", "match_over"].includes(event.kind)) return false;
  return app.ui.shows?.(table, view) ?? false;
}

/** An event of the log in words, or "" for one that needs none. Games add their own messages:
 *  `log.<game>.<kind of move>`, and with `.mine` at its end for the own moves; values are `name`,
 *  `amount` (a number in the move) and `card` (names of what opened with it). */
export function sentence(event, table = app.state.table) {
  const own = event.seat !== undefined && event.seat === table?.seat;
  const key = event.kind === "move" ? `log.${table?.game}.${event.move[0]}` : `log.${event.kind}`;
  const words = WORDS[event.kind];
  if (words) return upper(words(event, table));
  const values = { ...event, name: event.name ?? (event.seat === undefined ? "" : seatName(table, event.seat)) };
  if (event.kind === "move") {
    values.amount = typeof event.move[1] === "number" ? event.move[1] : 0;
    values.card = cardNames((event.opened ?? []).map(([, code]) => code));
  }
  const late = own && wasLate(event) ? [`${key}.late`] : [];
  return first(own ? [...late, `${key}.mine`, key] : [key], values, "");
}

const WORDS = {
  match_over: ({ winner, shared }, table) => {
    if (typeof winner === "number") {
      return winner === table?.seat ? t("log.won.mine") : t("log.won", { name: seatName(table, winner) });
    }
    return shared?.length ? t("log.shared", { names: seatNames(table, shared) }) : t("log.nobody");
  },
  stopped: ({ seats, code }, table) =>
    seats?.length === 1 && code === "left" && seats[0] === table?.seat
      ? t("log.stopped.left.mine")
      : seats?.length
      ? first([`log.stopped.${code}`], { names: seatNames(table, seats), n: seats.length }, t("log.stopped"))
      : t("log.stopped"),
  overdue: ({ seats, seconds }, table) => apart("log.overdue", seats, table, { seconds: Math.round(seconds) }),
  gone: goneText,
  went_back: ({ seat }, table) =>
    seat === table?.seat ? t("log.went_back.mine") : t("log.went_back", { name: seatName(table, seat) }),
  came_back: ({ seats }, table) => apart("log.came_back", seats, table),
  fault: (event, table) => faultText(event.code, seatName(table, event.seat)),
};

/** A sentence about several seats; the own one has a sentence of its own: verbs follow who it is. */
function apart(key, seats, table, values = {}) {
  const others = seats.filter((seat) => seat !== table?.seat);
  return [
    others.length < seats.length ? t(`${key}.mine`, values) : "",
    others.length ? t(key, { ...values, names: seatNames(table, others), n: others.length }) : "",
  ].filter(Boolean).join(" ");
}

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
  const { table } = app.state;
  let hand = 0;
  let hidden = false;
  for (const event of events) {
    // What comes after the end of a hand that is still being shown would tell how it ends.
    hidden ||= event.kind === "hand_over" && event.hand === table?.hand && untold(event);
    if (hidden && ["hand_over", "match_over"].includes(event.kind)) continue;
    if (event.kind === "hand_started") {
      hand = event.hand;
      groups.push({ key: `hand-${event.n}`, title: t("log.hand", { n: event.hand }), at: event.at, lines: [] });
      continue;
    }
    if (!groups.length) groups.push({ key: "before", title: "", at: 0, lines: [] });
    const text = sentence(event);
    const { lines } = groups.at(-1);
    if (text) lines.push({ n: event.n, at: event.at, text, kind: event.kind });
    (details[table?.game]?.(event, hand) ?? []).forEach((more, i) =>
      lines.push({ n: `${event.n}-${i}`, at: event.at, text: more, kind: "more" }));
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
