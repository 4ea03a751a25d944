"""What a headless player needs of ``p2p.peer.Peer``, so that tests can stand in for one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from engine import Move
from p2p import events as p2p
from p2p.database import StoredTable
from p2p.following import Attendance
from protocol.going_on import StoppedTable


class SeatLike(Protocol):
    """What whoever plays needs: the part of a peer that speaks for its seat."""

    async def move(self, move: Move) -> None:
        """Makes a move; raises LocalError."""

    async def late(self) -> None:
        """Makes the late move of the own program, if a choice is owed."""

    async def sit(self, choice: str) -> None:
        """What this seat answers between hands; raises LocalError without a seat."""

    async def depart(self) -> None:
        """Gives the seat up at once; raises LocalError without a seat."""

    async def miss(self, seat: int) -> None:
        """Will wait no longer for a silent seat; raises LocalError if it is not waited for."""

    async def go_on(self) -> None:
        """Opens a table that goes on from the one that stopped; raises LocalError."""


class PeerLike(SeatLike, Protocol):
    """What the bot needs of ``p2p.peer.Peer``."""

    @property
    def key(self) -> bytes:
        """The identity key."""

    @property
    def events(self) -> AsyncIterator[p2p.PeerEvent]:
        """What happens."""

    async def resume(self) -> bool:
        """Goes on at an unfinished table."""

    async def open_table(
        self, table: str, game: str, options: dict[str, int | str], seats: int, invite: bool
    ) -> None:
        """Opens a table."""

    def invites(self) -> tuple[str, ...]:
        """Invite codes for the table that was opened."""

    async def join(
        self,
        table: str | None,
        address: tuple[str, int] | None,
        game: str | None,
        code: str | None,
        opener: bytes | None = None,
    ) -> None:
        """Asks for a seat; raises LocalError if nobody can be talked to at the address."""

    def attendance(self) -> Attendance:
        """Who is at the table, and how long a silent seat is waited for."""

    def lacking_end(self) -> tuple[int, ...]:
        """The seats that may lack the end of the match."""

    async def tables(self) -> Sequence[StoredTable]:
        """All tables that this peer has ever been at, the newest first."""

    async def record_of(self, table: bytes) -> bytes:
        """The record of a table so far."""

    async def stopped(self) -> StoppedTable | None:
        """The newest table, if others may go on from it."""
