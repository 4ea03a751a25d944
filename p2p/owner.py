"""A peer: one task owns all its state; page, links, disk, jobs and clock talk to it by one channel.

Sans everything that a simulation replaces: transport, discovery, store, threads, randomness and
the calendar are handed in (``Parts``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

import trio

from engine import Move
from p2p import discovery
from p2p.database import Pinned
from p2p.discovery import Discovery, Sighting, TableAd
from p2p.endpoint import Endpoint
from p2p.events import (
    Agreed,
    DiscoveryOff,
    FaultSeen,
    Linked,
    Listening,
    NewKeyForName,
    PeerEvent,
    PeerFound,
    PeerLost,
    Resumed,
    TableOffer,
    TableSeen,
    Unlinked,
)
from p2p.finder import Finder, Offer
from p2p.identity import Identity
from p2p.jobs import Jobs
from p2p.mesh import Broke, Down, Got, Mesh, MeshEvent, Up
from p2p.messages import Agreed as AgreedMessage
from p2p.messages import Message, Ping, Statement, Tables
from p2p.outputs import Completed
from p2p.reception import Desk, Reception, player_infos
from p2p.seat import Around, SeatDriver
from p2p.shorts import Shorts
from p2p.store import Store
from p2p.transport import Address, Transport
from p2p.trouble import Trouble, network_troubles
from protocol.agreement import Agreement, read_agreement
from protocol.effects import Job
from protocol.errors import LocalError, PeerFault
from protocol.session import Session

QUEUE = 64
"""Things that may wait for the owner; whoever brings more waits, links included."""

CLOSING_SECONDS = 0.3
"""How long the owner may take to give up its place in a lobby when the peer closes."""

_T = TypeVar("_T")

Discover: TypeAlias = Callable[[int], AbstractAsyncContextManager[Discovery]]
"""Starts discovery for a peer that listens at a port."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a peer is made of. ``hosts``: own numeric addresses; ``wall``: seconds of Unix time."""

    identity: Identity
    name: str
    owner: bytes
    transport: Transport
    store: Store
    jobs: Jobs
    entropy: Callable[[int], bytes]
    hosts: Callable[[], Sequence[str]]
    wall: Callable[[], float]
    discover: Discover | None = None


@dataclass(frozen=True, slots=True)
class _JobDone:
    seat: SeatDriver
    number: int
    result: object


@dataclass(frozen=True, slots=True)
class _Command:
    run: Callable[[], Awaitable[None]]


_Item: TypeAlias = MeshEvent | discovery.Event | _JobDone | _Command


