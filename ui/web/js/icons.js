// The signs of buttons and plates, drawn as lines of one weight in the colour of the text.

import { h } from "./dom.js";

const SHIELD = "M12 2.8 4.5 5.6v5.6c0 4.7 3 8.3 7.5 10 4.5-1.7 7.5-5.3 7.5-10V5.6z";
const ROUND = "M4.5 12a7.5 7.5 0 1 0 2.4-5.5";
const PATHS = {
  shield: SHIELD,
  "shield-whole": `${SHIELD}M8.3 12l2.6 2.6 4.8-5.2`,
  "shield-broken": `${SHIELD}M12.8 3l-2.3 5.6 3.4 2.6-3 4.4 1.4 5.3`,
  chat: "M4 5.5h16v11h-8.5L7 20.2v-3.7H4zM8 9.5h8M8 12.6h5",
  log: "M8.5 6H20M8.5 12H20M8.5 18H20M4 6h.6M4 12h.6M4 18h.6",
  history: `${ROUND}M4 3.6v4.2h4.2M12 8v4.3l2.9 1.9`,
  help: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.4 9.4c.2-3.4 5.6-3.2 5.4.2-.1 1.9-2.8 2-2.8 4.2M12 16.8v.5",
  settings: "M4 7h9M17.6 7H20M4 17h2.4M11 17h9M15.3 9.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z"
    + "M8.7 19.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z",
  menu: "M4 6.5h16M4 12h16M4 17.5h16",
  close: "M6 6l12 12M18 6 6 18",
  check: "M5 12.8l4.6 4.6L19 7.2",
  add: "M12 5v14M5 12h14",
  copy: "M9 8.5h10.5V20H9zM15 8.5V4H4.5v11.5H9",
  cw: "M2.5 17.5C4 10.5 8 7 12.4 7c3.7 0 6.6 2.3 8.3 6.3M21.4 8.4l-.6 5.2-5.1-1.3",
  ccw: "M21.5 17.5C20 10.5 16 7 11.6 7c-3.7 0-6.6 2.3-8.3 6.3M2.6 8.4l.6 5.2 5.1-1.3",
  lost: "M3 9.2C5 7.4 7.4 6.4 9.6 6M14.4 6c2.4.5 4.7 1.5 6.6 3.2M6.4 13c1-.9 2-1.5 3.2-1.9"
    + "M17.6 13c-.9-.8-1.8-1.4-2.8-1.8"
    + "M12 18.4v.4M4.5 3.5l15 17",
  relayed: "M5 17.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM19 17.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 8.5a2 2 0 1 0 0-4"
    + " 2 2 0 0 0 0 4zM6.4 14 10.6 8M17.6 14 13.4 8",
  left: "M13.5 4H5v16h8.5M10 12h10.5M16.8 8.2l3.8 3.8-3.8 3.8",
  bot: "M5 9h14v10H5zM12 9V5.4M12 4.6v.1M9.2 13v1M14.8 13v1M9.5 16.6h5M2.6 12.5v3M21.4 12.5v3",
  eye: "M2.8 12C5 8 8.3 6 12 6s7 2 9.2 6c-2.2 4-5.5 6-9.2 6s-7-2-9.2-6z"
    + "M12 14.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2z",
  person: "M12 11.5a3.8 3.8 0 1 0 0-7.6 3.8 3.8 0 0 0 0 7.6zM4.8 20.4c.6-4 3.4-6 7.2-6s6.6 2 7.2 6",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.4l3.4 2",
  sound: "M4 9.5v5h3.4l4.6 4v-13l-4.6 4zM15.5 9c1.6 1.6 1.6 4.4 0 6M18 6.5c3 3 3 8 0 11",
};

/** A sign of 24 × 24 units, as high as its font makes it; hidden from those who listen, so whatever
 *  it stands on needs a name of its own. */
export function icon(name, props = {}) {
  const { class: extra = "", ...rest } = props;
  return h(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", class: `icon ${extra}`, ...rest },
    h("path", { d: PATHS[name] ?? "" }),
  );
}

/** The mark of a seat: each has a form of its own, so that colour is never alone. */
const MARKS = [
  "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z",
  "M12 3.2 21.4 20H2.6z",
  "M4.5 4.5h15v15h-15z",
  "M12 2.5 20.5 12 12 21.5 3.5 12z",
  "m12 2.2 2.9 6.6 7.1.7-5.4 4.7 1.6 7L12 17.5l-6.2 3.7 1.6-7L2 9.5l7.1-.7z",
  "M9 3.5h6V9h5.5v6H15v5.5H9V15H3.5V9H9z",
];

export function mark(seat) {
  return h(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", class: `mark who-${seat}` },
    h("path", { d: MARKS[seat] ?? MARKS[0] }),
  );
}
