"""Words that several commands share: names for seats, numbers for people, lines without tricks."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SEAT = re.compile(r"\bseat ([0-9])\b")


def named(text: str, players: Sequence[str]) -> str:
    """A sentence of the engine with players' names where it says ``seat 2``."""

    def name(match: re.Match[str]) -> str:
        seat = int(match[1])
        return players[seat] if seat < len(players) else match[0]

    return _SEAT.sub(name, text)


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 proof``, ``3 proofs``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """``Anna``, ``Anna and Ben``, ``Anna, Ben and Cleo``; ``nobody`` for none."""
    if not names:
        return "nobody"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def shown(text: str) -> str:
    """A text from outside on one line, with what could steer a terminal replaced."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
