"""The public state of one game of Azi, and what follows from it at a glance.

Phases: ``deal`` (with blind bids first the locks, then the cards come in), ``discard`` (all at
once, of four cards), ``bid`` (in turn), ``play`` (in turn), ``over``. Nothing in a state is known
to one seat only. Tuples with one item a seat are indexed by seat, of all seats at the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from engine.azi.money import Chips, split
from engine.azi.options import Rules
from engine.azi.pack import cards_without, clockwise, own_slots
from engine.azi.standing import AziStanding
from engine.cards import suit
from engine.contract import EVERYBODY, NOBODY, Audience, Card, Seat, Slot, State

DEAL: Final = "deal"
DISCARDING: Final = "discard"
BIDDING: Final = "bid"
PLAYING: Final = "play"
OVER: Final = "over"

WON: Final = "won"
ALONE: Final = "alone"
AZI: Final = "azi"
VOID: Final = "void"
SPENT: Final = "spent"

Action: TypeAlias = tuple[Seat, str, int]
"""What a seat did or what befell it, and an amount: (seat, kind, chips or level)."""


@dataclass(frozen=True, slots=True)
class Play:
    """A card on the table."""

    seat: Seat
    slot: Slot
    card: Card


@dataclass(frozen=True, slots=True)
class Trick:
    """A finished trick."""

    leader: Seat
    plays: tuple[Play, ...]
    winner: Seat


@dataclass(frozen=True, slots=True)
class AziState(State):
    """The public state of one game.

    ``levels`` count bids, double where they were paid blind; ``highest`` is the highest bid, 0 if
    nobody has bid; ``opened``: so many seats, from the opener on, are done with opening.
    ``folded`` holds the gone ones too. ``looked``: seats whose cards they may see in a blind game;
    ``seen``: those of them whose shares are out; ``given``: seats that gave all shares which
    others still in could need, when they folded. ``ended`` says how the game ended, ``payouts``
    what each seat got of the bank then, in order.
    """

    rules: Rules
    before: AziStanding
    seats: tuple[Seat, ...]
    opener: Seat
    chips: Chips
    levels: tuple[int, ...]
    bids_made: tuple[int, ...]
    discards: tuple[Slot | None, ...]
    phase: str = DEAL
    sealed: bool = False
    turn: Seat | None = None
    opened: int = 0
    highest: int = 0
    highest_bidder: Seat | None = None
    yielded: frozenset[Seat] = frozenset()
    folded: frozenset[Seat] = frozenset()
    gone: frozenset[Seat] = frozenset()
    looked: frozenset[Seat] = frozenset()
    seen: frozenset[Seat] = frozenset()
    given: frozenset[Seat] = frozenset()
    turned_up: Card = ""
    leader: Seat | None = None
    trick: tuple[Play, ...] = ()
    tricks: tuple[Trick, ...] = ()
    actions: tuple[Action, ...] = ()
    ended: str = ""
    winner: Seat | None = None
    heirs: tuple[Seat, ...] = ()
    payouts: tuple[tuple[Seat, int], ...] = ()

    @property
    def inside(self) -> tuple[Seat, ...]:
        """The seats that are still in, ascending."""
        return tuple(seat for seat in self.seats if seat not in self.folded)

    @property
    def dealer(self) -> Seat:
        """The last seat dealt in before the opener."""
        return clockwise(self.seats, self.opener)[-1]

    @property
    def trump(self) -> str:
        """The trump suit; empty before a card is turned up."""
        return suit(self.turned_up) if self.turned_up else ""

    @property
    def six_on_stage(self) -> bool:
        """Whether the turned-up card is an ace, so that the six of trumps is the highest card."""
        return self.turned_up[:1] == "A"

    @property
    def turned_up_slot(self) -> Slot:
        """The slot that is turned up: the next of the stock, or the last of the dealer's block."""
        if self.rules.dealers_card:
            return self.block(self.dealer)[-1]
        return len(self.seats) * self.rules.cards

    @property
    def looking(self) -> frozenset[Seat]:
        """Seats still in whose cards are on the way to them."""
        return (self.looked - self.seen - self.folded) if self.phase != OVER else frozenset()

    @property
    def owing(self) -> dict[Seat, str]:
        """Who owes a choice, and of which kind; nobody while cards are on the way."""
        if self.phase == DISCARDING:
            return dict.fromkeys(self.inside, DISCARDING)
        if self.turn is None or self.looking or self.phase not in (BIDDING, PLAYING):
            return {}
        return {self.turn: self.phase}

    def block(self, seat: Seat) -> tuple[Slot, ...]:
        """The slots that a seat is dealt."""
        return own_slots(self.seats, seat, self.rules.cards)

    def unplayed(self, seat: Seat) -> tuple[Slot, ...]:
        """The slots left in a seat's hand: neither discarded nor played."""
        plays = (*self.trick, *(play for trick in self.tricks for play in trick.plays))
        out = {play.slot for play in plays if play.seat == seat}
        return tuple(k for k in self.block(seat) if k not in out and k != self.discards[seat])

    def is_blind(self, seat: Seat) -> bool:
        """Whether what this seat pays counts double: it has not looked at its cards."""
        return self.rules.blind and seat not in self.looked

    def is_short(self, seat: Seat) -> bool:
        """Whether this seat could not level, so that it would win a part of the bank only."""
        return self.levels[seat] < max(self.highest, *(self.levels[one] for one in self.inside))

    def share_of_winner(self, seat: Seat) -> tuple[int, tuple[int, ...]]:
        """What this seat would take by winning now, and what would go back to each."""
        chips = self.chips
        short = self.is_short(seat)
        mode = self.rules.short_stack
        return split(chips.contributions, chips.carried, seat, short, mode)

    def noted(self, seat: Seat, kind: str, amount: int = 0) -> AziState:
        """The state with one more action."""
        return replace(self, actions=(*self.actions, (seat, kind, amount)))


