"""Options of Azi: defaults and ranges are those of the rules, and what does not go together."""

from __future__ import annotations

import pytest

from engine import OptionError, complete, parse_all
from engine.azi.options import MAX_LEVEL, OPTIONS, Rules, number, rules

DEFAULTS: dict[str, int | str] = {
    "cards": 3,
    "left_out_suit": "C",
    "stack": 1000,
    "ante": 10,
    "min_bid": 10,
    "raise_step": 1,
    "max_bid": 0,
    "callers_may_reraise": "off",
    "azi_entry": "all_ante",
    "short_stack": "matched",
    "trump_from": "stock",
    "blind": "off",
    "hands": 0,
    "turn_seconds": 30,
    "grace_seconds": 60,
}


def test_the_defaults_are_those_of_the_rules() -> None:
    """In the order in which the rules list them."""
    assert list(complete(OPTIONS, {}).items()) == list(DEFAULTS.items())


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("cards", [3, 4], [2, 5, 0, "3", True, 3.0, None]),
        ("left_out_suit", ["S", "H", "D", "C"], ["s", "", "X", 0, None]),
        ("stack", [10, 1_000_000], [0, 1_000_001, -1, "1000", False]),
        ("ante", [0, 10, 1000], [-1, "0", None]),
        ("min_bid", [1, 1000], [0, -1, True]),
        ("raise_step", [1, 1000], [0, -1, "1"]),
        ("max_bid", [0, 10, MAX_LEVEL], [-1, MAX_LEVEL + 1, "none"]),
        ("callers_may_reraise", ["on", "off"], [True, 1, "yes"]),
        ("azi_entry", ["all_ante", "half_pot", "trick_takers_only"], ["all", "", 0]),
        ("short_stack", ["matched", "pro_rata"], ["pro rata", 1]),
        ("trump_from", ["stock", "dealers_last_card"], ["dealer", 0]),
        ("blind", ["on", "off"], ["On", 0]),
        ("hands", [0, 1, 10000], [-1, 10001, "0"]),
        ("turn_seconds", [0, 5, 600], [1, 4, 601, -1]),
        ("grace_seconds", [1, 600], [0, 601]),
    ],
)
def test_the_ends_of_each_range(name: str, good: list[object], bad: list[object]) -> None:
    """What is allowed is kept as it is, anything else is refused with the range."""
    for value in good:
        assert complete(OPTIONS, {name: value})[name] == value
    for value in bad:
        with pytest.raises(OptionError, match=f"^option {name} must be "):
            complete(OPTIONS, {name: value})


def test_the_smallest_table_has_one_chip_each() -> None:
    """Ante and bids have to fit."""
    assert complete(OPTIONS, {"stack": 1, "ante": 0, "min_bid": 1})["stack"] == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"blind": "on", "cards": 4}, "blind bids .* go with three cards only"),
        ({"stack": 9, "min_bid": 9}, "option ante must be at most the stack of 9, not 10"),
        ({"stack": 10, "ante": 11}, "option ante must be at most the stack of 10, not 11"),
        ({"stack": 10, "min_bid": 11}, "option min_bid must be at most the stack of 10, not 11"),
        ({"stack": 10, "raise_step": 11}, "option raise_step must be at most the stack of 10"),
        ({"max_bid": 9}, "option max_bid must be 0 .none. or at least min_bid, which is 10, not 9"),
        ({"blind": "on", "min_bid": 11}, "option min_bid must be even .*, not 11"),
        ({"blind": "on", "raise_step": 3}, "option raise_step must be even .*, not 3"),
        ({"blind": "on", "max_bid": 21}, "option max_bid must be even .*, not 21"),
    ],
)
def test_options_that_do_not_go_together(given: dict[str, int | str], message: str) -> None:
    """A clear sentence says which, and what would be right."""
    with pytest.raises(OptionError, match=message):
        complete(OPTIONS, given)


def test_odd_amounts_are_fine_without_blind_bids() -> None:
    """Nothing is halved then."""
    given = {"min_bid": 11, "raise_step": 3, "max_bid": 21}
    assert complete(OPTIONS, given).items() >= given.items()


def test_the_ante_may_be_odd_with_blind_bids() -> None:
    """It is no bid."""
    assert complete(OPTIONS, {"blind": "on", "ante": 7})["ante"] == 7


def test_the_step_is_two_with_blind_bids_if_it_is_not_given() -> None:
    """One that is given stands, and what is complete stays as it is."""
    assert complete(OPTIONS, {"blind": "on"})["raise_step"] == 2
    assert complete(OPTIONS, {"blind": "on", "raise_step": 4})["raise_step"] == 4
    assert complete(OPTIONS, {"raise_step": 2})["raise_step"] == 2
    for given in ({}, {"blind": "on"}, {"cards": 4, "max_bid": 50}):
        known = complete(OPTIONS, given)
        assert complete(OPTIONS, known) == known


def test_options_of_the_command_line() -> None:
    """``name=value`` texts."""
    given = parse_all(OPTIONS, ["blind=on", "max_bid=100", "left_out_suit=S"])
    assert given == DEFAULTS | {
        "blind": "on",
        "raise_step": 2,
        "max_bid": 100,
        "left_out_suit": "S",
    }
    with pytest.raises(OptionError, match=r"max_bid must be 0 .*, not .none."):
        parse_all(OPTIONS, ["max_bid=none"])


def test_the_rules_that_options_stand_for() -> None:
    """Switches become truth values once, at the border."""
    given = {"trump_from": "dealers_last_card", "callers_may_reraise": "on", "hands": 7}
    assert rules(complete(OPTIONS, given)) == Rules(
        cards=3,
        left_out="C",
        stack=1000,
        ante=10,
        min_bid=10,
        raise_step=1,
        max_bid=0,
        callers_may_reraise=True,
        azi_entry="all_ante",
        short_stack="matched",
        dealers_card=True,
        blind=False,
        hands=7,
    )


def test_a_word_is_no_number() -> None:
    """A mistake of the caller."""
    with pytest.raises(TypeError, match="blind is a number, not 'off'"):
        number(complete(OPTIONS, {}), "blind")
