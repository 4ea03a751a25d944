// Lists that grow at their end: the newest is in sight, unless somebody has scrolled up to read.

const NEAR = 40; // pixels from the end that still count as being there

const lists = new Map();

/** Props for a list that scrolls. `count`: what changes when something is added at the end. */
export function follow(name, count) {
  const known = lists.get(name);
  const node = known?.node;
  const atEnd = !node?.isConnected || node.scrollHeight - node.scrollTop - node.clientHeight < NEAR;
  if (node?.isConnected && atEnd && known.count !== count) {
    queueMicrotask(() => {
      node.scrollTop = node.scrollHeight;
    });
  }
  if (known) known.count = count;
  return {
    ref: (made) => {
      lists.set(name, { node: made, count });
      requestAnimationFrame(() => {
        made.scrollTop = made.scrollHeight;
      });
    },
  };
}
