"""What peers say to each other on a link after AUTH. SPEC 11.5; ``p2p.codec`` has the bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from p2p.transport import Address

LOBBY_ID_BYTES = 16
TABLE_ID_BYTES = 32

TOKEN_BYTES = 5
"""The secret of an invite table: 40 bits, guessed at one a second, which takes ages."""

MAX_ADDRESSES = 8
"""Addresses of one member: both families on a few interfaces."""

MAX_HOST = 64
"""Bytes of an address as text: IPv6 with a scope."""

MAX_TABLES = 8
"""Tables that one peer may advertise on a link."""

MAX_OPTIONS = 64
MAX_WORD = 64
"""Bytes of an option's name or word."""

MAX_LANES = 16
"""Lanes of one table that are in use at a time; an honest peer has at most four."""

MAX_STATEMENT = 8 * 1024
"""Bytes of one lobby statement: a list of six members with all their addresses has under 5 KiB."""

MAX_CHUNK = 256
"""Entries in one message of catching up, and votes; bytes end it sooner as a rule."""

MAX_VOTE = 512
"""Bytes of a vote, or of what a seat says of its coming and going: twice what they take."""

MAX_BYE = 200
"""Bytes of the sentence with which a link is closed."""

MAX_CODE = 32

MAX_ONLOOKERS = 16
"""Those who look on at a table by the links of one member."""

MAX_CHAT = 640
"""Bytes of the body of CHAT: 500 of text, and what is around it."""

MORE_FOLLOWS = 2
"""Another chunk of the same answer follows."""

ASK_AGAIN = 1
"""The answer ends here, and there is more for those who ask again once they have digested this."""

ALL_SENT = 0
"""The asker now has everything that the answerer has."""


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table that waits for players. ``options`` are all there, in the game's order.

    ``origin``: the id of the table from which it goes on, or empty.
    """

    lobby: bytes
    opener: bytes
    table: str
    game: str
    options: tuple[tuple[str, int | str], ...]
    seats: int
    taken: int
    origin: bytes = b""


@dataclass(frozen=True, slots=True)
class Tables:
    """TABLES: the tables that the sender would let others join; replaces what it said before."""

    tables: tuple[TableInfo, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """LOBBY: a signed statement of the lobby; ``p2p.statements`` reads the body."""

    body: bytes
    key: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Knock:
    """KNOCK: the sender has the token of an invite table and asks what table that is."""

    token: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Admit:
    """ADMIT answers KNOCK: the table at which the sender is that has this token, or none."""

    tables: tuple[TableInfo, ...]


@dataclass(frozen=True, slots=True)
class Chat:
    """CHAT: something that somebody says; ``p2p.chat`` reads the body."""

    body: bytes
    key: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Agreed:
    """AGREED: a signed agreement, for those who missed a signature."""

    sealed: bytes


@dataclass(frozen=True, slots=True)
class EnvelopeMessage:
    """ENVELOPE: one entry of the record, flooded."""

    table: bytes
    envelope: bytes


@dataclass(frozen=True, slots=True)
class VoteMessage:
    """VOTE: a vote, or what a seat says of its coming and going, flooded.

    ``entry``: the envelope that it is about, for who lacks it; or empty.
    """

    table: bytes
    vote: bytes
    entry: bytes = b""


@dataclass(frozen=True, slots=True)
class LanePosition:
    """How far the sender is in a lane: its open step, and the seats whose entry it lacks there.

    No seats: it cannot tell yet who owes the step, so it lacks them all.
    """

    lane: int
    step: int
    missing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Have:
    """HAVE: where the sender stands; asks for all entries beyond. Lanes ascend."""

    table: bytes
    lanes: tuple[LanePosition, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """ENTRIES: a chunk of the answer to HAVE. ``left`` is ALL_SENT, ASK_AGAIN or MORE_FOLLOWS.

    ``votes``, as in VOTE, come before the entries: who has fallen behind closes steps by them.
    """

    table: bytes
    envelopes: tuple[bytes, ...]
    left: int
    votes: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Ping:
    """PING: are you there? With the open step of every lane in use, so that a laggard notices."""

    number: int
    table: bytes
    positions: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Pong:
    """PONG: I am, and this was your number."""

    number: int


@dataclass(frozen=True, slots=True)
class Members:
    """MEMBERS: where the sender has reached members of the table. A hint, nothing more."""

    table: bytes
    members: tuple[tuple[bytes, tuple[Address, ...]], ...]


@dataclass(frozen=True, slots=True)
class Watch:
    """WATCH: the sender wants to look on at a table that plays; ``name`` is what it calls itself.

    It is answered by AGREED and MEMBERS, or by UNWATCH.
    """

    lobby: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Unwatch:
    """UNWATCH: nobody looks on by this link (any more), and why. Either side may say so."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Onlookers:
    """ONLOOKERS: who looks on by the sender's links, key and name. A hint for people."""

    table: bytes
    players: tuple[tuple[bytes, str], ...]


@dataclass(frozen=True, slots=True)
class Bye:
    """BYE: the sender closes this link, and why."""

    code: str
    text: str


Message: TypeAlias = (
    Tables
    | Statement
    | Knock
    | Admit
    | Chat
    | Agreed
    | EnvelopeMessage
    | VoteMessage
    | Have
    | Entries
    | Ping
    | Pong
    | Members
    | Watch
    | Unwatch
    | Onlookers
    | Bye
)
