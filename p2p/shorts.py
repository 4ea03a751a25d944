"""Short forms of keys, made slowly on purpose, and therefore away from the event loop."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import trio

from p2p.identity import short_form
from p2p.jobs import Jobs

MAX_REMEMBERED = 256

MAX_LATER = 16
"""Keys that may wait for their short form with nobody waiting for them."""


class Shorts:
    """Remembers the short forms that were needed."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._known: dict[bytes, str] = {}
        self._kept: dict[bytes, str] = {}
        self._strangers = trio.Lock()
        self._later: dict[bytes, None] = {}
        self._more = trio.Event()

    async def run(self) -> None:
        """Makes those that are wanted later, one after the other, until cancelled."""
        while True:
            while self._later:
                await self.of_stranger(next(iter(self._later)))
                del self._later[next(iter(self._later))]
            self._more = trio.Event()
            await self._more.wait()

    def known(self, key: bytes) -> str | None:
        """The short form of a key if it is known by now; empty for no key."""
        if not key:
            return ""
        return self._kept.get(key) or self._known.get(key)

    def keep(self, keys: Iterable[bytes]) -> None:
        """These keys matter from now on: they are not forgotten for others, however many."""
        self._kept = {key: short for key in keys if (short := self.known(key))}

    def later(self, key: bytes) -> None:
        """Has a short form made when there is time, if not too many are waited for."""
        if self.known(key) is None and len(self._later) < MAX_LATER:
            self._later[key] = None
            self._more.set()

    async def of(self, key: bytes) -> str:
        """The short form of a key; empty for no key. Takes 0.1 s at first."""
        known = self.known(key)
        return await self._make(key) if known is None else known

    async def of_stranger(self, key: bytes) -> str:
        """The same for keys that cost nobody but us anything: one of them at a time."""
        if self.known(key) is None:
            async with self._strangers:
                if self.known(key) is None:
                    await self._make(key)
        return self.known(key) or ""

    async def _make(self, key: bytes) -> str:
        short = await self._jobs.run(partial(short_form, key))
        if len(self._known) >= MAX_REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[key] = short
        return short
