// A hand of the past, step by step: first, back, next, last, a slider, the arrow keys.

import { cardName } from "../cardnames.js";
import { bdi, h } from "../dom.js";
import { first, has, number, t } from "../i18n.js";
import { sentence } from "../log.js";
import { seatName } from "../names.js";
import { absentText } from "../silent.js";
import { azi } from "./azi.js";
import { hazari } from "./hazari.js";

const PICTURES = { azi, hazari };

/** The frames as they are shown: the rounds of Hazari, which are known all at once, one by one. */
export function unfold(frames) {
  return frames.flatMap((frame) => {
    const rounds = frame.view?.rounds ?? [];
    if (!rounds.length) return [{ ...frame, part: "" }];
    const parts = ["show", ...rounds.map((_, i) => `round-${i}`), "points"];
    return parts.map((part, i) => ({ ...frame, moves: i ? [] : frame.moves, part }));
  });
}

/** The replay. `hand`: its outline; `at`: the frame that is shown; `go(n)` shows another. */
export function replay(row, hand, frames, at, { go, back, other }) {
  const last = frames.length - 1;
  const here = Math.max(0, Math.min(at, last));
  const frame = frames[here];
  const step = (name, to, off) =>
    h("button", { key: name, "data-do": name, "aria-label": t(`replay.${name}`), title: t(`replay.${name}`),
      disabled: off, onclick: () => go(to) }, sign(SIGNS[name]));
  return h(
    "div",
    {
      class: `replay replay-${row.game}`, key: `replay-${row.table}-${hand.hand}`, tabindex: "-1",
      ref: (node) => queueMicrotask(() => node.focus({ preventScroll: true })),
      onkeydown: (event) => keys(event, here, last, go),
    },
    h(
      "div",
      { class: "row replay-top" },
      h("button", { class: "go-back", "data-do": "back", onclick: back }, t("replay.back")),
      other(-1), h("h3", null, t("past.hand.n", { n: hand.hand })), other(1),
    ),
    frame
      ? [
        h("div", { class: "replay-picture", key: "picture" }, (PICTURES[row.game] ?? facts)(frame, row, hand)),
        h(
          "div",
          { class: "replay-foot", key: "foot" },
          h("p", { class: "replay-words", role: "status" }, caption(frame, row)),
          h(
            "div",
            { class: "replay-steps", role: "group", "aria-label": t("replay.steps") },
            step("first", 0, here === 0), step("previous", here - 1, here === 0),
            h("input", {
              type: "range", min: 0, max: last, value: here, "data-do": "slider", "aria-label": t("replay.step"),
              "aria-valuetext": t("replay.place", { n: here + 1, all: last + 1 }),
              oninput: (event) => go(Number(event.target.value)),
            }),
            step("next", here + 1, here === last), step("last", last, here === last),
          ),
          h("p", { class: "quiet" }, t("replay.place", { n: here + 1, all: last + 1 })),
        ),
        told(frames, here, row, hand, go),
      ]
      : h("p", { role: "status" }, t("past.loading")),
  );
}

const SIGNS = {
  first: "M5 5h2.6v14H5zM19 5v14L9 12z", previous: "M17 5v14L7 12z", next: "M7 5v14l10-7z", last: "M16.4 5H19v14h-2.6zM5 5v14l10-7z",
};

/** A sign of the buttons that lead through the steps; mirrored where one reads from the right. */
export function sign(d) {
  return h("svg", { class: "sign", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, h("path", { d }));
}

function keys(event, here, last, go) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.type === "range") return;
  const ahead = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const behind = ahead === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
  const to = { [ahead]: here + 1, [behind]: here - 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation(); // the table behind has keys of its own
  go(Math.max(0, Math.min(to, last)));
}

/** What happened in this step, in sentences. */
export function caption(frame, row) {
  const { view, part } = frame;
  if (part?.startsWith("round-")) {
    const one = view.rounds[Number(part.slice(6))];
    return t(one.winner === row.seat ? "replay.round.mine" : "replay.round", { n: one.number, name: seatName(row, one.winner), points: one.points });
  }
  if (part === "points") return t("replay.points");
  if (part === "show") return t("replay.show");
  // Seats that all do the same at once are one sentence.
  const together = frame.moves.length > 1 && frame.moves.every((move) => move.move[0] === frame.moves[0].move[0]);
  const moves = together && has(`replay.${row.game}.move`) ? [] : frame.moves.map((move) => sentence({ kind: "move", ...move }, row)).filter(Boolean);
  const sits = frame.sits.map(([seat, choice]) => sentence({ kind: choice === "out" ? "sat_out" : "left", seat }, row));
  const absent = (frame.absent ?? []).map((one) => absentText(one, row));
  const said = [...moves, ...sits, ...absent].filter(Boolean).join(" ");
  return said || first([`replay.${row.game}.${frame.kind}`, `replay.kind.${frame.kind}`], {}, t("replay.kind.move"));
}

/** All steps of the hand in words; each leads to its picture. A game without messages of its own
 *  tells its story in English. */
function told(frames, here, row, hand, go) {
  const known = row.game in PICTURES;
  return h(
    "details",
    { key: "told", class: "replay-told" },
    h("summary", { "data-do": "told" }, t("replay.story")),
    known
      ? h("ol", null, frames.map((frame, i) =>
        h("li", { key: i, "aria-current": i === here ? "step" : null },
          h("button", { onclick: () => go(i) }, caption(frame, row)))))
      : h("ol", { lang: "en" }, hand.story.map((line, i) => h("li", { key: i }, bdi(line)))),
  );
}

/** Whatever a view says that is a number, a word or cards: for games without a picture. */
function facts(frame) {
  const rows = Object.entries(frame.view ?? {}).filter(([, value]) => ["string", "number"].includes(typeof value) && value !== "");
  const opened = frame.moves.flatMap((move) => move.opened.map(([, code]) => cardName(code)));
  return h("dl", { lang: "en" }, rows.map(([name, value]) => [h("dt", { key: `t${name}` }, name), h("dd", { key: name }, typeof value === "number" ? number(value) : bdi(value))]),
    opened.length ? [h("dt", null, t("replay.opened")), h("dd", null, opened.join(", "))] : null);
}
