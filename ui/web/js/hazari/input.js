// Pointer and keys while arranging: a card follows the finger or the mouse; arrows walk over cards
// and trays as they lie on the page.

import { app } from "../app.js";
import * as acts from "./acts.js";
import * as draft from "./draft.js";

const SLACK = 7; // pixels that a tap may wobble

let drag = null;

/** A pointer goes down on a card: if it moves, the card follows it. */
export function grab(event, slot) {
  if (event.button !== 0 || drag) return;
  const { pointerId: id, clientX: x, clientY: y, currentTarget: node } = event;
  drag = { id, slot, x, y, node, ghosts: null };
  addEventListener("pointermove", move);
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", cancel);
}

function move(event) {
  if (event.pointerId !== drag?.id) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.ghosts) {
    if (Math.hypot(dx, dy) < SLACK) return;
    lift();
  }
  for (const ghost of drag.ghosts) ghost.style.setProperty("translate", `${dx}px ${dy}px`);
  const over = trayAt(event);
  if (over !== drag.over) {
    drag.over = over;
    draft.current().over = over;
    app.redraw();
  }
}

/** The card, and others that are picked up with it, leave their places. */
function lift() {
  const held = draft.current();
  drag.slots = held.picked.includes(drag.slot) ? [...held.picked] : [drag.slot];
  held.picked = drag.slots;
  held.dragging = true;
  const at = drag.node.getBoundingClientRect();
  drag.ghosts = drag.slots.map((slot, n) => {
    const source = document.querySelector(`[data-slot="${slot}"]`);
    const ghost = source.cloneNode(true);
    ghost.removeAttribute("data-slot");
    ghost.removeAttribute("data-fly");
    ghost.setAttribute("aria-hidden", "true");
    ghost.className = "card ghost";
    const put = (name, value) => ghost.style.setProperty(name, value);
    put("left", `${at.left + n * at.width * 0.3}px`);
    put("top", `${at.top}px`);
    put("--card-w", `${at.width}px`);
    document.body.append(ghost);
    return ghost;
  });
  document.documentElement.classList.add("dragging");
  app.redraw();
}

function trayAt(event) {
  const tray = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-tray]");
  return tray ? Number(tray.dataset.tray) : -1;
}

function drop(event) {
  if (event.pointerId !== drag?.id) return;
  const { ghosts, slots, slot } = drag;
  if (!ghosts) return release();
  hush();
  const under = document.elementFromPoint(event.clientX, event.clientY);
  const card = under?.closest("[data-slot]");
  const onto = card ? Number(card.dataset.slot) : null;
  const tray = trayAt(event);
  const from = slots.map((held, n) => [`card-${held}`, ghosts[n].getBoundingClientRect()]);
  release();
  if (!app.state.ask) return;
  if (tray >= 0) {
    const swaps = onto !== null && onto !== slot && slots.length === 1 && !draft.fits(slots, tray);
    if (swaps && draft.trayOf(slot) !== tray) acts.exchange(slot, onto, from);
    else acts.place(slots, tray, from);
  } else if (under?.closest("[data-hand]")) {
    if (draft.trayOf(slot) >= 0) acts.back(slots, from);
    else if (onto !== null && onto !== slot && slots.length === 1) acts.exchange(slot, onto, from);
  }
}

function cancel(event) {
  if (event.pointerId === drag?.id) release();
}

/** Puts everything back as it was before the pointer went down. */
function release() {
  removeEventListener("pointermove", move);
  removeEventListener("pointerup", drop);
  removeEventListener("pointercancel", cancel);
  const held = drag;
  drag = null;
  if (!held?.ghosts) return;
  for (const ghost of held.ghosts) ghost.remove();
  document.documentElement.classList.remove("dragging");
  Object.assign(draft.current(), { picked: [], dragging: false, over: -1 });
  app.redraw();
}

/** The click that follows a drag means nothing. */
function hush() {
  const stop = (event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }), 60);
}

/** Keys while arranging; true if the key meant something. */
export function arrangeKey(event) {
  const at = event.target.closest?.("[data-nav]");
  const name = event.key;
  if (name.startsWith("Arrow")) return walk(at, name);
  if ((name === "Enter" || name === " ") && at?.dataset.slot) acts.tapCard(Number(at.dataset.slot));
  else if (/^[1-4]$/.test(name)) keyPlace(at, Number(name) - 1);
  else if (name === "0" || name === "Backspace" || name === "Delete") keyBack(at);
  else if (name === "Escape") drag ? release() : acts.tapHand();
  else return letter(event.code) ?? letter(`Key${name.toUpperCase()}`) ?? false;
  return true;
}

/** Letters by their place on the keyboard, so that they work in every script. */
function letter(code) {
  const does = { KeyS: acts.sortAgain, KeyU: acts.sayUp, KeyH: acts.suggest, KeyZ: acts.undo }[code];
  if (!does) return undefined;
  does();
  return true;
}

function focused(at) {
  const { picked } = draft.current();
  if (picked.length) return picked;
  return at?.dataset.slot ? [Number(at.dataset.slot)] : [];
}

function keyPlace(at, tray) {
  const slots = focused(at);
  if (!slots.length) return acts.tapTray(tray);
  const next = nextInHand(slots);
  acts.place(slots, tray);
  if (draft.trayOf(slots[0]) === tray) focusOn(next ?? `tray-${tray}`);
}

function keyBack(at) {
  const slots = focused(at);
  acts.back(slots);
  if (slots.length) focusOn(`card-${slots[0]}`);
}

function nextInHand(going) {
  const rest = draft.inHand().filter((slot) => !going.includes(slot));
  const { order } = draft.current();
  const after = order.indexOf(going.at(-1));
  const next = rest.find((slot) => order.indexOf(slot) > after) ?? rest.at(-1);
  return next === undefined ? null : `card-${next}`;
}

/** Moves the focus once the page is drawn. */
export function focusOn(name) {
  draft.current().nav = name;
  app.redraw();
  queueMicrotask(() => document.querySelector(`[data-nav="${CSS.escape(name)}"]`)?.focus());
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** To the nearest card or tray in that direction. */
function walk(at, key) {
  const all = [...document.querySelectorAll("[data-nav]")];
  if (!at) {
    if (all.length) focusOn(all.find((node) => node.tabIndex === 0)?.dataset.nav ?? all[0].dataset.nav);
    return true;
  }
  const [wx, wy] = WAYS[key];
  const middle = (node) => {
    const box = node.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = middle(at);
  let best = null;
  let least = Infinity;
  for (const node of all) {
    const [nx, ny] = middle(node);
    const along = (nx - x) * wx + (ny - y) * wy;
    const aside = Math.abs((nx - x) * wy) + Math.abs((ny - y) * wx);
    // What lies more aside than ahead is in another direction.
    if (node === at || along < 4 || aside > along * 3) continue;
    const far = along + aside * 2;
    if (far < least) [best, least] = [node, far];
  }
  if (best) focusOn(best.dataset.nav);
  return true;
}
