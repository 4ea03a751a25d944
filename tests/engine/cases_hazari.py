"""Rule cases of Hazari (``vectors/hazari.json``): one function for each kind of case.

A function gives what the rules say, to be compared with the case's ``expect``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine import Card, Move, complete
from engine.cards import FULL_PACK
from engine.hazari import GAME
from engine.hazari.combinations import strength, type_name
from engine.hazari.division import fallback
from engine.hazari.moves import UP
from engine.hazari.rounds import order_of_play, points, right_of, winner_of
from engine.hazari.state import HazariStanding

Case = Mapping[str, Any]


def compare(case: Case) -> str:
    """Which of two groups is the stronger."""
    left, right = strength(case["left"]), strength(case["right"])
    return "equal" if left == right else "left" if left > right else "right"


def best_of_four(case: Case) -> str:
    """The type of the best three of four cards."""
    return type_name(case["cards"])


def division(case: Case) -> str:
    """What the own program says to an "up" with these groups."""
    groups: list[list[Card]] = case["groups"]
    slot_of = {card: slot for slot, card in enumerate(card for group in groups for card in group)}
    options = complete(GAME.options, {})
    state = GAME.start(options, (0, 1, 2, 3), GAME.opening(options, 4), 0)
    state = GAME.shown(state, {})
    view = GAME.view(state, 0, {slot: card for card, slot in slot_of.items()})
    move: Move = (UP, *(tuple(sorted(slot_of[card] for card in group)) for group in groups))
    objection = GAME.objection(view, move)
    return "ok" if objection is None else objection.text.split(" (")[0]


def rounds(case: Case) -> int:
    """Who takes one round."""
    groups = {int(seat): tuple(cards) for seat, cards in case["play"].items()}
    return winner_of(groups, case["leader"])


def order(case: Case) -> list[int]:
    """The seats in order of play: of the first round by the dealer, else by the last winner."""
    if "last_winner" in case:
        return list(order_of_play(case["last_winner"]))
    return list(order_of_play(right_of(case["dealer"])))


def card_points(case: Case) -> int:
    """Points of cards."""
    cards = case["cards"]
    return points(FULL_PACK if cards == "the whole pack" else cards)


def match(case: Case) -> str:
    """Whether the match ends after this hand."""
    totals = tuple(a + b for a, b in zip(case["before"], case["hand"], strict=True))
    options = complete(GAME.options, case.get("options", {}))
    standing = HazariStanding(totals, dealer=0, dealt=1, played=case.get("played", 1))
    end = GAME.match(options, standing, frozenset(range(4)))
    return "next hand" if end is None else f"seat {end.winner} wins"


def next_dealer(case: Case) -> int:
    """Who deals the next hand."""
    return right_of(case["dealer"])


def fallback_division(case: Case) -> list[list[str]]:
    """The division that stands in."""
    return [list(group) for group in fallback(case["hand"])]


KINDS: Mapping[str, Callable[[Case], object]] = {
    "compare": compare,
    "compare_four": compare,
    "best_of_four": best_of_four,
    "division": division,
    "rounds": rounds,
    "order": order,
    "points": card_points,
    "match": match,
    "next_dealer": next_dealer,
    "fallback": fallback_division,
}
