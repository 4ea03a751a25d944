// The other parts of the help: the keys, and why nobody can cheat.

import { app } from "./app.js";
import { h } from "./dom.js";
import { p, table } from "./helpparts.js";
import { t } from "./i18n.js";

// Keys that have a name; all others are what is printed on them.
const NAMED = {
  arrows: "key.arrows", enter: "key.enter", space: "key.space", backspace: "key.backspace",
  escape: "key.escape", tab: "key.tab", home: "key.home", end: "key.end",
};

const HAZARI = [
  ["arrows", "help.keys.hazari.move"],
  ["enter space", "help.keys.hazari.pick"],
  ["1 2 3 4", "help.keys.hazari.tray"],
  ["0 backspace", "help.keys.hazari.back"],
  ["S", "help.keys.hazari.sort"],
  ["H", "help.keys.hazari.hint"],
  ["Z", "help.keys.hazari.undo"],
  ["U", "help.keys.hazari.up"],
  ["space", "help.keys.hazari.next"],
  ["A", "help.keys.hazari.auto"],
];

const AZI = [
  ["arrows", "help.keys.azi.move"],
  ["1 2 3 4", "help.keys.azi.pick"],
  ["enter", "help.keys.azi.play"],
];

const PAST = [
  ["arrows", "help.keys.past.step"],
  ["home end", "help.keys.past.ends"],
];

const ALL = [
  ["tab", "help.keys.tab"],
  ["enter space", "help.keys.press"],
  ["escape", "help.keys.escape"],
];

/** The keys; those of the game that is played come first. */
export function keys() {
  const games = [["hazari", HAZARI], ["azi", AZI]];
  if (app.state.table?.game === "azi") games.reverse();
  const all = [...games, ["past", PAST], ["everywhere", ALL]];
  return all.map(([name, rows]) => [name, keyTable(rows)]);
}

function keyTable(rows) {
  return table(
    ["help.keys.key", "help.keys.does"],
    rows.map(([names, what]) => [names.split(" ").map(cap), t(what)]),
    "help-keys",
  );
}

function cap(name) {
  return h("kbd", null, name in NAMED ? t(NAMED[name]) : name);
}

/** In short why nobody can cheat; the shield's own panel tells it of the pack in play. */
export function fairPlay() {
  return [
    ["shuffle", p("help.fair.shuffle.lock"), p("help.fair.shuffle.commit"), p("help.fair.shuffle.turn")],
    ["proof", p("help.fair.proof.same"), p("help.fair.proof.shield")],
    ["deal", p("help.fair.deal.keys"), p("help.fair.deal.page")],
    ["record", p("help.fair.record.signed"), p("help.fair.record.verify")],
    ["silent", p("help.late.silent"), p("help.late.half"), p("help.fair.silent.record")],
    ["limits", p("help.fair.limits.tell"), p("help.fair.limits.bots"), p("help.fair.limits.code")],
  ];
}
