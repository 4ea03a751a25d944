"""The steps of a game: a choice judged, what it gives and proves, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.azi import bidding, interlude, tricks
from engine.azi.interlude import Interlude
from engine.azi.moves import BID, BUY, DISCARD, FOLD, LATE, PLAY, expect, parse
from engine.azi.state import BIDDING, DEAL, DISCARDING, OVER, AziState, withheld
from engine.contract import Card, Claim, Move, Seat, Slot

AnyState = AziState | Interlude


def check(state: AnyState, seat: Seat, move: object) -> tuple[str, int]:
    """The kind and the number of a move, judged while its slots are hidden; raises IllegalMove."""
    owes = state.owing.get(seat)
    kind, number = parse(move, seat)
    expect(kind, owes, seat)
    if isinstance(state, Interlude):
        if kind == BUY:
            interlude.check_price(state.standing.stacks[seat], state.standing.price, seat)
    elif owes == BID:
        bidding.bidder(state, seat).check(kind, number)
    elif owes == DISCARD:
        tricks.check_discard(number, state.unplayed(seat), state.turned_up_slot, seat)
    else:
        tricks.check_slot(state, seat, number)
    return kind, number


def needs(state: AnyState, seat: Seat, move: object) -> tuple[Slot, ...]:
    """A played card opens, unless it was turned up; who folds gives what others may need.

    Not if that leaves one seat in, which takes the bank and shows nothing. Raises IllegalMove.
    """
    kind, number = check(state, seat, move)
    if not isinstance(state, AziState):
        return ()
    if kind == PLAY:
        return () if number == state.turned_up_slot else (number,)
    if kind in (FOLD, LATE) and len(state.inside) > 2:
        return withheld(state, seat)
    return ()


def claims(
    state: AnyState, seat: Seat, move: object, faces: Mapping[Slot, Card]
) -> tuple[Claim, ...]:
    """What a played card says of the cards that its seat keeps; raises IllegalMove."""
    kind, number = check(state, seat, move)
    if kind != PLAY or not isinstance(state, AziState):
        return ()
    return tricks.claims(state, seat, number, faces)


def chosen(state: AnyState, entries: Mapping[Seat, Move], faces: Mapping[Slot, Card]) -> AnyState:
    """The state after a step; raises IllegalMove, and ValueError if a discard is missing.

    Where seats choose in turn the step is one seat's, and empty if that one has gone.
    """
    moves = {seat: check(state, seat, entries[seat]) for seat in sorted(entries)}
    if isinstance(state, AziState) and state.phase == DISCARDING:
        return _discarded(state, {seat: slot for seat, (_, slot) in moves.items()})
    after = state
    for seat, (kind, number) in moves.items():
        if isinstance(state, Interlude):
            after = interlude.answered(state, seat, kind)
        elif kind == PLAY:
            tricks.claims(state, seat, number, faces)
            after = tricks.play(state, seat, number, faces[number])
        else:
            after = bidding.said(state, seat, kind, number)
    return after


def dealt(state: AziState, faces: Mapping[Slot, Card]) -> AziState:
    """The state once cards that were on the way are there: the deal, or those of a look."""
    if state.phase == OVER:
        return state
    seen = state.seen | state.looking
    if state.phase != DEAL:
        after = replace(state, seen=seen)
        return bidding.go_on(after) if state.phase == BIDDING else after
    after = replace(state, turned_up=faces[state.turned_up_slot], seen=seen)
    return replace(after, phase=DISCARDING) if state.rules.cards > 3 else bidding.begin(after)


def _discarded(state: AziState, slots: Mapping[Seat, Slot]) -> AziState:
    missing = [seat for seat in state.inside if seat not in slots]
    if missing:
        raise ValueError(f"no discard of seats {missing}")
    discards = tuple(slots.get(seat, old) for seat, old in enumerate(state.discards))
    return bidding.begin(replace(state, discards=discards))
