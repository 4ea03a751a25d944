"""Whatever follows a table that plays, with disk, jobs and links around it. SPEC 11.8.

``SeatDriver`` has a seat there, ``WatchDriver`` looks on. The owner of a peer calls these methods
one after the other, from one task. Effects are carried out in order, writing first: all that a call
asks to write is on disk before anything of it is sent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import trio

from p2p.asking import Asking
from p2p.catchup import where
from p2p.database import BEGINNING
from p2p.events import FaultSeen, PeerEvent, SessionTold
from p2p.flood import Flood
from p2p.jobs import Jobs
from p2p.mesh import Mesh
from p2p.messages import (
    ASK_AGAIN,
    MORE_FOLLOWS,
    Entries,
    EnvelopeMessage,
    Have,
    Message,
    Ping,
    VoteMessage,
)
from p2p.shorts import Shorts
from p2p.store import Store
from p2p.transport import Address
from protocol.effects import (
    Effect,
    Fault,
    ForgetSecret,
    Job,
    Persist,
    PersistSecret,
    PersistVote,
    Send,
    SendVote,
    Tell,
)
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


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who is at a table. ``voters``: the seats of which more than half can declare one gone.

    ``away``: those that were declared gone. ``calls``: for each silent seat that the table waits on
    the seconds until this seat calls it gone if nothing comes; 0: it has; infinity: if people ask.
    """

    voters: tuple[int, ...] = ()
    away: tuple[int, ...] = ()
    calls: Mapping[int, float] = field(default_factory=dict)


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

    def attendance(self) -> Attendance:
        """Who is at the table now."""
        table = self._follower.history.table
        return Attendance(tuple(sorted(table.voting)), tuple(sorted(table.awaited)))

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
        """Feeds the follower all that is in the store; nothing is sent. Before it begins.

        In the order of writing: so the follower comes by the same way to where it was, also where
        it had gone back.
        """
        mark = BEGINNING
        while rows := await self._around.store.written(self._table, mark):
            for row in rows:
                now = trio.current_time()
                if row.is_vote:
                    await self._digest(self._follower.receive_vote(row.data, b"", now))
                else:
                    await self._digest(self._follower.receive(row.data, now))
            mark = rows[-1].mark
        self._asking.moved(self._follower.positions(), trio.current_time())

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
    def _send_vote(self, send: SendVote) -> None:
        """A vote is to be given to others."""

    @abstractmethod
    def _went_back(self) -> None:
        """The table stands at a step that had closed here; what came after has not happened."""

    @abstractmethod
    def _ended(self) -> None:
        """The table has ended here."""

    @abstractmethod
    def _waits(self) -> bool:
        """Whether an entry is owed that comes from elsewhere."""

    # Entries and votes that come in.

    async def _heard(self, key: bytes, message: Message) -> None:
        """A message about entries or votes by the link with a key that is listened to."""
        match message:
            case EnvelopeMessage(_, envelope):
                if self._flood.arrived(key, envelope):
                    await self._take(key, envelope)
            case VoteMessage(_, vote, entry):
                if self._arrived(key, vote, entry):
                    await self._take_vote(key, vote, entry)
            case Entries(_, envelopes, left, votes):
                for vote, entry in votes:
                    self._arrived(key, vote, entry)
                    await self._take_vote(key, vote, entry)
                for envelope in envelopes:
                    self._flood.arrived(key, envelope)
                    await self._take(key, envelope)
                if left != MORE_FOLLOWS and self._asking.answered(key, left == ASK_AGAIN):
                    self._complete = True
            case Ping(_, _, positions):
                if self._asking.pinged(key, positions, self._waits(), trio.current_time()):
                    self._ask(key)
            case _:
                return
        await self._settle()

    async def _take(self, key: bytes, envelope: bytes) -> None:
        await self._carry_out(self._follower.receive(envelope, trio.current_time()), key)

    async def _take_vote(self, key: bytes, vote: bytes, entry: bytes) -> None:
        effects = self._follower.receive_vote(vote, entry, trio.current_time())
        await self._carry_out(effects, key)

    def _arrived(self, key: bytes, vote: bytes, entry: bytes) -> bool:
        """Whether a vote, or the entry that came with it, has come for the first time."""
        found = [self._flood.arrived(key, data) for data in (vote, entry) if data]
        return any(found)

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
        # Arithmetic and people have no need to wait for the disk: only what is sent must be written
        # before. Results come by the owner's channel, so all else of this call is done before them.
        for effect in effects:
            match effect:
                case Job():
                    self._working += 1
                    self._around.work(self, effect)
                case Tell(event):
                    if isinstance(event, Behind):
                        self._asking.behind()
                    self._around.tell(SessionTold(event))
                case Fault(fault):
                    self._blame(fault, source)
        stored = (Persist, PersistVote, PersistSecret, ForgetSecret)
        changes = [effect for effect in effects if isinstance(effect, stored)]
        if changes:
            await self._around.store.carry_out(self._table, changes)
        places = {e.envelope: e for e in effects if isinstance(e, Persist)}
        for effect in effects:
            match effect:
                case Persist():
                    self._stored(effect)
                case Send(envelope):
                    self._send(effect, places.get(envelope))
                case SendVote():
                    self._send_vote(effect)
        if self._asking.moved(self._follower.positions(), trio.current_time()):
            self._went_back()
        if self.over and not self._finished:
            self._finished = True
            await self._around.store.finish_table(self._table)
            self._ended()
        elif self._finished and not self.over:
            self._finished = False
            await self._around.store.reopen_table(self._table)

    async def _digest(self, effects: Sequence[Effect]) -> None:
        """Carries out the effects of what is on disk, its jobs at once."""
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
