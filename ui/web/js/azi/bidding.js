// What may be said in the bidding, and between games: each button says what it costs now. Choosing an
// amount is not yet bidding: a second button says it.

import { app } from "../app.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { send } from "./hand.js";
import { cost, isBlind, own, toLevel } from "./words.js";

/** The buttons of the choice that is owed. */
export function choices() {
  const { ask, view } = app.state;
  if (!ask || !["bid", "buy"].includes(ask.kind)) return null;
  const found = new Map(ask.choices.map((one) => [one.kind, one]));
  if (ask.kind === "buy") return buying(view);
  const must = !found.has("fold");
  if (own.raising !== ask && own.raising !== null) own.raising = null;
  if (found.has("bid") && (own.raising === ask || (must && !found.has("look")))) {
    return amount(found.get("bid").amount, must);
  }
  return [
    h("div", { class: `azi-say of-${ask.choices.length}`, key: "say" },
      found.has("fold") ? say("fold", t("azi.do.fold"), t("azi.do.fold.cost")) : null,
      found.has("look") ? say("look", t("azi.do.look"), t("azi.do.look.cost")) : null,
      found.has("level") ? level(view) : null,
      found.has("bid") ? opening(must, found.get("bid").amount[0], view) : null),
    hints(view, found),
  ];
}

function say(kind, label, price, { main = false, move = [kind], hint } = {}) {
  return h(
    "button",
    {
      key: kind,
      class: `azi-do${main ? " primary" : ""}`,
      "data-do": kind,
      disabled: own.sent === app.state.ask,
      "aria-describedby": hint,
      onclick: () => send(move),
    },
    h("span", { class: "what" }, label),
    h("span", { class: "price" }, price),
  );
}

function level(view) {
  const paid = toLevel(view, view.seat);
  const all = paid < cost(view, view.seat, view.highest) || paid === view.stacks[view.seat];
  const label = t(all ? "azi.do.allin" : "azi.do.level", { n: view.highest });
  return say("level", label, t("azi.cost", { n: paid }), { main: true, hint: "azi-hint-level" });
}

/** The button that shows the amounts; it does not bid. */
function opening(must, least, view) {
  return h(
    "button",
    {
      key: "raise",
      class: `azi-do${must ? " primary" : ""}`,
      "data-do": "raise",
      disabled: own.sent === app.state.ask,
      onclick: () => {
        own.raising = app.state.ask;
        own.amount = least;
        app.redraw();
        focusOn("amount");
      },
    },
    h("span", { class: "what" }, t(must ? "azi.do.open" : "azi.do.raise")),
    h("span", { class: "price" }, t("azi.cost.from", { n: cost(view, view.seat, least) })),
  );
}

/** What the buttons mean, where it is not plain. */
function hints(view, found) {
  const lines = [];
  if (found.has("look")) {
    const reach = view.levels[view.seat] + view.stacks[view.seat];
    const poor = !found.has("fold") && reach < view.min_bid; // looking takes away the half price
    lines.push(["blind", poor ? t("azi.hint.poor", { n: view.stacks[view.seat] }) : t("azi.hint.blind")]);
  }
  if (found.has("level") && !found.has("look")) {
    const short = toLevel(view, view.seat) < cost(view, view.seat, view.highest);
    if (short) lines.push(["level", t("azi.hint.short")]);
    else lines.push(["level", t(view.callers_may_reraise ? "azi.hint.level.may" : "azi.hint.level")]);
  }
  const spare = view.stacks[view.seat] - toLevel(view, view.seat);
  if (!found.has("bid") && found.has("fold") && spare) lines.push(["nobid", noBid(view)]);
  return lines.map(([name, text]) =>
    h("p", { key: `hint-${name}`, id: `azi-hint-${name}`, class: "azi-hint" }, text));
}

function noBid(view) {
  const { seat } = view;
  if (!view.callers_may_reraise && view.yielded.includes(seat)) return t("rule.bid.lead");
  if (view.bids_made[seat] >= 3) return t("rule.bid.limit");
  const full = view.max_bid && view.highest + view.raise_step > view.max_bid;
  return full ? t("azi.hint.max", { n: view.max_bid }) : t("azi.hint.chips");
}

