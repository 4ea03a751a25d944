// Names of players in sentences, at the table in play or at one of long ago.

import { current, kept, t } from "./i18n.js";

/** A text of another person inside a sentence: its direction of writing cannot reach beyond it. */
export function isolated(text) {
  return `\u2068${text}\u2069`;
}

/** The name of a seat at a table, "you" for the own one. */
export function seatName(table, seat) {
  if (table?.seat === seat) return t("you");
  return table?.players[seat]?.name ?? String(seat + 1);
}

/** A sentence that begins with "you" begins with a capital, in languages that have them. */
export function upper(text) {
  const begins = isolated(t("you"));
  return text.startsWith(begins) ? isolated(t("player.you")) + text.slice(begins.length) : text;
}

/** Several names as the language joins them. */
export function listed(names) {
  const format = kept("list", () => new Intl.ListFormat(current(), { type: "conjunction" }));
  return format.format(names.map(isolated));
}

/** The names of several seats at a table. */
export function seatNames(table, seats) {
  return listed(seats.map((seat) => seatName(table, seat)));
}

/** The time of day of seconds of Unix time. */
export function clock(seconds) {
  return dated("clock", { timeStyle: "short" }, seconds);
}

/** The day and the time of day. */
export function day(seconds) {
  return dated("day", { dateStyle: "medium", timeStyle: "short" }, seconds);
}

function dated(name, style, seconds) {
  const format = kept(name, () => new Intl.DateTimeFormat(`${current()}-u-nu-latn`, style));
  return format.format(seconds * 1000);
}
