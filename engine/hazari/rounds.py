"""The four rounds of a shown hand: who takes what, in which order of play (RULES: play, scoring).

After "up" nobody has a choice left, so the rounds follow from the four divisions alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from engine.contract import Card, Seat
from engine.hazari.combinations import Strength, strength
from engine.hazari.division import Division

SEATS: Final = 4

PACK_POINTS: Final = 360
"""The points of the whole pack, all of which somebody takes in each hand."""

_TEN_POINTERS: Final = frozenset("AKQJT")


@dataclass(frozen=True, slots=True)
class Round:
    """One round. ``groups`` is what each seat played, by seat; ``order`` the seats as they played.

    ``points`` are those of all cards played, which the winner takes.
    """

    number: int
    order: tuple[Seat, ...]
    groups: tuple[tuple[Card, ...], ...]
    winner: Seat
    points: int


def points(cards: Iterable[Card]) -> int:
    """Points of the cards: A K Q J T ten each, the others five; the whole pack is worth 360."""
    return sum(10 if card[0] in _TEN_POINTERS else 5 for card in cards)


def right_of(seat: Seat) -> Seat:
    """The seat to the right: next in the order of deal and play, which is counter-clockwise."""
    return (seat - 1) % SEATS


def order_of_play(leader: Seat) -> tuple[Seat, ...]:
    """The four seats in the order of play: s, s-1, s-2, s-3."""
    return tuple((leader - turn) % SEATS for turn in range(SEATS))


def winner_of(
    groups: Mapping[Seat, tuple[Card, ...]], leader: Seat, below: Collection[Seat] = ()
) -> Seat:
    """Who takes a round that ``leader`` leads: the strongest group, of equal ones the last played.

    Groups of the seats in ``below`` rank below all others, among themselves as usual.
    """

    def rank(seat: Seat) -> tuple[bool, Strength, int]:
        turn = (leader - seat) % SEATS
        return (seat not in below, strength(groups[seat]), turn)

    return max(groups, key=rank)


def play(
    divisions: tuple[Division, ...], dealer: Seat, below: Collection[Seat] = ()
) -> tuple[Round, ...]:
    """The four rounds of four divisions, by seat; the seat to the dealer's right leads the first.

    ``below``: seats whose groups rank below all others (option ``foul_scores_zero``).
    """
    rounds: list[Round] = []
    leader = right_of(dealer)
    for number in range(4):
        groups = tuple(division[number] for division in divisions)
        winner = winner_of(dict(enumerate(groups)), leader, below)
        taken = sum(points(group) for group in groups)
        rounds.append(Round(number + 1, order_of_play(leader), groups, winner, taken))
        leader = winner
    return tuple(rounds)


def scores(rounds: Iterable[Round]) -> tuple[int, ...]:
    """The points that each seat took; they always sum to 360."""
    taken = [0] * SEATS
    for one in rounds:
        taken[one.winner] += one.points
    return tuple(taken)
