"""Divisions: their order, and the fallback that stands in."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import FULL_PACK, order
from engine.hazari.combinations import strength
from engine.hazari.division import (
    GROUP_SIZES,
    faces_of,
    fallback,
    fallback_by_slots,
    fault_text,
    order_fault,
    own_slots,
)
from tests.engine.hands import cards

HANDS = st.lists(st.sampled_from(FULL_PACK), min_size=13, max_size=13, unique=True)


def groups(*texts: str) -> tuple[tuple[str, ...], ...]:
    """A division, one text a group."""
    return tuple(cards(text) for text in texts)


def test_each_seat_owns_a_block_of_thirteen_slots() -> None:
    """The four blocks are the whole pack."""
    assert own_slots(0) == tuple(range(13))
    assert [slot for seat in range(4) for slot in own_slots(seat)] == list(range(52))


@pytest.mark.parametrize(
    ("division", "text"),
    [
        (
            groups("KS QS JS", "AS AH AD", "TH 9D 8C", "7S 7H 4D 2C"),
            "group 2 outranks group 1 (troy of A, colour run K-Q-J)",
        ),
        (
            groups("AS AH AD", "7S 7H 2C", "TH 9D 8C", "KS QH JS 4D"),
            "group 3 outranks group 2 (run T-9-8, pair of 7 with 2)",
        ),
        (
            groups("AS AH AD", "KS QS JS", "TH 8D 7C", "7S 7H 4D 2C"),
            "group 4 outranks group 3 (pair of 7 with 4, indi T-8-7)",
        ),
    ],
)
def test_the_first_group_out_of_order_is_named(
    division: tuple[tuple[str, ...], ...], text: str
) -> None:
    """The sentence says which group outranks which, and what both are."""
    fault = order_fault(division)
    assert fault is not None
    assert fault_text(division, fault) == text


def test_equal_neighbours_are_in_order() -> None:
    """Two runs of the same height may stand in either order."""
    first, second = cards("AS KS QS"), cards("AH KH QH")
    rest = groups("9C 9D 4S", "9H 9S 4C 2D")
    assert order_fault((first, second, *rest)) is None
    assert order_fault((second, first, *rest)) is None


@given(HANDS)
def test_the_fallback_is_a_legal_division_of_the_hand(hand: list[str]) -> None:
    """Whatever the hand: sizes, cards and order are right."""
    division = fallback(hand)
    assert tuple(len(group) for group in division) == GROUP_SIZES
    assert sorted(card for group in division for card in group) == sorted(hand)
    assert order_fault(division) is None


@given(HANDS)
def test_the_fallback_takes_the_strongest_three_each_time(hand: list[str]) -> None:
    """As slowly looking at all threes does; the total order decides between equal ones."""
    rest = set(hand)
    for group in fallback(hand)[:3]:
        threes = [tuple(sorted(three, key=order)) for three in combinations(rest, 3)]
        most = max(strength(three) for three in threes)
        equal = [three for three in threes if strength(three) == most]
        assert group == min(equal, key=lambda three: [order(card) for card in three])
        rest -= set(group)


@given(HANDS)
def test_the_fallback_does_not_depend_on_the_order_of_the_hand(hand: list[str]) -> None:
    """The others compute the same by elimination, in whatever order they hold the cards."""
    assert fallback(sorted(hand)) == fallback(hand) == fallback(hand[::-1])


@given(HANDS)
def test_the_fallback_by_slots_is_the_same_division(hand: list[str]) -> None:
    """With the slots of a move ascending in each group."""
    faces = {13 + place: card for place, card in enumerate(hand)}
    division = fallback_by_slots(faces)
    assert all(list(group) == sorted(group) for group in division)
    assert faces_of(division, faces) == fallback(hand)


def test_a_division_with_a_face_missing_cannot_be_turned_into_cards() -> None:
    """A mistake of the caller."""
    with pytest.raises(KeyError):
        faces_of(((0, 1, 2),), {0: "AS", 1: "KS"})
