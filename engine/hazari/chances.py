"""How many points a group may be expected to take, from chances measured in simulated play.

Strengths fall into 741 *classes*, numbered from 0, the weakest; class 740 is the troy of aces. Two
groups of three cards are of one class exactly if they are equally strong, and then they have the
same ranks and so the same points. For each of the four rounds ``chance_table`` gives the chance
that a group of a class wins it against three players who arrange for points themselves.

The expected points of a division are the sum over its groups of: chance to win the round x (points
of the own group + expected points of the other three groups). The other three hands are worth 360
less the own hand; how that falls on the four rounds is taken from the same simulated play. A sum
of expectations needs no independence of the rounds. Left out is what else the own hand says about
the others' groups, and who leads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final

from engine.cards import RANKS, SUITS
from engine.hazari.chance_table import ROWS, SHARES
from engine.hazari.combinations import Strength, strength
from engine.hazari.division import Division
from engine.hazari.rounds import PACK_POINTS, points

CLASSES: Final = 741
"""13 troys, 12 colour runs, 12 runs, 274 colours, 156 pairs, 274 indis."""

PARTS: Final = 10_000
"""Chances and shares are whole numbers of so many parts of one: whole numbers add up exactly."""

POINT: Final = PARTS * PARTS
"""``Chances.worth`` counts in parts of one point, so many to the point."""

FAIR_SHARE: Final = PACK_POINTS / 4
"""Points that one of four equal players takes in a hand on average."""


@dataclass(frozen=True, slots=True)
class Chances:
    """What simulated play has shown.

    ``rows``: for each round, by class, the chance of a group to win it, in PARTS, never falling
    with strength. ``shares``: which part of a hand's points is thrown in each round, in PARTS.
    """

    rows: tuple[tuple[int, ...], ...]
    shares: tuple[int, ...]

    def worth(self, group: int, strength_class: int, group_points: int, hand_points: int) -> int:
        """Expected points that a group takes, POINT to the point.

        ``group`` is 0 to 3, the round it is played in; ``group_points`` the points of its own
        cards, ``hand_points`` those of all thirteen.
        """
        others = self.shares[group] * (PACK_POINTS - hand_points)
        return self.rows[group][strength_class] * (PARTS * group_points + others)


@cache
def measured() -> Chances:
    """The chances that this project has measured; made by ``python -m bench.chances``."""
    return Chances(tuple(_row(steps) for steps in ROWS), SHARES)


def expected_points(division: Division, chances: Chances | None = None) -> float:
    """Points, of 360, that a legal division may be expected to take in one hand."""
    known = chances or measured()
    hand_points = sum(points(group) for group in division)
    total = sum(
        known.worth(number, classes()[strength(group)], points(group), hand_points)
        for number, group in enumerate(division)
    )
    return total / POINT


@cache
def classes() -> Mapping[Strength, int]:
    """The class of every strength that three cards can have."""
    found = {*_strengths(one_suit=True).values(), *_strengths(one_suit=False).values()}
    return {one: number for number, one in enumerate(sorted(found))}


@cache
def classes_by_ranks(one_suit: bool) -> Mapping[str, int]:
    """The classes to be looked up fast: of three cards of one suit, or of more than one.

    The key is the three ranks, high to low as in ``RANKS``: ``AKQ``, ``T95``.
    """
    return {ranks: classes()[found] for ranks, found in _strengths(one_suit).items()}


def _row(steps: str) -> tuple[int, ...]:
    starts = [
        (int(start), int(part)) for start, _, part in (s.partition(":") for s in steps.split())
    ]
    ends = [start for start, _ in starts[1:]] + [CLASSES]
    row: list[int] = []
    for (start, part), end in zip(starts, ends, strict=True):
        row += [part] * (end - start)
    return tuple(row)


def _strengths(one_suit: bool) -> dict[str, Strength]:
    choose = combinations if one_suit else combinations_with_replacement
    suits = SUITS[0] * 3 if one_suit else SUITS[:3]
    return {
        "".join(ranks): strength([rank + suit for rank, suit in zip(ranks, suits, strict=True)])
        for ranks in choose(RANKS, 3)
    }
