"""How bots do against each other: ``python -m bench.bots [GAME] [--rounds N] [--seed S]``.

Everything is played on the games' own contract, with freshly shuffled packs; the strategies move on
by one seat after each round, so that no seat helps anybody. A round of Hazari is a hand: printed
for each strategy at the table are the mean points of one of its seats with the standard error (90
is a fair share). A round of any other game is a match, with 100 points for who wins it, in parts
for those who win it together: the mean is the part of matches that a seat wins, in percent. Then
come the part of rounds in which a seat scored highest, and the time of one core for one move, the
middle one and the longest. ``fallback`` is what the own program does for a seat that is late; it is
no strategy where nobody may be late on purpose, as who opens the bids of Azi.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import mean, median, stdev
from typing import Final

from engine import azi, hazari
from engine.contract import Card, Draw, Game, MatchEnd, Move, Slot, Standing, State, Strategy, View
from engine.hazari.view import HazariView
from engine.options import complete

Given = Mapping[str, object]
"""Options of a game; what is not named is as usual."""

WHOLE_MATCH: Final = 100.0
"""Points for winning a match."""

ONE_AGAINST_THREE: Final = ("steady", "random", "random", "random")

CONTESTS: Final[Mapping[str, Sequence[tuple[tuple[str, ...], Given]]]] = {
    "hazari": (
        (ONE_AGAINST_THREE, {}),
        (("steady", "random", "steady", "random"), {}),
        (("steady", "fallback", "fallback", "fallback"), {}),
        (("steady", "fallback", "steady", "fallback"), {}),
    ),
    "azi": (
        (("steady", "random"), {}),
        (("steady", "random", "random"), {}),
        (ONE_AGAINST_THREE, {}),
        (("steady", *("random",) * 5), {}),
        (ONE_AGAINST_THREE, {"cards": 4}),
        (ONE_AGAINST_THREE, {"blind": "on"}),
        (ONE_AGAINST_THREE, {"azi_entry": "half_pot"}),
        (("steady", "steady", "random", "random"), {"hands": 40}),
    ),
}
"""Who is set against whom, with which options."""


@dataclass
class Showing:
    """How the seats of one strategy did: points of every round, rounds scored highest, seconds."""

    points: list[float] = field(default_factory=list)
    highest: int = 0
    seconds: list[float] = field(default_factory=list)

    @property
    def error(self) -> float:
        """The standard error of the mean points."""
        return stdev(self.points) / sqrt(len(self.points))

    def __str__(self) -> str:
        times = sorted(1000 * one for one in self.seconds)
        return (
            f"{mean(self.points):6.1f} ± {self.error:.1f} points a round,"
            f" highest in {100 * self.highest / len(self.points):.0f} %,"
            f" {median(times):.1f} ms a move, {times[-1]:.1f} at most"
        )


@dataclass
class Table:
    """A game with the strategies that play it, all by one stream of chance.

    ``seated`` has the name of the strategy at each seat in this round.
    """

    game: Game
    names: Sequence[str]
    seed: int
    given: Given

    def __post_init__(self) -> None:
        """The seats as in ``names``, nothing shown yet."""
        self.options = complete(self.game.options, self.given)
        self.chance = random.Random(self.seed)
        self.showings = {name: Showing() for name in self.names}
        self.opening = self.game.opening(self.options, len(self.names))
        self.present = frozenset(range(len(self.names)))
        self.seated = list(self.names)

    def strategy(self, name: str) -> Strategy:
        """The game's strategy of this name, or ``fallback``."""
        return self.fallback if name == "fallback" else self.game.strategies[name]

    def fallback(self, view: View, draw: Draw) -> Move:
        """What the own program plays for a late seat."""
        return self.game.late(view)

    def move_on(self, number: int) -> None:
        """Everybody takes the seat of this round."""
        count = len(self.names)
        self.seated = [self.names[(seat + number) % count] for seat in range(count)]

    def score(self, points: Sequence[float]) -> None:
        """The round is over, with so many points for each seat."""
        for name, scored in zip(self.seated, points, strict=True):
            self.showings[name].points.append(scored)
            self.showings[name].highest += scored == max(points)

    def hand(self, standing: Standing) -> State:
        """The next hand of all who can play it, at its end."""
        pack = self.game.pack(self.options)
        deck = self.chance.sample(pack, len(pack))
        seats = self.game.dealt_in(self.options, standing, self.present)
        coin = self.chance.getrandbits(256)
        return self.play(self.game.start(self.options, seats, standing, coin), deck)

    def match(self) -> MatchEnd:
        """A whole match; raises ValueError if the table stops before it has ended."""
        standing = self.opening
        while True:
            between = self.game.interlude(self.options, standing, self.present)
            if between is not None:
                standing = self.game.settle(self.play(between, ()))
            end = self.game.match(self.options, standing, self.present)
            if end is not None:
                return end
            standing = self.game.settle(self.hand(standing))

    def play(self, state: State, deck: Sequence[Card]) -> State:
        """A hand or an interlude at its end; raises the refusal of a move that is not legal."""
        while not self.game.over(state):
            audience = self.game.audience(state)
            faces: dict[Slot, Card] = {k: deck[k] for k, who in enumerate(audience) if who.public}
            owed = self.game.owed(state)
            if self.game.locks(state):
                state = self.game.locked(state, frozenset())
            elif not owed:
                state = self.game.shown(state, faces)
            else:
                entries: dict[int, Move] = {}
                for seat in owed:
                    sees = {k: deck[k] for k, who in enumerate(audience) if who.includes(seat)}
                    entries[seat] = self.choice(seat, self.game.view(state, seat, sees))
                    opened = self.game.needs(state, seat, entries[seat])
                    faces |= {slot: deck[slot] for slot in opened if audience[slot].includes(seat)}
                state = self.game.apply(state, entries, faces)
        return state

    def choice(self, seat: int, view: View) -> Move:
        """What the strategy at this seat does, timed."""
        name = self.seated[seat]
        begin = time.process_time()
        move = self.strategy(name)(view, self.chance.randrange)
        self.showings[name].seconds.append(time.process_time() - begin)
        refused = self.game.objection(view, move)
        if refused is not None:
            raise refused
        return move


