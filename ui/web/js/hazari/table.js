// The table of Hazari: arranging, waiting with closed trays, the rounds played out, the score sheet.

import { app, toast } from "../app.js";
import { hidden } from "../cards.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { owing } from "../log.js";
import { ending, frame, nextButton } from "../table.js";
import { secondsTo, waitingText } from "../waiting.js";
import * as acts from "./acts.js";
import * as arrange from "./arrange.js";
import { clock } from "./clock.js";
import * as draft from "./draft.js";
import { arrangeKey } from "./input.js";
import * as playback from "./playback.js";
import * as rounds from "./rounds.js";
import { goalText, remarks, sheet } from "./sheet.js";
import { sign } from "./signs.js";
import { kindText, pointsText } from "./words.js";

/** The table. */
export function hazari() {
  const { view, table } = app.state;
  const play = playback.playing();
  timeUp();
  owing(arranging() ? false : app.state.ask);
  const common = { direction: "ccw", label: t("hazari.table"), title: goal(view) };
  if (play && !playback.finished(play)) return frame({ ...common, ...playedOut(play) });
  if (play?.again && play.hand !== view.hand_number) playback.leave();
  if (view?.phase === "over") return frame({ ...common, ...result(view) });
  if (arranging()) return frame({ ...common, ...asked() });
  return frame({
    ...common,
    plate: (seat) => plate(seat, view),
    front: (seat) => closed(seat),
    middle: [ownTrays(), ending()],
    actions: [lookBack()],
    turn: table.ended ? [] : (app.state.waiting?.seats ?? []),
  });
}

/** In the bar: the own points, and what ends the match. */
function goal(view, scores = null) {
  const { table } = app.state;
  if (!view) return null;
  const own = scores && table.seat !== null ? view.totals[table.seat] + scores[table.seat] : view.totals[table.seat];
  return [
    own === undefined ? null : h("span", { class: "own-points", key: "points" }, pointsText(own)),
    table.seat === view.dealer ? h("span", { class: "own-dealer", key: "dealer" }, dealer()) : null,
    h("span", { class: "goal when-wide", key: "goal" }, goalText(view)),
  ];
}

function dealer() {
  const words = t("hazari.dealer");
  return h("span", { class: "dealer", title: words, role: "img", "aria-label": words }, "D");
}

/** Whether this player is to arrange the cards now. */
function arranging() {
  const { view, ask, table } = app.state;
  if (ask?.kind !== "up" || view?.phase !== "up" || table.ended) return false;
  return view.hand.length === draft.HAND && !draft.current().sent;
}

function asked() {
  const { view, ask, waiting, table } = app.state;
  draft.current().until = ask.until;
  return {
    plate: (seat) => plate(seat, view),
    middle: arrange.trays(),
    hand: arrange.hand(),
    status: h(
      "span",
      { class: "arranging" },
      h("span", null, t({ dismiss: "hazari.dismiss.sure", hint: "hazari.hint.sure" }[draft.current().asks] ?? "hazari.arrange")),
      clock(),
    ),
    actions: [lookBack(), ...arrange.buttons()],
    turn: [...new Set([...(waiting?.kind === "move" ? waiting.seats : []), table.seat])],
  };
}

/** The clock was quicker: the own program has arranged the cards, and says so. */
function timeUp() {
  const { view, ask } = app.state;
  if (view?.hand.length !== draft.HAND || ask) return;
  const held = draft.current();
  if (!held.until || held.sent || Date.now() < held.until - 500) return;
  held.until = null;
  queueMicrotask(() => toast(t("hazari.late")));
}

function playedOut(play) {
  return {
    plate: (seat) => plate(seat, play.view, playback.taken(play, seat) || undefined),
    middle: rounds.middle(play),
    status: arranging() ? clock() : patience(),
    actions: rounds.buttons(play),
  };
}

function result(view) {
  return {
    title: goal(view, view.scores),
    plate: (seat) => scored(seat, view),
    middle: h(
      "div",
      { class: "result", key: "result" },
      ending(),
      remarks(view),
      sheet(view),
    ),
    status: nextHand(),
    actions: [
      view.rounds.length
        ? h(
            "button",
            { key: "again", class: "small do-again", "data-do": "again", onclick: playback.watchAgain },
            t("hazari.again"),
          )
        : null,
      nextButton(),
    ],
  };
}

/** While the rounds are shown: how long the table waits for this player, small. */
function patience() {
  const { paused } = app.state;
  const words = paused ? t("hazari.patience", { n: secondsTo(paused.until) }) : "";
  return h("span", { class: "patience" }, words);
}

