// The menu of a table: everything that has no room in the bar, sitting out and leaving.

import { act, app, open } from "./app.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { listed } from "./names.js";

const PARTS = ["log", "history", "help", "settings"];

/** Whether this player goes on ("in"), sits out ("out") or leaves ("leave") from the next hand on. */
export function wish() {
  const { table } = app.state;
  if (table.sit) return table.sit;
  return table.players[table.seat]?.link === "out" ? "out" : "in";
}

/** What can be opened from here, and what can be done about the own seat. */
export function menu() {
  const { table } = app.state;
  return h(
    "div",
    { class: "menu-list" },
    PARTS.map((name) =>
      h("button", { key: name, "data-do": name, onclick: () => open(name) }, icon(name), t(`bar.${name}`)),
    ),
    table ? seatChoices(table) : null,
    spectators(),
  );
}

/** Who looks on: nobody does so unseen. */
function spectators() {
  const names = (app.state.spectators ?? []).map((one) => one.name);
  if (!names.length || !app.state.table) return null;
  return h(
    "p",
    { class: "soft", key: "spectators" },
    t("menu.spectators", { names: listed(names), n: names.length }),
  );
}

function seatChoices(table) {
  if (table.ended || table.stopped || table.left) {
    return choice("lobby", "left", t("end.lobby"), "", () => go("lobby"));
  }
  if (table.seat === null || table.seat === undefined) {
    return choice("unwatch", "left", t("menu.unwatch"), "", () => go("lobby"));
  }
  const chosen = wish();
  return [
    chosen === "in"
      ? choice("sit-out", "clock", t("menu.out"), t("menu.out.help"), () => sit("out"))
      : choice("sit-in", "check", t("menu.in"), t(`menu.in.help.${chosen}`), () => sit("in")),
    chosen === "leave"
      ? null
      : choice("sit-leave", "left", t("menu.leave"), t("menu.leave.help"), () => open("leaving")),
  ];
}

function choice(name, sign, text, help, onclick) {
  return h(
    "button",
    { key: name, "data-do": name, onclick },
    icon(sign),
    h("span", null, text, help ? h("small", null, help) : null),
  );
}

async function go(what) {
  open(null);
  await act(what);
}

async function sit(choice) {
  open(null);
  await act("sit", { choice });
}

/** Asks once more before the seat is given up. */
export function leaving() {
  return [
    h("p", null, t("leaving.text")),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { key: "yes", class: "primary", "data-do": "leave-yes", onclick: () => sit("leave") },
        t("leaving.yes"),
      ),
      h("button", { key: "no", "data-do": "leave-no", onclick: () => open(null) }, t("leaving.no")),
    ),
  ];
}
