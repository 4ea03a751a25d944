// After a hand: what it brought, why if it brought nothing, and the score sheet.

import { app, nameOf } from "../app.js";
import { cardNames } from "../cardnames.js";
import { bdi, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { mark } from "../icons.js";
import { laidCard } from "./rounds.js";

/** Why a hand was cancelled or void, and which divisions were replaced; each in a sentence. */
export function remarks(view) {
  const said = view.dismissed.map(({ seat, reason, cards }) =>
    h(
      "div",
      { class: "dismissed", key: `dismissed-${seat}` },
      h("p", null, t(`hazari.dismissed.${reason}`, { name: nameOf(seat) })),
      h(
        "div",
        { class: "laid-cards", role: "img", "aria-label": cardNames(cards) },
        cards.map((code) => laidCard(code, seat)),
      ),
    ),
  );
  if (view.dismissed.length) said.push(h("p", { key: "cancelled" }, t("hazari.cancelled")));
  if (view.void) said.push(h("p", { key: "void" }, t("hazari.void")));
  for (const seat of view.replaced) {
    const key = view.foul.includes(seat) ? "hazari.foul" : "hazari.replaced";
    said.push(h("p", { key: `replaced-${seat}` }, t(key, { name: nameOf(seat) })));
    if (view.foul.includes(seat) && view.foul_scores_zero) {
      said.push(h("p", { key: `below-${seat}` }, t("hazari.foul.below", { name: nameOf(seat) })));
    }
  }
  return said;
}

const span = (last) => (last > 1 ? `${number(1)}–${number(last)}` : number(last));

/** What ends the match. */
export function goalText({ hands, target }) {
  return hands ? t("hazari.goal.hands", { n: hands }) : t("hazari.goal.target", { n: target });
}

/** The points of each hand, and what they come to. */
export function sheet(view) {
  const { hands, table } = app.state;
  const seats = table.players.map((_, seat) => seat);
  const rows = [];
  let before = seats.map(() => 0);
  const first = hands[0]?.hand ?? 1;
  // What was played before this page knew of the table stands in one row.
  if (first > 1 && first === view.hand_number) {
    before = view.totals;
    rows.push([span(first - 1), before]);
  }
  for (const { hand, standing } of hands) {
    const totals = standing.find(([name]) => name === "points")?.[1] ?? before;
    const whole = hand === first && first > 1 && !rows.length;
    rows.push([whole ? span(hand) : number(hand), seats.map((seat) => totals[seat] - before[seat]), hand]);
    before = totals;
  }
  const most = Math.max(...before);
  return h(
    "div",
    { class: "sheet-box", key: "sheet", tabindex: "0", role: "region", "aria-label": t("hazari.sheet") },
    h(
      "table",
      { class: "scores" },
      h("caption", null, goalText(view)),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, t("hazari.sheet.hand")),
          seats.map((seat) =>
            h(
              "th",
              { scope: "col", key: seat, class: `who-${seat}` },
              h("span", { class: "who" }, mark(seat), bdi(nameOf(seat), { class: "name" })),
            ),
          ),
        ),
      ),
      h(
        "tbody",
        null,
        rows.map(([name, points, hand]) =>
          h(
            "tr",
            { key: name, class: hand === view.hand_number ? "now" : "" },
            h("th", { scope: "row" }, name),
            points.map((value, seat) => h("td", { key: seat }, number(value))),
          ),
        ),
      ),
      h(
        "tfoot",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "row" }, t("hazari.sheet.total")),
          before.map((value, seat) =>
            h("td", { key: seat, class: value === most && most > 0 ? "most" : "" }, number(value)),
          ),
        ),
      ),
    ),
  );
}
