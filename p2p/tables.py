"""The tables of a peer: where it has a seat or looks on, and the one that it still serves.

The owner of a peer calls these methods one after the other, from one task.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from engine import Move
from p2p.events import PlayerInfo
from p2p.finder import Offer
from p2p.following import Around, TableDriver
from p2p.keeper import Keeper
from p2p.messages import Message, Ping, Unwatch, Watch
from p2p.onlooker import Onlooker
from p2p.outputs import Completed
from p2p.parts import Parts
from p2p.reception import player_infos
from p2p.seat import SeatDriver
from p2p.seating import Seating
from protocol.agreement import Agreement
from protocol.errors import LocalError, PeerFault, RefusedMove
from protocol.going_on import StoppedTable, stopped


class OwnTables:
    """``seat``: at the newest table, also when it is over; ``onlooker``: where it looks on;
    ``keeper``: of a table that was over when the program was started. Each may be missing.

    ``start`` runs something in a task of its own.
    """

    def __init__(
        self,
        parts: Parts,
        around: Around,
        seating: Seating,
        start: Callable[[Callable[[], Awaitable[None]]], None],
    ) -> None:
        self.seat: SeatDriver | None = None
        self.onlooker: Onlooker | None = None
        self.keeper: Keeper | None = None
        self._parts = parts
        self._around = around
        self._seating = seating
        self._start = start
        self._paused = False

    @property
    def table(self) -> TableDriver | None:
        """The table at which this peer looks on, else the one at which it has a seat."""
        looked_at = None if self.onlooker is None else self.onlooker.driver
        return self.seat if looked_at is None else looked_at

    @property
    def plays(self) -> bool:
        """Whether this peer has a seat at a table that is not over."""
        return self.seat is not None and not self.seat.session.over

    # Coming and going.

    async def keep_newest(self, looks: bool) -> None:
        """The newest table is served on if it is over: somebody may still lack its end.

        ``looks``: whether the others are dialled for that.
        """
        stored = await self._parts.store.newest()
        if stored is not None and stored.finished:
            with suppress(PeerFault):  # what cannot be read is of no use to anybody
                self.keeper = Keeper(stored, self._around.mesh, self._parts.store)
                if looks:
                    self._start(self.keeper.look)

    def rest(self) -> None:
        """This peer goes elsewhere: others say from now on with whom it wants links."""
        if self.keeper is not None:
            self.keeper.rest()

    async def begin(self, completed: Completed) -> SeatDriver:
        """Takes the seat at a new table."""
        self._make_room()
        self.seat = seat = await self._seating.begin(completed)
        await seat.pause(self._paused)
        await seat.begin()
        return seat

    async def resume(self) -> SeatDriver | None:
        """Takes the seat at the table in the store that is not over, if there is one.

        A seat that plays stays as it is: a second one with its key would sign other entries.
        """
        if self.plays:
            return self.seat
        seat = await self._seating.resume()
        if seat is not None:
            self._make_room()
            self.seat = seat
            await seat.pause(self._paused)
            await seat.resume()
        return seat

    async def stopped(self, table: bytes | None = None) -> StoppedTable:
        """What is known here of a table that stopped, else of the newest with a seat of this peer.

        Not to be asked in the owner's own task: a table from the store takes its time. Raises
        LocalError where there is none, or nothing can go on from it.
        """
        if self.seat is not None and table in (None, self.seat.agreement.table_id):
            return stopped(self.seat.session.history.table)
        store = self._parts.store
        if table is None:
            newest = await store.newest()
            if newest is None:
                raise LocalError("This peer has not been at a table yet.")
            table = newest.table
        try:
            return stopped(await store.last_state(table))
        except PeerFault as fault:
            raise LocalError(f"That table cannot be read: {fault.text}.") from None

    def _make_room(self) -> None:
        self.rest()
        self.onlooker = self.keeper = None

    def watch(self, offer: Offer) -> None:
        """Looks on at a table."""

        async def infos(agreement: Agreement) -> tuple[PlayerInfo, ...]:
            return await player_infos(agreement.players, self._around.shorts, agreement.keys)

        parts = self._parts
        self.rest()
        who = (parts.name, parts.identity.key)
        self.onlooker = Onlooker(offer, *who, self._around, infos, parts.wall)
        self.onlooker.begin()

    async def unwatch(self) -> None:
        """Looks on no more, if this peer does."""
        if self.onlooker is not None:
            self.onlooker.leave()
            self.onlooker = None

    # What people ask for at their seat.

    async def move(self, move: Move) -> None:
        """The choice of this seat; raises RefusedMove, also where there is no seat."""
        if self.seat is None:
            raise RefusedMove("turn", "This peer is at no table.")
        await self.seat.move(move)

    async def late(self) -> None:
        """The late move of the own program, if a choice is owed."""
        if self.seat is not None:
            await self.seat.late()

    async def sit(self, choice: str) -> None:
        """What this seat answers between hands from now on; LocalError where there is no seat."""
        self._own.sit(choice)

    async def depart(self) -> None:
        """Leaves the table that plays, at once; LocalError where this peer has no seat."""
        await self._own.depart()

    async def miss(self, seat: int) -> None:
        """Will wait no longer for a silent seat; LocalError where nobody can say that."""
        await self._own.miss(seat)

    async def pause(self, on: bool) -> None:
        """Whether this peer holds back its answers between hands, at this table and later ones."""
        self._paused = on
        if self.seat is not None:
            await self.seat.pause(on)

    @property
    def _own(self) -> SeatDriver:
        if self.seat is None:
            raise LocalError("This peer is at no table.")
        return self.seat

    # What time and links bring.

    @property
    def deadline(self) -> float:
        """When ``tick`` is next of use; infinity: never."""
        seat = float("inf") if self.seat is None else self.seat.deadline
        return min(seat, float("inf") if self.onlooker is None else self.onlooker.deadline)

    async def tick(self) -> None:
        """Time has passed."""
        if self.seat is not None:
            await self.seat.tick()
        if self.onlooker is not None:
            self.onlooker.tick()

    async def linked(self, key: bytes) -> None:
        """There is a new link with this key."""
        if self.seat is not None:
            await self.seat.linked(key)
        if self.onlooker is not None:
            self.onlooker.linked(key)

    def unlinked(self, key: bytes) -> None:
        """There is no link with this key any more."""
        if self.seat is not None:
            self.seat.unlinked(key)
        if self.onlooker is not None:
            self.onlooker.unlinked(key)

    async def received(self, key: bytes, message: Message) -> None:
        """A message about a table, but for looking on; raises PeerFault if the link is to blame."""
        if self.seat is not None:
            await self.seat.received(key, message)
        elif self.keeper is not None:
            await self.keeper.received(key, message)

    async def asked_to_show(self, key: bytes, watch: Watch) -> Unwatch | None:
        """Somebody wants to look on at the own table; why not, if it may not.

        That of an invite table is not shown.
        """
        if self.seat is None or watch.lobby != self.seat.lobby:
            return Unwatch("no-such-table", "there is no such table to look on at here")
        return await self.seat.watched(key, watch.name)

    # What others want to know.

    def ping(self, number: int) -> Ping:
        """A ping that says at which table this peer is, and where it stands there."""
        table = self.keeper if self.seat is None else self.seat
        return Ping(number, b"", ()) if table is None else table.ping(number)

    def lacking_end(self) -> tuple[int, ...]:
        """The seats that may lack the end of the table that is over here; see ``Peer``."""
        table = self.keeper if self.seat is None else self.seat
        return () if table is None else table.lacking_end()

    async def agreement_of(self, key: bytes) -> bytes | None:
        """The signed agreement of the table at which both this peer and a key have a seat."""
        if self.keeper is not None and key in self.keeper.keys:
            return self.keeper.sealed
        if self.seat is None or key not in self.seat.agreement.keys:
            return None
        return await self._parts.store.sealed(self.seat.agreement.table_id)
