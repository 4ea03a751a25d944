"""When thirteen cards may be shown to cancel the hand (RULES: dismissal, an option)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.contract import Card, Seat
from engine.hazari.combinations import has_run

ENOUGH_PAIRS: Final = 6

DISMISSALS: Final = ("off", "no_run", "six_pairs", "both")
"""The values of the option: which reasons are allowed."""

_WORDS: Final = {"no_run": "holds no run", "six_pairs": "holds at least six pairs"}
_ALLOWED: Final = {
    "off": (),
    "no_run": ("no_run",),
    "six_pairs": ("six_pairs",),
    "both": ("no_run", "six_pairs"),
}


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A hand shown in place of "up": whose, why (``no_run``, ``six_pairs``), highest card first."""

    seat: Seat
    reason: str
    cards: tuple[Card, ...]


def pairs(cards: Sequence[Card]) -> int:
    """How many pairs the cards hold: half of each rank's count, rounded down, summed."""
    return sum(count // 2 for count in Counter(card[0] for card in cards).values())


def reason(cards: Sequence[Card], option: str) -> str | None:
    """Why these cards may be dismissed under the option: ``no_run``, ``six_pairs``, or None."""
    allowed = _ALLOWED[option]
    if "no_run" in allowed and not has_run(cards):
        return "no_run"
    if "six_pairs" in allowed and pairs(cards) >= ENOUGH_PAIRS:
        return "six_pairs"
    return None


def wanted(option: str) -> str:
    """What the option asks of a hand, for people: ``holds no run or holds at least six pairs``."""
    return " or ".join(_WORDS[one] for one in _ALLOWED[option])


def because(found: str) -> str:
    """A reason for people: ``holds no run``."""
    return _WORDS[found]
