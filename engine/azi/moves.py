"""Moves of Azi as they come from the network, and every code by which one is refused.

A move is a kind alone, as ``("fold",)``, or a kind and one whole number, as ``("bid", 20)`` (the
seat's new level) or ``("play", 4)`` (a slot).
"""

from __future__ import annotations

from typing import Final

from engine.contract import IllegalMove, Seat

DISCARD: Final = "discard"
BID: Final = "bid"
PLAY: Final = "play"
BUY: Final = "buy"

LOOK: Final = "look"
LEVEL: Final = "level"
FOLD: Final = "fold"
LATE: Final = "late"
PASS: Final = "pass"

CHOICES: Final = {
    DISCARD: (DISCARD,),
    BID: (BID, LEVEL, FOLD, LOOK, LATE),
    PLAY: (PLAY,),
    BUY: (BUY, PASS),
}
"""The kinds of moves that answer each kind of choice."""

_NUMBERED: Final = (DISCARD, BID, PLAY)
_MOST: Final = 2**63 - 1

REFUSALS: Final = {
    "shape": "not a move: no known kind, or not what belongs to it",
    "turn": "the seat does not owe this choice now",
    "discard.slot": "not one of the own cards",
    "discard.turned_up": "the turned-up card may not be discarded",
    "look.off": "the table does not play with blind bids",
    "look.done": "the seat has looked already",
    "bid.open": "the seat that opens must bid",
    "bid.low": "not higher than the bid before, or less than the least bid",
    "bid.step": "higher than the bid before by less than the step",
    "bid.max": "more than the highest bid that the table allows",
    "bid.chips": "more than the seat can pay",
    "bid.lead": "the seat has levelled and so given up the lead",
    "bid.limit": "the seat has used its three bids",
    "bid.even": "bids are even numbers at a table with blind bids",
    "late": "late is no choice: only what happens to an opener who does not choose",
    "play.slot": "not a card that the seat still holds",
    "play.follow": "the seat could follow suit",
    "play.trump": "the seat could not follow suit and had a trump",
    "buy.chips": "more than the seat can pay",
}
"""Every rule code of this game with what it means."""


def refusal(rule: str, text: str, seat: Seat | None) -> IllegalMove:
    """The refusal with this code; raises KeyError for a code that REFUSALS does not list."""
    if rule not in REFUSALS:
        raise KeyError(rule)
    return IllegalMove(rule, text, seat)


def parse(move: object, seat: Seat | None) -> tuple[str, int]:
    """The kind of a move and its number, 0 if it has none; raises IllegalMove.

    ``move`` may be anything at all; only its shape is judged.
    """
    if type(move) is not tuple or not move or type(move[0]) is not str:
        raise refusal("shape", "a move is a kind and what belongs to it", seat)
    kind, *rest = move
    if not any(kind in kinds for kinds in CHOICES.values()):
        raise refusal("shape", "this game has no such move", seat)
    if kind not in _NUMBERED:
        if rest:
            raise refusal("shape", f"{kind} is said alone", seat)
        return kind, 0
    if len(rest) != 1 or type(rest[0]) is not int or not 0 <= rest[0] <= _MOST:  # no bool
        raise refusal("shape", f"{kind} is said with one whole number, 0 or more", seat)
    return kind, rest[0]


def expect(kind: str, owes: str | None, seat: Seat | None) -> None:
    """Raises IllegalMove if this kind of move does not answer the choice that the seat owes."""
    if owes is None:
        whose = "the seat" if seat is None else f"seat {seat}"
        raise refusal("turn", f"{whose} owes no choice now", seat)
    if kind not in CHOICES[owes]:
        raise refusal("turn", f"{kind} is no answer now: the choice is to {owes}", seat)
