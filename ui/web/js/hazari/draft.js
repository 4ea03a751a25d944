// The own thirteen cards while they are being arranged: which lie in which tray, what is picked up,
// what the peer says of it, and the way back. Slots only; kept over a reload of the page.

import { announce, app } from "../app.js";
import { RANKS, SUITS } from "../cards.js";
import { calm, glide, places } from "../motion.js";
import { prefer, prefs } from "../prefs.js";

/** How many cards each tray takes. */
export const SIZES = [3, 3, 3, 4];

/** How many cards that is. */
export const HAND = 13;

const KEY = "facedown.hazari";
const STEPS_BACK = 100;
const PAUSE = 130; // milliseconds between trays that are filled

let draft = null;

/** The arrangement of the hand in play; made from what this window kept, or sorted as the player
 *  likes it. `order`: all thirteen slots as they lie in the hand, where every card keeps its place;
 *  `trays`: four lists of slots; `picked`: what is picked up. */
export function current() {
  const { table, view } = app.state;
  const id = `${table.id}:${view.hand_number}`;
  if (draft?.id === id) return draft;
  const fresh = { id, order: [], trays: [[], [], [], []], picked: [], past: [], told: null, sent: false };
  if (view.hand.length !== HAND) return fresh; // not dealt yet: nothing to be kept
  draft = fresh;
  const dealt = () => ({ order: sorted(view.hand.map(([slot]) => slot), prefs.sort), sortedBy: prefs.sort });
  Object.assign(draft, kept(id) ?? dealt());
  return draft;
}

function kept(id) {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY));
    if (found?.id !== id) return null;
    const own = app.state.view.hand.map(([slot]) => slot);
    const same = (slots) => JSON.stringify([...slots].sort((a, b) => a - b)) === JSON.stringify(own);
    const placed = found.trays.flat();
    const fits = found.trays.length === 4 && found.trays.every((tray, n) => tray.length <= SIZES[n]);
    const once = new Set(placed).size === placed.length;
    const whole = same(found.order) && same([...new Set([...placed, ...own])]);
    if (!(fits && once && whole)) return null;
    return { order: found.order, trays: found.trays, sent: found.sent === true };
  } catch {
    return null;
  }
}

/** Keeps the arrangement over a reload. */
export function keep() {
  try {
    const { id, order, trays, sent } = draft;
    sessionStorage.setItem(KEY, JSON.stringify({ id, order, trays, sent }));
  } catch {
    // A browser that keeps nothing still plays.
  }
}

/** The card in a slot of the own hand. */
export function face(slot) {
  return app.state.view.hand.find(([held]) => held === slot)?.[1];
}

/** The tray in which a card lies, or -1: in the hand. */
export function trayOf(slot) {
  return draft.trays.findIndex((tray) => tray.includes(slot));
}

/** The cards that are still in the hand. */
export function inHand() {
  return draft.order.filter((slot) => trayOf(slot) < 0);
}

/** Whether these cards have room in a tray. */
export function fits(slots, tray) {
  const more = slots.filter((slot) => trayOf(slot) !== tray).length;
  return more > 0 && draft.trays[tray].length + more <= SIZES[tray];
}

/** Changes the arrangement; it can be undone. `say(told)`: what is said aloud once it is weighed;
 *  `from`: where cards come from, by `data-fly` name, when they were held by the pointer. */
export function change(how, say, from) {
  const before = snapshot();
  moving(() => {
    how(draft);
    draft.picked = [];
  }, from);
  if (snapshot() === before) return;
  draft.past = [...draft.past.slice(1 - STEPS_BACK), before];
  keep();
  weigh(say);
}

/** Redraws after `how`, and lets what has moved glide there. */
export function moving(how, from) {
  const root = document.getElementById("app");
  const before = places(root);
  for (const [name, box] of from ?? []) before.set(name, box);
  how();
  app.redraw();
  queueMicrotask(() => {
    glide(root, before);
    if (byKeys && document.activeElement === document.body) refocus();
  });
}

/** Whether the last thing that the player did was a key. */
let byKeys = false;
addEventListener("keydown", () => (byKeys = true), true);
addEventListener("pointerdown", () => (byKeys = false), true);

