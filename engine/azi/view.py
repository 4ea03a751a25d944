"""All that one person, bot or spectator may know of a game of Azi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.azi import state as game
from engine.azi.interlude import Interlude
from engine.azi.money import Chips
from engine.azi.moves import BUY
from engine.azi.options import HALF_POT, Rules
from engine.azi.pack import cards_without
from engine.azi.standing import AFTER_AZI, AziStanding, players
from engine.azi.state import Action, AziState, Play
from engine.contract import Card, Seat, Slot, View

Plays = tuple[tuple[Seat, Card], ...]
"""Cards as they were played: (seat, card) in order."""


@dataclass(frozen=True, slots=True)
class AziView(View):
    """The view of one seat. ``stacks``, ``contributions``, ``levels`` and ``bids_made`` are
    indexed by seat, of all seats at the table; sets of seats are ascending tuples.

    ``hand`` (from View) pairs the own slots still in hand with their faces; ``owes`` is
    ``discard``, ``bid``, ``play``, ``buy`` or None.
    """

    phase: str
    """``deal``, ``discard``, ``bid``, ``play``, ``over``; between games ``buy``."""
    hand_number: int
    """Deals begun at this table so far, this one included; from 1."""
    seats: tuple[Seat, ...]
    """Seats dealt in; between games those that will be as it stands."""
    stacks: tuple[int, ...]
    contributions: tuple[int, ...]
    """Ante and bids of this game; all 0 once the bank is given out."""
    bank: int
    """All chips in the bank, ``carried`` ones included."""
    carried: int
    """Chips in the bank that are nobody's contribution."""
    pack: tuple[Card, ...]
    cards: int
    """Cards that each is dealt."""
    ante: int
    min_bid: int
    raise_step: int
    max_bid: int
    """The most that a bid may be; 0: anything."""
    callers_may_reraise: bool
    short_stack: str
    azi_entry: str
    dealers_card: bool
    """Whether the dealer's last card is turned up, not one of the stock."""
    blind: bool
    """Whether the table plays with blind bids."""
    hands: int
    """Games that the match lasts; 0: to the end."""
    hands_played: int
    """Games before this one that count."""
    entry: str
    """``azi``: the game after an azi; ``again``: a spent deal is dealt again; else empty."""
    price: int
    """What it costs to buy in after an azi; 0 where nobody may."""
    levels: tuple[int, ...] = ()
    """What each has bid, double where it was paid blind."""
    bids_made: tuple[int, ...] = ()
    dealer: Seat | None = None
    opener: Seat | None = None
    turn: Seat | None = None
    """Whose turn it is, where seats choose one by one; it waits while cards are on the way."""
    owing: tuple[Seat, ...] = ()
    """Seats that owe a choice."""
    trump: str = ""
    turned_up: Card = ""
    six_on_stage: bool = False
    yielded: tuple[Seat, ...] = ()
    """Seats that gave up the lead by levelling."""
    inside: tuple[Seat, ...] = ()
    folded: tuple[Seat, ...] = ()
    gone: tuple[Seat, ...] = ()
    looked: tuple[Seat, ...] = ()
    """At a table with blind bids: seats that have looked at their cards."""
    highest: int = 0
    """The highest bid; 0: nobody has bid."""
    highest_bidder: Seat | None = None
    leader: Seat | None = None
    """Who leads the trick; None before the tricks."""
    trick: Plays = ()
    tricks: tuple[tuple[Seat, Plays, Seat], ...] = ()
    """Finished ones: (leader, plays, winner)."""
    discarded: tuple[Seat, ...] = ()
    discard: tuple[Slot, Card] | None = None
    """The own discard, which nobody else ever sees."""
    unplayed: tuple[tuple[Slot, ...], ...] = ()
    """For each seat dealt in the slots left in its hand."""
    actions: tuple[Action, ...] = ()
    """All that was done or befell a seat but cards played: (seat, kind, chips or level)."""
    short: tuple[Seat, ...] = ()
    """Seats in whose level is not the highest: they would win a part of the bank only."""
    returns: tuple[tuple[Seat, int], ...] = ()
    """What each seat in would take of the bank if it won now: (seat, chips)."""
    ended: str = ""
    """``won``, ``alone`` (all others folded), ``azi``, ``void`` or ``spent``; empty before."""
    winner: Seat | None = None
    """Who has won this game."""
    payouts: tuple[tuple[Seat, int], ...] = ()
    """What seats got of the bank at the end, the winner first."""
    heirs: tuple[Seat, ...] = ()
    """After an azi or a spent deal: who are sure to play on."""
    void: bool = False


