// What a person likes: language, theme, deck, sounds, motion, playing out; kept in this browser.

import { app } from "./app.js";
import { h } from "./dom.js";
import { current, LANGUAGES, preferred, speak, t } from "./i18n.js";
import { icon } from "./icons.js";
import { prefer, prefs } from "./prefs.js";
import { sample } from "./sound.js";

const THEMES = ["auto", "light", "night", "paper"];

/** The dialog. */
export function settings() {
  return h(
    "div",
    { class: "settings" },
    h(
      "label",
      { class: "field", key: "lang" },
      h("span", null, t("settings.lang")),
      h(
        "select",
        { "data-do": "lang", onchange: (event) => change(event.target.value) },
        Object.entries(LANGUAGES).map(([code, name]) =>
          h("option", { key: code, value: code, lang: code, selected: code === current() }, name),
        ),
      ),
    ),
    choices("theme", THEMES),
    choices("deck", ["four", "two"]),
    choices("motion", ["auto", "off"]),
    h(
      "div",
      { key: "sounds" },
      tick("sounds"),
      h("button", { "data-do": "sound-try", onclick: sample }, icon("sound"), t("settings.sounds.try")),
    ),
    tick("auto"),
    h("p", { class: "soft", key: "about" }, t("settings.about")),
    h("p", { class: "soft", key: "browser" }, t("settings.browser")),
  );
}

async function change(code) {
  prefer({ lang: code === preferred() ? "" : code });
  await speak(code);
  app.redraw();
}

function wish(changes) {
  prefer(changes);
  app.redraw();
}

function choices(name, values) {
  return h(
    "fieldset",
    { key: name },
    h("legend", null, t(`settings.${name}`)),
    h(
      "div",
      { class: "segments" },
      values.map((value) =>
        h(
          "label",
          { key: value },
          h("input", {
            type: "radio",
            name: `set-${name}`,
            value,
            "data-do": `${name}-${value}`,
            checked: prefs[name] === value,
            onchange: () => wish({ [name]: value }),
          }),
          h("span", null, t(`settings.${name}.${value}`)),
        ),
      ),
    ),
  );
}

function tick(name) {
  return h(
    "label",
    { class: "check", key: name },
    h("input", {
      type: "checkbox",
      "data-do": name,
      checked: prefs[name],
      onchange: (event) => wish({ [name]: event.target.checked }),
    }),
    h("span", null, t(`settings.${name}`), h("span", { class: "soft" }, t(`settings.${name}.help`))),
  );
}