def contest(
    names: Sequence[str], hands: int, seed: int, given: Given | None = None
) -> dict[str, Showing]:
    """So many scored hands of Hazari with these four strategies; dismissed ones do not count.

    ``given``: options of the game. Raises the refusal if a strategy makes a move that is not legal.
    """
    table, number = Table(hazari.GAME, names, seed, given or {}), 0
    standing = table.opening
    while number < hands:
        table.move_on(number)
        state = table.hand(standing)
        standing = table.game.settle(state)
        after = table.game.view(state, None, {})
        if not isinstance(after, HazariView):
            raise TypeError("not a view of Hazari")
        if after.scores:
            table.score(after.scores)
            number += 1
    return table.showings


def matches(
    game: Game, names: Sequence[str], number: int, seed: int, given: Given | None = None
) -> dict[str, Showing]:
    """So many matches with a strategy for each seat; WHOLE_MATCH points for a match that is won.

    ``given``: options of the game. Raises the refusal if a strategy makes a move that is not legal.
    """
    table = Table(game, names, seed, given or {})
    for one in range(number):
        table.move_on(one)
        end = table.match()
        first = end.shared if end.winner is None else (end.winner,)
        parts = [WHOLE_MATCH / len(first) if seat in first else 0.0 for seat in range(len(names))]
        table.score(parts)
    return table.showings


def main() -> None:
    """Play the contests and print them."""
    parser = argparse.ArgumentParser(description="Let a game's bots play against each other.")
    parser.add_argument("game", nargs="?", choices=sorted(CONTESTS), default="hazari")
    parser.add_argument("--rounds", "--hands", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    for names, given in CONTESTS[told.game]:
        rules = "".join(f", {name} {value}" for name, value in given.items())
        print(f"{', '.join(names)}{rules}: {told.rounds} rounds", flush=True)
        if told.game == "hazari":
            shown = contest(names, told.rounds, told.seed, given)
        else:
            shown = matches(azi.GAME, names, told.rounds, told.seed, given)
        for name, showing in shown.items():
            print(f"  {name:8} {showing}", flush=True)


if __name__ == "__main__":
    main()
