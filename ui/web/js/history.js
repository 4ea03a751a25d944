// The past: all tables that this peer was at, their records, their hands step by step.

import { act, app } from "./app.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { dealt, list, onePast } from "./history/list.js";
import { replay, sign, unfold } from "./history/replay.js";

/** What is looked at: `rows` (all tables), `table` (id), `hand` (number), `at` (frame). */
const past = { asked: null, rows: null, table: null, hand: null, at: 0, frames: new Map() };

/** The panel. `open("history", { table, hand })` shows a table or a hand of it at once. */
export function history(asked) {
  if (past.asked !== asked) begin(asked);
  const { archive } = app.state;
  const results = archive?.results ?? {};
  const row = past.rows?.find((one) => one.table === past.table);
  if (!row) return h("div", { class: "past" }, list(past.rows, results, (one) => look(one.table)));
  const reading = archive?.replays[row.table];
  const hand = reading?.state === "done" ? dealt(reading).find((one) => one.hand === past.hand) : undefined;
  if (!hand) {
    const result = row.result ?? results[row.table];
    return h("div", { class: "past" }, onePast(row, reading, result, {
      back: () => look(null),
      play: (number) => play(row, number),
      again: () => act("replay", { table: row.table }),
    }));
  }
  const frames = past.frames.get(place(row, hand.hand));
  if (!frames) fetchFrames(row, hand.hand);
  return h("div", { class: "past" }, replay(row, hand, frames ?? [], past.at, {
    go: (n) => {
      past.at = n;
      app.redraw();
    },
    back: () => {
      past.hand = null;
      app.redraw();
    },
    other: (way) => other(row, dealt(reading), way),
  }));
}

async function begin(asked) {
  Object.assign(past, { asked, rows: null, table: null, hand: null, at: 0 });
  past.frames.clear();
  const rows = (await act("tables")) ?? [];
  if (past.asked !== asked) return;
  past.rows = rows;
  if (asked.table) {
    look(asked.table);
    past.hand = asked.hand ?? null;
  }
  app.redraw();
}

/** Shows a table, or all of them. */
function look(table) {
  past.table = table;
  past.hand = null;
  if (table && app.state.archive?.replays[table]?.state !== "running") {
    past.frames.clear();
    act("replay", { table });
  }
  app.redraw();
}

function play(row, number) {
  past.hand = number;
  past.at = 0;
  app.redraw();
}

/** The button for the hand before or after this one. */
function other(row, hands, way) {
  const at = hands.findIndex((one) => one.hand === past.hand) + way;
  const name = way < 0 ? "hand.previous" : "hand.next";
  const label = t(`replay.${name}`);
  return h(
    "button",
    { key: name, class: "other", "data-do": name, "aria-label": label, title: label, disabled: !hands[at],
      onclick: () => play(row, hands[at].hand) },
    sign(way < 0 ? "M15 5 8 12l7 7 1.5-1.5L11 12l5.5-5.5z" : "M9 5l7 7-7 7-1.5-1.5L13 12 7.5 6.5z"),
  );
}

const place = (row, hand) => `${row.table} ${hand}`;
const coming = new Set();

async function fetchFrames(row, hand) {
  const name = place(row, hand);
  if (coming.has(name)) return;
  coming.add(name);
  const frames = await act("replay", { table: row.table, hand });
  coming.delete(name);
  if (frames) past.frames.set(name, unfold(frames));
  else past.hand = null;
  app.redraw();
}
