// What the log tells of a hand of Hazari once it has been shown: who took each round, and the points.

import { app } from "../app.js";
import { t } from "../i18n.js";
import { details } from "../log.js";
import { seatName } from "../names.js";
import { kindText } from "./words.js";

const KEPT = 40; // hands whose rounds are kept for the log

const hands = new Map();

/** Keeps a hand that is over, with what its groups are called once that is known. */
export function keep(play) {
  if (hands.get(play.id) === play) return;
  hands.set(play.id, play);
  if (hands.size > KEPT) hands.delete(hands.keys().next().value);
}

details.hazari = (event) => {
  if (event.kind !== "hand_over") return [];
  const play = hands.get(`${app.state.table.id}:${event.hand}`);
  return [...(play ? play.view.rounds.map((round, i) => roundText(round, i, play)) : []), points(event.hand)]
    .filter(Boolean);
};

function roundText({ winner, points: n, groups }, i, play) {
  const { table } = app.state;
  const kind = kindText(play.worths?.[i * groups.length + winner]);
  const key = `log.hazari.round${kind ? ".kind" : ""}${winner === table.seat ? ".mine" : ""}`;
  return t(key, { round: i + 1, name: seatName(table, winner), points: n, kind });
}

/** The points of a hand, from the score sheet: what each seat has more than after the one before. */
function points(hand) {
  const { hands: sheet, table } = app.state;
  const at = sheet.findIndex((one) => one.hand === hand);
  if (at < 0 || (at === 0 && hand > 1)) return "";
  const [now, before] = [sheet[at], sheet[at - 1]].map((one) =>
    one?.standing.find(([name]) => name === "points")?.[1]);
  if (!now) return "";
  const list = now.map((n, seat) =>
    t("log.pair", { name: seatName(table, seat), n: n - (before?.[seat] ?? 0) }));
  return t("log.hazari.points", { list: list.join(", ") });
}
