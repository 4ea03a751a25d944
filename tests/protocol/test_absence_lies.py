"""Votes about silent seats under attack: liars, cuts at any moment, kills at any word. SPEC 5.6."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from protocol.ballot import GONE, Question
from protocol.effects import Effect, PersistVote, SendVote
from protocol.votes import seal_vote
from tests.protocol.absences import (
    alike,
    declared,
    heal,
    judged,
    part,
    restart,
    silence,
    tell_all,
    wait,
    went_back,
)
from tests.protocol.tables import Table, body_hash_of, make_table

pytestmark = pytest.mark.usefixtures("once")


def at_a_move() -> tuple[Table, int, Question]:
    """A table of Azi at a move of a seat that is silent, and the question about its entry."""
    table = make_table("absence", "azi", {"hands": 1}, 4)
    silence(table, {2}, lambda e: e.kind == "move")
    table.begin()
    table.deliver()
    lane = table.seats[0].session.history.lanes[0]
    assert (lane.kind, lane.missing) == ("move", (2,))
    return table, 2, Question(0, lane.step, lane.head, 2)


def say(table: Table, liar: int, question: Question, *said: object) -> None:
    """A liar signs a vote, and all others are told."""
    vote = seal_vote(table.agreement, table.keys[liar], liar, question, *said)  # type: ignore[arg-type]
    for seat in range(len(table.seats)):
        if seat != liar:
            session = table.seats[seat].session
            table.run(session.receive_vote(vote.data, b"", table.now), seat)
    table.deliver_votes()


def named(table: Table, seat: int) -> list[tuple[str, int | None]]:
    """Whom a seat has named, and by what."""
    return [(f.code, f.seat) for f in table.seats[seat].faults if f.seat is not None]


@pytest.mark.parametrize(
    ("code", "first", "second"),
    [
        ("vote.twice", ("vote", 1, GONE, 0), ("vote", 1, bytes(32), 0)),
        ("vote.twice", ("stand", 1, GONE, 0), ("stand", 1, bytes(32), 0)),
        ("vote.twice", ("vote", 2, GONE, 0), ("vote", 2, GONE, 1)),
        ("vote.stand", ("stand", 1, GONE, 0), ("vote", 2, bytes(32), 0)),
    ],
)
def test_who_contradicts_itself_is_named_and_stops_the_table(
    code: str, first: tuple[object, ...], second: tuple[object, ...]
) -> None:
    """All honest seats name the liar and nobody else, whichever of the two they saw first."""
    for one, two in ((first, second), (second, first)):
        table, _, question = at_a_move()
        liar = 3
        say(table, liar, question, *one)
        say(table, liar, question, *two)
        honest = (0, 1)
        for seat in honest:
            assert named(table, seat) == [(code, liar)]
            ending = table.seats[seat].session.history.table.ending
            assert ending is not None
            assert (ending.seats, ending.code) == ((liar,), code)
        # It is on disk: who is started again does not play on.
        restart(table, honest[0])
        assert table.seats[honest[0]].session.history.table.stage == "over"


@pytest.mark.slow
def test_a_liar_that_calls_everybody_gone_only_costs_time() -> None:
    """Who holds the entry says so at once, and it is settled for the entry."""
    table = make_table("absence", "azi", {"hands": 1}, 4)
    table.begin()
    liar = 3
    for _ in range(400):
        table.deliver(1)
        lane = table.seats[0].session.history.lanes[0]
        for seat in lane.owed:
            if seat != liar and lane.kind != "over":
                question = Question(0, lane.step, lane.head, seat)
                say(table, liar, question, "vote", 1, GONE, 0)
        if not table.queue:
            break
    table.deliver()
    wait(table, 120)
    for seat in range(3):
        assert table.seats[seat].session.over
        assert declared(table, seat) == []
        assert named(table, seat) == []
    assert alike(table, range(4))


@pytest.mark.slow
@pytest.mark.parametrize("delivered", [45, 95, 120, 150])
def test_two_who_play_on_by_themselves_go_back(delivered: int) -> None:
    """Five seats, two of them cut off at any moment: what those two did alone has not happened."""
    table = make_table("absence", "azi", {"hands": 2}, 5)
    table.begin()
    table.deliver(delivered)
    part(table, [{0, 1, 2}, {3, 4}])
    table.deliver()
    wait(table, 500, until=lambda: {s for _, _, s in declared(table, 0)} >= {3, 4})
    heal(table)
    wait(table, 900)
    assert all(seated.session.over for seated in table.seats)
    assert alike(table, range(5))
    assert judged(table, 4).verdict == "complete"
    assert all(went_back(table, seat) == 0 for seat in (0, 1, 2))
    assert all(named(table, seat) == [] for seat in range(5))


class Killed(Exception):
    """The program ends here."""


def killed_at(table: Table, seat: int, number: int, kind: type) -> Callable[[], bool]:
    """A seat's program ends at its so many-th effect of a kind, before that; whether it has."""
    seen = 0

    def watch(source: int, effect: Effect) -> None:
        nonlocal seen
        if source == seat and isinstance(effect, kind):
            seen += 1
            if seen == number:
                raise Killed

    table.watch = watch
    run = table.run

    def stubborn(effects: list[Effect], source: int) -> None:
        try:
            run(effects, source)
        except Killed:
            restart(table, seat)
            # New links: each asks the other for what it has missed.
            for other in range(len(table.seats)):
                if other != seat and not table.cut(seat, other):
                    tell_all(table, seat, other)
                    tell_all(table, other, seat)

    table.run = stubborn  # type: ignore[method-assign]
    return lambda: seen >= number


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PersistVote, SendVote])
def test_killed_at_any_word_it_never_says_another(kind: type) -> None:
    """Whatever of its votes was on disk and had not been said, or the other way round."""
    for number in range(1, 30):
        table = make_table("absence", "azi", {"hands": 1}, 4)
        silence(table, {2}, lambda e: e.kind == "move")
        table.begin()
        table.deliver()
        was_killed = killed_at(table, 0, number, kind)
        wait(table, 400, alive=(0, 1, 3))
        for seat in (0, 1, 3):
            assert table.seats[seat].session.over, number
            assert named(table, seat) == []
        assert alike(table, (0, 1, 3))
        if not was_killed():
            assert number > 2
            return


def test_an_entry_that_came_too_late_is_void() -> None:
    """It is good, and is passed over: the seat is not blamed for it."""
    table, mover, question = at_a_move()
    others = [seat for seat in range(4) if seat != mover]
    wait(table, 200, alive=others, until=lambda: bool(declared(table, others[0])))
    late = table.seats[mover].session._inbox.envelope(question)
    assert late is not None
    assert len(body_hash_of(late)) == 32
    for seat in others:
        table.run(table.seats[seat].session.receive(late, table.now), seat)
        assert named(table, seat) == []
    wait(table, 300, alive=others)
    assert all(table.seats[seat].session.over for seat in others)
    assert judged(table, others[0]).verdict == "complete"
