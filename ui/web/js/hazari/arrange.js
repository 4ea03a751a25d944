// Arranging: the own thirteen cards in the hand, and the four trays that they go to.

import { act, announce, app } from "../app.js";
import { card } from "../cards.js";
import { cardName } from "../cardnames.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import * as acts from "./acts.js";
import * as draft from "./draft.js";
import { grab } from "./input.js";
import { sign } from "./signs.js";
import { kindText, pointsText } from "./words.js";

const KEYS = "hazari-keys"; // the element that explains them

/** The trays, with the line between them that says what is wrong with their order. */
export function trays() {
  const held = draft.current();
  const told = draft.worths();
  return h(
    "div",
    { class: "trays-box", key: "trays" },
    h(
      "div",
      {
        class: `trays${held.picked.length ? " choosing" : ""}`,
        role: "group",
        "aria-label": t("hazari.trays"),
        "aria-describedby": KEYS,
      },
      held.trays.map((slots, n) => tray(slots, n, told, held)),
      judge(told),
      h("p", { class: "unseen", id: KEYS }, t(app.state.view.hints ? "hazari.keys.hints" : "hazari.keys")),
    ),
  );
}

function tray(slots, n, told, held) {
  const worth = told.trays[n];
  const takes = held.picked.length > 0 && draft.fits(held.picked, n);
  const wrong = told.faults.some((fault) => fault.includes(n + 1));
  const classes = ["tray", `tray-${n + 1}`];
  if (takes) classes.push("takes");
  if (held.over === n && held.dragging) classes.push(takes ? "over" : "over-full");
  if (wrong) classes.push("wrong");
  if (slots.length === draft.SIZES[n]) classes.push("full");
  return h(
    "div",
    {
      key: n,
      class: classes.join(" "),
      role: "group",
      "aria-label": label(slots, n, worth),
      "data-tray": n,
      onclick: () => acts.tapTray(n),
    },
    h(
      "button",
      {
        class: "tray-name",
        "aria-label": label(slots, n, worth),
        "aria-keyshortcuts": String(n + 1),
        ...nav(`tray-${n}`),
      },
      h("b", { class: "no", "aria-hidden": "true" }, String(n + 1)),
      h("span", { class: "kind" }, worthText(slots, n, worth, takes)),
      worth ? h("span", { class: "pts", title: t("hazari.points.help") }, pointsText(worth.points)) : null,
    ),
    h(
      "div",
      { class: "tray-cards" },
      slots.map((slot) => ownCard(slot, held, isSpare(slot, worth))),
      Array.from({ length: draft.SIZES[n] - slots.length }, (_, i) =>
        h("span", { key: `gap-${i}`, class: "gap", "aria-hidden": "true" }, takes && i === 0 ? "+" : null),
      ),
    ),
  );
}

function worthText(slots, n, worth, takes) {
  const count = { n: slots.length, of: draft.SIZES[n] };
  if (!slots.length) return takes ? t("hazari.tray.here") : t(`hazari.tray.empty.${n + 1}`);
  return kindText(worth) || t("hazari.tray.count", count);
}

function label(slots, n, worth) {
  const values = { tray: n + 1, n: slots.length, of: draft.SIZES[n], kind: kindText(worth, true) };
  if (!worth) return t("hazari.tray.label", values);
  values.points = pointsText(worth.points);
  return t(values.kind ? "hazari.tray.label.kind" : "hazari.tray.label.points", values);
}

/** One stop for Tab in all of it; the arrows move on from there. */
function nav(name) {
  const held = draft.current();
  const first = draft.inHand()[0];
  const stop = held.nav ?? (first === undefined ? "tray-0" : `card-${first}`);
  return {
    "data-nav": name,
    tabindex: name === stop ? 0 : -1,
    onfocus: () => {
      if (held.nav === name) return;
      held.nav = name;
      app.redraw();
    },
  };
}

/** Whether a card of a full tray of four does not count for its strength. */
function isSpare(slot, worth) {
  return worth?.full && worth.best.length > 0 && !worth.best.includes(draft.face(slot));
}

function ownCard(slot, held, spare = false) {
  const code = draft.face(slot);
  const at = draft.trayOf(slot);
  const picked = held.picked.includes(slot);
  const where = at < 0 ? "hazari.card.hand" : spare ? "hazari.card.spare" : "hazari.card.tray";
  return card(code, {
    key: `card-${slot}`,
    class: `${picked ? "picked" : ""}${picked && held.dragging ? " lifted" : ""}${spare ? " spare" : ""}`,
    role: "button",
    "aria-label": t(where, { card: cardName(code), tray: at + 1 }),
    "aria-pressed": String(picked),
    "data-slot": slot,
    "data-fly": `card-${slot}`,
    "data-from": "middle",
    ...nav(`card-${slot}`),
    onpointerdown: (event) => grab(event, slot),
    onclick: (event) => {
      event.stopPropagation();
      acts.tapCard(slot);
    },
  });
}

