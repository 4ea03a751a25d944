"""One seat's side of a table, sans-I/O: bytes and moves in, effects out. SPEC 5 to 8.

The driver carries out the effects in order and feeds job results back. A session never reads a
clock (``now`` is handed in, seconds of any steady clock), never draws randomness that was not
handed in, and never raises for anything a peer sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine import IllegalMove, Move, View
from protocol import clocks
from protocol.agreement import Agreement
from protocol.effects import Effect, Fault, ForgetSecret, Job, Persist, PersistSecret, Send, Tell
from protocol.entries import SIT_CHOICES, Sits
from protocol.envelope import TABLE_LANE, Envelope, open_envelope, seal
from protocol.errors import LocalError, PeerFault, RefusedMove
from protocol.events import Behind, Event, Left, Overdue, ProofChecked, YourMove
from protocol.evidence import Evidence
from protocol.history import Closed, History
from protocol.inbox import Inbox
from protocol.lane import Entry, Lane
from protocol.own import OwnPart
from protocol.proofs import Pending, judge
from protocol.signing import public_bytes
from protocol.story import events_of
from protocol.wire import Value

Entropy = Callable[[int], bytes]

LANES_AHEAD = 2
"""How many pack lanes beyond the newest entries are kept for: one is made during each hand."""


class Session:
    """One seat at one table."""

    def __init__(
        self,
        agreement: Agreement,
        seat: int,
        key: Ed25519PrivateKey,
        entropy: Entropy,
        secrets: Mapping[str, bytes] | None = None,
    ) -> None:
        if agreement.keys[seat] != public_bytes(key):
            raise LocalError(f"seat {seat} of this table belongs to another key")
        self.agreement = agreement
        self.seat = seat
        self.history = History(agreement)
        self._key = key
        self._own = OwnPart(self.history, seat, entropy, dict(secrets or {}))
        self._inbox = Inbox()
        self._effects: list[Effect] = []
        self._jobs: dict[int, Callable[[object], None]] = {}
        self._job_count = 0
        self._unchecked: dict[int, list[tuple[Envelope, Entry, tuple[Pending, ...]]]] = {}
        self._checking: set[int] = set()
        self._preparing: set[tuple[int, int]] = set()
        self._began = False
        self._halted = False
        self._clocks = clocks.Clocks()
        self._asked = 0
        self._old_lies: dict[int, tuple[Envelope, bytes]] = {}
        self._left = False
        self._evidence = Evidence(self._inbox)

    # What the driver calls. Each returns the effects in order.

    def begin(self, now: float) -> list[Effect]:
        """Start taking part; before it, a restarted peer feeds its stored entries in."""
        self._began = True
        if self._left and self.history.table.stage != "over":
            self._tell(Left())  # the own SIT closed while this peer was away
        self._advance(now)
        return self._flush()

    def receive(self, data: bytes, now: float) -> list[Effect]:
        """An envelope from a link or from the own disk; any bytes at all. Never raises."""
        try:
            envelope = open_envelope(data, self.agreement)
        except PeerFault as fault:
            self._effects.append(Fault(fault))
            return self._flush()
        if self._halted:
            self._effects.extend(map(Send, self._evidence.of_end(self.history, envelope)))
        else:
            self._take(envelope)
            self._advance(now)
        return self._flush()

    def move(self, move: Move, now: float) -> list[Effect]:
        """The choice of the person or program at this seat; RefusedMove says why it may not.

        Its rule is ``turn`` where no choice is due, ``kind`` where another kind of choice is.
        """
        lane = self.history.lanes[TABLE_LANE]
        view = self.view
        if self.owes is None or view is None or (TABLE_LANE, lane.step) in self._preparing:
            raise RefusedMove("turn", "it is not your move now")
        objection = self.agreement.game.objection(view, move)
        if objection is not None:
            # A choice is due here: "turn" of the rules means that it is of another kind.
            rule = "kind" if objection.rule == "turn" else objection.rule
            raise RefusedMove(rule, objection.text)
        try:
            work = self._own.move(move)
        except IllegalMove as illegal:
            raise RefusedMove(illegal.rule, illegal.text) from None
        self._prepare(lane, "move", work)
        return self._flush()

    def late(self, now: float) -> list[Effect]:
        """Chooses for a person or program that will not: what the clock would do now, if anything.

        That may be what ``move`` refuses to people.
        """
        self._move_late()
        return self._flush()

    def sit(self, choice: str) -> None:
        """What this seat answers between hands from now on: ``in``, ``out`` or ``leave``."""
        if choice not in SIT_CHOICES:
            raise LocalError(f"between hands a seat is in, out or leaves, not {choice!r}")
        self._own.sitting = choice

    def done(self, number: int, result: object, now: float) -> list[Effect]:
        """The result of a job; dropped if its step has closed since."""
        follow = self._jobs.pop(number, None)
        if follow is None:
            raise LocalError(f"there is no job {number}")
        follow(result)
        self._advance(now)
        return self._flush()

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: moves for a person who is late, and says who is overdue."""
        if self._halted:
            return []
        for lane in list(self.history.lanes.values()):
            for seats, seconds in self._clocks.overdue(lane, now):
                if self.seat in seats and lane.kind == "move" and self._own.has_clock():
                    self._move_late()
                others = tuple(seat for seat in seats if seat != self.seat)
                if others:
                    self._tell(Overdue(lane.number, lane.step, lane.kind, others, seconds))
                    self._stop_if_forked()
        return self._flush()

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is next of use, on the clock that ``now`` comes from; None: never."""
        return None if self._halted else self._clocks.next

    def positions(self) -> dict[int, int]:
        """For every lane in use, and the newest, the step whose entries this seat still lacks."""
        return self.history.positions

    def missing(self) -> dict[int, tuple[int, ...]]:
        """For every lane in use the seats that it waits for."""
        return {number: lane.missing for number, lane in self.history.lanes.items()}

    @property
    def over(self) -> bool:
        """Whether the table has ended for this seat: match over, table stopped, or left."""
        return self._left or self.history.table.stage == "over"

    @property
    def owes(self) -> str | None:
        """The kind of choice this seat owes now, or None."""
        lane = self.history.lanes[TABLE_LANE]
        table = self.history.table
        if self._halted or table.stage != "move" or self.seat not in lane.missing:
            return None
        return table.playing.game.owed(table.playing.state).get(self.seat)

    @property
    def view(self) -> View | None:
        """What this seat may know of the hand in play; None between hands."""
        return self._own.view()

    # Entries from outside.

    def _take(self, envelope: Envelope) -> None:
        """Files one envelope with a good signature: for now, for later, or as evidence."""
        twin = self._inbox.known(envelope)
        if twin == envelope.data:
            return
        if twin is not None:
            self._liar(envelope, twin)
            return
        lane = self.history.lanes.get(envelope.lane)
        newest = self.history.newest
        if lane is None and not newest < envelope.lane <= newest + LANES_AHEAD:
            return
        step = 0 if lane is None else lane.step
        if envelope.step < step:
            return
        if lane is not None and envelope.step == step and lane.owed:
            self._accept(lane, envelope)
        elif not self._inbox.keep_early(envelope, step):
            self._tell(Behind(envelope.lane, step))

    def _accept(self, lane: Lane, envelope: Envelope) -> None:
        """An envelope for the open step. What stands on this very history is kept, sent, judged.

        Nothing else is: a seat has one entry for a place and a head, or is a liar, so this bounds
        what anybody can make others store and pass on.
        """
        if envelope.head != lane.head:
            self._show_grounds(lane, envelope.seat)
            return
        self._inbox.remember(envelope)
        self._effects.append(Persist(*_place(envelope)))
        self._effects.append(Send(envelope.data, passed_on=envelope.seat != self.seat))
        self._judge(lane, envelope)

    def _show_grounds(self, lane: Lane, seat: int) -> None:
        """A seat stands on another history: it lies, or was deceived by somebody's two versions.

        So nobody is blamed. Who is shown the entries that the own head rests on, and holds another
        version of one of them, knows the liar and shows both.
        """
        text = f"seat {seat} stands on another history of this table"
        self._effects.append(Fault(PeerFault("head", text)))
        self._effects.extend(map(Send, self._evidence.of_step(lane)))
        if seat not in self.history.table.out:
            self._stop_if_forked()

    def _judge(self, lane: Lane, envelope: Envelope) -> None:
        """An envelope for the open step: read it, then have its equations checked."""
        try:
            entry, pending = lane.read(envelope)
        except PeerFault as fault:
            self._invalid(lane, envelope, fault)
            return
        if envelope.seat == self.seat or not pending:
            # The own entries come back from the own disk or from others; they need no check.
            self._lay(lane, envelope, entry)
            return
        self._unchecked.setdefault(lane.number, []).append((envelope, entry, pending))
        self._check(lane)

    def _check(self, lane: Lane) -> None:
        """Starts a job over everything of this lane that waits for one."""
        waiting = self._unchecked.get(lane.number)
        if not waiting or lane.number in self._checking:
            return
        del self._unchecked[lane.number]
        self._checking.add(lane.number)
        everything = tuple(one for _, _, pending in waiting for one in pending)

        def follow(result: object) -> None:
            assert isinstance(result, dict)
            self._checking.discard(lane.number)
            self._checked(lane, waiting, result)

        self._run(f"check {lane.kind}", partial(judge, everything), follow)

    def _checked(
        self,
        lane: Lane,
        waiting: list[tuple[Envelope, Entry, tuple[Pending, ...]]],
        false: Mapping[int, str],
    ) -> None:
        place = 0
        for envelope, entry, pending in waiting:
            codes = [false[i] for i in range(place, place + len(pending)) if i in false]
            place += len(pending)
            if self._halted or envelope.step != lane.step:
                continue
            if codes:
                fault = PeerFault(codes[0], f"an entry ({envelope.kind}) whose proof is false")
                located = fault.at(envelope.seat, lane.number, lane.step)
                self._invalid(lane, envelope, located)
            else:
                self._lay(lane, envelope, entry)
        self._check(lane)

    def _invalid(self, lane: Lane, envelope: Envelope, fault: PeerFault) -> None:
        """A well signed entry that encoding, proof or rule refuses: its author counts as gone."""
        self._effects.append(Fault(fault))
        if fault.code != "turn":
            lane.put(envelope.seat, None, envelope.body_hash)

    def _lay(self, lane: Lane, envelope: Envelope, entry: Entry) -> None:
        lane.put(envelope.seat, entry, envelope.body_hash)
        if lane.kind == "prove" and envelope.seat != self.seat:
            self._tell(ProofChecked(lane.number, envelope.seat))

    def _advance(self, now: float) -> None:
        """Closes what is complete and takes what was early, until nothing moves; then gives."""
        moving = True
        while moving and not self._halted:
            moving = False
            for number in sorted(self.history.lanes):
                lane = self.history.lanes.get(number)
                if lane is None or not lane.owed or self._halted:
                    continue
                for envelope in self._inbox.due(lane):
                    self._accept(lane, envelope)
                    moving = True
                if lane.complete:
                    self._closed(self.history.close(number))
                    moving = True
        self._contribute(now)

    def _closed(self, closed: Closed) -> None:
        """A step has closed: tell, and tidy up."""
        self._effects.extend(Fault(fault) for fault in closed.faults)
        for event in events_of(closed, self.history, self._own_view):
            self._tell(event)
        self._effects.extend(ForgetSecret(name) for name in self._own.tidy())
        self._inbox.tidy(self.history)
        open_steps = {(n, lane.step) for n, lane in self.history.lanes.items()}
        self._clocks.tidy(open_steps)
        self._evidence.tidy(open_steps)
        if closed.kind == "sit" and closed.entries.get(self.seat) == Sits("leave"):
            self._left = True
            if self.history.table.stage != "over":
                self._tell(Left())
        if self.over:
            self._halted = True
            self._evidence.keep_end(self.history)

    def _own_view(self) -> View | None:
        return self._own.view() if self._began else None

    def _liar(self, envelope: Envelope, twin: bytes) -> None:
        """Two different entries of one seat for one place: both are kept and shown to all.

        From a seat that has left or was caught before it is known for what it is, but it stops
        nobody by itself: else who is out could end the match whenever it likes. If others do
        stand on its other version, that shows; then it does.
        """
        if envelope.seat not in self.history.table.out:
            self._stop_for(envelope, twin)
            return
        old = self._old_lies.get(envelope.seat)
        if old is None or self._is_confirmed(old[0]):
            self._old_lies[envelope.seat] = (envelope, twin)
        if old is None:
            self._effects.append(Fault(_equivocation(envelope)))
        if self._clocks.ran_out:
            self._stop_if_forked()

    def _is_confirmed(self, envelope: Envelope) -> bool:
        return self.history.is_confirmed(envelope.lane, envelope.step)

    def _stop_if_forked(self) -> None:
        """Others do not go on, or from another history: by an old lie, if there is one."""
        for envelope, twin in list(self._old_lies.values()):
            if not self._halted and not self._is_confirmed(envelope):
                self._stop_for(envelope, twin)

    def _stop_for(self, envelope: Envelope, twin: bytes) -> None:
        fault = _equivocation(envelope)
        self._effects.append(Persist(*_place(envelope)))
        self._effects.append(Send(twin))
        self._effects.append(Send(envelope.data))
        self._effects.append(Fault(fault))
        self._evidence.keep_end(self.history, (twin, envelope.data))
        self.history.stop(frozenset({envelope.seat}), fault.code, fault.text)
        self._stop()

    def _stop(self) -> None:
        self._halted = True
        for event in events_of(None, self.history, self._own_view):
            self._tell(event)
        self._effects.extend(ForgetSecret(name) for name in self._own.tidy())

    # Entries of the own seat.

    def _contribute(self, now: float) -> None:
        """Starts what this seat owes, wherever it needs no choice."""
        if not self._began or self._halted:
            return
        for number in sorted(self.history.lanes):
            lane = self.history.lanes[number]
            self._clocks.watch(lane, self._own.clock(lane), now)
            for name, value in self._own.new_secrets(lane):
                self._effects.append(PersistSecret(name, value))
            if self.seat not in lane.missing or (number, lane.step) in self._preparing:
                self._run_ahead(lane)
                continue
            if lane.kind == "move":
                self._ask(lane)
                continue
            work = self._own.work(lane)
            if work is not None:
                self._prepare(lane, lane.kind, work)

    def _run_ahead(self, lane: Lane) -> None:
        """The shuffle proof is computed while the others still mix."""
        ahead = self._own.proof_ahead(lane)
        if ahead is not None:
            self._run("prove", ahead, partial(self._own.keep_proof, lane))

    def _ask(self, lane: Lane) -> None:
        view = self.view
        if self._asked != lane.step and view is not None:
            self._asked = lane.step
            kind = self.owes or "move"
            seconds = self.agreement.game.clock(self.agreement.options, kind)
            self._tell(YourMove(kind, view, seconds))

    def _move_late(self) -> None:
        view = self.view
        lane = self.history.lanes[TABLE_LANE]
        if view is None or self.owes is None or (TABLE_LANE, lane.step) in self._preparing:
            return
        try:
            work = self._own.move(self.agreement.game.late(view))
        except RefusedMove:
            return  # without the pack's secrets this seat can only stay silent
        self._prepare(lane, "move", work)

    def _prepare(self, lane: Lane, kind: str, work: Callable[[], tuple[Value, ...]]) -> None:
        """Has the own payload computed, then signs, stores and sends it."""
        step = lane.step
        self._preparing.add((lane.number, step))

        def follow(result: object) -> None:
            self._preparing.discard((lane.number, step))
            current = self.history.lanes.get(lane.number) is lane and lane.step == step
            if current and not self._halted and self.seat in lane.missing:
                assert isinstance(result, tuple)
                self._give(lane, kind, result)

        self._run(kind, work, follow)

    def _give(self, lane: Lane, kind: str, payload: tuple[Value, ...]) -> None:
        envelope = seal(
            self.agreement, self._key, lane.number, lane.step, self.seat, lane.head, kind, payload
        )
        self._inbox.remember(envelope)
        self._effects.append(Persist(*_place(envelope)))
        self._effects.append(Send(envelope.data))
        entry, _ = lane.read(envelope)
        self._lay(lane, envelope, entry)

    # Effects.

    def _run(self, what: str, run: Callable[[], object], follow: Callable[[object], None]) -> None:
        self._job_count += 1
        self._jobs[self._job_count] = follow
        self._effects.append(Job(self._job_count, what, run))

    def _tell(self, event: Event) -> None:
        if self._began:
            self._effects.append(Tell(event))

    def _flush(self) -> list[Effect]:
        effects, self._effects = self._effects, []
        return effects


def _place(envelope: Envelope) -> tuple[int, int, int, bytes]:
    return envelope.lane, envelope.step, envelope.seat, envelope.data


def _equivocation(envelope: Envelope) -> PeerFault:
    fault = PeerFault("equivocation", "two different entries for one place in the record")
    return fault.at(envelope.seat, envelope.lane, envelope.step)
