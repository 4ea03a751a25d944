"""What a lobby asks of its driver, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from p2p.messages import Message
from protocol.agreement import Agreement
from protocol.errors import PeerFault


class Phase(Enum):
    """How far a player has come at a table."""

    JOINING = "joining"
    SEATED = "seated"
    AGREED = "agreed"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Post:
    """Give a message to these linked keys."""

    keys: tuple[bytes, ...]
    message: Message


@dataclass(frozen=True, slots=True)
class Changed:
    """The list of players has changed; see ``Lobby.listing``."""


@dataclass(frozen=True, slots=True)
class Refused:
    """This player has no seat here, and why; the lobby is closed for it."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Promise:
    """Write this down before anything that follows is given to anybody: it binds this player, also
    when its program is started again. It commits to a nonce for the list ``number``, or signs the
    ``agreement`` that has come of it.
    """

    number: int
    agreement: Agreement | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """All have signed: the table begins. ``lobby``: the one in which it was agreed, if everybody
    may look on; else empty.
    """

    agreement: Agreement
    sealed: bytes
    lobby: bytes = b""


@dataclass(frozen=True, slots=True)
class Lied:
    """A player is proved to have cheated in the lobby."""

    key: bytes
    fault: PeerFault


Output: TypeAlias = Post | Changed | Refused | Promise | Completed | Lied
