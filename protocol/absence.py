"""How a step closes without a seat's entry, and what stands for it in the head. SPEC 5.3, 5.6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from protocol.hashing import digest

ABSENT = digest("absent")
"""What stands in a head for an entry that is invalid."""

GONE = digest("gone")
"""What stands there for the entry of a seat that the others declared gone.

It is another value: of the one author it is known that it broke the rules, of the other only that
nobody heard it. Who sees it one way must not stand on one head with who sees it the other way.
"""


@dataclass(frozen=True, slots=True)
class Absent:
    """Stands for the entry of a seat that was declared gone in a step; None for an invalid one."""


T = TypeVar("T")


def caught_in(entries: Mapping[int, T | Absent | None]) -> frozenset[int]:
    """The seats whose entry of a step is invalid."""
    return frozenset(seat for seat, entry in entries.items() if entry is None)


def absent_in(entries: Mapping[int, T | Absent | None]) -> frozenset[int]:
    """The seats that were declared gone in a step."""
    return frozenset(seat for seat, entry in entries.items() if isinstance(entry, Absent))
