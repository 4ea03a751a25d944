// The frame of every table: seats around it, the middle, the own hand, one line that says whose turn
// it is, the buttons. Games fill it in.

import { goingOn } from "./again.js";
import { act, app, nameOf, player } from "./app.js";
import { dealing } from "./dealing.js";
import { bdi, h } from "./dom.js";
import { first, t } from "./i18n.js";
import { icon, mark } from "./icons.js";
import { listed, upper } from "./names.js";
import { few, secondsOf } from "./silent.js";
import { mostText, waitingText } from "./waiting.js";

export { waitingText } from "./waiting.js";

/** The seats of a table from the own one on in the order in which they sit around it: index 0 is at
 *  the bottom. Clockwise as seen from above; in a game played counter-clockwise the turn passes the
 *  other way round. */
export function around() {
  const { players, seat } = app.state.table;
  const from = seat ?? 0;
  return players.map((_, i) => (from + i) % players.length);
}

/** A table. `plate(seat)`: what stands with a seat's name (vnodes): points, cards; `middle`, `hand`,
 *  `actions`: vnodes; `status`: one sentence (or vnodes) in place of who is waited for; `turn`: the
 *  seats whose turn it is; `title`: what stands in the bar beside the table's name; `over`: vnodes
 *  above all; `direction`: "ccw" where the turn passes counter-clockwise; `label`: of the table for
 *  those who listen; `front(seat)`: what lies on the table before a seat (vnodes). */
export function frame(parts) {
  const { plate, middle, hand, status, actions, turn = [], over = null, label = "", front } = parts;
  const { direction = "cw", title = null } = parts;
  app.ui.title = title;
  const seats = around();
  const shuffling = dealing();
  const { table, view } = app.state;
  // In a hand that was left, or was never finished, it is nobody's turn any more.
  const done = table.left || table.stopped || table.ended;
  const cut = Boolean(done && view && view.phase !== "over" && !view.ended);
  const turns = shuffling || cut ? [] : turn;
  const mine = turns.includes(table.seat);
  const waits = waitingText(Boolean(shuffling));
  // A table that says in its own words who is waited for leaves the clock to this line.
  const most = status && ![status].flat().includes(waits) ? mostText() : "";
  return [
    h(
      "section",
      {
        "data-direction": direction,
        class: `felt seats-${seats.length}${shuffling ? " shuffling" : ""}`,
        key: "felt",
        "aria-label": label || t("table.felt"),
      },
      seats.map((seat, i) =>
        seatPlate(seat, i, seats.length, turns.includes(seat), shuffling ? null : plate(seat), front?.(seat)),
      ),
      h("div", { class: "middle", key: "middle", "data-place": "middle" }, shuffling ?? middle),
      seats.length > 2 ? wayRound(direction) : null,
    ),
    h(
      "section",
      { class: `mine${mine ? " my-turn" : ""}`, key: "mine", "aria-label": t("table.mine") },
      h(
        "p",
        { class: "status", key: "status" },
        cut ? "" : status || waits,
        most ? [" ", h("span", { class: "most", key: "most" }, most)] : null,
      ),
      h("div", { class: "hand", key: "hand" }, hand),
      h("div", { class: "actions", key: "actions" }, actions),
    ),
    over,
  ];
}

/** The arrow that says which way round the turn passes. */
function wayRound(direction) {
  const words = t(`table.${direction}`);
  return h(
    "span",
    { class: "turns", key: "turns", title: words },
    icon(direction),
    h("span", { class: "words" }, words),
  );
}

/** Where a place of the oval is, in parts of the felt: 0 at the bottom, on clockwise. */
function spot(place, of) {
  const angle = Math.PI / 2 + (2 * Math.PI * place) / of;
  const squash = (x) => Math.sign(x) * Math.abs(x) ** 0.8; // nearer to the corners, where room is
  return { "--x": squash(Math.cos(angle)).toFixed(3), "--y": squash(Math.sin(angle)).toFixed(3) };
}