class Peer:
    """A running peer; see ``run_peer``. ``events`` must be read: they wait without limit."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.key = parts.identity.key
        self.port = 0
        self._send_event, self.events = trio.open_memory_channel[PeerEvent](float("inf"))
        self._bring, self._items = trio.open_memory_channel[_Item](QUEUE)
        self._shorts = Shorts(parts.jobs)
        self._known_hosts: set[str] = set()
        endpoint = Endpoint(
            parts.identity,
            parts.transport,
            is_known=self._known_hosts.__contains__,
            entropy=parts.entropy,
        )
        self._mesh = Mesh(endpoint, self.key, self._bring.clone(), self._ping)
        self._reception = Reception(
            Desk(
                parts.identity,
                parts.name,
                parts.owner,
                parts.entropy,
                self._mesh,
                self._shorts,
                self._tell,
                self._announce,
                self._addresses,
                lambda: int(parts.wall() * 1000),
            )
        )
        self._finder = Finder(self._mesh, self._reception.offers)
        self._seat: SeatDriver | None = None
        self._discovery: Discovery | None = None
        self._ads: tuple[TableAd, ...] = ()
        self._nursery: trio.Nursery | None = None

    # What people and programs at this seat ask for.

    async def open_table(
        self, table: str, game: str, options: dict[str, int | str], seats: int
    ) -> None:
        """Opens a table and waits for players; LocalError for terms that no game has.

        What comes of it is told by LobbyChanged and Agreed.
        """
        self._must_be_free()
        await self._do(partial(self._reception.open, table, game, options, seats))

    async def join(
        self, table: str | None = None, address: Address | tuple[str, int] | None = None
    ) -> None:
        """Asks for a seat at a table, at an address or wherever discovery finds it.

        Without a name the only table, or the first with a free seat, is meant. Waits until the
        table is found; what comes of it is told by Refused, LobbyChanged and Agreed. Raises
        LocalError if nobody can be talked to at the address.
        """
        self._must_be_free()
        if address is None:
            offer = await self._finder.anywhere(table)
        else:
            place = address if isinstance(address, Address) else Address(*address)
            found = await self._finder.at(place, table)
            if not isinstance(found, Offer):
                self._tell(found)
                return
            offer = found
        await self._do(partial(self._reception.join, offer.info, offer.contact))

    async def leave(self) -> None:
        """Gives up waiting at a table; an opener closes it by that."""
        await self._do(self._reception.leave)

    async def move(self, move: Move) -> None:
        """The choice of this seat; LocalError (RefusedMove with its rule) if it is refused."""
        await self._do(partial(self._move, move))

    async def record(self) -> bytes:
        """The record file of this peer's table so far, or of its newest one."""
        if self._seat is not None:
            return await self._parts.store.record(self._seat.agreement.table_id)
        tables = await self._parts.store.tables()
        if not tables:
            raise LocalError("This peer has not been at a table yet.")
        return await self._parts.store.record(tables[0].table)

    async def resume(self) -> bool:
        """Goes on with the table in the store that is not over; False if there is none.

        Returns when this seat takes part again: when a member has sent what was missed.
        """
        self._must_be_free()
        await self._do(self._resume)
        if self._seat is None:
            return False
        await self._seat.begun.wait()
        return True

    def _must_be_free(self) -> None:
        if self._seat is not None and not self._seat.session.over:
            raise LocalError("This peer plays at a table already.")

    # Running.

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Runs until cancelled; started when it can be reached. Raises LocalError."""
        for pinned in await self._parts.store.pinned():
            self._known_hosts.update(address.host for address in pinned.addresses)
        async with trio.open_nursery() as self._nursery:
            with network_troubles():
                self.port = await self._nursery.start(self._mesh.run)
            self._tell(Listening(self._addresses(), self.port))
            self._nursery.start_soon(self._own)
            if self._parts.discover is not None:
                self._nursery.start_soon(self._discover, self._parts.discover)
            task_status.started()

    async def close(self) -> None:
        """Says goodbye to all who are linked; within a second."""
        with trio.move_on_after(CLOSING_SECONDS):
            await self._do(self._reception.leave)
        await self._mesh.finish("the other side has closed its program")

    async def _discover(self, discover: Discover) -> None:
        async with discover(self.port) as self._discovery:
            self._discovery.announce(self._ads)
            async for event in self._discovery.events:
                await self._bring.send(event)

    async def _own(self) -> None:
        """The one task that touches lobby and session."""
        while True:
            item: _Item | None = None
            with trio.move_on_at(self._deadline):
                item = await self._items.receive()
            if item is None:
                await self._tick()
            else:
                await self._handle(item)

    @property
    def _deadline(self) -> float:
        seat = float("inf") if self._seat is None else self._seat.deadline
        return min(seat, self._reception.deadline)

    async def _tick(self) -> None:
        completed = await self._reception.tick()
        if completed is not None:
            await self._begin(completed)
        if self._seat is not None:
            await self._seat.tick()

    async def _handle(self, item: _Item) -> None:
        match item:
            case Got(key, message):
                await self._got(key, message)
            case Up():
                await self._up(item)
            case Down(key, reason):
                name, short = self._name(key), await self._shorts.of(key)
                self._tell(Unlinked(key, name, short, reason))
                await self._reception.unlinked(key)
            case Broke(key, fault):
                self._tell(FaultSeen(fault, self._name(key)))
            case _JobDone(seat, number, result):
                await seat.job_done(number, result)
            case _Command(run):
                await run()
            case discovery.Found(sighting):
                self._found(sighting)
            case discovery.Lost(instance):
                lost = self._finder.lost(instance)
                if lost is not None:
                    self._tell(PeerLost(lost.short))
            case discovery.Unavailable(reason):
                self._tell(DiscoveryOff(reason))

    async def _do(self, work: Callable[[], Awaitable[_T]]) -> _T:
        """Has the owner do something; its result, or the LocalError that it raised."""
        results: list[_T] = []
        refusals: list[LocalError] = []
        done = trio.Event()

        async def run() -> None:
            try:
                results.append(await work())
            except Trouble:
                raise  # the disk fails: this peer cannot go on
            except LocalError as refusal:
                refusals.append(refusal)
            done.set()

        await self._bring.send(_Command(run))
        await done.wait()
        if refusals:
            raise refusals[0]
        return results[0]

    # Links.

    async def _up(self, up: Up) -> None:
        key = up.key
        short = await self._shorts.of(key)
        self._tell(Linked(key, self._name(key), short, up.address, up.how))
        if up.how != "incoming":
            self._mesh.learn(key, [up.address])
        completed = await self._reception.linked(key)
        if completed is not None:
            await self._begin(completed)
        if self._seat is not None:
            await self._seat.linked(key)

    async def _got(self, key: bytes, message: Message) -> None:
        if not isinstance(message, (Tables, Statement, AgreedMessage)):
            if self._seat is not None:
                await self._seat.received(key, message)
            return
        try:
            completed = await self._reception.received(key, message)
        except PeerFault as fault:
            self._mesh.drop(key, fault)
            self._tell(FaultSeen(fault, self._name(key)))
            return
        if isinstance(message, Tables):
            self._finder.note_news()
        if completed is not None:
            await self._begin(completed)

    def _ping(self, number: int) -> Ping:
        return Ping(number, b"", ()) if self._seat is None else self._seat.ping(number)

    def _addresses(self) -> tuple[Address, ...]:
        return tuple(Address(host, self.port) for host in self._parts.hosts())

    # Discovery.

    def _found(self, sighting: Sighting) -> None:
        self._finder.found(sighting)
        offers = tuple(TableOffer(t.name, t.game, t.taken, t.seats) for t in sighting.tables)
        who = (sighting.short, sighting.name, sighting.key, sighting.addresses)
        self._tell(PeerFound(*who, "mdns", offers))
        for offer in offers:
            seen = (offer.table, offer.game, offer.taken, offer.seats)
            self._tell(TableSeen(*seen, sighting.short))
        # A member that has come back may listen elsewhere now.
        self._mesh.learn(sighting.key, sighting.addresses)

    def _announce(self, ads: Sequence[TableAd]) -> None:
        self._ads = tuple(ads)
        if self._discovery is not None:
            self._discovery.announce(self._ads)

    # Tables.

    async def _begin(self, completed: Completed) -> None:
        """All have signed: on disk first, then the game."""
        agreement, store = completed.agreement, self._parts.store
        seat = agreement.keys.index(self.key)
        opened = int(self._parts.wall())
        await store.open_table(agreement.table_id, completed.sealed, seat, opened)
        members = self._mesh.known()
        for player in agreement.players:
            if player.key != self.key:
                others = await store.pin(Pinned(player.key, player.name, members[player.key]))
                if others:
                    known = tuple([await self._shorts.of(key) for key in others])
                    short = await self._shorts.of(player.key)
                    self._tell(NewKeyForName(player.name, short, known))
        players = await player_infos(agreement.players, self._shorts)
        self._tell(Agreed(agreement.table_id, seat, players))
        driver = await self._sit_down(agreement, seat, {}, members)
        await driver.begin()

    async def _resume(self) -> None:
        stored = await self._parts.store.unfinished()
        if stored is None:
            return
        agreement = read_agreement(stored.sealed)
        secrets = await self._parts.store.secrets(stored.table)
        pinned = {peer.key: peer.addresses for peer in await self._parts.store.pinned()}
        members = {key: pinned.get(key, ()) for key in agreement.keys if key != self.key}
        players = await player_infos(agreement.players, self._shorts)
        driver = await self._sit_down(agreement, stored.seat, secrets, members)
        self._tell(Resumed(stored.table, stored.seat, players))
        await driver.resume()

    async def _sit_down(
        self,
        agreement: Agreement,
        seat: int,
        secrets: dict[str, bytes],
        members: dict[bytes, tuple[Address, ...]],
    ) -> SeatDriver:
        """A driver for this seat, with all that the store has of the table, and its links."""
        parts = self._parts
        key = parts.identity.signing_key
        session = Session(agreement, seat, key, parts.entropy, secrets)
        driver = SeatDriver(
            session,
            Around(self._mesh, parts.store, parts.jobs, self._work, self._tell, self._addresses),
        )
        await driver.replay()
        self._seat = driver
        for member, addresses in members.items():
            self._known_hosts.update(address.host for address in addresses)
            sighting = self._finder.seen(member)
            if sighting is not None:
                members = {**members, member: (*sighting.addresses, *addresses)}
        self._mesh.want(members)
        for linked in self._mesh.linked:
            await driver.linked(linked)
        return driver

    async def _move(self, move: Move) -> None:
        if self._seat is None:
            raise LocalError("This peer is at no table.")
        await self._seat.move(move)

    def _work(self, seat: SeatDriver, job: Job) -> None:
        assert self._nursery is not None
        self._nursery.start_soon(self._run_job, seat, job)

    async def _run_job(self, seat: SeatDriver, job: Job) -> None:
        result = await self._parts.jobs.run(job.run)
        await self._bring.send(_JobDone(seat, job.number, result))

    # Telling.

    def _tell(self, event: PeerEvent) -> None:
        self._send_event.send_nowait(event)

    def _name(self, key: bytes) -> str:
        """The name that goes with a key, empty if it has said none."""
        if self._seat is not None and key in self._seat.agreement.keys:
            return self._seat.agreement.players[self._seat.agreement.keys.index(key)].name
        sighting = self._finder.seen(key)
        return self._reception.name_of(key) or ("" if sighting is None else sighting.name)


@asynccontextmanager
async def run_peer(parts: Parts) -> AsyncIterator[Peer]:
    """A peer that runs while the block does; leaving it closes everything within a second.

    Raises LocalError, by itself or in a group.
    """
    peer = Peer(parts)
    async with trio.open_nursery() as nursery:
        await nursery.start(peer.run)
        try:
            yield peer
        finally:
            with trio.CancelScope(shield=True):
                await peer.close()
            nursery.cancel_scope.cancel()
