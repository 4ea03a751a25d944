"""Whatever follows a table: entries in, judged one by one, into one history. SPEC 5 to 7.

``Follower`` adds what is voted about silent seats, ``Elector`` a seat's own votes, ``Session``
its own entries; ``Watcher`` is a ``Follower`` that says nothing. Sans-I/O: it never reads a clock
(``now`` is handed in, seconds of any steady clock), and never raises for anything a peer sent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial

from engine import View
from protocol.absence import Absent
from protocol.agreement import Agreement
from protocol.effects import Effect, Fault, Job, Persist, Send, SendVote, Tell
from protocol.envelope import Envelope, open_envelope
from protocol.errors import LocalError, PeerFault
from protocol.events import Behind, Event, ProofChecked
from protocol.evidence import Evidence
from protocol.history import Closed, History
from protocol.inbox import Inbox
from protocol.lane import Entry, Lane
from protocol.proofs import Pending, judge
from protocol.story import events_of

LANES_AHEAD = 2
"""How many pack lanes beyond the newest entries are kept for: one is made during each hand."""


class Reader(ABC):
    """One table as it is seen by somebody who checks everything."""

    def __init__(self, agreement: Agreement) -> None:
        self.agreement = agreement
        self.history = History(agreement)
        self._inbox = Inbox()
        self._evidence = Evidence(self._inbox)
        self._effects: list[Effect] = []
        self._jobs: dict[int, Callable[[object], None]] = {}
        self._job_count = 0
        self._unchecked: dict[Lane, list[tuple[Envelope, Entry, tuple[Pending, ...]]]] = {}
        self._checking: set[Lane] = set()
        self._pending: set[tuple[Lane, int, int]] = set()
        self._old_lies: dict[int, tuple[Envelope, bytes]] = {}
        self._began = False
        self._halted = False
        self._is_stopped = False
        self._now = 0.0

    # What the driver calls. Each returns the effects in order.

    def begin(self, now: float) -> list[Effect]:
        """Start taking part; before it, a restarted peer feeds its stored entries in."""
        self._now = now
        self._began = True
        self._advance()
        return self._flush()

    def receive(self, data: bytes, now: float) -> list[Effect]:
        """An envelope from a link or from the own disk; any bytes at all. Never raises."""
        self._now = now
        try:
            envelope = open_envelope(data, self.agreement)
        except PeerFault as fault:
            self._effects.append(Fault(fault))
            return self._flush()
        if self._halted:
            self._effects.extend(map(Send, self._evidence.of_end(self.history, envelope)))
        else:
            self._take(envelope)
            self._advance()
        return self._flush()

    def done(self, number: int, result: object, now: float) -> list[Effect]:
        """The result of a job; dropped if its step has closed since."""
        self._now = now
        follow = self._jobs.pop(number, None)
        if follow is None:
            raise LocalError(f"there is no job {number}")
        follow(result)
        self._advance()
        return self._flush()

    def positions(self) -> dict[int, int]:
        """For every lane in use, and the newest, the step whose entries are still lacking here."""
        return self.history.positions

    def missing(self) -> dict[int, tuple[int, ...]]:
        """For every lane in use the seats that it waits for."""
        return {number: lane.missing for number, lane in self.history.lanes.items()}

    @property
    def waiting(self) -> tuple[str, tuple[int, ...]] | None:
        """The kind of the step that the table waits on, and whose entries are not here yet.

        It is a step of the table lane, or of the pack that READY waits for. None when it is over.
        """
        number = self.history.next_lane
        if number is None or self.over:
            return None
        lane = self.history.lanes[number]
        return lane.kind, lane.missing

    @property
    def over(self) -> bool:
        """Whether the table has ended here: match over or table stopped."""
        return self.history.table.stage == "over"

    # What the two kinds of followers have for themselves.

    @property
    @abstractmethod
    def view(self) -> View | None:
        """What may be known here of the hand in play; None between hands."""

    @abstractmethod
    def _is_own(self, seat: int) -> bool:
        """Whether entries of this seat are made here."""

    @property
    @abstractmethod
    def _is_stuck(self) -> bool:
        """Whether a step that is still open has been said to be overdue."""

    @abstractmethod
    def _stepped(self, closed: Closed, open_steps: set[tuple[Lane, int]]) -> None:
        """A step has closed, and its events are told."""

    @abstractmethod
    def _forget(self) -> None:
        """Deletes the secrets that are of no more use."""

    @abstractmethod
    def _contribute(self) -> None:
        """Starts what is owed from here."""

    @abstractmethod
    def votes(self) -> tuple[tuple[bytes, bytes], ...]:
        """What was said about silent seats and may still matter, each with its envelope."""

    @abstractmethod
    def _heed(self) -> bool:
        """Follows what was said about silent seats; whether anything has changed by it."""

    @abstractmethod
    def _speak(self) -> bool:
        """Says what is due from here about silent seats; whether it was anything."""

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
            if not isinstance(lane.entries.get(envelope.seat), Absent):
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
        self._effects.append(Persist(*place_of(envelope)))
        self._effects.append(Send(envelope.data, passed_on=not self._is_own(envelope.seat)))
        self._judge(lane, envelope)

    def _show_grounds(self, lane: Lane, seat: int) -> None:
        """A seat stands on another history: it lies, or was deceived by somebody's two versions.

        So nobody is blamed. Who is shown the entries that the own head rests on, and holds another
        version of one of them, knows the liar and shows both.
        """
        text = f"seat {seat} stands on another history of this table"
        self._effects.append(Fault(PeerFault("head", text)))
        grounds = self._evidence.of_step(lane)
        self._effects.extend(map(Send, grounds))
        if grounds:  # it may also have missed what was voted
            self._effects.extend(SendVote(vote, entry) for vote, entry in self.votes())
        if seat not in self.history.table.out:
            self._stop_if_forked()

    def _judge(self, lane: Lane, envelope: Envelope) -> None:
        """An envelope for the open step: read it, then have its equations checked."""
        try:
            entry, pending = lane.read(envelope)
        except PeerFault as fault:
            self._invalid(lane, envelope, fault)
            return
        if self._is_own(envelope.seat) or not pending:
            # The own entries come back from the own disk or from others; they need no check.
            lane.put(envelope.seat, entry, envelope.body_hash)
            return
        self._pending.add((lane, lane.step, envelope.seat))
        self._unchecked.setdefault(lane, []).append((envelope, entry, pending))
        self._check(lane)

    def _check(self, lane: Lane) -> None:
        """Starts a job over everything of this lane that waits for one."""
        waiting = self._unchecked.get(lane)
        if not waiting or lane in self._checking:
            return
        del self._unchecked[lane]
        self._checking.add(lane)
        everything = tuple(one for _, _, pending in waiting for one in pending)
        began = self._now

        def follow(result: object) -> None:
            assert isinstance(result, dict)
            self._checking.discard(lane)
            self._checked(lane, waiting, result, self._now - began)

        self._run(f"check {lane.kind}", partial(judge, everything), follow)

    def _checked(
        self,
        lane: Lane,
        waiting: list[tuple[Envelope, Entry, tuple[Pending, ...]]],
        false: Mapping[int, str],
        seconds: float,
    ) -> None:
        place = 0
        for envelope, entry, pending in waiting:
            codes = [false[i] for i in range(place, place + len(pending)) if i in false]
            place += len(pending)
            self._pending.discard((lane, envelope.step, envelope.seat))
            current = self.history.lanes.get(lane.number) is lane and envelope.step == lane.step
            if self._halted or not current or envelope.seat in lane.entries:
                continue  # the step has closed, was taken back, or goes on without this seat
            if codes:
                fault = PeerFault(codes[0], f"an entry ({envelope.kind}) whose proof is false")
                located = fault.at(envelope.seat, lane.number, lane.step)
                self._invalid(lane, envelope, located)
                continue
            lane.put(envelope.seat, entry, envelope.body_hash)
            if lane.kind == "prove":
                self._tell(ProofChecked(lane.number, envelope.seat, seconds))
        self._check(lane)

    def _drop_dead_lanes(self) -> None:
        """The table went back: nothing more is checked of lanes that are no more."""
        live = set(self.history.lanes.values())
        self._unchecked = {lane: one for lane, one in self._unchecked.items() if lane in live}

    def _invalid(self, lane: Lane, envelope: Envelope, fault: PeerFault) -> None:
        """A well signed entry that encoding, proof or rule refuses: its author counts as gone."""
        self._effects.append(Fault(fault))
        if fault.code != "turn":
            lane.put(envelope.seat, None, envelope.body_hash)

    def _advance(self) -> None:
        """Goes on as far as it can, gives what is owed from here, and votes where that is due."""
        self._walk()
        self._contribute()
        while self._speak():
            self._walk()
            self._contribute()

    def _walk(self) -> None:
        """Closes what is complete and takes what was early, until nothing moves."""
        moving = True
        while moving and not self._halted:
            moving = self._heed()
            for number in sorted(self.history.lanes):
                lane = self.history.lanes.get(number)
                if lane is None or not lane.owed or self._halted:
                    continue
                for envelope in self._inbox.due(lane):
                    self._accept(lane, envelope)
                    moving = True
                for data in self._inbox.lying(lane):
                    envelope = open_envelope(data, self.agreement)
                    if (lane, lane.step, envelope.seat) not in self._pending:
                        # It may have come for this head while another one was believed in: then
                        # it is not on disk yet.
                        self._accept(lane, envelope)
                        moving = True
                if lane.complete:
                    size = self._inbox.size(lane)
                    self._closed(self.history.close(number), size)
                    moving = True

    def _closed(self, closed: Closed, size: int) -> None:
        """A step has closed: tell, and tidy up."""
        self._effects.extend(Fault(fault) for fault in closed.faults)
        for event in events_of(closed, self.history, self._told_view, size):
            self._tell(event)
        self._forget()
        self._inbox.tidy(self.history)
        open_steps = {(lane, lane.step) for lane in self.history.lanes.values()}
        self._evidence.tidy(open_steps)
        self._stepped(closed, open_steps)
        if self.over:
            self._halted = True
            self._evidence.keep_end(self.history)

    def _told_view(self) -> View | None:
        return self.view if self._began else None

    # Liars.

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
            self._effects.append(Persist(*place_of(envelope)))  # remembered after a restart too
        if old is None:
            self._effects.append(Fault(_equivocation(envelope)))
        if self._is_stuck:
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
        self._effects.append(Persist(*place_of(envelope)))
        self._effects.append(Send(twin))
        self._effects.append(Send(envelope.data))
        self._effects.append(Fault(fault))
        self._evidence.keep_end(self.history, (twin, envelope.data))
        self._stop(fault)

    def _stop(self, fault: PeerFault) -> None:
        """The table ends by what this seat has signed."""
        assert fault.seat is not None
        self.history.stop(frozenset({fault.seat}), fault.code, fault.text)
        self._halted = self._is_stopped = True
        for event in events_of(None, self.history, self._told_view):
            self._tell(event)
        self._forget()

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


def place_of(envelope: Envelope) -> tuple[int, int, int, bytes]:
    """What PERSIST says of an envelope: its lane, step and seat, and its bytes."""
    return envelope.lane, envelope.step, envelope.seat, envelope.data


def _equivocation(envelope: Envelope) -> PeerFault:
    fault = PeerFault("equivocation", "two different entries for one place in the record")
    return fault.at(envelope.seat, envelope.lane, envelope.step)
