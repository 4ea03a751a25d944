// The signs on Hazari's own buttons, in the manner of js/icons.js.

import { h } from "../dom.js";

const PATHS = {
  sort: "M4 6.5h9M4 12h6.5M4 17.5h4M17 5v13.5M13.6 15.2 17 18.6l3.4-3.4",
  undo: "M8.5 5 4 9.3l4.5 4.3M4.4 9.3h9.8a5 5 0 0 1 0 10H9",
  hint:
    "M9.5 18.2h5M10.3 21h3.4M12 3a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.1h5c0-.8.4-1.5 1.1-2.1A6 6 0 0 0 12 3z",
  swap: "M8 4.5v15M4.6 16.2 8 19.6l3.4-3.4M16 19.5v-15M12.6 7.8 16 4.4l3.4 3.4",
  dismiss: "M6 6l12 12M18 6 6 18",
  auto: "M7 5.5 18.5 12 7 18.5z",
  skip: "M5 5.5 13 12l-8 6.5zM18 5.5v13",
};

/** A sign of 24 × 24 units in the colour of the text. */
export function sign(name) {
  return h(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    h("path", { d: PATHS[name] }),
  );
}
