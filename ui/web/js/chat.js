// What players say to each other: signed lines that are nowhere in the record, and can be muted.

import { act, app, reason, toast } from "./app.js";
import { bdi, h } from "./dom.js";
import { follow } from "./follow.js";
import { t } from "./i18n.js";
import { mark } from "./icons.js";
import { clock } from "./names.js";

const MOST_BYTES = 500;
const NEAR = 120; // bytes that are left when it is time to say so

const bytes = (text) => new TextEncoder().encode(text).length;

/** The chat with its line to write in. */
export function chat() {
  const lines = app.state.chat ?? [];
  const last = lines.at(-1)?.n ?? 0;
  if (app.ui.chatSeen !== last) {
    app.ui.chatSeen = last;
    queueMicrotask(app.redraw); // the count in the bar was drawn before
  }
  const people = others();
  return h(
    "div",
    { class: "chat", key: "chat" },
    people.length ? mutes(people) : null,
    h(
      "ol",
      { class: "chat-lines", key: "lines", "aria-label": t("chat.lines"), tabindex: "0", ...follow("chat", lines.at(-1)?.n) },
      restarted() ? h("li", { class: "quiet", key: "before" }, t("chat.before")) : null,
      lines.length ? runs(lines).map(run) : restarted() ? null : h("li", { class: "quiet", key: "none" }, t("chat.none")),
    ),
    app.state.table || app.state.lobby ? writing() : h("p", { class: "quiet", key: "alone" }, t("chat.alone")),
  );
}

/** Whether the own program was started again at this table: it keeps no chat. */
function restarted() {
  return (app.state.table?.resumed ?? false) === true;
}

/** All others who may say something here. */
function others() {
  const { table, lobby } = app.state;
  return (table?.players ?? lobby?.players ?? []).filter((one) => !one.own);
}

function mutes(people) {
  const muted = new Set(app.state.muted ?? []);
  return h(
    "details",
    { class: "chat-mutes", key: "mutes" },
    h("summary", { "data-do": "mutes" }, t("chat.mutes", { n: people.filter((one) => muted.has(one.short)).length })),
    // An own bot whose short form is not made yet has nothing to say.
    people.filter(({ short }) => short).map(({ short, name }) =>
      h(
        "button",
        {
          key: short, role: "switch", "aria-checked": String(muted.has(short)), "data-do": "mute",
          onclick: () => act("mute", { short, on: !muted.has(short) }),
        },
        h("span", { class: "who" }, sign(short), bdi(name)),
        h("span", { class: "is" }, t(muted.has(short) ? "chat.muted" : "chat.heard.is")),
      ),
    ),
  );
}

function sign(short) {
  const seat = (app.state.table?.players ?? []).findIndex((one) => one.short === short);
  return seat < 0 ? null : mark(seat);
}

/** Lines in runs: those of a muted player that follow each other are one note. */
function runs(lines) {
  const muted = new Set(app.state.muted ?? []);
  const found = [];
  for (const line of lines) {
    const hidden = !line.own && muted.has(line.short);
    const before = found.at(-1);
    if (hidden && before?.hidden && before.line.short === line.short) before.n++;
    else found.push({ hidden, line, n: 1 });
  }
  return found;
}

function run({ hidden, line, n }) {
  if (hidden) return h("li", { key: line.n, class: "quiet" }, t("chat.hidden", { name: line.name, n }));
  return h(
    "li",
    { key: line.n, class: line.own ? "own" : "" },
    h(
      "p",
      { class: "from" },
      sign(line.short),
      line.own ? t("player.you") : bdi(line.name),
      h("time", null, clock(line.at)),
    ),
    h("p", { class: "said", dir: "auto" }, line.text),
  );
}

function writing() {
  const left = MOST_BYTES - bytes(app.ui.chatDraft ?? "");
  return h(
    "form",
    { class: "chat-write", key: "write", onsubmit: send },
    h("input", {
      autofocus: matchMedia("(hover: hover)").matches, // no keyboard on the screen before it is wanted
      type: "text", name: "text", autocomplete: "off", enterkeyhint: "send", dir: "auto", "data-do": "chat-text",
      "aria-label": t("chat.write"), placeholder: t("chat.write"), "aria-describedby": left < NEAR ? "chat-left" : null,
      ref: (node) => {
        node.value = app.ui.chatDraft ?? "";
      },
      oninput: (event) => {
        app.ui.chatDraft = event.target.value;
        app.redraw();
      },
    }),
    h("button", { class: "primary", "data-do": "say", disabled: left < 0 }, t("chat.send")),
    left < NEAR
      ? h("p", { class: left < 0 ? "over" : "quiet", id: "chat-left", role: "status" },
        left < 0 ? t("chat.over", { n: -left }) : t("chat.left", { n: left }))
      : null,
  );
}

let sending = false;

async function send(event) {
  event.preventDefault();
  const field = event.target.elements.text;
  const text = field.value.trim();
  if (!text || sending || bytes(text) > MOST_BYTES) return;
  sending = true;
  const typed = field.value;
  try {
    await app.send("say", { text });
    // What was typed since then stays.
    if (field.value === typed) field.value = app.ui.chatDraft = "";
  } catch (refused) {
    toast(reason(refused));
  }
  sending = false;
  app.redraw();
}
