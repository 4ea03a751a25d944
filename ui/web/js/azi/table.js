// The table of Azi: puts seats, middle, hand and buttons together, and says whose turn it is.

import { announce, app, player } from "../app.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { owing } from "../log.js";
import { ending, frame, nextButton, waitingText } from "../table.js";
import { choices } from "./bidding.js";
import { hand, keepFocus, keys } from "./hand.js";
import { middle } from "./middle.js";
import { legend, plate } from "./plates.js";
import { keep } from "./told.js";
import { say, names, own } from "./words.js";

document.addEventListener("keydown", keys);

const SOON = 10; // seconds left when the clock warns
const LIES = 600; // milliseconds that a trick lies at least

/** The table. */
export function azi() {
  keepFocus();
  noteTaken();
  keep(app.state.view);
  owing(own.sent === app.state.ask);
  const over = ending();
  return frame({
    plate,
    middle: [middle(), legend(), over],
    hand: over ? null : hand(),
    status: [status(), clock()],
    actions: [choices(), over ? null : nextButton()],
    turn: turns(),
  });
}

let taken = { tricks: 0, at: 0 };

/** Notes when a trick was taken. */
function noteTaken() {
  const { view } = app.state;
  const tricks = view?.tricks.length ?? 0;
  if (tricks !== taken.tricks) taken = { tricks, at: tricks > taken.tricks ? performance.now() : 0 };
}

/** A trick that has just been taken lies for a moment before somebody else's next card covers it:
 *  milliseconds to wait before this message is shown. The own card never waits. */
app.hold = ({ full, events }) => {
  const { table } = app.state;
  if (full || table?.game !== "azi") return 0;
  const next = events?.find((event) => event.kind === "move" && event.move[0] === "play");
  return next && next.seat !== table.seat ? Math.max(0, taken.at + LIES - performance.now()) : 0;
};

/** Whose turn it is. */
function turns() {
  const { view, ask, table } = app.state;
  if (!view || table.ended || table.stopped) return [];
  return ask ? [view.seat] : view.owing;
}

/** One line at the own hand: what to do, or who is waited for and what for. */
function status() {
  const { view, ask, table, waiting, paused } = app.state;
  if (table.ended || table.stopped) return "";
  if (own.why?.ask === ask) return h("strong", { key: "say", class: "azi-status why" }, own.why.text);
  if (ask) {
    if (own.sent === ask) return h("span", { key: "say", class: "azi-status sent" }, t("azi.sent"));
    return h("strong", { key: "say", class: "azi-status" }, t(`azi.turn.${what(view, ask)}`));
  }
  if (paused || !view || view.ended || waiting?.overdue || waiting?.votes?.length) return waitingText();
  const others = view.owing.filter((seat) => seat !== table.seat);
  if (!others.length) return waitingText() || t("azi.wait.cards");
  if (others.some((seat) => player(seat).link === "lost")) return waitingText();
  if (others.length > 1) return t("azi.wait.discard", { names: names(others) });
  return say(`azi.wait.${view.phase}`, others[0]);
}

/** What the own choice is about. */
function what(view, { kind, choices: found }) {
  if (kind !== "bid") return kind;
  if (!view.highest) return "open";
  return found.some((one) => one.kind === "bid") ? "bid" : "level";
}

/** The clock of the own choice: a bar and the seconds. */
function clock() {
  const { ask } = app.state;
  if (!ask?.until) return null;
  const left = Math.max(0, Math.ceil((ask.until - Date.now()) / 1000));
  const part = Math.min(1, left / ask.seconds);
  if (left <= SOON && own.heard !== ask) {
    own.heard = ask;
    queueMicrotask(() => announce(t("azi.clock.soon", { n: left })));
  }
  return h(
    "span",
    { key: "clock", class: `azi-clock${left <= SOON ? " soon" : ""}` },
    h("span", { class: "bar", vars: { "--part": part.toFixed(3) }, "aria-hidden": "true" }),
    h("span", { class: "left" }, t("azi.clock", { n: left })),
  );
}
