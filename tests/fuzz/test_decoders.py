"""Invariant: a value or the documented fault, in bounded time and memory, and nothing else.

The decoders are the table of ``tests.fuzz.targets``, which ``make fuzz`` searches by coverage; what
it finds is kept here in FOUND.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.shapes import JSON, PACKED, mutated, of_size
from tests.fuzz.targets import BY_NAME, TARGETS, Target

EXAMPLES = 60
FEW = 12
"""Examples of a target that is slow."""

FOUND: dict[str, tuple[bytes, ...]] = {
    # A port of more digits than are looked at: it overflowed at the first dial, and no LocalError.
    "address": (b"192.168.1.20:055555" + b"5" * 20, b"c:0" + b"5" * 100),
    # Brackets that Python's JSON cannot follow: play could not start with such a file.
    "page.json": (b"[" * 100_000,),
    "line": (b"[" * 60_000,),
    "command": (b"[" * 16_000,),
}
"""Inputs that broke the invariant once, by target, or that break what is like it."""

STEPS = 6.0
"""Four times as many bytes may take so many times as long as if time were linear... and a quadratic
way of reading takes four times as long as that."""

MEMORY_BASE = 768 * 1024
MEMORY_PER_BYTE = 64
"""Bytes that reading may take at its peak: a tuple of one has 48 for one byte on the wire."""

every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)


def inputs(target: Target) -> st.SearchStrategy[bytes]:
    """Anything; valid examples that were changed; values of odd shapes."""
    odd = JSON if target.form == "json" else PACKED
    return st.binary(max_size=64) | mutated(tuple(target.seeds())) | odd


@every_target
def test_anything_is_a_value_or_the_documented_fault(target: Target) -> None:
    """And what comes out is written as the same bytes."""

    @settings(
        max_examples=FEW if target.slow else EXAMPLES,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs(target))
    def whatever(data: bytes) -> None:
        target(data)

    whatever()


@every_target
def test_valid_examples_are_values(target: Target) -> None:
    """Else nothing behind the first check would be reached."""
    answers = [target(seed) for seed in target.seeds()]
    assert any(answers) or target.name == "frames"  # which ends with the end of the stream


@pytest.mark.parametrize(
    ("target", "data"), [(BY_NAME[name], data) for name, all_ in FOUND.items() for data in all_]
)
def test_what_was_found_once_is_refused(target: Target, data: bytes) -> None:
    """Each broke the invariant when it was found."""
    target(data)


def grown(target: Target) -> Iterator[tuple[str, bytes, bytes]]:
    """Every shape in the largest size that is read, and in a quarter of it."""
    seeds = tuple(target.seeds())
    small = dict(of_size(target.most // 4, seeds))
    for name, large in of_size(target.most - 32, seeds):
        yield name, small[name], large


@pytest.mark.slow
@every_target
def test_memory_is_bounded_by_the_size_of_the_input(target: Target) -> None:
    """At its peak, for the largest input that is read at all."""
    for name, _, large in grown(target):
        target(large)  # what is made once for all is made now
        tracemalloc.start()
        try:
            target(large)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak <= MEMORY_BASE + MEMORY_PER_BYTE * len(large), (name, peak, len(large))


@pytest.mark.alone
@every_target
def test_time_grows_no_faster_than_the_input(target: Target) -> None:
    """A ratio of two times of the same run: absolute ones say nothing on a busy machine."""
    for name, small, large in grown(target):
        allowed = STEPS * len(large) / max(1, len(small))
        short, long = seconds(target, small), seconds(target, large)
        assert long <= allowed * max(short, SHORTEST), (name, short, long)


SHORTEST = 0.0005
"""Seconds; what is shorter is noise."""


def seconds(target: Target, data: bytes) -> float:
    """Processor time of reading, the best of some tries."""
    best = float("inf")
    for _ in range(3):
        began = time.thread_time()
        target(data)
        best = min(best, time.thread_time() - began)
    return best
