"""One task owns all state of a peer; page, links, jobs and clock talk to it by one channel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import trio

from p2p import discovery
from p2p.chat import Chatter
from p2p.discovery import Discovery, Sighting, TableAd
from p2p.endpoint import Endpoint
from p2p.errand import Errand
from p2p.events import (
    DiscoveryOff,
    FaultSeen,
    Linked,
    Listening,
    PeerEvent,
    PeerFound,
    PeerLost,
    ShortMade,
    TableOffer,
    TableSeen,
    Unlinked,
)
from p2p.finder import Finder, Offer
from p2p.following import Around, TableDriver
from p2p.interfaces import can_be_dialled, is_loopback
from p2p.mesh import Broke, Down, Got, Mesh, MeshEvent, Named, Up
from p2p.messages import Admit, Chat, Knock, Message, Ping, Statement, Tables, Unwatch, Watch
from p2p.messages import Agreed as AgreedMessage
from p2p.news import News
from p2p.outputs import Completed
from p2p.parts import Discover, Parts
from p2p.pledges import Pledges
from p2p.reception import Desk, Reception
from p2p.seat import SeatDriver
from p2p.seating import Seating
from p2p.shorts import Shorts
from p2p.tables import OwnTables
from p2p.talking import Company, Talking, company
from p2p.transport import Address
from p2p.trouble import network_troubles
from protocol.effects import Job
from protocol.errors import LocalError, PeerFault

LOOPBACK_SECONDS = 5.0
"""How long it is remembered whether this peer is on loopback alone: to ask takes a moment."""

FIRST_PORT = 1024
"""Ports below are other programs' as a rule: they are dialled only if people say so."""

QUEUE = 64
"""Things that may wait for the owner; whoever brings more waits, links included."""

OF_THE_LOBBY = (Tables, Statement, Knock, Admit, Chat, AgreedMessage)
"""Messages that are no business of a table that plays."""

