// What a person likes, kept in this browser: language, theme, deck, sounds, motion, pace.

const KEY = "facedown";
const USUAL = {
  lang: "", theme: "auto", deck: "four", sounds: false, motion: "auto", auto: false, side: true,
  sort: "rank", seen: [],
};

export const prefs = { ...USUAL, ...read() };

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

/** Changes some of it, keeps it and shows it. */
export function prefer(changes) {
  Object.assign(prefs, changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs));
  } catch {
    // A browser that keeps nothing still plays.
  }
  wear();
}

/** Puts what CSS needs to know on the root element. */
export function wear() {
  const root = document.documentElement.dataset;
  root.theme = prefs.theme;
  root.deck = prefs.deck;
  root.motion = prefs.motion;
}
