// What all parts of the page share: the state as the own peer tells it, and ways to act on it.

import { first, t } from "./i18n.js";
import { localKey } from "./locals.js";

/** `state`: the sections that the peer sends (docs/page.md). `ui`: what only this page knows; each
 *  part keeps its own things under its own name. `hold`: milliseconds that an update has to wait so
 *  that what is on the table can be seen. */
export const app = {
  state: {},
  linked: false,
  ui: { dialog: null, toasts: [], side: "log" },
  send: () => Promise.reject({ rule: "page.cut", text: "" }),
  redraw: () => {},
  hold: () => 0,
};

/** Sends a command; a refusal is shown as a toast in words. Returns its value, or undefined. */
export async function act(what, fields) {
  try {
    return await app.send(what, fields);
  } catch (refused) {
    toast(reason(refused));
    return undefined;
  }
}

/** Why something was refused, in the language of the page; the engine's own words for want of it. */
export function reason({ rule, text, values }) {
  return first([`rule.${rule}`, localKey(rule, text)], values ?? {}, text || t("rule.unknown"));
}

let toastCount = 0;

/** A short word at the edge of the page, gone after some seconds; also said aloud. */
export function toast(text) {
  const id = ++toastCount;
  app.ui.toasts = [...app.ui.toasts.slice(-2), { id, text }];
  announce(text);
  setTimeout(() => {
    app.ui.toasts = app.ui.toasts.filter((one) => one.id !== id);
    app.redraw();
  }, 6000);
  app.redraw();
}

/** Says something to those who listen instead of looking. */
export function announce(text) {
  const live = document.getElementById("live");
  // The same words once more are a change too.
  if (live) live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

/** Opens a dialog by the name of its part, or closes it with null. */
export function open(name, args = {}) {
  app.ui.dialog = name && { name, ...args };
  app.redraw();
}

/** The player at a seat of the table, or something to show in its place. */
export function player(seat) {
  return app.state.table?.players[seat] ?? { name: `${seat + 1}`, short: "", bot: "" };
}

/** The name of a seat for sentences. */
export function nameOf(seat) {
  return seat === app.state.table?.seat ? t("you") : player(seat).name;
}
