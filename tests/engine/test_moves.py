"""Moves from the network: anything may come, only a well-formed division or dismissal passes."""

from __future__ import annotations

import pytest

from engine import IllegalMove
from engine.hazari.moves import REFUSALS, parse, refusal

GOOD = ("up", (13, 14, 15), (16, 17, 18), (19, 20, 21), (22, 23, 24, 25))
HUGE = 10**30


def test_a_division_and_a_dismissal_pass() -> None:
    """A division gives its groups, a dismissal None."""
    assert parse(GOOD, 1, "off") == GOOD[1:]
    assert parse(("dismiss",), 1, "both") is None


@pytest.mark.parametrize(
    "move",
    [
        None,
        7,
        "up",
        b"up",
        [],
        (),
        ("up",),
        (1, 2),
        (("up",),),
        ("Up", *GOOD[1:]),
        ("pass",),
        ("dismiss", 1),
        ("dismiss", *GOOD[1:]),
        list(GOOD),
        (*GOOD, ()),
        GOOD[:-1],
        ("up", GOOD[4], GOOD[1], GOOD[2], GOOD[3]),
        ("up", (13, 14), (15, 16, 17, 18), *GOOD[3:]),
        ("up", [13, 14, 15], *GOOD[2:]),
        ("up", "abc", *GOOD[2:]),
        ("up", ("13", "14", "15"), *GOOD[2:]),
        ("up", (13.0, 14, 15), *GOOD[2:]),
        ("up", (13, 14, (15,)), *GOOD[2:]),
        ("up", (13, 14, None), *GOOD[2:]),
    ],
)
def test_what_is_not_shaped_like_a_move(move: object) -> None:
    """Refused as such, whatever type it is."""
    with pytest.raises(IllegalMove) as refused:
        parse(move, 1, "both")
    assert (refused.value.rule, refused.value.seat) == ("up.shape", 1)


def test_a_truth_value_is_no_slot() -> None:
    """Python would take it for 0 or 1."""
    with pytest.raises(IllegalMove) as refused:
        parse(("up", (False, True, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11, 12)), 0, "off")
    assert refused.value.rule == "up.shape"


@pytest.mark.parametrize(
    "move",
    [
        ("up", (12, 14, 15), *GOOD[2:]),
        ("up", (13, 13, 15), *GOOD[2:]),
        ("up", (-1, 14, 15), *GOOD[2:]),
        ("up", (13, 14, HUGE), *GOOD[2:]),
        ("up", (0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11, 12)),
        ("up", (14, 13, 15), *GOOD[2:]),
        (*GOOD[:4], (22, 23, 25, 24)),
    ],
)
def test_slots_that_are_not_the_own_ones_or_not_ascending(move: tuple[object, ...]) -> None:
    """Each of the own thirteen once; ascending, so that one division has one spelling."""
    with pytest.raises(IllegalMove) as refused:
        parse(move, 1, "off")
    assert refused.value.rule == "up.slots"


def test_a_dismissal_where_the_table_allows_none() -> None:
    """Refused before any card opens."""
    with pytest.raises(IllegalMove) as refused:
        parse(("dismiss",), 1, "off")
    assert refused.value.rule == "dismissal.off"


def test_a_refusal_has_a_listed_code() -> None:
    """No code can be made up in passing."""
    assert refusal("turn", "not now", 2).rule == "turn"
    assert "tunr" not in REFUSALS
    with pytest.raises(KeyError):
        refusal("tunr", "not now", 2)
