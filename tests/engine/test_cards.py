"""Cards, and the one total order that ties are broken by."""

from __future__ import annotations

import pytest

from engine.cards import FULL_PACK, is_card, order, ordered, rank_value, suit
from engine.hazari.rounds import points


def test_the_pack_has_52_cards_in_the_total_order() -> None:
    """Rank first, ace high, then spades, hearts, diamonds, clubs."""
    assert len(set(FULL_PACK)) == len(FULL_PACK) == 52
    assert FULL_PACK[:5] == ("AS", "AH", "AD", "AC", "KS")
    assert FULL_PACK[-1] == "2C"
    assert [order(card) for card in FULL_PACK] == list(range(52))


def test_cards_are_put_in_order() -> None:
    """A ten stands between jack and nine, and suits decide within a rank."""
    assert ordered(["9S", "TC", "JD", "TS", "TD"]) == ("JD", "TS", "TD", "TC", "9S")


def test_rank_and_suit_of_a_card() -> None:
    """An ace counts 14, a two 2."""
    assert [rank_value(card) for card in ("AS", "KH", "TD", "2C")] == [14, 13, 10, 2]
    assert [suit(card) for card in ("AS", "KH", "TD", "2C")] == ["S", "H", "D", "C"]


@pytest.mark.parametrize(
    "value", ["", "A", "10S", "1S", "as", "AX", "SA", 5, None, ("A", "S"), b"AS"]
)
def test_what_is_no_card(value: object) -> None:
    """Only the 52 spellings are cards; anything may be asked."""
    assert not is_card(value)


def test_what_is_a_card() -> None:
    """All 52 are."""
    assert all(is_card(card) for card in FULL_PACK)


def test_the_pack_is_worth_360() -> None:
    """Five ranks of ten points and eight of five, in four suits."""
    assert points(FULL_PACK) == 360
    assert [points([rank + "S"]) for rank in "AKQJT98765432"] == [10] * 5 + [5] * 8
