"""Hazari's bots. Each sees one seat's view and a draw, and answers with a legal move.

``random`` knows the rules and nothing else; ``steady`` arranges for the most expected points.
"""

from __future__ import annotations

from typing import Final

from engine.contract import Draw, Move, Slot, Strategy, View
from engine.hazari.chances import FAIR_SHARE, expected_points
from engine.hazari.combinations import strength
from engine.hazari.dismissal import reason
from engine.hazari.division import GROUP_SIZES, Division, fallback
from engine.hazari.moves import DISMISS, UP
from engine.hazari.search import best_division
from engine.hazari.view import HazariView

TRIES: Final = 1000
"""Shuffles until ``random`` gives up; about one in ten can be put in order, so it never does."""


def random(view: View, draw: Draw) -> Move:
    """Any legal division as likely as any other, up to the order of equally strong groups.

    A hand that may be dismissed is dismissed every other time. Raises ValueError where no choice
    is due.
    """
    own = _own(view)
    if _may_dismiss(own) and draw(2):
        return (DISMISS,)
    cards = [card for _, card in own.hand]
    for _ in range(TRIES):
        for last in range(len(cards) - 1, 0, -1):
            other = draw(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        threes = sorted((tuple(cards[at : at + 3]) for at in (0, 3, 6)), key=strength, reverse=True)
        four = tuple(cards[9:])
        if strength(four) <= strength(threes[-1]):
            return _up(own, (*threes, four))
    return _up(own, fallback(cards))


def steady(view: View, draw: Draw) -> Move:
    """The division with the most expected points; draws nothing.

    A hand that may be dismissed is, if even so it is worth less than a fair share of the points:
    the next one is worth that on average. Raises ValueError where no choice is due.
    """
    own = _own(view)
    division = best_division([card for _, card in own.hand], "points")
    if _may_dismiss(own) and expected_points(division) < FAIR_SHARE:
        return (DISMISS,)
    return _up(own, division)


STRATEGIES: Final[dict[str, Strategy]] = {"random": random, "steady": steady}
"""Hazari's strategies by the names that people choose them by."""


def _own(view: View) -> HazariView:
    if not isinstance(view, HazariView):
        raise TypeError(f"not a view of Hazari: {type(view).__name__}")
    if view.owes != UP or len(view.hand) != sum(GROUP_SIZES):
        raise ValueError("a bot is asked only for the division that its seat owes")
    return view


def _may_dismiss(view: HazariView) -> bool:
    return reason([card for _, card in view.hand], view.dismissal) is not None


def _up(view: HazariView, division: Division) -> Move:
    slot_of: dict[str, Slot] = {card: slot for slot, card in view.hand}
    return (UP, *(tuple(sorted(slot_of[card] for card in group)) for group in division))
