"""What one group operation costs on this machine right now; the measure of all other benches."""

from __future__ import annotations

import dataclasses
import secrets
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from protocol.group import (
    ORDER,
    Point,
    Tally,
    add,
    combination,
    compress,
    generator_times,
    parse_point,
    secret_times,
    tally,
)


@dataclass(frozen=True, slots=True)
class Prices:
    """Seconds of one operation of each kind that ``group.tally`` counts."""

    generator: float
    secret: float
    term: float
    sum: float
    addition: float
    parse: float

    def of(self, operations: Tally) -> float:
        """Seconds that these operations cost by themselves."""
        return (
            operations.generator * self.generator
            + operations.secret * self.secret
            + operations.terms * self.term
            + operations.sums * self.sum
            + operations.additions * self.addition
            + operations.parses * self.parse
        )


def counted() -> Tally:
    """The operations carried out so far."""
    return dataclasses.replace(tally)


def since(before: Tally) -> Tally:
    """The operations carried out since ``before`` was counted."""
    now = counted()
    names = [field.name for field in dataclasses.fields(Tally)]
    return Tally(**{name: getattr(now, name) - getattr(before, name) for name in names})


def _seconds(work: Callable[[], object], repeat: int, rounds: int = 5) -> float:
    """The median over rounds of the mean seconds of one call."""
    means = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(repeat):
            work()
        means.append((time.perf_counter() - start) / repeat)
    return statistics.median(means)


def measure() -> Prices:
    """Prices of all operations, by timing each alone; takes a tenth of a second."""
    scalars = [secrets.randbelow(ORDER - 1) + 1 for _ in range(100)]
    points: list[Point] = [generator_times(k) for k in scalars]
    wire = compress(points[0])
    terms = list(zip(scalars, points, strict=True))
    two = _seconds(lambda: add(points[:2]), 40)
    many = _seconds(lambda: add(points), 4)
    addition = (many - two) / (len(points) - 2)
    return Prices(
        generator=_seconds(lambda: generator_times(scalars[0]), 40),
        secret=_seconds(lambda: secret_times(scalars[0], points[1]), 40),
        term=_seconds(lambda: combination(terms), 2) / len(terms),
        sum=two - addition,
        addition=addition,
        parse=_seconds(lambda: parse_point(wire), 40),
    )
