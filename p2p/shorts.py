"""Short forms of keys, made slowly on purpose, and therefore away from the event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import trio

from p2p.budget import put
from p2p.identity import short_form
from p2p.jobs import Jobs

MAX_REMEMBERED = 256

MAX_LATER = 16
"""Keys that may wait for their short form with nobody waiting for them."""

MAX_VOUCHED = 128

VOUCHED_SECONDS = 3.0
"""So long the short form of a key that was vouched for can wait: own bots come when a table is
about to begin, and then the processor has other things to do."""


class Shorts:
    """Remembers the short forms that were needed.

    ``shown``: whether there is anybody to see them; if not, all are empty and none is made.
    ``made``: told of those that come late, of keys that were vouched for.
    """

    def __init__(
        self,
        jobs: Jobs,
        shown: bool = True,
        made: Callable[[bytes, str], None] = lambda key, short: None,
    ) -> None:
        self._jobs = jobs
        self._shown = shown
        self._made = made
        self._known: dict[bytes, str] = {}
        self._kept: dict[bytes, str] = {}
        self._vouched: dict[bytes, str] = {}
        self._strangers = trio.Lock()
        self._later: dict[bytes, None] = {}
        self._more = trio.Event()
        self._voucher = trio.Event()

    async def run(self) -> None:
        """Makes those that are wanted later, one after the other, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._run_vouched)
            while True:
                while self._later:
                    await self.of_stranger(next(iter(self._later)))
                    del self._later[next(iter(self._later))]
                self._more = trio.Event()
                await self._more.wait()

    def known(self, key: bytes) -> str | None:
        """The short form of a key if it is known by now; empty for no key, and for one that was
        vouched for and has none yet."""
        if not key or not self._shown:
            return ""
        return self._kept.get(key) or self._known.get(key) or self._vouched.get(key)

    def keep(self, keys: Iterable[bytes]) -> None:
        """These keys matter from now on: they are not forgotten for others, however many."""
        self._kept = {key: short for key in keys if (short := self.known(key))}

    def later(self, key: bytes) -> None:
        """Has a short form made when there is time, if not too many are waited for."""
        if self.known(key) is None and len(self._later) < MAX_LATER:
            self._later[key] = None
            self._more.set()

    def vouch(self, key: bytes) -> None:
        """Nobody has to compare this key: it is known whose it is. Nothing waits for its short
        form, which comes later."""
        if self.known(key) is None:
            put(self._vouched, key, "", MAX_VOUCHED)
            self._voucher.set()

    def vouched(self, key: bytes) -> bool:
        """Whether ``vouch`` was said of this key."""
        return key in self._vouched

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

    async def proved(self, key: bytes) -> str:
        """The short form of a key, made in any case: something depends on it."""
        return self.known(key) or await self._make(key)

    async def _run_vouched(self) -> None:
        while True:
            await self._voucher.wait()
            await trio.sleep(VOUCHED_SECONDS)
            self._voucher = trio.Event()
            for key in [key for key, short in self._vouched.items() if not short]:
                short = await self._jobs.run(partial(short_form, key))
                if key in self._vouched:
                    self._vouched[key] = short
                    self._made(key, short)

    async def _make(self, key: bytes) -> str:
        short = await self._jobs.run(partial(short_form, key))
        put(self._known, key, short, MAX_REMEMBERED)
        return short
