// The menu of a table: everything that has no room in the bar, sitting out and leaving.

import { act, app, open, player } from "./app.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { gameOf, gameTitle } from "./lobbyparts.js";
import { listed } from "./names.js";

const PARTS = ["log", "history", "help", "settings"];

/** Whether this player goes on ("in"), sits out ("out") or leaves ("leave") from the next hand on. */
export function wish() {
  const { table } = app.state;
  if (table.sit) return table.sit;
  return table.players[table.seat]?.link === "out" ? "out" : "in";
}

/** How many others can play the next hand, as far as that can be known. */
function others() {
  const { table, view } = app.state;
  const least = Math.max(1, table.options.ante ?? 0);
  return table.players.filter(
    (_, seat) =>
      seat !== table.seat &&
      !["out", "left", "away"].includes(player(seat).link) &&
      !(view?.stacks?.[seat] < least && !view.contributions?.[seat]),
  ).length;
}

/** What happens without this player: `on` (the others play), `over` (the match ends, and somebody
 *  wins) or `stop` (this game needs every seat). */
function without() {
  const { table } = app.state;
  const few = Math.min(...(gameOf(table.game)?.seats ?? [2]));
  if (few >= table.players.length && few > 2) return "stop";
  return others() < few ? "over" : "on";
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
  const then = without();
  return [
    chosen === "in"
      ? then === "stop" // nobody can be spared
        ? null
        : choice("sit-out", "clock", t("menu.out"), t(then === "on" ? "menu.out.help" : "menu.out.over"), () =>
            then === "on" ? sit("out") : open("sitting"),
          )
      : choice("sit-in", "check", t("menu.in"), t(`menu.in.help.${chosen}`), () => sit("in")),
    chosen === "leave"
      ? leaves() === "now"
        ? null
        : choice("sit-leave", "left", t("leaving.yes.once"), t("menu.leave.help.once"), () => open("leaving"))
      : choice("sit-leave", "left", t("menu.leave"), t(`menu.leave.help.${leaves()}`), () => open("leaving")),
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

/** When a seat that is given up now is free: at once between two hands, else after the one in play;
 *  `next` if this player has gone on already, so that the next one is played in any case. */
export function leaves() {
  const { paused, view, table } = app.state;
  if (paused || table.going) return "now";
  return view && !(view.phase === "over" || view.ended) ? "hand" : "next";
}

/** Asks once more before sitting out ends the match. */
export function sitting() {
  return [
    h("p", null, t("sitting.text")),
    h("p", null, t("sitting.over")),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { key: "yes", class: "primary", "data-do": "out-yes", onclick: () => sit("out") },
        t("sitting.yes"),
      ),
      h("button", { key: "no", "data-do": "out-no", onclick: () => open(null) }, t("sitting.no")),
    ),
  ];
}

/** Asks once more before the seat is given up. */
export function leaving() {
  const { table } = app.state;
  const then = without();
  return [
    h("p", null, t(`leaving.text.${leaves()}`)),
    then === "on"
      ? null
      : h("p", null, then === "over"
        ? t("sitting.over")
        : t("leaving.stop", { game: gameTitle(table.game), n: table.players.length })),
    leaves() === "now" ? null : h("p", null, t("leaving.once")),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { key: "yes", class: "primary", "data-do": "leave-yes", onclick: () => sit("leave") },
        t(`leaving.yes.${leaves()}`),
      ),
      leaves() === "now"
        ? null
        : h(
            "button",
            { key: "once", "data-do": "leave-once", onclick: () => go("depart") },
            t("leaving.yes.once"),
          ),
      h("button", { key: "no", "data-do": "leave-no", onclick: () => open(null) }, t("leaving.no")),
    ),
  ];
}
