"""A seat leaves at once, in the middle of whatever is played: nobody waits for it. SPEC 5.6, 8."""

from __future__ import annotations

import pytest

from protocol.effects import Effect, Job, Send, SendVote
from protocol.errors import RefusedMove
from protocol.events import HandOver, Leaves, Left, Stopped
from protocol.votes import Leaving, open_word
from tests.protocol.absences import alike, declared, events, judged, wait
from tests.protocol.tables import Table, make_table

pytestmark = pytest.mark.usefixtures("once")

GOES = 2
STAY = (0, 1, 3)

SOON = 12.0
"""Seconds in which all is over for who stays: less than one clock and grace."""


def depart(table: Table) -> None:
    """The seat leaves; its word and what it said before reach the others."""
    session = table.seats[GOES].session
    table.run(session.depart(table.now), GOES)
    table.deliver_votes()


def until(table: Table, stage: str, hand: int = 1) -> None:
    """Plays on to a stage of a hand, as the seat that goes sees it."""
    history = table.seats[GOES].session.history
    while (history.table.stage, history.table.hand_number) != (stage, hand):
        assert table.queue
        table.deliver(1)


@pytest.mark.parametrize("count", [1, 30, 60, 90, 110, 120, 130, 145, 160, 175])
def test_azi_goes_on_at_once_whenever_a_seat_leaves(count: int) -> None:
    """From the first pack on: the others wait for no clock, and end the match on one record."""
    table = make_table("departs", "azi", {"hands": 2}, 4)
    table.begin()
    table.deliver(count)
    assert not any(seated.session.over for seated in table.seats)
    depart(table)
    assert table.seats[GOES].session.over
    assert len(events(table, GOES, Left)) == 1
    wait(table, SOON, tick=0.5, alive=STAY)
    assert all(table.seats[seat].session.over for seat in STAY)
    assert alike(table, STAY)
    assert judged(table, 0).verdict == "complete"
    assert {seat for _, _, seat in declared(table, 0)} == {GOES}
    assert all(events(table, seat, Leaves) == [Leaves(GOES)] for seat in STAY)
    assert not any(seated.faults for seated in table.seats)


def test_who_has_left_says_nothing_more() -> None:
    """No entry, no vote, no word of coming back; what it owes it does not write."""
    table = make_table("departs", "azi", {"hands": 2}, 4)
    table.begin()
    table.deliver(60)
    depart(table)
    said: list[Effect] = []
    table.watch = lambda seat, effect: said.append(effect) if seat == GOES else None
    wait(table, SOON, tick=0.5)
    session = table.seats[GOES].session
    assert session.owes is None
    assert session.deadline is None
    with pytest.raises(RefusedMove) as refused:
        session.move(("fold",), table.now)
    assert refused.value.rule == "turn"
    own = [one for one in said if isinstance(one, SendVote)]
    assert not any(open_word(one.vote, table.agreement).seat == GOES for one in own)
    passed_on = [one for one in said if isinstance(one, Send)]
    assert all(one.passed_on for one in passed_on)


def test_who_is_just_asked_whether_it_plays_on_answers_that_it_leaves() -> None:
    """Then it is out, as if it had said so before; nobody has to declare it gone."""
    table = make_table("departs", "azi", {"hands": 2}, 4)
    session = table.seats[GOES].session
    table.run(session.pause(True, table.now), GOES)
    table.begin()
    table.deliver()
    assert session.waiting == ("sit", (GOES,))
    depart(table)
    table.deliver()
    assert len(events(table, GOES, Left)) == 1
    assert all(table.seats[seat].session.over for seat in STAY)
    assert table.seats[0].session.history.table.out == {GOES}
    assert declared(table, 0) == []


def test_who_leaves_while_its_answer_is_on_its_way_to_the_others_is_not_dealt_in() -> None:
    """It was about to say that it plays on: nobody hears that, and it is declared gone."""
    table = make_table("departs", "azi", {"hands": 2}, 4)
    session = table.seats[GOES].session
    table.run(session.pause(True, table.now), GOES)
    table.begin()
    table.deliver()
    (job,) = session.pause(False, table.now)
    assert isinstance(job, Job)
    depart(table)
    assert session.over
    assert session.done(job.number, job.run(), table.now) == []
    wait(table, SOON, tick=0.5, alive=STAY)
    assert all(table.seats[seat].session.over for seat in STAY)
    assert (0, GOES) in {(lane, seat) for lane, _, seat in declared(table, 0)}


def test_who_leaves_a_division_is_hidden_and_the_table_does_not_wait_for_it_afterwards() -> None:
    """Hazari: the hand is played to its end, its fallback for the seat, and the table stops."""
    table = make_table("departs", "hazari", {}, 4)
    table.begin()
    until(table, "move")
    depart(table)
    wait(table, SOON, tick=0.5, alive=STAY)
    for seat in STAY:
        assert len(events(table, seat, HandOver)) == 1
        (stopped,) = events(table, seat, Stopped)
        assert isinstance(stopped, Stopped)
        assert (stopped.seats, stopped.code) == ((GOES,), "absent")
    assert alike(table, STAY)


def test_who_leaves_at_the_deal_of_hazari_is_waited_for_until_people_ask() -> None:
    """A fresh pack would be a second try, so nobody may have one for a single word."""
    table = make_table("departs", "hazari", {}, 4)
    table.begin()
    until(table, "shares")
    table.tamper = lambda source, target, data: [] if source == GOES else [data]
    depart(table)
    wait(table, 300, alive=STAY)
    assert table.seats[0].session.waiting == ("shares", (GOES,))
    assert declared(table, 0) == []
    for seat in STAY:
        table.run(table.seats[seat].session.miss(GOES, table.now), seat)
    table.deliver_votes()
    assert declared(table, 0) == [(0, 2, GOES)]


def test_leaving_is_said_in_one_word_of_this_hand() -> None:
    """It is signed, passed on, and holds for the hand in which it was said."""
    table = make_table("departs", "azi", {"hands": 2}, 4)
    table.begin()
    table.deliver(60)
    session = table.seats[GOES].session
    (effect,) = (e for e in session.depart(table.now) if isinstance(e, SendVote))
    word = open_word(effect.vote, table.agreement)
    hand = session.history.table.hand_number
    assert (word.seat, word) == (GOES, Leaving(GOES, hand, effect.vote))
    assert session.depart(table.now) == []


def test_who_leaves_while_its_program_catches_up_is_told_when_it_has() -> None:
    """A program that was started again takes part only after a while."""
    table = make_table("departs", "azi", {"hands": 2}, 4)
    table.run(table.seats[GOES].session.depart(table.now), GOES)
    assert events(table, GOES, Left) == []
    table.begin()
    assert len(events(table, GOES, Left)) == 1
    assert table.seats[GOES].session.over
