// What the parts of the Azi table share: what follows from the view at a glance, and small pieces.
//
// Nothing here decides anything: the peer judges every move. It only says in numbers what a button
// will cost and who may still speak.

import { app, nameOf } from "../app.js";
import { suitSign } from "../cards.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { listed } from "../names.js";

const MOST_BIDS = 3;

/** What only this page knows of the table: the choice that was answered and how, the amount being
 *  chosen, whose clock was told, why a card may not be chosen, whether the focus is to be put back. */
export const own = {
  sent: null, move: null, raising: null, amount: 0, heard: null, why: null, refocus: false,
};

/** The hash that the back of this pack is drawn from. */
export function head() {
  const { fair } = app.state;
  return fair?.packs.find((one) => one.pack === fair.current)?.head ?? "";
}

/** A sentence about a seat; about the own one in its own words, `<key>.mine`. */
export function say(key, seat, values = {}) {
  const mine = seat === app.state.table.seat;
  return t(mine ? `${key}.mine` : key, { name: nameOf(seat), ...values });
}

/** Names of seats in one line. */
export function names(seats) {
  return listed(seats.map(nameOf));
}

/** Seats in the order of play, from the one after `first` on, or from it. */
export function clockwise(seats, first) {
  const all = app.state.table.players.length;
  return [...seats].sort((a, b) => ((a - first + all) % all) - ((b - first + all) % all));
}

/** Whether what a seat pays counts double: it has not looked. */
export function isBlind(view, seat) {
  return view.blind && !view.looked.includes(seat) && view.inside.includes(seat);
}

/** The chips that it takes a seat to get to a level. */
export function cost(view, seat, level) {
  const missing = level - view.levels[seat];
  return isBlind(view, seat) ? Math.ceil(missing / 2) : missing;
}

/** The chips that levelling takes: what is missing, or all that is left. */
export function toLevel(view, seat) {
  return Math.min(view.stacks[seat], cost(view, seat, view.highest));
}

/** Whether a seat is in with less than the highest bid and cannot add to it. */
export function isShort(view, seat) {
  return view.short.includes(seat) && (view.stacks[seat] === 0 || view.phase === "play");
}

/** Whether a seat will be asked, and may go higher then. */
export function mayRaise(view, seat) {
  const reach = view.levels[seat] + view.stacks[seat] * (isBlind(view, seat) ? 2 : 1);
  const least = view.highest ? view.highest + view.raise_step : view.min_bid;
  return view.phase === "bid" && view.inside.includes(seat) &&
    (view.callers_may_reraise || !view.yielded.includes(seat)) &&
    view.bids_made[seat] < MOST_BIDS && reach >= least && (!view.max_bid || view.max_bid >= least) &&
    (!view.highest || view.levels[seat] < view.highest);
}

/** The place of the card that would take the trick as it lies: the same order as the engine's. */
export function winning(plays, trump, six) {
  const order = "6789TJQKA";
  const strength = ([, code]) => {
    const rank = order.indexOf(code[0]);
    if (code[1] === trump) return 20 + (six && code[0] === "6" ? 20 : rank);
    return code[1] === plays[0][1][1] ? rank : -1;
  };
  return plays.reduce((best, one, i) => (strength(one) > strength(plays[best]) ? i : best), 0);
}

/** The sign of a suit and its name. */
export function suitWords(suit) {
  return [suitSign(suit), " ", t(`suit.${suit}`)];
}

/** A small word beside a name; `sign` stands in for it where there is little room, and is always
 *  there for the eye; `word` for those who listen. */
export function tag(name, text, sign = "") {
  return h(
    "span",
    { class: `tag is-${name}${sign ? " signed" : ""}`, key: name, title: sign ? text : undefined },
    sign ? h("span", { class: "sign", "aria-hidden": "true" }, sign) : null,
    h("span", { class: "word" }, text),
  );
}

/** A button that opens a few words over the table; Escape or a touch beside it closes them. */
export function explained(name, label, ...content) {
  const id = `azi-${name}`;
  return [
    h(
      "button",
      { key: `${id}-go`, class: `azi-about about-${name}`, popovertarget: id, "data-do": name },
      label,
    ),
    h("div", { key: id, id, class: "azi-pop", popover: "auto", tabindex: -1 }, content),
  ];
}
