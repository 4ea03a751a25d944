// Pictures of a game of Azi for the replay: the turned-up card, the bank, bids, tricks.

import { hidden, suitSign } from "../cards.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { seatName } from "../names.js";
import { face, line } from "./hazari.js";

/** The picture of a frame. */
export function azi({ view, moves }, row, hand) {
  if (!view) return h("p", null, t("replay.between"));
  const moved = new Set(moves.map((move) => move.seat));
  return [
    h(
      "div",
      { class: "stage", key: "stage" },
      view.turned_up ? face(view.turned_up) : null,
      h(
        "dl",
        null,
        view.trump ? [h("dt", null, t("replay.trump")), h("dd", null, suitSign(view.trump), " ", t(`suit.${view.trump}`))] : null,
        h("dt", null, t("replay.bank")), h("dd", null, number(view.bank)),
        view.highest ? [h("dt", null, t("replay.highest")), h("dd", null, number(view.highest))] : null,
      ),
      view.six_on_stage ? h("p", { class: "quiet" }, t("replay.six")) : null,
    ),
    h("ul", { class: "rows azi-rows", key: "rows" }, view.seats.map((seat) => player(view, seat, row, hand, moved))),
    view.tricks.length
      ? h("ol", { class: "tricks", key: "tricks", "aria-label": t("replay.tricks") }, view.tricks.map(([, plays, winner], i) =>
        h("li", { key: i }, h("span", { class: "group" }, plays.map(([, code]) => face(code))),
          h("span", null, winner === row.seat ? t("replay.took.mine") : t("replay.took", { name: seatName(row, winner) })))))
      : null,
  ];
}

function player(view, seat, row, hand, moved) {
  const payout = view.payouts.find(([one]) => one === seat);
  const played = view.trick.find(([one]) => one === seat);
  const left = view.unplayed[view.seats.indexOf(seat)]?.length ?? 0;
  const tag = view.folded.includes(seat) ? t("replay.folded") : seat === view.dealer ? t("replay.dealer") : "";
  return line(
    row, seat, tag,
    h("span", { class: "chips" },
      h("span", null, t("replay.stack", { n: view.stacks[seat] })),
      view.contributions[seat] ? h("span", null, t("replay.stake", { n: view.contributions[seat] })) : null,
      payout ? h("span", { class: "past-gain" }, t("replay.gain", { n: payout[1] })) : null),
    [
      h("span", { key: "left", class: "covered", role: "img", "aria-label": t("replay.down", { n: number(left) }) },
        Array.from({ length: left }, (_, i) => hidden({ key: i }, hand.head))),
      played ? h("span", { key: "played", class: "played" }, face(played[1])) : null,
    ],
    moved.has(seat),
  );
}
