// The middle of the Azi table: the bank and what is in it, the turned-up card and what it means, the
// trick in play, where the bidding stands.

import { app, nameOf } from "../app.js";
import { card } from "../cards.js";
import { cardName } from "../cardnames.js";
import { bdi, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { signs } from "./plates.js";
import { result } from "./result.js";
import { clockwise, explained, isShort, mayRaise, names, say, suitWords, winning } from "./words.js";

/** The middle. */
export function middle() {
  const { view } = app.state;
  if (!view) return h("p", { class: "azi-line" }, t("azi.begin"));
  if (app.state.table.ended) return h("div", { class: "azi-now", key: "now" }, result(view, null));
  const done = view.ended && !view.bank;
  return [
    h("div", { class: "azi-top", key: "top" }, done ? null : bank(view), trump(view)),
    h("div", { class: "azi-now", key: "now" }, now(view)),
  ];
}

function now(view) {
  if (view.phase === "buy" || view.ended || view.phase === "over") return result(view, trickRow);
  if (view.phase === "play") return tricks(view);
  return [notes(view), view.phase === "bid" ? bidding(view) : null];
}

/** The bank; touched, it says what is in it and what each would take. */
function bank(view) {
  const paid = view.contributions.map((n, seat) => [seat, n]).filter(([, n]) => n);
  const would = new Map(view.returns);
  return explained(
    "bank",
    [
      h("span", { class: "word" }, h("span", { "aria-hidden": "true" }, "▣ "), t("azi.bank")),
      h("b", null, number(view.bank)),
    ],
    h("h2", null, t("azi.bank.of", { n: view.bank })),
    paid.length
      ? h(
        "table",
        null,
        h("thead", null, h("tr", null,
          h("th", { scope: "col" }, t("azi.bank.player")),
          h("th", { scope: "col" }, t("azi.bank.paid")),
          h("th", { scope: "col" }, t("azi.bank.would")))),
        h("tbody", null, paid.map(([seat, n]) => h("tr", { key: seat },
          h("th", { scope: "row" }, bdi(nameOf(seat))),
          h("td", null, number(n)),
          h("td", null, would.has(seat) ? number(would.get(seat)) : "–")))),
      )
      : null,
    view.carried ? h("p", null, t("azi.bank.carried", { n: view.carried })) : null,
    view.short.some((seat) => isShort(view, seat)) ? h("p", null, t(`azi.short.${view.short_stack}`)) : null,
    h("p", null, t("azi.bank.help")),
    signs(),
  );
}

/** The turned-up card and what follows from it. */
function trump(view) {
  if (!view.turned_up) return null;
  const inHand = view.dealers_card && view.dealer !== null;
  return [
    card(view.turned_up, {
      key: "up", class: "azi-up", role: "img", "aria-label": t("azi.up", { card: cardName(view.turned_up) }),
      "data-fly": `up-${view.hand_number}`, "data-from": "middle",
    }),
    h("span", { key: "trump", class: "azi-trump" },
      h("span", { class: "word" }, t("azi.trumps")), " ", h("b", null, suitWords(view.trump)),
      inHand ? h("span", { class: "azi-holder" }, say("azi.up.dealer", view.dealer)) : null),
    view.six_on_stage
      ? explained(
        "six", t("azi.six"),
        h("h2", null, t("azi.six")), h("p", null, t("azi.six.help", { suit: t(`suit.${view.trump}`) })),
      )
      : null,
  ];
}

/** What is special in this game. */
function notes(view) {
  const lines = [];
  if (view.entry === "azi") lines.push(t("azi.after", { n: view.carried }));
  else if (view.entry === "again") lines.push(t("azi.again"));
  else if (view.carried) lines.push(t("azi.carried", { n: view.carried }));
  if (view.six_on_stage) lines.push(t("azi.six.line", { suit: t(`suit.${view.trump}`) }));
  return lines.map((text, i) => h("p", { key: `note-${i}`, class: "azi-note" }, text));
}

/** How high the bidding is, and who may go higher. */
function bidding(view) {
  if (!view.highest) {
    const seat = view.turn ?? view.opener;
    if (seat === null) return null;
    return h("p", { class: "azi-line", key: "high" }, say("azi.opens", seat, { n: view.min_bid }));
  }
  const may = clockwise(view.inside.filter((seat) => mayRaise(view, seat)), view.highest_bidder);
  const lead = view.highest_bidder;
  return [
    h("p", { class: "azi-line", key: "high" }, say("azi.highest", lead, { n: view.highest })),
    h("p", { class: "azi-line quiet", key: "may" },
      may.length ? t("azi.may", { names: names(may), n: may.length }) : t("azi.may.none")),
  ];
}

function tricks(view) {
  const { trick } = view;
  const last = view.tricks.at(-1);
  if (!trick.length && last) {
    return [trickRow(view, last[1], { leader: last[0], winner: last[2] }),
      h("p", { class: "azi-line", key: "took" }, say("azi.took", last[2]))];
  }
  const waits = clockwise(
    view.inside.filter((seat) => !trick.some(([one]) => one === seat)), view.leader ?? 0);
  return [
    trickRow(view, trick, { leader: view.leader, waits }),
    last
      ? h("div", { key: "last", class: "azi-last" }, explained(
        "last", t("azi.last"),
        h("h2", null, say("azi.took", last[2])),
        trickRow(view, last[1], { leader: last[0], winner: last[2], still: true }),
      ))
      : null,
  ];
}

/** Cards of a trick in the order of play, each with the name of who played it. `winner`: who took
 *  it; `waits`: who has still to play; `still`: a picture of it that does not move. */
export function trickRow(view, plays, { leader, winner = null, waits = [], still = false }) {
  const best = plays.length ? winning(plays, view.trump, view.six_on_stage) : -1;
  return h(
    "ol",
    { class: "azi-trick", key: `trick-${view.hand_number}`, "aria-label": t("azi.trick") },
    plays.map(([seat, code], i) => h(
      "li",
      { key: `${seat}`, class: i === best ? "best" : "" },
      card(code, {
        class: i === plays.length - 1 && winner === null ? "last" : "",
        role: "img",
        "aria-label": cardName(code),
        ...(still ? {} : { "data-fly": `card-${view.hand_number}-${code}`, "data-from": `seat-${seat}` }),
      }),
      h("span", { class: "azi-who", dir: "auto" }, bdi(nameOf(seat))),
      h("span", { class: "note" }, mark(i === best, winner === null, seat === leader, seat)),
    )),
    waits.map((seat) => h(
      "li",
      { key: `${seat}`, class: "waits" },
      h("span", { class: `azi-place${seat === view.turn ? " turn" : ""}`, "aria-hidden": "true" }),
      h("span", { class: "azi-who", dir: "auto" }, bdi(nameOf(seat))),
      h("span", { class: "note" },
        seat === view.turn ? t("azi.mark.turn") : mark(false, false, seat === leader, seat)),
    )),
  );
}

function mark(best, open, leads, seat) {
  const took = seat === app.state.table.seat ? "azi.mark.took.mine" : "azi.mark.took";
  if (best) return t(open ? "azi.mark.best" : took);
  return leads ? t("azi.mark.leads") : "";
}