/** The line between the trays: quiet, or a sentence with the way to put it right. */
function judge(told) {
  const [fault] = told.faults;
  const left = draft.inHand().length;
  const none = left === draft.HAND; // before the first card goes: what cards are worth
  const rest = none ? "hazari.left.none" : "hazari.left";
  const text = fault ? acts.faultText(told, false) : left ? t(rest, { n: left }) : t("hazari.whole");
  const last = told.trays.at(-1); // why one of its four cards is greyed
  const spare = !fault && last?.full && last.best.length > 0 && last.best.length < draft.SIZES.at(-1);
  return h(
    "div",
    { class: `judge${fault ? " wrong" : left ? "" : " whole"}`, key: "judge" },
    h("span", { class: "words" }, text, spare ? ` ${t("hazari.spare")}` : null),
    fault
      ? h(
          "button",
          { key: "repair", "data-do": "repair", onclick: () => acts.repair(fault) },
          sign("swap"),
          t("hazari.repair"),
        )
      : null,
  );
}

/** The hand: every card keeps its place until the player sorts. */
export function hand() {
  const held = draft.current();
  return h(
    "div",
    {
      class: "own-hand",
      key: "own-hand",
      role: "group",
      "aria-label": t("hazari.hand", { n: draft.inHand().length }),
      "data-hand": true,
      onclick: acts.tapHand,
    },
    held.order.map((slot) =>
      draft.trayOf(slot) < 0
        ? ownCard(slot, held)
        : h("span", { key: `gap-${slot}`, class: "gap", "aria-hidden": "true" }),
    ),
    draft.inHand().length ? null : h("p", { class: "hand-empty", key: "empty" }, emptyText()),
  );
}

/** What stands in place of the hand once all cards lie in the trays. */
function emptyText() {
  return t(draft.worths().faults.length ? "hazari.hand.wrong" : "hazari.hand.empty");
}

/** The buttons below the hand. */
export function buttons() {
  const { view, ask } = app.state;
  const held = draft.current();
  if (held.asks === "hint") return anew();
  if (held.asks) return sure();
  const ready = !acts.objection();
  const by = acts.nextSort();
  return [
    small("sort", "sort", t(`hazari.sort.${by}`), "S", acts.sortAgain),
    small("undo", "undo", t("hazari.undo"), "Z", acts.undo, !held.past.length),
    view.hints ? small("hint", "hint", t("hazari.hint"), "H", acts.suggest) : null,
    ask.choices.some(({ kind }) => kind === "dismiss")
      ? small("dismiss", "dismiss", t("hazari.dismiss"), null, () => askDismissal(true))
      : null,
    h(
      "button",
      {
        key: "up",
        class: "primary up",
        "data-do": "up",
        "aria-disabled": ready ? null : "true",
        "aria-keyshortcuts": "U",
        onclick: acts.sayUp,
      },
      t("hazari.up"),
    ),
  ];
}

function small(name, picture, words, key, does, off = false) {
  return h(
    "button",
    {
      key: name,
      class: `small do-${name}`,
      "data-do": name,
      "aria-label": words,
      "aria-keyshortcuts": key,
      title: key ? `${words} (${key})` : words,
      "aria-disabled": off ? "true" : null,
      onclick: does,
    },
    sign(picture),
    h("span", { class: "words" }, words),
  );
}

/** A dismissal shows the hand to all: the one thing that is asked twice. */
function sure() {
  return [
    h(
      "button",
      {
        key: "dismiss-yes",
        "data-do": "dismiss-yes",
        ref: () => announce(t("hazari.dismiss.sure")),
        onclick: () => act("move", { move: ["dismiss"] }),
      },
      t("hazari.dismiss.yes"),
    ),
    h(
      "button",
      { key: "dismiss-no", class: "primary", "data-do": "dismiss-no", onclick: () => askDismissal(false) },
      t("hazari.dismiss.no"),
    ),
  ];
}

/** A suggestion that cannot be had with the cards as the player has laid them. */
function anew() {
  return [
    h(
      "button",
      { key: "hint-yes", "data-do": "hint-yes", ref: () => announce(t("hazari.hint.sure")), onclick: () => acts.anew(true) },
      t("hazari.hint.yes"),
    ),
    h(
      "button",
      { key: "hint-no", class: "primary", "data-do": "hint-no", onclick: () => acts.anew(false) },
      t("hazari.hint.no"),
    ),
  ];
}

function askDismissal(asks) {
  draft.current().asks = asks ? "dismiss" : null;
  app.redraw();
}
