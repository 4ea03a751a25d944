"""One seed, one run: Trio's order of tasks and its clock in the hands of a test.

Two names of Trio that this needs are private; ``guard`` fails loudly when they change.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio
import trio._core._run as trio_run
import trio.testing

_T = TypeVar("_T")


def guard() -> None:
    """Raises AssertionError if Trio does not have what a repeatable run needs."""
    allow = getattr(trio_run, "_ALLOW_DETERMINISTIC_SCHEDULING", None)
    assert isinstance(allow, bool), "trio._core._run._ALLOW_DETERMINISTIC_SCHEDULING has changed"
    source = getattr(trio_run, "_r", None)
    assert isinstance(source, random.Random), "trio._core._run._r has changed"


def run(seed: int, main: Callable[[], Awaitable[_T]]) -> _T:
    """Runs ``main`` in virtual time, which jumps when all tasks wait; the same for each seed."""
    guard()
    state = trio_run._r.getstate()
    allowed = trio_run._ALLOW_DETERMINISTIC_SCHEDULING
    vars(trio_run)["_ALLOW_DETERMINISTIC_SCHEDULING"] = True
    trio_run._r.seed(seed)
    try:
        return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    finally:
        vars(trio_run)["_ALLOW_DETERMINISTIC_SCHEDULING"] = allowed
        trio_run._r.setstate(state)
