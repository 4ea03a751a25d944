// Words across the whole width: a lost connection, the code of a table that has just begun.

import { goOnButton } from "./again.js";
import { act, app, open } from "./app.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { leaves, wish } from "./menu.js";
import { awayStrip, missedStrip } from "./silent.js";
import { leftIt, stopText, verdict } from "./table.js";

/** The strips to be shown now. */
export function strips() {
  const sitting = seated() ? wish() : "in";
  return [
    app.linked
      ? null
      : h("div", { class: "strip cut", key: "cut", role: "alert" }, h("p", null, t("page.cut"))),
    // One after the other: on a phone every line counts.
    gone() ??
      (seated() ? missedStrip() ?? awayStrip() : null) ??
      tableCode() ??
      (sitting === "in" ? null : h("div", { class: "strip", key: "sitting" }, h("p", null, sittingText(sitting)))),
  ];
}

/** That this table is done with, while the table itself still shows how the last hand was played. */
function gone() {
  const { table } = app.state;
  if (!table || table.ended || !(table.stopped || table.left) || app.ui.told) return null;
  return h(
    "div",
    { class: "strip ask gone", key: "gone", role: "status" },
    h(
      "p",
      null,
      h("strong", null, verdict(table)),
      table.stopped && !leftIt(table) ? [" ", h("span", { class: "why" }, stopText(table.stopped))] : null,
    ),
    goOnButton(),
    h("button", { "data-do": "lobby", onclick: () => act("lobby") }, t("end.lobby")),
  );
}

function sittingText(sitting) {
  if (sitting === "leave") return t(`menu.going.${leaves()}`);
  return t(outNow() ? "menu.is.out" : "menu.sitting.out");
}

/** Whether the hand in play goes without this player already. */
function outNow() {
  const { table, view } = app.state;
  return table.players[table.seat]?.link === "out" && !(view?.seats ?? []).includes(table.seat);
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
  const { table } = app.state;
  if (!seated() || !table.code?.length || table.hand > table.first || app.ui.codeSeen === table.id) return null;
  // Bots that were started here sit on this computer: nobody could be in between.
  if (table.players.every((one) => one.own || one.mine)) return null;
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
