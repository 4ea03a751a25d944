"""The pack lane of four seats, all in one process, against the price of its operations.

    python -m bench.lane [--rounds N]

Every seat's session runs as in life, proofs and checks included; only sockets and disk are left
out. The time until the last seat has a finished pack is divided by the sum of the group operations
that were carried out, each priced in the same run. In line the ratio shows what Python adds; with
two workers (processes) how much two cores help. Threads, which a peer uses, keep its event loop
free but share one interpreter lock; their figure is printed without a cap. Ends with 1 if a ratio
is above its cap.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bench.prices import Prices, counted, measure, since
from engine import complete, game
from protocol.agreement import Agreement, Player, new_roster
from protocol.effects import Effect, Job, Send, Tell
from protocol.events import PackFinished
from protocol.group import Tally
from protocol.session import Session
from protocol.signing import public_bytes

SEATS = 4
IN_LINE_CAP = 1.2
TWO_WORKERS_CAP = 0.8


@dataclass(frozen=True, slots=True)
class Timed:
    """One run: seconds of the lane, and the operations that were carried out in it."""

    seconds: float
    operations: Tally


class Lane:
    """Four sessions and the queues between them, until each has its first pack."""

    def __init__(self) -> None:
        keys = [Ed25519PrivateKey.generate() for _ in range(SEATS)]
        players = tuple(Player(public_bytes(key), f"seat {i}") for i, key in enumerate(keys))
        roster = new_roster("bench", "hazari", complete(game("hazari").options, {}), players)
        agreement = Agreement(roster, tuple(secrets.token_bytes(32) for _ in keys))
        by_key = {public_bytes(key): key for key in keys}
        self.sessions = [
            Session(agreement, seat, by_key[key], secrets.token_bytes)
            for seat, key in enumerate(agreement.keys)
        ]
        self.letters: deque[tuple[int, bytes]] = deque()
        self.jobs: deque[tuple[int, Job]] = deque()
        self.ready: set[int] = set()
        self.sent: set[bytes] = set()

    def take(self, seat: int, effects: list[Effect]) -> None:
        """Files the effects of one seat."""
        for effect in effects:
            if isinstance(effect, Send) and effect.envelope not in self.sent:
                self.sent.add(effect.envelope)
                self.letters.extend((s, effect.envelope) for s in range(SEATS) if s != seat)
            elif isinstance(effect, Job):
                self.jobs.append((seat, effect))
            elif isinstance(effect, Tell) and isinstance(effect.event, PackFinished):
                self.ready.add(seat)

    def deliver(self) -> None:
        """Delivers everything that was sent, as far as the first pack goes."""
        while self.letters and len(self.ready) < SEATS:
            seat, data = self.letters.popleft()
            if seat not in self.ready:
                self.take(seat, self.sessions[seat].receive(data, 0.0))

    def begin(self) -> None:
        """All seats start."""
        for seat, session in enumerate(self.sessions):
            self.take(seat, session.begin(0.0))

    def in_line(self) -> None:
        """Runs to the end, each job where it arises."""
        self.begin()
        while len(self.ready) < SEATS:
            if self.jobs:
                seat, job = self.jobs.popleft()
                self.take(seat, self.sessions[seat].done(job.number, job.run(), 0.0))
            else:
                self.deliver()

    def with_workers(self, pool: Executor) -> None:
        """Runs to the end with the jobs in the workers of a pool."""
        running: dict[Future[object], tuple[int, int]] = {}
        self.begin()
        while len(self.ready) < SEATS:
            self.deliver()
            while self.jobs:
                seat, job = self.jobs.popleft()
                running[pool.submit(job.run)] = (seat, job.number)
            if len(self.ready) < SEATS:
                finished, _ = wait(running, timeout=60, return_when=FIRST_COMPLETED)
                for future in finished:
                    seat, number = running.pop(future)
                    self.take(seat, self.sessions[seat].done(number, future.result(), 0.0))


@contextmanager
def timed(into: list[Timed]) -> Iterator[None]:
    """Appends the time and the operations of what runs inside."""
    before = counted()
    start = time.perf_counter()
    yield
    into.append(Timed(time.perf_counter() - start, since(before)))


def report(name: str, runs: list[Timed], operations: list[Tally], prices: list[Prices]) -> float:
    """Prints a line; the median ratio of time to priced operations."""
    priced = [p.of(o) for o, p in zip(operations, prices, strict=True)]
    ratio = statistics.median(run.seconds / sum_ for run, sum_ in zip(runs, priced, strict=True))
    print(
        f"{name:20s}{statistics.median(run.seconds for run in runs) * 1000:7.1f} ms, operations "
        f"priced at {statistics.median(priced) * 1000:6.1f} ms: ratio {ratio:.2f}",
        end="",
    )
    return ratio


def within(ratio: float, cap: float) -> bool:
    """Finishes the line; whether the ratio is within its cap."""
    print(f" (cap {cap}) {'ok' if ratio <= cap else 'ABOVE THE CAP'}")
    return ratio <= cap


def main() -> int:
    """Runs all three ways in turn, prices before each round; 0 if the capped ones are in order."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9, help="how often (default: 9)")
    rounds = parser.parse_args().rounds
    Lane().in_line()  # bases and tables are made once a process
    line: list[Timed] = []
    processes: list[Timed] = []
    threads: list[Timed] = []
    prices: list[Prices] = []
    with ProcessPoolExecutor(2) as workers, ThreadPoolExecutor(2) as pool:
        Lane().with_workers(workers)
        for _ in range(rounds):
            prices.append(measure())
            lanes = [Lane() for _ in range(3)]
            with timed(line):
                lanes[0].in_line()
            with timed(processes):
                lanes[1].with_workers(workers)
            with timed(threads):
                lanes[2].with_workers(pool)
    print(f"one pack of 52 cards, {SEATS} seats in one process, median of {rounds}")
    # A worker process counts for itself; the lane's operations are the same ones in all three.
    operations = [run.operations for run in line]
    good = within(report("in line", line, operations, prices), IN_LINE_CAP)
    good &= within(report("two worker processes", processes, operations, prices), TWO_WORKERS_CAP)
    report("two worker threads", threads, operations, prices)
    print(" (no cap)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
