// What stands beside a name at the Azi table: chips, what is in the bank, how this player stands in
// the bidding and the tricks, the cards in hand as backs, the tricks taken.

import { app } from "../app.js";
import { hidden } from "../cards.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { head, isBlind, isShort, mayRaise, tag } from "./words.js";

const SIGNS = {
  dealer: "◇", opener: "①", raise: "↑", level: "=", leads: "►", blind: "◌", looked: "◎",
  discarded: "✓", winner: "★",
};

/** The plate of a seat. */
export function plate(seat) {
  const { view, table } = app.state;
  if (!view) return h("div", { class: "azi-plate" }, money(table.options.stack, 0));
  return h(
    "div",
    { class: `azi-plate${isIn(view, seat) ? "" : " out"}` },
    money(view.stacks[seat], view.contributions[seat]),
    h("div", { class: "tags" }, tags(view, seat)),
    h("div", { class: "azi-cards" }, seat === table.seat ? null : backs(view, seat), piles(view, seat)),
    // For the eye only: who listens hears the words in place of the signs.
    h("button", {
      class: "azi-what", key: "what", "data-do": "signs", popovertarget: "azi-legend", tabindex: -1,
      "aria-hidden": "true", title: t("azi.signs.title"),
    }),
  );
}

/** The words that a touch of any plate brings where signs stand for them. */
export function legend() {
  return h("div", { key: "azi-legend", id: "azi-legend", class: "azi-pop", popover: "auto", tabindex: -1 },
    h("h2", null, t("azi.signs.title")), signs());
}

function isIn(view, seat) {
  return view.ended || view.phase === "buy" || view.inside.includes(seat);
}

function money(stack, paid) {
  return h(
    "div",
    { class: "azi-money" },
    h("span", { class: "stack", title: t("azi.stack", { n: stack }) },
      h("span", { "aria-hidden": "true" }, "◉ ", number(stack)),
      h("span", { class: "unseen" }, t("azi.stack", { n: stack }))),
    paid
      ? h("span", { key: "paid", class: "paid", title: t("azi.paid", { n: paid }) },
        h("span", { class: "sign", "aria-hidden": "true" }, "▣ ", number(paid)),
        h("span", { class: "word" }, t("azi.paid", { n: paid })))
      : null,
  );
}

/** What the signs mean that stand for words where there is little room. */
export function signs() {
  const row = (sign, words) => h("li", { key: sign }, h("span", { "aria-hidden": "true" }, sign), " ", words);
  return h(
    "ul",
    { class: "azi-signs" },
    row("◉", t("azi.signs.stack")),
    row("▣", t("azi.signs.paid")),
    row("▲", t("azi.signs.bid")),
    row(`${number(1)}/${number(2)}`, t("azi.tricks", { n: 1 })),
    Object.entries(SIGNS).map(([name, sign]) => row(sign, t(`azi.tag.${name}`))),
  );
}

function adder(list) {
  return (name, values = {}, sign = SIGNS[name]) => list.push(tag(name, t(`azi.tag.${name}`, values), sign));
}

/** How a seat stands, in words. */
function tags(view, seat) {
  const list = [];
  const add = adder(list);
  if (view.phase === "buy") {
    if (view.seats.includes(seat)) add("plays");
    return list;
  }
  if (view.dealer === seat) add("dealer");
  if (view.opener === seat && !view.highest && view.phase !== "play" && !view.ended) add("opener");
  if (view.gone.includes(seat)) add("gone");
  else if (!view.seats.includes(seat)) add("undealt");
  else if (view.folded.includes(seat)) add("folded");
  else if (view.ended) {
    if (view.winner === seat) add("winner");
  } else {
    list.push(...standing(view, seat));
  }
  return list;
}

function standing(view, seat) {
  const list = [];
  const add = adder(list);
  if (view.phase === "discard" && view.discarded.includes(seat)) add("discarded");
  if (view.phase === "bid") {
    if (view.highest_bidder === seat) add("bid", { n: view.highest }, `▲ ${number(view.highest)}`);
    else if (view.yielded.includes(seat)) add("level");
    else if (view.levels[seat]) add("at", { n: view.levels[seat] }, number(view.levels[seat]));
    if (view.highest && mayRaise(view, seat)) add("raise");
  }
  if (view.phase === "play" && view.leader === seat) add("leads");
  if (isShort(view, seat)) {
    const wins = view.returns.find(([one]) => one === seat)?.[1] ?? 0;
    add("short", { n: wins }, t("azi.tag.short.brief", { n: wins }));
  } else if (!view.stacks[seat]) add("allin");
  const blind = isBlind(view, seat);
  if (view.blind && view.phase !== "play") add(blind ? "blind" : "looked");
  return list;
}

/** The cards that a seat still holds, as small backs. */
function backs(view, seat) {
  const left = view.unplayed[view.seats.indexOf(seat)] ?? [];
  if (!left.length || view.folded.includes(seat) || view.ended) return null;
  return h(
    "span",
    { class: "azi-backs", role: "img", "aria-label": t("azi.holds", { n: left.length }) },
    left.map((slot) =>
      hidden({ key: slot, "data-fly": `back-${view.hand_number}-${slot}`, "data-from": "middle" }, head())),
  );
}

/** The tricks that a seat has taken, as little piles; the one that still lies on the table is not
 *  there yet, so that its cards glide here later. */
function piles(view, seat) {
  const taken = view.tricks.filter((one) => one[2] === seat).length;
  if (!taken) return null;
  const lies = view.trick.length ? view.tricks.length : view.tricks.length - 1;
  return h(
    "span",
    { class: "azi-taken" },
    view.tricks.slice(0, lies).filter((one) => one[2] === seat).map(([, plays], i) =>
      h("span", { key: i, class: "azi-pile", "aria-hidden": "true" },
        plays.map(([, code]) =>
          hidden({ key: code, "data-fly": `card-${view.hand_number}-${code}` }, head())))),
    h("span", { class: "tricks", title: t("azi.tricks", { n: taken }) },
      h("span", { "aria-hidden": "true" }, `${number(taken)}/${number(2)}`),
      h("span", { class: "unseen" }, t("azi.tricks", { n: taken }))),
  );
}
