// How the rounds look: the groups on the table, what just happened in words, the buttons for the pace.

import { app } from "../app.js";
import { card } from "../cards.js";
import { cardNames } from "../cardnames.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { prefs } from "../prefs.js";
import { around } from "../table.js";
import * as playback from "./playback.js";
import { sign } from "./signs.js";
import { kindText } from "./words.js";

/** The group that lies before a seat, named; the taker's is marked. */
function group(play, seat) {
  if (playback.finished(play)) return null;
  const { round, done } = playback.at(play);
  const { order, groups, winner } = play.view.rounds[round];
  const turn = order.indexOf(seat);
  if (turn >= done) return null;
  const takes = done === playback.STEPS && seat === winner;
  const mark = takes ? t(seat === app.state.table.seat ? "hazari.mark.takes.mine" : "hazari.mark.takes") : null;
  const kind = kindText(playback.worthOf(play, round, seat));
  const last = done < playback.STEPS && turn === done - 1;
  const cards = groups[seat];
  return h(
    "figure",
    { class: `laid${takes ? " takes" : done === playback.STEPS ? " lost" : ""}`, key: `laid-${round}` },
    h(
      "div",
      { class: `laid-cards${cards.length > 3 ? " four" : ""}`, role: "img", "aria-label": cardNames(cards) },
      cards.map((code) => laidCard(code, seat, last ? "last" : "")),
    ),
    h("figcaption", null, mark ? h("b", null, mark) : null, h("span", null, kind)),
  );
}

/** An open card on the table, which came from a seat. */
export function laidCard(code, seat, extra = "") {
  return card(code, { key: code, class: extra, "data-fly": `laid-${code}`, "data-from": `seat-${seat}` });
}

/** The middle while the rounds are played out: the groups as the seats lie, and what just happened. */
export function middle(play) {
  const { round } = playback.at(play);
  const of = play.view.rounds.length;
  playback.name(play);
  return h(
    "div",
    { class: "rounds-box", key: "rounds" },
    h(
      "div",
      { class: "rounds" },
      around().map((seat, place) =>
        h("div", { key: seat, class: `spot spot-${place}`, "data-place": `spot-${seat}` }, group(play, seat)),
      ),
      h(
        "div",
        { class: "round-words", key: "words" },
        h("p", { class: "round-no" }, t("hazari.round", { n: round + 1, of, hand: play.hand })),
        h("p", { class: "round-says" }, playback.happened(play, true)),
      ),
    ),
  );
}

/** The buttons for the pace. */
export function buttons(play) {
  playback.pace(play);
  return [
    h(
      "button",
      { key: "skip", class: "small do-skip", "data-do": "skip", onclick: playback.skip },
      sign("skip"),
      t(play.hand === app.state.view.hand_number ? "hazari.skip" : "hazari.skip.back"),
    ),
    h(
      "button",
      {
        key: "auto",
        class: "small do-auto",
        "data-do": "auto",
        "aria-pressed": String(prefs.auto),
        "aria-keyshortcuts": "A",
        onclick: playback.toggleAuto,
      },
      sign("auto"),
      t("hazari.auto"),
    ),
    h(
      "button",
      {
        key: "step",
        class: "primary",
        "data-do": "step",
        "aria-keyshortcuts": "Space",
        // Whoever plays by keys goes on from here; nobody is taken away from a field.
        ref: (node) => queueMicrotask(() => playback.focusIfFree(node)),
        onclick: playback.step,
      },
      h("span", { class: "words" }, playback.nextText(play)),
    ),
  ];
}
