"""Short forms of keys, made slowly on purpose, and therefore away from the event loop."""

from __future__ import annotations

from functools import partial

from p2p.identity import short_form
from p2p.jobs import Jobs

MAX_REMEMBERED = 256


class Shorts:
    """Remembers the short forms that were needed."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._known: dict[bytes, str] = {}

    def known(self, key: bytes) -> str | None:
        """The short form of a key if it has been asked for before."""
        return self._known.get(key)

    async def of(self, key: bytes) -> str:
        """The short form of a key; empty for no key. Takes 0.1 s at first."""
        if not key:
            return ""
        if key not in self._known:
            short = await self._jobs.run(partial(short_form, key))
            if len(self._known) >= MAX_REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[key] = short
        return self._known[key]
