// Opening a table: the short way, a game against own bots, and every option for those who want it.

import { act, app } from "./app.js";
import { h } from "./dom.js";
import { first, t } from "./i18n.js";
import {
  asName,
  gameOf,
  gameTitle,
  optionHelp,
  optionTitle,
  optionValue,
  until,
  usualName,
} from "./lobbyparts.js";

/** The games, the one that everybody can begin with first. */
function gamesInOrder() {
  return [...app.state.games].sort((a, b) => (b.name === "hazari") - (a.name === "hazari"));
}

/** What has been chosen so far for a new table. */
function draft() {
  const { games } = app.state;
  const known = app.ui.draft ?? { game: (gameOf("hazari") ?? games[0]).name, options: {}, invite: false };
  const game = gameOf(known.game);
  return { ...known, seats: game.seats.includes(known.seats) ? known.seats : game.usual };
}

function change(changes) {
  app.ui.draft = { ...draft(), ...changes };
  app.redraw();
}

/** The games, each to be played at once against bots of this computer. */
export function withBots() {
  return h(
    "section",
    { class: "box", key: "bots", "aria-labelledby": "h-bots" },
    h("h2", { id: "h-bots" }, t("bots.title")),
    h(
      "div",
      { class: "games" },
      gamesInOrder().map((game) =>
        h(
          "div",
          { class: "game", key: game.name },
          h("h3", null, gameTitle(game.name)),
          h("p", { class: "soft" }, first([`game.${game.name}.about`], {}, "")),
          h(
            "button",
            {
              "data-do": `bots-${game.name}`,
              disabled: Boolean(app.ui.starting),
              "aria-label":
                app.ui.starting === game.name ? null : t("bots.play.game", { game: gameTitle(game.name) }),
              onclick: () => playBots(game),
            },
            t(app.ui.starting === game.name ? "bots.starting" : "bots.play"),
          ),
        ),
      ),
    ),
  );
}

async function playBots(game) {
  app.ui.starting = game.name;
  app.ui.botsFor = usualName();
  app.redraw();
  const fields = { table: app.ui.botsFor, game: game.name, options: {}, seats: game.usual };
  if ((await act("open", fields)) !== undefined && (await until(() => app.state.lobby))) {
    await act("ready", { ready: true });
    for (let i = 1; i < game.usual; i++) await act("bot");
  }
  app.ui.starting = null;
  app.redraw();
}

/** The form that opens a table for others. */
export function openTable() {
  const { game: name, seats, invite, table = usualName() } = draft();
  const game = gameOf(name);
  return h(
    "section",
    { class: "box", key: "open", "aria-labelledby": "h-open" },
    h("h2", { id: "h-open" }, t("open.title")),
    h(
      "form",
      { class: "open-form", onsubmit: open },
      segments(
        "game",
        t("open.game"),
        gamesInOrder().map((one) => [one.name, gameTitle(one.name)]),
        name,
        (value) => change({ game: value, options: {} }),
      ),
      game.seats.length > 1
        ? segments(
            "seats",
            t("open.seats"),
            game.seats.map((n) => [n, String(n)]),
            seats,
            (n) => change({ seats: Number(n) }),
          )
        : null,
      h(
        "details",
        { key: `more-${name}` },
        h("summary", { "data-do": "options" }, t("open.options")),
        h(
          "div",
          { class: "options" },
          h(
            "label",
            { class: "field", key: "name" },
            t("open.name"),
            h("input", {
              "data-do": "table-name",
              value: table,
              required: true,
              maxlength: 40,
              oninput: (event) => {
                app.ui.draft = { ...draft(), table: event.target.value };
              },
            }),
          ),
          h(
            "label",
            { class: "check", key: "invite" },
            h("input", {
              type: "checkbox",
              "data-do": "invite",
              checked: invite,
              onchange: (event) => change({ invite: event.target.checked }),
            }),
            h("span", null, t("open.invite"), h("span", { class: "soft" }, t("open.invite.help"))),
          ),
          game.options.map((option) => field(name, option)),
        ),
      ),
      h("button", { class: "primary", "data-do": "open", key: "go" }, t("open.go")),
    ),
  );
}

function segments(name, label, choices, chosen, pick) {
  return h(
    "fieldset",
    { key: name },
    h("legend", null, label),
    h(
      "div",
      { class: "segments" },
      choices.map(([value, text]) =>
        h(
          "label",
          { key: value },
          h("input", {
            type: "radio",
            name,
            value,
            "data-do": `${name}-${value}`,
            checked: value === chosen,
            onchange: (event) => pick(event.target.value),
          }),
          h("span", null, text),
        ),
      ),
    ),
  );
}

function field(game, option) {
  const { options } = draft();
  const value = options[option.name] ?? option.default;
  const set = (changed) => {
    const { [option.name]: _, ...rest } = draft().options;
    app.ui.draft = {
      ...draft(),
      options: changed === option.default ? rest : { ...rest, [option.name]: changed },
    };
  };
  const usual = t("option.usual", { value: optionValue(game, option.name, option.default) });
  const props = { "data-do": `option-${option.name}`, key: "field" };
  return h(
    "label",
    { class: `field${option.choices.length && !option.choices.includes("on") ? " tall" : ""}`, key: option.name },
    h("span", null, optionTitle(game, option.name)),
    h("span", { class: "soft" }, optionHelp(game, option), " ", usual),
    option.choices.length
      ? h(
          "select",
          { ...props, onchange: (event) => set(asValue(option, event.target.value)) },
          option.choices.map((word) =>
            h(
              "option",
              { key: word, value: word, selected: word === value },
              optionValue(game, option.name, word),
            ),
          ),
        )
      : h("input", {
          ...props,
          type: "number",
          inputmode: "numeric",
          required: true,
          value: String(value),
          oninput: (event) => set(asValue(option, event.target.value)),
        }),
  );
}

const asValue = (option, text) => (typeof option.default === "number" ? Number(text) : text);

async function open(event) {
  event.preventDefault();
  const { game, seats, options, invite, table } = draft();
  app.ui.botsFor = null; // this one waits for people
  await act("open", { table: asName(table ?? usualName()), game, seats, options, invite });
}
