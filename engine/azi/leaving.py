"""Seats that have gone for the rest of a game: what becomes of it at every phase."""

from __future__ import annotations

from dataclasses import replace

from engine.azi import bidding, ending, tricks
from engine.azi.state import BIDDING, DEAL, DISCARDING, OVER, PLAYING, AziState
from engine.contract import Outcome, Seat


def leave(state: AziState, seats: frozenset[Seat]) -> tuple[AziState, Outcome]:
    """The state when these seats have gone, and what follows: they have folded.

    Before the cards are dealt the pack is spent. Later the game goes on, or is over by it.
    """
    new = (seats & frozenset(state.seats)) - state.gone
    if state.phase == OVER or not new:
        return state, Outcome.GOES_ON
    after = replace(state, gone=state.gone | new, folded=state.folded | new)
    for seat in sorted(new):
        after = after.noted(seat, "gone")
    if state.phase in (DEAL, DISCARDING, BIDDING):
        after = bidding.charge_gone(after)
    if not after.inside:
        return ending.void(after), Outcome.GOES_ON
    if len(after.inside) == 1:
        return ending.win_alone(after), Outcome.GOES_ON
    if state.phase == DEAL:
        return ending.spend(after, new, state.chips), Outcome.NEW_PACK
    if _unopenable(after):
        return ending.void(after), Outcome.GOES_ON
    return _go_on(after), Outcome.GOES_ON


def _unopenable(state: AziState) -> bool:
    """Whether cards that a seat still in has not seen can never be seen.

    A lock of a gone seat opens only by all the others together, so not once a second one is gone.
    """
    unseen = state.rules.blind and not state.seen.issuperset(state.inside)
    return unseen and len(state.gone) > 1 and not state.given >= state.gone


def _go_on(state: AziState) -> AziState:
    """The next turn; who is just looking at its cards keeps it, and moves on when it sees them."""
    if state.phase == PLAYING:
        return tricks.go_on(state)
    if state.phase == BIDDING and state.turn not in state.looking:
        return bidding.go_on(state)
    return state
