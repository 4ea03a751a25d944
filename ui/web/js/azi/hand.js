// The own cards at the Azi table: which may be played, by touch, keys 1 to 4, arrows, Enter; and why
// another may not.

import { announce, app, reason, toast } from "../app.js";
import { card, hidden } from "../cards.js";
import { cardName } from "../cardnames.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { head, isBlind, own } from "./words.js";

const CARD_CHOICES = new Set(["play", "discard"]);

/** Sends the answer to the choice that is owed, once. */
export async function send(move) {
  const { ask } = app.state;
  if (!ask || own.sent === ask) return;
  own.sent = ask;
  own.move = move;
  own.refocus ||= document.activeElement !== document.body;
  app.redraw();
  try {
    await app.send("move", { move });
  } catch (refused) {
    if (own.sent === ask) own.sent = null;
    toast(reason(refused));
  }
}

/** The own hand. */
export function hand() {
  const { view, table } = app.state;
  if (!view || table.seat === null || view.ended || view.phase === "buy") return null;
  if (!view.seats.includes(table.seat)) return h("p", { class: "azi-hint" }, t("azi.hand.undealt"));
  if (view.folded.includes(table.seat)) return folded(view);
  if (isBlind(view, table.seat) && view.phase !== "play" && !view.hand.length) return faceDown(view);
  const shown = view.hand.map(([slot, code], i) => ownCard(slot, code, i));
  if (view.discard && view.phase === "discard") shown.push(laidAside(view));
  return shown;
}

function ownCard(slot, code, place) {
  const { ask, view } = app.state;
  const may = choosable(slot);
  const sent = ask && own.sent === ask && own.move?.[1] === slot;
  const why = whyNot(slot);
  const state = sent ? "picked" : may ? "can" : ask && CARD_CHOICES.has(ask.kind) ? "cannot" : "";
  return h(
    "button",
    {
      key: `own-${slot}`,
      class: `azi-own${sent ? " sent" : ""}`,
      "data-slot": slot,
      "data-do": may ? ask.kind : undefined,
      "aria-label": cardName(code),
      "aria-disabled": may ? undefined : "true",
      "aria-description": may || !ask ? undefined : why,
      "aria-keyshortcuts": String(place + 1),
      onclick: () => choose(slot),
      onkeydown: step,
    },
    card(code, {
      key: "face", class: state, "data-fly": `card-${view.hand_number}-${code}`,
      "data-from": view.blind ? `seat-${view.seat}` : "middle",
    }),
    code === view.turned_up ? h("span", { class: "note" }, t("azi.hand.up")) : null,
  );
}

/** Whether this card may be chosen now. */
function choosable(slot) {
  const { ask } = app.state;
  return Boolean(ask) && own.sent !== ask && CARD_CHOICES.has(ask.kind) &&
    ask.choices.some(({ kind, moves }) => kind === ask.kind && moves.some((move) => move[1] === slot));
}

/** Why a card may not be chosen now. */
function whyNot(slot) {
  const { ask } = app.state;
  if (!ask) return t("rule.turn");
  if (ask.kind === "bid") return t("azi.hand.bidding");
  const found = ask.barred.find(([one]) => one === slot);
  return found ? reason({ rule: found[1], text: found[2] }) : "";
}

function choose(slot) {
  const { ask } = app.state;
  if (choosable(slot)) return send([ask.kind, slot]);
  const why = ask && own.sent === ask ? "" : whyNot(slot);
  if (why) tell(why);
  return undefined;
}

/** Says why, where the eye is: in the line above the cards. */
function tell(text) {
  const said = { text, ask: app.state.ask };
  own.why = said;
  announce(text);
  app.redraw();
  setTimeout(() => {
    if (own.why === said) own.why = null;
    app.redraw();
  }, 5000);
}

function folded(view) {
  return [
    view.hand.map(([slot, code]) =>
      card(code, { key: `own-${slot}`, class: "cannot", role: "img", "aria-label": cardName(code) })),
    h("p", { class: "azi-hint", key: "folded" }, t("azi.hand.folded")),
  ];
}

function faceDown(view) {
  const slots = view.unplayed[view.seats.indexOf(view.seat)] ?? [];
  return [
    slots.map((slot) => hidden({
      key: `own-${slot}`, role: "img", "aria-label": t("card.hidden"),
      "data-fly": `back-${view.hand_number}-${slot}`, "data-from": "middle",
    }, head())),
    h("p", { class: "azi-hint", key: "blind" }, t("azi.hand.blind")),
  ];
}

/** The own discard, which nobody else sees, until the bidding begins. */
function laidAside(view) {
  const [slot, code] = view.discard;
  return h("span", { key: `own-${slot}`, class: "azi-aside" },
    card(code, { class: "cannot", role: "img", "aria-label": cardName(code) }),
    h("span", { class: "note" }, t("azi.hand.aside")));
}

/** The arrows go from card to card, as they lie. */
function step(event) {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  const all = [...document.querySelectorAll(".azi-own")];
  const ltr = getComputedStyle(event.currentTarget.parentNode).direction === "ltr";
  const forth = (event.key === "ArrowRight") === ltr;
  const next = all[all.indexOf(event.currentTarget) + (forth ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The keys 1 to 4 stand for the own cards. */
export function keys(event) {
  const { table, view } = app.state;
  if (table?.game !== "azi" || app.ui.dialog || event.repeat) return;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest?.("input, textarea, select, dialog, [popover]")) return;
  const slot = "1234".includes(event.key) ? view?.hand[Number(event.key) - 1]?.[0] : undefined;
  if (slot === undefined || !CARD_CHOICES.has(app.state.ask?.kind)) return;
  event.preventDefault();
  own.refocus = true;
  choose(slot);
}

/** When a button or card that had the focus is gone, the focus goes to the own cards. */
export function keepFocus() {
  if (!own.refocus) return;
  queueMicrotask(() => {
    const on = document.activeElement;
    const first = document.querySelector(".azi-own");
    if (on !== document.body) own.refocus = on.matches(".azi-own, .azi-do");
    else if (first) {
      own.refocus = false;
      first.focus({ preventScroll: true });
    }
  });
}
