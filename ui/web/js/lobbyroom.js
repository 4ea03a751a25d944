// The room of a table that waits: who is there, who is ready, what will be played, how others come in.

import { beginning, freeSeat, scoreChip } from "./again.js";
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
        lobby.origin ? beginning(lobby.origin) : null,
        h("ol", { class: "players" }, lobby.origin ? seatsAgain(lobby) : seats(lobby)),
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

function seats(lobby) {
  return Array.from({ length: lobby.seats }, (_, i) =>
    lobby.players[i] ? seated(lobby, lobby.players[i]) : free(`free-${i}`, t("room.free"), true),
  );
}

/** The seats of a table that goes on: those of the table before, with what each begins with. */
function seatsAgain(lobby) {
  const { origin, players } = lobby;
  const placed = new Set(origin.seats.map((one) => one.player));
  return [
    ...origin.seats.map((one, i) =>
      one.player === null
        ? free(`free-${i}`, freeSeat(origin, i), one.free, scoreChip(origin, i))
        : seated(lobby, players[one.player], scoreChip(origin, i)),
    ),
    // Which seat is theirs is settled when all are there.
    ...players.filter((_, i) => !placed.has(i)).map((one) => seated(lobby, one)),
  ];
}

function free(key, words, open, score = null) {
  return h(
    "li",
    { key, class: "free-seat" },
    h("span", { class: "free" }, words),
    score,
    open
      ? h("button", { key: "bot", "data-do": "bot", onclick: () => act("bot") }, icon("bot"), t("room.bot"))
      : null,
  );
}

function seated(lobby, one, score = null) {
  const removable = lobby.opener && !one.own;
  return h(
    "li",
    { key: one.key, "data-player": one.short, class: removable ? "removable" : "" },
    icon(one.bot ? "bot" : "person"), // who sits where is settled when all have signed
    h("span", { class: "name" }, bdi(one.name)),
    score,
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
  const owner = lobby.players.find((other) => other.short === one.bot && other.key !== one.key);
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
