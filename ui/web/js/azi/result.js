// How a game of Azi ended: who took the bank, what went back, what happens with an azi; and the sheet
// of stacks.

import { app, nameOf } from "../app.js";
import { bdi, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { explained, names, say } from "./words.js";

/** What became of the game that is over, or of the bank between games. `trickRow` draws the last
 *  trick; null: there is no room for it. */
export function result(view, trickRow) {
  const over = view.ended ? view : app.state.result?.view?.ended ? app.state.result.view : null;
  const between = view.ended ? null : view;
  const last = over?.tricks.at(-1);
  return [
    last && !between && trickRow ? trickRow(over, last[1], { leader: last[0], winner: last[2] }) : null,
    h("div", { key: "end", class: "azi-end", role: "status" },
      over && !between ? told(over).map((text, i) => line(text, i === 0)) : null,
      between ? interlude(between).map((text, i) => line(text, i === 0)) : null),
    h("div", { key: "more", class: "azi-more" },
      over?.ended === "azi"
        ? explained("azi", t("azi.what"), h("h2", null, t("azi.what")), h("p", null, t("azi.what.help")))
        : null,
      sheet()),
  ];
}

function line(text, first) {
  return h("p", { key: text, class: first ? "azi-line big" : "azi-line" }, text);
}

/** The end of a game in sentences, the most important one first. */
export function told(view) {
  const [paid, ...back] = view.payouts;
  if (view.ended === "won") {
    return [say("azi.end.won", paid[0], { n: paid[1] }), ...parts("azi.end.back", back)];
  }
  if (view.ended === "alone") return [say("azi.end.alone", paid[0], { n: paid[1] })];
  if (view.ended === "azi" && view.payouts.length) {
    return [t("azi.end.azi.last"), ...parts("azi.end.part", view.payouts)];
  }
  if (view.ended === "azi") {
    const heirs = { names: names(view.heirs), n: view.heirs.length };
    return [t("azi.end.azi", { n: view.bank }), t(`azi.end.entry.${view.azi_entry}`, heirs)];
  }
  if (view.ended === "spent") return [t("azi.end.spent", { names: names(view.heirs) }), ...penalties(view)];
  return [t("azi.end.void"), ...penalties(view)];
}

/** What several got: one sentence, for one or for all. */
function parts(key, list) {
  if (list.length < 2) return list.map(([seat, n]) => say(key, seat, { n }));
  const pairs = list.map(([seat, n]) => t("azi.pair", { name: nameOf(seat), n }));
  return [t(`${key}.all`, { list: pairs.join(", ") })];
}

function penalties(view) {
  return view.actions
    .filter(([, kind]) => kind === "penalty")
    .map(([seat, , n]) => say("azi.end.penalty", seat, { n }));
}

/** What is going on between games. */
function interlude(view) {
  const lines = view.actions
    .filter(([, kind]) => ["buy", "pass"].includes(kind))
    .map(([seat, kind, n]) => say(`azi.between.${kind}`, seat, { n }));
  if (view.phase === "buy") {
    lines.unshift(
      t("azi.between", { n: view.bank }),
      t("azi.between.sure", { names: names(view.seats), n: view.seats.length }),
    );
  }
  if (view.payouts.length) {
    lines.push(t("azi.between.few"), ...parts("azi.end.part", view.payouts));
  }
  return lines;
}

/** The sheet: every game with the stacks after it, what changed in signs with numbers. */
export function sheet() {
  const { hands, table } = app.state;
  if (!hands?.length) return null;
  const stacks = hands.map(({ standing }) => new Map(standing));
  const start = table.players.map(() => table.options.stack);
  const carried = stacks.some((one) => one.get("carried"));
  return explained(
    "sheet", t("azi.sheet"),
    h("h2", null, t("azi.sheet")),
    h(
      "div",
      { class: "azi-scroll", tabindex: 0 },
      h(
        "table",
        null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("azi.sheet.game")),
          table.players.map((_, seat) => h("th", { scope: "col", key: seat }, bdi(nameOf(seat)))),
          carried ? h("th", { scope: "col" }, t("azi.sheet.carried")) : null)),
        h("tbody", null, stacks
          .map((now, i) => row(hands[i].hand, now, stacks[i - 1]?.get("stacks") ?? start, carried))
          .reverse()),
      ),
    ),
  );
}

function row(hand, now, before, carried) {
  return h("tr", { key: hand }, h("th", { scope: "row" }, number(hand)),
    now.get("stacks").map((chips, seat) => {
      const by = chips - before[seat];
      const change = `${by > 0 ? "+" : "−"}${number(Math.abs(by))}`;
      return h("td", { key: seat }, number(chips),
        by ? h("small", { class: by > 0 ? "up" : "down" }, change) : null);
    }),
    carried ? h("td", null, number(now.get("carried") ?? 0)) : null);
}
