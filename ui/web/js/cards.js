// The 52 playing cards and their back, drawn as SVG: own suit signs, own figures for the index,
// own court. Nothing here has a colour of its own except the back, whose two tones come from the
// pack's hash; everything else is `currentColor` or a class that cards.css colours.
//
// A card is 100 x 140 units. Two drawings lie in each: `.s`, for narrow cards, is only an index and
// one big sign; `.l` has pips or a court figure. cards.css shows the one that fits the width.

import { h } from "./dom.js";

export const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"];
export const SUITS = ["S", "H", "D", "C"];

export function rankText(rank) {
  return rank === "T" ? "10" : rank;
}

// ---- Paths: [command, numbers…] lists, so that one can be set down anywhere, at any size.

const read = (d) => d.match(/[A-Z][^A-Z]*/g).map((part) => [part[0], ...(part.slice(1).match(/-?[\d.]+/g) ?? []).map(Number)]);
const num = (x) => String(Math.round(x * 100) / 100);

/** The path's text, scaled by `s` (negative: turned by 180°) and moved to x, y. */
function put(path, x, y, s) {
  return path.map(([c, ...n]) => c + n.map((v, i) => num(v * s + (i % 2 ? y : x))).join(" ")).join("");
}

/** A circle in four curves. */
function ring(x, y, r) {
  const k = r * 0.5523;
  return `M${num(x)} ${num(y - r)}`
    + `C${num(x + k)} ${num(y - r)} ${num(x + r)} ${num(y - k)} ${num(x + r)} ${num(y)}`
    + `C${num(x + r)} ${num(y + k)} ${num(x + k)} ${num(y + r)} ${num(x)} ${num(y + r)}`
    + `C${num(x - k)} ${num(y + r)} ${num(x - r)} ${num(y + k)} ${num(x - r)} ${num(y)}`
    + `C${num(x - r)} ${num(y - k)} ${num(x - k)} ${num(y - r)} ${num(x)} ${num(y - r)}Z`;
}

// Suit signs, about 20 units high around 0, 0.
const SIGN = {
  S: read("M0 -10.4C1.6 -6.6 9.6 -2.8 9.6 2.9C9.6 6 7.4 7.7 5 7.7C3.1 7.7 1.7 6.8 .8 5.3C1 7.7 2 9.4 4 10.2L-4 10.2C-2 9.4 -1 7.7 -.8 5.3C-1.7 6.8 -3.1 7.7 -5 7.7C-7.4 7.7 -9.6 6 -9.6 2.9C-9.6 -2.8 -1.6 -6.6 0 -10.4Z"),
  H: read("M0 10C-1.6 6 -9.6 2.2 -9.6 -4C-9.6 -7.5 -7.3 -9.5 -4.8 -9.5C-2.4 -9.5 -.7 -7.9 0 -5.6C.7 -7.9 2.4 -9.5 4.8 -9.5C7.3 -9.5 9.6 -7.5 9.6 -4C9.6 2.2 1.6 6 0 10Z"),
  D: read("M0 -10.6C1.8 -6.7 4.8 -3 8.2 0C4.8 3 1.8 6.7 0 10.6C-1.8 6.7 -4.8 3 -8.2 0C-4.8 -3 -1.8 -6.7 0 -10.6Z"),
  C: read(ring(0, -5.5, 4.6) + ring(-5.1, 2.3, 4.6) + ring(5.1, 2.3, 4.6)
    + "M-2.4 -3L2.4 -3L2.6 1L.8 3.4C1 7.2 2 9.2 4.2 10.2L-4.2 10.2C-2 9.2 -1 7.2 -.8 3.4L-2.6 1Z"),
};

