"""Moves of Hazari as they come from the network, and every code by which one is refused.

A move is ``("up", (s, s, s), (s, s, s), (s, s, s), (s, s, s, s))``, the own thirteen slots each
once, ascending in each group, or ``("dismiss",)``.
"""

from __future__ import annotations

from typing import Final

from engine.contract import IllegalMove, Seat
from engine.hazari.division import GROUP_SIZES, SlotDivision, own_slots

UP: Final = "up"
DISMISS: Final = "dismiss"

REFUSALS: Final = {
    "turn": "the seat owes no choice now",
    "up.shape": "not a move: neither four groups of 3, 3, 3 and 4 slots nor a dismissal",
    "up.slots": "not exactly the own thirteen slots, each once, ascending in each group",
    "up.order": "a group outranks the one before it (the own program only: faces are hidden)",
    "dismissal.off": "the table does not allow dismissals",
    "dismissal.hand": "the cards shown do not allow the dismissal",
}
"""Every rule code of this game with what it means."""


def refusal(rule: str, text: str, seat: Seat | None) -> IllegalMove:
    """The refusal with this code; raises KeyError for a code that REFUSALS does not list."""
    if rule not in REFUSALS:
        raise KeyError(rule)
    return IllegalMove(rule, text, seat)


def parse(move: object, seat: Seat, dismissal: str) -> SlotDivision | None:
    """The division by slots that the move says; None: it is a dismissal.

    ``dismissal`` is the option's value. Judges all that can be judged while every card is hidden;
    ``move`` may be anything at all. Raises IllegalMove.
    """
    if type(move) is not tuple or not move or type(move[0]) is not str:
        raise refusal("up.shape", "a move is a kind and what belongs to it", seat)
    kind, *groups = move
    if kind == DISMISS and not groups:
        if dismissal == "off":
            raise refusal("dismissal.off", "this table does not allow a dismissal", seat)
        return None
    if kind != UP or len(groups) != len(GROUP_SIZES):
        raise refusal("up.shape", "a move is up with four groups, or a dismissal", seat)
    return _slot_division(groups, seat)


def _slot_division(groups: list[object], seat: Seat) -> SlotDivision:
    division: list[tuple[int, ...]] = []
    for group, size in zip(groups, GROUP_SIZES, strict=True):
        if type(group) is not tuple or len(group) != size:
            raise refusal("up.shape", "the groups have 3, 3, 3 and 4 slots", seat)
        slots: list[int] = []
        for slot in group:
            if type(slot) is not int:  # a bool is no slot
                raise refusal("up.shape", "a slot is a whole number", seat)
            slots.append(slot)
        division.append(tuple(slots))
    if sorted(slot for group in division for slot in group) != list(own_slots(seat)):
        raise refusal("up.slots", "the groups hold exactly the own thirteen cards", seat)
    if any(list(group) != sorted(group) for group in division):
        raise refusal("up.slots", "the slots of a group are in ascending order", seat)
    return tuple(division)
