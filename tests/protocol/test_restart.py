"""Restart: a seat may be killed between any two effects, and goes on as if nothing had been."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pytest

from protocol.effects import Effect, ForgetSecret, Persist, PersistSecret, Send
from protocol.envelope import open_envelope
from protocol.session import Session
from tests.protocol.tables import Seated, Table, entropy, make_table

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("once")]  # whole tables, again and again


@dataclass(frozen=True)
class Case:
    """A match and the seat that is killed in it."""

    game: str
    seats: int
    victim: int
    seed: int = 0

    def table(self) -> Table:
        """The table, about to begin."""
        return make_table(("restart", self.seed), self.game, {"hands": 1}, self.seats)


HAZARI = Case("hazari", 4, 2)
"""Any seat will do; this one mixes neither first nor last."""


class Killed(Exception):
    """The process of the victim is gone."""


def lasting(effect: Effect) -> bool:
    """Whether an effect leaves the process: the points at which a crash makes a difference."""
    return isinstance(effect, (Persist, PersistSecret, ForgetSecret, Send))


@dataclass
class Crash:
    """Kills the victim before its ``at``-th lasting effect is carried out."""

    victim: int
    at: int
    seen: int = 0

    def __call__(self, seat: int, effect: Effect) -> None:
        if seat == self.victim and lasting(effect):
            if self.seen == self.at:
                raise Killed
            self.seen += 1


def with_crashes(case: Case, *at: int) -> tuple[Table, int]:
    """The match with its victim killed so many lasting effects after each start; and how often.

    Meanwhile the others play on as long as they can; then the victim starts again from its disk.
    """
    table = case.table()
    for seat in range(case.seats):
        if seat != case.victim:
            table.run(table.seats[seat].session.begin(0.0), seat)
    killed = 0
    for life, point in enumerate((*at, None)):
        table.watch = nothing if point is None else Crash(case.victim, point)
        try:
            if life == 0:
                table.run(table.seats[case.victim].session.begin(0.0), case.victim)
            else:
                start_again(table, case.victim, life)
            table.deliver()
        except Killed:
            killed += 1
            others_play_on(table, case.victim)
    return table, killed


def nothing(seat: int, effect: Effect) -> None:
    """Watches without interest."""


def others_play_on(table: Table, victim: int) -> None:
    """What was sent reaches all but the victim, which is down."""
    table.watch = nothing
    table.tamper = lambda source, target, data: [] if target == victim else [data]
    table.deliver()
    table.tamper = lambda source, target, data: [data]


def start_again(table: Table, victim: int, life: int) -> None:
    """A new session from the victim's disk; then the others send all they have once more."""
    old = table.seats[victim]
    fresh = entropy("life", life)
    again = Session(table.agreement, victim, table.keys[victim], fresh, secrets=old.secrets)
    table.seats[victim] = Seated(
        again,
        dict(old.entries),
        dict(old.secrets),
        faults=old.faults,
        sent=[],
        written=list(old.written),
    )
    for data in in_record_order(old):
        table.run(again.receive(data, 0.0), victim)
    assert table.seats[victim].events == []  # nobody is asked before all that was said is known
    table.run(again.begin(0.0), victim)
    for source, other in enumerate(table.seats):
        if source != victim:
            table.queue.extend((source, victim, data) for data in in_record_order(other))


def in_record_order(seated: Seated) -> Iterator[bytes]:
    """The stored entries: of each lane by step, the packs' before the table's."""
    for place in sorted(seated.entries, key=lambda place: (place[0] == 0, place)):
        yield seated.entries[place]


def own_entries(table: Table, victim: int) -> dict[tuple[int, int], set[bytes]]:
    """All versions of the victim's entries that anybody has, by place."""
    found: dict[tuple[int, int], set[bytes]] = {}
    for seated in table.seats:
        for data in (*seated.sent, *seated.entries.values()):
            envelope = open_envelope(data, table.agreement)
            if envelope.seat == victim:
                found.setdefault((envelope.lane, envelope.step), set()).add(envelope.body_hash)
    return found


def assert_unharmed(table: Table, victim: int) -> None:
    """The match has ended for all in one record; the victim said one thing at each place."""
    assert [fault for seated in table.seats for fault in seated.faults] == []
    assert all(seated.session.over for seated in table.seats)
    assert len({table.record(seat) for seat in range(len(table.seats))}) == 1
    assert {len(bodies) for bodies in own_entries(table, victim).values()} == {1}
    assert table.seats[victim].secrets == {}


def lasting_effects(case: Case) -> int:
    """How many lasting effects the victim has in the whole match."""
    table = case.table()
    count = 0

    def watch(seat: int, effect: Effect) -> None:
        nonlocal count
        count += seat == case.victim and lasting(effect)

    table.watch = watch
    table.begin()
    table.deliver()
    assert count > 40, "too few effects: the test looks at the wrong thing"
    return count


def crash_everywhere(case: Case, points: Iterable[int]) -> None:
    """Kills the victim at each of these points, in a match of its own each time."""
    for point in points:
        table, killed = with_crashes(case, point)
        assert killed == 1, point
        assert_unharmed(table, case.victim)


@pytest.mark.parametrize("victim", [0, 1])
def test_a_seat_may_be_killed_at_any_point_of_a_small_game(topcard: str, victim: int) -> None:
    """Before every single thing that is stored or sent."""
    case = Case(topcard, 2, victim)
    crash_everywhere(case, range(lasting_effects(case)))


def test_a_seat_may_be_killed_again_and_again(topcard: str) -> None:
    """Also while it reads its disk, and right after it has begun again."""
    case = Case(topcard, 3, 1)
    for seed, points in enumerate([(5, 0, 1), (9, 9, 9), (20, 12, 3, 30), (40, 41, 42)]):
        table, killed = with_crashes(replace(case, seed=seed), *points)
        assert killed == len(points)
        assert_unharmed(table, case.victim)


def test_a_seat_may_be_killed_in_hazari() -> None:
    """At points spread over pack, deal, arranging, lock and show."""
    crash_everywhere(HAZARI, range(3, lasting_effects(HAZARI), 50))


@pytest.mark.parametrize("victim", [0, 3])
def test_a_seat_may_be_killed_at_many_points_of_a_hand_of_hazari(victim: int) -> None:
    """For the seat that mixes first and the one that mixes last, at points of their own."""
    case = replace(HAZARI, victim=victim)
    crash_everywhere(case, range(victim, lasting_effects(case), 16))


def test_a_seat_that_lost_its_disk_is_silent_and_no_liar() -> None:
    """Its own entries come back from the others; without the seed it says nothing more."""
    table = HAZARI.table()
    table.begin()
    table.deliver(30)
    table.queue.clear()
    victim = HAZARI.victim
    table.seats[victim].entries.clear()
    old = table.seats[victim]
    said = own_entries(table, victim)
    again = Session(table.agreement, victim, table.keys[victim], entropy("new"), secrets={})
    table.seats[victim] = Seated(again, faults=old.faults)
    for seat, other in enumerate(table.seats):
        if seat != victim:
            for data in in_record_order(other):
                table.run(again.receive(data, 0.0), victim)
    table.run(again.begin(0.0), victim)
    table.deliver()
    assert [fault for seated in table.seats for fault in seated.faults] == []
    assert own_entries(table, victim) == {place: said[place] for place in [(1, 1)]}
    assert {seated.session.missing()[1] for seated in table.seats} == {(victim,)}
