// A table that has stopped, and the one at which its players go on.

import { act, app } from "./app.js";
import { bdi, h } from "./dom.js";
import { number, t } from "./i18n.js";
import { listed } from "./names.js";

/** What can be done about a table that has stopped, for the end of that table and for the lobby: the
 *  ways to go on, or null. `main`: whether the first of them is what people most likely want. */
export function goingOn(main = true) {
  const { again, table, lobby } = app.state;
  if (!again || lobby || (table && table.id !== again.table)) return null;
  const ways = again.offers.map((offer) => joining(offer, main));
  if (!ways.length) ways.push(opening(again, main && !again.full.length));
  return h("div", { class: "again", key: "again" }, ways);
}

/** The same as one short button, for a line of little room; or null. */
export function goOnButton() {
  const { again } = app.state;
  if (!goingOn()) return null;
  const [offer] = again.offers;
  const go = () => act("go_on", offer ? { key: offer.key } : {});
  const title = offer ? t("again.offer", { name: offer.name }) : null;
  const name = offer ? "go-on-join" : "go-on";
  return h("button", { key: "go-on", "data-do": name, title, onclick: go }, t("again.open.few"));
}

function joining({ key, name }, main) {
  return h(
    "div",
    { class: "row", key },
    h("p", null, t("again.offer", { name })),
    h(
      "button",
      { class: main ? "primary" : "", "data-do": "go-on-join", onclick: () => act("go_on", { key }) },
      t("lobby.sit"),
    ),
  );
}

function opening(again, main) {
  const others = again.vacant.filter((seat) => seat !== again.seat);
  const names = listed(others.map((seat) => again.names[seat]));
  const one = others.length === 1;
  return h(
    "div",
    { class: "row", key: "open" },
    explained(again, others, names),
    h(
      "button",
      { class: main ? "primary" : "", "data-do": "go-on", onclick: () => act("go_on") },
      one ? t("again.open", { name: names }) : t("again.open.few"),
    ),
  );
}

/** Who could take part; or that others have gone on already, as it looks, and this one is too late. */
function explained({ full, most_new }, others, names) {
  if (full.length) return full.map((name, i) => h("p", { key: `full-${i}` }, t("again.full", { name })));
  // Who alone has left it only takes the own seat again.
  if (!others.length) return null;
  return h("p", { key: "help" }, t(others.length === 1 ? "again.help" : "again.help.few", { names, n: most_new }));
}

/** In the lobby: that the last table has stopped, and how to go on; or null. */
export function stoppedBefore() {
  const { again } = app.state;
  const ways = goingOn(false);
  if (!ways) return null;
  return h(
    "section",
    { class: "box", key: "again-box", "aria-labelledby": "h-again" },
    h("h2", { id: "h-again" }, t("again.title", { table: again.name })),
    ways,
  );
}

/** What a seat has, in words: points or chips; "" where that is not known. */
export function scoreOf({ standing }, seat) {
  const [name, all] = standing.find(([, value]) => Array.isArray(value) && value.length > seat) ?? [];
  if (name === "points") return t("hazari.points", { n: all[seat] });
  if (name === "stacks") return t("again.chips", { n: all[seat] });
  return name ? number(all[seat]) : "";
}

/** What a table that goes on begins with, above its seats. */
export function beginning({ hand, standing }) {
  const bank = Number(standing.find(([name]) => name === "carried")?.[1] ?? 0);
  return h(
    "p",
    { class: "soft", key: "begins" },
    t("room.again", { n: hand }),
    bank ? [" ", t("again.bank", { n: bank })] : null,
  );
}

/** A seat that nobody has yet: for whom it is kept, or that anybody may take it. */
export function freeSeat(origin, seat) {
  const { before, free } = origin.seats[seat];
  if (free) return before ? t("room.again.free", { name: before }) : t("room.free");
  return before ? t("room.again.kept", { name: before }) : t("room.again.kept.other");
}

/** The score of a seat beside its name. */
export function scoreChip(origin, seat) {
  const words = scoreOf(origin, seat);
  return words ? h("span", { class: "chip score" }, bdi(words)) : null;
}
