// Before the game: which tables there are, sitting down at one by a click, an address or a code.

import { stoppedBefore } from "./again.js";
import { act, app, reason } from "./app.js";
import { bdi, h } from "./dom.js";
import { first, t } from "./i18n.js";
import { icon } from "./icons.js";
import { openTable, withBots } from "./lobbyopen.js";
import { changedOptions, gameTitle, self, ways } from "./lobbyparts.js";
import { room } from "./lobbyroom.js";
import { listed } from "./names.js";
import { secondsTo } from "./waiting.js";

const PATIENCE = 5000; // milliseconds without anybody until help is offered

/** The lobby, or the table at which this player waits. */
export function lobby() {
  if (app.state.lobby) {
    app.ui.joining = null;
    return room();
  }
  if (!app.ui.starting) app.ui.botsFor = null; // the next table is another one
  if (app.state.resuming) return goingBack();
  return [
    h("div", { class: "self", key: "self" }, h("h1", { tabindex: "-1" }, t("lobby.title")), self()),
    h(
      "div",
      { class: "lobby-grid", key: "grid" },
      sought(),
      stoppedBefore(),
      h("section", { class: "box", key: "tables", "aria-labelledby": "h-tables" }, found()),
      h("section", { class: "box", key: "join", "aria-labelledby": "h-join" }, join()),
      h("div", { class: "beside", key: "beside" }, withBots(), openTable()),
      lonely()
        ? h(
            "section",
            { class: "box", key: "checks", id: "checks", "aria-labelledby": "h-checks" },
            checklist(),
          )
        : null,
    ),
  ];
}

/** While the own program finds its way back to a table that was left: nothing else can be done. */
function goingBack() {
  const { table } = app.state.resuming;
  return h(
    "section",
    { class: "box going-back", key: "back", role: "status" },
    h("h1", { tabindex: "-1" }, table ? t("lobby.back", { table }) : t("lobby.back.table")),
    h("p", null, t("lobby.back.help")),
    h("progress", { "aria-label": t("lobby.back.table") }),
  );
}

/** A table that was signed before the own program was started is looked for; all else may be done. */
function sought() {
  const { looking } = app.state;
  const seconds = looking ? secondsTo(looking.until) : 0;
  if (!seconds) return null;
  const { table, names } = looking;
  return h(
    "section",
    { class: "box", key: "sought", role: "status" },
    h("p", null, t("lobby.sought", { table })),
    h("p", { "aria-live": "off" }, t("lobby.sought.for", { names: listed(names), seconds })),
  );
}

function lonely() {
  const { network } = app.state;
  if (network.tables.length || network.peers.length) return false;
  return !network.discovery || Date.now() - network.since > PATIENCE;
}

/** What tells tables apart: anybody can give one the name of another. */
const rowKey = (one) => `${one.key}/${one.table}`;

function found() {
  const { network } = app.state;
  const { tables } = network;
  return [
    h("h2", { id: "h-tables" }, t("lobby.tables")),
    tables.length
      ? h("ul", { class: "tables" }, tables.map(tableRow))
      : h("p", { class: network.discovery ? "looking" : "" }, nobody()),
    network.discovery ? null : h("p", { class: "soft" }, whyOff(network.reason)),
    lonely() ? h("p", null, h("a", { href: "#checks" }, t("lobby.checks.link"))) : null,
  ];
}

function whyOff(reason) {
  return reason ? t("lobby.off", { reason }) : t("lobby.off.chosen");
}

function nobody() {
  const { network } = app.state;
  if (network.peers.length) {
    return t("lobby.others", {
      n: network.peers.length,
      names: listed(network.peers.map((one) => one.name)),
    });
  }
  return t(network.discovery ? "lobby.looking" : "lobby.none");
}

