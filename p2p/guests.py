"""Who has been heard in a lobby, how long ago, and by which way; all of it bounded. SPEC 11.6."""

from __future__ import annotations

from p2p.budget import put
from p2p.statements import Heard
from protocol.hashing import digest

MAX_SEEN = 1024
"""Statements that are remembered, to drop their copies: minutes of a full table."""

MAX_AUTHORS = 64
"""Players who are remembered; those heard longest ago are forgotten first."""


class Guests:
    """What is known of each author of statements. ``now`` as for the lobby."""

    def __init__(self, now: float) -> None:
        self._start = now
        self._seen: dict[bytes, None] = {}
        self._counts: dict[bytes, int] = {}
        self._heard: dict[bytes, float] = {}
        self._ways: dict[bytes, bytes] = {}

    def is_new(self, heard: Heard) -> bool:
        """Whether no copy of this statement has been used."""
        return _name(heard) not in self._seen

    def is_fresh(self, heard: Heard) -> bool:
        """Whether the author has said nothing later, so that this cannot be an old statement."""
        return heard.count > self._counts.get(heard.author, -1)

    def note(self, heard: Heard, now: float) -> None:
        """A statement has been used."""
        put(self._seen, _name(heard), None, MAX_SEEN)
        count = max(heard.count, self._counts.get(heard.author, -1))
        put(self._counts, heard.author, count, MAX_AUTHORS)
        self.hear(heard.author, now)

    def hear(self, key: bytes, now: float) -> None:
        """This player is there: it has spoken, or is linked."""
        put(self._heard, key, now, MAX_AUTHORS)

    def silence(self, key: bytes, now: float) -> float:
        """Seconds since a player was last heard."""
        return now - self._heard.get(key, self._start)

    def came_by(self, key: bytes, source: bytes) -> None:
        """A player without a seat has asked by the link of ``source``, and is answered by it."""
        put(self._ways, key, source, MAX_AUTHORS)

    def way(self, key: bytes) -> bytes | None:
        """The link by which a player has asked for a seat."""
        return self._ways.get(key)


def _name(heard: Heard) -> bytes:
    return digest("statement", heard.author, heard.statement.body)
