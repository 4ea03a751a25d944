// How to play Azi: all that one must know to play, and to settle an argument.

import { cards, list, p } from "./helpparts.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

/** The sections in order: name, then content. `o`: the options by name. */
export function azi(o) {
  return [
    [
      "goal",
      p("help.azi.goal.idea"),
      p("help.azi.goal.bid"),
      p("help.azi.goal.chips", { n: o.stack ?? 1000 }),
    ],
    ["cards", ...dealt(o)],
    ["six", ...stage(o)],
    ["bid", ...bidding(o)],
    [
      "short",
      p("help.azi.short.what"),
      p("help.azi.short.open"),
      p("help.azi.short.stake"),
      p(`help.azi.short.${o.short_stack ?? "matched"}`),
    ],
    [
      "tricks",
      p("help.azi.tricks.lead"),
      list("help.azi.tricks.follow", "help.azi.tricks.trump", "help.azi.tricks.any"),
      p("help.azi.tricks.beat"),
      p("help.azi.tricks.wins"),
      p("help.azi.tricks.proof"),
      p("help.azi.tricks.two"),
    ],
    [
      "azi",
      p("help.azi.azi.what"),
      p(`help.azi.azi.${o.azi_entry ?? "all_ante"}`),
      p("help.azi.azi.opens"),
    ],
    [
      "blind",
      ...(o.blind === "on" ? [] : [p("help.azi.blind.off")]),
      p("help.azi.blind.what"),
      p("help.azi.blind.look"),
      p("help.azi.blind.sure"),
    ],
    [
      "end",
      p("help.azi.end.all"),
      o.hands ? p("help.azi.end.hands", { n: o.hands }) : null,
      p("help.azi.end.carried"),
    ],
    [
      "late",
      o.turn_seconds === 0
        ? p("help.azi.late.noclock")
        : p("help.azi.late.clock", { n: o.turn_seconds ?? 30 }),
      p("help.azi.late.bid"),
      p("help.azi.late.play"),
      p("help.late.silent"),
      p("help.azi.late.gone"),
      p("help.late.half"),
    ],
  ];
}

/** A suit that is in the pack, for examples. */
const shown = (o, wanted) => (wanted === o.left_out_suit ? "S" : wanted);

function dealt(o) {
  const suit = shown(o, "H");
  return [
    p("help.azi.cards.pack", { suit: t(`suit.${o.left_out_suit ?? "C"}`) }),
    p("help.azi.cards.rank"),
    h("p", null, cards([..."AKQJT9876"].map((rank) => rank + suit).join(" "))),
    o.ante === 0 ? p("help.azi.cards.noante") : p("help.azi.cards.ante", { n: o.ante ?? 10 }),
    p(o.cards === 4 ? "help.azi.cards.four" : "help.azi.cards.three"),
    p(o.trump_from === "dealers_last_card" ? "help.azi.cards.dealer" : "help.azi.cards.stock"),
  ];
}

function stage(o) {
  const suit = shown(o, "D");
  return [
    p("help.azi.six.what"),
    h(
      "div",
      { class: "help-stage" },
      h("figure", null, cards(`A${suit}`), h("figcaption", null, t("help.azi.six.example"))),
      h("figure", null, cards(`6${suit}`), h("figcaption", null, t("help.azi.six.wins"))),
    ),
  ];
}

function bidding(o) {
  return [
    p("help.azi.bid.opens", { n: o.min_bid ?? 10 }),
    p("help.azi.bid.each"),
    list(
      "help.azi.bid.fold",
      o.callers_may_reraise === "on" ? "help.azi.bid.level.reraise" : "help.azi.bid.level",
      ["help.azi.bid.raise", { n: o.raise_step ?? 1 }],
    ),
    p("help.azi.bid.totals"),
    o.max_bid ? p("help.azi.bid.max", { n: o.max_bid }) : p("help.azi.bid.nomax"),
    p("help.azi.bid.three"),
    p("help.azi.bid.ends"),
  ];
}
