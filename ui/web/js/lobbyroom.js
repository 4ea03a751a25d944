// The room of a table that waits: who is there, who is ready, what will be played, how others come in.

import { act, app } from "./app.js";
import { bdi, h } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { gameTitle, optionList, ways } from "./lobbyparts.js";
import { listed } from "./names.js";

/** The table at which this player waits. */
export function room() {
  const { lobby } = app.state;
  const own = lobby.players.find((one) => one.own);
  return [
    h(
      "div",
      { class: "self", key: "top" },
      h("h1", { tabindex: "-1" }, bdi(lobby.table)),
      h("p", { class: "as" }, gameTitle(lobby.game)),
    ),
    h(
      "div",
      { class: "lobby-grid", key: "room" },
      h(
        "section",
        { class: "box", key: "players", "aria-labelledby": "h-players" },
        h("h2", { id: "h-players" }, t("room.players")),
        h(
          "ol",
          { class: "players" },
          Array.from({ length: lobby.seats }, (_, i) => seat(lobby, i)),
        ),
        h("p", { class: "next-step", role: "status" }, nextStep(lobby, own)),
        h(
          "div",
          { class: "row" },
          h(
            "button",
            {
              key: "ready",
              class: own?.ready ? "" : "primary",
              "data-do": "ready",
              "aria-pressed": String(Boolean(own?.ready)),
              onclick: () => act("ready", { ready: !own?.ready }),
            },
            own?.ready ? icon("check") : null,
            t(own?.ready ? "room.ready.not" : "room.ready"),
          ),
          h(
            "button",
            { key: "leave", "data-do": "leave", onclick: () => act("leave") },
            t(lobby.opener ? "room.close" : "room.leave"),
          ),
        ),
      ),
      h(
        "div",
        { class: "beside", key: "beside" },
        h(
          "section",
          { class: "box", key: "ways", "aria-labelledby": "h-ways" },
          h("h2", { id: "h-ways" }, t("room.invite")),
          h("p", { class: "soft" }, t(lobby.invite ? "room.invite.only" : "room.invite.help")),
          ways(lobby.invite),
        ),
        h(
          "section",
          { class: "box", key: "rules", "aria-labelledby": "h-rules" },
          h("h2", { id: "h-rules" }, t("room.options")),
          optionList(lobby.game, lobby.options),
        ),
      ),
    ),
  ];
}

function seat(lobby, i) {
  const one = lobby.players[i];
  if (!one) {
    return h(
      "li",
      { key: `free-${i}`, class: "free-seat" },
      h("span", { class: "free" }, t("room.free")),
      h("button", { key: "bot", "data-do": "bot", onclick: () => act("bot") }, icon("bot"), t("room.bot")),
    );
  }
  const removable = lobby.opener && !one.own;
  return h(
    "li",
    { key: one.key, "data-player": one.short, class: removable ? "removable" : "" },
    icon(one.bot ? "bot" : "person"), // who sits where is settled when all have signed
    h("span", { class: "name" }, bdi(one.name)),
    one.own ? h("span", { class: "chip" }, t("you")) : null,
    one.bot ? h("span", { class: "chip" }, botWords(lobby, one)) : null,
    h(
      "span",
      { class: `state${one.ready ? " ready" : ""}` },
      one.ready ? icon("check") : null,
      t(one.ready ? "room.is.ready" : "room.is.not"),
    ),
    removable
      ? h(
          "button",
          {
            class: "close",
            "data-do": "remove",
            "aria-label": t("room.remove", { name: one.name }),
            title: t("room.remove", { name: one.name }),
            onclick: () => act("remove", { key: one.key }),
          },
          icon("close"),
        )
      : null,
    stranger(one) ? h("p", { class: "warn" }, t("room.newkey", { name: one.name })) : null,
  );
}

/** Whether somebody else had this name before. */
function stranger(one) {
  return (app.state.log ?? []).some((line) => line.kind === "new_key" && line.short === one.short);
}

/** Whose bot it is, as it says: anybody can name this player, and only `mine` is proved. */
function botWords(lobby, one) {
  if (one.mine) return t("room.bot.own");
  if (one.bot === app.state.me.short) return t("room.bot.claims");
  const owner = lobby.players.find((other) => other.short === one.bot);
  return owner ? t("room.bot.of", { name: owner.name }) : t("player.bot");
}

/** What happens next, in words. */
function nextStep(lobby, own) {
  const free = lobby.seats - lobby.players.length;
  if (free && app.ui.botsFor === lobby.table && lobby.opener) return t("room.starting");
  if (free) return [t("room.waits", { n: free }), " ", t(own?.ready ? "room.then" : "room.then.ready")];
  if (!own?.ready) return t("room.you");
  const others = lobby.players.filter((one) => !one.ready);
  return others.length
    ? t("room.others", { names: listed(others.map((one) => one.name)), n: others.length })
    : t("room.begins");
}
