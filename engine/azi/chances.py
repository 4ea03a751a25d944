"""What a seat cannot see, dealt by chance: hands that agree with everything that it knows.

Players are the seats still in, clockwise, the own seat first as player 0; cards and hands are the
bits of ``playout``. Two things are taken to be simpler than they are: who has four cards discards
the worst, and where suits are barred one player after the other is dealt what it may have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import perm
from typing import Final

from engine.azi.moves import BID, LEVEL
from engine.azi.pack import cards_of_suits, clockwise, denied
from engine.azi.playout import Cards, bits
from engine.azi.view import AziView
from engine.cards import suit
from engine.contract import Card, Draw, Seat

DEALS: Final = 200
"""Deals that are tried for one choice, so that a chance is right to 4 in 100.

The dearest choice, a bid of six players with blind bids, then takes about half of the 30 ms of one
core that a choice may take.
"""

HAND: Final = 3
"""Cards in hand when the tricks begin."""

WORTH: Final = (
    *(0, 1, 1, 3, 4, 7, 10, 16, 21),
    *(0, 1, 1, 3, 4, 7, 10, 16, 21),
    *(23, 25, 26, 30, 33, 38, 42, 49, 57, 60),
)
"""What each card, by its bit, adds to the chance of its hand to win, in percent.

By least squares over 60,000 games of three players who play as ``playout`` does, the lead going
round. It only ranks hands; nothing hangs on a point more or less.
"""

BEST_OF_FOUR: Final = 1.45
"""The best three of four cards beat ``p ** BEST_OF_FOUR`` of such hands, if ``p`` of all hands."""

TRUST: Final = 2
"""By which power of its place a hand is likelier for each time that it was backed with chips.

