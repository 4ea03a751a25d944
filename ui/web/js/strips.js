// Words across the whole width: a lost connection, the code of a table that has just begun.

import { app, open } from "./app.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { wish } from "./menu.js";

/** The strips to be shown now. */
export function strips() {
  const sitting = seated() ? wish() : "in";
  const words = sitting === "leave" ? t("menu.going") : t("menu.sitting.out");
  return [
    app.linked
      ? null
      : h("div", { class: "strip cut", key: "cut", role: "alert" }, h("p", null, t("page.cut"))),
    // One after the other: on a phone every line counts.
    tableCode() ??
      (sitting === "in" ? null : h("div", { class: "strip", key: "sitting" }, h("p", null, words))),
  ];
}

function seated() {
  return playing() && app.state.table.seat !== null;
}

function playing() {
  const { table } = app.state;
  return table && !(table.ended || table.stopped || table.left);
}

/** The four words, until somebody has read them or the second hand begins. */
function tableCode() {
  const { table, me } = app.state;
  if (!seated() || !table.code?.length || table.hand > 1 || app.ui.codeSeen === table.id) return null;
  // Bots of this computer sit on it: nobody could be in between.
  if (table.players.every((one) => one.own || one.bot === me.short)) return null;
  const seen = () => {
    app.ui.codeSeen = table.id;
    app.redraw();
  };
  return h(
    "div",
    { class: "strip ask", key: "code" },
    h("p", null, h("span", null, t("code.read")), " ", codeWords(table.code)),
    h("button", { "data-do": "code-yes", onclick: seen }, t("yes")),
    h("button", { "data-do": "code-no", onclick: () => open("code") }, t("no")),
  );
}

/** The table code; its words are English everywhere, so that all can compare them. */
export function codeWords(code) {
  return h("strong", { class: "code", lang: "en", dir: "ltr" }, code.join(" "));
}

/** The dialog for whom the words differ. */
export function codeDialog() {
  return [
    h("p", null, codeWords(app.state.table?.code ?? [])),
    h("p", null, t("code.why")),
    h("p", null, t("code.differ")),
    h(
      "div",
      { class: "row" },
      h("button", { "data-do": "sit-leave", onclick: () => open("leaving") }, t("menu.leave")),
    ),
  ];
}