/** An amount to be chosen, and the button that bids it. */
function amount([least, most, step], must) {
  const { ask, view } = app.state;
  if (own.raising !== ask) {
    own.raising = ask;
    own.amount = least;
  }
  const value = own.amount;
  const whole = Number.isInteger(value);
  const fits = whole && value >= least && value <= most && (value - least) % step === 0;
  const double = Math.min(most, least * 2 - ((least * 2 - least) % step));
  const pick = (n) => () => {
    own.amount = Math.max(least, Math.min(most, n));
    app.redraw();
  };
  const quick = [["least", least], ["double", double], ["most", most]].filter(([, n], i, all) =>
    all.findIndex(([, other]) => other === n) === i);
  return h(
    "form",
    {
      key: "amount", class: "azi-amount", novalidate: true, "aria-label": t("azi.amount"),
      onsubmit: (event) => {
        event.preventDefault();
        if (fits) send(["bid", value]);
      },
    },
    h("div", { class: "azi-row", key: "row" },
      bump("−", "less", t("azi.amount.less"), pick(value - step), value <= least),
      h("input", {
        key: "number",
        class: "number",
        type: "text",
        inputmode: "numeric",
        autocomplete: "off",
        "data-do": "amount",
        "aria-label": t("azi.amount.of", { least, most }),
        "aria-invalid": fits ? undefined : "true",
        value: whole ? String(value) : "",
        oninput: (event) => {
          const typed = digits(event.target.value);
          own.amount = typed === "" ? NaN : Number(typed);
          app.redraw();
        },
        onkeydown: (event) => {
          const by = { ArrowUp: step, ArrowDown: -step }[event.key];
          if (!by) return;
          event.preventDefault();
          pick((whole ? value : least) + by)();
        },
      }),
      bump("+", "more", t("azi.amount.more"), pick(value + step), value >= most),
      h("input", {
        key: "slider",
        class: "slider",
        type: "range",
        min: least,
        max: most,
        step,
        value: String(fits ? value : least),
        "aria-label": t("azi.amount"),
        "data-do": "slider",
        oninput: (event) => pick(Number(event.target.value))(),
      })),
    quick.length > 1
      ? h("div", { class: "azi-row quick", key: "quick" }, quick.map(([name, n]) =>
        h(
          "button",
          {
            key: name,
            type: "button",
            "data-do": name,
            "aria-pressed": String(n === value),
            onclick: pick(n),
          },
          h("span", null, t(`azi.amount.${name}`)), " ", h("b", null, number(n)),
        )))
      : null,
    fits ? null : h("p", { class: "azi-hint wrong", key: "wrong", role: "alert" },
      t(step > 1 ? "azi.amount.even" : "azi.amount.range", { least, most })),
    h("div", { class: "azi-row", key: "go" },
      must && !hasLook(ask) ? null : h("button", {
        key: "back",
        type: "button",
        class: "azi-do",
        "data-do": "back",
        onclick: () => {
          own.raising = null;
          app.redraw();
          focusOn("raise");
        },
      }, t("azi.do.back")),
      h(
        "button",
        { key: "bid", class: "azi-do primary", "data-do": "bid", disabled: !fits || own.sent === ask },
        h("span", { class: "what" }, fits ? t("azi.do.bid", { n: value }) : t("azi.do.raise")),
        fits ? h("span", { class: "price" }, t("azi.cost", { n: cost(view, view.seat, value) })) : null,
      )),
    isBlind(view, view.seat) ? h("p", { class: "azi-hint", key: "half" }, t("azi.hint.half")) : null,
  );
}

function hasLook(ask) {
  return ask.choices.some(({ kind }) => kind === "look");
}

/** Puts the focus on what is about to be drawn. */
function focusOn(name) {
  requestAnimationFrame(() => document.querySelector(`[data-do=${name}]`)?.focus());
}

/** What was typed as plain digits, whatever digits the language has. */
function digits(text) {
  const plain = text.replace(/[\u0660-\u0669]/g, (c) => String(c.charCodeAt(0) - 0x660));
  return plain.replace(/\D/g, "").slice(0, 8);
}

function bump(sign, name, label, onclick, disabled) {
  return h(
    "button",
    { key: name, type: "button", class: "bump", "data-do": name, "aria-label": label, disabled, onclick },
    h("span", { "aria-hidden": "true" }, sign),
  );
}

function buying(view) {
  return [
    h("div", { class: "azi-say", key: "say" },
      say("pass", t("azi.do.pass"), t("azi.do.pass.cost")),
      say("buy", t("azi.do.buy"), t("azi.cost", { n: view.price }), { main: true })),
    h("p", { class: "azi-hint", key: "buy" }, t("azi.hint.buy", { n: view.bank + view.price })),
  ];
}
