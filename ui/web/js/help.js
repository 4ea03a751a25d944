// The help: how both games are played, the keys, and in short why nobody can cheat. The rules
// themselves stand in helphazari.js and helpazi.js; this is the panel around them.

import { app, open } from "./app.js";
import { h } from "./dom.js";
import { azi } from "./helpazi.js";
import { hazari } from "./helphazari.js";
import { fairPlay, keys } from "./helpmore.js";
import { t } from "./i18n.js";
import { optionTitle, optionValue } from "./lobbyparts.js";

const TABS = { hazari, azi, keys, fair: fairPlay };

/** The panel. It opens at the game of the table; `args.tab` asks for another part. */
export function help(args = {}) {
  const names = Object.keys(TABS);
  const shown = names.find((name) => name === args.tab) ?? ownGame() ?? "hazari";
  return h(
    "div",
    { class: "help" },
    h(
      "div",
      { class: "help-tabs", role: "tablist", "aria-label": t("help.tabs"), onkeydown: walk },
      names.map((name) => tab(name, name === shown)),
    ),
    h(
      "div",
      {
        key: shown, class: "help-page", role: "tabpanel", id: "help-page", tabindex: "0",
        "aria-labelledby": `help-tab-${shown}`,
      },
      page(shown),
    ),
  );
}

function ownGame() {
  const game = app.state.table?.game ?? app.state.lobby?.game;
  return game in TABS ? game : undefined;
}

function tab(name, chosen) {
  return h(
    "button",
    {
      key: name, id: `help-tab-${name}`, role: "tab", "aria-selected": String(chosen),
      "data-do": `help-${name}`,
      "aria-controls": "help-page", tabindex: chosen ? "0" : "-1", onclick: () => choose(name),
    },
    t(`help.tab.${name}`),
  );
}

function choose(name) {
  open("help", { tab: name });
}

/** Arrow keys walk along the tabs, in the direction of writing. */
function walk(event) {
  const names = Object.keys(TABS);
  const now = names.findIndex((name) => event.target.id === `help-tab-${name}`);
  const onwards = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  if (now < 0 || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  const next = names[(now + (event.key === onwards ? 1 : names.length - 1)) % names.length];
  choose(next);
  document.getElementById(`help-tab-${next}`)?.focus();
}

function page(name) {
  const sections = TABS[name](options(name));
  return [
    h("h3", { class: "help-title" }, t(`help.title.${name}`)),
    name in RULED ? h("p", null, t("help.words")) : null,
    name in RULED && !place(name) ? h("p", null, t("help.usual")) : null,
    name in RULED ? contents(name, sections) : null,
    sections.map(([id, ...content]) => section(name, id, content)),
    name in RULED ? tableOptions(name) : null,
  ];
}

const RULED = { hazari, azi };

function contents(name, sections) {
  return h(
    "nav",
    { class: "help-contents", "aria-label": t("help.contents") },
    sections.map(([id]) =>
      h("button", { key: id, onclick: () => go(`help-${name}-${id}`) }, t(`help.${name}.${id}.title`)),
    ),
  );
}

function go(id) {
  const heading = document.getElementById(id);
  heading?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

function section(name, id, content) {
  const heading = `help-${name}-${id}`;
  return h(
    "section",
    { key: id, "aria-labelledby": heading },
    h("h4", { id: heading, tabindex: "-1" }, t(`help.${name}.${id}.title`)),
    content,
  );
}

/** The options by name: those of the table where one sits, else the usual ones. */
function options(game) {
  const usual = Object.fromEntries(known(game).map((one) => [one.name, one.default]));
  return { ...usual, ...place(game)?.options };
}

function known(game) {
  return app.state.games?.find((one) => one.name === game)?.options ?? [];
}

/** Where this game is played or waited for, or undefined. */
function place(game) {
  return [app.state.table, app.state.lobby].find((one) => one?.game === game);
}

/** What this table has agreed, beside what is usual. */
function tableOptions(game) {
  const agreed = place(game)?.options;
  if (!agreed) return null;
  const head = ["help.options.name", "help.options.here", "help.options.usual"];
  return h(
    "section",
    { "aria-labelledby": "help-options" },
    h("h4", { id: "help-options" }, t("help.options.title")),
    h("p", null, t("help.options.about")),
    h(
      "table",
      { class: "help-options" },
      h("thead", null, h("tr", null, head.map((key) => h("th", { scope: "col" }, t(key))))),
      h("tbody", null, known(game).map((one) => optionRow(game, one, agreed[one.name] ?? one.default))),
    ),
  );
}

function optionRow(game, { name, default: usual }, here) {
  return h(
    "tr",
    { key: name, class: here === usual ? null : "other" },
    h("th", { scope: "row" }, optionTitle(game, name)),
    h("td", null, optionValue(game, name, here)),
    h("td", null, optionValue(game, name, usual)),
  );
}
