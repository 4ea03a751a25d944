"""Options: their defaults and ranges are those of the rules, and anything else is refused."""

from __future__ import annotations

import pytest

from engine import OptionError, complete, parse_all
from engine.hazari.options import OPTIONS, Rules, number, rules

DEFAULTS: dict[str, int | str] = {
    "target": 1000,
    "hands": 0,
    "arrange_seconds": 120,
    "hints": "on",
    "dismissal": "off",
    "foul_scores_zero": "off",
    "grace_seconds": 60,
}


def test_the_defaults_are_those_of_the_rules() -> None:
    """In the order in which the rules list them."""
    assert list(complete(OPTIONS, {}).items()) == list(DEFAULTS.items())


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("target", [100, 105, 10000], [95, 101, 10005, 0, -100, "100", True, 100.0, None]),
        ("hands", [0, 1, 1000], [-1, 1001, "0", False]),
        ("arrange_seconds", [0, 5, 600], [1, 4, 601, -1, "off"]),
        ("hints", ["on", "off"], ["On", "", True, 1, None]),
        ("dismissal", ["off", "no_run", "six_pairs", "both"], ["on", "no run", 0]),
        ("foul_scores_zero", ["on", "off"], ["yes", 1]),
        ("grace_seconds", [1, 60, 600], [0, 601, "60"]),
    ],
)
def test_the_ends_of_each_range(name: str, good: list[object], bad: list[object]) -> None:
    """What is allowed is kept as it is, the next value outside is refused with the range."""
    for value in good:
        assert complete(OPTIONS, {name: value})[name] == value
    for value in bad:
        with pytest.raises(OptionError, match=f"^option {name} must be "):
            complete(OPTIONS, {name: value})


def test_every_default_is_in_its_own_range() -> None:
    """Else filling in defaults would make a table that nobody may open."""
    assert complete(OPTIONS, complete(OPTIONS, {})) == complete(OPTIONS, {})


def test_options_of_the_command_line() -> None:
    """``name=value`` texts, each option at most once."""
    assert parse_all(OPTIONS, ["hands=3", "dismissal=both"]) == {
        **DEFAULTS,
        "hands": 3,
        "dismissal": "both",
    }


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["hands"], "name=value, not 'hands'"),
        (["cards=3"], "unknown option 'cards'; there are: target, hands"),
        (["hands=3", "hands=3"], "hands is given twice"),
        (["hands=three"], "must be 0 \\(until the target\\) or 1 to 1000, not 'three'"),
        (["hands=1001"], "not 1001"),
        (["hints=maybe"], "must be on or off, not 'maybe'"),
    ],
)
def test_a_mistake_on_the_command_line_is_explained(pairs: list[str], message: str) -> None:
    """One sentence that says what would be right."""
    with pytest.raises(OptionError, match=message):
        parse_all(OPTIONS, pairs)


def test_an_unknown_option_is_refused() -> None:
    """An agreement with an option that this program does not know is no agreement."""
    with pytest.raises(OptionError, match="unknown option 'cards'"):
        complete(OPTIONS, {"cards": 3})


def test_the_rules_that_options_stand_for() -> None:
    """Switches become truth values once, at the border."""
    given = {"hints": "off", "foul_scores_zero": "on", "hands": 7, "dismissal": "both"}
    expected = Rules(1000, 7, hints=False, dismissal="both", foul_scores_zero=True)
    assert rules(complete(OPTIONS, given)) == expected


def test_a_word_is_no_number() -> None:
    """A mistake of the caller."""
    with pytest.raises(TypeError, match="hints is a number, not 'on'"):
        number(complete(OPTIONS, {}), "hints")
