"""The 27 cards of Azi, whose slots are whose, and which card may be played and beats which.

Slots: the j-th dealt-in seat, ascending, owns the block of slots from j times the cards of a
hand; a stock card that is turned up is the next slot after all blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from engine.cards import FULL_PACK, RANKS, order, rank_value, suit
from engine.contract import Card, Seat, Slot

LOWEST: Final = "6"
"""The lowest rank of the pack; its trump is promoted by six on stage."""

_RANKS: Final = frozenset(RANKS[: RANKS.index(LOWEST) + 1])

MAX_SEATS: Final = 6


@cache
def cards_without(left_out: str) -> tuple[Card, ...]:
    """The 27 cards of three suits, ace to six, first in the total order first."""
    return tuple(card for card in FULL_PACK if card[0] in _RANKS and suit(card) != left_out)


def cards_of_suits(pack: Iterable[Card], suits: Sequence[str]) -> tuple[Card, ...]:
    """The cards of the pack that are of these suits, in the pack's order."""
    return tuple(card for card in pack if suit(card) in suits)


def clockwise(seats: Iterable[Seat], first: Seat) -> tuple[Seat, ...]:
    """The same seats in the order of play, from ``first`` on (which need not be one of them)."""
    return tuple(sorted(seats, key=lambda seat: (seat - first) % MAX_SEATS))


def own_slots(seats: Sequence[Seat], seat: Seat, cards: int) -> tuple[Slot, ...]:
    """The block of slots that a dealt-in seat is dealt, so many cards."""
    first = seats.index(seat) * cards
    return tuple(range(first, first + cards))


def denied(card: Card, led: str, trump: str) -> tuple[str, ...]:
    """The suits of which a card, played to a led suit, says that its seat has no other.

    The one rule of following: none for the led suit, the led suit for a trump, both for any other
    card. A card may be played if the rest of the hand holds none of these.
    """
    own = suit(card)
    if own == led:
        return ()
    return (led,) if own == trump or led == trump else (led, trump)


def playable(hand: Iterable[Card], led: str, trump: str) -> tuple[Card, ...]:
    """The cards of a hand that may be played to a led suit; all of them if ``led`` is empty."""
    held = tuple(hand)
    if not led:
        return held
    suits = {suit(card) for card in held}
    return tuple(card for card in held if not suits.intersection(denied(card, led, trump)))


def winning(played: Sequence[Card], trump: str, six_on_stage: bool) -> int:
    """The place of the card that takes a trick: the highest trump, else the highest of the suit.

    With six on stage the six of trumps is the highest card of all, also above an ace of trumps
    that the dealer holds. Its duty to follow does not change.
    """

    def strength(place: int) -> tuple[int, int]:
        card = played[place]
        if suit(card) == trump:
            return (3 if six_on_stage and card[0] == LOWEST else 2, rank_value(card))
        return (1 if suit(card) == suit(played[0]) else 0, rank_value(card))

    return max(range(len(played)), key=strength)


def lowest(cards: Iterable[Card], trump: str) -> Card:
    """The card that is given away most gladly: no trump before a trump, then the lowest.

    The lowest is the last in the total order; raises ValueError if there is no card.
    """
    return max(cards, key=lambda card: (suit(card) != trump, order(card)))
