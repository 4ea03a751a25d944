// What the log tells of a game of Azi beside the moves: who took a trick, and how the game ended.

import { app } from "../app.js";
import { details } from "../log.js";
import { told } from "./result.js";
import { say } from "./words.js";

const KEPT = 40; // hands whose tricks are kept for the log

const hands = new Map();

/** Keeps what was last seen of a hand. */
export function keep(view) {
  if (!view) return;
  const key = `${app.state.table.id}:${view.hand_number}`;
  hands.set(key, view);
  if (hands.size > KEPT) hands.delete(hands.keys().next().value);
}

/** The view of a hand: that of now, or what was kept. */
function seen(hand) {
  const { table, view, result } = app.state;
  if (view?.hand_number === hand) return view;
  return hands.get(`${table.id}:${hand}`) ?? (result?.hand === hand ? result.view : null);
}

details.azi = (event, hand) => {
  const view = seen(event.kind === "hand_over" ? event.hand : hand);
  if (!view) return [];
  if (event.kind === "hand_over") return view.ended ? told(view).slice(0, 1) : [];
  if (event.kind !== "move" || event.move[0] !== "play" || !event.opened?.length) return [];
  const card = event.opened.at(-1)[1];
  const trick = view.tricks.find(([, plays]) => plays.at(-1)?.join() === `${event.seat},${card}`);
  return trick ? [say("log.azi.took", trick[2])] : [];
};
