"""When a match of Hazari ends, and who wins it."""

from __future__ import annotations

import pytest

from engine import MatchEnd
from engine.hazari import GAME
from engine.hazari.state import HazariStanding
from tests.engine.driver import play_match
from tests.engine.hands import ALL, deck, fallback_move, options


def test_a_cancelled_hand_does_not_count_as_one_of_the_hands() -> None:
    """So nobody shortens the match by it."""
    standing = HazariStanding((90, 100, 85, 85), dealer=1, dealt=4, played=1)
    assert GAME.match(options(hands=2), standing, ALL) is None


@pytest.mark.parametrize(
    ("totals", "played", "given", "winner", "rule"),
    [
        ((995, 900, 800, 700), 9, {}, None, ""),
        ((1000, 900, 800, 700), 9, {}, 0, "target"),
        ((1000, 1000, 800, 700), 9, {}, None, ""),
        ((1000, 1000, 1005, 700), 9, {}, 2, "target"),
        ((100, 0, 95, 0), 1, {"target": 100}, 0, "target"),
        ((500, 400, 300, 240), 4, {"hands": 5}, None, ""),
        ((500, 400, 300, 240), 5, {"hands": 5}, 0, "hands"),
        ((500, 500, 300, 240), 5, {"hands": 5}, None, ""),
        ((500, 600, 300, 240), 6, {"hands": 5}, 1, "hands"),
        ((5000, 400, 300, 240), 4, {"hands": 5}, None, ""),
    ],
)
def test_the_end_of_the_match(
    totals: tuple[int, ...], played: int, given: dict[str, int], winner: int | None, rule: str
) -> None:
    """At the target, or after so many hands; a tie at the top plays on."""
    standing = HazariStanding(totals, dealer=0, dealt=played, played=played)
    end = GAME.match(options(**given), standing, ALL)
    if winner is None:
        assert end is None
    else:
        text = f"seat {winner} wins the match with {max(totals)} points"
        assert end == MatchEnd(winner, rule, text)


def test_a_match_of_many_hands_reaches_the_target() -> None:
    """The deal goes round to the right, and every hand adds 360."""
    seeds = iter(range(100, 200))
    end, standing = play_match(
        GAME, options(), (deck(seed) for seed in seeds), fallback_move, GAME.opening(options(), 4)
    )
    assert isinstance(standing, HazariStanding)
    assert sum(standing.totals) == 360 * standing.played
    assert standing.dealer == -standing.dealt % 4
    assert end.winner == standing.totals.index(max(standing.totals))
    assert max(standing.totals) >= 1000


def test_who_was_caught_cannot_win() -> None:
    """The highest total of the others does, even if only the caught one's is at the target."""
    standing = HazariStanding((1100, 900, 800, 900), dealer=0, dealt=9, played=9)
    assert GAME.match(options(), standing, ALL, frozenset({0})) is None  # two are level
    end = GAME.match(options(), standing, ALL, frozenset({0, 1}))
    assert end == MatchEnd(3, "target", "seat 3 wins the match with 900 points")
