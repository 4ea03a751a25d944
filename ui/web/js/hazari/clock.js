// The clock of a choice: a quiet bar and the seconds; the last ten are marked by a word as well.

import { announce, app } from "../app.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";

const LAST = 10;

let warned = null;

/** The clock, or nothing where there is none. The page is drawn anew every second. */
export function clock() {
  const { ask } = app.state;
  if (!ask?.until) return null;
  const left = Math.max(0, (ask.until - Date.now()) / 1000);
  const seconds = Math.ceil(left);
  const late = seconds <= LAST;
  if (late && warned !== ask.until) {
    warned = ask.until;
    queueMicrotask(() => announce(t("hazari.clock.last", { n: seconds })));
  }
  return h(
    "span",
    {
      class: `clock${late ? " late" : ""}`,
      role: "timer",
      key: "clock",
      vars: { "--left": String(left / ask.seconds) },
    },
    h("span", { class: "bar-left", "aria-hidden": "true" }),
    t(late ? "hazari.clock.last" : "hazari.clock", { n: seconds }),
  );
}