/** How long the next hand waits at most while this one is looked at. */
function nextHand() {
  const { paused } = app.state;
  return paused ? t("hazari.next", { n: secondsTo(paused.until) }) : waitingText();
}

/** On a plate: the dealer's mark, the points of the match, those of this hand, whether up was said. */
function plate(seat, view, now) {
  if (!view) return null;
  const { waiting } = app.state;
  const awaited = waiting?.kind !== "move" || waiting.seats.includes(seat) || view.gone.includes(seat);
  const up = view.phase === "up" && !awaited;
  return [
    view.dealer === seat ? dealer() : null,
    h("span", { class: "total" }, number(view.totals[seat])),
    now === undefined ? null : h("b", { class: "gain", dir: "ltr" }, `+${number(now)}`),
    up ? h("span", { class: "said-up" }, t("hazari.said.up")) : null,
  ];
}

/** On a plate once a hand is over: the points of the match with it, and what it has brought. */
function scored(seat, view) {
  const gain = view.scores[seat];
  return [
    view.dealer === seat ? dealer() : null,
    h("span", { class: "total" }, number(view.totals[seat] + gain)),
    h("b", { class: "gain", dir: "ltr" }, `(+${number(gain)})`),
  ];
}

/** The pack's head, which its back is made from. */
function head() {
  const { fair } = app.state;
  return fair?.packs.find((pack) => pack.pack === fair.current)?.head ?? "";
}

/** The closed trays before another seat that has said up. */
function closed(seat) {
  const { view, waiting, table } = app.state;
  if (!view || view.phase === "over" || seat === table.seat) return null;
  if (view.phase === "up" && (!waiting || waiting.seats.includes(seat))) return null;
  return h(
    "div",
    { class: "piles", role: "img", "aria-label": t("hazari.piles") },
    draft.SIZES.map((size, n) => pile(size, n)),
  );
}

function pile(size, n) {
  const cards = Array.from({ length: size }, (_, i) => hidden({ key: i }, head()));
  return h("span", { class: "pile", key: n }, cards);
}

/** The own trays, closed on the table after "up": what they are is said, the cards lie face down. */
function ownTrays() {
  const { view, table } = app.state;
  if (!["up", "lock", "show"].includes(view?.phase) || view.hand.length !== draft.HAND) return null;
  if (table.ended || table.stopped || table.left) return null;
  const held = draft.current();
  const said = view.arranged[table.seat];
  if (said && !held.sent) Object.assign(held, { trays: said.map((group) => [...group]), sent: true });
  const told = held.sent ? draft.worths() : null;
  return h(
    "div",
    { class: "own-piles", key: "own-piles", role: "group", "aria-label": t("hazari.own.piles") },
    draft.SIZES.map((size, n) =>
      h(
        "div",
        { class: "own-pile", key: n },
        pile(size, n),
        h("span", null, kindText(told?.trays[n]) || t("hazari.tray", { n: n + 1 })),
      ),
    ),
  );
}

/** The way back to rounds that went on without being looked at. */
function lookBack() {
  const missed = playback.missed();
  if (!missed) return null;
  const words = t("hazari.see", { n: missed.hand });
  return h(
    "button",
    {
      key: "see",
      class: "small do-see",
      "data-do": "see",
      title: words,
      "aria-label": words,
      onclick: playback.watchAgain,
    },
    sign("auto"),
    h("span", { class: "words" }, words),
  );
}

/** Keys of this table; those for fields and buttons stay theirs. */
function onkey(event) {
  if (app.state.table?.game !== "hazari" || app.ui.dialog) return;
  if (event.target.closest?.("input, textarea, select, dialog")) return;
  if (event.altKey || event.metaKey || event.ctrlKey) {
    if (event.ctrlKey && event.code === "KeyZ" && arranging()) used(event, acts.undo);
    return;
  }
  const play = playback.playing();
  const space = event.key === " " && !event.target.closest?.("button, a, [tabindex]");
  if (play && !playback.finished(play)) {
    if (space) used(event, playback.step);
    else if (event.code === "KeyA") used(event, playback.toggleAuto);
  } else if (arranging()) {
    if (arrangeKey(event)) event.preventDefault();
  } else if (space && app.state.paused) {
    used(event, () => document.querySelector('[data-do="next"]')?.click());
  }
}

function used(event, does) {
  event.preventDefault();
  does();
}

addEventListener("keydown", onkey);
