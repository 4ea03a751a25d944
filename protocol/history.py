"""All lanes of one table: how packs and hands meet. Session and verifier share it. SPEC 5.3, 5.4.

The first pack's lane opens with the agreement, each next one when READY closes, with the seats of
that hand; so the next pack is made while a hand is played. A hand takes the lowest-numbered pack
of just the seats that are dealt in; if there is none, because somebody sits out, has come back or
is gone, a new lane opens and READY waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.agreement import Agreement
from protocol.envelope import TABLE_LANE
from protocol.errors import PeerFault
from protocol.hashing import digest
from protocol.lane import Entry, Lane, first_head
from protocol.pack import Pack, PackPlan, PackState, finished_pack
from protocol.table import TableState, first_state


@dataclass(frozen=True, slots=True)
class Closed:
    """A step that has just closed, with the lane's states before and after it."""

    lane: int
    step: int
    kind: str
    head: bytes
    entries: dict[int, Entry | None]
    before: PackState | TableState
    after: PackState | TableState
    faults: tuple[PeerFault, ...]


@dataclass(frozen=True, slots=True)
class DeadPack:
    """A pack that could not be made: whose it was, and who spoiled it."""

    seats: tuple[int, ...]
    guilty: frozenset[int]


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
        self.lanes[number] = Lane(number, PackState(plan), head)
        return number

    def close(self, number: int) -> Closed:
        """Closes a complete step of a lane and lets the other lanes follow."""
        lane = self.lanes[number]
        before, step, kind = lane.rules, lane.step, lane.kind
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
        self._table_moved()
        return Closed(number, step, kind, lane.head, entries, before, after, faults)

    def _pack_moved(self, lane: Lane, state: PackState, entries: dict[int, Entry | None]) -> None:
        """A pack lane has gone on: it may be finished, or useless."""
        if state.stage == "finished":
            self.finished[lane.number] = finished_pack(state, lane.head)
            self._close_lane(lane)
        elif state.stage == "dead":
            gone = {seat for seat, entry in entries.items() if entry is None}
            guilty = gone | {fault.seat for fault in state.faults if fault.seat is not None}
            self.dead[lane.number] = DeadPack(state.plan.seats, frozenset(guilty))
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
            if number in self.dead:
                self.spoiled = number
                lane.rules = self.table.spoiled_by(self.dead.pop(number).guilty)
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
