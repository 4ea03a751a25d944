// The live picture: who has done what for a pack, seat by seat, while it is made.

import { app } from "../app.js";
import { bdi, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { icon, mark } from "../icons.js";
import { progress } from "./pack.js";

const STAGES = ["secret", "shuffle", "proof"];

/** Seconds as people say them: never 0. */
export function seconds(value) {
  return value < 0.01 ? t("fair.instant") : t("fair.seconds", { n: number(Math.round(value * 100) / 100) });
}

/** The table of a pack's making. */
export function live(pack) {
  const { table } = app.state;
  const times = (pack?.checked ?? []).map(([, took]) => took);
  return [
    rows(pack, table),
    new Set(times).size < times.length ? h("p", { class: "quiet", key: "together" }, t("fair.together")) : null,
  ];
}

function rows(pack, table) {
  return h(
    "table",
    { class: "fair-live", key: `live-${pack?.pack ?? 0}` },
    h("caption", { class: "unseen" }, t("fair.live")),
    h(
      "thead",
      null,
      h("tr", null, h("th", { scope: "col" }, h("span", { class: "unseen" }, t("fair.player"))),
        STAGES.map((stage) => h("th", { key: stage, scope: "col" }, t(`fair.stage.${stage}`)))),
    ),
    h(
      "tbody",
      null,
      progress(pack, table, app.state.fair?.absent).map((row) =>
        h(
          "tr",
          { key: row.seat },
          h("th", { scope: "row" }, h("span", { class: "who" }, mark(row.seat), nameOf(table, row.seat))),
          STAGES.map((stage) => h("td", { key: stage, class: `is-${row[stage]}` }, cell(row, stage))),
        ),
      ),
    ),
  );
}

function nameOf(table, seat) {
  return seat === table.seat ? t("player.you") : bdi(table.players[seat]?.name ?? String(seat + 1));
}

function cell(row, stage) {
  const state = row[stage];
  const timed = stage === "proof" && state === "done" && row.seconds !== undefined;
  return h(
    "span",
    { class: "cell" },
    state === "done" ? icon("check") : h("span", { class: "dot", "aria-hidden": "true" }),
    timed ? h("span", { class: "took" }, seconds(row.seconds)) : null,
    h("span", { class: timed ? "unseen" : "word" }, t(`fair.is.${state}`)),
  );
}
