"""Measures by simulated play the chances that Hazari's search for points reckons with.

``python -m bench.chances`` writes ``engine/hazari/chance_table.py``, the same for the same numbers;
with the default ones it takes about ten minutes on one core.

Four players arrange for points, each with the chances known so far. After each deal every three
(for round 4 every four) that a seat holds is set against the groups that the other three seats
throw in that round: it would have won, lost, or been one of several equal ones, which counts as an
equal part of a win since the order of play is chance. Chances come out as wins by comparisons,
pooled where noise would let them fall with strength. The players then learn the new chances and
play on; what they did before counts less and less. It settles within a few passes.
"""

from __future__ import annotations

import argparse
import random
import textwrap
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from engine.cards import FULL_PACK, ordered
from engine.contract import Card
from engine.hazari import chances as engine_chances
from engine.hazari.chances import CLASSES, PARTS, Chances, classes, classes_by_ranks
from engine.hazari.combinations import strength
from engine.hazari.rounds import PACK_POINTS, points
from engine.hazari.search import best_division

TABLE = Path(engine_chances.__file__).with_name("chance_table.py")

REMEMBERED = 0.6
"""How much of all that was seen before still counts after a pass."""

INNER = tuple(
    tuple(list(combinations(range(13), 3)).index(three) for three in combinations(four, 3))
    for four in combinations(range(13), 4)
)
"""For each four places of a hand the threes in it, all in the order of ``combinations``."""


class Tally:
    """What has been seen: by round and class, wins and comparisons; by round, points thrown."""

    def __init__(self) -> None:
        self.wins = [[0.0] * CLASSES for _ in range(4)]
        self.compared = [[0.0] * CLASSES for _ in range(4)]
        self.thrown = [0.0] * 4

    def fade(self) -> None:
        """Let all that was seen count less."""
        for row in (*self.wins, *self.compared, self.thrown):
            row[:] = [REMEMBERED * value for value in row]

    def add(self, deal: Sequence[Sequence[Card]], known: Chances) -> None:
        """Play one deal of four hands."""
        divisions = [best_division(hand, "points", known) for hand in deal]
        thrown = [[classes()[strength(group)] for group in division] for division in divisions]
        for seat, hand in enumerate(deal):
            threes, fours = classes_held(hand)
            for group in range(4):
                self.thrown[group] += points(divisions[seat][group])
                others = [thrown[other][group] for other in range(4) if other != seat]
                strongest = max(others)
                part = 1 / (1 + others.count(strongest))
                wins, compared = self.wins[group], self.compared[group]
                for held in fours if group == 3 else threes:
                    compared[held] += 1
                    if held >= strongest:
                        wins[held] += 1 if held > strongest else part

    def chances(self) -> Chances:
        """The chances as they stand."""
        total = sum(self.thrown)
        return Chances(
            tuple(map(rising, self.wins, self.compared)),
            tuple(round(PARTS * part / total) for part in self.thrown),
        )


def classes_held(hand: Sequence[Card]) -> tuple[list[int], list[int]]:
    """The classes of all threes and of all fours of a hand."""
    threes: list[int] = []
    for three in combinations(ordered(hand), 3):
        one_suit = len({card[1] for card in three}) == 1
        threes.append(classes_by_ranks(one_suit)["".join(card[0] for card in three)])
    return threes, [max([threes[three] for three in inner]) for inner in INNER]


def rising(wins: Sequence[float], compared: Sequence[float]) -> tuple[int, ...]:
    """Wins by comparisons, in PARTS, neighbours pooled until they never fall.

    This is least squares under an order (pool adjacent violators; Ayer and others, 1955). Classes
    that were never seen take the value of the next weaker ones.
    """
    pools: list[tuple[float, float, int]] = []
    for won, seen in zip(wins, compared, strict=True):
        pool = (won, seen, 1)
        while pools and pools[-1][0] * pool[1] >= pool[0] * pools[-1][1]:
            before = pools.pop()
            pool = (before[0] + pool[0], before[1] + pool[1], before[2] + pool[2])
        pools.append(pool)
    return tuple(
        round(PARTS * won / seen) if seen else 0 for won, seen, size in pools for _ in range(size)
    )


def unlearned() -> Chances:
    """Where it begins: a class wins as if the others' three were any classes at random."""
    row = tuple(round(PARTS * (number / CLASSES) ** 3) for number in range(CLASSES))
    return Chances((row,) * 4, (PARTS // 4,) * 4)


def measure(passes: int, deals: int, seed: int) -> Chances:
    """The chances after so many passes of so many deals, with a line for each pass."""
    chance, pack = random.Random(seed), list(FULL_PACK)
    known, tally = unlearned(), Tally()
    for number in range(1, passes + 1):
        tally.fade()
        for _ in range(deals):
            chance.shuffle(pack)
            tally.add([pack[13 * seat : 13 * seat + 13] for seat in range(4)], known)
        new = tally.chances()
        print(f"pass {number}: {change(known, new, tally)}", flush=True)
        known = new
    return known


def change(old: Chances, new: Chances, tally: Tally) -> str:
    """By how much the chances have moved, on average over all that players hold."""
    moved = [
        sum(abs(b - a) * seen for a, b, seen in zip(*rows, strict=True)) / sum(rows[2]) / PARTS
        for rows in zip(old.rows, new.rows, tally.compared, strict=True)
    ]
    thrown = [f"{PACK_POINTS / 4 * share / PARTS:.1f}" for share in new.shares]
    return f"chances moved by {moved_text(moved)}, points thrown by round {' '.join(thrown)}"


def moved_text(moved: Sequence[float]) -> str:
    """Four small numbers as text."""
    return " ".join(f"{value:.4f}" for value in moved)


def module(known: Chances, command: str) -> str:
    """The text of the table as a module."""
    lines = [
        '"""Chances to win a round by strength, from simulated play; see ``chances``.',
        "",
        f"Written by ``{command}``; not to be changed by hand.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        f"SHARES: Final = {known.shares}",
        '"""In parts of 10,000, how a hand\'s points fall on the four rounds."""',
        "",
        "# Each step is class:chance, the chance of this class and of those up to the next step.",
        "ROWS: Final = (",
    ]
    for row in known.rows:
        steps = [f"{at}:{part}" for at, part in enumerate(row) if at == 0 or row[at - 1] != part]
        indent = " " * 4
        text = textwrap.fill(" ".join(steps), 98, initial_indent=indent, subsequent_indent=indent)
        lines += ['    """', text, '    """,']
    lines += [")", '"""For each round the chances in the same parts, from the weakest class up."""']
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description="Measure the winning chances of Hazari's groups.")
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--deals", type=int, default=1500, help="deals in a pass")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    command = "python -m bench.chances"
    for name in ("passes", "deals", "seed"):
        command += f" --{name} {getattr(given, name)}"
    text = module(measure(given.passes, given.deals, given.seed), command)
    TABLE.write_text(text, encoding="utf-8")
    print(f"written to {TABLE}")


if __name__ == "__main__":
    main()
