// The one connection to the own peer: updates come in order, commands are answered one by one.

const STRANGER = 4403; // the connection is closed with it when this window cannot prove itself
const KEY = "facedown-key";
const PAUSES = [250, 500, 1000, 2000, 3000];

/** Connects and stays connected. `on.update(message)` for every update, `on.link(up)` when the
 *  connection comes and goes. Returns `send(what, fields)`: a promise of the command's value; it is
 *  rejected with an object of `rule` and `text`. */
export function connect(on) {
  let socket = null;
  let tries = 0;
  let count = 0;
  let timer = 0;
  const waiting = new Map();

  function open() {
    clearTimeout(timer);
    socket = new WebSocket(`ws://${location.host}/ws`);
    const mine = socket;
    socket.onmessage = async (event) => {
      const message = JSON.parse(event.data);
      if (message.nonce) return mine.send(await proof(message.nonce));
      if (message.full) {
        tries = 0;
        on.link(true);
      }
      if (message.reply === undefined) return on.update(message);
      const { resolve, reject } = waiting.get(message.reply) ?? {};
      waiting.delete(message.reply);
      if (message.ok) resolve?.(message.value);
      else reject?.({ rule: message.rule, text: message.text, values: message.values });
    };
    socket.onclose = (event) => {
      on.link(false);
      if (event.code === STRANGER) return on.stranger();
      for (const { reject } of waiting.values()) reject({ rule: "page.cut", text: "" });
      waiting.clear();
      timer = setTimeout(open, PAUSES[Math.min(tries++, PAUSES.length - 1)]);
    };
  }

  open();
  // A laptop that wakes up, or a page that comes back, does not wait for the next try.
  const hurry = () => {
    if (socket.readyState === WebSocket.CLOSED) open();
  };
  addEventListener("online", hurry);

  return (what, fields = {}) =>
    new Promise((resolve, reject) => {
      if (socket.readyState !== WebSocket.OPEN) return reject({ rule: "page.cut", text: "" });
      const id = ++count;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, do: what, ...fields }));
    });
}

/** The window key comes in the address once, behind the #, and is kept for this port alone. */
function windowKey() {
  const come = location.hash.slice(1);
  if (!/^[0-9a-f]{64}$/.test(come)) return localStorage.getItem(KEY) ?? "";
  try {
    localStorage.setItem(KEY, come);
    history.replaceState(null, "", "/");
  } catch {
    // Then it stays in the address, and this one window can be loaded again.
  }
  return come;
}

const key = windowKey();

/** What proves to the peer that this window may come in; it never hears the key itself. */
async function proof(nonce) {
  const bytes = Uint8Array.from(key.match(/../g) ?? [0], (two) => parseInt(two, 16));
  const how = { name: "HMAC", hash: "SHA-256" };
  const mac = await crypto.subtle.importKey("raw", bytes, how, false, ["sign"]);
  const said = new TextEncoder().encode(`facedown window ${location.port} ${nonce}`);
  const made = new Uint8Array(await crypto.subtle.sign("HMAC", mac, said));
  return Array.from(made, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
