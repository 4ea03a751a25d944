// Motion tells what happened and is over soon: things glide from where they were to where they are.

const LENGTH = 220;
const LEAST = 12; // pixels that are worth a glide: each is a layer to be drawn

/** Whether the person has asked for less motion. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ||
    document.documentElement.dataset.motion === "off";
}

/** Where every element with `data-fly` is now, by that name. Of hidden ones nothing is kept. */
export function places(root) {
  const found = new Map();
  for (const node of root.querySelectorAll("[data-fly]")) {
    const box = node.getBoundingClientRect();
    if (box.width) found.set(node.dataset.fly, box);
  }
  return found;
}

/** Lets everything that has moved since `before` glide; what is new comes from the element whose
 *  `data-place` its `data-from` names, or fades in. */
export function glide(root, before) {
  const still = calm();
  // All is measured before anything is set off: else the page would be laid out for each again.
  for (const { node, from, box } of moved(root, before)) {
    if (still) {
      node.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 150 });
      continue;
    }
    const [x, y] = [from.left - box.left, from.top - box.top];
    const size = before.has(node.dataset.fly) ? from.width / box.width : 0.6;
    node.animate(
      [
        { transform: `translate(${x}px, ${y}px) scale(${size})`, transformOrigin: "0 0", zIndex: 5 },
        { transform: "none", transformOrigin: "0 0", zIndex: 5 },
      ],
      { duration: LENGTH, easing: "cubic-bezier(.2,.7,.3,1)" },
    );
  }
}

/** What has moved, with the boxes where it was and where it is. */
function moved(root, before) {
  const found = [];
  for (const node of root.querySelectorAll("[data-fly]")) {
    const box = node.getBoundingClientRect();
    if (!box.width) continue;
    const from = before.get(node.dataset.fly) ?? origin(root, node.dataset.from, before);
    if (!from) continue;
    const far = Math.abs(from.left - box.left) + Math.abs(from.top - box.top);
    if (far >= LEAST) found.push({ node, from, box });
  }
  return found;
}

function origin(root, name, before) {
  if (!name || before.size === 0) return undefined;
  const node = root.querySelector(`[data-place="${CSS.escape(name)}"]`);
  return node?.getBoundingClientRect();
}
