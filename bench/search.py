"""How long a search for the best division takes: ``python -m bench.search [--hands N] [--seed S]``.

Prints for each aim the shortest, middle and longest time over random hands, in milliseconds of one
core, and how long the first search of a process takes, which makes the tables.
"""

from __future__ import annotations

import argparse
import random
import time
from statistics import median

from engine.cards import FULL_PACK
from engine.contract import Card
from engine.hazari.search import Aim, best_division

AIMS: tuple[Aim, ...] = ("strength", "points")


def hands(number: int, seed: int) -> list[list[Card]]:
    """So many random hands of thirteen cards."""
    chance = random.Random(seed)
    return [chance.sample(FULL_PACK, 13) for _ in range(number)]


def milliseconds(hand: list[Card], aim: Aim) -> float:
    """How long one search takes."""
    begin = time.process_time_ns()
    best_division(hand, aim)
    return (time.process_time_ns() - begin) / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time the search for the best division.")
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    dealt = hands(given.hands, given.seed)
    print(f"first search {milliseconds(dealt[0], AIMS[0]):.1f} ms")
    for aim in AIMS:
        times = [milliseconds(hand, aim) for hand in dealt]
        print(
            f"{aim:8} {len(times)} hands: min {min(times):.1f} ms,"
            f" median {median(times):.1f} ms, max {max(times):.1f} ms"
        )


if __name__ == "__main__":
    main()