// The index: letters and figures as strokes in a box of 12 x 18 (the ten: 15 x 18).
const GLYPH = {
  2: "M1.7 5.6C1.7 2.9 3.5 1.3 6 1.3C8.6 1.3 10.3 3 10.3 5.4C10.3 8.3 8 10.2 2.2 16.7H11.2",
  3: "M1.9 1.3H10L5.4 7.4C8.8 7 10.7 8.9 10.7 11.8C10.7 14.8 8.6 16.7 5.8 16.7C3.5 16.7 1.8 15.5 1.3 13.3",
  4: "M8.4 18V1.5L1.6 12.4H11.8",
  5: "M10.2 1.3H3L2.4 8.1C3.4 7.2 4.7 6.8 6 6.8C8.8 6.8 10.7 8.7 10.7 11.6C10.7 14.7 8.7 16.7 5.9 16.7C3.6 16.7 1.9 15.5 1.3 13.4",
  6: "M10 3.6C9.2 2.1 7.9 1.3 6.3 1.3C3.1 1.3 1.3 4.6 1.3 10.4C1.3 14.5 3.1 16.7 6 16.7C8.8 16.7 10.7 14.7 10.7 11.8C10.7 8.9 8.9 7.1 6.3 7.1C3.7 7.1 1.9 8.9 1.4 11.4",
  7: "M1 1.3H10.8C7.5 6.2 5.6 11.2 5 18",
  8: "M6 8.4C3.7 8.4 2.1 7 2.1 4.9C2.1 2.8 3.7 1.3 6 1.3C8.3 1.3 9.9 2.8 9.9 4.9C9.9 7 8.3 8.4 6 8.4C3.2 8.4 1.3 10.1 1.3 12.6C1.3 15 3.2 16.7 6 16.7C8.8 16.7 10.7 15 10.7 12.6C10.7 10.1 8.8 8.4 6 8.4Z",
  9: "M2 14.4C2.8 15.9 4.1 16.7 5.7 16.7C8.9 16.7 10.7 13.4 10.7 7.6C10.7 3.5 8.9 1.3 6 1.3C3.2 1.3 1.3 3.3 1.3 6.2C1.3 9.1 3.1 10.9 5.7 10.9C8.3 10.9 10.1 9.1 10.6 6.6",
  T: "M.2 4.4L2.8 2V18M10.4 1.3C12.6 1.3 13.9 4.2 13.9 9C13.9 13.8 12.6 16.7 10.4 16.7C8.2 16.7 6.9 13.8 6.9 9C6.9 4.2 8.2 1.3 10.4 1.3Z",
  J: "M4.4 1.2H11.2M8.3 1.3V12.2C8.3 15.3 7 16.7 4.9 16.7C2.8 16.7 1.4 15.2 1.3 12.4",
  Q: "M6 1.3C8.9 1.3 10.7 4.3 10.7 9C10.7 13.7 8.9 16.7 6 16.7C3.1 16.7 1.3 13.7 1.3 9C1.3 4.3 3.1 1.3 6 1.3ZM6 12.2L11.4 18.2",
  K: "M2.9 1.2V16.8M10.4 1.2L3.2 10.6M5.6 7.6L10.3 16.8M.5 1.2H5.3M.5 16.8H5.3M8 1.2H12M8 16.8H12",
  A: "M1.9 16.8L6 1.4L10.1 16.8M3.2 11.9H8.8M0 16.8H4M8 16.8H12",
};

const path = (d, cls) => h("path", { d, class: cls });

/** The rank in a box at x, y, `high` units high and at most `wide` wide. */
function glyph(rank, x, y, high, wide) {
  const own = rank === "T" ? 15 : 12;
  const sy = high / 18;
  const sx = Math.min(wide / own, sy);
  const left = x + (wide - own * sx) / 2;
  return h("path", {
    d: GLYPH[rank], class: "i", "stroke-width": rank === "T" ? 3 : 2.7,
    transform: `translate(${num(left)} ${num(y)}) scale(${num(sx)} ${num(sy)})`,
  });
}

