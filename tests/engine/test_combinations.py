"""Which combination outranks which: all 22,100 threes against the rules' own list, in words."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import FULL_PACK, RANKS, order
from engine.hazari.combinations import best_three, has_run, spoken, strength, type_name
from tests.engine.hands import NO_RUN, SIX_PAIRS, cards

RUNS = ["AKQ", "A23", *(RANKS[at : at + 3] for at in range(1, 11))]
FALLING = ["".join(three) for three in combinations(RANKS, 3)]
NO_RUNS = [three for three in FALLING if {*three} not in [{*run} for run in RUNS]]


def ranking() -> list[tuple[str, str, bool | None]]:
    """Every combination from high to low: type, ranks, of one suit or not (None: cannot be)."""
    return [
        *(("troy", rank * 3, None) for rank in RANKS),
        *(("colour run", run, True) for run in RUNS),
        *(("run", run, False) for run in RUNS),
        *(("colour", three, True) for three in NO_RUNS),
        *(("pair", pair * 2 + odd, None) for pair in RANKS for odd in RANKS if odd != pair),
        *(("indi", three, False) for three in NO_RUNS),
    ]


PLACES = {
    ("".join(sorted(ranks)), one_suit): (place, name)
    for place, (name, ranks, one_suit) in enumerate(ranking())
}


def place_of(three: tuple[str, ...]) -> tuple[int, str]:
    """The place of three cards in the list, from 0 for A-A-A, and their type: an own oracle."""
    ranks = "".join(sorted(card[0] for card in three))
    one_suit: bool | None = len({card[1] for card in three}) == 1
    if len(set(ranks)) < 3:
        one_suit = None
    return PLACES[ranks, one_suit]


def test_strength_and_type_agree_with_the_list_for_every_three() -> None:
    """Stronger means earlier in the list, equally strong means the same entry."""
    strengths: dict[int, set[tuple[int, ...]]] = {}
    for three in combinations(FULL_PACK, 3):
        place, name = place_of(three)
        strengths.setdefault(place, set()).add(strength(three))
        assert type_name(three) == name
    assert sorted(strengths) == list(range(len(PLACES)))
    assert all(len(same) == 1 for same in strengths.values())
    from_high_to_low = [strengths[place].pop() for place in range(len(PLACES))]
    assert all(a > b for a, b in pairwise(from_high_to_low))


def test_the_order_of_the_cards_does_not_matter() -> None:
    """Three cards are a set; so are four."""
    for three in [*list(combinations(FULL_PACK, 3))[::97], ("2C", "AC", "3C"), ("KS", "AH", "KD")]:
        assert len({strength(turned) for turned in permutations(three)}) == 1


@given(st.lists(st.sampled_from(FULL_PACK), min_size=4, max_size=4, unique=True))
def test_four_cards_are_as_strong_as_their_best_three(four: list[str]) -> None:
    """The spare card is no tie-breaker."""
    best = min(place_of(three) for three in combinations(four, 3))
    assert strength(four) == strength(best_three(four))
    assert place_of(best_three(four)) == best
    assert type_name(four) == best[1]


@given(st.lists(st.sampled_from(FULL_PACK), min_size=3, max_size=13, unique=True))
def test_best_three_is_the_first_of_the_strongest(held: list[str]) -> None:
    """Among equally strong threes the one whose cards, highest first, come first in the order."""
    threes = [tuple(sorted(three, key=order)) for three in combinations(held, 3)]
    expected = min(threes, key=lambda three: (place_of(three)[0], [order(c) for c in three]))
    assert best_three(held) == expected


@pytest.mark.parametrize("count", [0, 1, 2, 5, 13])
def test_a_group_of_another_size_has_no_strength(count: int) -> None:
    """A mistake of the caller, never a verdict."""
    with pytest.raises(ValueError, match=f"3 or 4 cards, not {count}"):
        strength(FULL_PACK[:count])


def test_two_cards_have_no_best_three() -> None:
    """A mistake of the caller as well."""
    with pytest.raises(ValueError, match="no three cards among 2"):
        best_three(FULL_PACK[:2])


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ("9S 9H 9D KC", "troy of 9"),
        ("AS KS QS", "colour run A-K-Q"),
        ("3H AS 2C", "run A-2-3"),
        ("4D 2D 3D", "colour run 4-3-2"),
        ("2D KD 9D", "colour K-9-2"),
        ("2D KH 2H", "pair of 2 with K"),
        ("TD KH 2H", "indi K-T-2"),
    ],
)
def test_a_combination_is_said_in_words(held: str, words: str) -> None:
    """The words of the log and of objections."""
    assert spoken(cards(held)) == words


@given(st.lists(st.sampled_from(FULL_PACK), min_size=13, max_size=13, unique=True))
def test_has_run_finds_a_run_among_all_threes(held: list[str]) -> None:
    """As slowly looking at all threes does."""
    names = {type_name(three) for three in combinations(held, 3)}
    assert has_run(held) == bool(names & {"run", "colour run"})


def test_hands_of_the_tests_are_what_they_say() -> None:
    """K-A-2 is no run, so the hand without one holds all three."""
    assert {"K", "A", "2"} <= {card[0] for card in NO_RUN}
    assert not has_run(NO_RUN)
    assert has_run(SIX_PAIRS)
    assert len({*NO_RUN}) == len({*SIX_PAIRS}) == 13
