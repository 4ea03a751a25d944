"""All lanes of one table: how packs and hands meet. Session and verifier share it. SPEC 5.3, 5.4.

The first pack's lane opens with the agreement, each next one when READY closes, with the seats of
that hand; so the next pack is made while a hand is played.
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
    opened: int | None
    faults: tuple[PeerFault, ...]


@dataclass
class History:
    """The lanes of a table that are still of use, by number; 0 is the table lane."""

    agreement: Agreement
    lanes: dict[int, Lane] = field(default_factory=dict)
    finished: dict[int, Pack] = field(default_factory=dict)
    dead: dict[int, frozenset[int]] = field(default_factory=dict)
    newest: int = 0

    def __post_init__(self) -> None:
        identity = self.agreement.table_id
        state = first_state(self.agreement)
        seats = tuple(range(len(self.agreement.keys)))
        head = first_head(identity, TABLE_LANE, digest("opening", identity), seats)
        self.lanes[TABLE_LANE] = Lane(TABLE_LANE, state, head)
        self._open_pack(1, state.dealt_in, head)

    @property
    def table(self) -> TableState:
        """The state of the table lane."""
        rules = self.lanes[TABLE_LANE].rules
        assert isinstance(rules, TableState)
        return rules

    def _open_pack(self, number: int, seats: tuple[int, ...], before: bytes) -> None:
        keys = tuple(self.agreement.keys[seat] for seat in seats)
        cards = self.agreement.game.pack(self.agreement.options)
        plan = PackPlan(self.agreement.table_id, number, seats, keys, cards)
        head = first_head(self.agreement.table_id, number, before, seats)
        self.lanes[number] = Lane(number, PackState(plan), head)
        self.newest = number

    def close(self, number: int) -> Closed:
        """Closes a complete step of a lane and lets the other lanes follow."""
        lane = self.lanes[number]
        before, step, kind = lane.rules, lane.step, lane.kind
        entries = dict(lane.close())
        after, opened = lane.rules, None
        faults: tuple[PeerFault, ...] = ()
        if isinstance(after, PackState):
            faults = tuple(f.at(f.seat or 0, number, step) for f in after.faults)
            self._pack_moved(lane, after, entries)
        elif kind == "ready" and after.hand is not None:
            opened = after.next_pack
            self._open_pack(opened, after.hand.seats, lane.head)
        self._table_moved()
        return Closed(number, step, kind, lane.head, entries, before, after, opened, faults)

    def _pack_moved(self, lane: Lane, state: PackState, entries: dict[int, Entry | None]) -> None:
        """A pack lane has gone on: it may be finished, or useless."""
        if state.stage == "finished":
            self.finished[lane.number] = finished_pack(state, lane.head)
            del self.lanes[lane.number]
        elif state.stage == "dead":
            gone = {seat for seat, entry in entries.items() if entry is None}
            guilty = gone | {fault.seat for fault in state.faults if fault.seat is not None}
            self.dead[lane.number] = frozenset(guilty)
            del self.lanes[lane.number]

    def _table_moved(self) -> None:
        """READY waits for the pack of its number.

        A pack that died stops the table here and not before: the hand that is being played has
        its own pack, and all seats must see the table lane end at the same step, however their
        lanes are interleaved.
        """
        table = self.table
        if table.stage != "ready" or table.pack is not None:
            return
        pack = self.finished.pop(table.next_pack, None)
        if pack is not None:
            lane = self.lanes[TABLE_LANE]
            lane.rules = table.with_pack(pack)
            # From here on the table's head covers the pack: a READY that names another pack is a
            # lie then, while a seat that was given another pack is known by its other head.
            lane.head = digest("head with pack", lane.head, pack.head)
        elif table.next_pack in self.dead:
            self.stop(self.dead[table.next_pack], "gone", "the pack could not be made")

    @property
    def next_lane(self) -> int | None:
        """The lane whose open step comes next in a record; None when the table lane is over.

        The table lane, but while READY waits for its pack that pack's lane. So all entries of a
        record have one order, and at any time exactly one step is open at its end.
        """
        table = self.table
        if table.stage == "over":
            return None
        return TABLE_LANE if table.owed else table.next_pack

    def stop(self, seats: frozenset[int], code: str, text: str) -> None:
        """Ends the table lane because these seats made it impossible to go on."""
        self.lanes[TABLE_LANE].rules = self.table.without(seats, code, text)
