// Why nobody can cheat: the shield in the bar, and the story of the pack behind it.

import { app, open } from "./app.js";
import { hidden } from "./cards.js";
import { bdi, h } from "./dom.js";
import { live, seconds } from "./fair/live.js";
import { checking, packNext, packNow, progress } from "./fair/pack.js";
import { hash, story } from "./fair/story.js";
import { recordTools } from "./history/tools.js";
import { number, t } from "./i18n.js";
import { icon } from "./icons.js";
import { faultText } from "./log.js";
import { seatName } from "./names.js";
import { absences } from "./silent.js";

/** `broken`: somebody broke the rules; `whole`: all of the pack in play is checked here; `grey`. */
function look() {
  const { fair } = app.state;
  if (fair?.faults.length) return "broken";
  return fair?.checked || again(fair) ? "whole" : "grey";
}

/** Whether a pack is in play that was made before this computer was started again. What the peer
 *  has stored it checks once more before it shows a hand, but it tells nothing of it. */
function again(fair) {
  return Boolean(fair?.resumed && (fair.current || app.state.view));
}

const ICONS = { broken: "shield-broken", whole: "shield-whole", grey: "shield" };

/** The shield: grey while proofs run, whole when all is checked here, broken when somebody cheated. */
export function shield() {
  const state = look();
  const blamed = app.state.fair?.faults.at(-1);
  const label = t(`shield.${state}`, { name: blamed?.name ?? "" });
  return h(
    "button",
    {
      key: "shield", class: `round shield ${state}`, "data-do": "fair", "aria-label": label, title: label,
      onclick: () => open("fair"),
    },
    icon(ICONS[state]),
  );
}

/** The panel. */
export function fair() {
  const { fair, table } = app.state;
  if (!fair || !table) return h("div", { class: "fair" }, h("p", null, t("fair.none")), story(undefined), limits());
  const now = packNow(fair, again(fair));
  const next = packNext(fair, again(fair));
  const which = (app.ui.fairNext && next) || now || next;
  return h(
    "div",
    { class: "fair" },
    verdict(fair, now),
    fair.faults.length ? faults(fair) : null,
    fair.absent?.length ? absent(fair, table) : null,
    next && now ? tabs(next) : null,
    which ? h("p", { class: "quiet", key: "which" }, title(fair, which)) : null,
    which ? live(which) : null,
    h("h3", { key: "how" }, t("fair.how")),
    story(which),
    backPart(fair, which),
    code(table),
    limits(),
    h("section", { key: "record", class: "fair-record" }, h("h3", null, t("record.title")), h("p", null, t("record.what")),
      recordTools(table.id, table.name)),
  );
}

function title(fair, pack) {
  if (pack.hand) return t("fair.pack.hand", { n: pack.hand });
  return pack.pack > 1 ? t("fair.pack.next", { n: pack.pack }) : t("fair.pack.first");
}

/** What this computer can say of the pack in play, in one sentence. */
function verdict(fair, pack) {
  const state = look();
  const count = pack?.checked.length ?? 0;
  return h(
    "div",
    { class: `fair-verdict ${state}`, key: "verdict", role: "status" },
    icon(ICONS[state]),
    h(
      "div",
      null,
      h("p", { class: "big" }, sentence(fair, state)),
      fair.checked && count ? h("p", null, t("fair.checked", { n: count, time: seconds(checking(pack)) })) : null,
    ),
  );
}

function sentence(fair, state) {
  if (state === "broken") return t("fair.broken", { name: fair.faults.at(-1).name });
  if (again(fair)) return t(app.state.table.seat === null ? "fair.came" : "fair.restarted");
  return t(state === "whole" ? "fair.whole" : "fair.grey");
}

function faults(fair) {
  return h(
    "ul",
    { class: "fair-faults", key: "faults" },
    fair.faults.map((one, i) =>
      h(
        "li",
        { key: i },
        h("p", null, faultText(one.code, one.name)),
        h(
          "details",
          null,
          h("summary", null, t("fair.numbers")),
          h("dl", null, h("dt", null, t("fair.n.code")), h("dd", null, h("code", null, one.code)),
            h("dt", null, t("fair.n.words")), h("dd", null, bdi(one.text, { lang: "en" }))),
          h("p", { class: "quiet" }, t("fair.section", { section: "12, 5.5" })),
        ),
      ),
    ),
  );
}

/** Who was declared gone at this table. */
function absent(fair, table) {
  return h(
    "section",
    { class: "fair-absent", key: "absent" },
    h("h3", null, t("absent.title")),
    h("p", null, t("absent.what")),
    absences(fair.absent, (seat) => seatName(table, seat)),
    h("p", { class: "quiet" }, t("fair.section", { section: "5.6" })),
  );
}

/** The pack in play, or the one that is made meanwhile. */
function tabs(next) {
  const rows = progress(next, app.state.table, fair.absent);
  const done = rows.filter((row) => row.shuffle === "done").length;
  const going = next.head ? t("fair.next.ready") : t("fair.next.going", { done: number(done), all: number(rows.length) });
  const tab = (name, on, text, more) =>
    h(
      "button",
      {
        key: name, "data-do": `pack-${name}`, "aria-pressed": String(on),
        onclick: () => {
          app.ui.fairNext = name === "next";
          app.redraw();
        },
      },
      h("span", null, text), h("small", null, more),
    );
  return h(
    "div",
    { class: "fair-tabs", key: "tabs", role: "group", "aria-label": t("fair.packs") },
    tab("now", !app.ui.fairNext, t("fair.tab.now"), t("fair.tab.now.more")),
    tab("next", Boolean(app.ui.fairNext), t("fair.tab.next"), going),
  );
}

/** The back of the pack in play; who came in later does not know it until the next pack, and has a
 *  plain one. */
function backPart(fair, which) {
  const known = which?.head ? which : fair.packs.find((one) => !one.pack);
  if (known?.head) return back(known);
  return again(fair) ? h("p", { class: "quiet", key: "back" }, t("fair.back.none")) : null;
}

/** The back of the cards, which everybody with this very pack sees. */
function back(pack) {
  return h(
    "section",
    { class: "fair-back", key: "back" },
    hidden({}, pack.head),
    h("div", null, h("h3", null, t("fair.back.title")), h("p", null, t("fair.back.text")),
      h("p", null, hash(pack.head.slice(0, 16)))),
  );
}

function code(table) {
  return h(
    "section",
    { class: "fair-code", key: "code" },
    h("h3", null, t("fair.code.title")),
    h("p", { class: "code", dir: "ltr", lang: "en" }, table.code.map((word) => h("span", { key: word }, word))),
    h("p", null, t("fair.code.text")),
  );
}

/** What no table can protect. */
function limits() {
  return h(
    "section",
    { class: "fair-limits", key: "limits" },
    h("h3", null, t("fair.limits.title")),
    h("p", null, t("fair.limits.talk")),
    h("p", null, t("fair.limits.owner")),
    h("p", { class: "quiet" }, t("fair.section", { section: "13" })),
  );
}
