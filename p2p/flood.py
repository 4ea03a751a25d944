"""Who has which envelope already, so that flooding sends it once to each. SPEC 11.8."""

from __future__ import annotations

from collections.abc import Iterable

from protocol.hashing import digest

REMEMBERED = 4096
"""Envelopes that are remembered per key and in all: a good many hands."""


class Flood:
    """Bounded memory of envelopes: which have arrived by flooding, and who has them."""

    def __init__(self) -> None:
        self._arrived: dict[bytes, None] = {}
        self._has: dict[bytes, dict[bytes, None]] = {}

    def arrived(self, key: bytes, envelope: bytes) -> bool:
        """An envelope has come by the link of a key; whether it is the first copy."""
        name = _name(envelope)
        self._note(key, name)
        new = name not in self._arrived
        _remember(self._arrived, name)
        return new

    def targets(self, keys: Iterable[bytes], envelope: bytes) -> tuple[bytes, ...]:
        """Those of the keys that lack an envelope; from now on they count as having it."""
        name = _name(envelope)
        lacking = tuple(key for key in keys if name not in self._has.get(key, ()))
        for key in lacking:
            self._note(key, name)
        return lacking

    def relinked(self, key: bytes) -> None:
        """There is a new link with a key: what was under way on the old one may be lost."""
        self._has.pop(key, None)

    def _note(self, key: bytes, name: bytes) -> None:
        _remember(self._has.setdefault(key, {}), name)


def _name(envelope: bytes) -> bytes:
    return digest("flood", envelope)


def _remember(names: dict[bytes, None], name: bytes) -> None:
    names[name] = None
    if len(names) > REMEMBERED:
        del names[next(iter(names))]