def begin(rules: Rules, seats: tuple[Seat, ...], before: AziStanding, coin: int) -> AziState:
    """A new game: antes paid, the next seat after the last winner opens, else the coin says who."""
    chips = before.chips
    if not before.free:
        for seat in seats:
            chips = chips.paid(seat, min(rules.ante, chips.stacks[seat]))
    if before.winner is None:
        opener = seats[coin % len(seats)]
    else:
        opener = clockwise(seats, before.winner + 1)[0]
    nothing = (0,) * len(before.stacks)
    state = AziState(rules, before, seats, opener, chips, nothing, nothing, (None,) * len(nothing))
    return replace(state, sealed=not (rules.blind and len(seats) > 2))


def audience(state: AziState) -> tuple[Audience, ...]:
    """For every slot who may see it: the owner, once it has looked; played cards are for all.

    What nobody needs any more in a game that is over, or of a seat that is out of it without
    having seen its cards, is asked of nobody.
    """
    who = [NOBODY] * len(cards_without(state.rules.left_out))
    if state.phase == OVER and not state.turned_up:
        return tuple(who)
    sees = state.seen | state.looking if state.rules.blind else frozenset(state.seats)
    for seat in state.seats:
        if seat in sees:
            for slot in state.block(seat):
                who[slot] = Audience(frozenset({seat}))
    for play in (*state.trick, *(play for trick in state.tricks for play in trick.plays)):
        who[play.slot] = EVERYBODY
    who[state.turned_up_slot] = EVERYBODY
    return tuple(who)


def withheld(state: AziState, seat: Seat) -> tuple[Slot, ...]:
    """Slots of other seats still in that have not looked, whose shares this seat alone holds back.

    Ascending. What is turned up is out already.
    """
    if not state.rules.blind:
        return ()
    return tuple(
        slot
        for other in state.inside
        if other != seat and other not in state.seen
        for slot in state.block(other)
        if slot != state.turned_up_slot
    )


def locks(state: AziState) -> Mapping[Seat, tuple[Slot, ...]]:
    """What each seat seals before a blind deal: its shares of all others' own cards."""
    if state.phase != DEAL or state.sealed:
        return {}
    return {
        seat: tuple(
            slot
            for other in state.seats
            if other != seat
            for slot in state.block(other)
            if slot != state.turned_up_slot
        )
        for seat in state.seats
    }
