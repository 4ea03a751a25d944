// Messages in the language of the page. One file a language, lang/<code>.json: flat keys, texts with
// {name}, {n} and {n, plural, one {…} other {…}}; # stands for the number inside a plural.

export const LANGUAGES = { en: "English", ar: "العربية", bg: "Български", sl: "Slovenščina" };
const RIGHT_TO_LEFT = new Set(["ar"]);

let messages = {};
let fallback = {};
let language = "en";
let missed = false;
let later = () => {};

/** Loads a language; what it should lack is said in English. */
export async function speak(code) {
  language = code in LANGUAGES ? code : "en";
  messages = await load(language).catch(() => ({}));
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";
}

async function load(code) {
  const answer = await fetch(`/web/lang/${code}.json`);
  if (!answer.ok) throw new Error(`no language ${code}`);
  return answer.json();
}

/** `call`: to draw again when words have come that the language lacked. */
export function whenLater(call) {
  later = call;
}

/** English is loaded only once a word is lacking: most pages never need two languages. */
function miss() {
  if (missed) return;
  missed = true;
  load("en").then((found) => {
    fallback = found;
    later();
  }, () => {});
}

/** The best language for a browser that prefers these. */
export function preferred(wanted = navigator.languages ?? []) {
  return wanted.map((tag) => tag.split("-")[0]).find((code) => code in LANGUAGES) ?? "en";
}

export function current() {
  return language;
}

/** Whether there is a message of this name. */
export function has(key) {
  return key in messages || key in fallback;
}

/** The message, with its values put in. Texts are isolated, so that they cannot turn what is around
 *  them; numbers are written as the language writes them. */
export function t(key, values = {}) {
  const text = messages[key] ?? fallback[key];
  if (text !== undefined) return filled(text, values);
  miss();
  return key;
}

/** The first of these messages that exists; the last argument is a plain text for none. */
export function first(keys, values, otherwise) {
  const key = keys.find(has);
  return key === undefined ? otherwise : t(key, values);
}

/** A number as the language groups it, always in the digits that stand on the cards: browsers do not
 *  agree on those of Arabic. */
export function number(value) {
  return kept("number", () => new Intl.NumberFormat(`${language}-u-nu-latn`)).format(value);
}

const formats = new Map();

/** What `make` makes for the language of now, made once: the formats of Intl are dear to make. */
export function kept(name, make) {
  const key = `${language} ${name}`;
  if (!formats.has(key)) formats.set(key, make());
  return formats.get(key);
}

function filled(text, values) {
  let out = "";
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    if (open < 0) return out + text.slice(at);
    out += text.slice(at, open);
    const close = partner(text, open);
    out += one(text.slice(open + 1, close), values);
    at = close + 1;
  }
  return out;
}

function partner(text, open) {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return text.length;
}

function one(inside, values) {
  const parts = /^\s*(\w+)\s*(?:,\s*plural\s*,([\s\S]*))?$/.exec(inside);
  if (!parts) return "";
  const value = values[parts[1]];
  if (parts[2] === undefined) {
    if (typeof value === "number") return number(value);
    return value === undefined ? "" : `\u2068${value}\u2069`;
  }
  const forms = choices(parts[2]);
  const form = forms[`=${value}`] ?? forms[kept("plural", () => new Intl.PluralRules(language)).select(value)] ?? forms.other;
  return filled((form ?? "").replaceAll("#", number(value)), values);
}

function choices(text) {
  const found = {};
  const word = /\s*(=?\w+)\s*\{/y;
  let at = 0;
  for (;;) {
    word.lastIndex = at;
    const match = word.exec(text);
    if (!match) return found;
    const open = word.lastIndex - 1;
    const close = partner(text, open);
    found[match[1]] = text.slice(open + 1, close);
    at = close + 1;
  }
}
