"""What the people and programs at a seat may ask of a peer, and what they are told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import trio

from engine import Move
from p2p.database import StoredTable
from p2p.events import Refused
from p2p.finder import Meant, Offer
from p2p.following import Attendance
from p2p.identity import short_bytes
from p2p.invites import Invite, decode, encode
from p2p.news import News
from p2p.owner import Owner
from p2p.parts import Parts
from p2p.transport import Address
from protocol.errors import LocalError
from protocol.going_on import StoppedTable


class Peer:
    """A running peer; see ``run_peer``.

    ``key``: the identity key, 32 bytes. ``events`` are to be read at once: see ``News``.
    """

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.key = owner.parts.identity.key
        self.events: News = owner.events

    @property
    def port(self) -> int:
        """The port at which this peer listens."""
        return self._owner.port

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Where this peer can be reached now."""
        return self._owner.addresses()

    async def open_table(
        self,
        table: str,
        game: str,
        options: dict[str, int | str],
        seats: int,
        invite: bool = False,
    ) -> None:
        """Opens a table and waits for players; LocalError for terms that no game has.

        An ``invite`` table is told to nobody, and only who has one of the codes of ``invites``
        gets a seat. What comes of it is told by LobbyChanged and Agreed.
        """
        self._must_be_free()
        opens = partial(self._owner.reception.open, table, game, options, seats, invite)
        await self._enter(opens)

    async def stopped(self) -> StoppedTable | None:
        """The newest table with a seat of this peer, if it stopped so that others may go on.

        None: there is none, its match has ended, or it is not over yet. Milliseconds for each step
        of the table, where the program was started again since.
        """
        try:
            return await self._owner.tables.stopped()
        except LocalError:
            return None

    async def go_on(self, invite: bool = False) -> None:
        """Opens a table that goes on from the newest one of this peer: SPEC 11.6.

        It has the same name, game and options, and begins with the standing that was left. Those
        who had a seat have it again; seats for which that table stopped may be taken by others.
        Raises LocalError where nothing can go on, and as ``open_table``.
        """
        self._must_be_free()
        found = await self._owner.tables.stopped()
        store = self._owner.parts.store
        pinned = {peer.key: peer.addresses for peer in await store.pinned()}
        homes = {key: pinned.get(key, ()) for key in found.origin.keys if key != self.key}
        await self._enter(partial(self._owner.reception.go_on, found, homes, invite))

    async def join(
        self,
        table: str | None = None,
        address: Address | tuple[str, int] | None = None,
        game: str | None = None,
        code: str | None = None,
        opener: bytes | None = None,
        short: str | None = None,
    ) -> None:
        """Asks for a seat at a table, by an invite code, an address or wherever it is found.

        Without a name the only table, or the first with a free seat, is meant. ``opener``: only a
        table that this key has opened; ``short``: only one that is told of, on a link, by a key of
        this short form. Waits until the table is found; what comes of it is told by Refused,
        LobbyChanged and Agreed. Where another game is played than ``game`` no seat is asked for.
        Raises LocalError if nobody can be talked to at the address, or for a ``code`` that is none
        or leads to somebody else.
        """
        self._must_be_free()
        invite = None if code is None else decode(code)
        offer = await self._find(Meant(table, opener=opener, short=short), address, invite)
        if offer is None:
            return
        if game is not None and offer.info.game != game:
            text = f"{offer.info.game} is played at table {offer.info.table!r}, not {game}"
            self._owner.tell(Refused("game", text))
            return
        token = b"" if invite is None else invite.token
        known = None
        if offer.info.origin:
            with suppress(LocalError):  # a table that is not known here
                known = await self._owner.tables.stopped(offer.info.origin)
        asks = (offer.info, offer.contact, token, known)
        await self._enter(partial(self._owner.reception.join, *asks))

    async def leave(self) -> None:
        """Gives up waiting at a table; an opener closes it by that."""
        await self._owner.do(self._owner.reception.leave)

    async def ready(self, ready: bool) -> None:
        """Whether this player would begin; the game does when all seats are taken and all would.

        LocalError where it waits at no table, or it is too late to take it back.
        """
        await self._owner.do(partial(self._owner.ready, ready))

    async def remove(self, key: bytes) -> None:
        """Gives the seat of a player away: it gets none at this table any more.

        LocalError unless this peer opened the table, the table waits, and this key has a seat.
        """
        await self._owner.do(partial(self._owner.reception.remove, key))

    def invites(self) -> tuple[str, ...]:
        """Invite codes: for the table that this peer waits at, else for this peer.

        One for each own address; at an invite table they open it. 0.1 s at the first call.
        """
        codes = []
        for address in self.addresses:
            with suppress(LocalError):  # an address that means nothing elsewhere
                invite = Invite(address, short_bytes(self.key), self._owner.reception.token)
                codes.append(encode(invite))
        return tuple(codes)

    def vouch(self, key: bytes) -> None:
        """The people here know whose key this is, as of an own bot, and need not compare it.

        So nothing waits for its short form: it is told as empty until ``ShortMade`` tells it.
        """
        self._owner.vouch(key)

    async def say(self, text: str) -> None:
        """Says something to all at this table, this peer's own people too (``ChatSaid``).

        LocalError at no table, for text that is empty, longer than 500 bytes of UTF-8 or not
        plain, or for more than two a second.
        """
        await self._owner.do(partial(self._owner.talking.say, text))

    async def move(self, move: Move) -> None:
        """The choice of this seat; LocalError (RefusedMove with its rule) if it is refused."""
        await self._owner.do(partial(self._owner.tables.move, move))

    async def late(self) -> None:
        """Has the own program choose, as it does when the clock runs out; if a choice is owed."""
        await self._owner.do(self._owner.tables.late)

    async def sit(self, choice: str) -> None:
        """What this seat answers between hands from now on: ``in``, ``out`` or ``leave``.

        ``out`` sits out the hands to come until ``in`` is said again; ``leave`` gives the seat up
        for good after the hand in play. Raises LocalError for anything else, or without a seat.
        """
        await self._owner.do(partial(self._owner.tables.sit, choice))

    async def depart(self) -> None:
        """Gives this seat up at once, in the middle of a hand too, and says so to the others.

        They do not wait for it then; what that costs in this hand the rules say. LocalError without
        a seat.
        """
        await self._owner.do(self._owner.tables.depart)

    async def pause(self, on: bool) -> None:
        """While on, this seat does not answer between hands, so that people can look at a result.

        Everything else goes on; off, it answers at once if it is due. It counts for this table, if
        there is one, and for all later ones. The others call the seat overdue after a while.
        """
        await self._owner.do(partial(self._owner.tables.pause, on))

    async def miss(self, seat: int) -> None:
        """Says that this seat will wait no longer for a silent one, where no clock does: SPEC 8.

        Once more than half have said so, the game goes on or ends without it. LocalError without a
        seat, and where the table does not wait for that one, or does by a clock.
        """
        await self._owner.do(partial(self._owner.tables.miss, seat))

    def attendance(self) -> Attendance:
        """Who is at the table, and how long a silent seat is waited for; nobody without a table."""
        table = self._owner.tables.table
        return Attendance() if table is None else table.attendance()

    def waiting(self) -> tuple[str, tuple[int, ...]] | None:
        """What the table waits on: the kind of the open step, and whose entries are not here yet.

        It is the step of the game, or of the pack that the next hand waits for. None without a
        table, or when it is over.
        """
        table = self._owner.tables.table
        return None if table is None else table.waiting

    def lacking_end(self) -> tuple[int, ...]:
        """When the match is over: the seats whose programs have not shown that they have its end.

        Without this peer they may never get it. Seats that are out are passed over, and those that
        were declared gone, or are of a table from before the start, as long as they are not linked.
        """
        return self._owner.tables.lacking_end()

    async def watch(
        self,
        table: str | None = None,
        address: Address | tuple[str, int] | None = None,
        opener: bytes | None = None,
        short: str | None = None,
    ) -> None:
        """Looks on at a table that plays, at an address or wherever discovery finds it.

        Without a name the only table, or the first without a free seat, is meant; ``opener`` and
        ``short`` as for ``join``. Waits until it is found. What comes of it is told by Refused, or
        by Watching and then by SessionTold, as to a player, but only what is public; ``record`` and
        ``waiting`` are of this table then.
        Raises LocalError as ``join``, or while this peer waits, plays or looks on.
        """
        self._must_be_free()
        if self._owner.reception.waiting:
            raise LocalError("This peer waits at a table already.")
        offer = await self._find(Meant(table, full=True, opener=opener, short=short), address)
        if offer is None:
            return
        self._must_be_free()
        await self._owner.do(partial(self._owner.watch, offer))

    async def unwatch(self) -> None:
        """Looks on no more; what was seen so far stays on disk."""
        await self._owner.do(self._owner.tables.unwatch)

    async def record(self) -> bytes:
        """The record file of this peer's table so far, or of its newest one."""
        if self._owner.tables.table is not None:
            return await self._owner.parts.store.record(self._owner.tables.table.agreement.table_id)
        tables = await self._owner.parts.store.tables()
        if not tables:
            raise LocalError("This peer has not been at a table yet.")
        return await self._owner.parts.store.record(tables[0].table)

    async def record_of(self, table: bytes) -> bytes:
        """The record file of a table by its id, as far as it has come; LocalError: none here."""
        return await self._owner.parts.store.record(table)

    async def tables(self) -> list[StoredTable]:
        """All tables that this peer has ever been at, the newest first."""
        return await self._owner.parts.store.tables()

    async def known(self) -> frozenset[bytes]:
        """The keys of all who were ever at a table with this peer."""
        return frozenset([one.key for one in await self._owner.parts.store.pinned()])

    async def resume(self) -> bool:
        """Goes on with the table in the store that is not over; False if there is none.

        Returns when this seat takes part again: when a member has sent what was missed. A table
        that was signed and is not in the store is looked for, for ten seconds at most (``Looking``
        tells it); it may also have begun by now.
        """
        if not self._owner.tables.plays:
            self._must_be_free()
        seat = await self._owner.do(self._owner.resume)
        if seat is None:
            await self._owner.pledges.looked()
            seat = self._owner.tables.seat
        if seat is None:
            return False
        await seat.begun.wait()
        return True

    async def _enter(self, enters: Callable[[], Awaitable[None]]) -> None:
        """Enters a lobby, unless a table that was signed before has begun meanwhile."""

        async def unless_seated() -> None:
            if not self._owner.tables.plays:
                await enters()

        await self._owner.do(unless_seated)

    async def _find(
        self,
        meant: Meant,
        address: Address | tuple[str, int] | None,
        invite: Invite | None = None,
    ) -> Offer | None:
        """The table that is meant, by invite code, at an address or wherever it is found.

        None if there is none: then why has been told.
        """
        finder = self._owner.finder
        offer: Offer | Refused
        if invite is not None:
            offer = await finder.invited(invite, meant)
        elif address is not None:
            place = address if isinstance(address, Address) else Address(*address)
            offer = await finder.at(place, meant)
        else:
            offer = await finder.anywhere(meant)
        if isinstance(offer, Refused):
            self._owner.tell(offer)
            return None
        return offer

    def _must_be_free(self) -> None:
        if self._owner.tables.plays:
            raise LocalError("This peer plays at a table already.")
        if self._owner.tables.onlooker is not None and not self._owner.tables.onlooker.over:
            raise LocalError("This peer looks on at a table already.")


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
