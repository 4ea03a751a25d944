"""Looking on: who has no seat sees what is public, step by step, and judges as a seat does."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from engine import View
from protocol.agreement import read_agreement
from protocol.effects import Effect, Fault, Job, Persist, PersistSecret, PersistVote, Send, Tell
from protocol.envelope import TABLE_LANE, open_envelope, seal
from protocol.errors import PeerFault
from protocol.events import (
    Event,
    HandOver,
    HandStarted,
    MatchOver,
    MoveMade,
    PackFinished,
    ProofChecked,
    SitSaid,
    StepClosed,
    Stopped,
    ViewChanged,
)
from protocol.history import History
from protocol.record import read_objects
from protocol.table import TableState
from protocol.watch import Watcher
from tests.protocol.azi_stage import lay
from tests.protocol.liar import table_with
from tests.protocol.lies import LIES
from tests.protocol.tables import Table, drawer, make_table, record_of

pytestmark = pytest.mark.usefixtures("once")

PUBLIC = (StepClosed, HandStarted, MoveMade, HandOver, SitSaid, MatchOver, Stopped)


@dataclass
class Guest:
    """A watcher with all that its driver would keep; it hears what the seats send."""

    watcher: Watcher
    written: list[Persist | PersistVote] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    faults: list[PeerFault] = field(default_factory=list)

    def hear(self, data: bytes) -> None:
        """An envelope arrives."""
        self.run(self.watcher.receive(data, 0.0))

    def run(self, effects: list[Effect]) -> None:
        """Carries out effects, jobs in line."""
        for effect in effects:
            assert not isinstance(effect, PersistSecret)
            match effect:
                case Persist() | PersistVote():
                    self.written.append(effect)
                case Job(number, _, work):
                    self.run(self.watcher.done(number, work(), 0.0))
                case Tell(event):
                    self.events.append(event)
                case Fault(fault):
                    self.faults.append(fault)
                case _:
                    pass

    def of(self, *kinds: type) -> list[Event]:
        """What it was told of these kinds."""
        return [event for event in self.events if isinstance(event, kinds)]

    def record(self, sealed: bytes) -> bytes:
        """The record file as the watcher has it."""

        return record_of(sealed, self.written)


def guest_at(table: Table, late: bool = False) -> Guest:
    """Somebody who hears all that is sent at a table, or with ``late`` nothing yet."""
    guest = Guest(Watcher(table.agreement))
    guest.run(guest.watcher.begin(0.0))

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Send) and not effect.passed_on:
            guest.hear(effect.envelope)

    if not late:
        table.watch = watch
    return guest


def played(table: Table) -> Table:
    """The table at its end."""
    table.begin()
    table.deliver()
    return table


def public_views(record: bytes) -> dict[int, View | None]:
    """After each step of the table lane, what the rules show to nobody in particular."""
    sealed, *envelopes = read_objects(record)
    agreement = read_agreement(sealed)
    history = History(agreement)
    views: dict[int, View | None] = {}
    while envelopes and (number := history.next_lane) is not None:
        lane = history.lanes[number]
        count = len(lane.owed)
        lay(lane, [open_envelope(data, agreement) for data in envelopes[:count]])
        del envelopes[:count]
        closed = history.close(number)
        if number == TABLE_LANE:
            after = closed.after
            assert isinstance(after, TableState)
            hand = after.hand
            shown = None if hand is None else hand.game.view(hand.state, None, hand.faces)
            views[closed.step] = shown
    return views


def seen_views(guest: Guest) -> dict[int, View]:
    """What the guest was told of the hand, by the step after which it was."""
    views: dict[int, View] = {}
    step = 0
    for event in guest.events:
        if isinstance(event, StepClosed) and event.lane == TABLE_LANE:
            step = event.step
        elif isinstance(event, ViewChanged):
            views[step] = event.view
    return views


def at_table(events: list[Event]) -> list[Event]:
    """What all are told alike of the table lane; pack lanes go on beside it at their own pace."""
    public = [event for event in events if isinstance(event, PUBLIC)]
    return [e for e in public if not isinstance(e, StepClosed) or e.lane == TABLE_LANE]


TABLES = [
    pytest.param("hazari", {"hands": 1}, 4, id="hazari"),
    pytest.param("azi", {"hands": 3, "max_bid": 10}, 3, id="azi"),
    pytest.param("azi", {"hands": 2, "max_bid": 10, "blind": "on"}, 2, id="azi, blind"),
]


@pytest.mark.parametrize(("name", "options", "seats"), TABLES)
def test_onlooker_sees_what_is_public_and_nothing_else(
    name: str, options: dict[str, int | str], seats: int
) -> None:
    """Each view is that of the rules for no seat; told is what all seats are told; no fault."""
    table = make_table("watched", name, options, seats)
    guest = guest_at(table)
    played(table)
    record = table.record(0)
    views = public_views(record)
    seen = seen_views(guest)
    assert seen
    assert all(view.seat is None for view in seen.values())
    assert seen == {step: views[step] for step in seen}
    quiet = ("ready", "result", "sit")
    silent = {e.step for e in guest.events if isinstance(e, StepClosed) and e.kind in quiet}
    assert {step for step, view in views.items() if view is not None} <= {*seen, *silent}
    assert at_table(guest.events) == at_table(table.seats[0].events)
    packs = [e.pack for e in guest.events if isinstance(e, PackFinished)]
    assert packs == [e.pack for e in table.seats[0].events if isinstance(e, PackFinished)]
    checked = {(e.pack, e.seat) for e in guest.events if isinstance(e, ProofChecked)}
    assert {seat for pack, seat in checked if pack == 1} == set(range(seats))
    assert guest.faults == []
    assert guest.record(table.sealed) == record
    assert guest.watcher.over
    assert guest.watcher.waiting is None


@pytest.mark.slow
def test_order_and_repetition_change_nothing_for_who_comes_late() -> None:
    """All entries of a finished table, shuffled, some twice: the same end, the same record."""
    table = played(make_table("late", options={"hands": 2}))
    guest = guest_at(table, late=True)
    _, *envelopes = read_objects(table.record(0))
    draw = drawer("late")
    while not guest.watcher.over:
        waiting = list(envelopes[:40])
        assert waiting
        while waiting:
            guest.hear(waiting.pop(draw(len(waiting))))
        del envelopes[:20]
    assert guest.of(HandOver, MatchOver) == [
        event for event in table.seats[0].events if isinstance(event, (HandOver, MatchOver))
    ]
    assert guest.record(table.sealed) == table.record(0)
    assert guest.faults == []


@pytest.mark.parametrize("name", ["no proof of knowledge", "a pair twice", "a deck of 51"])
def test_a_lie_is_judged_as_by_a_seat(name: str) -> None:
    """The same fault, the same end, for who only looks on."""
    table = table_with(LIES[name])
    guest = guest_at(table)
    played(table)
    seat = table.seats[0]
    assert [f for f in guest.faults if f.seat is not None] == [
        f for f in seat.faults if f.seat is not None
    ]
    assert guest.faults
    assert guest.of(Stopped) == [e for e in seat.events if isinstance(e, Stopped)]
    assert guest.record(table.sealed) == table.record(0)


def test_two_versions_of_an_entry_stop_the_onlooker_too() -> None:
    """Whoever signs two entries for one place is named; nothing more is said after it."""
    table = make_table("watch")
    guest = guest_at(table, late=True)
    table.begin()
    one = open_envelope(table.seats[3].sent[0], table.agreement)
    other = seal(table.agreement, table.keys[3], 1, 1, 3, one.head, one.kind, (bytes(32),))
    guest.hear(one.data)
    assert guest.faults == []
    guest.hear(other.data)
    assert [(fault.code, fault.seat) for fault in guest.faults] == [("equivocation", 3)]
    (stopped,) = guest.of(Stopped)
    assert isinstance(stopped, Stopped)
    assert stopped.seats == (3,)
    assert guest.watcher.over


def test_any_bytes_raise_nothing() -> None:
    """What is no envelope of this table is a fault of the link."""
    guest = guest_at(make_table("watch"))
    for data in (b"", b"\x93", bytes(300)):
        guest.hear(data)
    assert [fault.seat for fault in guest.faults] == [None] * 3
