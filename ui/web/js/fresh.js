// A tap that was meant for a button that has just given way to another one: it is not taken.

const MEMORY = 700; // milliseconds for which the place of a button that has gone is remembered
const CALM = 500; // milliseconds for which the new one in its place takes no tap and no key

let shown = new Map(); // buttons of the table as they were drawn last, with their places
let gone = []; // places of buttons that are not there any more

const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Looks at the table's buttons after the page was drawn. */
export function noteButtons(root) {
  const buttons = [...root.querySelectorAll(".actions button")];
  if (buttons.length === shown.size && buttons.every((one) => shown.has(one))) return;
  const now = performance.now();
  gone = gone.filter(({ at }) => now - at < MEMORY);
  for (const [node, box] of shown) if (!node.isConnected) gone.push({ box, at: now });
  const places = new Map(buttons.map((node) => [node, node.getBoundingClientRect()]));
  for (const [node, box] of places) {
    if (shown.has(node) || !gone.some((one) => meets(one.box, box))) continue;
    node.dataset.fresh = "";
    setTimeout(() => delete node.dataset.fresh, CALM);
  }
  shown = places;
}

addEventListener(
  "click",
  (event) => {
    if (event.target.closest?.("[data-fresh]")) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  },
  true,
);