function tableRow(one) {
  const changed = changedOptions(one.game, one.options);
  const full = one.taken >= one.seats;
  return h(
    "li",
    { key: rowKey(one), "data-table": one.table },
    h(
      "div",
      { class: "about" },
      h("p", { class: "name" }, bdi(one.table)),
      h(
        "p",
        null,
        gameTitle(one.game),
        " · ",
        pips(one),
        " ",
        t("lobby.seats", { taken: one.taken, seats: one.seats }),
      ),
      changed ? h("p", { class: "soft" }, changed) : null,
      h(
        "p",
        { class: "soft" },
        one.opener ? [t("lobby.opener", { name: one.opener }), " "] : null,
        t(`how.${one.how}`),
        one.known ? [" ", h("span", { class: "chip known" }, t("lobby.known"))] : null,
        one.goes_on ? [" ", h("span", { class: "chip" }, t("lobby.goes_on"))] : null,
        one.short && twin(one) ? [" ", h("code", { dir: "ltr" }, one.short)] : null,
      ),
    ),
    full
      ? h(
          "button",
          { "data-do": "watch", disabled: Boolean(app.ui.joining), onclick: () => goTo("watch", one) },
          icon("eye"),
          t(app.ui.joining === rowKey(one) ? "lobby.joining" : "lobby.watch"),
        )
      : h(
          "button",
          {
            class: "primary",
            "data-do": "sit",
            disabled: Boolean(app.ui.joining),
            "aria-label": t("lobby.sit.at", { table: one.table }),
            onclick: () => goTo("join", one),
          },
          t(app.ui.joining === rowKey(one) ? "lobby.joining" : "lobby.sit"),
        ),
  );
}

/** Whether somebody else has opened a table of this name: the short form tells them apart. */
function twin({ table, key }) {
  return app.state.network.tables.some((other) => other.table === table && other.key !== key);
}

function pips({ taken, seats }) {
  const signs = Array.from({ length: seats }, (_, i) => h("i", { class: i < taken ? "on" : "" }));
  return h("span", { class: "pips", "aria-hidden": "true" }, signs);
}

async function goTo(what, one) {
  const { table, key } = one;
  app.ui.joining = rowKey(one);
  app.ui.asked = { table, key };
  app.redraw();
  await act(what, { table, key });
  app.ui.joining = null;
  app.redraw();
}

// By address or by code.

function join() {
  const { typed = "", error = "", busy = false } = app.ui.join ?? {};
  return [
    h("h2", { id: "h-join" }, t("join.title")),
    h(
      "form",
      { class: "inline-form", onsubmit: joinTyped, novalidate: true },
      h(
        "label",
        { class: "field" },
        h("span", { class: "unseen" }, t("join.label")),
        h("input", {
          key: "typed",
          "data-do": "typed",
          value: typed,
          dir: "ltr",
          autocomplete: "off",
          spellcheck: "false",
          autocapitalize: "characters",
          maxlength: 120,
          placeholder: "192.168.1.20:7421",
          "aria-invalid": error ? "true" : null,
          "aria-describedby": error ? "join-error" : null,
          oninput: (event) => {
            app.ui.join = { typed: event.target.value };
            if (error) app.redraw();
          },
        }),
      ),
      h("button", { "data-do": "join", disabled: busy }, t(busy ? "lobby.joining" : "join.go")),
    ),
    error ? h("p", { class: "bad", id: "join-error", role: "alert" }, error) : null,
  ];
}

async function joinTyped(event) {
  event.preventDefault();
  const typed = (app.ui.join?.typed ?? "").trim();
  const show = (more) => {
    app.ui.join = { typed, ...more };
    app.redraw();
  };
  if (!typed) return show({ error: t("join.empty") });
  if (/^[\d.]+$/.test(typed)) return show({ error: t("join.port") });
  show({ busy: true });
  app.ui.asked = { typed };
  try {
    await app.send("join", { typed });
    show({});
  } catch (refused) {
    show({ error: reason(refused) });
  }
}

// When nobody is there.

function checklist() {
  const { network } = app.state;
  const item = (name) => h("li", { key: name }, t(`checks.${name}`));
  return [
    h("h2", { id: "h-checks" }, t("checks.title")),
    h("ul", { class: "checks" }, ["started", "wifi", "guest", "firewall", "vpn"].map(item)),
    h("p", null, t(network.discovery ? "checks.tell" : "checks.tell.off")),
    ways(),
    h("p", { class: "soft" }, first(["checks.meanwhile"], {}, "")),
  ];
}
