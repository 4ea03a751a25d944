"""A silent seat: the others wait, vote, go on without it, and it comes back. SPEC 5.6."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.agreement import Agreement
from protocol.effects import SendVote
from protocol.envelope import Envelope, open_envelope
from protocol.events import HandOver, MatchOver, MoveMade
from protocol.votes import Back, Leaving, seal_back, seal_leaving
from tests.protocol.absences import (
    alike,
    declared,
    events,
    heal,
    judged,
    part,
    restart,
    silence,
    wait,
    went_back,
)
from tests.protocol.tables import Table, make_table

pytestmark = pytest.mark.usefixtures("once")


def azi(hands: int = 2, **options: int | str) -> Table:
    """A table of Azi with few hands: always the same one, so that its packs are made but once."""
    return make_table("absence", "azi", {"hands": hands, **options}, 4)


def slow(*cases: object) -> list[object]:
    """Whole tables that differ little from the others."""
    values = [one if isinstance(one, tuple) else (one,) for one in cases]
    return [pytest.param(*one, marks=pytest.mark.slow) for one in values]


@pytest.mark.parametrize(
    "kind", ["move", *slow("commit", "open", "mix", "prove", "ready", "result", "sit")]
)
def test_azi_goes_on_without_a_silent_seat(kind: str) -> None:
    """At every kind of step: the three others play the match to its end, with one record."""
    table = azi()
    silence(
        table, {2}, lambda e: e.kind == kind and (e.lane == 0 or e.lane == 2 or kind != "commit")
    )
    table.begin()
    table.deliver()
    assert not any(table.seats[seat].session.over for seat in (0, 1, 3))
    wait(table, alive=(0, 1, 3))
    for seat in (0, 1, 3):
        assert table.seats[seat].session.over
        assert {gone for _, _, gone in declared(table, seat)} == {2}
        assert went_back(table, seat) == 0
        assert len(events(table, seat, MatchOver)) == 1
    assert alike(table, (0, 1, 3))
    report = judged(table, 0)
    assert (report.verdict, report.fault, report.caught) == ("complete", None, [])
    absent = [step.absent for step in report.steps if step.absent]
    assert [seat for gone in absent for seat, _ in gone] == [2]


@pytest.mark.parametrize("kind", ["shares", *slow("lock")])
def test_who_is_silent_at_the_deal_of_azi_has_it_dealt_again(kind: str) -> None:
    """The pack is spent, the others are dealt another one, and the silent one pays for it."""
    table = azi(blind="on") if kind == "lock" else azi()
    silence(table, {1}, lambda e: e.kind == kind)
    table.begin()
    table.deliver()
    wait(table, alive=(0, 2, 3))
    for seat in (0, 2, 3):
        assert table.seats[seat].session.over
        assert {gone for _, _, gone in declared(table, seat)} == {1}
    assert alike(table, (0, 2, 3))
    assert judged(table, 0).verdict == "complete"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["move", "lock", "result"])
def test_hazari_plays_the_hand_to_its_end_without_a_silent_seat(kind: str) -> None:
    """And then the table waits for it: a hand is for four."""
    table = make_table("absence", options={"hands": 2})
    silence(table, {3}, lambda e: e.kind == kind)
    table.begin()
    table.deliver()
    wait(table, alive=(0, 1, 2))
    for seat in (0, 1, 2):
        assert declared(table, seat)
        assert not table.seats[seat].session.over
        assert len(events(table, seat, HandOver)) == 1
        assert table.seats[seat].session.waiting == ("back", (3,))
    heal(table)
    wait(table, 600)
    assert all(seated.session.over for seated in table.seats)
    assert alike(table, range(4))
    assert judged(table, 3).verdict == "complete"


def test_hazari_waits_at_the_deal_until_people_ask() -> None:
    """No clock shuts anybody out while nothing is at stake; by their wish the match ends."""
    table = make_table("absence", options={"hands": 2})
    silence(table, {3}, lambda e: e.kind == "shares")
    table.begin()
    table.deliver()
    wait(table, alive=(0, 1, 2))
    assert all(declared(table, seat) == [] for seat in (0, 1, 2))
    for seat in (0, 1, 2):
        table.run(table.seats[seat].session.miss(3, table.now), seat)
        table.deliver_votes()
    for seat in (0, 1, 2):
        ending = table.seats[seat].session.history.table.ending
        assert ending is not None
        assert (ending.end, ending.seats, ending.code) == (None, (3,), "absent")
    assert judged(table, 1).verdict == "complete"


@pytest.mark.slow
def test_two_against_two_wait_and_three_against_one_go_on() -> None:
    """And when they hear each other again, all stand on one record."""
    table = azi()
    table.begin()
    table.deliver(60)
    part(table, [{0, 1}, {2, 3}])
    table.deliver()
    wait(table)
    assert all(declared(table, seat) == [] for seat in range(4))
    assert not any(seated.session.over for seated in table.seats)
    heal(table)
    wait(table, 600)
    assert all(seated.session.over for seated in table.seats)
    assert alike(table, range(4))


@pytest.mark.slow
@pytest.mark.parametrize("steps", [40, 80, 110, 140])
def test_a_seat_on_the_wrong_side_of_a_cut_follows_the_others(steps: int) -> None:
    """It is away for that hand, learns what was voted, and is dealt in again."""
    table = azi(hands=3)
    table.begin()
    table.deliver(steps)
    part(table, [{0, 1, 3}, {2}])
    table.deliver()
    wait(table, 300, until=lambda: bool(declared(table, 0)))
    assert declared(table, 0)
    assert not table.seats[0].session.over
    heal(table)
    wait(table, 600)
    assert all(seated.session.over for seated in table.seats)
    assert alike(table, range(4))
    report = judged(table, 2)
    assert (report.verdict, report.caught) == ("complete", [])
    assert not any(seated.faults for seated in table.seats if seated.session.seat != 2)
    moved = {one.seat for one in events(table, 0, MoveMade) if isinstance(one, MoveMade)}
    assert moved == {0, 1, 2, 3}
    last = [step for step in report.steps if step.kind == "ready"][-1]
    assert last.seats == (0, 1, 2, 3)


@pytest.mark.slow
def test_a_late_entry_that_one_seat_has_holds() -> None:
    """Who holds it votes for it and shows it with its vote: nobody heard is shut out."""
    table = azi()
    table.begin()
    while table.seats[0].session.waiting != ("move", (1,)):
        table.deliver(1)
    # The mover reaches one seat; what that one passes on of it is lost, but for its vote.
    lane, step = 0, table.seats[0].session.history.lanes[0].step

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        envelope = open_envelope(data, table.agreement)
        lost = (envelope.lane, envelope.step, envelope.seat) == (lane, step, 1)
        return [] if lost and target != 2 else [data]

    table.tamper = tamper
    table.cut = lambda source, target: 1 in (source, target)
    table.deliver()
    assert table.seats[0].session.waiting == ("move", (1,))
    others = (0, 2, 3)
    wait(table, 200, alive=others, until=lambda: table.seats[0].session.waiting != ("move", (1,)))
    assert all(declared(table, seat) == [] for seat in others)
    heal(table)
    wait(table, 600)
    assert alike(table, range(4))
    assert judged(table, 0).verdict == "complete"
    assert not any(step.absent for step in judged(table, 0).steps)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (0, "move"),
        *slow((0, "result"), (0, "sit"), (0, "ready"), (1, "open"), (1, "prove")),
    ],
)
def test_who_did_not_hear_in_time_goes_back(number: int, kind: str) -> None:
    """It has closed a step by its own entry and gone on; the others have gone on without it."""
    table = azi()
    lost: list[Envelope] = []

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        envelope = open_envelope(data, table.agreement)
        if source == 1 and (envelope.lane, envelope.seat, envelope.kind) == (number, 1, kind):
            lost.append(envelope)
        return [] if lost and source == 1 else [data]

    table.tamper = tamper
    table.begin()
    table.deliver()
    step = lost[0].step
    mine = table.seats[1].session.history.lanes.get(number)
    assert mine is None or mine.step > step
    part(table, [{0, 2, 3}, {1}])
    wait(table, 300, alive=(0, 2, 3), until=lambda: bool(declared(table, 0)))
    assert declared(table, 0) == [(number, step, 1)]
    heal(table)
    wait(table, 600)
    assert went_back(table, 1) == 1
    assert all(went_back(table, seat) == 0 for seat in (0, 2, 3))
    assert all(seated.session.over for seated in table.seats)
    assert alike(table, range(4))
    assert judged(table, 1).verdict == "complete"


@pytest.mark.slow
def test_who_is_started_again_says_nothing_else() -> None:
    """A seat that has voted and was killed votes on as it did."""
    table = azi()
    silence(table, {2}, lambda e: e.kind == "move")
    table.begin()
    table.deliver()
    wait(table, 30, alive=(0,))
    restart(table, 0)
    wait(table, alive=(0, 1, 3))
    assert {gone for _, _, gone in declared(table, 1)} == {2}
    assert table.seats[1].session.over
    assert alike(table, (0, 1, 3))
    assert not any(fault.seat is not None for seat in (1, 3) for fault in table.seats[seat].faults)


@pytest.mark.parametrize(("hand", "declares"), [(1, True), (2, False)])
def test_who_says_that_it_leaves_is_not_waited_for(hand: int, declares: bool) -> None:
    """Its clocks count as run out in this hand, at whoever hears of it; in no other hand."""
    table = azi()
    silence(table, {2}, lambda e: e.kind == "move")
    table.begin()
    table.deliver()
    word = seal_leaving(table.agreement, table.keys[2], 2, hand)
    table.run(table.seats[0].session.receive_vote(word.data, b"", table.now), 0)
    table.deliver_votes()
    wait(table, 5, alive=(0, 1, 3), until=lambda: bool(declared(table, 0)))
    assert bool(declared(table, 0)) is declares


@pytest.mark.parametrize("seal", [seal_leaving, partial(seal_back, choice="in")])
def test_who_says_of_every_hand_that_it_goes_or_is_back_floods_nobody(
    seal: Callable[[Agreement, Ed25519PrivateKey, int, int], Back | Leaving],
) -> None:
    """Words of this hand and of those beside it are passed on; no others."""
    table = azi()
    session = table.seats[0].session
    table.run(session.begin(table.now), 0)
    passed_on = []
    for hand in (*range(1, 40), 1_000_000_000):
        word = seal(table.agreement, table.keys[2], 2, hand)
        sent = session.receive_vote(word.data, b"", table.now)
        passed_on += [hand for effect in sent if effect == SendVote(word.data)]
    assert passed_on in ([1, 2], [1, 2, 3])


def test_between_hands_a_seat_is_not_called_gone_while_people_look_at_the_result() -> None:
    """Programs may hold the answer back for a minute; then the program answers by itself."""
    table = azi()
    table.run(table.seats[1].session.pause(True, table.now), 1)
    table.begin()
    table.deliver()
    assert table.seats[0].session.waiting == ("sit", (1,))
    wait(table, 65)
    assert table.seats[0].session.waiting == ("sit", (1,))
    wait(table, 10)
    assert table.seats[0].session.waiting != ("sit", (1,))
    assert all(declared(table, seat) == [] for seat in range(4))


@pytest.mark.slow
def test_all_may_be_away_and_come_back() -> None:
    """Three seats go one after the other in a hand: who is left makes no second history."""
    table = make_table("one by one", "azi", {"hands": 2}, 3)
    silence(table, {2}, lambda e: e.kind == "move")
    table.begin()
    table.deliver()
    wait(table, 200, alive=(0, 1), until=lambda: bool(declared(table, 0)))
    part(table, [{0}, {1}, {2}])
    table.deliver()
    wait(table, 300)
    heal(table)
    wait(table, 900)
    assert all(seated.session.over for seated in table.seats)
    assert alike(table, range(3))
    assert judged(table, 2).verdict == "complete"
