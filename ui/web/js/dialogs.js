// Dialogs: one at a time, from below on a phone; the browser keeps focus inside and gives it back.

import { app, open } from "./app.js";
import { chat } from "./chat.js";
import { h } from "./dom.js";
import { fair } from "./fair.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { later } from "./later.js";
import { log } from "./log.js";
import { leaving, menu, sitting } from "./menu.js";
import { settings } from "./settings.js";
import { missedDialog } from "./silent.js";
import { turnedAway } from "./refused.js";
import { codeDialog } from "./strips.js";

const DIALOGS = {
  fair,
  settings,
  menu,
  leaving,
  sitting,
  missed: missedDialog,
  away: turnedAway,
  code: codeDialog,
  chat: () => chat(),
  log: () => log(),
  help: later(() => import("./help.js").then((found) => found.help)),
  history: later(() => import("./history.js").then((found) => found.history)),
};

// A few sentences and buttons: nothing in them has to be scrolled by keys.
const SHORT = new Set(["menu", "leaving", "sitting", "missed", "away", "code"]);

let back = null; // what had the focus before the first dialog

function show(node) {
  back ??= document.activeElement;
  queueMicrotask(() => node.isConnected && node.showModal());
}

/** Once no dialog is open any more, gives the focus back to where it was. */
export function giveBack() {
  if (app.ui.dialog || !back) return;
  if (back.isConnected && document.activeElement === document.body) back.focus();
  back = null;
}

/** That it is the player's turn meanwhile, and for how long: a tap leads back to the table. */
function turn() {
  const { ask } = app.state;
  if (!ask) return null;
  const seconds = ask.until ? Math.max(0, Math.ceil((ask.until - Date.now()) / 1000)) : 0;
  return h(
    "button",
    { class: "sheet-turn", key: "turn", "data-do": "to-turn", onclick: () => open(null) },
    ask.until ? t("turn.mine.for", { seconds }) : t("turn.mine"),
  );
}

/** The dialog that is open, or nothing. */
export function dialog() {
  const asked = app.ui.dialog;
  if (!asked) return null;
  return h(
    "dialog",
    {
      key: `dialog-${asked.name}`,
      class: `sheet sheet-${asked.name}`,
      "aria-labelledby": "dialog-title",
      ref: show,
      onclose: () => {
        if (app.ui.dialog === asked) open(null);
      },
      onkeydown: (event) => event.stopPropagation(), // the table's keys are not for who is here
      // A handler that returns false would undo the click on whatever is inside.
      onclick: (event) => {
        if (event.target === event.currentTarget) open(null);
      },
    },
    h(
      "div",
      { class: "sheet-in" },
      h(
        "div",
        { class: "sheet-top" },
        h("h2", { id: "dialog-title" }, t(`bar.${asked.name}`)),
        h(
          "button",
          { class: "close", "data-do": "close", "aria-label": t("close"), onclick: () => open(null) },
          icon("close"),
        ),
      ),
      turn(),
      h("div", { class: "sheet-body", tabindex: SHORT.has(asked.name) ? null : "0" }, DIALOGS[asked.name](asked)),
    ),
  );
}
