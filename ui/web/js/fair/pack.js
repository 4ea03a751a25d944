// Which pack the fairness panel tells of, and how far each player is with it.

/** The pack in play, or the one that the first hand waits for; undefined before any of it, and for a
 *  hand that was dealt before this computer was started again (`playing`). */
export function packNow(fair, playing) {
  if (fair.current && !playing) return fair.packs.find((one) => one.pack === fair.current);
  return playing ? undefined : fair.packs.findLast((one) => one.pack);
}

/** The pack that is made for the next hand; undefined if there is none yet. */
export function packNext(fair, playing) {
  return fair.current || playing ? fair.packs.findLast((one) => one.pack > fair.current && !one.hand) : undefined;
}

/** The closed steps of one kind. */
export function steps(pack, kind) {
  return (pack?.steps ?? []).filter((step) => step.kind === kind);
}

/** The seats whose pack this is, as far as that is known. */
export function seatsOf(pack, table) {
  if (pack?.seats.length) return pack.seats;
  // All say something in each step but those of the shuffle, which come one by one.
  const common = (pack?.steps ?? []).find((step) => step.kind !== "mix");
  if (common) return common.seats;
  const there = (seat) => !["out", "left", "away", "back"].includes(table.players[seat].link);
  const seats = table.players.map((_, seat) => seat);
  return pack?.steps.length ? seats.filter(there) : seats;
}

/** For each seat how far it is: `secret`, `shuffle` and `proof`, each `done`, `now`, `later` or
 *  `bad` or `away`; `seconds` that checking its proof took here. */
export function progress(pack, table, absent = []) {
  const seats = seatsOf(pack, table);
  const gone = new Set((pack?.steps ?? []).flatMap((step) => step.gone ?? []));
  const away = new Set(absent.filter((one) => one.lane && one.lane === pack?.pack).map((one) => one.seat));
  const proved = steps(pack, "prove").length > 0;
  const mixed = mixedBy(pack, seats, proved);
  const opened = steps(pack, "open").length > 0 || mixed.size > 0;
  const checked = new Map(pack?.checked ?? []);
  const turn = opened ? seats.find((seat) => !mixed.has(seat)) : undefined;
  const all = seats.every((seat) => mixed.has(seat));
  return seats.map((seat) => {
    const bad = gone.has(seat) ? "bad" : away.has(seat) ? "away" : "";
    const held = checked.has(seat) || proved || Boolean(pack?.head);
    return {
      seat,
      secret: opened ? "done" : bad || "now",
      shuffle: mixed.has(seat) && bad !== "away" ? "done" : bad || (seat === turn ? "now" : "later"),
      proof: bad || (held ? "done" : all ? "now" : "later"),
      seconds: checked.get(seat),
    };
  });
}

/** The seats that have shuffled. Of a pack that was begun before this program was started again the
 *  first steps are not told: what comes later says that they were done. */
function mixedBy(pack, seats, proved) {
  if (proved || pack?.head) return new Set(seats);
  const told = steps(pack, "mix").flatMap((step) => step.seats);
  const before = told.length ? seats.slice(0, Math.max(0, seats.indexOf(told[0]))) : [];
  return new Set([...before, ...told]);
}

/** Bytes of steps together. */
export function size(list) {
  return list.reduce((sum, step) => sum + step.bytes, 0);
}

/** Seconds that this computer has spent on the proofs of a pack. Those that came together share
 *  their time, so equal ones count once. */
export function checking(pack) {
  return [...new Set((pack?.checked ?? []).map(([, seconds]) => seconds))].reduce((sum, one) => sum + one, 0);
}
