// The frame of every screen: the bar on top, the side column, what is said across the whole width.

import { app, open } from "./app.js";
import { chat } from "./chat.js";
import { dialog } from "./dialogs.js";
import { bdi, h } from "./dom.js";
import { shield } from "./fair.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { later } from "./later.js";
import { lobby } from "./lobby.js";
import { log } from "./log.js";
import { plain } from "./plain.js";
import { prefer, prefs } from "./prefs.js";
import { strips } from "./strips.js";

const TABLES = {
  hazari: later(() => import("./hazari/table.js").then((found) => found.hazari)),
  azi: later(() => import("./azi/table.js").then((found) => found.azi)),
};

/** The whole page. */
export function page() {
  const { state } = app;
  if (app.ui.stranger) return h("main", { class: "empty" }, h("p", { role: "alert" }, t("page.stranger")));
  if (!state.me) return h("main", { class: "empty" }, h("p", null, t("page.connecting")));
  const game = state.table ? (TABLES[state.table.game] ?? plain) : null;
  TABLES[state.lobby?.game]?.soon?.(); // it is needed next
  app.ui.title = null; // the table says what stands there
  app.ui.told = false; // and whether it tells how it ended
  const inside = game ? game() : lobby();
  return [
    bar(),
    h("div", { class: "strips", key: "strips" }, strips()),
    h(
      "main",
      { key: game ? "table" : "lobby", class: game ? `at-table game-${state.table.game}` : "in-lobby" },
      inside,
    ),
    game && prefs.side ? side() : null,
    dialog(),
    toasts(),
  ];
}

function bar() {
  const { table } = app.state;
  return h(
    "header",
    { class: `bar${table ? " at-game" : ""}`, key: "bar" },
    table
      ? tableName(table)
      : h("p", { class: "brand" }, h("img", { src: "/web/icon.svg", alt: "" }), "Facedown"),
    app.ui.title ? h("span", { class: "title" }, app.ui.title) : null,
    table && table.seat === null ? h("span", { class: "chip watching" }, t("table.watching")) : null,
    h("span", { class: "grow" }),
    table ? shield() : null,
    table || app.state.lobby ? button("chat", unread()) : null,
    table ? button("log", 0, "when-wide") : null,
    button("history", 0, "when-wide"),
    button("help", 0, "when-wide"),
    button("settings", 0, "when-wide"),
    table ? button("menu") : null,
  );
}

function tableName(table) {
  return h(
    "h1",
    { class: "brand", tabindex: "-1" },
    h("span", { class: "name" }, bdi(table.name)),
    table.hand > 0 ? h("span", { class: "hand-no when-wide" }, t("bar.hand", { n: table.hand })) : null,
  );
}

function unread() {
  const muted = new Set(app.state.muted ?? []);
  const lines = app.state.chat ?? [];
  // With a program that was started again the numbers begin anew.
  const seen = app.ui.chatSeen > (lines.at(-1)?.n ?? 0) ? 0 : (app.ui.chatSeen ?? 0);
  return lines.filter((one) => one.n > seen && !one.own && !muted.has(one.short)).length;
}

/** A round button of the bar that opens a dialog, or the side column where there is one. */
function button(name, count = 0, extra = "") {
  const label = count > 0 ? t("bar.chat.new", { n: count }) : t(`bar.${name}`);
  const beside = wide() && app.state.table && ["chat", "log"].includes(name);
  return h(
    "button",
    {
      key: name,
      class: `round go-${name} ${extra}`.trim(),
      "data-do": name,
      "aria-label": label,
      title: label,
      "aria-pressed": beside ? String(prefs.side && app.ui.side === name) : null,
      onclick: () => show(name),
    },
    icon(name),
    count > 0 ? h("span", { class: "count", "aria-hidden": "true" }, String(count)) : null,
  );
}

function wide() {
  return matchMedia("(min-width: 900px)").matches;
}

/** Opens a part of the page by its name: beside the table where there is room, else as a dialog. */
export function show(name) {
  if (!wide() || !app.state.table || !["chat", "log"].includes(name)) return open(name);
  const same = prefs.side && app.ui.side === name;
  app.ui.side = name;
  prefer({ side: !same });
  app.redraw();
  if (!same) write();
}

/** Who opens the chat means to say something: the cursor goes there, and not to the table's keys. */
function write() {
  if (app.ui.side !== "chat" || !matchMedia("(hover: hover)").matches) return;
  setTimeout(() => document.querySelector('.side [data-do="chat-text"]')?.focus(), 0);
}

function side() {
  const which = app.ui.side;
  const tab = (name) =>
    h(
      "button",
      {
        key: name,
        "data-do": `tab-${name}`,
        "aria-pressed": String(which === name),
        onclick: () => {
          app.ui.side = name;
          app.redraw();
          write();
        },
      },
      t(`bar.${name}`),
    );
  return h(
    "aside",
    // The keys of the table are not for who is here.
    { class: "side", key: "side", "aria-label": t(`bar.${which}`), onkeydown: (event) => event.stopPropagation() },
    h(
      "div",
      { class: "tabs" },
      tab("log"),
      tab("chat"),
      h(
        "button",
        { class: "close", "data-do": "side-close", "aria-label": t("close"), onclick: () => show(which) },
        icon("close"),
      ),
    ),
    which === "chat" ? chat() : log(),
  );
}

function toasts() {
  return h(
    "div",
    { class: "toasts", key: "toasts" },
    app.ui.toasts.map(({ id, text }) => h("p", { key: id, class: "toast" }, text)),
  );
}