def of_game(state: AziState, seat: Seat | None, faces: Mapping[Slot, Card]) -> AziView:
    """What this seat may know; only own slots that it may see are looked up in ``faces``."""
    own: dict[Slot, Card] = {}
    left: tuple[Slot, ...] = ()
    away: Slot | None = None
    if seat is not None and seat in state.seats:
        who = game.audience(state)
        own = {k: faces[k] for k in state.block(seat) if k in faces and who[k].includes(seat)}
        left, away = state.unplayed(seat), state.discards[seat]
    inside = state.inside
    over = state.phase == game.OVER
    return replace(
        _table(state.rules, state.before, state.chips, state.phase, state.seats),
        seat=seat,
        owes=None if seat is None else state.owing.get(seat),
        hand=tuple((slot, own[slot]) for slot in left if slot in own),
        levels=state.levels,
        bids_made=state.bids_made,
        dealer=state.dealer,
        opener=state.opener,
        turn=state.turn,
        owing=tuple(sorted(state.owing)),
        trump=state.trump,
        turned_up=state.turned_up,
        six_on_stage=state.six_on_stage,
        yielded=tuple(sorted(state.yielded)),
        inside=inside,
        folded=tuple(sorted(state.folded)),
        gone=tuple(sorted(state.gone)),
        looked=tuple(sorted(state.looked)),
        highest=state.highest,
        highest_bidder=state.highest_bidder,
        leader=state.leader,
        trick=_plays(state.trick),
        tricks=tuple((one.leader, _plays(one.plays), one.winner) for one in state.tricks),
        discarded=tuple(one for one in state.seats if state.discards[one] is not None),
        discard=None if away is None or away not in own else (away, own[away]),
        unplayed=tuple(state.unplayed(one) for one in state.seats),
        actions=state.actions,
        short=() if over else tuple(one for one in inside if state.is_short(one)),
        returns=() if over else tuple((one, state.share_of_winner(one)[0]) for one in inside),
        ended=state.ended,
        winner=state.winner,
        payouts=state.payouts,
        heirs=state.heirs,
        void=state.ended == game.VOID,
    )


def of_interlude(state: Interlude, seat: Seat | None) -> AziView:
    """What everybody knows between games; there are no cards."""
    standing = state.standing
    phase = game.OVER if state.over else BUY
    going = players(state.rules, standing, state.present - state.gone)
    return replace(
        _table(state.rules, standing, standing.chips, phase, going),
        seat=seat,
        owes=None if seat is None else state.owing.get(seat),
        opener=state.before.opener,
        turn=state.queue[0] if state.queue else None,
        owing=state.queue[:1],
        gone=tuple(sorted(state.gone)),
        actions=state.actions,
        payouts=state.payouts,
        heirs=state.before.heirs,
    )


def _table(
    rules: Rules, standing: AziStanding, chips: Chips, phase: str, seats: tuple[Seat, ...]
) -> AziView:
    """What does not hang on who looks, nor on what is done in a game."""
    sold = standing.entry == AFTER_AZI and rules.azi_entry == HALF_POT
    nothing = (0,) * chips.seats
    return AziView(
        game="azi",
        seat=None,
        owes=None,
        hand=(),
        phase=phase,
        hand_number=standing.dealt + 1,
        seats=seats,
        stacks=chips.stacks,
        contributions=chips.contributions,
        bank=chips.bank,
        carried=chips.carried,
        pack=cards_without(rules.left_out),
        cards=rules.cards,
        ante=rules.ante,
        min_bid=rules.min_bid,
        raise_step=rules.raise_step,
        max_bid=rules.max_bid,
        callers_may_reraise=rules.callers_may_reraise,
        short_stack=rules.short_stack,
        azi_entry=rules.azi_entry,
        dealers_card=rules.dealers_card,
        blind=rules.blind,
        hands=rules.hands,
        hands_played=standing.played,
        entry=standing.entry,
        price=standing.price if sold else 0,
        levels=nothing,
        bids_made=nothing,
    )


def _plays(plays: tuple[Play, ...]) -> Plays:
    return tuple((one.seat, one.card) for one in plays)
