// What a player can do while arranging. Drag, tap and key all end here, so they can be mixed.

import { act, announce, app, toast } from "../app.js";
import { cardName } from "../cardnames.js";
import { t } from "../i18n.js";
import { prefs } from "../prefs.js";
import * as draft from "./draft.js";
import { kindText, wholeText } from "./words.js";

/** What is said aloud when cards have come to a tray: what they are, and what it is worth now. */
function arrival(slots, tray) {
  return (told) => {
    const cards = slots.map((slot) => cardName(draft.face(slot))).join(", ");
    const words = kindText(told.trays[tray], true);
    const values = { cards, tray: tray + 1, kind: words, n: draft.current().trays[tray].length };
    return [t(words ? "hazari.say.put.kind" : "hazari.say.put", values), faultText(told)].join(" ");
  };
}

/** What is wrong with the order of the trays, or "". */
export function faultText(told, spoken = true) {
  if (!told.faults.length) return "";
  const [later, earlier] = told.faults[0];
  const [strong, weak] = [told.trays[later - 1], told.trays[earlier - 1]];
  const alike = kindText(strong) === kindText(weak);
  const words = (worth) => (alike ? wholeText : kindText)(worth, spoken);
  return t("hazari.fault", { later, earlier, strong: words(strong), weak: words(weak) });
}

/** Puts cards into a tray, if they have room there. */
export function place(slots, tray, from) {
  if (!slots.length) return;
  if (!draft.fits(slots, tray)) {
    if (slots.some((slot) => draft.trayOf(slot) !== tray)) toast(t("hazari.full", { tray: tray + 1 }));
    return;
  }
  draft.change(() => slots.forEach((slot) => draft.put(slot, tray)), arrival(slots, tray), from);
}

/** Takes cards back into the hand. */
export function back(slots, from) {
  const lying = slots.filter((slot) => draft.trayOf(slot) >= 0);
  if (!lying.length) return pick([]);
  const cards = lying.map((slot) => cardName(draft.face(slot))).join(", ");
  draft.change(() => lying.forEach(draft.takeOut), () => t("hazari.say.back", { cards }), from);
}

/** Lets two cards change places. */
export function exchange(one, other, from) {
  const values = { one: cardName(draft.face(one)), other: cardName(draft.face(other)) };
  draft.change(
    () => draft.swap(one, other),
    (told) => [t("hazari.say.swap", values), faultText(told)].join(" "),
    from,
  );
}

function pick(slots) {
  draft.current().picked = slots;
  app.redraw();
  const cards = slots.map((slot) => cardName(draft.face(slot))).join(", ");
  if (slots.length) announce(t("hazari.say.picked", { cards }));
}

/** A card was tapped: picked up, put down, or it is where the picked ones should go. */
export function tapCard(slot) {
  const { picked } = draft.current();
  const tray = draft.trayOf(slot);
  if (picked.includes(slot)) {
    if (tray >= 0) back([slot]);
    else pick(picked.filter((held) => held !== slot));
  } else if (!picked.length) {
    pick([slot]);
  } else if (tray < 0 && draft.trayOf(picked[0]) < 0) {
    pick([...picked, slot]); // several of the hand can go together
  } else if (tray >= 0 && picked.every((held) => draft.trayOf(held) === tray)) {
    pick([slot]);
  } else if (tray >= 0 && draft.fits(picked, tray)) {
    place(picked, tray);
  } else if (picked.length === 1) {
    exchange(picked[0], slot);
  } else toast(t("hazari.full", { tray: tray + 1 }));
}

/** A tray was tapped: what is picked up goes there. */
export function tapTray(tray) {
  const { picked } = draft.current();
  if (picked.length) place(picked, tray);
  else announce(t("hazari.pick.first"));
}

/** The hand was tapped beside the cards: what is picked up comes back. */
export function tapHand() {
  const { picked } = draft.current();
  if (picked.length) back(picked);
}

/** Sorts the hand; the same way once more: the other way. */
export function sortAgain() {
  const now = draft.current();
  const by = now.sortedBy === prefs.sort ? other(prefs.sort) : prefs.sort;
  now.sortedBy = by;
  draft.sortHand(by, () => t(`hazari.say.sorted.${by}`));
}

/** How the hand would be sorted by the next touch. */
export function nextSort() {
  return draft.current().sortedBy === prefs.sort ? other(prefs.sort) : prefs.sort;
}

const other = (by) => (by === "rank" ? "suit" : "rank");

/** Takes the last change back. */
export function undo() {
  if (!draft.undo(() => t("hazari.say.undone"))) announce(t("hazari.undo.none"));
}

/** Puts a fault of the order right. */
export function repair([later, earlier]) {
  const done = (told) => [t("hazari.say.trays", { later, earlier }), faultText(told)].join(" ");
  draft.change(() => draft.swapTrays(later - 1, earlier - 1), done);
}

/** Fills the trays as the peer would, one after the other; can be undone as one change. What the
 *  player has laid stays; where it cannot, the player is asked first. */
export async function suggest() {
  if (!app.state.view.hints) return toast(t("hazari.hints.off"));
  const held = draft.current();
  if (held.filling) return;
  held.filling = true;
  const told = await act("suggest", { groups: held.trays });
  held.filling = false;
  if (!told || draft.current() !== held || !app.state.ask) return;
  if (told.dismiss) toast(t("hazari.hint.dismiss"));
  if (told.kept) return draft.fill(told.groups, sayHint, true);
  held.asks = "hint";
  held.hint = told.groups;
  app.redraw();
}

/** Whether the cards that the player has laid may be laid anew, after all. */
export function anew(yes) {
  const held = draft.current();
  held.asks = null;
  if (yes) draft.fill(held.hint, sayHint);
  else app.redraw();
}

function sayHint(now) {
  const words = now.trays.map((worth) => kindText(worth, true));
  return t("hazari.say.hint", { one: words[0], two: words[1], three: words[2], four: words[3] });
}

/** Says up, if the division is whole and in order; else why not. */
export async function sayUp() {
  const held = draft.current();
  const why = objection();
  if (why) return toast(why);
  const groups = held.trays.map((tray) => [...tray].sort((a, b) => a - b));
  const sent = (now) => {
    held.sent = now;
    draft.keep();
    app.redraw();
  };
  sent(true);
  if ((await act("move", { move: ["up", ...groups] })) === undefined && app.state.ask) sent(false);
}

/** Why up cannot be said yet, in one sentence; "" if it can. */
export function objection() {
  const left = draft.inHand().length;
  const told = draft.worths();
  if (told.faults.length) return faultText(told, false);
  if (left) return t("hazari.left", { n: left });
  return told.sure ? "" : t("hazari.weighing");
}
