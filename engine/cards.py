"""Cards as two characters, rank then suit, and the one total order that ties are broken by.

``T`` is ten. The total order is by rank first, ace high, then spades, hearts, diamonds, clubs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.contract import Card

RANKS: Final = "AKQJT98765432"
"""Ranks from high to low."""

SUITS: Final = "SHDC"
"""Suits from first to last in the total order; no suit outranks another in play."""

FULL_PACK: Final[tuple[Card, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The 52 cards, first in the total order first: AS, AH, AD, AC, KS ... 2C."""

_PLACE: Final = {card: place for place, card in enumerate(FULL_PACK)}
_VALUE: Final = {rank: 14 - place for place, rank in enumerate(RANKS)}


def rank_value(card: Card) -> int:
    """The rank as a number: ace 14, king 13 ... two 2."""
    return _VALUE[card[0]]


def suit(card: Card) -> str:
    """The suit's letter."""
    return card[1]


def order(card: Card) -> int:
    """The place in the total order, from 0 for AS to 51 for 2C; the key to sort hands by."""
    return _PLACE[card]


def ordered(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The same cards, first in the total order (the highest) first."""
    return tuple(sorted(cards, key=order))


def is_card(value: object) -> bool:
    """Whether this is one of the 52 cards."""
    return isinstance(value, str) and value in _PLACE
