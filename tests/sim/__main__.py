"""Runs seeds of the simulation until time is up or something is wrong.

    python -m tests.sim --start 1 --seconds 60
    python -m tests.sim --start 17 --count 1 --verbose
    python -m tests.sim --start 5 --game azi --kills
    python -m tests.sim --start 1 --votes

Each seed is one table of whole peers in virtual time, with faults and liars (tests/sim/plan.py).
``--kills`` takes one calm table instead, and kills one program of it just before and after each of
its writes and sends, one run each. ``--votes``: seats are off for so long that the others vote
about them; with ``--kills``, a program is killed at each of its votes. Exit code 1 at the first
violation, with the command that repeats just that run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.sim.hooks import hooked
from tests.sim.plan import MOMENTS, SEATS, VOTE_MOMENTS, Plan, kill, plan, vote_kill, vote_plan
from tests.sim.world import LAST_LINES, Outcome, play

ALL_LINES = 1_000_000


@dataclass
class Tally:
    """What was run so far."""

    began: float = field(default_factory=time.monotonic)
    cpu: float = field(default_factory=time.process_time)
    first: int | None = None
    last: int = 0
    virtual: float = 0.0
    slowest: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome) -> None:
        """One more run."""
        seed = outcome.plan.seed
        self.first, self.last = self.first if self.first is not None else seed, seed
        self.virtual += outcome.seconds
        if outcome.ending == "over":
            self.slowest = max(self.slowest, outcome.after)
        self.counts.update(
            runs=1, events=outcome.events, faults=outcome.faults, kills=outcome.deaths
        )
        self.counts[f"ended: {outcome.ending}"] += 1
        self.seen.update(outcome.seen)

    @property
    def seconds(self) -> float:
        """Since the beginning, of the clock on the wall."""
        return time.monotonic() - self.began

    def __str__(self) -> str:
        runs = self.counts["runs"]
        endings = ", ".join(
            f"{n} {key[7:]}" for key, n in sorted(self.counts.items()) if key.startswith("ended")
        )
        return (
            f"seeds {self.first} to {self.last}: {runs} runs ({endings}), "
            f"{self.counts['events']} events, {self.counts['faults']} faults and "
            f"{self.counts['kills']} kills in {self.virtual:.0f} virtual seconds; a match ends "
            f"{self.slowest:.0f} s after the last fault at most; "
            f"{runs / max(self.seconds, 1e-9):.1f} runs/s, "
            f"{runs / max(time.process_time() - self.cpu, 1e-9):.1f} by processor time"
        )


def main() -> int:
    """See the module."""
    options = _options()
    tally = Tally()
    with hooked():
        for chosen in _plans(options, tally):
            lines = ALL_LINES if options.verbose else LAST_LINES
            outcome = play(chosen, lines, options.strict)
            if options.verbose:
                print("\n".join((*chosen.lines(), *outcome.last)))
                print(f"{outcome.ending}, {outcome.events} events, trace {outcome.digest}")
            if outcome.violation:
                _complain(outcome, options)
                return 1
            tally.add(outcome)
            if tally.counts["runs"] % options.every == 0:
                print(tally, flush=True)
    print(tally)
    print("seen by honest seats:", dict(sorted(tally.seen.items())), flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.sim")
    parser.add_argument("--start", type=int, default=1, help="the first seed")
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--count", type=int, help="so many seeds, however long they take")
    parser.add_argument("--game", choices=("small", *SEATS), default="small")
    parser.add_argument("--seats", type=int, help="players at each table; else any number")
    parser.add_argument("--votes", action="store_true", help="long absences, and votes about them")
    parser.add_argument("--kills", action="store_true", help="kill at every moment of one table")
    parser.add_argument("--kill", metavar="MOMENT/NUMBER", help="one run of --kills")
    parser.add_argument("--strict", action="store_true", help="known gaps are violations")
    parser.add_argument("--every", type=int, default=500, help="runs between two lines of news")
    parser.add_argument("--verbose", action="store_true", help="print plans and whole traces")
    return parser.parse_args()


def _plans(options: argparse.Namespace, tally: Tally) -> Iterator[Plan]:
    about = (options.start, options.game, options.seats)
    if options.kill:
        word, _, number = options.kill.partition("/")
        yield (vote_kill if options.votes else kill)(*about, int(number), word)
    elif options.kills:
        for word in VOTE_MOMENTS if options.votes else MOMENTS:
            number, deaths = 0, -1
            # Until the match has no moment of this number any more.
            while tally.counts["kills"] > deaths:
                deaths = tally.counts["kills"]
                yield (vote_kill if options.votes else kill)(*about, number, word)
                number += 1
    else:
        seed = options.start
        while tally.seconds < options.seconds if options.count is None else options.count > 0:
            yield (vote_plan if options.votes else plan)(seed, options.game, options.seats)
            seed += 1
            options.count = None if options.count is None else options.count - 1


def _complain(outcome: Outcome, options: argparse.Namespace) -> None:
    """The trace's end, what was violated, and the command that repeats it."""
    done = outcome.plan
    print("\n".join(outcome.last))
    print("\n".join(done.lines()))
    print(f"VIOLATION of seed {done.seed}: {outcome.violation}")
    command = f"python -m tests.sim --start {done.seed} --count 1"
    if options.game != "small":
        command += f" --game {options.game}"
    if options.seats is not None:
        command += f" --seats {options.seats}"
    if options.votes:
        command += " --votes"
    if options.strict:
        command += " --strict"
    if options.kill or options.kills:
        fault = next(fault for fault in done.faults if fault.kind == "kill at")
        command += f' --kill "{fault.word}/{fault.number}"'
    print(f"To repeat it: {command}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