const turned = (...kids) => h("g", { transform: "rotate(180 50 70)" }, kids);

// ---- Pips

const L = 36.5, M = 50, R = 63.5;
const ROWS = { 2: [24, 70, 116], 3: [24, 54.67, 85.33, 116] };
const PIPS = (() => {
  const sides = (ys) => ys.flatMap((y) => [[L, y], [R, y]]);
  const three = sides(ROWS[2]);
  const four = sides(ROWS[3]);
  return {
    2: [[M, 24], [M, 116]],
    3: [[M, 24], [M, 70], [M, 116]],
    4: sides([24, 116]),
    5: [...sides([24, 116]), [M, 70]],
    6: three,
    7: [...three, [M, 47]],
    8: [...three, [M, 47], [M, 93]],
    9: [...four, [M, 70]],
    T: [...four, [M, 39.3], [M, 100.7]],
  };
})();

function pips(rank, suit) {
  const size = rank === "2" || rank === "3" ? 1.06 : 0.84;
  return [path(PIPS[rank].map(([x, y]) => put(SIGN[suit], x, y, y > 70 ? -size : size)).join(""))];
}

// ---- Ace: one large sign, a line inside it, a small flower in its heart, and two quiet scrolls.

const SCROLL = "M50 20C45 14 36 15 36 21C36 25 41 25.4 41.4 22M50 20C55 14 64 15 64 21C64 25 59 25.4 58.6 22M45.6 16.6C46 13.6 48 12 50 11C52 12 54 13.6 54.4 16.6";
const BUDS = ring(41.2, 21.6, 1.2) + ring(58.8, 21.6, 1.2) + put(SIGN.D, 50, 26.6, 0.34);

function ace(suit) {
  const y = { S: 71, H: 69, D: 70, C: 72 }[suit];
  const heart = { S: 74, H: 65, D: 70, C: 72 }[suit];
  let flower = "";
  const k = suit === "C" ? 0.78 : 1;
  for (let i = 0; i < 6; i++) {
    const t = i * Math.PI / 3;
    flower += ring(50 + 4.2 * k * Math.sin(t), heart - 4.2 * k * Math.cos(t), 1.7 * k);
  }
  return [
    path(put(SIGN[suit], 50, y, 2.9)),
    suit === "C" ? null : path(put(SIGN[suit], 50, y + { S: 0.6, H: -0.8, D: 0 }[suit], 2.35), "f1"),
    suit === "C" ? path(ring(50, 55.2, 9.4) + ring(34.6, 78.9, 9.4) + ring(65.4, 78.9, 9.4), "f1") : null,
    path(flower + ring(50, heart, 1.5 * k), "b f0"),
    path(SCROLL, "n"), path(BUDS),
    turned(path(SCROLL, "n"), path(BUDS)),
  ];
}

// ---- Court. Half a figure stands above the slanting line y = -x/4 through the middle (0, 0) of the
// card; the other half is the same, turned. Classes: c suit colour, t its tint, g gold, f face
// colour; all with an outline in the suit colour except c and b (bare).

const FACE = "M-8 -41C-8.6 -33 -7.4 -27 -3.6 -23.4C-1.4 -21.4 1.4 -21.4 3.6 -23.4C7.4 -27 8.6 -33 8 -41Z";
const BROW = "M-6 -36.4C-4.8 -37.8 -2.8 -37.8 -1.3 -36.6C-.9 -34 -1.2 -32 -1.9 -30.2C-1.4 -29.2 -.2 -29 .8 -29.4M6 -36.4C4.8 -37.8 2.8 -37.8 1.6 -36.8";
const EYES = ring(-3.7, -34.6, 0.95) + ring(3.7, -34.6, 0.95);
const BODY = "M-26 6.5L-26 -4C-25 -11 -19 -15.5 -9 -18L9 -18C18 -16 24 -13 26 -9.5L26 -6.5Z";
const HAND = "M17 -12.4C17 -14.6 23.4 -15 24 -12.6C24.6 -10 24 -7.6 21 -7.2C18 -7 16.6 -8.6 17 -12.4ZM18.6 -10.6H22.6";

