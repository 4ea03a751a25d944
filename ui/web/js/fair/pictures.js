// Five small pictures of how a pack is made, drawn as lines in the colours of the page.

import { h } from "../dom.js";

const line = (d) => h("path", { class: "ln", d });
const soft = (d) => h("path", { class: "sf", d });
const strong = (d) => h("path", { class: "st", d });

const picture = (...kids) =>
  h("svg", { class: "fair-picture", viewBox: "0 0 96 72", "aria-hidden": "true", focusable: "false" }, kids);

const card = (x, y, turn = 0) =>
  h(
    "g",
    { transform: `rotate(${turn} ${x + 10} ${y + 14})` },
    h("rect", { class: "bk", x, y, width: 20, height: 28, rx: 2.5 }),
    h("path", { class: "sf", d: `M${x + 4} ${y + 4}h12v20h-12zM${x + 10} ${y + 8}l4 6-4 6-4-6z` }),
  );

const lock = (x, y, open = false) =>
  h(
    "g",
    { class: open ? "opened" : "" },
    line(`M${x + 3} ${y + 7}v-3a4 4 0 0 1 8 0${open ? "v1" : "v3"}`),
    h("rect", { class: "lk", x, y: y + 7, width: 14, height: 11, rx: 2 }),
    line(`M${x + 7} ${y + 11}v3`),
  );

/** Sealed boxes, one for each player. */
export const sealed = () =>
  picture(
    [8, 38, 68].map((x) => [line(`M${x} 34h20v22h-20zM${x} 34l4-8h12l4 8`), soft(`M${x + 10} 26v8`)]),
    [11, 41, 71].map((x) => lock(x, 36)),
  );

/** The pack goes from hand to hand, face down. */
export const shuffled = () =>
  picture(
    card(12, 24, -12), card(24, 20), card(36, 24, 12),
    line("M62 26c10-8 20-4 22 6M85 24l-1 9-8-3"),
    line("M84 48c-10 8-20 4-22-6M61 50l1-9 8 3"),
  );

/** The same cards in another order, and a tick. */
export const proved = () =>
  picture(
    soft("M12 14C40 14 40 44 62 44M12 28C40 28 36 16 62 16M12 42C40 42 40 58 62 58M12 56C40 56 36 30 62 30"),
    [14, 28, 42, 56].map((y) => h("circle", { class: "dt", cx: 10, cy: y, r: 4 })),
    [16, 30, 44, 58].map((y) => h("circle", { class: "dt", cx: 64, cy: y, r: 4 })),
    strong("M76 36l5 5 9-11"),
  );

/** A card under the locks of all; the others have taken theirs off. */
export const dealt = () =>
  picture(
    h("rect", { class: "bk", x: 34, y: 14, width: 30, height: 42, rx: 3 }),
    soft("M39 19h20v32h-20zM49 26l6 9-6 9-6-9z"),
    lock(10, 6, true), lock(74, 6, true), lock(10, 44, true),
    h("g", { class: "mine" }, lock(72, 44)),
  );

/** One way among very many. */
export const many = () =>
  picture(
    soft("M10 36C30 36 30 8 50 8S70 4 88 4M10 36C30 36 30 20 50 20S70 16 88 16M10 36C30 36 30 52 50 52S70 56 88 56"
      + "M10 36C30 36 30 64 50 64S70 68 88 68M50 8C66 8 70 10 88 10M50 20C66 20 70 24 88 24M50 64C66 64 70 62 88 62"
      + "M50 52C66 52 70 48 88 48"),
    strong("M10 36H50C66 36 70 36 88 36"),
    h("circle", { class: "dt", cx: 10, cy: 36, r: 4 }),
    h("circle", { class: "dt", cx: 87, cy: 36, r: 4 }),
  );
