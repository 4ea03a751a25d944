// What groups are worth, in words: short ones for the eye, whole ones for those who listen.

import { rankText } from "../cards.js";
import { t } from "../i18n.js";

/** The combination of a group as the peer weighed it, "run, Q high"; "" for none yet.
 *  `spoken`: with the ranks as words. */
export function kindText(worth, spoken = false) {
  if (!worth?.type) return "";
  const [a, b, c] = worth.ranks.map((rank) => (spoken ? t(`rank.${rank}`) : rankText(rank)));
  const low = worth.ranks[1] === "2" && worth.ranks[0] === "A" && worth.type.endsWith("run");
  if (low) return t(`hazari.kind.${worth.type}.low`);
  if (worth.type === "pair" && !b) return t("hazari.kind.pair.two", { rank: a });
  return t(`hazari.kind.${worth.type}`, { rank: a, second: b, third: c });
}

/** The same with all ranks, where the highest alone does not tell two groups apart. */
export function wholeText(worth, spoken = false) {
  if (!["colour", "indi"].includes(worth?.type)) return kindText(worth, spoken);
  const [rank, second, third] = worth.ranks.map((one) => (spoken ? t(`rank.${one}`) : rankText(one)));
  return t(`hazari.kind.${worth.type}.whole`, { rank, second, third });
}

/** The points of a group: "30 points". */
export function pointsText(points) {
  return t("hazari.points", { n: points });
}

/** Whether two groups are equally strong. */
export function equal(one, other) {
  return Boolean(one?.type) && one.type === other?.type && one.ranks.join() === other.ranks.join();
}
