// A plain table that plays any game: the hand, buttons from what is legal, texts from the game.

import { act, app } from "./app.js";
import { card } from "./cards.js";
import { cardName } from "./cardnames.js";
import { h } from "./dom.js";
import { first, number, t } from "./i18n.js";
import { isolated } from "./names.js";
import { ending, frame, nextButton } from "./table.js";

const CARD = /^[2-9TJQKA][SHDC]$/;
const KNOWN = new Set(["game", "seat", "owes", "hand", "pack"]);

/** The table of a game that has no page of its own. */
export function plain() {
  const { view, ask, result, waiting, table } = app.state;
  const barred = new Map((ask?.barred ?? []).map(([slot, , text]) => [slot, text]));
  return frame({
    plate: standingOf,
    middle: h(
      "div",
      { class: "plain", tabindex: "0", role: "region", "aria-label": t("plain.facts") },
      ending(),
      result
        ? h(
            "ol",
            { class: "story" },
            result.story.map((line) => h("li", null, named(line))),
          )
        : null,
      publicCards(view ?? {}),
      h("dl", { class: "facts" }, facts(view ?? {})),
    ),
    hand: (table.ended ? [] : (view?.hand ?? [])).map(([slot, code]) =>
      card(code, {
        key: slot,
        "data-slot": slot,
        role: "img",
        "aria-label": cardName(code),
        title: barred.get(slot) ?? null,
        class: barred.has(slot) ? "cannot" : "",
      }),
    ),
    status: ask ? t("turn.mine") : undefined,
    actions: [nextButton(), ...(ask ? ask.choices.map(choice) : [])],
    turn: table.ended || table.stopped ? [] : (waiting?.seats ?? []),
  });
}

/** A sentence of the engine with names where it says "seat 2". */
function named(line) {
  const { players } = app.state.table;
  return line.replace(/\bseat ([0-5])\b/g, (whole, seat) => (players[seat] ? isolated(players[seat].name) : whole));
}

function standingOf(seat) {
  const row = app.state.standing?.find(([, value]) => Array.isArray(value) && value.length > seat);
  return row ? String(row[1][seat]) : "";
}

/** Lists of cards that everybody sees, by the name that the view gives them. */
function publicCards(view) {
  return Object.entries(view)
    .filter(([name, value]) => !KNOWN.has(name) && Array.isArray(value))
    .map(([name, value]) => [name, value.flat(3).filter((one) => typeof one === "string" && CARD.test(one))])
    .filter(([, cards]) => cards.length)
    .map(([name, cards]) =>
      h(
        "div",
        { class: "plain-cards", key: name, role: "group", "aria-label": factName(name) },
        cards.map((code) => card(code, { key: code, role: "img", "aria-label": cardName(code) })),
      ),
    );
}

/** Whatever the view says that is a number or a word. */
function facts(view) {
  return Object.entries(view)
    .filter(([name, value]) => !KNOWN.has(name) && ["string", "number"].includes(typeof value))
    .map(([name, value]) =>
      h(
        "div",
        { key: name },
        h("dt", null, factName(name)),
        h("dd", null, typeof value === "number" ? number(value) : value),
      ),
    );
}

const factName = (name) => first([`fact.${name}`], {}, name.replaceAll("_", " "));

function choice({ kind, text, moves, amount, form }) {
  if (amount) return amountForm(kind, text, amount);
  if (moves.length === 1) {
    const label = [text, words(moves[0])].filter(Boolean).join(": ");
    return h(
      "button",
      { key: kind, class: "primary", "data-do": kind, onclick: () => act("move", { move: moves[0] }) },
      moves[0].length > 1 ? label : text,
    );
  }
  if (!moves.length) return freeForm(kind, text, form);
  return h(
    "fieldset",
    { key: kind },
    h("legend", null, text),
    moves.map((move) =>
      h(
        "button",
        { key: move.join(), "data-do": kind, onclick: () => act("move", { move }) },
        words(move) || text,
      ),
    ),
  );
}

/** What a move says; the slots of the own hand as cards. */
function words(move) {
  const faces = new Map(app.state.view.hand);
  return move
    .slice(1)
    .flat(3)
    .map((item) => (faces.has(item) ? cardName(faces.get(item)) : String(item)))
    .join(", ");
}

function amountForm(kind, text, [least, most, step]) {
  let chosen = least;
  return h(
    "form",
    {
      key: `${kind}-${least}`,
      onsubmit: (event) => {
        event.preventDefault();
        act("move", { move: [kind, Number(event.target.elements[0].value || chosen)] });
      },
    },
    h(
      "label",
      { class: "field" },
      text,
      h("input", {
        type: "number",
        inputmode: "numeric",
        min: least,
        max: most,
        step,
        value: least,
        required: true,
        "data-do": `${kind}-amount`,
        oninput: (event) => {
          chosen = event.target.value;
        },
      }),
    ),
    h("button", { "data-do": kind }, t("confirm")),
  );
}

function freeForm(kind, text, form) {
  return h(
    "form",
    {
      key: kind,
      onsubmit: (event) => {
        event.preventDefault();
        const field = event.target.elements[0];
        try {
          act("move", { move: JSON.parse(field.value) });
        } catch {
          field.setCustomValidity(t("plain.form"));
          field.reportValidity();
        }
      },
    },
    h(
      "label",
      { class: "field" },
      text,
      h("input", {
        value: form,
        "data-do": `${kind}-form`,
        spellcheck: "false",
        dir: "ltr",
        oninput: (event) => event.target.setCustomValidity(""),
      }),
    ),
    h("button", { "data-do": kind }, t("confirm")),
  );
}
