"""Words that several commands share: names for seats, numbers for people, lines without tricks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine import Plain

_SEAT = re.compile(r"\bseat ([0-9])\b")


def named(text: str, players: Sequence[str]) -> str:
    """A sentence of the engine with players' names where it says ``seat 2``."""

    def name(match: re.Match[str]) -> str:
        seat = int(match[1])
        return players[seat] if seat < len(players) else match[0]

    return _SEAT.sub(name, text)


def pairs(plain: Plain) -> list[tuple[str, Plain]]:
    """The names and values of a plain standing; what is no pair is passed over."""
    items = plain if isinstance(plain, tuple) else ()
    found = [item for item in items if isinstance(item, tuple) and len(item) == 2]
    return [(str(name), value) for name, value in found]


def standing(
    pairs: Iterable[Sequence[object]], players: Sequence[str], score: str = "{}"
) -> list[str]:
    """A plain standing in lines for people: what everybody has, and a bank that is carried over.

    ``pairs``: name and value each. The first one that has a number for each seat is the score;
    ``score`` is how it is called, with braces for its name.
    """
    lines: list[str] = []
    for name, value in pairs:
        if isinstance(value, Sequence) and len(value) == len(players) and not lines:
            row = zip(players, value, strict=True)
            each = ", ".join(f"{player} {number}" for player, number in row)
            lines.append(f"{score.format(name)}: {each}")
        elif name == "carried" and value:
            lines.append(f"carried over in the bank: {value}")
    return lines


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 proof``, ``3 proofs``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def often(number: int) -> str:
    """``once``, ``twice``, ``3 times``."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def listed(names: Sequence[str]) -> str:
    """``Anna``, ``Anna and Ben``, ``Anna, Ben and Cleo``; ``nobody`` for none."""
    if not names:
        return "nobody"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def shown(text: str) -> str:
    """A text from outside on one line, with what could steer a terminal replaced."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