function king(suit) {
  return [
    path("M19.4 -7V-49H21.6V-7Z", "g"),
    path(put(SIGN[suit], 20.5, -51, 0.5)),
    path("M-8 -42C-13 -41 -14.6 -35 -12.6 -30C-14 -26 -12.6 -21.4 -9.4 -20.4L9.4 -20.4C12.6 -21.4 14 -26 12.6 -30C14.6 -35 13 -41 8 -42Z", "c"),
    path(BODY, "c"),
    path("M-3.6 -14V.9L3.6 -.9V-14Z", "t"),
    path("M-8 -22C-16 -20.6 -20.4 -17.6 -21.6 -12.4C-17 -9 -12 -8 -8.8 -8V2.2L-3.6 .9V-14H3.6V-.9L8.8 -2.2V-8C12 -8 16 -9 17.6 -11L17 -18C14.6 -20 11.6 -21.4 8 -22Z", "f"),
    path([[-16.6, -13.4], [-11.4, -16.4], [-10.6, -10.8], [11.4, -16.4], [10.6, -10.8], [-6.2, -5.4], [-6.2, -1.2], [6.2, -6.6]].map(([x, y]) => put(SIGN.D, x, y, 0.13)).join("")),
    path("M-24.6 -5.4C-19 -1.4 -14 -.6 -11 -.4M14 -7.6L20 -5.4", "gl2"),
    path(FACE, "f"),
    path("M-8.2 -34C-9.4 -24 -7 -14 -3 -7.6L0 -12L3 -7.6C7 -14 9.4 -24 8.2 -34C7 -30 5 -28 2.4 -28.2L0 -27.4L-2.4 -28.2C-5 -28 -7 -30 -8.2 -34Z", "t"),
    path("M-4.8 -23C-4.8 -18 -4 -14 -2.6 -11M4.8 -23C4.8 -18 4 -14 2.6 -11M0 -22V-13.6", "n"),
    path("M-2.2 -25.2H2.2", "n"),
    path(BROW, "n"), path(EYES, "b"),
    path("M-9.6 -41V-44.6L-11.8 -53.4L-5.8 -49.4L0 -56.4L5.8 -49.4L11.8 -53.4L9.6 -44.6V-41Z", "g"),
    path("M-9.6 -44.8H9.6", "n"),
    path(ring(-11.8, -53.8, 1.3) + ring(11.8, -53.8, 1.3) + ring(0, -57, 1.6) + ring(-4.8, -42.9, 0.8) + ring(0, -42.9, 0.8) + ring(4.8, -42.9, 0.8)),
    path(HAND, "f"),
  ];
}

