"""Packs and choosers for tests of Hazari."""

from __future__ import annotations

import random
from collections.abc import Sequence

from engine import Card, Move, Options, Seat, View, complete
from engine.cards import FULL_PACK
from engine.hazari import GAME


def cards(text: str) -> tuple[Card, ...]:
    """The cards of a line of text."""
    return tuple(text.split())


NO_RUN = cards("AS KH JD TC 8S 7H 5D 4C 2S AH KD JC TS")
"""Thirteen cards without a run; they hold four pairs."""

SIX_PAIRS = cards("AS AH KS KH QS QH JS JH TS TH 9S 9H 2C")
"""Thirteen cards with exactly six pairs, and runs among them."""

ALL = frozenset(range(4))


def options(**given: int | str) -> Options:
    """The complete options of a table, but for these the defaults."""
    return complete(GAME.options, given)


def deck(seed: int) -> tuple[Card, ...]:
    """A shuffled pack, the same for the same seed."""
    cards = list(FULL_PACK)
    random.Random(seed).shuffle(cards)
    return tuple(cards)


def deck_with(seat: Seat, hand: Sequence[Card], seed: int = 1) -> tuple[Card, ...]:
    """A shuffled pack in which this seat holds just this hand."""
    rest = [card for card in deck(seed) if card not in hand]
    return (*rest[: 13 * seat], *hand, *rest[13 * seat :])


def fallback_move(seat: Seat, view: View) -> Move:
    """Every seat arranges as its own program would when the clock runs out."""
    return GAME.late(view)


def foul_move(view: View) -> Move:
    """The fallback with its first and third group exchanged: well formed, mostly out of order."""
    kind, first, second, third, fourth = GAME.late(view)
    return (kind, third, second, first, fourth)
