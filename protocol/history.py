"""All lanes of one table: how packs and hands meet. Session and verifier share it. SPEC 5.3, 5.4.

The first pack's lane opens with the agreement, each next one when READY closes, with the seats of
that hand; so the next pack is made while a hand is played. A hand takes the lowest-numbered pack
of just the seats that are dealt in; if there is none, because somebody sits out, has come back or
is gone, a new lane opens and READY waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.absence import absent_in, caught_in
from protocol.agreement import Agreement
from protocol.envelope import TABLE_LANE
from protocol.errors import LocalError, PeerFault
from protocol.hashing import digest
from protocol.lane import Given, Lane, first_head
from protocol.pack import Pack, PackPlan, PackState, finished_pack
from protocol.past import DeadPack, Moment, Past
from protocol.table import TableState, first_state


@dataclass(frozen=True, slots=True)
class Closed:
    """A step that has just closed, with the lane's states before and after it."""

    lane: int
    step: int
    kind: str
    head: bytes
    entries: dict[int, Given]
    before: PackState | TableState
    after: PackState | TableState
    faults: tuple[PeerFault, ...]


@dataclass
class History:
    """The lanes of a table that are still of use, by number; 0 is the table lane.

    ``lanes``: open ones; ``finished`` and ``dead``: packs that no hand has taken yet. ``waited``:
    the pack that READY waits for. ``newest_end``: the step after the last of the newest pack's
    lane, once that is closed. ``confirmed_step``: the last SIT that has closed;
    ``confirmed_packs``: those that were of no more use then. ``spoiled``: the last pack that READY
    waited for in vain.
    """

    agreement: Agreement
    lanes: dict[int, Lane] = field(default_factory=dict)
    finished: dict[int, Pack] = field(default_factory=dict)
    dead: dict[int, DeadPack] = field(default_factory=dict)
    newest: int = 0
    newest_end: int = 1
    waited: int | None = None
    confirmed_step: int = 0
    confirmed_packs: frozenset[int] = frozenset()
    spoiled: int | None = None
    past: Past = field(default_factory=Past)

    def __post_init__(self) -> None:
        identity = self.agreement.table_id
        state = first_state(self.agreement)
        seats = tuple(range(len(self.agreement.keys)))
        head = first_head(identity, TABLE_LANE, digest("opening", identity), seats)
        self.lanes[TABLE_LANE] = Lane(TABLE_LANE, state, head)
        self._table_moved()

    @property
    def table(self) -> TableState:
        """The state of the table lane."""
        rules = self.lanes[TABLE_LANE].rules
        assert isinstance(rules, TableState)
        return rules

    @property
    def positions(self) -> dict[int, int]:
        """The open step of each lane, and where the newest pack's lane ended if it is closed.

        So nobody takes the newest pack for one that is still to come.
        """
        ended = {} if self.newest in self.lanes else {self.newest: self.newest_end}
        return {number: lane.step for number, lane in self.lanes.items()} | ended

    def is_of_use(self, number: int) -> bool:
        """Whether a hand is or may yet be played on this pack; also one whose lane will open."""
        table = self.table
        waiting = number in self.lanes or number in self.finished or number in self.dead
        if table.pack is not None:
            dealt = table.pack.plan.number == number
        else:
            # After "sit" RESULT has closed, and the hand's cards are nobody's business any more.
            playing = table.hand is not None and table.stage not in ("sit", "over")
            dealt = playing and table.playing.pack.plan.number == number
        return waiting or dealt or number > self.newest

    def is_confirmed(self, number: int, step: int) -> bool:
        """Whether all who are at the table have shown that they stand on the same entries there.

        They have by a SIT, which all of them owe: its head covers all that lies before it.
        """
        if number == TABLE_LANE:
            return step < self.confirmed_step
        return number in self.confirmed_packs

    def _pack_of(self, seats: tuple[int, ...]) -> int | None:
        """The lowest-numbered pack of just these seats that no hand has taken."""
        numbers = [
            *(n for n, pack in self.finished.items() if pack.plan.seats == seats),
            *(n for n, dead in self.dead.items() if dead.seats == seats),
            *(
                n
                for n, lane in self.lanes.items()
                if isinstance(lane.rules, PackState) and lane.rules.plan.seats == seats
            ),
        ]
        return min(numbers, default=None)

    def _open_pack(self, seats: tuple[int, ...]) -> int:
        """A new lane, on the table lane's head as it is now."""
        self.newest += 1
        number = self.newest
        keys = tuple(self.agreement.keys[seat] for seat in seats)
        cards = self.agreement.game.pack(self.agreement.options)
        plan = PackPlan(self.agreement.table_id, number, seats, keys, cards)
        before = self.lanes[TABLE_LANE].head
        head = first_head(self.agreement.table_id, number, before, seats)
        opened = self.lanes[TABLE_LANE].step
        self.lanes[number] = Lane(number, PackState(plan), head, opened=opened)
        return number

    def close(self, number: int) -> Closed:
        """Closes a complete step of a lane and lets the other lanes follow."""
        lane = self.lanes[number]
        before, step, kind = lane.rules, lane.step, lane.kind
        self.past.keep(lane, self._moment() if number == TABLE_LANE else None)
        entries = dict(lane.close())
        after = lane.rules
        faults: tuple[PeerFault, ...] = ()
        if isinstance(after, PackState):
            faults = tuple(f.at(f.seat or 0, number, step) for f in after.faults)
            self._pack_moved(lane, after, entries)
        elif kind == "ready" and after.hand is not None and not after.hand.is_interlude:
            seats = after.hand.seats
            if self._pack_of(seats) is None:
                self._open_pack(seats)
        elif kind == "sit":
            self.confirmed_step = step
            numbers = range(1, self.newest + 1)
            self.confirmed_packs = frozenset(n for n in numbers if not self.is_of_use(n))
            self.past.tidy(frozenset(n for n in numbers if self.is_of_use(n)))
        self._table_moved()
        self.past.closed(step, before, entries)
        return Closed(number, step, kind, lane.head, entries, before, after, faults)

    def _pack_moved(self, lane: Lane, state: PackState, entries: dict[int, Given]) -> None:
        """A pack lane has gone on: it may be finished, or useless."""
        number = lane.number
        if state.stage == "finished":
            self.finished[number] = self.past.made[number] = finished_pack(state, lane.head)
            self._close_lane(lane)
        elif state.stage == "dead":
            false = {fault.seat for fault in state.faults if fault.seat is not None}
            guilty = caught_in(entries) | false
            dead = DeadPack(state.plan.seats, guilty, absent_in(entries))
            self.dead[number] = self.past.made[number] = dead
            self._close_lane(lane)

    def _close_lane(self, lane: Lane) -> None:
        """A pack's lane is over, or of no more use."""
        del self.lanes[lane.number]
        if lane.number == self.newest:
            self.newest_end = lane.step

    def _table_moved(self) -> None:
        """READY waits for its pack; packs with a seat that has left or was caught are dropped.

        A pack that died matters here and not before: the hand that is being played has its own
        pack, and all seats must see the table lane go on in the same way, however their lanes are
        interleaved.
        """
        self.waited = None
        lane = self.lanes[TABLE_LANE]
        while self.table.stage == "ready" and self.table.pack is None:
            seats = self.table.dealt_in
            number = self._pack_of(seats)
            if number is None:
                number = self._open_pack(seats)
            if number not in self.past.waits:
                self.past.waits[number] = self._moment()
            if number in self.dead:
                self.spoiled = number
                dead = self.dead.pop(number)
                lane.rules = self.table.spoiled_by(dead.guilty, dead.away)
            elif number in self.finished:
                pack = self.finished.pop(number)
                lane.rules = self.table.with_pack(pack)
                lane.head = ready_head(lane.head, pack.head)
            else:
                self.waited = number
                break
        self._drop_useless()

    def _drop_useless(self) -> None:
        """Forgets the packs of seats that will not all sit at this table again.

        Not when the table is over: then the lanes say how far this seat has seen.
        """
        out = self.table.out if self.table.stage != "over" else frozenset()
        self.finished = {n: p for n, p in self.finished.items() if not out & set(p.plan.seats)}
        self.dead = {n: dead for n, dead in self.dead.items() if not out & set(dead.seats)}
        for lane in list(self.lanes.values()):
            if isinstance(lane.rules, PackState) and out & set(lane.rules.plan.seats):
                self._close_lane(lane)

    @property
    def next_lane(self) -> int | None:
        """The lane whose open step comes next in a record; None when the table lane is over.

        The table lane, but while READY waits for its pack that pack's lane. So all entries of a
        record have one order, and at any time exactly one step is open at its end.
        """
        if self.table.stage == "over":
            return None
        return TABLE_LANE if self.waited is None else self.waited

    # Votes about absent seats.

    def voters(self, lane: Lane) -> tuple[int, ...]:
        """The seats that have a vote about a lane's step, ascending; none: it is not asked about.

        Nobody has about a pack that READY has not come to yet: a hand is played meanwhile, and
        need not be disturbed.
        """
        table = lane.rules
        if isinstance(table, PackState):
            moment = self.past.waits.get(lane.number)
            if moment is None:
                return ()
            table = moment.lane.rules
        assert isinstance(table, TableState)
        return tuple(sorted(table.voting))

    def place(self, number: int, step: int, head: bytes) -> Lane | None:
        """A lane in a step that votes may be about, open or closed; None: there is none here."""
        lane = self.lanes.get(number)
        if lane is None or step != lane.step:
            lane = self.past.step(number, step)
        return lane if lane is not None and lane.head == head and lane.owed else None

    def oldest(self, number: int) -> int:
        """The first step of an open lane that the table may yet stand at again."""
        return min(self.past.steps.get(number, ()), default=self.lanes[number].step)

    def go_back(self, number: int, step: int) -> Lane:
        """Takes all back that came after a step was complete; its lane, open in that step.

        Packs keep what was made of them meanwhile, but for the one in question: only those whose
        lane opened later are no more.
        """
        lane = self.past.step(number, step)
        moment = self.past.tables.get(step) if number == TABLE_LANE else self.past.waits.get(number)
        if lane is None or moment is None:
            raise LocalError(f"the table cannot go back to step {step} of lane {number}")
        self._restore(moment)
        self.past.undo(number, step, moment)
        if number != TABLE_LANE:
            self.finished.pop(number, None)
            self.dead.pop(number, None)
            self.waited = number
        self.lanes[number] = lane.copy()
        return self.lanes[number]

    def _moment(self) -> Moment:
        packs = {n: lane for n, lane in self.lanes.items() if n != TABLE_LANE}
        return Moment(
            self.lanes[TABLE_LANE].copy(),
            self.newest,
            self.newest_end,
            self.waited,
            self.confirmed_step,
            self.confirmed_packs,
            self.spoiled,
            packs,
            {**self.finished, **self.dead},
            frozenset(self.past.waits),
        )

    def _restore(self, moment: Moment) -> None:
        lanes = {TABLE_LANE: moment.lane.copy()}
        made = dict(moment.made)
        for number, lane in moment.packs.items():
            if number in self.past.made:
                made[number] = self.past.made[number]
            else:
                lanes[number] = self.lanes.get(number, lane)
        self.lanes = lanes
        self.finished = {n: one for n, one in made.items() if isinstance(one, Pack)}
        self.dead = {n: one for n, one in made.items() if isinstance(one, DeadPack)}
        if moment.newest < self.newest:
            # A lane that has closed since then stands at its end.
            last = moment.packs.get(moment.newest)
            self.newest_end = moment.newest_end if last is None else last.step
        self.newest = moment.newest
        self.waited = moment.waited
        self.confirmed_step = moment.confirmed_step
        self.confirmed_packs = moment.confirmed_packs
        self.spoiled = moment.spoiled

    def stop(self, seats: frozenset[int], code: str, text: str) -> None:
        """Ends the table lane because these seats made it impossible to go on."""
        self.lanes[TABLE_LANE].rules = self.table.stopped_by(seats, code, text)
        self.waited = None


def ready_head(table: bytes, pack: bytes) -> bytes:
    """The table lane's head once READY's pack is finished.

    It covers the pack: a READY that names another pack is a lie then, while a seat that was given
    another pack is known by its other head.
    """
    return digest("head with pack", table, pack)
