"""The four rounds: order of play, who takes what, and where the points go."""

from __future__ import annotations

import pytest

from engine.cards import FULL_PACK
from engine.hazari.rounds import order_of_play, play, right_of, scores, winner_of
from tests.engine.hands import cards

EQUAL = {
    0: cards("AS KD QH"),
    1: cards("AD KH QC"),
    2: cards("AH KC QS"),
    3: cards("AC KS QD"),
}
"""Four equal runs."""


def division(*texts: str) -> tuple[tuple[str, ...], ...]:
    """A division, one text a group."""
    return tuple(cards(text) for text in texts)


HAND = (
    division("AS AH AD", "8S 8H 2D", "9S 6H 4D", "7S 5H 3D 2C"),
    division("KS KH KD", "QS QH 2S", "9H 6D 4C", "7H 5D 3C 2H"),
    division("TS TH TD", "JS JH AC", "9D 6C 4S", "7D 5C 3S QD"),
    division("TC JD QC", "KC JC 8D", "9C 6S 4H", "7C 5S 3H 8C"),
)
"""Four divisions. Round 1: seat 0, round 2: seat 1, round 3: all equal, round 4: seat 2 by Q."""


def test_play_goes_counter_clockwise() -> None:
    """From the leader to the right, and the deal as well."""
    assert order_of_play(3) == (3, 2, 1, 0)
    assert order_of_play(1) == (1, 0, 3, 2)
    assert [right_of(seat) for seat in range(4)] == [3, 0, 1, 2]


@pytest.mark.parametrize("leader", range(4))
def test_of_equal_groups_the_one_played_last_wins(leader: int) -> None:
    """So the seat to the leader's left, which plays last, whoever leads."""
    assert winner_of(EQUAL, leader) == (leader + 1) % 4


def test_seats_below_lose_against_anything() -> None:
    """Among themselves they rank as usual, and the last of equal ones wins."""
    groups = {**EQUAL, 0: cards("AS AH AD"), 1: cards("2S 3H 5D")}
    assert winner_of(groups, 0) == 0
    assert winner_of(groups, 0, {0}) == 2
    assert winner_of(groups, 0, {0, 2, 3}) == 1
    assert winner_of(groups, 0, {0, 1, 2, 3}) == 0
    assert winner_of(EQUAL, 2, {0, 1, 2, 3}) == 3


def test_the_winner_of_a_round_leads_the_next() -> None:
    """The seat to the dealer's right leads the first; equal groups show why order matters."""
    rounds = play(HAND, dealer=0)
    assert [one.number for one in rounds] == [1, 2, 3, 4]
    assert [one.order[0] for one in rounds] == [3, 0, 1, 2]
    assert [one.winner for one in rounds] == [0, 1, 2, 2]
    assert [len(one.groups[0]) for one in rounds] == [3, 3, 3, 4]


def test_the_winner_takes_the_points_of_all_cards_played() -> None:
    """Twelve cards in three rounds, sixteen in the last, 360 together."""
    assert {card for one in HAND for group in one for card in group} == {*FULL_PACK}
    rounds = play(HAND, dealer=0)
    assert [one.points for one in rounds] == [120, 95, 60, 85]
    assert scores(rounds) == (120, 95, 145, 0)


def test_the_dealer_decides_who_takes_equal_groups() -> None:
    """With another dealer another seat plays last where all are equal."""
    equal = tuple((EQUAL[seat],) * 3 + ((*EQUAL[seat], "2C"),) for seat in range(4))
    for dealer in range(4):
        leader = right_of(dealer)
        winners = [one.winner for one in play(equal, dealer)]
        assert winners == [(leader + step) % 4 for step in (1, 2, 3, 4)]
