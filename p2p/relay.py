"""Passing others' entries on, a little later, and not to those who show that they have them.

Where all members are linked, everybody has an entry from its author before anybody else could pass
it on; the copies would only be in the way of the next step. SPEC 11.8.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

RELAY_SECONDS = 0.05
"""How long an entry of another seat waits; a step takes less where all are linked."""

REMEMBERED = 64
"""Lanes of which it is known how far each seat has come."""


@dataclass(frozen=True, slots=True)
class Passed:
    """An entry of another seat that is to be passed on from a time on."""

    due: float
    lane: int
    step: int
    envelope: bytes


class Relay:
    """Sans-I/O: what waits to be passed on, and how far each seat has shown to have come."""

    def __init__(self) -> None:
        self._waiting: deque[Passed] = deque()
        self._reached: dict[tuple[int, int], int] = {}

    @property
    def due(self) -> float:
        """When the next entry is to be passed on; infinity: none waits."""
        return self._waiting[0].due if self._waiting else float("inf")

    def accepted(self, seat: int, lane: int, step: int) -> None:
        """An entry of this seat stands on our own history: it has all steps before it."""
        self._reached[seat, lane] = max(step, self._reached.pop((seat, lane), 0))
        if len(self._reached) > REMEMBERED:
            del self._reached[next(iter(self._reached))]

    def went_back(self) -> None:
        """What the seats have shown was on a history that has been overtaken."""
        self._reached.clear()

    def later(self, lane: int, step: int, envelope: bytes, now: float) -> None:
        """An entry of another seat is to be passed on."""
        self._waiting.append(Passed(now + RELAY_SECONDS, lane, step, envelope))

    def ready(self, now: float) -> list[Passed]:
        """The entries whose time has come, in order; they wait no more."""
        found = []
        while self._waiting and self._waiting[0].due <= now:
            found.append(self._waiting.popleft())
        return found

    def lacking(self, seats: Iterable[int], passed: Passed) -> tuple[int, ...]:
        """Those of the seats that have not shown that they are beyond the entry's step."""
        place = passed.lane, passed.step
        return tuple(s for s in seats if self._reached.get((s, place[0]), 0) <= place[1])
