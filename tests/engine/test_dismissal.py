"""When a hand may be shown to cancel the hand."""

from __future__ import annotations

import pytest

from engine.hazari.dismissal import because, pairs, reason, wanted
from tests.engine.hands import NO_RUN, SIX_PAIRS, cards

BOTH_REASONS = cards("AS AH KH KD JD JC TC TS 8S 8H 7H 7D 5D")
"""No run, and six pairs as well."""

NEITHER = cards("AS AH KS KH QS QH JS JH TS TH 9S 8H 2C")
"""Runs, and five pairs only."""


@pytest.mark.parametrize(
    ("hand", "off", "no_run", "six_pairs", "both"),
    [
        (NO_RUN, None, "no_run", None, "no_run"),
        (SIX_PAIRS, None, None, "six_pairs", "six_pairs"),
        (BOTH_REASONS, None, "no_run", "six_pairs", "no_run"),
        (NEITHER, None, None, None, None),
    ],
)
def test_a_reason_counts_where_the_option_allows_it(
    hand: tuple[str, ...],
    off: str | None,
    no_run: str | None,
    six_pairs: str | None,
    both: str | None,
) -> None:
    """Under ``both`` either reason is enough; no run is named first."""
    assert reason(hand, "off") == off
    assert reason(hand, "no_run") == no_run
    assert reason(hand, "six_pairs") == six_pairs
    assert reason(hand, "both") == both


@pytest.mark.parametrize(
    ("held", "count"),
    [
        ("AS KH", 0),
        ("AS AH", 1),
        ("AS AH AD", 1),
        ("AS AH AD AC", 2),
        ("AS AH AD AC KS KH KD KC QS QH QD QC 2C", 6),
    ],
)
def test_pairs_are_half_of_each_rank_rounded_down(held: str, count: int) -> None:
    """Three of a rank hold one pair, four hold two."""
    assert pairs(cards(held)) == count


def test_a_colour_run_is_a_run_too() -> None:
    """A hand whose only run is of one suit may not be dismissed as having none."""
    hand = cards("AS KH JD TC 8S 7H 6H AH KD JC TS 4C 3C")
    assert reason(hand, "no_run") is None


def test_an_ace_below_the_two_makes_a_run() -> None:
    """A-2-3 is one."""
    hand = cards("AS 2H 3D KC KD TS TH 8S 8H 6S 6H KS TC")
    assert reason(hand, "no_run") is None
    assert reason((*hand[:2], "JD", *hand[3:]), "no_run") == "no_run"


def test_reasons_in_words() -> None:
    """What is asked for, and what was found."""
    assert wanted("both") == "holds no run or holds at least six pairs"
    assert wanted("no_run") == because("no_run") == "holds no run"
