// How to play Hazari: all that one must know to play, and to settle an argument.

import { cards, p, table } from "./helpparts.js";
import { number, t } from "./i18n.js";

const TYPES = [
  ["help.hazari.troy", "help.hazari.troy.what", "7S 7H 7C"],
  ["help.hazari.colourrun", "help.hazari.colourrun.what", "9H 8H 7H"],
  ["help.hazari.run", "help.hazari.run.what", "JS TD 9C"],
  ["help.hazari.colour", "help.hazari.colour.what", "KD 8D 3D"],
  ["help.hazari.pair", "help.hazari.pair.what", "QH QC 5S"],
  ["help.hazari.indi", "help.hazari.indi.what", "AC 9S 4D"],
];

/** The sections in order: name, then content. `o`: the options by name. */
export function hazari(o) {
  return [
    [
      "goal",
      p("help.hazari.goal.idea"),
      o.hands
        ? p("help.hazari.goal.hands", { n: o.hands })
        : p("help.hazari.goal.target", { target: o.target ?? 1000 }),
      p("help.hazari.goal.tie"),
    ],
    [
      "points",
      table(
        ["help.hazari.points.card", "help.hazari.points.each"],
        [
          [cards("AS KS QS JS TS"), number(10)],
          [cards("9S 8S 7S 6S 5S 4S 3S 2S"), number(5)],
        ],
        "help-points",
      ),
      p("help.hazari.points.sum"),
    ],
    [
      "types",
      p("help.hazari.types.intro"),
      table(
        ["help.hazari.types.name", "help.hazari.types.example", "help.hazari.types.what"],
        TYPES.map(([name, what, example]) => [t(name), cards(example), t(what)]),
        "help-types",
      ),
      p("help.hazari.runs", { high: "A-K-Q", second: "A-2-3", third: "K-Q-J", low: "4-3-2", none: "K-A-2" }),
      p("help.hazari.equal"),
    ],
    [
      "arrange",
      p("help.hazari.arrange.order"),
      p("help.hazari.arrange.four"),
      p("help.hazari.arrange.up"),
      p("help.hazari.arrange.help"),
      p(o.hints === "off" ? "help.hazari.arrange.nohints" : "help.hazari.arrange.hints"),
      o.arrange_seconds === 0
        ? p("help.hazari.arrange.noclock")
        : p("help.hazari.arrange.clock", { n: o.arrange_seconds ?? 120 }),
    ],
    [
      "rounds",
      p("help.hazari.rounds.order"),
      p("help.hazari.rounds.take"),
      p("help.hazari.rounds.equal"),
      p("help.hazari.rounds.self"),
    ],
    ["score", p("help.hazari.score.sum"), p("help.hazari.score.deal")],
    [
      "dismissal",
      p("help.hazari.dismissal.what"),
      p(`help.hazari.dismissal.${o.dismissal ?? "off"}`),
    ],
    [
      "late",
      p("help.hazari.late.fallback"),
      p("help.late.silent"),
      p("help.hazari.late.waits"),
      p("help.late.half"),
      p("help.hazari.late.again"),
      p(o.foul_scores_zero === "on" ? "help.hazari.late.foul" : "help.hazari.late.nofoul"),
    ],
  ];
}
