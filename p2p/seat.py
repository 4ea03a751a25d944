"""One seat at a table that plays: its session, with disk, jobs and mesh around it. SPEC 11.8.

The owner of a peer calls these methods one after the other, from one task. Effects are carried out
in order, writing first: all that a call asks to write is on disk before anything of it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import trio

from engine import Move
from p2p.asking import Asking
from p2p.catchup import where
from p2p.events import FaultSeen, PeerEvent, SessionTold
from p2p.flood import Flood
from p2p.jobs import Jobs
from p2p.mesh import Mesh
from p2p.messages import (
    ALL_SENT,
    ASK_AGAIN,
    MAX_LANES,
    Entries,
    EnvelopeMessage,
    Have,
    Members,
    Message,
    Ping,
)
from p2p.relay import Relay
from p2p.store import Store
from p2p.transport import Address
from protocol.agreement import Agreement
from protocol.effects import Effect, Fault, ForgetSecret, Job, Persist, PersistSecret, Send, Tell
from protocol.errors import PeerFault
from protocol.events import Behind, ViewChanged
from protocol.session import Session
from protocol.story import events_of

RESUME_SECONDS = 10.0
"""How long a restarted peer waits for what it missed before it goes on with what it has."""

TICK_GAP = 0.25
"""Seconds between two ticks at least, whatever the session asks for."""

ANSWER_BYTES = 1024 * 1024
"""With more than this waiting for a key, it must read before it is answered again."""

NOBODYS = frozenset({"head"})
"""Faults without a seat that are not the link's either: it passed on what is well signed."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a seat works with. ``work`` runs a job of a seat; its result comes to ``job_done``."""

    mesh: Mesh
    store: Store
    jobs: Jobs
    work: Callable[[SeatDriver, Job], None]
    tell: Callable[[PeerEvent], None]
    addresses: Callable[[], tuple[Address, ...]]


