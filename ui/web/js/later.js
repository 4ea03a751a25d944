// Parts of the page that are loaded when they are first asked for, so that the first view is light.

import { app } from "./app.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";

/** A part that `load` (a promise of it) brings; until it is here, a word to wait. Calling `.soon()`
 *  fetches it before it is needed. */
export function later(load) {
  let part = null;
  let asked = false;
  const soon = () => {
    if (asked) return;
    asked = true;
    load().then(
      (found) => {
        part = found;
        app.redraw();
      },
      () => {
        asked = false; // the next drawing tries again
      },
    );
  };
  const show = (args) => {
    if (part) return part(args);
    soon();
    return h("p", { class: "soft wait", role: "status" }, t("page.loading"));
  };
  return Object.assign(show, { soon });
}
