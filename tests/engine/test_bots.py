"""Hazari's bots: always legal, repeatable, bound to their view, and not equally good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean

import pytest

from bench.bots import contest
from bench.search import hands
from engine.contract import Card, Draw, Move, Slot, View
from engine.hazari import GAME
from engine.hazari.search import best_division
from engine.options import complete
from tests.engine.hands import NO_RUN, cards

STRONG_SIX_PAIRS = cards("AS AH AD AC KS KH KD KC QS QH QD QC JS")
"""Six pairs, and three troys."""


def seat_view(hand: Sequence[Card], dismissal: str = "off", seat: int = 2) -> View:
    """The view of a seat that owes a division of this hand."""
    options = complete(GAME.options, {"dismissal": dismissal})
    state = GAME.start(options, (0, 1, 2, 3), GAME.opening(options, 4), coin=0)
    faces: dict[Slot, Card] = dict(enumerate(hand, start=13 * seat))
    return GAME.view(GAME.shown(state, faces), seat, faces)


def stream(seed: int) -> Draw:
    """Draws that depend on the seed alone."""
    state = [seed]

    def draw(n: int) -> int:
        # Knuth's MMIX generator; its high bits are even enough for a test.
        state[0] = (state[0] * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state[0] >> 33) % n

    return draw


def no_draw(n: int) -> int:
    """A draw that must not be asked for."""
    raise AssertionError(f"asked to draw below {n}")


def groups(move: Move, view: View) -> list[list[Card]]:
    """The cards of an "up", group by group, sorted."""
    face = dict(view.hand)
    found: list[list[Card]] = []
    for group in move[1:]:
        assert isinstance(group, tuple)
        found.append(sorted(face[slot] for slot in group if isinstance(slot, int)))
    return found


def test_the_game_offers_the_two_strategies() -> None:
    """By the names that people choose."""
    assert sorted(GAME.strategies) == ["random", "steady"]


@pytest.mark.parametrize(
    "dismissal",
    [
        "both",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("off", "no_run", "six_pairs")),
    ],
)
@pytest.mark.parametrize("name", ["random", "steady"])
def test_every_move_is_one_that_the_own_program_allows(name: str, dismissal: str) -> None:
    """Sixty hands, and two that may be dismissed, at every seat in turn."""
    dealt = [*hands(60, seed=1), NO_RUN, STRONG_SIX_PAIRS]
    for number, hand in enumerate(dealt):
        view = seat_view(hand, dismissal, seat=number % 4)
        move = GAME.strategies[name](view, stream(number))
        assert GAME.objection(view, move) is None


@pytest.mark.parametrize("draw", [lambda n: 0, lambda n: n - 1], ids=["lowest", "highest"])
def test_random_is_legal_even_with_a_draw_that_never_changes(draw: Callable[[int], int]) -> None:
    """It gives up shuffling in the end and plays the fallback."""
    for hand in hands(10, seed=2):
        view = seat_view(hand)
        assert GAME.objection(view, GAME.strategies["random"](view, draw)) is None


def test_random_is_repeatable_and_takes_many_ways() -> None:
    """The same draws give the same move; a hundred others hardly one twice."""
    view = seat_view(hands(1, seed=3)[0])
    play = GAME.strategies["random"]
    assert play(view, stream(5)) == play(view, stream(5))
    assert len({play(view, stream(seed)) for seed in range(100)}) > 90


def test_random_dismisses_about_every_other_hand_that_it_may() -> None:
    """Whether the hand is good or bad; never where the table does not allow it."""
    play = GAME.strategies["random"]
    for hand, dismissal in ((NO_RUN, "both"), (STRONG_SIX_PAIRS, "six_pairs")):
        view = seat_view(hand, dismissal)
        dismissed = sum(play(view, stream(seed)) == ("dismiss",) for seed in range(200))
        assert 60 < dismissed < 140
    view = seat_view(NO_RUN, "off")
    assert all(play(view, stream(seed))[0] == "up" for seed in range(20))


@pytest.mark.slow
def test_steady_arranges_for_the_most_expected_points_and_draws_nothing() -> None:
    """It plays just what the search for points finds."""
    for hand in hands(20, seed=4):
        view = seat_view(hand)
        move = GAME.strategies["steady"](view, no_draw)
        assert groups(move, view) == [sorted(group) for group in best_division(hand, "points")]


def test_steady_dismisses_a_weak_hand_and_keeps_a_strong_one() -> None:
    """If the rules let it, and the hand is worth less than a fair share of the points."""
    play = GAME.strategies["steady"]
    assert play(seat_view(NO_RUN, "no_run"), no_draw) == ("dismiss",)
    assert play(seat_view(NO_RUN, "six_pairs"), no_draw)[0] == "up"
    assert play(seat_view(STRONG_SIX_PAIRS, "both"), no_draw)[0] == "up"


@pytest.mark.parametrize("name", ["random", "steady"])
def test_a_bot_that_owes_nothing_is_told_so(name: str) -> None:
    """A spectator's view, and one of another game."""
    options = complete(GAME.options, {})
    state = GAME.start(options, (0, 1, 2, 3), GAME.opening(options, 4), coin=0)
    with pytest.raises(ValueError, match="owes"):
        GAME.strategies[name](GAME.view(state, None, {}), no_draw)
    with pytest.raises(TypeError, match="view of Hazari"):
        GAME.strategies[name](View("other", 0, "up", ()), no_draw)


@pytest.mark.slow
def test_steady_beats_random_clearly_over_200_hands() -> None:
    """One against three, each seat in turn: more than twice its fair share of 90, by far."""
    shown = contest(("steady", "random", "random", "random"), hands=200, seed=1)
    steady, chance = shown["steady"], shown["random"]
    assert (len(steady.points), len(chance.points)) == (200, 600)
    assert sum(steady.points) + sum(chance.points) == 200 * 360
    assert mean(steady.points) - 4 * steady.error > 180
    assert steady.highest > 190


@pytest.mark.slow
def test_steady_beats_the_strongest_groups_in_order_over_200_hands() -> None:
    """What the own program plays for a late seat is not what a player should play."""
    shown = contest(("steady", "fallback", "fallback", "fallback"), hands=200, seed=1)
    assert mean(shown["steady"].points) > 100


@pytest.mark.slow
def test_a_contest_plays_on_after_dismissed_hands() -> None:
    """With dismissals just as many hands are scored; more moves were made."""
    shown = contest(("steady", "random", "random", "random"), 40, 1, {"dismissal": "both"})
    assert len(shown["steady"].points) == 40 < len(shown["steady"].seconds)
