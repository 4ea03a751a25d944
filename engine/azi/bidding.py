"""Bidding for the right to lead: who must speak, what may be said, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from engine.azi import ending, tricks
from engine.azi.moves import BID, FOLD, LATE, LEVEL, LOOK, refusal
from engine.azi.pack import clockwise
from engine.azi.state import BIDDING, AziState
from engine.contract import Seat

MOST_BIDS: Final = 3
"""Bids that one seat may make in a game; it may always level or fold."""

ALL_IN: Final = "all_in"


@dataclass(frozen=True, slots=True)
class Bidder:
    """All that decides what a seat may say in its turn; from a state or from a view.

    ``blind``: it pays half, having not looked; ``may_bid`` is False once it has given up the lead.
    ``even``: the table plays with blind bids.
    """

    seat: Seat
    stack: int
    level: int
    highest: int
    made: int
    may_bid: bool
    blind: bool
    even: bool
    min_bid: int
    raise_step: int
    max_bid: int

    @property
    def opens(self) -> bool:
        """Whether nobody has bid before."""
        return self.highest == 0

    @property
    def reach(self) -> int:
        """The level that it reaches with all its chips."""
        return self.level + self.stack * (2 if self.blind else 1)

    @property
    def bids(self) -> tuple[int, int, int] | None:
        """The least and the most that it may bid, and the step; None if it may not bid."""
        step = 2 if self.even else 1
        least = self.min_bid if self.opens else self.highest + self.raise_step
        most = self.reach - self.reach % step
        if self.max_bid:
            most = min(most, self.max_bid)
        if not self.may_bid or self.made >= MOST_BIDS or least > most:
            return None
        return least, most, step

    def cost(self, level: int) -> int:
        """The chips that it takes to get to a level, which may be more than there are."""
        missing = level - self.level
        return (missing + 1) // 2 if self.blind else missing

    @property
    def to_level(self) -> int:
        """The chips that it pays to level: what is missing, or all that is left."""
        return min(self.stack, self.cost(self.highest))

    @property
    def late_fee(self) -> int:
        """The chips that it pays to be out if it opens and does not choose."""
        return min(self.stack, self.cost(self.level + self.min_bid))

    def check(self, kind: str, number: int) -> None:
        """Raises IllegalMove if the seat may not say this in its turn."""
        if kind == BID:
            self._check_bid(number)
        elif kind == LOOK and not self.even:
            raise refusal("look.off", "this table does not play with blind bids", self.seat)
        elif kind == LOOK and not self.blind:
            raise refusal("look.done", "the own cards are looked at already", self.seat)
        elif kind in (LEVEL, FOLD) and self.opens:
            raise refusal("bid.open", "the seat that opens must bid", self.seat)
        elif kind == LATE and not self.opens:
            raise refusal("late", "only the seat that opens can be late", self.seat)

    def _check_bid(self, total: int) -> None:
        seat, least = self.seat, self.highest + self.raise_step
        if not self.may_bid:
            raise refusal("bid.lead", "who has levelled may only level or fold", seat)
        if self.made >= MOST_BIDS:
            raise refusal("bid.limit", f"all {MOST_BIDS} bids are made: level or fold", seat)
        if self.opens and total < self.min_bid:
            raise refusal("bid.low", f"the first bid is at least {self.min_bid}", seat)
        if total <= self.highest:
            raise refusal("bid.low", f"a bid is higher than the last one, {self.highest}", seat)
        if not self.opens and total < least:
            text = f"a bid is higher by at least {self.raise_step}: {least} or more"
            raise refusal("bid.step", text, seat)
        if self.max_bid and total > self.max_bid:
            raise refusal("bid.max", f"no bid is higher than {self.max_bid}", seat)
        if self.even and total % 2:
            raise refusal("bid.even", "bids are even numbers at this table", seat)
        if total > self.reach:
            text = f"the chips left reach to {self.reach}, not to {total}"
            raise refusal("bid.chips", text, seat)


def bidder(state: AziState, seat: Seat) -> Bidder:
    """What decides what this seat may say."""
    rules = state.rules
    return Bidder(
        seat=seat,
        stack=state.chips.stacks[seat],
        level=state.levels[seat],
        highest=state.highest,
        made=state.bids_made[seat],
        may_bid=rules.callers_may_reraise or seat not in state.yielded,
        blind=state.is_blind(seat),
        even=rules.blind,
        min_bid=rules.min_bid,
        raise_step=rules.raise_step,
        max_bid=rules.max_bid,
    )


def begin(state: AziState) -> AziState:
    """The bidding opens."""
    return go_on(replace(state, phase=BIDDING))


def said(state: AziState, seat: Seat, kind: str, number: int) -> AziState:
    """The state after what a seat says in its turn, which must have been checked."""
    who = bidder(state, seat)
    blind = "_blind" if who.blind else ""
    if kind == LOOK:
        return replace(state, looked=state.looked | {seat}).noted(seat, LOOK)
    if kind == BID:
        after = _raise_level(state, who, who.cost(number)).noted(seat, BID + blind, number)
        made = _with(state.bids_made, seat, who.made + 1)
        after = replace(after, highest=number, highest_bidder=seat, bids_made=made)
    elif kind == LEVEL:
        after = _raise_level(state, who, who.to_level).noted(seat, LEVEL + blind, who.to_level)
        after = replace(after, yielded=state.yielded | {seat})
    else:
        after = late(state, seat) if kind == LATE else state.noted(seat, FOLD)
        after = replace(after, folded=state.folded | {seat}, given=state.given | {seat})
    return go_on(after)


def late(state: AziState, seat: Seat) -> AziState:
    """An opener who does not choose pays the least bid, or what is left; nobody answers that."""
    fee = bidder(state, seat).late_fee
    paid = replace(state, chips=state.chips.paid(seat, fee), opened=state.opened + 1)
    return paid.noted(seat, LATE, fee)


def charge_gone(state: AziState) -> AziState:
    """Gone seats to which the opening has come pay as late ones, also before bidding begins.

    Else who is to open with bad cards would rather leave.
    """
    order = clockwise(state.seats, state.opener)
    while not state.highest and state.opened < len(order) and order[state.opened] in state.gone:
        state = late(state, order[state.opened])
    return state


def go_on(state: AziState) -> AziState:
    """Whose turn it is, from the one whose turn it was; the tricks, when nobody owes an answer."""
    if len(state.inside) == 1:
        return ending.win_alone(state)
    if not state.highest:
        return _open(state)
    assert state.turn is not None
    for seat in clockwise(state.inside, state.turn):
        if state.chips.stacks[seat] and state.levels[seat] < state.highest:
            return replace(state, turn=seat)
    return tricks.begin(state)


def _open(state: AziState) -> AziState:
    """The first seat from the opener that is in and reaches the least bid is to open.

    One that does not goes in with all it has, which is no bid; one without chips is passed over.
    """
    for seat in clockwise(state.seats, state.opener)[state.opened :]:
        who = bidder(state, seat)
        if seat in state.gone:
            state = late(state, seat)
            continue
        if who.stack and who.reach >= who.min_bid:
            return replace(state, turn=seat)
        state = replace(state, opened=state.opened + 1)
        if who.stack:
            state = _raise_level(state, who, who.stack).noted(seat, ALL_IN, who.stack)
    return tricks.begin(state)


def _raise_level(state: AziState, who: Bidder, paid: int) -> AziState:
    """A seat pays, and its level rises by that, by twice that while it is blind."""
    level = who.level + paid * (2 if who.blind else 1)
    chips = state.chips.paid(who.seat, paid)
    return replace(state, chips=chips, levels=_with(state.levels, who.seat, level))


def _with(values: tuple[int, ...], seat: Seat, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
