"""What the people and programs at a seat may ask of a peer, and what they are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio

from engine import Move
from p2p.events import PeerEvent, Refused
from p2p.finder import Offer
from p2p.owner import Owner
from p2p.parts import Parts
from p2p.transport import Address
from protocol.errors import LocalError


class Peer:
    """A running peer; see ``run_peer``.

    ``key``: the identity key, 32 bytes. ``events`` must be read: they wait without limit.
    """

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.key = owner.parts.identity.key
        self.events: trio.MemoryReceiveChannel[PeerEvent] = owner.events

    @property
    def port(self) -> int:
        """The port at which this peer listens."""
        return self._owner.port

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Where this peer can be reached now."""
        return self._owner.addresses()

    async def open_table(
        self, table: str, game: str, options: dict[str, int | str], seats: int
    ) -> None:
        """Opens a table and waits for players; LocalError for terms that no game has.

        What comes of it is told by LobbyChanged and Agreed.
        """
        self._must_be_free()
        await self._owner.do(partial(self._owner.reception.open, table, game, options, seats))

    async def join(
        self,
        table: str | None = None,
        address: Address | tuple[str, int] | None = None,
        game: str | None = None,
    ) -> None:
        """Asks for a seat at a table, at an address or wherever discovery finds it.

        Without a name the only table, or the first with a free seat, is meant. Waits until the
        table is found; what comes of it is told by Refused, LobbyChanged and Agreed. Where another
        game is played than ``game`` no seat is asked for. Raises LocalError if nobody can be talked
        to at the address.
        """
        self._must_be_free()
        if address is None:
            offer = await self._owner.finder.anywhere(table)
        else:
            place = address if isinstance(address, Address) else Address(*address)
            found = await self._owner.finder.at(place, table)
            if not isinstance(found, Offer):
                self._owner.tell(found)
                return
            offer = found
        if game is not None and offer.info.game != game:
            text = f"{offer.info.game} is played at table {offer.info.table!r}, not {game}"
            self._owner.tell(Refused("game", text))
            return
        await self._owner.do(partial(self._owner.reception.join, offer.info, offer.contact))

    async def leave(self) -> None:
        """Gives up waiting at a table; an opener closes it by that."""
        await self._owner.do(self._owner.reception.leave)

    async def move(self, move: Move) -> None:
        """The choice of this seat; LocalError (RefusedMove with its rule) if it is refused."""
        await self._owner.do(partial(self._owner.move, move))

    async def late(self) -> None:
        """Has the own program choose, as it does when the clock runs out; if a choice is owed."""
        await self._owner.do(self._owner.late)

    async def sit(self, choice: str) -> None:
        """What this seat answers between hands from now on: ``in``, ``out`` or ``leave``.

        ``out`` sits out the hands to come until ``in`` is said again; ``leave`` gives the seat up
        for good after the hand in play. Raises LocalError for anything else, or without a seat.
        """
        await self._owner.do(partial(self._owner.sit, choice))

    async def record(self) -> bytes:
        """The record file of this peer's table so far, or of its newest one."""
        if self._owner.seat is not None:
            return await self._owner.parts.store.record(self._owner.seat.agreement.table_id)
        tables = await self._owner.parts.store.tables()
        if not tables:
            raise LocalError("This peer has not been at a table yet.")
        return await self._owner.parts.store.record(tables[0].table)

    async def resume(self) -> bool:
        """Goes on with the table in the store that is not over; False if there is none.

        Returns when this seat takes part again: when a member has sent what was missed.
        """
        self._must_be_free()
        seat = await self._owner.do(self._owner.resume)
        if seat is None:
            return False
        await seat.begun.wait()
        return True

    def _must_be_free(self) -> None:
        if self._owner.seat is not None and not self._owner.seat.session.over:
            raise LocalError("This peer plays at a table already.")


@asynccontextmanager
async def run_peer(parts: Parts) -> AsyncIterator[Peer]:
    """A peer that runs while the block does; leaving it closes everything within a second.

    Raises LocalError, by itself or in a group.
    """
    owner = Owner(parts)
    async with trio.open_nursery() as nursery:
        await nursery.start(owner.run)
        try:
            yield Peer(owner)
        finally:
            with trio.CancelScope(shield=True):
                await owner.close()
            nursery.cancel_scope.cancel()