function queen(suit) {
  let petals = "";
  for (let i = 0; i < 5; i++) petals += ring(20.5 + 3 * Math.sin(i * 1.2566), -39 - 3 * Math.cos(i * 1.2566), 2.3);
  return [
    path("M20.5 -8C20 -18 21 -26 20.5 -35M20.5 -20C23 -21 24.4 -23 24.6 -26M20.5 -24C18.4 -25 17.4 -27 17.4 -29.4", "n"),
    path(petals, "c"), path(ring(20.5, -39, 1.7), "g"),
    path("M0 -47C-10 -47.6 -14 -41 -13 -33C-12.4 -27 -16.6 -22 -15.4 -14L15.4 -14C16.6 -22 12.4 -27 13 -33C14 -41 10 -47.6 0 -47Z", "c"),
    path(BODY, "t"),
    path("M-3.6 -25V-19.6C-5 -18.4 -9 -17.6 -11.4 -17C-9 -11 -4 -7.4 0 -6.4C4 -7.4 9 -11 11.4 -17C9 -17.6 5 -18.4 3.6 -19.6V-25Z", "f"),
    path("M-26 6.5V-4C-25 -11 -19 -15.5 -11.4 -17C-12 -8 -12 -3 -11 2.75ZM26 -6.5V-9.5C24 -13 18 -16 11.4 -17C11.6 -11 11.6 -7 11 -2.75Z", "c"),
    path("M-11.4 -17C-9 -11 -4 -7.4 0 -6.4C4 -7.4 9 -11 11.4 -17", "gl"),
    path([-6, -3.1, 0, 3.1, 6].map((x) => ring(x, -15.6 - x * x / 22 + 1.6, 0.85)).join("")),
    path(FACE, "f"),
    path("M0 -46C-4 -44 -7.6 -40 -8.2 -33L-10 -36L-8 -45ZM0 -46C4 -44 7.6 -40 8.2 -33L10 -36L8 -45Z", "c"),
    path(BROW, "n"), path(EYES, "b"),
    path("M-2 -25.6C-.8 -26.4 -.4 -26 0 -25.8C.4 -26 .8 -26.4 2 -25.6C1 -24.4 -1 -24.4 -2 -25.6Z", "b"),
    path("M-9 -44.6C-6 -46.2 6 -46.2 9 -44.6L10.4 -50C8.6 -52.6 6.2 -52.4 5.2 -50.4C4.6 -54.2 -4.6 -54.2 -5.2 -50.4C-6.2 -52.4 -8.6 -52.6 -10.4 -50Z", "g"),
    path(ring(0, -55, 1.7) + ring(-8.6, -53.6, 1.3) + ring(8.6, -53.6, 1.3) + put(SIGN.D, 0, -49, 0.2)),
    path(HAND, "f"),
  ];
}

function jack(suit) {
  return [
    path("M19.6 -7V-44H21.4V-7Z", "g"),
    path("M20.5 -52L22 -42L20.5 -38L19 -42ZM22 -42C24.6 -42.6 25.2 -38 24.4 -34C23.6 -36.6 22.6 -37.6 20.6 -37.6ZM19 -41.6L16.4 -40.6V-37L19.6 -38Z", "c"),
    path("M-8 -42C-12 -40 -12.6 -34 -12 -28C-13.4 -26 -14.6 -24.6 -14.4 -22.4C-11 -21 -8 -22.4 -7 -26L-6 -40ZM8 -42C12 -40 12.6 -34 12 -28C13.4 -26 14.6 -24.6 14.4 -22.4C11 -21 8 -22.4 7 -26L6 -40Z", "c"),
    path(BODY, "t"),
    path("M0 -18H-9C-19 -15.5 -25 -11 -26 -4V6.5L0 0Z", "c"),
    path("M6.5 -17V-1.6M13 -15.8V-3.2M19.5 -14V-4.9", "n"),
    path("M-6.5 -17V1.6M-13 -15.8V3.2M-19.5 -13V4.9", "fl"),
    path([-14.5, -9, -3.6].map((y) => ring(0, y, 1.2)).join(""), "g"),
    path("M-4 -25L-9.6 -20.4L-8.6 -15.6L-4.8 -18.2L-2.6 -14.4L0 -17.8L2.6 -14.4L4.8 -18.2L8.6 -15.6L9.6 -20.4L4 -25Z", "f"),
    path(FACE, "f"),
    path(BROW, "n"), path(EYES, "b"), path("M-1.8 -25.8C-.6 -25 1 -25.2 2 -26.2", "n"),
    path("M8 -46C10 -54 16 -58.6 15.4 -50C15 -45.6 11.6 -43.4 8 -43Z", "g"),
    path("M8.4 -44.6C10.6 -47 12.4 -49.4 13.4 -52.4", "n"),
    path("M-10.6 -43.6C-15 -50 -7 -56.6 1 -56C8 -55.6 12 -50.6 10.6 -43.6C4 -45.4 -4 -45.4 -10.6 -43.6Z", "c"),
    path("M-10.6 -40.4V-44C-4 -45.8 4 -45.8 10.6 -44V-40.4C4 -42 -4 -42 -10.6 -40.4Z", "g"),
    path(HAND, "f"),
  ];
}

