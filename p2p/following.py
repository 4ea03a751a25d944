"""Whatever follows a table that plays, with disk, jobs and links around it. SPEC 11.8.

``SeatDriver`` has a seat there, ``WatchDriver`` looks on. The owner of a peer calls these methods
one after the other, from one task. Effects are carried out in order, writing first: all that a call
asks to write is on disk before anything of it is sent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import trio

from p2p.asking import Asking
from p2p.catchup import where
from p2p.events import FaultSeen, PeerEvent, SessionTold
from p2p.flood import Flood
from p2p.jobs import Jobs
from p2p.mesh import Mesh
from p2p.messages import ALL_SENT, ASK_AGAIN, Entries, EnvelopeMessage, Have, Message, Ping
from p2p.shorts import Shorts
from p2p.store import Store
from p2p.transport import Address
from protocol.effects import Effect, Fault, ForgetSecret, Job, Persist, PersistSecret, Send, Tell
from protocol.errors import PeerFault
from protocol.events import Behind, ViewChanged
from protocol.follower import Follower
from protocol.story import events_of

NOBODYS = frozenset({"head"})
"""Faults without a seat that are not the link's either: it passed on what is well signed."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a table works with. ``work`` runs a job of a table; its result comes to ``job_done``."""

    mesh: Mesh
    store: Store
    jobs: Jobs
    shorts: Shorts
    work: Callable[[TableDriver, Job], None]
    tell: Callable[[PeerEvent], None]
    addresses: Callable[[], tuple[Address, ...]]


class TableDriver(ABC):
    """Drives one follower of a table. ``begun`` is set when people are told what happens there."""

    def __init__(self, follower: Follower, around: Around) -> None:
        self.agreement = follower.agreement
        self.begun = trio.Event()
        self._follower = follower
        self._around = around
        self._table = self.agreement.table_id
        self._flood = Flood()
        self._asking = Asking(follower.positions(), trio.current_time())
        self._working = 0
        self._complete = False
        self._catching_up = False
        self._finished = False

    @property
    def over(self) -> bool:
        """Whether the table has ended here."""
        return self._follower.over

    @property
    def waiting(self) -> tuple[str, tuple[int, ...]] | None:
        """What the table waits on; see ``Follower.waiting``."""
        return self._follower.waiting

    async def begin(self) -> None:
        """Takes part from now on."""
        if self.begun.is_set():
            return
        self.begun.set()
        if self._catching_up:
            self._catching_up = False
            self._tell_standing()
        await self._carry_out(self._follower.begin(trio.current_time()))

    async def replay(self) -> None:
        """Feeds the follower all entries of the store; nothing is sent. Before it begins."""
        before: dict[int, int] = {}
        while before != self._follower.positions():
            before = self._follower.positions()
            entries, _ = await self._around.store.portion(self._table, where(self._follower))
            for entry in entries:
                await self._digest(self._follower.receive(entry.envelope, trio.current_time()))
        self._asking.moved(before, trio.current_time())

    async def job_done(self, number: int, result: object) -> None:
        """A job has its result."""
        self._working -= 1
        await self._carry_out(self._follower.done(number, result, trio.current_time()))
        await self._settle()

    # What the two kinds of drivers have for themselves.

    @abstractmethod
    def _stored(self, entry: Persist) -> None:
        """An entry is on disk."""

    @abstractmethod
    def _send(self, send: Send, entry: Persist | None) -> None:
        """An envelope is to be given to others; ``entry``: what this call stored of it."""

    @abstractmethod
    def _ended(self) -> None:
        """The table has ended here."""

    @abstractmethod
    def _waits(self) -> bool:
        """Whether an entry is owed that comes from elsewhere."""

    # Entries that come in.

    async def _heard(self, key: bytes, message: Message) -> None:
        """A message about entries by the link with a key that is listened to."""
        match message:
            case EnvelopeMessage(_, envelope):
                if self._flood.arrived(key, envelope):
                    await self._take(key, envelope)
            case Entries(_, envelopes, left):
                for envelope in envelopes:
                    self._flood.arrived(key, envelope)
                    await self._take(key, envelope)
                self._complete = self._complete or left == ALL_SENT
                if left == ASK_AGAIN:
                    self._asking.has_more(key)
            case Ping(_, _, positions):
                if self._asking.pinged(key, positions, self._waits(), trio.current_time()):
                    self._ask(key)
            case _:
                return
        await self._settle()

    async def _take(self, key: bytes, envelope: bytes) -> None:
        await self._carry_out(self._follower.receive(envelope, trio.current_time()), key)

    def _ask(self, key: bytes) -> None:
        self._asking.ask(key, trio.current_time())
        self._around.mesh.post((key,), Have(self._table, where(self._follower)))

    async def _settle(self) -> None:
        """When all that came in is digested: ask on, or take part at last."""
        if self._working:
            return
        for key in self._asking.to_ask_again():
            self._ask(key)
        if (self._complete or self.over) and self._catching_up:
            await self.begin()

    # Effects.

    async def _carry_out(self, effects: Sequence[Effect], source: bytes | None = None) -> None:
        """Carries out effects in order; ``source``: the link whose bytes brought them about."""
        for effect in effects:
            # Arithmetic has no need to wait for the disk; its results come by the owner's channel,
            # so all else of this call is done before them.
            if isinstance(effect, Job):
                self._working += 1
                self._around.work(self, effect)
        changes = [e for e in effects if isinstance(e, (Persist, PersistSecret, ForgetSecret))]
        if changes:
            await self._around.store.carry_out(self._table, changes)
        places = {e.envelope: e for e in effects if isinstance(e, Persist)}
        for effect in effects:
            match effect:
                case Persist():
                    self._stored(effect)
                case Send(envelope):
                    self._send(effect, places.get(envelope))
                case Tell(event):
                    if isinstance(event, Behind):
                        self._asking.behind()
                    self._around.tell(SessionTold(event))
                case Fault(fault):
                    self._blame(fault, source)
                case _:
                    pass  # written above
        self._asking.moved(self._follower.positions(), trio.current_time())
        if self.over and not self._finished:
            self._finished = True
            await self._around.store.finish_table(self._table)
            self._ended()

    async def _digest(self, effects: Sequence[Effect]) -> None:
        """Carries out the effects of an entry that is on disk, its jobs at once."""
        for effect in effects:
            if isinstance(effect, ForgetSecret):
                await self._around.store.carry_out(self._table, [effect])
            elif isinstance(effect, Job):
                result = await self._around.jobs.run(effect.run)
                await self._digest(self._follower.done(effect.number, result, trio.current_time()))

    def _tell_standing(self) -> None:
        """After catching up: what the cards are now, or how the table has ended meanwhile."""
        view = self._follower.view
        if view is not None:
            self._around.tell(SessionTold(ViewChanged(view)))
        for event in events_of(None, self._follower.history, lambda: view):
            self._around.tell(SessionTold(event))

    def _blame(self, fault: PeerFault, source: bytes | None) -> None:
        name = "" if fault.seat is None else self.agreement.players[fault.seat].name
        self._around.tell(FaultSeen(fault, name))
        if fault.seat is None and source is not None and fault.code not in NOBODYS:
            self._around.mesh.drop(source, fault)
