// The story of a pack in five pictures, in words a child follows, each with its numbers.

import { app } from "../app.js";
import { h } from "../dom.js";
import { current, number, t } from "../i18n.js";
import { seatNames } from "../names.js";
import { seconds } from "./live.js";
import { seatsOf, size, steps } from "./pack.js";
import { dealt, many, proved, sealed, shuffled } from "./pictures.js";

/** The five pictures; `pack` may be undefined, then they tell how it is done without numbers. */
export function story(pack) {
  const parts = [
    ["secret", sealed(), pack && secretNumbers(pack)],
    ["shuffle", shuffled(), pack && mixNumbers(pack)],
    ["proof", proved(), pack && proofNumbers(pack)],
    ["deal", dealt(), pack && dealNumbers(pack)],
    ["orders", many(), orderNumbers(pack)],
  ];
  return h("ol", { class: "fair-story" }, parts.map(([name, picture, rows]) => part(name, picture, rows)));
}

function part(name, picture, rows) {
  const { fair } = app.state;
  const size = fair?.orders.length ?? 0;
  const compare = size > 67 ? "fair.orders.earth" : size > 28 ? "fair.orders.people" : "";
  return h(
    "li",
    { key: name, class: `fair-${name}` },
    picture,
    h(
      "div",
      null,
      h("h3", null, t(`fair.${name}.title`)),
      h("p", null, t(`fair.${name}.text`)),
      name === "orders" && fair ? h("p", null, t("fair.orders.count", { n: number(fair.cards), orders: digits(fair.orders) })) : null,
      name === "orders" && compare ? h("p", null, t(compare)) : null,
      rows
        ? h(
          "details",
          { key: "numbers" },
          h("summary", { "data-do": `numbers-${name}` }, t("fair.numbers")),
          h("dl", null, rows.map(([term, value, key], i) => [h("dt", { key: `t${key ?? i}` }, term), h("dd", { key: `d${key ?? i}` }, value)])),
          h("p", { class: "quiet" }, t("fair.section", { section: SECTIONS[name] })),
        )
        : null,
    ),
  );
}

/** Where SPEC.md has the whole of it. */
const SECTIONS = { secret: "6.1, 4.3", shuffle: "6.1, 4.4", proof: "4.4, 4.1", deal: "4.5, 4.6, 7.2", orders: "6.1, 13" };

/** A long number with its digits in groups. */
export function digits(text) {
  return new Intl.NumberFormat(current()).format(BigInt(text));
}

/** A hash in groups of four, so that two people can compare it. */
export function hash(hex) {
  return h("code", { dir: "ltr", class: "hash" }, hex.match(/.{1,4}/g)?.join(" ") ?? "");
}

const bytes = (n) => t("fair.bytes", { n: number(n) });
const names = (seats) => seatNames(app.state.table, seats);

function secretNumbers(pack) {
  const [commit] = steps(pack, "commit");
  const [open] = steps(pack, "open");
  return [
    [t("fair.n.players"), names(seatsOf(pack, app.state.table))],
    commit && [t("fair.n.sealed"), bytes(commit.bytes), "sealed"],
    commit && [t("fair.n.fingerprint"), hash(commit.head), "commit"],
    open && [t("fair.n.opened"), bytes(open.bytes), "opened"],
    open && [t("fair.n.fingerprint"), hash(open.head), "open"],
  ].filter(Boolean);
}

function mixNumbers(pack) {
  return steps(pack, "mix").flatMap((step) => [
    [names(step.seats), bytes(step.bytes), `b${step.seats}`],
    [t("fair.n.fingerprint"), hash(step.head), `h${step.seats}`],
  ]);
}

function proofNumbers(pack) {
  const own = app.state.table?.seat;
  const [prove] = steps(pack, "prove");
  const rows = pack.checked.map(([seat, took]) => [names([seat]), t("fair.holds", { time: seconds(took) }), `s${seat}`]);
  const mine = prove?.seats.includes(own) ? [[t("player.you"), t("fair.n.own"), "own"]] : [];
  const all = prove ? [[t("fair.n.proofs"), bytes(prove.bytes), "all"], [t("fair.n.chance"), t("fair.n.below", { power: "2⁻¹²⁰" }), "chance"]] : [];
  return [...rows, ...mine, ...all];
}

function dealNumbers(pack) {
  const [entries, much] = pack.opened ?? [0, 0];
  return [
    [t("fair.n.keys"), number(seatsOf(pack, app.state.table).length)],
    [t("fair.n.entries"), number(entries)],
    [t("fair.n.size"), bytes(much)],
  ];
}

function orderNumbers(pack) {
  const { fair } = app.state;
  if (!fair) return null;
  const bits = Math.floor(BigInt(fair.orders).toString(2).length - 1);
  return [
    [t("fair.n.cards"), number(fair.cards)],
    [t("fair.n.digits"), number(fair.orders.length)],
    [t("fair.n.bits"), t("fair.n.about", { power: `2^${bits}` })],
    pack?.head && [t("fair.n.head"), hash(pack.head), "head"],
    pack && [t("fair.n.whole"), bytes(size(pack.steps)), "whole"],
  ].filter(Boolean);
}
