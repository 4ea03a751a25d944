// No seat at a table: why, and what can be done about it.

import { app, open } from "./app.js";
import { h } from "./dom.js";
import { first, t } from "./i18n.js";

/** Opens the dialog when the peer was turned away. */
export function heardRefusal(event) {
  if (event.kind === "turned_away") open("away", { code: event.code, text: event.text });
}

/** The dialog. */
export function turnedAway({ code, text }) {
  return [
    h("p", null, first([`refused.${code}`], {}, text)),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { class: "primary", "data-do": "close-away", onclick: () => open(null) },
        t("refused.back"),
      ),
    ),
  ];
}
