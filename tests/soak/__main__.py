"""Real peers, killed at random moments until so many kills were made, time is up or it is wrong.

    python -m tests.soak --kills 200 --seed 1 --seconds 3600
    python -m tests.soak --seed 1 --match 17
    python -m tests.soak --scenario stop
    python -m tests.soak --scenario all

Every match must end, every record be complete, all peers agree, and nobody contradict itself. Exit
code 1 at the first violation; the folders of that match are kept. Scenarios: tests/soak/faults.py,
and with networks of their own tests/soak/networks.py (root and ``ip``; skipped without).
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.soak import faults, networks
from tests.soak.chance import plan
from tests.soak.match import Violation, play

SCENARIOS = {**faults.SCENARIOS, **networks.SCENARIOS}


def main() -> int:
    """See the module."""
    options = _options()
    # Whoever ends this ends all that it has started.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    home = Path(tempfile.mkdtemp(prefix="facedown-soak-"))
    if options.scenario:
        names = list(SCENARIOS) if options.scenario == ["all"] else options.scenario
        codes = [_scenario(name, home) for name in names]
        code = max(codes)
    else:
        code = _kills(options, home)
    if code == 0:
        shutil.rmtree(home, ignore_errors=True)
    return code


def _kills(options: argparse.Namespace, home: Path) -> int:
    kills: Counter[str] = Counter()
    matches = wrong = 0
    longest, slowest = 0.0, 0
    began = time.monotonic()
    number = options.match or 0
    while kills.total() < options.kills and time.monotonic() < began + options.seconds:
        number += 0 if options.match and not matches else 1
        what = plan(options.seed, number, options.game)
        folder = home / f"{options.seed}-{number}"
        folder.mkdir()
        matches += 1
        start = time.monotonic()
        title = f"match {number}: {what.game}, {what.seats} seats, {' '.join(what.options)}"
        try:
            table, took = play(what, options.seed, folder)
        except Violation as violation:
            wrong += 1
            say(f"{title}: WRONG: {violation}")
            say(f"  its folders are in {folder}")
            say(f"  again: python -m tests.soak --seed {options.seed} --match {number}")
            if not options.go_on:
                break
            continue
        kills += table.kills
        if took > longest:
            longest, slowest = took, number
        done = ", ".join(f"{n} {stage}" for stage, n in sorted(table.kills.items()))
        say(
            f"{title}, {what.by}: {table.kills.total()} kills ({done}); ended {took:.0f} s after "
            f"the last start, {time.monotonic() - start:.0f} s in all"
        )
        shutil.rmtree(folder, ignore_errors=True)
        if options.match:
            break
    stages = ", ".join(f"{n} {stage}" for stage, n in sorted(kills.items()))
    say(
        f"seed {options.seed}: {matches} matches, {wrong} of them wrong, {kills.total()} kills "
        f"({stages}); a match ended {longest:.0f} s after the last kill or start at most (match "
        f"{slowest}); {time.monotonic() - began:.0f} s in all"
    )
    return 1 if wrong else 0


def _scenario(name: str, home: Path) -> int:
    folder = home / name
    folder.mkdir()
    start = time.monotonic()
    try:
        told = SCENARIOS[name](folder)
    except Violation as violation:
        say(f"{name}: WRONG: {violation}\n  its folders are in {folder}")
        return 1
    say(f"{name}: {told}; {time.monotonic() - start:.0f} s")
    return 0


def say(text: str) -> None:
    """A line of progress."""
    print(text, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--kills", type=int, default=200, help="so many at least (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then no match begins")
    parser.add_argument("--game", choices=("azi", "hazari"))
    parser.add_argument("--match", type=int, help="only the match of this number")
    parser.add_argument("--go-on", action="store_true", help="also after a violation")
    parser.add_argument(
        "--scenario", action="append", choices=[*SCENARIOS, "all"], help="instead of kills"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
