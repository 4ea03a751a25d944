"""Chips: none is ever made or lost; what winners take, and how odd chips fall."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.azi.money import CARRIED, MATCHED, PRO_RATA, equal_parts, split, with_stacks

CHIPS = with_stacks((100, 50, 0), 7)


def test_a_table_begins_with_stacks_and_a_carried_bank() -> None:
    """Nobody has contributed yet."""
    assert (CHIPS.seats, CHIPS.stacks, CHIPS.contributions) == (3, (100, 50, 0), (0, 0, 0))
    assert (CHIPS.carried, CHIPS.bank) == (7, 7)


def test_what_is_paid_is_in_the_bank_and_the_payers() -> None:
    """Until it is forfeited, given back or pooled."""
    paid = CHIPS.paid(0, 30).paid(1, 50).paid(0, 5)
    assert (paid.stacks, paid.contributions, paid.bank) == ((65, 0, 0), (35, 50, 0), 92)
    assert paid.given_back(0).stacks == (100, 0, 0)
    assert paid.forfeited(1).contributions == (35, 0, 0)
    assert paid.forfeited(0, 10).stacks == (55, 0, 0)
    assert paid.forfeited(0, 10).carried == 52
    assert (paid.pooled().contributions, paid.pooled().carried) == ((0, 0, 0), 92)
    assert paid.pooled().handed_out(((2, 90), (0, 2))).stacks == (67, 0, 90)


@pytest.mark.parametrize("amount", [-1, 101])
def test_chips_that_are_not_there_cannot_be_moved(amount: int) -> None:
    """Neither more than all nor less than none."""
    with pytest.raises(ValueError, match="cannot be taken"):
        CHIPS.moved(0, CARRIED, amount)


@given(st.lists(st.tuples(st.integers(-7, 6), st.integers(-7, 6), st.integers(0, 99)), max_size=9))
def test_no_move_makes_or_loses_a_chip(moves: list[tuple[int, int, int]]) -> None:
    """From any box to any box, the same one too."""
    chips = CHIPS
    for source, target, part in moves:
        chips = chips.moved(source, target, chips.boxes[source] * part // 99)
        assert min(chips.boxes) >= 0
        assert sum(chips.boxes) == 157


def test_equal_parts_give_the_odd_chips_to_the_first() -> None:
    """In the order in which the seats are named."""
    assert equal_parts(11, (2, 0, 1)) == ((2, 4), (0, 4), (1, 3))
    assert equal_parts(2, (1, 4, 5)) == ((1, 1), (4, 1), (5, 0))
    assert equal_parts(0, (3,)) == ((3, 0),)


@pytest.mark.parametrize(
    ("paid", "carried", "winner", "mode", "taken", "back"),
    [
        ((100, 100, 40), 0, 2, MATCHED, 120, (60, 60, 0)),
        ((100, 100, 40), 30, 2, MATCHED, 150, (60, 60, 0)),
        ((100, 20, 40), 0, 2, MATCHED, 100, (60, 0, 0)),
        ((100, 20, 0), 30, 2, MATCHED, 30, (100, 20, 0)),
        ((100, 100, 40), 0, 2, PRO_RATA, 96, (72, 72, 0)),
        ((100, 100, 40), 30, 2, PRO_RATA, 126, (72, 72, 0)),
        ((100, 100, 0), 30, 2, PRO_RATA, 30, (100, 100, 0)),
        ((10, 10, 40), 0, 2, PRO_RATA, 60, (0, 0, 0)),  # blind ones paid less for more
        ((0, 0, 0), 9, 1, PRO_RATA, 9, (0, 0, 0)),
        ((7, 3, 0), 0, 1, PRO_RATA, 4, (6, 0, 0)),
        # 35 back in equal shares: the odd chip to the first clockwise from the winner
        ((25, 25, 11), 0, 2, PRO_RATA, 26, (18, 17, 0)),
        ((25, 11, 25), 0, 1, PRO_RATA, 26, (17, 0, 18)),
        # 9 back by 7 : 5 is 5.25 and 3.75: the odd chip to the larger remainder
        ((7, 5, 3), 0, 2, PRO_RATA, 6, (5, 4, 0)),
    ],
)
def test_what_a_short_winner_takes(
    paid: tuple[int, ...],
    carried: int,
    winner: int,
    mode: str,
    taken: int,
    back: tuple[int, ...],
) -> None:
    """The carried bank in any case; the rest in proportion to the own stake."""
    assert split(paid, carried, winner, True, mode) == (taken, back)


@given(
    st.lists(st.integers(0, 50), min_size=2, max_size=6),
    st.integers(0, 50),
    st.integers(0, 5),
    st.booleans(),
    st.sampled_from([MATCHED, PRO_RATA]),
)
def test_a_split_shares_out_the_whole_bank(
    paid: list[int], carried: int, winner: int, short: bool, mode: str
) -> None:
    """Nobody gets back more than was paid, the winner takes the own stake and the carried bank."""
    winner %= len(paid)
    taken, back = split(paid, carried, winner, short, mode)
    assert taken + sum(back) == carried + sum(paid)
    assert back[winner] == 0
    assert taken >= carried + (0 if mode == PRO_RATA else paid[winner])
    assert all(0 <= one <= stake for one, stake in zip(back, paid, strict=True))
    if not short:
        assert taken == carried + sum(paid)
