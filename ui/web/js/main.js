// Starts the page: language, connection, drawing.

import { announce, app, toast } from "./app.js";
import { giveBack } from "./dialogs.js";
import { render } from "./dom.js";
import { preferred, speak, t, whenLater } from "./i18n.js";
import { calm, glide, places } from "./motion.js";
import { noteButtons } from "./fresh.js";
import { connect } from "./net.js";
import { isolated } from "./names.js";
import { prefs, wear } from "./prefs.js";
import { page } from "./shell.js";
import { hear } from "./log.js";
import { heardRefusal } from "./refused.js";
import { play as playSound } from "./sound.js";

const BREATH = 120; // milliseconds in which what moves may be seen before the next thing happens
const QUICK = 30; // the same when much has come at once
const LOG = 300; // lines of the log that are kept
const TICK = 1000; // milliseconds between looks at the clock

const root = document.getElementById("app");
const queue = [];
let busy = false;
let moved = 0;
let due = false;
let screen = "";

app.redraw = () => {
  if (due) return;
  due = true;
  queueMicrotask(() => {
    due = false;
    draw();
  });
};

function draw() {
  render(root, page());
  document.title = title();
  giveBack();
  noteButtons(root);
  arrive();
}

/** On another screen, who had the focus on the last one begins at the top of it. */
function arrive() {
  const now = app.state.table ? "table" : app.state.lobby ? "room" : "lobby";
  if (app.state.me && now !== screen) {
    if (screen && document.activeElement === document.body) root.querySelector("h1")?.focus();
    screen = now;
  }
}

/** The own words come first: the name of a table is somebody's text, and may be any. */
function title() {
  const { table, ask } = app.state;
  const name = table ? `Facedown · ${isolated(table.name)}` : "Facedown";
  return ask ? `● ${t("title.turn")} · ${name}` : name;
}

const moves = (message) => (message.events ?? []).some((event) => event.kind === "move");

/** Milliseconds that a message waits so that what moved before it can be seen. The own move never
 *  waits, and neither does anything that moves nothing. */
function breath(message) {
  const hurried = queue.length > 3;
  const own = (message.events ?? []).some((event) => event.seat === app.state.table?.seat);
  const glides = moves(message) && !own && !calm();
  const after = glides ? moved + (hurried ? QUICK : BREATH) - performance.now() : 0;
  return Math.max(after, hurried ? 0 : app.hold(message));
}

/** Updates that come while something moves wait in line; none is lost. */
async function pump() {
  if (busy) return;
  busy = true;
  while (queue.length) {
    const message = queue.shift();
    const rest = breath(message);
    if (rest > 0) await pause(rest);
    const before = places(root);
    if (message.full) app.state = message.set;
    else Object.assign(app.state, message.set);
    note(message);
    for (const event of message.events ?? []) {
      hear(event);
      playSound(event);
      heardRefusal(event);
      if (event.kind === "bot_failed") {
        app.ui.botsFor = null;
        toast(t("bots.failed"));
      }
      if (event.kind === "looked_in_vain") toast(t("lobby.sought.vain", { table: event.table }));
    }
    draw();
    glide(root, before);
    if (moves(message)) moved = performance.now();
  }
  busy = false;
}

/** Adds what has happened to the log; it comes whole at first only. */
function note({ full, set, events = [] }) {
  const lines = events.filter((event) => event.n && event.kind !== "chat");
  if (full || set.log || !lines.length) return;
  app.state.log = [...app.state.log, ...lines].slice(-LOG);
}

/** Seconds that are shown run down; a lobby without anybody offers help after a while. */
function tick() {
  const { waiting, ask, paused, table, network } = app.state;
  if (!busy && !document.hidden && (waiting || ask?.until || paused || (network && !table))) app.redraw();
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function start() {
  wear();
  whenLater(app.redraw);
  await speak(prefs.lang || preferred());
  draw();
  const send = connect({
    update(message) {
      queue.push(message);
      pump();
    },
    stranger() {
      app.ui.stranger = true;
      app.redraw();
    },
    link(up) {
      if (app.linked && !up) announce(t("page.cut"));
      app.linked = up;
      app.redraw();
    },
  });
  // A move says which choice it answers: a late click in another window is no move in the next turn.
  app.send = (what, fields) => send(what, what === "move" ? { ask: app.state.ask?.n, ...fields } : fields);
}

setInterval(tick, TICK);
start();
