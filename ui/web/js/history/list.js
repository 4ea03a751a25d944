// The tables of the past, and one of them with its hands.

import { h, bdi } from "../dom.js";
import { number, t } from "../i18n.js";
import { icon, mark } from "../icons.js";
import { gameTitle } from "../lobbyparts.js";
import { day, seatNames, upper } from "../names.js";
import { recordTools, working } from "./tools.js";

/** All tables, the newest first; `pick(row)` opens one. */
export function list(rows, results, pick) {
  if (!rows) return h("p", { class: "quiet", role: "status" }, t("past.loading"));
  if (!rows.length) return h("p", null, t("past.none"));
  return h(
    "ol",
    { class: "past-list" },
    rows.map((row) =>
      h(
        "li",
        { key: row.table },
        h(
          "button",
          { "data-do": "past", onclick: () => pick(row) },
          h("span", { class: "past-name" }, bdi(row.name), " ", h("small", null, gameTitle(row.game))),
          h("span", { class: "past-result" }, ended(row, row.result ?? results[row.table])),
          h("span", { class: "past-people" }, row.players.map((one, seat) =>
            h("span", { key: seat, class: "who" }, mark(seat), seat === row.seat ? t("player.you") : bdi(one.name)))),
          h("time", null, day(row.opened)),
        ),
      ),
    ),
  );
}

/** How a table ended, in one sentence. */
export function ended(row, result) {
  if (row.playing) return t("past.playing");
  if (!result) return t(row.finished ? "past.over" : "past.open");
  if (result.stopped) return t("past.stopped");
  if (typeof result.winner === "number") {
    return result.winner === row.seat ? t("past.won.mine") : t("past.won", { name: row.players[result.winner].name });
  }
  return result.shared?.length ? upper(t("past.shared", { names: seatNames(row, result.shared) })) : t("past.nobody");
}

/** One table: what became of it, its record, its hands. */
export function onePast(row, reading, result, { back, play, again }) {
  return h(
    "div",
    { class: "past-one", key: `past-${row.table}` },
    h("p", null, h("button", { class: "go-back", "data-do": "back", onclick: back }, t("past.back"))),
    h("h3", null, bdi(row.name), " ", h("small", null, gameTitle(row.game))),
    h("p", { class: "big" }, ended(row, result)),
    h("p", { class: "quiet" }, day(row.opened), " · ", h("span", { dir: "ltr", lang: "en" }, row.code.join(" "))),
    row.origin
      ? h("p", { class: "quiet" }, t("past.origin", { code: row.origin.code.join(" "), n: row.origin.hand }))
      : null,
    recordTools(row.table, row.name),
    h("h3", null, t("past.hands")),
    hands(row, reading, play, again),
  );
}

function hands(row, reading, play, again) {
  if (!reading || reading.state === "running") return h("div", { role: "status" }, working({ steps: reading?.steps ?? 0 }));
  if (reading.state === "failed") {
    return [h("p", null, t("record.failed")), h("button", { onclick: again }, t("past.again"))];
  }
  const played = dealt(reading);
  if (!played.length) return h("p", null, t("past.nohands"));
  const seats = row.players.map((_, seat) => seat);
  return [
    h("p", { class: "quiet", key: "totals" }, t("past.totals")),
    sheet(row, played, seats, play),
    row.playing ? h("button", { key: "newer", "data-do": "newer", onclick: again }, t("past.newer")) : null,
  ];
}

function sheet(row, played, seats, play) {
  return h(
    "div",
    { class: "past-scroll", key: "hands", tabindex: "0", role: "group", "aria-label": t("past.hands") },
    h(
      "table",
      { class: "past-hands" },
      h("thead", null, h("tr", null,
        h("th", { scope: "col" }, t("past.hand")),
        seats.map((seat) => h("th", { key: seat, scope: "col" }, h("span", { class: "who" }, mark(seat), seat === row.seat ? t("player.you") : bdi(row.players[seat].name)))))),
      h("tbody", null, played.map((hand) => {
        const values = valuesOf(hand.standing);
        return h("tr", { key: hand.hand },
          h("th", { scope: "row" }, h("button", { "data-do": "replay", onclick: () => play(hand.hand) },
            icon("eye"), t("past.hand.n", { n: hand.hand }))),
          seats.map((seat) => h("td", { key: seat }, values?.[seat] === undefined ? "" : number(values[seat]))));
      })),
    ),
  );
}

/** The hands that were dealt: between two hands a table may stop. */
export function dealt(reading) {
  return reading.hands.filter((hand) => hand.over || hand.seats.length);
}

/** What each seat has after a hand: points or chips, whatever the game counts. */
function valuesOf(standing) {
  return standing.map(([, value]) => value).find((value) => Array.isArray(value) && value.length > 1);
}