const FIGURE = { J: jack, Q: queen, K: king };

function court(rank, suit) {
  const half = (turn) => h("g", { transform: `translate(50 70)${turn}` },
    FIGURE[rank](suit), path(put(SIGN[suit], -19.2, -51, 0.56)), path("M-26 6.5L26 -6.5", "gl"));
  return [
    half(""), half(" rotate(180)"),
    h("rect", { x: 24, y: 9, width: 52, height: 122, rx: 1.5, class: "n" }),
  ];
}

// ---- A card

const known = new Map();

function drawing(rank, suit, size) {
  const id = rank + suit + size;
  if (!known.has(id)) {
    const corner = () => [
      glyph(rank, 3.8, 7, 25, 17.2),
      path(put(SIGN[suit], 12.4, 44, 0.8)),
    ];
    const picture = rank === "A" ? ace(suit) : FIGURE[rank] ? court(rank, suit) : pips(rank, suit);
    known.set(id, h("svg", { viewBox: "0 0 100 140", "aria-hidden": "true" },
      size === "s" ? null : h("g", { class: "l" }, h("g", { class: "p" }, picture), corner(), turned(corner())),
      size === "l" ? null : h("g", { class: "s" },
        glyph(rank, 7, 9, 54, 40),
        path(put(SIGN[suit], 27, 83, 1.4)),
        path(put(SIGN[suit], 70, 106, 2.4), "p"))));
  }
  return known.get(id);
}

const classes = (...names) => names.filter(Boolean).join(" ");

/** A card face; `code` like "AS", "TD". Prop `size`: "s" or "l" forces the narrow or the full drawing. */
export function card(code, props = {}) {
  const [rank, suit] = code;
  if (code.length !== 2 || !GLYPH[rank] || !SIGN[suit]) throw new RangeError(`no such card: ${code}`);
  const { size = "", class: cls, ...rest } = props;
  return h("span", {
    ...rest, class: classes("card", cls), "data-card": code, "data-suit": suit, "data-size": size || null,
  }, drawing(rank, suit, size));
}

/** A small sign of the suit for texts and buttons, as high as the letters around it;
 *  class "plain": in the colour of the text (on felt). */
export function suitSign(suit, props = {}) {
  const { class: cls, ...rest } = props;
  return h("svg", { viewBox: "-11 -11 22 22", "aria-hidden": "true", ...rest,
    class: classes("suit", cls), "data-suit": suit }, path(put(SIGN[suit], 0, 0, 1)));
}

// ---- The back. Everything is drawn from the bytes of the hash, in a field of 86 x 126 around 0, 0,
// and is the same when the card is turned.

const W = 43, H = 63;

function bytes(head) {
  return Array.from({ length: 16 }, (_, i) => parseInt(head.slice(2 * i, 2 * i + 2), 16) || 0);
}

/** Lines all over the field, `nx` and `ny` cells across and down; whether a motif fits the cells;
 *  whether cells must be about square. */
const LATTICE = [
  // lozenges
  [(nx, ny) => slants(nx, ny), true],
  // lozenges of double lines
  [(nx, ny) => slants(nx, ny, 0.13), true],
  // triangles
  [(nx, ny) => slants(nx, ny) + rows(ny * 2), true],
  // rings that overlap
  [(nx, ny) => cells(nx, ny, (x, y, w) => ring(x, y, w * 0.71)), true, true],
  // ogees: waves from top to bottom that meet
  [(nx, ny) => waves(nx, ny, false), true],
  // waves across
  [(nx, ny) => waves(nx, ny, true), false],
  // rays and ovals from the middle
  [(nx) => rays(nx * 8) + ovals(nx), false],
  // squares within squares
  [(nx, ny) => cells(nx, ny, (x, y, w) => put(BOX, x, y, w * 0.45) + put(BOX, x, y, w * 0.31)), true, true],
];
const square = (nx) => Math.round(nx * H / W);
const BOX = read("M-1 -1L1 -1L1 1L-1 1Z");

