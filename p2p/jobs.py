"""Where heavy or blocking work runs: in threads in life, in line in a simulation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

import trio

_T = TypeVar("_T")

PROOFS_AT_ONCE = 2
"""Jobs of a session that run at a time: the arithmetic lets go of Python's lock for the most part,
and a table with bots shares one machine."""


class Jobs(ABC):
    """A place for work that must not hold up the event loop."""

    @abstractmethod
    async def run(self, work: Callable[[], _T]) -> _T:
        """The result of ``work``; raises what it raises."""


class ThreadJobs(Jobs):
    """Worker threads, at most ``most`` at a time.

    ``abandon``: when cancelled, let the thread go on alone and drop its result; else wait for it.
    """

    def __init__(self, most: int = PROOFS_AT_ONCE, abandon: bool = True) -> None:
        self._limiter = trio.CapacityLimiter(most)
        self._abandon = abandon

    async def run(self, work: Callable[[], _T]) -> _T:
        """See ``Jobs.run``."""
        return await trio.to_thread.run_sync(
            work, limiter=self._limiter, abandon_on_cancel=self._abandon
        )


class InlineJobs(Jobs):
    """The event loop itself: for simulations, where nothing may depend on threads."""

    async def run(self, work: Callable[[], _T]) -> _T:
        """See ``Jobs.run``."""
        await trio.lowlevel.checkpoint()
        return work()
