// What the pages of the help are made of: paragraphs, lists, tables, example cards.

import { card } from "./cards.js";
import { cardNames } from "./cardnames.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

/** A paragraph. */
export function p(key, values) {
  return h("p", null, t(key, values));
}

/** A list of sentences; each a key, or a key and its values. */
export function list(...items) {
  return h("ul", null, items.filter(Boolean).map((item) => h("li", null, t(...[item].flat()))));
}

/** Example cards, written "AS KS QS"; read aloud by their names. */
export function cards(codes) {
  const all = codes.split(" ");
  return h(
    "span",
    { class: "help-cards", role: "img", "aria-label": cardNames(all) },
    all.map((code) => card(code, { size: "s", "aria-hidden": "true" })),
  );
}

/** A table; `heads`: keys, `rows`: the first of each is its heading. */
export function table(heads, rows, cls) {
  return h(
    "table",
    { class: cls },
    h("thead", null, h("tr", null, heads.map((key) => h("th", { scope: "col" }, t(key))))),
    h(
      "tbody",
      null,
      rows.map(([head, ...cells]) =>
        h("tr", null, h("th", { scope: "row" }, head), cells.map((cell) => h("td", null, cell)))),
    ),
  );
}