class SeatDriver:
    """Drives one session. ``begun`` is set when it takes part."""

    def __init__(self, session: Session, around: Around) -> None:
        self.session = session
        self.agreement: Agreement = session.agreement
        self.begun = trio.Event()
        self._around = around
        self._table = self.agreement.table_id
        own = session.seat
        self._members = tuple(k for s, k in enumerate(self.agreement.keys) if s != own)
        self._flood = Flood()
        self._relay = Relay()
        self._asking = Asking(session.positions(), trio.current_time())
        self._working = 0
        self._complete = False
        self._finished = False
        self._begin_by = float("inf")
        self._ticked = -TICK_GAP

    @property
    def deadline(self) -> float:
        """When ``tick`` is next of use; infinity: never."""
        return min(self._relay.due, self._session_deadline)

    @property
    def _session_deadline(self) -> float:
        if not self.begun.is_set():
            return self._begin_by
        wanted = self.session.deadline
        return float("inf") if wanted is None else max(wanted, self._ticked + TICK_GAP)

    def ping(self, number: int) -> Ping:
        """A ping that says where this seat stands."""
        positions = sorted(self.session.positions().items())[:MAX_LANES]
        return Ping(number, self._table, tuple(positions))

    # What the owner calls.

    async def begin(self) -> None:
        """Takes part from now on."""
        if self.begun.is_set():
            return
        self.begun.set()
        if self._begin_by < float("inf"):
            self._tell_standing()
        await self._carry_out(self.session.begin(trio.current_time()))

    async def replay(self) -> None:
        """Feeds the session all entries of the store; nothing is sent. Before ``resume``."""
        before: dict[int, int] = {}
        while before != self.session.positions():
            before = self.session.positions()
            entries, _ = await self._around.store.portion(self._table, where(self.session))
            for entry in entries:
                await self._digest(self.session.receive(entry.envelope, trio.current_time()))
        self._asking.moved(before, trio.current_time())

    async def resume(self) -> None:
        """Takes part as soon as a member has sent what was missed, or after RESUME_SECONDS."""
        self._begin_by = trio.current_time() + RESUME_SECONDS
        if self.session.over:
            await self.begin()

    async def move(self, move: Move) -> None:
        """The choice of this seat; raises RefusedMove."""
        await self._carry_out(self.session.move(move, trio.current_time()))

    async def late(self) -> None:
        """The late move of the own program, if a choice is owed."""
        await self._carry_out(self.session.late(trio.current_time()))

    def sit(self, choice: str) -> None:
        """What this seat answers between hands from now on; LocalError if it is no answer."""
        self.session.sit(choice)

    async def job_done(self, number: int, result: object) -> None:
        """A job has its result."""
        self._working -= 1
        await self._carry_out(self.session.done(number, result, trio.current_time()))
        await self._settle()

    async def tick(self) -> None:
        """Time has passed."""
        now = trio.current_time()
        self._pass_on(now)
        if now >= self._begin_by:
            await self.begin()
        if self.begun.is_set() and now >= self._session_deadline:
            self._ticked = now
            await self._carry_out(self.session.tick(now))

    async def linked(self, key: bytes) -> None:
        """There is a new link with this key."""
        if key in self._members:
            self._flood.relinked(key)
            known = [(k, a) for k, a in self._around.mesh.known().items() if a and k != key]
            own = (self.agreement.keys[self.session.seat], self._around.addresses())
            self._around.mesh.post((key,), Members(self._table, (own, *known)))
            self._ask(key)

    async def received(self, key: bytes, message: Message) -> None:
        """A message by the link with this key; only members are listened to."""
        if key not in self._members or getattr(message, "table", None) != self._table:
            return
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
            case Have():
                if self._around.mesh.waiting_bytes(key) < ANSWER_BYTES:
                    for entries in await self._around.store.answer(message):
                        self._around.mesh.post((key,), entries)
            case Ping(_, _, positions):
                if self._asking.pinged(key, positions, self._waits, trio.current_time()):
                    self._ask(key)
            case Members(_, members):
                for member, addresses in members:
                    if member in self._members:
                        self._around.mesh.learn(member, addresses)
            case _:
                return
        await self._settle()

    # Effects.

    async def _take(self, key: bytes, envelope: bytes) -> None:
        await self._carry_out(self.session.receive(envelope, trio.current_time()), key)

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
                case Persist(lane, step, seat, _):
                    self._relay.accepted(seat, lane, step)
                case Send(envelope, passed_on):
                    if passed_on and envelope in places:
                        entry = places[envelope]
                        now = trio.current_time()
                        self._relay.later(entry.lane, entry.step, envelope, now)
                    else:
                        self._post(self._members, envelope)
                case Tell(event):
                    if isinstance(event, Behind):
                        self._asking.behind()
                    self._around.tell(SessionTold(event))
                case Fault(fault):
                    self._blame(fault, source)
                case _:
                    pass  # written above
        self._asking.moved(self.session.positions(), trio.current_time())
        if self.session.over and not self._finished:
            self._finished = True
            await self._around.store.finish_table(self._table)

    def _pass_on(self, now: float) -> None:
        """Gives entries of others to those members who may still lack them."""
        keys = self.agreement.keys
        for passed in self._relay.ready(now):
            seats = [seat for seat, key in enumerate(keys) if key in self._members]
            lacking = self._relay.lacking(seats, passed)
            self._post(tuple(keys[seat] for seat in lacking), passed.envelope)

    def _post(self, keys: tuple[bytes, ...], envelope: bytes) -> None:
        keys = self._flood.targets(keys, envelope)
        self._around.mesh.post(keys, EnvelopeMessage(self._table, envelope))

    def _tell_standing(self) -> None:
        """After a restart: what the cards are now, or how the table has ended meanwhile."""
        view = self.session.view
        if view is not None:
            self._around.tell(SessionTold(ViewChanged(view)))
        for event in events_of(None, self.session.history, lambda: view):
            self._around.tell(SessionTold(event))

    async def _digest(self, effects: Sequence[Effect]) -> None:
        """Carries out the effects of an entry that is on disk, its jobs at once."""
        for effect in effects:
            if isinstance(effect, ForgetSecret):
                await self._around.store.carry_out(self._table, [effect])
            elif isinstance(effect, Job):
                result = await self._around.jobs.run(effect.run)
                await self._digest(self.session.done(effect.number, result, trio.current_time()))

    def _blame(self, fault: PeerFault, source: bytes | None) -> None:
        name = "" if fault.seat is None else self.agreement.players[fault.seat].name
        self._around.tell(FaultSeen(fault, name))
        if fault.seat is None and source is not None and fault.code not in NOBODYS:
            self._around.mesh.drop(source, fault)

    # Catching up.

    @property
    def _waits(self) -> bool:
        """Whether another seat owes an entry that is not here."""
        own = self.session.seat
        return any(seat != own for seats in self.session.missing().values() for seat in seats)

    def _ask(self, key: bytes) -> None:
        self._asking.ask(key, trio.current_time())
        self._around.mesh.post((key,), Have(self._table, where(self.session)))

    async def _settle(self) -> None:
        """When all that came in is digested: ask on, or take part at last."""
        if self._working:
            return
        for key in self._asking.to_ask_again():
            self._ask(key)
        if self._complete and self._begin_by < float("inf"):
            await self.begin()
