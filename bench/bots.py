"""How Hazari's bots do against each other: ``python -m bench.bots [--hands N] [--seed S]``.

Each hand is played on the game's own contract, with a freshly shuffled pack; the strategies move on
by one seat after each hand, so that no seat helps anybody. Printed for each strategy at the table:
the mean points of one of its seats per hand with the standard error (90 is a fair share), the part
of its hands that scored highest, and the time for one move. ``fallback`` is what the own program
does for a seat that is late.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import mean, median, stdev

from engine.cards import FULL_PACK
from engine.contract import Card, Draw, Move, Slot, Standing, Strategy, View
from engine.hazari import GAME
from engine.hazari.view import HazariView
from engine.options import Options, complete

SEATS = (0, 1, 2, 3)


@dataclass
class Showing:
    """How the seats of one strategy did: points of every hand, hands scored highest, seconds."""

    points: list[int] = field(default_factory=list)
    highest: int = 0
    seconds: list[float] = field(default_factory=list)

    @property
    def error(self) -> float:
        """The standard error of the mean points."""
        return stdev(self.points) / sqrt(len(self.points))

    def __str__(self) -> str:
        return (
            f"{mean(self.points):6.1f} ± {self.error:.1f} points a hand,"
            f" highest in {100 * self.highest / len(self.points):.0f} %,"
            f" {1000 * median(self.seconds):.1f} ms a move"
        )


def fallback(view: View, draw: Draw) -> Move:
    """The strongest groups in order, as the own program plays for a late seat."""
    return GAME.late(view)


def strategy(name: str) -> Strategy:
    """The game's strategy of this name, or ``fallback``."""
    return fallback if name == "fallback" else GAME.strategies[name]


def contest(
    names: Sequence[str], hands: int, seed: int, given: Mapping[str, object] | None = None
) -> dict[str, Showing]:
    """Play so many scored hands with these four strategies, moving on a seat after each.

    ``given``: options of the game. Raises the refusal if a strategy makes a move that is not legal.
    """
    options = complete(GAME.options, given or {})
    chance = random.Random(seed)
    showings = {name: Showing() for name in names}
    standing = GAME.opening(options, len(SEATS))
    number = 0
    while number < hands:
        seated = [names[(seat + number) % len(SEATS)] for seat in SEATS]
        pack = chance.sample(FULL_PACK, len(FULL_PACK))
        scores, standing = play(seated, pack, options, standing, chance, showings)
        if not scores:
            continue  # a dismissed hand
        number += 1
        for seat, name in enumerate(seated):
            showings[name].points.append(scores[seat])
            showings[name].highest += scores[seat] == max(scores)
    return showings


def play(
    seated: Sequence[str],
    pack: Sequence[Card],
    options: Options,
    standing: Standing,
    chance: random.Random,
    showings: Mapping[str, Showing],
) -> tuple[tuple[int, ...], Standing]:
    """One hand: the points by seat, none if it was dismissed, and the standing after it."""
    faces: dict[Slot, Card] = dict(enumerate(pack))
    state = GAME.shown(GAME.start(options, SEATS, standing, chance.getrandbits(256)), {})
    entries: dict[int, Move] = {}
    for seat, name in enumerate(seated):
        view = GAME.view(
            state, seat, {slot: faces[slot] for slot in range(13 * seat, 13 * seat + 13)}
        )
        begin = time.perf_counter()
        entries[seat] = strategy(name)(view, chance.randrange)
        showings[name].seconds.append(time.perf_counter() - begin)
        refused = GAME.objection(view, entries[seat])
        if refused is not None:
            raise refused
    state = GAME.apply(state, entries, faces)
    if not GAME.over(state):
        state = GAME.shown(GAME.locked(state, frozenset()), faces)
    after = GAME.view(state, None, {})
    if not isinstance(after, HazariView):
        raise TypeError("not a view of Hazari")
    return after.scores, GAME.settle(state)


def main() -> None:
    """Play the contests and print them."""
    parser = argparse.ArgumentParser(description="Let Hazari's bots play against each other.")
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for names in (
        ("steady", "random", "random", "random"),
        ("steady", "random", "steady", "random"),
        ("steady", "fallback", "fallback", "fallback"),
        ("steady", "fallback", "steady", "fallback"),
    ):
        print(f"{', '.join(names)}: {given.hands} hands")
        for name, showing in contest(names, given.hands, given.seed).items():
            print(f"  {name:8} {showing}")


if __name__ == "__main__":
    main()
