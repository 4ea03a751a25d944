// The four rounds played out, at the player's pace. Nobody has a choice left: everything is in the
// view of the hand; this only says how far it has been shown.

import { announce, app, nameOf } from "../app.js";
import { cardNames } from "../cardnames.js";
import { t } from "../i18n.js";
import { glide, places } from "../motion.js";
import { prefer, prefs } from "../prefs.js";
import { keep } from "./told.js";
import { equal, kindText, pointsText } from "./words.js";

/** Steps of a round: four groups are laid, then one seat takes them. */
export const STEPS = 5;

const LAY = 950; // milliseconds between steps that come by themselves
const TAKE = 1900;

/** Of each hand that has been shown: its view, how far it is, what its groups are called. */
let shown = null;
let timer = 0;

/** The hand to be played out: the one that is just over, or an older one that is looked at again.
 *  Null if there is none. */
export function playing() {
  const { table, view } = app.state;
  if (shown && undone(table, view)) shown = null;
  if (view?.phase === "over" && view.rounds.length) {
    const id = `${table.id}:${view.hand_number}`;
    if (shown?.id !== id) {
      shown = { id, view, hand: view.hand_number, step: 0, worths: null, again: false, seen: false };
      keep(shown);
    }
    shown.seen ||= finished(shown);
    return shown;
  }
  return shown?.again && shown.id.startsWith(`${table.id}:`) ? shown : null;
}

/** Whether the hand that was shown has not happened like that: the others had gone on otherwise, and
 *  this table went back to where they stand. */
function undone(table, view) {
  if (!view || shown.id !== `${table.id}:${view.hand_number}` || view === shown.view) return false;
  return view.phase !== "over" || JSON.stringify(view.rounds) !== JSON.stringify(shown.view.rounds);
}

/** A hand whose rounds nobody has looked at to the end while the next one has begun. */
export function missed() {
  return shown && !finished(shown) && shown.id.startsWith(`${app.state.table.id}:`) ? shown : null;
}

/** Looks at the rounds of the last hand again, also while the next one is in play. */
export function watchAgain() {
  shown.again = true;
  if (finished(shown)) shown.step = 0;
  redraw();
}

export function finished(play) {
  return play.step > play.view.rounds.length * STEPS;
}

/** Asks the peer what the groups are, if it has not said so yet. */
export async function name(play) {
  if (play.worths || play.asking || !app.linked) return;
  const groups = play.view.rounds.flatMap((round) => round.groups);
  play.asking = true;
  try {
    const { trays } = await app.send("weigh", { cards: groups });
    play.worths = trays;
    app.redraw();
  } catch {
    // Without the words the cards still lie there; asked again with the next change.
  } finally {
    play.asking = false;
  }
}

/** Whether the end of the hand in play is still to be shown: the log and the voice do not tell it. */
app.ui.shows = (table, view) => {
  if (table?.game !== "hazari" || view?.phase !== "over" || !view.rounds.length) return false;
  return shown?.id !== `${table.id}:${view.hand_number}` || !(shown.seen || finished(shown));
};

/** What the next step does, for its button. */
export function nextText(play) {
  const { rounds } = play.view;
  const { round, done } = at(play);
  if (done === STEPS - 1) return t("hazari.step.take");
  if (done === STEPS && round === rounds.length - 1) return t("hazari.step.sheet");
  const next = done === STEPS ? rounds[round + 1].order[0] : rounds[round].order[done];
  const key = next === app.state.table.seat ? "hazari.step.show.mine" : "hazari.step.show";
  return t(key, { name: nameOf(next) });
}

/** What the group of a seat in a round is worth; null while that is not known. */
export function worthOf(play, round, seat) {
  return play.worths?.[round * play.view.rounds[0].groups.length + seat] ?? null;
}

/** Where a hand is: its round (from 0), and how many steps of it are done. */
export function at(play) {
  const last = play.view.rounds.length - 1;
  const round = Math.max(0, Math.min(last, Math.floor((play.step - 1) / STEPS)));
  return { round, done: Math.min(STEPS, play.step - round * STEPS) };
}

/** One step on. */
export function step() {
  const play = playing();
  if (!play || finished(play)) return;
  play.step += 1;
  announce(finished(play) ? t("hazari.result", { n: play.hand }) : happened(play));
  redraw();
}

/** To the result at once. */
export function skip() {
  const play = playing();
  if (!play) return;
  play.step = play.view.rounds.length * STEPS + 1;
  announce(t("hazari.result", { n: play.hand }));
  redraw();
}

/** Leaves an older hand for the one in play. */
export function leave() {
  shown.again = false;
  shown.step = shown.view.rounds.length * STEPS + 1;
  app.redraw();
}

function redraw() {
  const root = document.getElementById("app");
  const before = places(root);
  app.redraw();
  queueMicrotask(() => {
    glide(root, before);
    // The button that was pressed may be gone now.
    focusIfFree(document.querySelector('[data-do="next"]'));
  });
}

/** The focus goes there, unless it is somewhere. */
export function focusIfFree(node) {
  if (document.activeElement === document.body) node?.focus({ preventScroll: true });
}

/** What the last step was, in a sentence. */
export function happened(play, short = false) {
  const { round, done } = at(play);
  const { order, groups, winner, points } = play.view.rounds[round];
  if (done <= 0) {
    return t(short ? "hazari.leads.short" : "hazari.leads", { name: nameOf(order[0]), round: round + 1 });
  }
  if (done < STEPS) {
    const seat = order[done - 1];
    const kind = kindText(worthOf(play, round, seat), !short);
    const values = { name: nameOf(seat), cards: cardNames(groups[seat]), kind };
    return t(short ? "hazari.lays.short" : "hazari.lays", values);
  }
  const best = worthOf(play, round, winner);
  const tie = order.some((seat) => seat !== winner && equal(worthOf(play, round, seat), best));
  const kind = kindText(best, !short);
  const values = { name: nameOf(winner), points: pointsText(points), kind };
  if (tie) return t("hazari.takes.tie", values);
  return t(kind ? "hazari.takes.kind" : "hazari.takes", values);
}

/** The points that a seat has taken so far in this hand. */
export function taken(play, seat) {
  const { round, done } = at(play);
  const over = play.view.rounds.slice(0, done === STEPS ? round + 1 : round);
  return over.reduce((sum, one) => sum + (one.winner === seat ? one.points : 0), 0);
}

/** By itself, or at the player's word. */
export function toggleAuto() {
  prefer({ auto: !prefs.auto });
  announce(t(prefs.auto ? "hazari.auto.on" : "hazari.auto.off"));
  app.redraw();
}

/** The next step comes by itself where the player likes it so. */
export function pace(play) {
  if (!prefs.auto || timer || finished(play)) return;
  const { done } = at(play);
  timer = setTimeout(
    () => {
      timer = 0;
      if (prefs.auto && playing() === play && !app.ui.dialog) step();
      else app.redraw();
    },
    done === STEPS ? TAKE : LAY,
  );
}
