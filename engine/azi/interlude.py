"""Between games: who buys in for a carried bank, and who gets one that nobody can play for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.azi.money import CARRIED
from engine.azi.moves import BUY, PASS, refusal
from engine.azi.options import Rules
from engine.azi.standing import AziStanding, buyers, concluded
from engine.azi.state import Action
from engine.contract import Seat, State


@dataclass(frozen=True, slots=True)
class Interlude(State):
    """Seats are asked one by one; ``queue`` holds those still to be asked, the next one first.

    ``standing`` is what has come of it so far; ``payouts`` what seats got of the carried bank, in
    order, if it is not played for. Over when nobody is left to ask.
    """

    rules: Rules
    before: AziStanding
    present: frozenset[Seat]
    standing: AziStanding
    queue: tuple[Seat, ...] = ()
    gone: frozenset[Seat] = frozenset()
    actions: tuple[Action, ...] = ()
    payouts: tuple[tuple[Seat, int], ...] = ()

    @property
    def over(self) -> bool:
        """Whether everybody has been asked."""
        return not self.queue

    @property
    def owing(self) -> dict[Seat, str]:
        """The one seat that is asked now."""
        return {self.queue[0]: BUY} if self.queue else {}


def begin(rules: Rules, standing: AziStanding, present: frozenset[Seat]) -> Interlude | None:
    """What is to be asked or settled; None if nothing is, so that the standing stays as it is."""
    queue = buyers(rules, standing, present)
    state = _settled(Interlude(rules, standing, present, standing, queue))
    return None if state.over and state.standing == standing else state


def check_price(stack: int, price: int, seat: Seat | None) -> None:
    """Raises IllegalMove if a seat cannot pay what it costs to buy in."""
    if stack < price:
        raise refusal("buy.chips", f"it costs {price} to buy in", seat)


def answered(state: Interlude, seat: Seat, kind: str) -> Interlude:
    """The state after the answer of the seat that was asked."""
    if kind == PASS:
        return _next(state, seat, PASS, 0)
    standing, price = state.standing, state.standing.price
    chips = standing.chips.moved(seat, CARRIED, price)
    entered = tuple(sorted({*standing.entered, seat}))
    bought = replace(standing.with_chips(chips), entered=entered)
    return _next(replace(state, standing=bought), seat, BUY, price)


def leave(state: Interlude, seats: frozenset[Seat]) -> Interlude:
    """Seats that have gone do not play the next game; what they have paid stays in the bank."""
    new = (seats & state.present) - state.gone
    if state.over or not new:
        return state
    actions = (*state.actions, *((seat, "gone", 0) for seat in sorted(new)))
    queue = tuple(seat for seat in state.queue if seat not in new)
    return _settled(replace(state, gone=state.gone | new, queue=queue, actions=actions))


def _next(state: Interlude, seat: Seat, kind: str, amount: int) -> Interlude:
    actions = (*state.actions, (seat, kind, amount))
    return _settled(replace(state, queue=state.queue[1:], actions=actions))


def _settled(state: Interlude) -> Interlude:
    """Once all are asked: the carried bank is given out if fewer than two are to play for it."""
    if state.queue:
        return state
    present = state.present - state.gone
    standing, payouts = concluded(state.rules, state.standing, present)
    return replace(state, standing=standing, payouts=payouts)
