"""Tricks of Azi played out fast with open cards, for bots that try many deals.

A card is one bit of a number, a hand the sum of its cards: nine bits for each plain suit, then
nine for trumps and one more for a six of trumps that six on stage makes the highest card, each
from the lowest rank up. Players are numbered from 0 clockwise, those still in only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, TypeAlias

from engine.azi.pack import LOWEST
from engine.cards import RANKS, suit
from engine.contract import Card

Cards: TypeAlias = int
"""A set of cards, one bit each."""

_RANKS: Final = 9
_PLAIN: Final[Cards] = (1 << _RANKS) - 1
TRUMPS: Final[Cards] = 0x3FF << 2 * _RANKS
_SUITS: Final = (_PLAIN, _PLAIN << _RANKS)

_TOP_SIX: Final[Cards] = 1 << 3 * _RANKS
_GOOD_LEAD: Final = RANKS.index(LOWEST) - RANKS.index("K")


def bits(pack: Sequence[Card], trump: str, six_on_stage: bool) -> dict[Card, Cards]:
    """The bit of every card of the pack."""
    plain = sorted({suit(card) for card in pack} - {trump})
    first = {trump: 2 * _RANKS, **{one: _RANKS * place for place, one in enumerate(plain)}}
    lowest = RANKS.index(LOWEST)
    found = {card: 1 << first[suit(card)] + lowest - RANKS.index(card[0]) for card in pack}
    if six_on_stage:
        found[LOWEST + trump] = _TOP_SIX
    return found


def suit_of(card: Cards) -> Cards:
    """All cards of the suit of one card."""
    return TRUMPS if card & TRUMPS else _SUITS[card > _PLAIN]


def play_out(
    hands: Sequence[Cards],
    mover: int,
    once: int = 0,
    best: Cards = 0,
    led: Cards = 0,
    holder: int = 0,
    waiting: int = 0,
    forced: Cards = 0,
) -> int:
    """How a game ends from here on: the player that wins, or azi.

    ``mover`` plays next, ``forced`` if that is a card. ``once`` has the bit of each player with
    one trick. Of a trick in progress: ``best`` is its best card so far, ``led`` the suit that was
    led, ``holder`` who played the best one (if that one has gone, -1 less the next player after
    it), ``waiting`` how many are still to play to it. The result of azi is negative: -1 less the
    bits of the players with a trick.
    """
    left = list(hands)
    players = len(left)
    while True:
        if not waiting:
            if not left[mover]:
                return -1 - once
            best, waiting, holder = forced or _lead(left[mover]), players - 1, mover
            left[mover] ^= best
            led, forced = suit_of(best), 0
            mover = mover + 1 if mover + 1 < players else 0
        while waiting:
            waiting -= 1
            hand = left[mover]
            if forced:
                card, forced = forced, 0
            else:
                card = _answer(hand, led, best, not waiting)
            left[mover] = hand ^ card
            if card > best and card & (led | TRUMPS):
                best, holder = card, mover
            mover = mover + 1 if mover + 1 < players else 0
        if holder < 0:
            mover = -1 - holder
            continue
        mine = 1 << holder
        if once & mine:
            return holder
        once |= mine
        mover = holder


def _lead(hand: Cards) -> Cards:
    """The highest trump of two or more; else the highest plain card if it is good, or a trump."""
    trumps = hand & TRUMPS
    if trumps & (trumps - 1) or trumps == hand:
        return 1 << trumps.bit_length() - 1
    one, other = hand & _SUITS[0], hand & _SUITS[1]
    plain = one if one.bit_length() >= other.bit_length() - _RANKS else other
    highest = plain.bit_length() - 1
    if trumps and highest % _RANKS < _GOOD_LEAD:
        return trumps
    return 1 << highest


def _answer(hand: Cards, led: Cards, best: Cards, last: bool) -> Cards:
    """The lowest card that wins, of the led suit the highest if others follow; else the lowest."""
    may = hand & led
    higher = may & -(best << 1)
    if higher and not last:
        return 1 << higher.bit_length() - 1
    if not may:
        may = hand & TRUMPS or hand
        higher = may & TRUMPS & -(best << 1)
    may = higher or may
    return may & -may


def sets(pack: Sequence[Cards], size: int) -> list[Cards]:
    """All hands of so many cards."""
    return [sum(hand) for hand in combinations(pack, size)]
