"""Restart: a seat may be killed between any two effects, and goes on as if nothing had been."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from protocol.effects import Effect, ForgetSecret, Persist, PersistSecret, Send
from protocol.envelope import open_envelope
from protocol.errors import PeerFault
from protocol.events import YourMove
from protocol.session import Session
from tests.protocol.tables import Seated, Table, entropy, make_table

VICTIM = 2
"""Any seat will do; this one mixes neither first nor last."""

HANDS = 1


class Killed(Exception):
    """The process of the victim is gone."""


def lasting(effect: Effect) -> bool:
    """Whether an effect leaves the process: the points at which a crash makes a difference."""
    return isinstance(effect, (Persist, PersistSecret, ForgetSecret, Send))


@dataclass
class Crash:
    """Kills the victim before its ``at``-th lasting effect is carried out."""

    at: int
    seen: int = 0

    def __call__(self, seat: int, effect: Effect) -> None:
        if seat == VICTIM and lasting(effect):
            if self.seen == self.at:
                raise Killed
            self.seen += 1


def with_crashes(*at: int) -> tuple[Table, int]:
    """A table whose victim is killed so many lasting effects after each start; and how often.

    The others play on as long as they can. Then the victim starts again from its disk.
    """
    table = make_table("restart", options={"hands": HANDS})
    for seat in range(4):
        if seat != VICTIM:
            table.run(table.seats[seat].session.begin(0.0), seat)
    killed = 0
    for life, point in enumerate((*at, None)):
        table.watch = (lambda seat, effect: None) if point is None else Crash(point)
        try:
            if life == 0:
                table.run(table.seats[VICTIM].session.begin(0.0), VICTIM)
            else:
                start_again(table, life)
            table.deliver()
        except Killed:
            killed += 1
            others_play_on(table)
    return table, killed


def others_play_on(table: Table) -> None:
    """What was sent reaches all but the victim, which is down."""
    table.watch = lambda seat, effect: None
    table.tamper = lambda source, target, data: [] if target == VICTIM else [data]
    table.deliver()
    table.tamper = lambda source, target, data: [data]


def start_again(table: Table, life: int) -> None:
    """A new session from the victim's disk; then the others send all they have once more."""
    old = table.seats[VICTIM]
    again = Session(
        table.agreement,
        VICTIM,
        table.keys[VICTIM],
        entropy("life", life),
        secrets=old.secrets,
    )
    table.seats[VICTIM] = Seated(again, dict(old.entries), dict(old.secrets))
    table.seats[VICTIM].faults += old.faults
    quiet = table.seats[VICTIM]
    for data in in_record_order(old):
        table.run(again.receive(data, 0.0), VICTIM)
    # What is sent while the own disk is read reaches nobody new, but may be sent all the same.
    assert [one for one in quiet.events if isinstance(one, YourMove)] == []
    table.run(again.begin(0.0), VICTIM)
    for source, other in enumerate(table.seats):
        if source != VICTIM:
            table.queue.extend((source, VICTIM, data) for data in in_record_order(other))


def in_record_order(seated: Seated) -> Iterator[bytes]:
    """The stored entries: of each lane by step, the pack's before the table's."""
    for place in sorted(seated.entries, key=lambda p: (p[0] == 0, p)):
        yield seated.entries[place]


def own_entries(table: Table) -> dict[tuple[int, int], set[bytes]]:
    """All versions of the victim's entries that anybody has, by place."""
    found: dict[tuple[int, int], set[bytes]] = {}
    for seated in table.seats:
        for data in (*seated.sent, *seated.entries.values()):
            envelope = open_envelope(data, table.agreement)
            if envelope.seat == VICTIM:
                found.setdefault((envelope.lane, envelope.step), set()).add(envelope.body_hash)
    return found


def assert_unharmed(table: Table) -> None:
    """The hand has ended for all in one record, and the victim said one thing at each place."""
    faults: list[PeerFault] = [fault for seated in table.seats for fault in seated.faults]
    assert faults == []
    assert [seated.session.over for seated in table.seats] == [True] * 4
    assert len({table.record(seat) for seat in range(4)}) == 1
    assert {place: len(bodies) for place, bodies in own_entries(table).items()} == dict.fromkeys(
        own_entries(table), 1
    )
    assert table.seats[VICTIM].secrets == {}


@functools.cache
def lasting_effects() -> int:
    """How many lasting effects the victim has in the whole hand."""
    table = make_table("restart", options={"hands": HANDS})
    count = 0

    def watch(seat: int, effect: Effect) -> None:
        nonlocal count
        count += seat == VICTIM and lasting(effect)

    table.watch = watch
    table.begin()
    table.deliver()
    return count


def test_crashes() -> None:
    import time

    print(lasting_effects())
    for i in range(0, lasting_effects(), 10):
        t = time.time()
        table, killed = with_crashes(i)
        assert killed == 1
        assert_unharmed(table)
        print(i, time.time() - t)
