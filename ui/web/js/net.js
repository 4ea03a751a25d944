// The one connection to the own peer: updates come in order, commands are answered one by one.

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
    socket.onopen = () => {
      tries = 0;
      on.link(true);
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.reply === undefined) return on.update(message);
      const { resolve, reject } = waiting.get(message.reply) ?? {};
      waiting.delete(message.reply);
      if (message.ok) resolve?.(message.value);
      else reject?.({ rule: message.rule, text: message.text, values: message.values });
    };
    socket.onclose = () => {
      on.link(false);
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