Of 60 matches of two against this one it won 45 % with 1 and 52 % with 3. With 1 it lost to who bids
with good hands only, with 3 it folds so much that matches take long.
"""


@dataclass(frozen=True, slots=True)
class Unseen:
    """All that a seat knows of the hands of those still in.

    By player: ``known`` cards in hand; the number of ``hidden`` ones; those that are ``barred``, as
    the player has shown that it has none of that suit; cards ``played``. ``backed``: which other
    players have staked chips that they need not have, and how often. ``dropped``: the others were
    dealt one card more, which they have discarded. ``pool``: the cards that may be anywhere.
    """

    players: tuple[Seat, ...]
    known: tuple[Cards, ...]
    hidden: tuple[int, ...]
    barred: tuple[Cards, ...]
    played: tuple[Cards, ...]
    backed: tuple[tuple[int, int], ...]
    dropped: bool
    pool: tuple[Cards, ...]

    def deal(self, draw: Draw) -> list[Cards]:
        """The hand of every player; draws once."""
        sizes = [count + self._has_dropped(player) for player, count in enumerate(self.hidden)]
        hands = list(self.known)
        if any(self.barred):
            return self._deal_around(hands, sizes, draw)
        pool, first = shuffled(self.pool, sum(sizes), draw), 0
        for player, size in enumerate(sizes):
            hands[player] += self._kept(player, pool[first : first + size])
            first += size
        return hands

    def places(self, hands: Sequence[Cards]) -> list[float]:
        """For each player the part of all hands that the one it began with beats, 0 to 1."""
        known = places(self.dropped)
        return [known.get(hand | out, 0) for hand, out in zip(hands, self.played, strict=True)]

    def likelihood(self, places: Sequence[float]) -> float:
        """How likely others are to have done what they did with such hands, up to a factor."""
        likely = 1.0
        for player, times in self.backed:
            likely *= places[player] ** (TRUST * times)
        return likely

    def _deal_around(self, hands: list[Cards], sizes: Sequence[int], draw: Draw) -> list[Cards]:
        """Who may have least comes first; what it may not have it gets if nothing else is left.

        So there always is a deal.
        """
        pool = shuffled(self.pool, len(self.pool), draw)
        for player in sorted(range(len(sizes)), key=lambda one: -self.barred[one].bit_count()):
            barred = self.barred[player]
            first = [card for card in pool if not card & barred]
            dealt = [*first, *(card for card in pool if card & barred)][: sizes[player]]
            pool = [card for card in pool if card not in dealt]
            hands[player] += self._kept(player, dealt)
        return hands

    def _has_dropped(self, player: int) -> bool:
        """A discard counts no more once what is left is narrowed down by what was played."""
        return self.dropped and player > 0 and not self.barred[player]

    def _kept(self, player: int, dealt: list[Cards]) -> Cards:
        if self._has_dropped(player):
            dealt.remove(min(dealt, key=worth))
        return sum(dealt)


def unseen(view: AziView) -> Unseen:
    """What the seat of this view knows; raises ValueError if it is not in a game."""
    if view.seat not in view.inside or not view.turned_up:
        raise ValueError("a bot is asked only for a choice that its seat owes")
    bit = bits(view.pack, view.trump, view.six_on_stage)
    players = clockwise(view.inside, view.seat)
    known = dict.fromkeys(players, 0)
    known[view.seat] = sum(bit[card] for _, card in view.hand)
    barred, played = _shown(view, bit)
    if (
        view.dealers_card
        and view.dealer in known
        and not bit[view.turned_up] & sum(played.values())
    ):
        known[view.dealer] |= bit[view.turned_up]
    seen = sum(known.values()) | sum(played.values()) | bit[view.turned_up]
    if view.discard is not None:
        seen |= bit[view.discard[1]]
    left = {seat: min(len(k), HAND) for seat, k in zip(view.seats, view.unplayed, strict=True)}
    return Unseen(
        players=players,
        known=tuple(known.values()),
        hidden=tuple(max(0, left[seat] - known[seat].bit_count()) for seat in players),
        barred=tuple(barred[seat] for seat in players),
        played=tuple(played[seat] for seat in players),
        backed=tuple(_backed(view, players)),
        dropped=view.cards > HAND,
        pool=tuple(one for one in bit.values() if not one & seen),
    )


def shuffled(cards: Sequence[Cards], wanted: int, draw: Draw) -> list[Cards]:
    """The cards in a new order, any first ``wanted`` ones as likely as any others; draws once."""
    pool, size = list(cards), len(cards)
    number = draw(perm(size, wanted))
    for place in range(wanted):
        number, step = divmod(number, size - place)
        pool[place], pool[place + step] = pool[place + step], pool[place]
    return pool


def worth(card: Cards) -> int:
    """What one card is worth, as in WORTH."""
    return WORTH[card.bit_length() - 1]


@cache
def places(of_four: bool) -> dict[Cards, float]:
    """For every three cards the part of hands that they beat; ``of_four``: of best threes of four.

    As far as the sum of what the cards are worth tells.
    """
    sums = {
        sum(1 << bit for bit in hand): sum(WORTH[bit] for bit in hand)
        for hand in combinations(range(len(WORTH)), HAND)
    }
    order = sorted(sums, key=lambda hand: sums[hand])
    power = BEST_OF_FOUR if of_four else 1.0
    return {hand: (place / len(order)) ** power for place, hand in enumerate(order)}


def _shown(view: AziView, bit: dict[Card, Cards]) -> tuple[dict[Seat, Cards], dict[Seat, Cards]]:
    """By seat, what it has shown to have none of, and what it has played."""
    barred, played = dict.fromkeys(view.seats, 0), dict.fromkeys(view.seats, 0)
    for plays in (*(plays for _, plays, _ in view.tricks), view.trick):
        for seat, card in plays:
            played[seat] |= bit[card]
            for other in cards_of_suits(view.pack, denied(card, suit(plays[0][1]), view.trump)):
                barred[seat] |= bit[other]
    return barred, played


def _backed(view: AziView, players: Sequence[Seat]) -> Iterable[tuple[int, int]]:
    """Bids above the least and levels, but not of seats that had not looked at their cards."""
    for player, seat in enumerate(players[1:], start=1):
        times = sum(
            who == seat and (kind == LEVEL or (kind == BID and amount > view.min_bid))
            for who, kind, amount in view.actions
        )
        if times:
            yield player, times
