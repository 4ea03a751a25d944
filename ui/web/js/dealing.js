// While the first pack is shuffled: who is at it, and how far it is.

import { app, nameOf } from "./app.js";
import { bdi, h } from "./dom.js";
import { t } from "./i18n.js";
import { mark } from "./icons.js";

/** What to show while no hand has been dealt yet, or null. */
export function dealing() {
  const { table, fair, view } = app.state;
  if (table.ended || table.stopped || table.left || table.hand > 0 || view) return null;
  if (fair?.resumed) return null; // who comes in later does not know how far the first pack is
  const steps = fair?.packs[0]?.steps ?? [];
  const mixed = new Set(steps.filter((step) => step.kind === "mix").flatMap((step) => step.seats));
  const opened = steps.some((step) => step.kind === "open");
  const proved = steps.some((step) => step.kind === "prove");
  const players = table.players.map((_, seat) => seat);
  const now = opened && !proved ? players.find((seat) => !mixed.has(seat)) : undefined;
  return h(
    "div",
    { class: "dealing", key: "dealing", role: "status" },
    h("p", { class: "what" }, words(opened, now, proved)),
    h(
      "ol",
      { class: "shufflers" },
      players.map((seat) =>
        h(
          "li",
          { key: seat, class: mixed.has(seat) ? "done" : seat === now ? "now" : "" },
          mark(seat),
          h("span", { class: "name" }, seat === table.seat ? t("you") : bdi(nameOf(seat))),
          h(
            "span",
            { class: "state" },
            t(mixed.has(seat) ? "deal.done" : seat === now ? "deal.now" : "deal.later"),
          ),
        ),
      ),
    ),
    h("progress", {
      max: players.length + 2,
      value: mixed.size + (opened ? 1 : 0) + (proved ? 1 : 0),
      "aria-label": t("deal.progress"),
    }),
    h("p", { class: "why" }, t("deal.why")),
  );
}

function words(opened, now, proved) {
  if (!opened) return t("deal.seal");
  if (now !== undefined)
    return now === app.state.table.seat ? t("deal.mix.own") : t("deal.mix", { name: nameOf(now) });
  return proved ? t("deal.out") : t("deal.prove");
}
