// How cards are called by those who listen: "queen of hearts"; hidden ones only "hidden card".

import { t } from "./i18n.js";

/** The name of a card, `QH` and so on. */
export function cardName(code) {
  return t("card.name", { rank: t(`rank.${code[0]}`), suit: t(`suit.${code[1]}`) });
}

/** Names of several cards in one line. */
export function cardNames(codes) {
  return codes.map(cardName).join(", ");
}
