"""One seat at a table that plays: its session, with disk, jobs and mesh around it. SPEC 11.8.

Those who look on get what the members get, from this peer's links: see ``Gallery``.
"""

from __future__ import annotations

from dataclasses import replace

import trio

from engine import Move
from p2p.farewell import Farewell
from p2p.following import Around, Attendance, TableDriver
from p2p.gallery import ANSWER_BYTES, LEFT, Gallery
from p2p.messages import (
    MAX_LANES,
    MAX_ONLOOKERS,
    EnvelopeMessage,
    Have,
    Members,
    Message,
    Onlookers,
    Ping,
    Unwatch,
    VoteMessage,
)
from p2p.relay import Relay
from protocol.effects import Persist, Send, SendVote
from protocol.envelope import TABLE_LANE
from protocol.errors import LocalError
from protocol.session import Session

RESUME_SECONDS = 10.0
"""How long a restarted peer waits for what it missed before it goes on with what it has."""

TICK_GAP = 0.25
"""Seconds between two ticks at least, whatever the session asks for."""


class SeatDriver(TableDriver):
    """Drives one session. ``begun`` is set when it takes part. ``gallery``: who looks on here.

    ``lobby``: the one in which the table was agreed, if everybody may look on; else empty.
    """

    def __init__(self, session: Session, around: Around, lobby: bytes = b"") -> None:
        super().__init__(session, around)
        self.session = session
        self.lobby = lobby
        own = session.seat
        self._members = tuple(k for s, k in enumerate(self.agreement.keys) if s != own)
        self.gallery = Gallery(self._table, self._members, around, session.votes)
        self._relay = Relay()
        self._farewell = Farewell()
        self._begin_by = float("inf")
        self._ticked = -TICK_GAP
        self._hears: frozenset[int] | None = None

    @property
    def deadline(self) -> float:
        """When ``tick`` is next of use; infinity: never."""
        if self.begun.is_set() and self._hears != self._linked_seats():
            return float("-inf")
        return min(self._relay.due, self.gallery.due, self._session_deadline)

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

    async def resume(self) -> None:
        """Takes part as soon as a member has sent what was missed, or after RESUME_SECONDS."""
        self._catching_up = True
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

    async def pause(self, on: bool) -> None:
        """Whether this seat holds back its answer between hands."""
        await self._carry_out(self.session.pause(on, trio.current_time()))

    async def depart(self) -> None:
        """Leaves for good, at once."""
        await self._carry_out(self.session.depart(trio.current_time()))

    def attendance(self) -> Attendance:
        """Who is at the table now, and how long who is silent is waited for."""
        now = trio.current_time()
        calls = {seat: max(0.0, at - now) for seat, at in self.session.patience().items()}
        return replace(super().attendance(), calls=calls)

    async def miss(self, seat: int) -> None:
        """People ask that the others vote about a seat, in a step that has no clock.

        LocalError where the seat is not waited for, or is so by the clock.
        """
        calls = self.session.patience()
        if seat not in calls:
            raise LocalError("The table does not wait for this player.")
        if calls[seat] < float("inf"):
            raise LocalError("The clock sees to it that nobody is waited for too long here.")
        await self._carry_out(self.session.miss(seat, trio.current_time()))

    async def tick(self) -> None:
        """Time has passed."""
        now = trio.current_time()
        self._pass_on(now)
        await self.gallery.tick(now)
        if now >= self._begin_by:
            await self.begin()
        if self.begun.is_set() and self._hears != (seats := self._linked_seats()):
            self._hears = seats
            await self._carry_out(self.session.heard(seats, now))
        if self.begun.is_set() and now >= self._session_deadline:
            self._ticked = now
            await self._carry_out(self.session.tick(now))

    async def linked(self, key: bytes) -> None:
        """There is a new link with this key."""
        if key in self._members:
            self._flood.relinked(key)
            self._around.mesh.post((key,), self._whereabouts(key))
            self._ask(key)
            self.gallery.linked(key)

    def unlinked(self, key: bytes) -> None:
        """There is no link with this key any more."""
        self.gallery.unlinked(key)
        if key not in self._members:
            self._flood.relinked(key)

    async def watched(self, key: bytes, name: str) -> Unwatch | None:
        """Somebody asks to look on; why not, if it may not."""
        if key in self._members:
            return Unwatch("seated", "this player has a seat at this table")
        if self.session.over and self.session.history.table.stage != "over":
            return LEFT
        if key not in self.gallery and not self.gallery.admit(key, name):
            return Unwatch("crowded", f"{MAX_ONLOOKERS} look on here already")
        self._flood.relinked(key)
        await self.gallery.welcome(key, self._whereabouts(key))
        return None

    async def received(self, key: bytes, message: Message) -> None:
        """A message by the link with this key; only members are listened to.

        Those who look on may ask for entries besides.
        """
        if isinstance(message, Unwatch):
            self.gallery.leave(key)
        if getattr(message, "table", None) != self._table:
            return
        if key not in self._members:
            if isinstance(message, Have):
                self.gallery.asked(key, message)
            return
        self._farewell.heard(key, message)
        match message:
            case Have():
                if self._around.mesh.waiting_bytes(key) < ANSWER_BYTES:
                    kept = self.session.votes()
                    for entries in await self._around.store.answer(message, kept):
                        self._around.mesh.post((key,), entries)
                await self._settle()
            case Members(_, members):
                for member, addresses in members:
                    if member in self._members:
                        self._around.mesh.learn(member, addresses)
                await self._settle()
            case Onlookers(_, players):
                self.gallery.told(key, players)
            case _:
                await self._heard(key, message)

    def lacking_end(self) -> tuple[int, ...]:
        """When the match is over: the seats whose programs have not shown that they have its end.

        Not those that are out; who was declared gone counts if it is linked.
        """
        table, step = self.session.history.table, self.session.positions()[TABLE_LANE]
        if table.stage != "over":
            return ()
        linked = self._linked_seats()
        lacking = self._farewell.lacking(self._members, step)
        return tuple(
            seat
            for seat, key in enumerate(self.agreement.keys)
            if key in lacking
            and seat not in table.out
            and (seat in linked or seat not in table.awaited)
        )

    # What following a table means for one with a seat.

    def _stored(self, entry: Persist) -> None:
        self._relay.accepted(entry.seat, entry.lane, entry.step)

    def _send(self, send: Send, entry: Persist | None) -> None:
        if send.passed_on and entry is not None:
            now = trio.current_time()
            self._relay.later(entry.lane, entry.step, send.envelope, now)
        else:
            self._post(self._members, send.envelope)
        if readers := self.gallery.readers:
            self._post(readers, send.envelope)

    def _send_vote(self, send: SendVote) -> None:
        # At once, also what others have voted: there is no later entry by which to tell who has it.
        message = VoteMessage(self._table, send.vote, send.entry)
        for keys in (self._members, self.gallery.readers):
            lacking = set(self._flood.targets(keys, send.vote))
            if send.entry:
                lacking.update(self._flood.targets(keys, send.entry))
            self._around.mesh.post(tuple(key for key in keys if key in lacking), message)

    def _whereabouts(self, asker: bytes) -> Members:
        """Where the members can be reached, as far as it is known here."""
        known = [(k, a) for k, a in self._around.mesh.known().items() if a and k != asker]
        own = (self.agreement.keys[self.session.seat], self._around.addresses())
        return Members(self._table, (own, *known))

    def _linked_seats(self) -> frozenset[int]:
        """The seats whose players are linked here right now."""
        linked = self._around.mesh.linked
        return frozenset(s for s, key in enumerate(self.agreement.keys) if key in linked)

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

    def _went_back(self) -> None:
        self._relay.went_back()

    def _ended(self) -> None:
        if self.session.history.table.stage != "over":
            self.gallery.close()
        else:
            # All want to know soon who else has the end.
            self._around.mesh.post(self._members, self.ping(0))

    def _waits(self) -> bool:
        own = self.session.seat
        return any(seat != own for seats in self.session.missing().values() for seat in seats)
