"""Tricks played out fast with open cards, for bots that try many deals.

A card is one bit of a number, a hand the sum of its cards: nine bits for each plain suit, nine for
trumps, each from the lowest rank up, and one more for the six of trumps where six on stage makes
it the highest card. Players are those still in, numbered clockwise from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from engine.azi.pack import LOWEST
from engine.cards import RANKS, suit
from engine.contract import Card

Cards: TypeAlias = int
"""A set of cards, one bit each."""

SUIT_CARDS: Final = RANKS.index(LOWEST) + 1
"""Cards of one suit; bits of a plain suit."""

PLAIN: Final[tuple[Cards, Cards]] = ((1 << SUIT_CARDS) - 1, ((1 << SUIT_CARDS) - 1) << SUIT_CARDS)
TRUMPS: Final[Cards] = ((1 << SUIT_CARDS + 1) - 1) << 2 * SUIT_CARDS

_KING: Final = SUIT_CARDS - 2
"""A plain card of this height or more is led rather than the only trump."""


def bits(pack: Sequence[Card], trump: str, six_on_stage: bool) -> dict[Card, Cards]:
    """The bit of every card of the pack."""
    suits = [*sorted({suit(card) for card in pack} - {trump}), trump]
    found: dict[Card, Cards] = {}
    for card in pack:
        height = SUIT_CARDS - 1 - RANKS.index(card[0])
        if six_on_stage and card == LOWEST + trump:
            height = SUIT_CARDS
        found[card] = 1 << suits.index(suit(card)) * SUIT_CARDS + height
    return found


def suit_of(card: Cards) -> Cards:
    """All cards of the suit of one card."""
    if card & TRUMPS:
        return TRUMPS
    return PLAIN[0] if card & PLAIN[0] else PLAIN[1]


def beats(card: Cards, best: Cards, led: Cards) -> bool:
    """Whether a card takes the trick from the best one so far; ``led``: the suit that was led."""
    return card > best and bool(card & (led | TRUMPS))


def play_out(
    hands: Sequence[Cards],
    mover: int,
    once: Cards = 0,
    best: Cards = 0,
    led: Cards = 0,
    holder: int = 0,
    waiting: int = 0,
    forced: Cards = 0,
) -> int:
    """How a game ends: the player with two tricks; for azi -1 less the bits of the trick takers.

    ``mover`` plays next, and plays ``forced`` if that is a card. ``once`` has the bit of each
    player with one trick. Of a trick in progress: ``best`` is its best card so far, ``led`` the
    suit that was led, ``holder`` who played the best one, or if that one has gone -1 less the next
    player after it, ``waiting`` how many are still to play to it.
    """
    left = list(hands)
    last = len(left) - 1
    while True:
        if not waiting:
            if not left[mover]:
                return -1 - once
            best, holder, waiting = forced or lead(left[mover]), mover, last
            left[mover] ^= best
            led, forced = suit_of(best), 0
            mover = mover + 1 if mover < last else 0
        while waiting:
            waiting -= 1
            card = forced or answer(left[mover], led, best, not waiting)
            forced = 0
            left[mover] ^= card
            if card > best and card & (led | TRUMPS):  # ``beats``, without the time of a call
                best, holder = card, mover
            mover = mover + 1 if mover < last else 0
        if holder < 0:
            mover = -1 - holder
            continue
        if once >> holder & 1:
            return holder
        once |= 1 << holder
        mover = holder


def lead(hand: Cards) -> Cards:
    """The highest of two trumps or more; of one trump and plain cards, a high plain one first."""
    trumps = hand & TRUMPS
    if trumps & (trumps - 1) or trumps == hand:
        return 1 << trumps.bit_length() - 1
    one, other = hand & PLAIN[0], hand & PLAIN[1]
    plain = one if one.bit_length() >= other.bit_length() - SUIT_CARDS else other
    highest = plain.bit_length() - 1
    return trumps if trumps and highest % SUIT_CARDS < _KING else 1 << highest


def answer(hand: Cards, led: Cards, best: Cards, last: bool) -> Cards:
    """The lowest card that wins, or the highest if it is of the led suit and others follow.

    If none wins, the lowest that may be played.
    """
    may = hand & led
    higher = may & -(best << 1)
    if higher and not last:
        return 1 << higher.bit_length() - 1
    if not may:
        may = hand & TRUMPS or hand
        higher = may & TRUMPS & -(best << 1)
    may = higher or may
    return may & -may
