// No seat at a table: why, and what can be done about it.

import { act, app, open } from "./app.js";
import { bdi, h } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";

/** Opens the dialog when the peer was turned away. */
export function heardRefusal(event) {
  if (event.kind === "turned_away") open("away", { code: event.code, text: event.text, asked: app.ui.asked });
}

const CODES = new Set([
  "closed", "crowded", "full", "game", "invite", "kept", "name", "no-such-table", "opener", "options",
  "playing", "removed", "seated", "version", "waiting",
]);

/** Refusals of a seat at a table that can be looked on at; a table that only invited ones join cannot. */
const SEEN = new Set(["playing", "full"]);
const INVITED = /^[\s-]*[BD]/i;

/** Where the table is that can be watched instead, as fields of the command; or null. */
function elsewhere(code, asked) {
  if (!SEEN.has(code) || !asked) return null;
  const { typed, table, key } = asked;
  if (typed === undefined) return { table, key };
  return INVITED.test(typed) ? null : { address: typed };
}

async function watch(fields) {
  open(null);
  await act("watch", fields);
}

/** A reason that this page has no words for. Somebody else wrote it: it is shown as theirs. */
function unknown(text) {
  return [
    h("p", { key: "unknown" }, t("refused.unknown")),
    text
      ? h("p", { key: "said" }, t("refused.said"), " ", h("q", { lang: "" }, bdi(text)))
      : null,
  ];
}

/** The dialog. */
export function turnedAway({ code, text, asked }) {
  const fields = elsewhere(code, asked);
  return [
    CODES.has(code) ? h("p", null, t(`refused.${code}`)) : unknown(text),
    fields ? h("p", null, t("refused.watch")) : null,
    SEEN.has(code) && INVITED.test(asked?.typed ?? "") ? h("p", null, t("rule.page.invited")) : null,
    h(
      "div",
      { class: "row" },
      fields
        ? h(
            "button",
            { key: "watch", class: "primary", "data-do": "watch-instead", onclick: () => watch(fields) },
            icon("eye"),
            t("lobby.watch"),
          )
        : null,
      h(
        "button",
        { key: "back", class: fields ? "" : "primary", "data-do": "close-away", onclick: () => open(null) },
        t("refused.back"),
      ),
    ),
  ];
}
