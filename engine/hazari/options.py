"""The options of Hazari: declared once, and as the frozen values that a state carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.hazari.dismissal import DISMISSALS
from engine.options import Option, Options

_SWITCH: Final = ("on", "off")

OPTIONS: Final = (
    Option(
        "target",
        1000,
        "100 to 10000, a multiple of 5",
        "points that end the match",
        allowed=lambda value: 100 <= value <= 10000 and value % 5 == 0,
    ),
    Option(
        "hands",
        0,
        "0 (until the target) or 1 to 1000",
        "hands that the match lasts; the target does not count then",
        allowed=lambda value: 0 <= value <= 1000,
    ),
    Option(
        "arrange_seconds",
        120,
        "0 (no clock) or 5 to 600",
        "seconds to arrange the cards",
        allowed=lambda value: value == 0 or 5 <= value <= 600,
    ),
    Option(
        "hints",
        "on",
        "on or off",
        "whether the page may suggest a division (a courtesy, nobody can enforce it)",
        choices=_SWITCH,
    ),
    Option(
        "dismissal",
        "off",
        "off, no_run, six_pairs or both",
        "which hands may be shown to cancel the hand",
        choices=DISMISSALS,
    ),
    Option(
        "foul_scores_zero",
        "off",
        "on or off",
        "whether the groups of a foul division rank below all others",
        choices=_SWITCH,
    ),
    Option(
        "grace_seconds",
        60,
        "1 to 600",
        "seconds that an unreachable seat is waited for beyond its clock",
        allowed=lambda value: 1 <= value <= 600,
    ),
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The options that the rules look at, in their own types."""

    target: int
    hands: int
    hints: bool
    dismissal: str
    foul_scores_zero: bool


def number(options: Options, name: str) -> int:
    """The value of an option that is a number; raises TypeError if it is a word."""
    value = options[name]
    if not isinstance(value, int):
        raise TypeError(f"option {name} is a number, not {value!r}")
    return value


def rules(options: Options) -> Rules:
    """The rules that complete, checked options stand for."""
    return Rules(
        target=number(options, "target"),
        hands=number(options, "hands"),
        hints=options["hints"] == "on",
        dismissal=str(options["dismissal"]),
        foul_scores_zero=options["foul_scores_zero"] == "on",
    )
