"""What a peer tells the people and programs at its seat. All are frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from p2p.transport import Address
from protocol import events as session_events
from protocol.errors import PeerFault
from protocol.origin import Origin

How: TypeAlias = Literal["mdns", "address", "member", "incoming"]
"""How somebody was found: called out, typed by a person, known from a table, or it dialled us."""


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """One player. ``short`` is the short form of the key; ``owner`` that of a bot's owner.

    ``ready``: whether it would begin; at a table that has begun it is always set.
    """

    key: bytes
    name: str
    short: str
    owner: str = ""
    ready: bool = False


@dataclass(frozen=True, slots=True)
class TableOffer:
    """A table that somebody tells of: a hint until its lobby says so.

    ``opener``: the key of whoever opened it, as it is claimed; see ``Peer.join``. ``origin``: the
    id of the table from which it goes on, or empty; not known by mDNS alone.
    """

    table: str
    game: str
    taken: int
    seats: int
    opener: bytes = b""
    origin: bytes = b""


@dataclass(frozen=True, slots=True)
class Looking:
    """A table that was signed before this program was started is looked for, for so many seconds.

    ``players``: the names of the others there. Agreed or LookedInVain follows, unless something
    else is begun meanwhile.
    """

    table: str
    players: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class LookedInVain:
    """Nobody has come who could go on at that table. If somebody does soon, Agreed tells it."""

    table: str


@dataclass(frozen=True, slots=True)
class Listening:
    """This peer can be reached, at each of these addresses."""

    addresses: tuple[Address, ...]
    port: int


@dataclass(frozen=True, slots=True)
class DiscoveryOff:
    """Others cannot be found by themselves for now; ``reason`` is a sentence for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class PeerFound:
    """Somebody is there, or says something new. ``key_hint`` is claimed, not proved, by mDNS."""

    short: str
    name: str
    key_hint: bytes
    addresses: tuple[Address, ...]
    how: How
    tables: tuple[TableOffer, ...]


@dataclass(frozen=True, slots=True)
class PeerLost:
    """Somebody said goodbye."""

    short: str


@dataclass(frozen=True, slots=True)
class TableSeen:
    """A table that somebody calls out; ``short`` is who claims to. It is in ``PeerFound`` too."""

    table: str
    game: str
    taken: int
    seats: int
    short: str


@dataclass(frozen=True, slots=True)
class TablesTold:
    """All tables that a linked key tells of now, 8 at most; replaces what it told of before.

    Told again when that has changed, once a second at most; it counts until the key is unlinked. A
    table that plays has no free seat.
    """

    short: str
    key: bytes
    offers: tuple[TableOffer, ...]


@dataclass(frozen=True, slots=True)
class Linked:
    """A link is up and the other side has proved its key. ``name`` is empty while unknown."""

    key: bytes
    name: str
    short: str
    address: Address
    how: How


@dataclass(frozen=True, slots=True)
class Unlinked:
    """There is no link with this key any more, and why."""

    key: bytes
    name: str
    short: str
    reason: str


@dataclass(frozen=True, slots=True)
class ShortMade:
    """The short form of a key that was vouched for (``Peer.vouch``), told as empty so far."""

    key: bytes
    short: str


@dataclass(frozen=True, slots=True)
class NewKeyForName:
    """A name known from earlier tables comes with another key now: is it the same person?

    ``known``: the short forms of the keys that had this name before.
    """

    name: str
    short: str
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """No seat at this table. ``code``: "full", "no-such-table", "version", "game", "options",
    "name", "playing", "removed", "closed", "opener" or "invite"; the text is for people.

    Or no looking on: "no-such-table", "waiting" (it has not begun), "crowded", "seated", "closed".
    """

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class LobbyChanged:
    """The table that this peer waits at, with its players in the order of joining.

    Told again whenever the list has changed, or whether somebody is ready. ``origin``: what the
    table goes on from, as it is told; who was there has checked it.
    """

    table: str
    game: str
    options: tuple[tuple[str, int | str], ...]
    seats: int
    players: tuple[PlayerInfo, ...]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Agreed:
    """All have signed; the game begins. ``players`` by seat, ``seat`` is this peer's.

    ``code``: the table code, four words that are the same for all who are at this very table.
    ``table``, ``game``, ``options`` (all of them) and ``origin`` are those of the agreement.
    """

    table_id: bytes
    seat: int
    players: tuple[PlayerInfo, ...]
    code: tuple[str, ...] = ()
    table: str = ""
    game: str = ""
    options: tuple[tuple[str, int | str], ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Resumed:
    """A table from the store goes on. Fields as those of ``Agreed``."""

    table_id: bytes
    seat: int
    players: tuple[PlayerInfo, ...]
    code: tuple[str, ...] = ()
    table: str = ""
    game: str = ""
    options: tuple[tuple[str, int | str], ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Watching:
    """This peer looks on at a table and catches up; fields as those of ``Agreed``, without a seat.

    When it has caught up, what happens there is told as to a player, but only what is public.
    """

    table_id: bytes
    players: tuple[PlayerInfo, ...]
    code: tuple[str, ...]
    table: str
    game: str
    options: tuple[tuple[str, int | str], ...]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class SpectatorsChanged:
    """Who looks on at the table at which this peer has a seat, as far as it is told: 16 at most."""

    players: tuple[PlayerInfo, ...]


@dataclass(frozen=True, slots=True)
class ChatSaid:
    """A player at this table has said something; ``own``: this peer itself."""

    key: bytes
    name: str
    short: str
    text: str
    own: bool


@dataclass(frozen=True, slots=True)
class SessionTold:
    """Something happened at the table."""

    event: session_events.Event


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """Somebody broke the protocol. ``player``: whose name is known, else empty."""

    fault: PeerFault
    player: str


@dataclass(frozen=True, slots=True)
class Missed:
    """Nobody has read for long: so many older events of the table are not told any more.

    The table's record has what they said; what is told from here on is complete.
    """

    count: int


PeerEvent: TypeAlias = (
    Listening
    | DiscoveryOff
    | PeerFound
    | PeerLost
    | TableSeen
    | TablesTold
    | Linked
    | Unlinked
    | ShortMade
    | NewKeyForName
    | Refused
    | LobbyChanged
    | Looking
    | LookedInVain
    | Agreed
    | Resumed
    | Watching
    | SpectatorsChanged
    | ChatSaid
    | SessionTold
    | FaultSeen
    | Missed
)
