"""The playthroughs of Hazari: the defaults, each option at work, a seat missing at each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine import Card, Move, Seat, View
from engine.hazari import GAME
from engine.hazari.moves import DISMISS
from engine.hazari.state import HazariStanding
from tests.engine.driver import Choose, Silent
from tests.engine.hands import (
    NO_RUN,
    SIX_PAIRS,
    deck,
    deck_with,
    fallback_move,
    foul_move,
    options,
)
from tests.engine.playthroughs import render


def foul_by(*seats: Seat) -> Choose:
    """These seats run a tampered program, which says up with an illegal division."""

    def choose(seat: Seat, view: View) -> Move:
        return foul_move(view) if seat in seats else fallback_move(seat, view)

    return choose


def dismissal_by(*seats: Seat) -> Choose:
    """These seats dismiss the hand where they may."""

    def choose(seat: Seat, view: View) -> Move:
        may = [choice.kind for choice in GAME.legal(view)]
        return (DISMISS,) if seat in seats and DISMISS in may else fallback_move(seat, view)

    return choose


@dataclass(frozen=True)
class Scenario:
    """Hands played one after the other: a pack for each, and who falls silent at which step."""

    about: str
    decks: Sequence[Sequence[Card]]
    options: Mapping[str, int | str] = field(default_factory=dict)
    choose: Choose = fallback_move
    coin: int = 0
    silent: Silent = field(default_factory=dict)
    before: HazariStanding = field(default_factory=HazariStanding)

    def text(self) -> str:
        """The playthrough."""
        given = options(**self.options)
        lines = [f"Hazari: {self.about}", ""]
        lines += [f"option: {name} = {value}" for name, value in given.items()]
        standing = self.before
        for pack in self.decks:
            hand, after = render.play(
                GAME, given, standing, pack, self.choose, self.coin, self.silent
            )
            assert isinstance(after, HazariStanding)
            standing = after
            lines += ["", *hand]
        return "\n".join(lines) + "\n"


def _missing(step: int, *seats: Seat) -> Silent:
    return {step: frozenset(seats)}


SCENARIOS: Mapping[str, Scenario] = {
    "default": Scenario("the defaults; the coin chooses seat 2 as the dealer", [deck(1)], coin=6),
    "arrange_seconds_0": Scenario("no clock", [deck(2)], {"arrange_seconds": 0}),
    "hints_off": Scenario("no suggestions", [deck(3)], {"hints": "off"}),
    "target_small": Scenario(
        "a small target ends the match after one hand", [deck(4)], {"target": 100}
    ),
    "hands_2": Scenario("a match of two hands", [deck(5), deck(6)], {"hands": 2}),
    "tie_at_the_top": Scenario(
        "two seats reach the target with equal totals; another hand decides",
        [deck(1), deck(7)],
        before=HazariStanding(totals=(500, 500, 895, 745), dealer=0, dealt=8, played=8),
    ),
    "dismissal_no_run": Scenario(
        "seat 2 dismisses a hand without a run; the next hand is played",
        [deck_with(2, NO_RUN), deck(8)],
        {"dismissal": "no_run"},
        dismissal_by(2),
    ),
    "dismissal_six_pairs": Scenario(
        "seat 1 dismisses a hand with six pairs",
        [deck_with(1, SIX_PAIRS)],
        {"dismissal": "six_pairs"},
        dismissal_by(1),
    ),
    "dismissal_both": Scenario(
        "seat 3 dismisses under both, and with two hands to play the next ones count",
        [deck_with(3, SIX_PAIRS), deck_with(3, NO_RUN), deck(9)],
        {"dismissal": "both", "hands": 1},
        dismissal_by(3),
    ),
    "foul": Scenario("the division of seat 0 is out of order", [deck(10)], {}, foul_by(0)),
    "foul_scores_zero": Scenario(
        "the division of seat 0 is out of order, and its groups rank below all others",
        [deck(10)],
        {"foul_scores_zero": "on"},
        foul_by(0),
    ),
    "silent_at_the_deal": Scenario("seat 1 is silent: waits", [deck(11)], silent=_missing(1, 1)),
    "silent_at_up": Scenario("seat 1 is silent at up", [deck(11)], silent=_missing(2, 1)),
    "silent_at_the_lock": Scenario("seat 1 gives no lock", [deck(11)], silent=_missing(3, 1)),
    "silent_at_the_show": Scenario(
        "seat 1 is silent at the show: its lock is opened", [deck(11)], silent=_missing(4, 1)
    ),
    "two_silent_at_up": Scenario(
        "seats 1 and 2 are silent: void", [deck(11)], silent=_missing(2, 1, 2)
    ),
}
