// A silent seat: what the others do about it, how long that takes, and who is there to do it.

import { act, app, open, player } from "./app.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { gameTitle } from "./lobbyparts.js";
import { listed, seatName, seatNames } from "./names.js";
import { secondsTo } from "./waiting.js";

const names = (seats) => ({ names: listed(seats.map((seat) => player(seat).name)), n: seats.length });

/** When this seat calls another one gone: milliseconds, 0 if it has; null if people must ask;
 *  undefined if nobody can. */
function callOf(seat) {
  return app.state.waiting?.calls?.find(([one]) => one === seat)?.[1];
}

/** Seconds until this seat calls another one gone; 0: no such time. */
export function secondsOf(seat) {
  const at = callOf(seat);
  return at ? secondsTo(at) : 0;
}

/** The votes about silent seats that are under way, in a sentence each; "" if there are none. */
export function voteText() {
  const { waiting, table } = app.state;
  if (few()) return ""; // it cannot pass now: the wait is explained in place of it
  const others = (seat) => (waiting.voters ?? []).filter((one) => one !== seat).length;
  return (waiting?.votes ?? [])
    .filter(({ seat, needed }) => others(seat) >= needed) // two players never outvote one of them
    .map(({ seat, gone, needed }) =>
      seat === table.seat ? t("silent.vote.mine", { gone, needed }) : t("silent.vote", { name: player(seat).name, gone, needed }))
    .join(" ");
}

/** What comes of the silence of these seats: a vote, and when; or a wait, because too few are there. */
export function silentText(seats) {
  const { waiting } = app.state;
  const who = names(seats);
  const [here, all] = present();
  if (few()) return t("silent.few", { n: here, all });
  if (waiting.kind === "back") return "";
  const calls = seats.map(callOf).filter((at) => at !== undefined);
  if (calls.includes(null)) return t("silent.asked", who);
  if (!calls.length) return t("silent.waits", who);
  const seconds = Math.min(...calls.map((at) => (at ? secondsTo(at) : 0)));
  return seconds ? t("silent.calls", { ...who, seconds }) : t("silent.called", who);
}

/** Whether too few are there for any vote to pass. */
export function few() {
  if (!app.state.waiting) return false;
  const [here, all] = present();
  return all > 0 && here <= all / 2;
}

/** How many of those who have a vote are there, and of how many. */
function present() {
  const { waiting, table } = app.state;
  const voters = waiting.voters ?? [];
  const late = waiting.overdue ? waiting.seats : [];
  const here = voters.filter(
    (seat) => seat === table.seat || (["linked", "relayed", "back"].includes(player(seat).link) && !late.includes(seat)),
  );
  return [here.length, voters.length];
}

/** That this player was declared gone: it follows the game, and is back with the next hand. */
export function awayStrip() {
  const { table } = app.state;
  if (player(table.seat).link !== "away") return null;
  return h("div", { class: "strip", key: "away", role: "status" }, h("p", null, t("silent.mine")));
}

/** The seats that the table waits for as long as people like, because a hand needs them. */
function missed() {
  const { waiting, table } = app.state;
  if (!waiting || table.seat === null || table.ended || table.stopped || table.left) return [];
  const needed = Math.floor((waiting.voters?.length ?? 0) / 2) + 1;
  if ((waiting.voters?.length ?? 0) - 1 < needed) return []; // no vote can end it
  const troubled = (seat) => waiting.kind === "back" || waiting.overdue || player(seat).link === "lost";
  return waiting.seats.filter((seat) => callOf(seat) === null && troubled(seat));
}

/** The wait for such seats, and the way to end it. */
export function missedStrip() {
  const seats = missed();
  if (!seats.length) return null;
  const who = names(seats);
  return h(
    "div",
    { class: "strip ask", key: "missed", role: "status" },
    h("p", null, t("missed.text", { ...who, game: gameTitle(app.state.table.game) })),
    h("button", { "data-do": "miss", onclick: () => open("missed", { seats }) }, t("missed.end", who)),
  );
}

/** Asks once more before this player says that the match may end without somebody. */
export function missedDialog({ seats }) {
  const still = seats.filter((seat) => missed().includes(seat));
  const yes = async () => {
    open(null);
    for (const seat of still) await act("miss", { seat });
  };
  const needed = Math.floor((app.state.waiting?.voters?.length ?? 0) / 2) + 1;
  return [
    h("p", null, t("missed.sure", names(seats))),
    h("p", null, t("missed.vote", { needed })),
    h("p", null, t("missed.then")),
    h(
      "div",
      { class: "row" },
      h("button", { key: "yes", class: "primary", "data-do": "miss-yes", disabled: !still.length, onclick: yes }, t("missed.yes")),
      h("button", { key: "no", "data-do": "miss-no", onclick: () => open(null) }, t("missed.no")),
    ),
  ];
}

/** That more than half declared a seat gone, and what follows for the game: a line of the log. */
export function goneText({ seat, by, of, due, pack }, table) {
  const own = seat === table?.seat;
  const values = { name: seatName(table, seat), by: by.length, of };
  const said = t(own ? "silent.gone.mine" : "silent.gone", values);
  const then = own ? "silent.then.mine" : ((!pack && THEN[table?.game]?.[due]) || "silent.then.away");
  return `${said} ${t(then, values)}`;
}

const THEN = {
  azi: { move: "silent.then.azi" },
  hazari: { move: "silent.then.hazari", lock: "silent.then.hand", result: "silent.then.hand" },
};

/** Who was declared gone by whom: lines from a record, or of the table in play. */
export function absences(list, nameOf) {
  if (!list?.length) return null;
  return h(
    "ul",
    { class: "absences", key: "absences" },
    list.map(({ hand, seat, by }, i) => {
      const values = { name: nameOf(seat), names: listed(by.map(nameOf)) };
      return h("li", { key: i }, hand ? t("absent.hand", { ...values, hand }) : t("absent.pack", values));
    }),
  );
}

/** The same in one sentence, for one step of the past. */
export function absentText({ seat, by }, row) {
  return t("absent.step", { name: seatName(row, seat), names: seatNames(row, by) });
}
