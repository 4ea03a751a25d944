"""How much anybody may make us do: so many things at once, and so many a second after that.

Sans-I/O. ``now`` is seconds of any steady clock.
"""

from __future__ import annotations

from typing import TypeVar

MAX_REMEMBERED = 64
"""Keys whose budgets are remembered; those used longest ago are forgotten first."""

_K = TypeVar("_K")
_V = TypeVar("_V")


class Budget:
    """``burst`` things at once after a silence, and ``a_second`` in the long run."""

    def __init__(self, a_second: float, burst: float) -> None:
        self._a_second = a_second
        self._burst = burst
        self._left = burst
        self._at: float | None = None

    def spend(self, now: float) -> bool:
        """Takes one, if there is one left."""
        if not self.is_left(now):
            return False
        self._left -= 1
        return True

    def is_left(self, now: float) -> bool:
        """Whether there is one left."""
        passed = 0.0 if self._at is None else now - self._at
        self._at = now
        self._left = min(self._burst, self._left + passed * self._a_second)
        return self._left >= 1


class Budgets:
    """A budget for each key, or place, of those that were seen lately."""

    def __init__(self, a_second: float, burst: float, most: int = MAX_REMEMBERED) -> None:
        self._a_second = a_second
        self._burst = burst
        self._most = most
        self._each: dict[bytes | str, Budget] = {}

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._each)

    def spend(self, key: bytes | str, now: float) -> bool:
        """Takes one of this key, if there is one left."""
        budget = self._each.get(key) or Budget(self._a_second, self._burst)
        put(self._each, key, budget, self._most)
        return budget.spend(now)


def put(values: dict[_K, _V], key: _K, value: _V, most: int = MAX_REMEMBERED) -> None:
    """Puts a value last, and forgets the first ones beyond ``most``."""
    values.pop(key, None)
    values[key] = value
    while len(values) > most:
        del values[next(iter(values))]
