// Pictures of a hand of Hazari for the replay: four divisions, then round by round.

import { cardName } from "../cardnames.js";
import { card, hidden } from "../cards.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { mark } from "../icons.js";
import { seatName } from "../names.js";

const SIZES = [3, 3, 3, 4];

/** The picture of a frame. */
export function hazari({ view, part }, row, hand) {
  if (!view) return h("p", null, t("replay.between"));
  if (part.startsWith("round-")) return round(view, Number(part.slice(6)), row);
  const order = [0, 1, 2, 3].map((turn) => (view.leader - turn + 4) % 4);
  return h("ul", { class: "rows" }, order.map((seat) => {
    const division = view.divisions[seat];
    const shown = view.dismissed.find((one) => one.seat === seat);
    const points = part === "points" ? h("span", { class: "past-gain" }, t("replay.gain", { n: view.scores[seat] })) : null;
    return line(row, seat, seat === view.dealer ? t("replay.dealer") : "", points,
      shown ? h("span", { class: "group" }, shown.cards.map(face))
        : division ? division.map((cards, i) => h("span", { key: i, class: "group" }, cards.map(face)))
          : covered(view.arranged[seat], hand.head));
  }));
}

function round(view, index, row) {
  const one = view.rounds[index];
  return h("ul", { class: "rows big-cards" }, one.order.map((seat) =>
    line(row, seat, seat === one.order[0] ? t("replay.leads") : "",
      seat === one.winner ? h("span", { class: "past-gain" }, t("replay.takes", { n: one.points })) : null,
      h("span", { class: "group" }, one.groups[seat].map(face)), seat === one.winner)));
}

/** A player's line. */
export function line(row, seat, tag, extra, cards, lit = false) {
  return h(
    "li",
    { key: seat, class: lit ? "lit" : "" },
    h("span", { class: "who" }, mark(seat), seat === row.seat ? t("player.you") : h("bdi", null, seatName(row, seat)),
      tag ? h("small", { class: "tag" }, tag) : null, extra),
    h("span", { class: "cards" }, cards),
  );
}

/** A small card face with its name. */
export function face(code) {
  return card(code, { key: code, role: "img", "aria-label": cardName(code) });
}

/** Thirteen backs; in groups once the player has said "up". */
function covered(arranged, head) {
  const sizes = arranged ? SIZES : [13];
  return h("span", { class: "covered", role: "img", "aria-label": t(arranged ? "replay.up" : "replay.down", { n: number(13) }) },
    sizes.map((size, i) => h("span", { key: i, class: "group" }, Array.from({ length: size }, (_, j) => hidden({ key: j }, head)))));
}