function slants(nx, ny, off = 0) {
  let d = "";
  const w = 2 * W / nx, v = 2 * H / ny;
  const slope = v / w;
  for (let i = -nx - ny; i <= nx + ny; i++) {
    for (const shift of off ? [off, -off] : [0]) {
      const x = (i + shift) * w;
      const dx = H / slope;
      d += `M${num(x - dx)} ${-H}L${num(x + dx)} ${H}M${num(x + dx)} ${-H}L${num(x - dx)} ${H}`;
    }
  }
  return d;
}

function rows(n) {
  let d = "";
  for (let i = 1; i < n; i++) d += `M${-W} ${num(-H + i * 2 * H / n)}H${W}`;
  return d;
}

function cells(nx, ny, draw) {
  let d = "";
  const w = 2 * W / nx, v = 2 * H / ny;
  for (let i = 0; i < nx; i++) {
    for (let j = 0; j < ny; j++) d += draw(-W + (i + 0.5) * w, -H + (j + 0.5) * v, w, v);
  }
  return d;
}

function waves(nx, ny, across) {
  // An even number of swings across: the turned card is the same.
  const [n, m, A, B] = across ? [ny * 3, nx + nx % 2, H, W] : [nx, ny, W, H];
  const w = 2 * A / n, v = 2 * B / m;
  const at = (a, b) => across ? `${num(b)} ${num(a)}` : `${num(a)} ${num(b)}`;
  let d = "";
  for (let i = -1; i <= n + 1; i++) {
    for (const side of across ? [0.7] : [0.5, -0.5]) {
      const a = -A + i * w;
      d += `M${at(a, -B)}`;
      for (let j = 0; j < m; j++) {
        const b = -B + j * v;
        const s = a + side * w * (j % 2 ? -1 : 1);
        d += `C${at(s, b + v * 0.36)} ${at(s, b + v * 0.64)} ${at(a, b + v)}`;
      }
    }
  }
  return d;
}

function rays(n) {
  let d = "";
  for (let i = 0; i < n; i++) {
    const t = 2 * Math.PI * (i + 0.5) / n;
    d += `M0 0L${num(80 * Math.sin(t))} ${num(80 * Math.cos(t))}`;
  }
  return d;
}

function ovals(n) {
  let d = "";
  for (let r = 80; r > 16; r -= 60 / n) d += ring(0, 0, r);
  return d;
}

// What stands in the cells: nothing, dot, lozenge, cross, ring, four petals.
const MOTIF = [
  null,
  (x, y, r) => ring(x, y, r * 0.7),
  (x, y, r) => put(SIGN.D, x, y, r * 0.12),
  (x, y, r) => put(read("M-.3 -1L.3 -1L.3 -.3L1 -.3L1 .3L.3 .3L.3 1L-.3 1L-.3 .3L-1 .3L-1 -.3L-.3 -.3Z"), x, y, r * 0.95),
  (x, y, r) => [[0, -1], [0, 1], [1, 0], [-1, 0]].map(([a, b]) => ring(x + a * r * 0.6, y + b * r * 0.6, r * 0.42)).join(""),
];

/** A closed line around the middle with `n` petals, in and out between two radii. */
function rosette(n, inner, outer, tall) {
  let d = "";
  for (let i = 0; i <= n; i++) {
    const p = (r, t) => `${num(r * Math.sin(t))} ${num(-r * tall * Math.cos(t))}`;
    const t = 2 * Math.PI * i / n, q = Math.PI / n;
    if (i === 0) { d = `M${p(inner, -q)}`; continue; }
    const s = t - 2 * q;
    d += `C${p(outer * 1.12, s - q * 0.75)} ${p(outer * 1.12, s + q * 0.75)} ${p(inner, s + q)}`;
  }
  return d + "Z";
}

