"""Azi's cards: the pack, whose slots are whose, following, and what takes a trick."""

from __future__ import annotations

import itertools

import pytest

from engine import Card
from engine.azi.pack import (
    cards_of_suits,
    cards_without,
    clockwise,
    denied,
    lowest,
    own_slots,
    playable,
    winning,
)
from tests.engine.azi_hands import cards

PACK = cards_without("C")


@pytest.mark.parametrize("left_out", "SHDC")
def test_the_pack_has_three_suits_from_the_ace_to_the_six(left_out: str) -> None:
    """In the total order: rank first, then S H D C."""
    pack = cards_without(left_out)
    suits = [suit for suit in "SHDC" if suit != left_out]
    assert pack == tuple(rank + suit for rank in "AKQJT9876" for suit in suits)


def test_cards_of_suits_keep_the_order_of_the_pack() -> None:
    """What a claim forbids is all cards of some suits."""
    assert cards_of_suits(PACK, ("H",)) == cards("AH KH QH JH TH 9H 8H 7H 6H")
    assert cards_of_suits(PACK, ("D", "S"))[:4] == cards("AS AD KS KD")
    assert cards_of_suits(PACK, ()) == ()


@pytest.mark.parametrize(
    ("seats", "first", "expected"),
    [
        ((0, 1, 2), 1, (1, 2, 0)),
        ((0, 2, 5), 3, (5, 0, 2)),
        ((0, 2, 5), 6, (0, 2, 5)),
        ((4,), 0, (4,)),
        ((), 2, ()),
    ],
)
def test_clockwise_from_any_seat(
    seats: tuple[int, ...], first: int, expected: tuple[int, ...]
) -> None:
    """The first need not be among them."""
    assert clockwise(seats, first) == expected


def test_blocks_of_slots_go_by_place_among_those_dealt_in() -> None:
    """Not by the seat's number."""
    assert own_slots((1, 3, 4), 3, 3) == (3, 4, 5)
    assert own_slots((1, 3, 4), 4, 4) == (8, 9, 10, 11)


def test_what_a_card_says_of_the_rest_of_the_hand() -> None:
    """Following says nothing, trumping that there is no led suit, else that there is no trump."""
    assert denied("6D", "D", "H") == ()
    assert denied("6H", "D", "H") == ("D",)
    assert denied("6S", "D", "H") == ("D", "H")
    assert denied("6H", "H", "H") == ()
    assert denied("6S", "H", "H") == ("H",)


@pytest.mark.parametrize("led", "SHD")
def test_following_is_follow_else_trump_else_anything(led: str) -> None:
    """The one rule, against the plain words of it, for every hand of three cards."""
    for hand in itertools.combinations(PACK, 3):
        suits = {card[1] for card in hand}
        must = led if led in suits else "H" if "H" in suits else ""
        expected = tuple(card for card in hand if not must or card[1] == must)
        assert playable(hand, led, "H") == expected


def test_who_leads_may_play_anything() -> None:
    """No suit is led yet."""
    assert playable(cards("AS 6H 7D"), "", "H") == cards("AS 6H 7D")


@pytest.mark.parametrize(
    ("played", "six_on_stage", "expected"),
    [
        ("9D KD 6D", False, "KD"),
        ("9D AS KS", False, "9D"),
        ("9D 6H AD", False, "6H"),
        ("AH 6H KH", False, "AH"),
        ("AH 6H KH", True, "6H"),
        ("7D 6D TD", True, "TD"),
        ("6D 6S 7D", True, "7D"),
    ],
)
def test_the_card_that_takes_a_trick(played: str, six_on_stage: bool, expected: Card) -> None:
    """The highest trump, else the highest of the led suit; six on stage promotes one card."""
    held = cards(played)
    assert held[winning(held, "H", six_on_stage)] == expected


def test_the_lowest_card_is_no_trump_if_that_can_be() -> None:
    """Lower rank first, then the later suit in the total order."""
    assert lowest(cards("AS 6H KD"), "H") == "KD"
    assert lowest(cards("6S 6D 7D"), "H") == "6D"
    assert lowest(cards("AH 6H"), "H") == "6H"
    with pytest.raises(ValueError, match="empty"):
        lowest((), "H")
