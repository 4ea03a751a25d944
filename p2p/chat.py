"""What people say to each other at a table: signed lines, flooded, and nowhere in the record.

Sans-I/O. ``now`` is seconds of any steady clock. SPEC 11.12.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p.budget import MAX_REMEMBERED, Budget, Budgets, put
from p2p.messages import LOBBY_ID_BYTES, MAX_CHAT, TABLE_ID_BYTES, Chat
from protocol.agreement import VERSION
from protocol.errors import LocalError, PeerFault
from protocol.signing import public_bytes, sign, verified
from protocol.wire import MAX_INTEGER, fields, integer, pack, text, unpack

MAX_TEXT = 500
"""Bytes of UTF-8 in one line."""

A_SECOND = 2.0
"""Lines that one author may say in a second."""

OWN_BURST = 4
"""Lines that may be said at once after a silence; then the rate counts."""

BURST = 20
"""Lines of one author that are taken at once: what a link that was held up for six seconds, which
is as long as it may, brings of somebody who keeps to the rate."""

LINK_A_SECOND = 16.0
LINK_BURST = 160.0
"""Lines that one link may bring, copies counted: more than all members of a table may say
together. Whoever passes on more does not keep to the rate, and is no honest peer."""

__all__ = ["MAX_REMEMBERED", "Chatter", "Line", "make", "read"]


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was said. ``place``: the id of a table that plays, or of a lobby."""

    author: bytes
    place: bytes
    count: int
    text: str


def make(key: Ed25519PrivateKey, line: Line) -> Chat:
    """The signed message of an own line."""
    body = pack((VERSION, line.place, line.count, line.text))
    return Chat(body, public_bytes(key), sign(key, "chat", body))


def read(message: Chat) -> Line:
    """What a message says, its form checked, its signature not; raises PeerFault."""
    version, place, count, said = fields(unpack(message.body, MAX_CHAT), 4, "what is said")
    if version != VERSION:
        raise PeerFault("version", f"chat of protocol version {version!r}")
    if not isinstance(place, bytes) or len(place) not in (LOBBY_ID_BYTES, TABLE_ID_BYTES):
        raise PeerFault("encoding", "chat belongs to a table or a lobby")
    count = integer(count, 0, MAX_INTEGER, "a count")
    return Line(message.key, place, count, text(said, MAX_TEXT, "what is said"))


class Chatter:
    """What was said lately, and by whom how often.

    ``stamp``: an integer that is larger at each start of the program; own lines count from it.
    """

    def __init__(self, key: Ed25519PrivateKey, stamp: int) -> None:
        self._key = key
        self._own = public_bytes(key)
        self._count = stamp
        self._budget = Budget(A_SECOND, OWN_BURST)
        self._counts: dict[bytes, int] = {}
        self._authors = Budgets(A_SECOND, BURST)
        self._links = Budgets(LINK_A_SECOND, LINK_BURST)

    def count_from(self, stamp: int) -> None:
        """Own lines count from here, if they have not come so far."""
        self._count = max(self._count, stamp)

    def say(self, place: bytes, said: str, now: float) -> Chat:
        """An own line, to be given to all; LocalError if it is no plain line or comes too soon."""
        try:
            said = text(said, MAX_TEXT, "a line")
        except PeerFault as fault:
            raise LocalError(f"This cannot be said: {fault.text}.") from None
        if not self._budget.spend(now):
            raise LocalError(f"Not so fast: {A_SECOND:g} lines a second.")
        self._count += 1
        return make(self._key, Line(self._own, place, self._count, said))

    def hear(
        self,
        source: bytes,
        message: Chat,
        places: Container[bytes],
        members: Container[bytes],
        now: float,
    ) -> Line | None:
        """A line that came by the link of ``source``; None if it is not to be shown or passed on.

        Heard are only members, about these places, each line once. Raises PeerFault if the link
        is to blame: for bytes that are malformed or not signed, or for far too many lines.
        """
        if not self._links.spend(source, now):
            raise PeerFault("message", "far more chat than all at a table may say")
        line = read(message)
        author = line.author
        if source not in members or author not in members or author == self._own:
            return None
        if line.place not in places or line.count <= self._counts.get(author, -1):
            return None
        if not verified(author, "chat", message.body, message.signature):
            raise PeerFault("signature", "chat that is not signed by its author")
        # Only now: nobody but the author can use up what the author may say.
        if not self._authors.spend(author, now):
            return None
        put(self._counts, author, line.count)
        return line
