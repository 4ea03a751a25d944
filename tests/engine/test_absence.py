"""Seats that are gone: the rule at each step, and that nobody gains by silence."""

from __future__ import annotations

import pytest

from engine import Audience, Outcome, State
from engine.hazari import GAME
from engine.hazari.division import fallback, own_slots
from engine.hazari.state import HazariState
from tests.engine.driver import Table, play_hand
from tests.engine.hands import ALL, NO_RUN, deck, deck_with, fallback_move, options
from tests.engine.test_hazari import OPENING, SEATS, at_up, divisions, hand_of

UP, LOCK, SHOW = 2, 3, 4  # steps of a hand; the deal is step 1
PACK = deck(11)
FACES = dict(enumerate(PACK))


def silent(*steps: tuple[int, int]) -> Table:
    """A hand in which seats fall silent: pairs of step and seat."""
    plan: dict[int, frozenset[int]] = {}
    for step, seat in steps:
        plan[step] = plan.get(step, frozenset()) | {seat}
    return play_hand(GAME, options(), OPENING, PACK, fallback_move, silent=plan)


def sealed() -> State:
    """A state at the show, all locks there."""
    state = at_up()
    return GAME.locked(GAME.apply(state, divisions(PACK, state), {}), frozenset())


@pytest.mark.parametrize("seats", [{2}, {0, 1}, ALL])
def test_at_the_deal_the_table_waits_with_the_same_pack(seats: frozenset[int]) -> None:
    """A fresh pack would be a second try; the state stays as it is."""
    state = GAME.start(options(), SEATS, OPENING, 0)
    assert GAME.absent(state, frozenset(seats), {}) == (state, Outcome.WAITS)


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("step", [UP, LOCK])
def test_a_seat_gone_before_its_lock_plays_the_fallback_by_elimination(
    step: int, seat: int
) -> None:
    """Its cards are those that the three others do not hold; none of its slots ever opens."""
    table = silent((step, seat))
    shown = hand_of(table).shown
    assert table.outcome is Outcome.GOES_ON
    assert set(table.public()) == set(range(52)) - set(own_slots(seat))
    assert shown is not None
    assert shown.divisions[seat] == fallback(PACK[slot] for slot in own_slots(seat))
    assert shown.replaced == {seat}
    assert not shown.foul
    assert sum(shown.scores) == 360


@pytest.mark.parametrize("seat", SEATS)
def test_a_seat_gone_at_the_show_plays_its_own_division(seat: int) -> None:
    """The others open its lock: silence changes nothing."""
    present = hand_of(play_hand(GAME, options(), OPENING, PACK, fallback_move))
    table = silent((SHOW, seat))
    assert set(table.public()) == set(range(52))
    assert hand_of(table).shown == present.shown
    assert hand_of(table).gone == {seat}


@pytest.mark.parametrize("step", [UP, LOCK, SHOW])
def test_two_seats_gone_at_once_make_the_hand_void(step: int) -> None:
    """Two hands cannot be told apart by elimination, and no lock opens without all the others."""
    table = silent((step, 0), (step, 3))
    assert hand_of(table).void
    assert GAME.over(table.state)
    assert all(isinstance(who, Audience) and not who.public for who in GAME.audience(table.state))


def test_a_void_hand_ends_the_match_without_a_winner() -> None:
    """Else two allies with bad cards could leave, come back and be dealt new ones."""
    standing = GAME.settle(silent((UP, 0), (UP, 3)).state)
    end = GAME.match(options(), standing, ALL)
    assert end is not None
    assert (end.winner, end.rule) == (None, "broken")
    plain = GAME.plain_standing(standing)
    assert isinstance(plain, tuple)
    assert ("points", (0, 0, 0, 0)) in plain


@pytest.mark.parametrize("first", [UP, LOCK])
def test_a_second_seat_gone_at_the_show_makes_the_hand_void(first: int) -> None:
    """Its lock is sealed to the first one as well, and two hands stay unknown."""
    assert hand_of(silent((first, 1), (SHOW, 2))).void


def test_a_seat_gone_after_its_cards_are_open_changes_nothing() -> None:
    """Its faces stand; only the one whose cards are missing is reckoned by elimination."""
    state = sealed()
    open_faces = {slot: FACES[slot] for slot in range(52) if slot not in own_slots(1)}
    after, outcome = GAME.absent(state, frozenset({1, 2}), open_faces)
    assert outcome is Outcome.GOES_ON
    assert isinstance(after, HazariState)
    assert after.hidden == {1}
    assert not any(GAME.audience(after)[slot].public for slot in own_slots(1))
    assert GAME.settle(GAME.shown(after, open_faces)) == GAME.settle(
        GAME.shown(GAME.absent(state, frozenset({1, 2}), FACES)[0], FACES)
    )


def test_seats_may_go_one_after_the_other() -> None:
    """The same outcome as at once, whichever went first."""
    state = sealed()
    open_faces = {slot: FACES[slot] for slot in range(52) if slot not in own_slots(1)}
    both, _ = GAME.absent(state, frozenset({1, 2}), open_faces)
    one, _ = GAME.absent(state, frozenset({1}), open_faces)
    other, _ = GAME.absent(state, frozenset({2}), open_faces)
    assert GAME.absent(one, frozenset({2}), open_faces) == (both, Outcome.GOES_ON)
    assert GAME.absent(other, frozenset({1}), open_faces) == (both, Outcome.GOES_ON)


def test_a_gone_seat_is_asked_for_nothing_more() -> None:
    """It owes no choice and no lock, and may not move any more."""
    state, outcome = GAME.absent(at_up(), frozenset({2}), {})
    assert outcome is Outcome.GOES_ON
    assert GAME.owed(state) == {0: "up", 1: "up", 3: "up"}
    moves = divisions(PACK, at_up())
    del moves[2]
    after = GAME.apply(state, moves, {})
    assert sorted(GAME.locks(after)) == [0, 1, 3]
    assert GAME.view(state, 2, {}).owes is None


def test_a_lock_that_is_missing_may_be_told_by_either_call() -> None:
    """``absent`` before ``locked``, ``locked`` alone, or both with the same seat."""
    state = at_up()
    state = GAME.apply(state, divisions(PACK, state), {})
    gone = frozenset({3})
    told, outcome = GAME.absent(state, gone, {})
    assert outcome is Outcome.GOES_ON
    expected = GAME.locked(state, gone)
    assert GAME.locked(told, frozenset()) == GAME.locked(told, gone) == expected


def test_a_seat_gone_does_not_keep_another_from_a_dismissal() -> None:
    """The hand is cancelled as always."""
    pack = deck_with(2, NO_RUN)
    state, _ = GAME.absent(at_up(dismissal="no_run"), frozenset({0}), {})
    moves = divisions(pack, at_up())
    faces = {slot: pack[slot] for slot in own_slots(2)}
    after = GAME.apply(state, {1: moves[1], 2: ("dismiss",), 3: moves[3]}, faces)
    assert GAME.over(after)
    assert "the hand was cancelled, nobody scored" in GAME.describe(after)


def test_after_the_hand_an_absence_changes_nothing() -> None:
    """The hand is over; who comes back is for the next one."""
    state = silent().state
    assert GAME.absent(state, frozenset({1, 2}), {}) == (state, Outcome.GOES_ON)