/** A card that has gone elsewhere keeps the focus. */
function refocus() {
  const name = draft?.nav ?? "";
  document.querySelector(`[data-nav="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });
}

/** Fills the trays one after the other; as one change, which can be undone. `keeps`: what lies in
 *  trays lies there in these groups too, and stays meanwhile. */
export async function fill(groups, say, keeps = false) {
  const held = draft;
  const before = snapshot();
  const lying = held.trays;
  for (let n = 0; n < groups.length; n++) {
    moving(() => {
      held.trays = groups.map((group, at) => (at <= n ? sorted(group, "rank") : keeps ? lying[at] : []));
      held.picked = [];
    });
    const now = snapshot();
    if (n === 0) held.past.push(before);
    if (n < groups.length - 1 && !calm()) await new Promise((done) => setTimeout(done, PAUSE));
    if (draft !== held || snapshot() !== now) return; // the player has gone on
  }
  keep();
  weigh(say);
}

function snapshot() {
  return JSON.stringify([draft.order, draft.trays]);
}

/** Takes the last change back; false if there is none. */
export function undo(say) {
  if (!draft.past.length) return false;
  moving(() => {
    [draft.order, draft.trays] = JSON.parse(draft.past.pop());
    draft.picked = [];
  });
  keep();
  weigh(say);
  return true;
}

/** Puts a card into a tray, at its end, from wherever it is. */
export function put(slot, tray) {
  if (trayOf(slot) === tray) return;
  takeOut(slot);
  draft.trays[tray].push(slot);
}

/** Takes a card back to its place in the hand. */
export function takeOut(slot) {
  draft.trays = draft.trays.map((tray) => tray.filter((held) => held !== slot));
}

/** Two cards change places. */
export function swap(one, other) {
  const other_ = (slot) => (slot === one ? other : slot === other ? one : slot);
  if (trayOf(one) < 0 && trayOf(other) < 0) draft.order = draft.order.map(other_);
  else draft.trays = draft.trays.map((tray) => tray.map(other_));
}

/** Two trays change what counts in them: of four cards the best three go, the spare one stays. */
export function swapTrays(later, earlier) {
  const best = new Set(draft.told.trays[later].best);
  const going = draft.trays[later].filter((slot) => best.has(face(slot)));
  const staying = draft.trays[later].filter((slot) => !best.has(face(slot)));
  const coming = draft.trays[earlier];
  const now = { [later]: [...coming, ...staying], [earlier]: going };
  draft.trays = draft.trays.map((tray, n) => now[n] ?? tray);
}

/** Sorts the hand by rank or by suit; from then on so at every deal. Only ever when asked to. */
export function sortHand(by, say) {
  prefer({ sort: by });
  change((held) => {
    held.order = sorted(held.order, by);
  }, say);
}

function sorted(slots, by) {
  const rank = (slot) => -RANKS.indexOf(face(slot)[0]);
  const suit = (slot) => SUITS.indexOf(face(slot)[1]);
  const keys = by === "suit" ? [suit, rank] : [rank, suit];
  return [...slots].sort((a, b) => keys[0](a) - keys[0](b) || keys[1](a) - keys[1](b));
}

/** What the peer says of the trays as they lie now: `trays`, `faults`, and whether it is `sure`,
 *  that is, has seen them so. Asks it if need be. */
export function worths() {
  const key = JSON.stringify(draft.trays);
  const { told } = draft;
  if (told?.key === key) return { ...told, sure: true };
  if (app.linked && draft.asking !== key) weigh();
  // Until the answer is there, trays that nobody touched keep their words.
  const old = told ? JSON.parse(told.key) : [];
  const same = (tray, n) => JSON.stringify(old[n]) === JSON.stringify(tray);
  const trays = draft.trays.map((tray, n) => (same(tray, n) ? told?.trays[n] : null));
  return { trays, faults: [], sure: false };
}

async function weigh(say) {
  const asked = draft;
  const key = JSON.stringify(draft.trays);
  asked.asking = key;
  let told;
  try {
    told = await app.send("weigh", { groups: asked.trays });
  } catch {
    return; // drawn again when the connection is back, and asked again
  } finally {
    if (asked.asking === key) asked.asking = null;
  }
  if (draft !== asked || JSON.stringify(draft.trays) !== key) return;
  draft.told = { ...told, key };
  if (say) announce(say(draft.told));
  app.redraw();
}
