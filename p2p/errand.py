"""Something that another task has the owner of a peer do, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import trio

from p2p.trouble import Trouble
from protocol.errors import LocalError

_T_co = TypeVar("_T_co", covariant=True)


class Errand(Generic[_T_co]):
    """Work to be run in the owner's task, once."""

    def __init__(self, work: Callable[[], Awaitable[_T_co]]) -> None:
        self._work = work
        self._done = trio.Event()
        self._results: list[_T_co] = []
        self._refusal: LocalError | None = None

    async def run(self) -> None:
        """Called by the owner. A LocalError goes to whoever waits for the result, unless it is
        Trouble: when the disk fails the owner cannot go on.
        """
        try:
            self._results.append(await self._work())
        except Trouble as trouble:
            self._refusal = trouble
            self._done.set()
            raise
        except LocalError as refusal:
            self._refusal = refusal
        self._done.set()

    async def result(self) -> _T_co:
        """The result, when it is there; raises the LocalError that the work has raised."""
        await self._done.wait()
        if self._refusal is not None:
            raise self._refusal
        return self._results[0]