function seatPlate(seat, place, of, hasTurn, extra, front) {
  const { name, bot, link } = player(seat);
  const own = seat === app.state.table.seat;
  const state = `is-${link ?? "linked"}${own ? " own" : ""}${hasTurn ? " turn" : ""}`;
  return h(
    "div",
    {
      key: `seat-${seat}`,
      class: `seat place-${place} who-${seat} ${state}`,
      vars: spot(place, of),
      "data-place": `seat-${seat}`,
      "data-seat": seat,
      role: "group",
      "aria-label": own ? t("table.seat.own") : t("table.seat", { name }),
    },
    h(
      "div",
      { class: "plate", key: "plate" },
      h(
        "span",
        { class: "who" },
        mark(seat),
        h("span", { class: "name" }, own ? t("you") : bdi(name)),
        bot
          ? h(
              "span",
              { class: "tag bot", title: t("player.bot") },
              icon("bot"),
              h("span", { class: "words" }, t("player.bot")),
            )
          : null,
      ),
      extra ? h("span", { class: "extra" }, extra) : null,
      hasTurn && (own || !["lost", "away", "back"].includes(link))
        ? h("span", { class: "badge go" }, t(own ? "turn.mine" : "turn.theirs"))
        : linkText(seat),
    ),
    front ? h("div", { class: "front", key: "front" }, front) : null,
  );
}

/** What is to be said of a player's connection, or nothing. */
export function linkText(seat) {
  const { link } = player(seat);
  const { seat: own } = app.state.table;
  const seconds = few() ? 0 : secondsOf(seat);
  // Who looks on is linked with one of them, and that is enough.
  if (seat === own || !link || link === "linked" || (own === null && link === "relayed")) return null;
  const words = link === "lost" && seconds ? t("link.lost.for", { seconds }) : t(`link.${link}`);
  const sign = { lost: "lost", relayed: "relayed", left: "left", out: "clock", away: "lost", back: "check" }[link];
  return h(
    "span",
    { class: `badge link ${link}`, title: t(`link.${link}.long`) },
    icon(sign),
    h("span", { class: "words" }, words),
  );
}

/** The button that goes on to the next hand while the result is looked at, or nothing. */
export function nextButton() {
  if (!app.state.paused) return null;
  return h(
    "button",
    { key: "next", class: "primary", "data-do": "next", onclick: () => act("next") },
    t("table.next"),
  );
}

/** How the match ended, with what can be done then; or nothing. */
export function ending() {
  const { table } = app.state;
  if (!table || !(table.ended || table.stopped || table.left)) return null;
  app.ui.told = true;
  const on = goingOn(!leftIt(table));
  return h(
    "div",
    { class: "ending", key: "ending", role: "status" },
    h("h2", null, verdict(table)),
    table.stopped && !table.ended && !leftIt(table) ? h("p", null, stopText(table.stopped)) : null,
    table.ended?.rule === "few" ? h("p", null, t("end.few")) : null,
    on,
    h(
      "div",
      { class: "row" },
      h(
        "button",
        {
          key: "lobby",
          class: on && !leftIt(table) ? "" : "primary",
          "data-do": "lobby",
          onclick: () => act("lobby"),
        },
        t("end.lobby"),
      ),
      h(
        "a",
        {
          key: "save",
          class: "button",
          "data-do": "save",
          href: `/record/${table.id}.facedown`,
          download: "",
        },
        t("record.save"),
      ),
    ),
  );
}

/** How the match ended for this player, in one sentence. */
export function verdict(table) {
  const { winner, shared } = table.ended ?? {};
  if (winner !== null && winner !== undefined) {
    return winner === table.seat ? t("end.mine") : t("end.theirs", { name: nameOf(winner) });
  }
  if (shared?.length) return upper(t("end.shared", { names: listed(shared.map(nameOf)) }));
  if (leftIt(table)) return t("end.left.over");
  if (table.stopped) return t("end.stopped");
  return table.left && !table.ended ? t("end.left") : t("end.nobody");
}

/** Whether the table stopped because this player has left it, and for no other reason. */
export function leftIt({ stopped, seat }) {
  return stopped?.code === "left" && stopped.seats.length === 1 && stopped.seats[0] === seat;
}

/** Why a table had to stop: the page's words where it has them, else the engine's, with names. */
export function stopText({ seats, code, text }) {
  const plain = text.replace(/\bseat ([0-5])\b/g, (whole, seat) =>
    player(+seat).name ? nameOf(+seat) : whole,
  );
  const names = listed(seats.map(nameOf));
  const keys = [`log.stopped.${code}`, `fault.${code}`, `fault.${code.split(".")[0]}`];
  return first(keys, { names, name: names, n: seats.length }, plain);
}