CLOSING_SECONDS = 0.3
"""How long the owner may take to give up its place in a lobby when the peer closes."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _JobDone:
    table: TableDriver
    number: int
    result: object


_Item: TypeAlias = MeshEvent | discovery.Event | _JobDone | Errand[object]


class Owner:
    """All that a peer is. Its public face is ``p2p.handle.Peer``; ``do`` is the way in."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.key = parts.identity.key
        self.port = 0
        self.events = News(self._is_at_table)
        self._bring, self._items = trio.open_memory_channel[_Item](QUEUE)
        self._shorts = Shorts(parts.jobs, parts.shorts, self._short_made)
        self._known_hosts: set[str] = set()
        self._pinned: set[bytes] = set()
        self._on_loopback = (float("-inf"), False)
        self._asking: set[trio.CancelScope] = set()
        self._stopped = False
        self._stamped = 0
        self._linked: dict[bytes, str] = {}
        endpoint = Endpoint(
            parts.identity,
            parts.transport,
            is_known=self._known_hosts.__contains__,
            entropy=parts.entropy,
        )
        self._mesh = Mesh(
            endpoint,
            self.key,
            self._bring.clone(),
            self._ping,
            self._shorts,
            self._is_friend,
            self._may_dial,
        )
        self.pledges = Pledges(
            parts.identity.signing_key,
            parts.store,
            self._mesh,
            self.tell,
            self._stamp,
            parts.wall,
        )
        self.reception = Reception(
            Desk(
                parts.identity,
                parts.name,
                parts.owner,
                parts.entropy,
                self._mesh,
                self._shorts,
                self.tell,
                self._announce,
                self.addresses,
                self._stamp,
                parts.ready,
                self._start,
                self._linked.get,
                self.pledges,
                self._agreement_of,
                self._entering,
            )
        )
        reception = self.reception
        self.finder = Finder(
            self._mesh, self._shorts, reception.offers, reception.admitted, parts.owner
        )
        self._chatter = chatter = Chatter(parts.identity.signing_key, 0)
        people = (self.tell, self._name, self._company)
        self.talking = Talking(chatter, self._mesh, self._shorts, *people)
        around = Around(
            self._mesh,
            parts.store,
            parts.jobs,
            self._shorts,
            self._work,
            self.tell,
            self.addresses,
        )
        seating = Seating(parts, around, self._shorts, self.finder, self._known_hosts)
        self.tables = OwnTables(parts, around, seating, self._start)
        self._discovery: Discovery | None = None
        self._ads: tuple[TableAd, ...] = ()
        self._nursery: trio.Nursery | None = None

    # Running.

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Runs until cancelled; started when it can be reached. Raises LocalError."""
        self._stamped = await self.parts.store.stamp(int(self.parts.wall() * 1000))
        self._chatter.count_from(self._stamped)
        for pinned in await self.parts.store.pinned():
            self._known_hosts.update(address.host for address in pinned.addresses)
            self._pinned.add(pinned.key)
        async with trio.open_nursery() as self._nursery:
            with network_troubles():
                self.port = await self._nursery.start(self._mesh.run)
            self.tell(Listening(self.addresses(), self.port))
            await self._remember()
            self._nursery.start_soon(self._shorts.run)
            self._nursery.start_soon(self._own)
            if self.parts.discover is not None:
                self._nursery.start_soon(self._discover, self.parts.discover)
            task_status.started()

    async def _remember(self) -> None:
        """A table that was signed is looked for, unless another one is to be gone on with."""
        if await self.parts.store.unfinished() is None:
            await self.pledges.look()
        await self.tables.keep_newest(looks=self.pledges.deadline == float("inf"))

    def _entering(self) -> None:
        """This peer goes to another table: nothing else says with whom it wants links."""
        self.pledges.rest()
        self.tables.rest()

    async def close(self) -> None:
        """Says goodbye to all who are linked; within a second."""
        with trio.move_on_after(CLOSING_SECONDS), suppress(LocalError):
            await self.do(self.tables.unwatch)
            await self.do(self.reception.close)
        await self._mesh.finish("the other side has closed its program")

    async def _discover(self, discover: Discover) -> None:
        async with discover(self.port) as self._discovery:
            self._discovery.announce(self._ads)
            async for event in self._discovery.events:
                await self._bring.send(event)

    async def _own(self) -> None:
        """The one task that touches lobby and session."""
        try:
            while True:
                item: _Item | None = None
                with trio.move_on_at(self._deadline):
                    item = await self._items.receive()
                if item is None:
                    await self._tick()
                else:
                    await self._handle(item)
                if self.tables.seat is not None and not self.tables.plays:
                    await self.reception.over()
        finally:
            self._stopped = True
            for scope in self._asking:
                scope.cancel()

    @property
    def _deadline(self) -> float:
        return min(self.tables.deadline, self.reception.deadline)

    async def _tick(self) -> None:
        completed = await self.reception.tick()
        if completed is not None:
            await self._begin(completed)
        await self.tables.tick()

    async def _handle(self, item: _Item) -> None:
        match item:
            case Got(key, message):
                await self._got(key, message)
            case Up():
                await self._up(item)
            case Named(key, address, how, short):
                self._linked[key] = short
                self.tell(Linked(key, self._name(key), short, address, how))
                self.reception.named(key)
            case Down(key, reason):
                known = self._linked.pop(key, None)
                if known is not None:
                    self.tell(Unlinked(key, self._name(key), known, reason))
                await self.reception.unlinked(key)
                self.tables.unlinked(key)
            case Broke(key, fault):
                self.tell(FaultSeen(fault, self._name(key)))
            case _JobDone(table, number, result):
                await table.job_done(number, result)
            case Errand():
                await item.run()
            case discovery.Found(sighting):
                self._found(sighting)
            case discovery.Lost(instance):
                lost = self.finder.lost(instance)
                if lost is not None:
                    self.tell(PeerLost(lost.short))
            case discovery.Unavailable(reason):
                self.tell(DiscoveryOff(reason))

    async def do(self, work: Callable[[], Awaitable[_T]]) -> _T:
        """Has the owner's task do something; its result, or the LocalError that it raised.

        Raises LocalError too when the peer has stopped, or stops meanwhile.
        """
        if not self._stopped:
            with trio.CancelScope() as scope:
                self._asking.add(scope)
                try:
                    errand = Errand(work)
                    await self._bring.send(errand)
                    return await errand.result()
                finally:
                    self._asking.discard(scope)
        raise LocalError("This peer has stopped.")

    def _stamp(self) -> int:
        """Milliseconds of the calendar, but more each time, even if somebody sets the clock."""
        self._stamped = max(self._stamped + 1, int(self.parts.wall() * 1000))
        return self._stamped

    def vouch(self, key: bytes) -> None:
        """It is known here whose key this is; see ``Shorts.vouch``."""
        self._shorts.vouch(key)

    def _short_made(self, key: bytes, short: str) -> None:
        if key in self._linked:
            self._linked[key] = short
        self.tell(ShortMade(key, short))

    def _start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Has something done beside the owner's task."""
        assert self._nursery is not None
        self._nursery.start_soon(work)

    # Links.

    async def _up(self, up: Up) -> None:
        key = up.key
        if up.short:
            self._linked[key] = up.short
            self.tell(Linked(key, self._name(key), up.short, up.address, up.how))
        if up.how != "incoming":
            self._mesh.learn(key, [up.address], proved=True)
        completed = await self.reception.linked(key)
        if completed is not None:
            await self._begin(completed)
        await self.tables.linked(key)

    async def _got(self, key: bytes, message: Message) -> None:
        completed = None
        try:
            if self.tables.onlooker is not None:
                await self.tables.onlooker.received(key, message)
            if isinstance(message, Watch):
                await self._asked_to_show(key, message)
            elif not isinstance(message, OF_THE_LOBBY):
                if isinstance(message, Ping):
                    self.pledges.named(key, message.table)
                await self.tables.received(key, message)
            elif isinstance(message, Chat):
                await self.talking.received(key, message)
            else:
                completed = await self.reception.received(key, message)
        except PeerFault as fault:
            self._mesh.drop(key, fault)
            self.tell(FaultSeen(fault, self._name(key)))
            return
        if isinstance(message, (Tables, Admit)):
            self.finder.note_news()
        if completed is not None:
            await self._begin(completed)

    def _ping(self, number: int) -> Ping:
        return self.tables.ping(number)

    def _is_friend(self, key: bytes) -> bool:
        """Whether a key is known from a table, or looks on at this one."""
        seat = self.tables.seat
        return key in self._pinned or (seat is not None and key in seat.gallery)

    def _may_dial(self, address: Address) -> bool:
        """Whether others may make this peer dial there. SPEC 11.8."""
        if address.port < FIRST_PORT:
            return False
        return can_be_dialled(address.host) or (is_loopback(address.host) and self._is_at_home())

    def _is_at_home(self) -> bool:
        """Whether this peer is reached by loopback alone, like all it can talk to."""
        since, on_loopback = self._on_loopback
        now = trio.current_time()
        if now - since >= LOOPBACK_SECONDS:
            on_loopback = all(map(is_loopback, self.parts.hosts()))
            self._on_loopback = (now, on_loopback)
        return on_loopback

    def addresses(self) -> tuple[Address, ...]:
        """Where this peer can be reached now."""
        return tuple(Address(host, self.port) for host in self.parts.hosts())

    # Discovery.

    def _found(self, sighting: Sighting) -> None:
        self.finder.found(sighting)
        key = sighting.key
        offers = tuple(TableOffer(t.name, t.game, t.taken, t.seats, key) for t in sighting.tables)
        who = (sighting.short, sighting.name, sighting.key, sighting.addresses)
        self.tell(PeerFound(*who, "mdns", offers))
        for offer in offers:
            seen = (offer.table, offer.game, offer.taken, offer.seats)
            self.tell(TableSeen(*seen, sighting.short))
        # A member that has come back may listen elsewhere now.
        self._mesh.learn(sighting.key, sighting.addresses)

    def _announce(self, ads: Sequence[TableAd]) -> None:
        self._ads = tuple(ads)
        if self._discovery is not None:
            self._discovery.announce(self._ads)

    # Tables.

    async def _begin(self, completed: Completed) -> None:
        await self.reception.say_list()
        seat = await self.tables.begin(completed)
        self._pinned.update(completed.agreement.keys)
        self._show(seat)
        self.pledges.forget()

    def _show(self, seat: SeatDriver) -> None:
        """Whoever wants to look on is told of the own table, if it may be."""
        if seat.lobby:
            self.reception.show(seat.lobby, seat.agreement)

    async def ready(self, ready: bool) -> None:
        """Whether this player would begin; LocalError where it does not wait."""
        completed = await self.reception.ready(ready)
        if completed is not None:
            await self._begin(completed)

    async def resume(self) -> SeatDriver | None:
        """Takes the seat at the table in the store that is not over, if there is one."""
        seat = await self.tables.resume()
        if seat is not None:
            self._show(seat)
        return seat

    async def watch(self, offer: Offer) -> None:
        """Looks on at a table; raises LocalError where this peer waits or plays at one."""
        if self.tables.plays:
            raise LocalError("This peer plays at a table already.")
        if self.reception.waiting:
            raise LocalError("This peer waits at a table already.")
        self._entering()
        self.tables.watch(offer)

    async def _asked_to_show(self, key: bytes, watch: Watch) -> None:
        """Somebody wants to look on at a table of this peer's."""
        refusal = await self.tables.asked_to_show(key, watch)
        told = any(info.lobby == watch.lobby for info in self.reception.told)
        if refusal is not None and refusal.code == "no-such-table" and told:
            refusal = Unwatch("waiting", "the game at this table has not begun yet")
        if refusal is not None:
            self._mesh.post((key,), refusal)

    async def _agreement_of(self, key: bytes) -> bytes | None:
        return await self.tables.agreement_of(key)

    def _company(self) -> Company | None:
        seat = self.tables.seat
        return company(self.reception.lobby, None if seat is None else seat.agreement)

    def _work(self, table: TableDriver, job: Job) -> None:
        assert self._nursery is not None
        self._nursery.start_soon(self._run_job, table, job)

    async def _run_job(self, table: TableDriver, job: Job) -> None:
        result = await self.parts.jobs.run(job.run)
        await self._bring.send(_JobDone(table, job.number, result))

    # Telling.

    def tell(self, event: PeerEvent) -> None:
        """Tells the people and programs at this seat."""
        self.events.put(event)

    def _is_at_table(self, key: bytes) -> bool:
        """Whether a key is at the table at which this peer waits, plays or looks on."""
        waits = self.reception.lobby is not None and bool(self.reception.name_of(key))
        return waits or (self.tables.table is not None and key in self.tables.table.agreement.keys)

    def _name(self, key: bytes) -> str:
        """The name that goes with a key, empty if it has said none."""
        for table in (self.tables.table, self.tables.seat):
            if table is not None and key in table.agreement.keys:
                return table.agreement.players[table.agreement.keys.index(key)].name
        sighting = self.finder.seen(key)
        return self.reception.name_of(key) or ("" if sighting is None else sighting.name)
