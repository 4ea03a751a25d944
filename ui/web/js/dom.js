// Plain objects that describe elements, and a renderer that brings the page in line with them.
//
// Elements are kept as long as their key and tag stay, so focus, selection and scrolling survive.
// All text becomes text nodes: nothing that a peer says is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Describes an element. Props: `key`, `class`, `on…` handlers, `vars` (CSS custom properties),
 *  `ref` (called with the element when it is made), `value`/`checked`/`open` as properties,
 *  everything else as attributes; null, undefined and false leave an attribute out. */
export function h(tag, props, ...kids) {
  return { tag, props: props ?? {}, kids: kids.flat(Infinity).filter(isShown), key: props?.key };
}

function isShown(kid) {
  return kid !== null && kid !== undefined && kid !== false && kid !== true && kid !== "";
}

/** A text of another person: its direction of writing cannot reach beyond it. */
export function bdi(text, props) {
  return h("bdi", props, text);
}

/** Makes the children of `parent` what `kids` describe. */
export function render(parent, kids) {
  const focused = document.activeElement;
  patchKids(parent, [kids].flat(Infinity).filter(isShown), parent.namespaceURI === SVG);
  if (focused && focused !== document.activeElement && focused.isConnected) {
    focused.focus({ preventScroll: true });
  }
}

function patchKids(parent, kids, svg) {
  const old = parent.kids ?? [];
  const keyed = new Map();
  const loose = [];
  for (const one of old) {
    if (one.desc.key !== undefined) keyed.set(one.desc.key, one);
    else loose.push(one);
  }
  const now = kids.map((kid) => {
    const desc = typeof kid === "object" ? kid : { text: String(kid) };
    const found = desc.key !== undefined ? keyed.get(desc.key) : takeLoose(loose, desc);
    if (found && found.desc.tag === desc.tag) {
      if (desc.key !== undefined) keyed.delete(desc.key);
      patch(found, desc, svg);
      return found;
    }
    return make(desc, svg);
  });
  const kept = new Set(now);
  for (const one of old) if (!kept.has(one)) one.node.remove();
  let next = null;
  for (let i = now.length - 1; i >= 0; i--) {
    const { node } = now[i];
    if (node.parentNode !== parent || node.nextSibling !== next) parent.insertBefore(node, next);
    next = node;
  }
  parent.kids = now;
}

function takeLoose(loose, desc) {
  const at = loose.findIndex((one) => one.desc.tag === desc.tag);
  return at < 0 ? undefined : loose.splice(at, 1)[0];
}

function make(desc, svg) {
  if (desc.tag === undefined) return { desc, node: document.createTextNode(desc.text) };
  const inside = svg || desc.tag === "svg";
  const node = inside ? document.createElementNS(SVG, desc.tag) : document.createElement(desc.tag);
  for (const name in desc.props) setProp(node, name, undefined, desc.props[name]);
  patchKids(node, desc.kids, inside);
  desc.props.ref?.(node);
  return { desc, node };
}

function patch(one, desc, svg) {
  const before = one.desc;
  if (before === desc) return; // descriptions may be kept and shown again
  one.desc = desc;
  if (desc.tag === undefined) {
    if (before.text !== desc.text) one.node.data = desc.text;
    return;
  }
  for (const name in before.props) {
    if (!(name in desc.props)) setProp(one.node, name, before.props[name], undefined);
  }
  for (const name in desc.props) setProp(one.node, name, before.props[name], desc.props[name]);
  patchKids(one.node, desc.kids, svg || desc.tag === "svg");
}

function setProp(node, name, before, value) {
  if (name === "key" || name === "ref") return;
  if (name.startsWith("on")) {
    node[name] = value ?? null;
  } else if (name === "vars") {
    for (const key in before ?? {}) if (!(key in (value ?? {}))) node.style.removeProperty(key);
    for (const key in value ?? {}) {
      if (before?.[key] !== value[key]) node.style.setProperty(key, value[key]);
    }
  } else if (name === "value" || name === "checked") {
    // Only when it changes here: what a person is typing stays.
    if (before !== value) node[name] = value ?? (name === "checked" ? false : "");
  } else if (before !== value) {
    const attribute = name === "class" ? "class" : name;
    if (value === null || value === undefined || value === false) node.removeAttribute(attribute);
    else node.setAttribute(attribute, value === true ? "" : value);
  }
}
