"""How a game ends, and what it leaves behind: every way from a state to the next standing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.azi.money import Chips, equal_parts
from engine.azi.options import ALL_ANTE
from engine.azi.pack import clockwise
from engine.azi.standing import AFTER_AZI, AGAIN, AS_USUAL, AziStanding
from engine.azi.state import ALONE, AZI, OVER, SPENT, VOID, WON, AziState
from engine.contract import Seat


def win(state: AziState, winner: Seat) -> AziState:
    """A seat has two tricks; one that is short gives a part of the bank back."""
    taken, back = state.share_of_winner(winner)
    returned = ((seat, chips) for seat, chips in enumerate(back) if chips)
    return _end(state, WON, ((winner, taken), *returned), winner=winner)


def win_alone(state: AziState) -> AziState:
    """One seat is left in: it takes the whole bank, and no card is shown."""
    (winner,) = state.inside
    return _end(state, ALONE, ((winner, state.chips.bank),), winner=winner)


def azi(state: AziState) -> AziState:
    """Nobody still in has two of the three tricks: the bank is carried over.

    If no trick taker is still in, those who are stand in for them (ours), so that the bank always
    belongs to somebody. After the last game of the match the bank is shared out at once.
    """
    takers = {trick.winner for trick in state.tricks}
    heirs = tuple(seat for seat in state.inside if seat in takers) or state.inside
    parts: tuple[tuple[Seat, int], ...] = ()
    if state.rules.hands and state.before.played + 1 >= state.rules.hands:
        parts = equal_parts(state.chips.bank, clockwise(heirs, state.opener))
    return _end(state, AZI, parts, heirs=heirs)


def void(state: AziState) -> AziState:
    """The game does not count: contributions go back to all but the gone ones, whose stay.

    If all are gone there is nobody for whom they could stay, and all go back.
    """
    chips = state.chips
    lost = state.gone if state.gone < frozenset(state.seats) else frozenset()
    for seat in state.seats:
        chips = chips.forfeited(seat) if seat in lost else chips.given_back(seat)
    return _close(replace(state, chips=chips, ended=VOID))


def spend(state: AziState, gone: Iterable[Seat], before: Chips) -> AziState:
    """The deal cannot be finished: these seats lose their ante and a part of the bank besides.

    Else an ally could buy a fresh deal with one ante. ``before``: the chips as they stood; what
    seats have paid since because they were to open is a part of it. Raises ZeroDivisionError for
    two seats.
    """
    each = -(-before.bank // (len(state.seats) - 2))
    after = state
    for seat in sorted(gone):
        fee = state.chips.contributions[seat] - before.contributions[seat]
        more = min(after.chips.stacks[seat], max(0, each - fee))
        after = replace(after, chips=after.chips.forfeited(seat, more)).noted(seat, "penalty", more)
    chips = after.chips
    for seat in after.inside:
        chips = chips.given_back(seat)
    return _close(replace(after, chips=chips, ended=SPENT, heirs=after.inside))


def settle(state: AziState) -> AziStanding:
    """The standing after a game; raises ValueError if it is not over."""
    if state.phase != OVER:
        raise ValueError(f"the game is at {state.phase}, not over")
    standing = replace(
        state.before.with_chips(state.chips),
        dealt=state.before.dealt + 1,
        played=state.before.played + (state.ended not in (VOID, SPENT)),
    )
    if state.ended == VOID:
        return _after_void(state, standing)
    if state.ended == SPENT:
        heirs, opener = state.heirs, state.opener
        return replace(standing, entry=AGAIN, heirs=heirs, entered=(), opener=opener)
    if state.winner is not None:
        return replace(standing.as_usual(), winner=state.winner)
    if not standing.carried:
        return standing.as_usual()
    return replace(
        standing,
        entry=AFTER_AZI,
        heirs=state.heirs,
        entered=(),
        azi_bank=standing.carried,
        opener=state.opener,
        free=state.rules.azi_entry != ALL_ANTE,
    )


def _after_void(state: AziState, standing: AziStanding) -> AziStanding:
    """Who may play stays as it was; what gone seats left belongs to those who were there (ours)."""
    if standing.entry != AS_USUAL:
        return standing
    heirs = tuple(seat for seat in state.seats if seat not in state.gone)
    return replace(standing, heirs=heirs, opener=state.opener)


def _end(
    state: AziState,
    ended: str,
    payouts: tuple[tuple[Seat, int], ...],
    winner: Seat | None = None,
    heirs: tuple[Seat, ...] = (),
) -> AziState:
    chips: Chips = state.chips.pooled().handed_out(payouts)
    return _close(
        replace(state, chips=chips, ended=ended, winner=winner, heirs=heirs, payouts=payouts)
    )


def _close(state: AziState) -> AziState:
    return replace(state, phase=OVER, turn=None)
