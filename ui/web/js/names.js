// Names of players in sentences, at the table in play or at one of long ago.

import { current, t } from "./i18n.js";

/** A text of another person inside a sentence: its direction of writing cannot reach beyond it. */
export function isolated(text) {
  return `\u2068${text}\u2069`;
}

/** The name of a seat at a table, "you" for the own one. */
export function seatName(table, seat) {
  if (table?.seat === seat) return t("you");
  return table?.players[seat]?.name ?? String(seat + 1);
}

/** Several names as the language joins them. */
export function seatNames(table, seats) {
  const names = seats.map((seat) => isolated(seatName(table, seat)));
  return new Intl.ListFormat(current(), { type: "conjunction" }).format(names);
}

/** The time of day of seconds of Unix time. */
export function clock(seconds) {
  return new Intl.DateTimeFormat(`${current()}-u-nu-latn`, { timeStyle: "short" }).format(seconds * 1000);
}

/** The day and the time of day. */
export function day(seconds) {
  return new Intl.DateTimeFormat(`${current()}-u-nu-latn`, { dateStyle: "medium", timeStyle: "short" }).format(seconds * 1000);
}
