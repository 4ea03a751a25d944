// Waiting is always explained: who is waited for, for what, and how long at most.

import { app, player } from "./app.js";
import { first, t } from "./i18n.js";
import { gameTitle } from "./lobbyparts.js";
import { listed } from "./names.js";
import { silentText, voteText } from "./silent.js";

const LOOK = 60; // seconds for which each page holds the next hand up at most

/** Whole seconds from now until a time in milliseconds, never below 0. */
export function secondsTo(until) {
  return Math.max(0, Math.ceil((until - Date.now()) / 1000));
}

/** Who is waited for, for what, and how long at most; "" if nobody is. `shown`: the work of the
 *  computers is to be seen anyway, so only trouble needs words. */
export function waitingText(shown = false) {
  const { waiting, table } = app.state;
  if (!table || table.ended || table.stopped || table.left || !waiting) return "";
  const seats = waiting.seats.filter((seat) => seat !== table.seat);
  const votes = voteText();
  if (votes) return votes;
  const looking = lookText(seats);
  if (looking) return looking;
  if (!seats.length) return shown ? "" : own();
  const values = { names: listed(seats.map((seat) => player(seat).name)), n: seats.length };
  if (waiting.kind === "back") {
    return [t("waiting.back", { ...values, game: gameTitle(table.game) }), silentText(seats)].filter(Boolean).join(" ");
  }
  const lost = seats.filter((seat) => player(seat).link === "lost");
  if (lost.length) return lostText(lost);
  if (shown && !waiting.overdue) return "";
  const sentence = first([`waiting.${waiting.kind}`], values, t("waiting.move", values));
  if (waiting.overdue) {
    return `${sentence} ${silentText(seats) || t("waiting.overdue", { seconds: Math.round(waiting.overdue) })}`;
  }
  return [sentence, mostText()].filter(Boolean).join(" ");
}

/** Between two hands each player looks at the result: what there is to be done, and who else has not
 *  gone on yet; "" at other times. */
function lookText(seats) {
  const { waiting, paused } = app.state;
  if (!paused && (waiting.kind !== "sit" || !seats.length)) return "";
  const here = waiting.kind === "sit" ? seats.filter((seat) => player(seat).link !== "lost") : [];
  const names = here.map((seat) => player(seat).name);
  const values = { names: listed(paused ? [t("you"), ...names] : names), n: names.length };
  if (!paused) {
    if (here.length < seats.length) return ""; // a lost connection is told below
    const left = secondsTo(waiting.since + LOOK * 1000);
    return left ? `${t("waiting.sit", values)} ${t("waiting.most", { seconds: left })}` : t("waiting.sit", values);
  }
  const most = t("waiting.next", { seconds: secondsTo(paused.until) });
  return here.length ? `${t("waiting.look", values)} ${most}` : most;
}

/** How long somebody else may still take for a choice, where the table has a clock; else "". */
export function mostText() {
  const { waiting, ask, paused, table } = app.state;
  if (!waiting || ask || paused || waiting.overdue || table.ended || table.stopped || table.left) return "";
  const seats = waiting.seats.filter((seat) => seat !== table.seat);
  const most = limit();
  if (!most || !seats.length || seats.some((seat) => player(seat).link === "lost")) return "";
  return t("waiting.most", { seconds: secondsTo(waiting.since + most * 1000) });
}

/** What this computer itself is about, where no person has to do anything. */
function own() {
  const { waiting, ask, paused } = app.state;
  return ask || paused || waiting.kind === "move" ? "" : t("waiting.own");
}

function lostText(seats) {
  const values = { names: listed(seats.map((seat) => player(seat).name)), n: seats.length };
  return [t("waiting.lost", values), silentText(seats)].filter(Boolean).join(" ");
}

/** Seconds that a person may take for a move, where the table has a clock; 0: none. */
function limit() {
  const { waiting, table } = app.state;
  if (waiting.kind !== "move") return 0;
  return table.options.turn_seconds ?? table.options.arrange_seconds ?? 0;
}
