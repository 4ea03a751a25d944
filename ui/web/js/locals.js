// What the own peer refuses in English sentences, found again in the language of the page.

const SENTENCES = [
  [/is no address: it should look like/, "local.address"],
  [/^This is no invite code: it has \d+ letters/, "local.code.length"],
  [/^This is no invite code: a letter is wrong/, "local.code.wrong"],
  [/^This is no invite code/, "local.code"],
  [/^Somebody else answers at/, "local.code.other"],
  [
    /refused|There is no link with|cannot be reached|nobody (listens|answers)|timed out|no answer/i,
    "local.nobody",
  ],
  [/^This name cannot be used/, "local.name"],
  [/^This table cannot be opened/, "local.open"],
  [/waits at a table already/, "local.waits"],
  [/plays at a table already/, "local.plays"],
  [/looks on at a table already/, "local.looks"],
  [/waits at no table|is at no table/, "local.notable"],
  [/it is too late/, "local.late"],
  [/^Not so fast/, "local.fast"],
  [/^Facedown is just starting/, "local.starting"],
  [/^Other records are being read/, "local.reading"],
  [/^There are too many bots/, "local.bots"],
  [/^The table does not wait for this player/, "local.here"],
  [/^The clock sees to it/, "local.clock"],
  [/^(There is no other player with this key|This table does not wait)/, "local.unseated"],
];

/** The message for a refusal of the peer, or undefined if there is none. */
export function localKey(rule, text) {
  return rule === "local" ? SENTENCES.find(([form]) => form.test(text ?? ""))?.[1] : undefined;
}
