"""Clocks: the own program moves for a late person; others are named as overdue, once a step."""

from __future__ import annotations

import pytest

from engine import Move, View
from protocol.clocks import (
    HEARD_GRACE,
    NO_PERSON_SECONDS,
    OVERSLEPT,
    PERSON_SECONDS,
    UNHEARD_GRACE,
)
from protocol.effects import Effect, Send
from protocol.envelope import open_envelope
from protocol.errors import RefusedMove
from protocol.events import MoveMade, Overdue, ViewChanged, VoteUnderWay, YourMove
from tests.protocol.tables import Table, make_table

pytestmark = pytest.mark.usefixtures("once")


class Asleep(Exception):
    """Nobody answers at this seat."""


def table_at_the_division(seconds: int, asleep: tuple[int, ...] = (0,)) -> Table:
    """A table where all but some seats have said "up"."""
    table = make_table("clocks", options={"hands": 1, "arrange_seconds": seconds})
    awake = table.play
    run = table.run

    def play(seat: int, view: View) -> Move:
        if seat in asleep:
            raise Asleep
        return awake(seat, view)

    def patient_run(effects: list[Effect], seat: int) -> None:
        try:
            run(effects, seat)
        except Asleep:
            return

    table.play = play
    table.run = patient_run
    table.begin()
    table.deliver()
    return table


def overdue(table: Table, seat: int) -> list[Overdue]:
    """What a seat was told of others' being late."""
    return [event for event in table.seats[seat].events if isinstance(event, Overdue)]


def tick(table: Table, seat: int, now: float) -> None:
    """A seat's time goes on."""
    table.now = now
    table.run(table.seats[seat].session.tick(now), seat)


def test_a_person_who_is_late_is_moved_for() -> None:
    """When the own clock runs out the program says "up" with the fallback, and the hand goes on."""
    table = table_at_the_division(30)
    session = table.seats[0].session
    view = session.view
    assert view is not None
    assert (session.owes, session.deadline) == ("up", 30.0)
    assert session.tick(29.9) == []
    assert session.owes == "up"
    tick(table, 0, 30.0)
    assert session.owes is None
    table.deliver()
    moves = [one for one in table.seats[1].events if isinstance(one, MoveMade) and one.seat == 0]
    assert [one.move for one in moves] == [table.agreement.game.late(view)]
    assert all(seated.session.over for seated in table.seats)
    assert not any(seated.faults for seated in table.seats)
    assert len({table.record(seat) for seat in range(4)}) == 1
    assert session.deadline is None  # after the end there is nothing to wait for
    assert session.tick(1e9) == []


def test_without_a_clock_nobody_is_moved_for() -> None:
    """At a table without a clock a person has 600 s before others speak of it, and then longer."""
    table = table_at_the_division(0)
    asked = [one for one in table.seats[0].events if isinstance(one, YourMove)]
    assert [one.seconds for one in asked] == [0]
    for seat in range(4):
        tick(table, seat, PERSON_SECONDS - 1)
        assert overdue(table, seat) == []
        tick(table, seat, PERSON_SECONDS)
        tick(table, seat, PERSON_SECONDS + 20)
    assert table.seats[0].session.owes == "up"
    assert overdue(table, 0) == []
    for seat in range(1, 4):
        assert overdue(table, seat) == [Overdue(0, 3, "move", (0,), PERSON_SECONDS)]


def test_the_silent_are_named_once_a_step() -> None:
    """Each seat is told of the others that are late, not of itself, once, and after their clock."""
    table = table_at_the_division(20, asleep=(1, 3))
    for seat in (0, 2):
        assert table.seats[seat].session.deadline == 20.0
        for now in (19.0, 20.0, 20.0, 50.0):
            tick(table, seat, now)
        assert overdue(table, seat) == [Overdue(0, 3, "move", (1, 3), 20.0)]
        assert table.seats[seat].session.deadline == 20.0 + UNHEARD_GRACE


