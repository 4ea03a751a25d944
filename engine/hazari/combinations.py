"""Three-card combinations and which one outranks which.

A strength is a tuple of four integers, so that Python's own comparison is the rule: the type, then
what ranks inside the type, padded with zeros. Suits never rank; equal combinations have equal
strengths. Of four cards only the best three count, so a group of four is as strong as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, TypeAlias

from engine.cards import RANKS, ordered, rank_value
from engine.contract import Card

Strength: TypeAlias = tuple[int, int, int, int]
"""Type (6 troy ... 1 indi), then up to three numbers; compared as tuples are."""

TYPES: Final = ("indi", "pair", "colour", "run", "colour run", "troy")
"""Names of the types from low to high; type n of a strength is ``TYPES[n - 1]``."""

INDI, PAIR, COLOUR, RUN, COLOUR_RUN, TROY = range(1, 7)

_ACE, _THREE = 14, 3
_HIGHEST_RUN, _ACE_LOW_RUN = 15, 14  # A-K-Q, then A-2-3, then the others by their highest card


def strength(cards: Sequence[Card]) -> Strength:
    """How strong three cards are, or the best three of four.

    Raises ValueError for any other number of cards.
    """
    if len(cards) == 4:
        return max(_strength_of_three(three) for three in combinations(cards, 3))
    if len(cards) != 3:
        raise ValueError(f"a group has 3 or 4 cards, not {len(cards)}")
    return _strength_of_three(cards)


def type_name(cards: Sequence[Card]) -> str:
    """The name of the type of three cards, or of the best three of four."""
    return TYPES[strength(cards)[0] - 1]


def best_three(cards: Sequence[Card]) -> tuple[Card, ...]:
    """The best three of three or more cards, highest first.

    Among equally strong threes the one whose cards, highest first in the total order, come first.
    """
    best: tuple[Card, ...] = ()
    highest: Strength | None = None
    # In the total order, combinations() gives the threes in just that order: the first one stays.
    for three in combinations(ordered(cards), 3):
        found = _strength_of_three(three)
        if highest is None or found > highest:
            best, highest = three, found
    if highest is None:
        raise ValueError(f"no three cards among {len(cards)}")
    return best


def spoken(cards: Sequence[Card]) -> str:
    """The combination for people: ``run Q-J-T``, ``pair of K with 2``, ``troy of A``."""
    kind, *rest = strength(cards)
    name = TYPES[kind - 1]
    if kind == TROY:
        return f"{name} of {_letter(rest[0])}"
    if kind in (COLOUR_RUN, RUN):
        return f"{name} {_run_letters(rest[0])}"
    if kind == PAIR:
        return f"{name} of {_letter(rest[0])} with {_letter(rest[1])}"
    return f"{name} {'-'.join(_letter(value) for value in rest)}"


def has_run(cards: Sequence[Card]) -> bool:
    """Whether any three of these cards are a run or a colour run."""
    values = {rank_value(card) for card in cards}
    if _ACE in values:
        values.add(1)  # the ace stands below the two as well; K-A-2 is still no run
    return any({value, value + 1, value + 2} <= values for value in values)


def _strength_of_three(cards: Sequence[Card]) -> Strength:
    high, middle, low = sorted((rank_value(card) for card in cards), reverse=True)
    if high == low:
        return (TROY, high, 0, 0)
    if high == middle:
        return (PAIR, high, low, 0)
    if middle == low:
        return (PAIR, low, high, 0)
    one_suit = cards[0][1] == cards[1][1] == cards[2][1]
    if high - low == 2:
        run = _HIGHEST_RUN if high == _ACE else high
    elif (high, middle) == (_ACE, _THREE):  # all three differ, so the last is the two
        run = _ACE_LOW_RUN
    else:
        return (COLOUR if one_suit else INDI, high, middle, low)
    return (COLOUR_RUN if one_suit else RUN, run, 0, 0)


def _letter(value: int) -> str:
    return RANKS[_ACE - value]


def _run_letters(run: int) -> str:
    if run == _ACE_LOW_RUN:
        return "A-2-3"
    high = _ACE if run == _HIGHEST_RUN else run
    return "-".join(_letter(high - below) for below in range(3))
