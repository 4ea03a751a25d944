"""``python -m tests.model [--seats N] [--seconds S] [--start SEED]``: explores for a long time.

Every case of 3 to 5 seats as far as the time goes, then random walks; prints how many states each
had, and ends with exit 1 and a trace at the first thing that does not hold.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from tests.model.cases import cases, random_case, too_many_liars
from tests.model.explore import Broken, Found, explore, wander
from tests.model.table import Table

LARGEST = 5
"""Seats up to which everything is explored; more are walked at random only."""

SOME = 50
"""Of so many states of several steps one is healed."""

TABLES = 50
"""Random walks after which what a table remembers is thrown away."""


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.model", description=__doc__)
    parser.add_argument("--seats", type=int, choices=(3, 4, 5, 6), help="all of 3 to 6 if missing")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each case (20)")
    parser.add_argument("--start", type=int, default=0, help="first seed of the random walks (0)")
    asked = parser.parse_args()
    try:
        for seats in (asked.seats,) if asked.seats else (3, 4, 5, 6):
            _all_of(seats, asked.seconds, asked.start)
    except Broken as broken:
        print(broken)
        return 1
    return 0


def _all_of(seats: int, seconds: float, start: int) -> None:
    if seats <= LARGEST:
        for name, case in (*cases(seats), ("half of them lie", too_many_liars(seats))):
            began = time.monotonic()
            heal = 1 if len(case.rule.owed) == 1 else SOME
            found = explore(case, seconds, heal=heal)
            _tell(seats, name, found, time.monotonic() - began)
    began = time.monotonic()
    found = Found()
    seed = start
    while time.monotonic() - began < seconds:
        if (seed - start) % TABLES == 0:
            table = Table(random_case(seats))
        try:
            wander(table, found, random.Random(seed))
        except Broken:
            print(f"{seats} seats, random walk: --seats {seats} --start {seed}")
            raise
        seed += 1
    name = f"random walks, seeds {start} to {seed - 1}, at most {found.rounds} rounds to the end"
    _tell(seats, name, found, time.monotonic() - began)


def _tell(seats: int, name: str, found: Found, seconds: float) -> None:
    extent = "all" if found.complete else "first"
    print(
        f"{seats} seats, {name}: {extent} {found.states} states, {found.steps} moves, "
        f"{found.healed} heals, {seconds:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
