"""The options of Azi: declared once, and as the frozen values that a state carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.azi.money import MATCHED, PRO_RATA
from engine.azi.pack import MAX_SEATS
from engine.cards import SUITS
from engine.options import Option, Options, Value

ALL_ANTE: Final = "all_ante"
HALF_POT: Final = "half_pot"
TAKERS_ONLY: Final = "trick_takers_only"

STOCK: Final = "stock"
DEALERS_CARD: Final = "dealers_last_card"

MAX_STACK: Final = 1_000_000
MAX_LEVEL: Final = 2 * MAX_SEATS * MAX_STACK
"""No level can be higher: all chips of the largest table, paid blind."""

_SWITCH: Final = ("on", "off")


def number(options: Options, name: str) -> int:
    """The value of an option that is a number; raises TypeError if it is a word."""
    value = options[name]
    if not isinstance(value, int):
        raise TypeError(f"option {name} is a number, not {value!r}")
    return value


def _is_blind(options: Options) -> bool:
    return options["blind"] == "on"


def _blind_cards(options: Options) -> str | None:
    if _is_blind(options) and options["cards"] != 3:
        return "blind bids (option blind) go with three cards only (option cards)"
    return None


def _within_stack(options: Options, name: str) -> str | None:
    value, stack = number(options, name), number(options, "stack")
    if value > stack:
        return f"option {name} must be at most the stack of {stack}, not {value}"
    return None


def _even(options: Options, name: str) -> str | None:
    value = number(options, name)
    if _is_blind(options) and value % 2:
        return f"option {name} must be even with blind bids at half price, not {value}"
    return None


def _ante(options: Options) -> str | None:
    return _within_stack(options, "ante")


def _min_bid(options: Options) -> str | None:
    return _within_stack(options, "min_bid") or _even(options, "min_bid")


def _raise_step(options: Options) -> str | None:
    return _within_stack(options, "raise_step") or _even(options, "raise_step")


def _max_bid(options: Options) -> str | None:
    value, least = number(options, "max_bid"), number(options, "min_bid")
    if 0 < value < least:
        return f"option max_bid must be 0 (none) or at least min_bid, which is {least}, not {value}"
    return _even(options, "max_bid")


def _usual_step(options: Options) -> Value:
    return 2 if _is_blind(options) else 1


OPTIONS: Final = (
    Option(
        "cards",
        3,
        "3 or 4",
        "cards that each is dealt; of four everybody discards one",
        allowed=lambda value: value in (3, 4),
    ),
    Option("left_out_suit", "C", "S, H, D or C", "the suit that is left out", choices=tuple(SUITS)),
    Option(
        "stack",
        1000,
        f"1 to {MAX_STACK}",
        "chips that everybody begins with",
        allowed=lambda value: 1 <= value <= MAX_STACK,
    ),
    Option(
        "ante",
        10,
        "0 to the stack",
        "chips that everybody pays before the deal",
        allowed=lambda value: 0 <= value <= MAX_STACK,
        conflict=_ante,
    ),
    Option(
        "min_bid",
        10,
        "1 to the stack (even with blind bids)",
        "the least that the first bid may be",
        allowed=lambda value: 1 <= value <= MAX_STACK,
        conflict=_min_bid,
    ),
    Option(
        "raise_step",
        1,
        "1 to the stack (even with blind bids)",
        "the least by which a bid is higher than the one before; 2 if not given with blind bids",
        allowed=lambda value: 1 <= value <= MAX_STACK,
        default_for=_usual_step,
        conflict=_raise_step,
    ),
    Option(
        "max_bid",
        0,
        f"0 (none) or min_bid to {MAX_LEVEL} (even with blind bids)",
        "the most that a bid may be",
        allowed=lambda value: 0 <= value <= MAX_LEVEL,
        conflict=_max_bid,
    ),
    Option(
        "callers_may_reraise",
        "off",
        "on or off",
        "whether a player who levelled may bid again in that game",
        choices=_SWITCH,
    ),
    Option(
        "azi_entry",
        ALL_ANTE,
        "all_ante, half_pot or trick_takers_only",
        "who plays on after an azi: all for a new ante; the trick takers, others for half the "
        "bank; the trick takers only",
        choices=(ALL_ANTE, HALF_POT, TAKERS_ONLY),
    ),
    Option(
        "short_stack",
        MATCHED,
        "matched or pro_rata",
        "what a winner takes who could not level: as much from each as the own stake, or a part "
        "of the bank in proportion to it",
        choices=(MATCHED, PRO_RATA),
    ),
    Option(
        "trump_from",
        STOCK,
        "stock or dealers_last_card",
        "which card is turned up for trumps",
        choices=(STOCK, DEALERS_CARD),
    ),
    Option(
        "blind",
        "off",
        "on or off (on with three cards only)",
        "whether who has not looked at the own cards bids at half price",
        choices=_SWITCH,
        conflict=_blind_cards,
    ),
    Option(
        "hands",
        0,
        "0 (to the end) or 1 to 10000",
        "games that the match lasts",
        allowed=lambda value: 0 <= value <= 10000,
    ),
    Option(
        "turn_seconds",
        30,
        "0 (no clock) or 5 to 600",
        "seconds for each choice",
        allowed=lambda value: value == 0 or 5 <= value <= 600,
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

    cards: int
    left_out: str
    stack: int
    ante: int
    min_bid: int
    raise_step: int
    max_bid: int
    callers_may_reraise: bool
    azi_entry: str
    short_stack: str
    dealers_card: bool
    blind: bool
    hands: int


def rules(options: Options) -> Rules:
    """The rules that complete, checked options stand for."""
    return Rules(
        cards=number(options, "cards"),
        left_out=str(options["left_out_suit"]),
        stack=number(options, "stack"),
        ante=number(options, "ante"),
        min_bid=number(options, "min_bid"),
        raise_step=number(options, "raise_step"),
        max_bid=number(options, "max_bid"),
        callers_may_reraise=options["callers_may_reraise"] == "on",
        azi_entry=str(options["azi_entry"]),
        short_stack=str(options["short_stack"]),
        dealers_card=options["trump_from"] == DEALERS_CARD,
        blind=_is_blind(options),
        hands=number(options, "hands"),
    )