def test_a_silent_computer_is_named_after_ten_seconds() -> None:
    """A step that waits for nobody's choice may take ten seconds; the clock starts with it."""
    table = make_table("clocks", options={"hands": 1})

    def mute(source: int, target: int, data: bytes) -> list[bytes]:
        return [] if open_envelope(data, table.agreement).seat == 2 else [data]

    table.tamper = mute
    table.now = 100.0
    table.begin()
    table.deliver()
    for seat in (0, 1, 3):
        session = table.seats[seat].session
        assert session.deadline == 100.0 + NO_PERSON_SECONDS
        tick(table, seat, 100.0 + NO_PERSON_SECONDS)
        assert overdue(table, seat) == [Overdue(1, 1, "commit", (2,), NO_PERSON_SECONDS)]
        assert session.deadline == 100.0 + NO_PERSON_SECONDS + UNHEARD_GRACE
    # The late entry comes after all: the table goes on, and the next step has a clock of its own.
    table.tamper = lambda source, target, data: [data]
    for data in list(table.seats[2].sent):
        for seat in (0, 1, 3):
            table.run(table.seats[seat].session.receive(data, 120.0), seat)
    table.now = 120.0
    assert table.seats[0].session.deadline == 120.0 + NO_PERSON_SECONDS
    table.deliver()
    assert all(seated.session.over for seated in table.seats)


def refused(table: Table, move: Move) -> RefusedMove:
    """Why the own program of seat 0 does not make a move."""
    with pytest.raises(RefusedMove) as caught:
        table.seats[0].session.move(move, 1.0)
    return caught.value


def test_a_refused_move_says_why_and_may_be_made_better() -> None:
    """Groups in a forbidden order are named in words; nothing is sent, and the choice stays."""
    table = table_at_the_division(30)
    seated = table.seats[0]
    view = seated.session.view
    assert view is not None
    good = table.agreement.game.late(view)
    kind, first, second, third, fourth = good
    wrong = refused(table, (kind, third, second, first, fourth))
    assert wrong.rule == "up.order"
    assert len(str(wrong)) > 20
    others = slots_of(1)
    assert refused(table, ("up", others[:3], others[3:6], others[6:9], others[9:])).rule
    assert refused(table, ("fold",)).rule
    assert refused(table, ()).rule
    assert refused(table, ("dismiss",)).rule.startswith("dismiss")
    assert seated.session.owes == "up"
    effects = seated.session.move(good, 1.0)
    assert not any(isinstance(effect, Send) for effect in effects)
    assert refused(table, good).rule == "turn"  # it is being made already
    table.run(effects, 0)
    assert seated.session.owes is None
    assert refused(table, good).rule == "turn"
    table.deliver()
    assert refused(table, good).rule == "turn"  # the match is over


def slots_of(seat: int) -> tuple[int, ...]:
    """A seat's own slots."""
    return tuple(range(13 * seat, 13 * seat + 13))


def test_nobody_may_move_before_the_cards_are_there() -> None:
    """A move before the deal is refused as out of turn."""
    table = make_table("clocks", options={"hands": 1})
    assert refused(table, ("up",)).rule == "turn"
    table.begin()
    assert refused(table, ("up",)).rule == "turn"
    assert not any(isinstance(one, ViewChanged) for one in table.seats[0].events)


def test_who_is_linked_gets_less_time_and_who_slept_begins_anew() -> None:
    """A computer that wakes up must hear what it missed before it calls anybody gone."""
    table = table_at_the_division(20, asleep=(1, 3))
    session = table.seats[0].session
    tick(table, 0, 20.0)
    session.heard({1, 2}, 20.0)
    assert session.deadline == 20.0 + HEARD_GRACE
    tick(table, 0, 20.0 + HEARD_GRACE)
    assert [(one.seat, one.gone) for one in votes(table, 0)] == [(1, 1)]
    assert session.deadline == 20.0 + UNHEARD_GRACE
    woken = 20.0 + UNHEARD_GRACE + OVERSLEPT + 1
    tick(table, 0, woken)
    assert [one.seat for one in votes(table, 0)] == [1]
    assert session.deadline == woken + 20.0


def votes(table: Table, seat: int) -> list[VoteUnderWay]:
    """What a seat was told of votes."""
    return [event for event in table.seats[seat].events if isinstance(event, VoteUnderWay)]


def test_who_is_back_in_time_is_not_hurried() -> None:
    """To be linked again never shortens the time: its whole clock begins anew, once a step."""
    table = table_at_the_division(20, asleep=(1, 3))
    session = table.seats[0].session
    session.heard({2}, 0.0)
    tick(table, 0, 20.0)
    assert session.patience()[1] == 20.0 + UNHEARD_GRACE
    for now in (60.0, 75.0):
        session.heard({1, 2}, now)
        assert session.patience()[1] == 60.0 + 20.0 + HEARD_GRACE
        session.heard({2}, now + 1)
    assert session.patience()[3] == 20.0 + UNHEARD_GRACE