// Grounds: evenly spread to the eye, without the olives.
const HUES = [352, 5, 15, 26, 38, 95, 138, 158, 174, 190, 204, 218, 235, 256, 284, 322];

function backOf(head) {
  const b = bytes(head);
  const pick = (i, list) => list[b[i] % list.length];
  const hue = HUES[b[0] >> 4] + b[0] % 16 / 2 - 4;
  const apart = pick(1, [0, 25, -25, 50, -50, 150, 180, -150]);
  const other = hue + apart;
  const tone = (t, s, l) => (head ? `hsl(${t},${s}%,${l}%)` : `hsl(215,9%,${l}%)`);
  const ground = tone(hue, 34 + b[2] % 22, 27 + b[3] % 10);
  const line = tone(other, Math.abs(apart) > 60 ? 28 : 38, 76 + b[4] % 8);
  const deep = tone(hue, 40, 19);
  const nx = pick(5, [5, 6, 7, 8]);
  const [lattice, bears, even] = head ? pick(7, LATTICE) : LATTICE[0];
  const ny = even ? square(nx) : Math.round(nx * pick(6, [1, 1.4, 1.6]));
  const motif = head && bears ? pick(8, MOTIF) : null;
  const n = pick(9, [6, 8, 10, 12, 14, 16]);
  const size = 19 + b[10] % 10;
  const tall = pick(11, [1, 1, 1.35]);
  const depth = pick(12, [0.55, 0.7, 0.84]);
  const bold = 0.7 + (b[13] % 5) * 0.12;
  const corner = pick(14, [0, 11, 16]);
  const stroke = (d, width, fill = "none") => h("path", { d, fill, stroke: line, "stroke-width": width });
  const fill = (d, color = line) => h("path", { d, fill: color });
  const inner = size * 0.5;
  return [
    h("rect", { x: 5, y: 5, width: 90, height: 130, rx: 3.5, fill: ground }),
    h("svg", { x: 7, y: 7, width: 86, height: 126, viewBox: "-43 -63 86 126" },
      stroke(lattice(nx, ny), bold),
      motif ? fill(cells(nx, ny, (x, y, w, v) => motif(x, y, Math.min(w, v) * 0.3))) : null,
      corner ? [[-1, -1], [1, -1], [-1, 1], [1, 1]].map(([x, y]) => [
        stroke(ring(x * W, y * H, corner), 1.4, deep), stroke(ring(x * W, y * H, corner * 0.6), 1)]) : null,
      stroke(rosette(n, (size + 3) * depth, size + 3, tall), 1.6, deep),
      stroke(rosette(n, size * depth, size, tall), 0.8),
      fill(rosette(n, inner * depth, inner, tall)),
      fill(rosette(n, inner * 0.62 * depth, inner * 0.62, tall), deep),
      fill(ring(0, 0, 2 + b[15] % 3))),
    h("rect", { x: 7, y: 7, width: 86, height: 126, rx: 2, fill: "none", stroke: line, "stroke-width": 1.4 }),
  ];
}

let lastHead, lastBack;

/** The back of a card. `head`: the pack's final hash in hex; "" gives a plain grey one. */
export function hidden(props = {}, head = "") {
  head ||= "";
  if (head !== lastHead) {
    lastHead = head;
    lastBack = h("svg", { viewBox: "0 0 100 140", "aria-hidden": "true" }, backOf(head));
  }
  const { class: cls, size, "data-card": _card, "data-suit": _suit, ...rest } = props;
  return h("span", { ...rest, class: classes("card back", cls) }, lastBack);
}
