"""Divisions of thirteen cards into groups of 3, 3, 3 and 4: their order, and the fallback.

Two questions are kept apart. Whether a division by *slots* is well formed anybody can judge before
a card is shown (``moves``); whether its groups are in order only the faces tell (``order_fault``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final, TypeAlias

from engine.cards import ordered
from engine.contract import Card, Seat, Slot
from engine.hazari.combinations import best_three, spoken, strength

HAND_SIZE: Final = 13
GROUP_SIZES: Final = (3, 3, 3, 4)

Division: TypeAlias = tuple[tuple[Card, ...], ...]
"""Thirteen cards in groups of 3, 3, 3 and 4, in the order in which they are played.

Inside a group the first in the total order, the highest, comes first.
"""

SlotDivision: TypeAlias = tuple[tuple[Slot, ...], ...]
"""A division by slots: groups of 3, 3, 3 and 4, ascending inside each group."""


def own_slots(seat: Seat) -> tuple[Slot, ...]:
    """The thirteen slots of a seat: seat i owns 13 i ... 13 i + 12."""
    return tuple(range(HAND_SIZE * seat, HAND_SIZE * (seat + 1)))


def faces_of(division: SlotDivision, faces: Mapping[Slot, Card]) -> Division:
    """The division with every slot turned into its card, in a group the highest card first.

    Raises KeyError if a face is missing.
    """
    return tuple(ordered(faces[slot] for slot in group) for group in division)


def order_fault(division: Division) -> tuple[int, int] | None:
    """The first group that outranks the one before it, as (later, earlier) from 1; None: legal.

    Equal neighbours are allowed. Of the four-card group the best three count.
    """
    for number, (before, after) in enumerate(pairwise(division), start=1):
        if strength(after) > strength(before):
            return (number + 1, number)
    return None


def fault_text(division: Division, fault: tuple[int, int]) -> str:
    """The fault in one sentence: ``group 2 outranks group 1 (troy of A, colour run K-Q-J)``."""
    later, earlier = fault
    return (
        f"group {later} outranks group {earlier}"
        f" ({spoken(division[later - 1])}, {spoken(division[earlier - 1])})"
    )


def fallback(cards: Iterable[Card]) -> Division:
    """The division that stands in where a seat is late, gone or foul; always legal.

    The strongest three of the thirteen cards, the strongest three of the rest, again, the last
    four. Among equally strong threes the one whose cards, highest first in the total order, come
    first.
    """
    rest = ordered(cards)
    groups: list[tuple[Card, ...]] = []
    for _ in range(3):
        group = best_three(rest)
        groups.append(group)
        rest = tuple(card for card in rest if card not in group)
    return (*groups, rest)


def fallback_by_slots(hand: Mapping[Slot, Card]) -> SlotDivision:
    """The fallback division of a hand whose faces are known, as the slots of a move."""
    slot_of = {card: slot for slot, card in hand.items()}
    return tuple(
        tuple(sorted(slot_of[card] for card in group)) for group in fallback(hand.values())
    )
