"""What a step of a record was, in values for people: who chose what, and what that showed.

The verifier has checked it all before; nothing here decides anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine import Card, Claim, Move, Seat, Slot
from protocol.entries import Moved, Sits
from protocol.hand import Hand
from protocol.history import Closed
from protocol.table import TableState


@dataclass(frozen=True, slots=True)
class CheckedMove:
    """A choice that was checked.

    ``slots``: those of which the seat gave its own share with it; ``opened``: the faces that came
    to light by that. ``claims``: what it proved of its hidden slots. ``blind``: up to then the seat
    could not have seen a single hidden card of this hand, for the shares of others that it takes
    were not out.
    """

    seat: Seat
    move: Move
    slots: tuple[Slot, ...] = ()
    opened: tuple[tuple[Slot, Card], ...] = ()
    claims: tuple[Claim, ...] = ()
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Details:
    """More about a step of the table lane.

    ``hand``: the number of the hand that the step belongs to, or that comes after it; 0 in the
    lane of a pack. ``between``: the step lies between hands. ``sits``: who said what in a SIT.
    """

    hand: int = 0
    between: bool = False
    moves: tuple[CheckedMove, ...] = ()
    sits: tuple[tuple[Seat, str], ...] = ()


NO_DETAILS = Details()


class Watch:
    """Follows the steps of a record in order, and remembers who has seen cards."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, Seat]] = set()

    def details(self, closed: Closed) -> Details:
        """More about a step that has closed without a fault."""
        before, after = closed.before, closed.after
        if not isinstance(before, TableState) or not isinstance(after, TableState):
            return NO_DETAILS
        hand = before.hand if closed.kind == "move" else None
        between = closed.kind == "sit" or (hand is not None and hand.is_interlude)
        sits = ((s, entry.choice) for s, entry in closed.entries.items() if isinstance(entry, Sits))
        moves = () if hand is None else self._moves(closed, hand, after.hand or after.spent or hand)
        return Details(before.hand_number, between, moves, tuple(sits))

    def _moves(self, closed: Closed, before: Hand, after: Hand) -> tuple[CheckedMove, ...]:
        made = []
        for seat, entry in closed.entries.items():
            if not isinstance(entry, Moved):
                continue
            place = (before.pack.plan.number, seat)
            if place not in self._seen and _sees(before, seat):
                self._seen.add(place)
            faces = after.faces
            opened = tuple((slot, faces[slot]) for slot in entry.slots if slot in faces)
            claims = before.game.claims(before.state, seat, entry.move, faces)
            blind = not before.is_interlude and place not in self._seen
            made.append(CheckedMove(seat, entry.move, entry.slots, opened, claims, blind))
        return tuple(made)


def story(closed: Closed) -> tuple[str, ...]:
    """What happened in the hand or between hands that has come to its end with this step."""
    before, after = closed.before, closed.after
    if not isinstance(before, TableState) or not isinstance(after, TableState):
        return ()
    if closed.kind == "result":
        return before.playing.game.describe(before.playing.state)
    over = (hand for hand in (after.spent, after.settled) if hand is not None)
    return tuple(line for hand in over for line in hand.game.describe(hand.state))


def _sees(hand: Hand, seat: Seat) -> bool:
    """Whether the shares of others that are out show the seat a card that is not for all."""
    others = [other for other in hand.seats if other != seat]
    return any(
        all((other, slot) in hand.shares for other in others)
        for slot in range(len(hand.pack.plan.cards))
        if slot not in hand.faces
    )
