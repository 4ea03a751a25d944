// Small parts that the lobby and the room of a waiting table share.

import { act, app, toast } from "./app.js";
import { bdi, h } from "./dom.js";
import { first, number, t } from "./i18n.js";
import { icon } from "./icons.js";

const MOST_NAME = 40; // bytes of a name, as the table agreement allows

/** The game of this name as the peer knows it, or null. */
export function gameOf(name) {
  return app.state.games.find((one) => one.name === name) ?? null;
}

/** What a game is called. */
export function gameTitle(name) {
  return first([`game.${name}`], {}, gameOf(name)?.title ?? name);
}

/** The title of an option. */
export function optionTitle(game, name) {
  return first([`option.${game}.${name}`, `option.${name}`], {}, name.replaceAll("_", " "));
}

/** What an option means and which values it has; the engine's own English for want of words. */
export function optionHelp(game, option) {
  const keys = [`option.${game}.${option.name}.help`, `option.${option.name}.help`];
  return first(keys, {}, option.choices.length ? option.help : `${option.help} (${option.values})`);
}

/** A value of an option in words. */
export function optionValue(game, name, value) {
  const keys = [`choice.${game}.${name}.${value}`, `choice.${name}.${value}`, `choice.${value}`];
  if (typeof value !== "number") return first(keys, {}, String(value));
  return first(keys, {}, name.endsWith("_seconds") ? t("choice.seconds", { n: value }) : number(value));
}

/** Options as a list of names and values; `all`: also those that are as usual. */
export function optionList(game, options, all = true) {
  const rows = Object.entries(options ?? {}).map(([name, value]) => {
    const usual = gameOf(game)?.options.find((one) => one.name === name)?.default;
    return { name, value, changed: usual !== undefined && usual !== value };
  });
  return h(
    "dl",
    { class: "facts-list" },
    rows
      .filter((one) => all || one.changed)
      .map(({ name, value, changed }) => [
        h("dt", { key: `${name}?`, class: changed ? "changed" : "" }, optionTitle(game, name)),
        h("dd", { key: name, class: changed ? "changed" : "" }, optionValue(game, name, value)),
      ]),
  );
}

/** The options that are not as usual, in one line; "" if all are. */
export function changedOptions(game, options) {
  const usual = new Map((gameOf(game)?.options ?? []).map((one) => [one.name, one.default]));
  return Object.entries(options ?? {})
    .filter(([name, value]) => usual.has(name) && usual.get(name) !== value)
    .map(([name, value]) =>
      t("option.pair", { option: optionTitle(game, name), value: optionValue(game, name, value) }),
    )
    .join(" · ");
}

/** Texts to be told to others, each with a button that copies it. */
export function copies(rows) {
  return h(
    "ul",
    { class: "codes" },
    rows.map(([label, text, name]) =>
      h(
        "li",
        { class: "copy", key: text },
        h("span", null, h("span", { class: "soft" }, label), h("code", { dir: "ltr" }, text)),
        h(
          "button",
          {
            "data-do": `copy-${name}`,
            "aria-label": t("copy.this", { text }),
            onclick: () => copy(text),
          },
          icon("copy"),
          t("copy"),
        ),
      ),
    ),
  );
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("copy.done"));
  } catch {
    toast(t("copy.failed"));
  }
}

/** Own invite codes and addresses, to be told to friends; `invited`: only a code opens the table. */
export function ways(invited = false) {
  const { codes, addresses } = app.state.me;
  return copies([
    ...codes.slice(0, 2).map((code) => [t("ways.code"), code, "code"]),
    ...(invited ? [] : addresses).slice(0, 2).map((address) => [t("ways.address"), address, "address"]),
  ]);
}

/** A text as a name that others accept: no invisible signs, not too long. */
export function asName(text) {
  let name = text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2066-\u2069\u200e\u200f]/gu, "").trim();
  while (new TextEncoder().encode(name).length > MOST_NAME) name = [...name].slice(0, -1).join("");
  return name;
}

/** The name of a table that this player opens, if nothing else is said. */
export function usualName() {
  return asName(t("lobby.name", { name: app.state.me.name }));
}

/** Waits until something holds of the state, at most so long; whether it does. */
export async function until(holds, most = 6000) {
  for (const end = Date.now() + most; Date.now() < end;) {
    if (holds()) return true;
    await new Promise((done) => setTimeout(done, 60));
  }
  return holds();
}

/** Who the player is, with a field to say another name. */
export function self() {
  const { me } = app.state;
  const typed = app.ui.naming;
  if (typed === undefined || typed === null) {
    return h(
      "p",
      { class: "as", key: "as" },
      h("span", null, t("self.as"), " ", h("strong", null, bdi(me.name))),
      h(
        "button",
        {
          "data-do": "rename",
          onclick: () => {
            app.ui.naming = me.name;
            app.redraw();
          },
        },
        t("self.change"),
      ),
    );
  }
  return h(
    "form",
    { key: "naming", onsubmit: rename },
    h(
      "label",
      { class: "field" },
      t("self.name"),
      h("input", {
        "data-do": "name",
        value: typed,
        maxlength: MOST_NAME,
        autocomplete: "nickname",
        required: true,
        ref: (node) => queueMicrotask(() => node.select()),
        oninput: (event) => {
          app.ui.naming = event.target.value;
        },
      }),
    ),
    h("button", { class: "primary", "data-do": "name-save" }, t("self.save")),
  );
}

async function rename(event) {
  event.preventDefault();
  const name = asName(app.ui.naming);
  if (!name) return;
  if (name === app.state.me.name || (await act("rename", { name })) !== undefined) app.ui.naming = null;
  app.redraw();
}
