"""What a seat may do, seen from its view: choices to show, objections, and the move when late."""

from __future__ import annotations

from engine.azi.bidding import Bidder
from engine.azi.interlude import check_price
from engine.azi.moves import (
    BID,
    BUY,
    DISCARD,
    FOLD,
    LATE,
    LEVEL,
    LOOK,
    PASS,
    PLAY,
    expect,
    parse,
    refusal,
)
from engine.azi.pack import denied, lowest, playable
from engine.azi.tricks import check_discard
from engine.azi.view import AziView
from engine.cards import suit
from engine.contract import Card, Choice, IllegalMove, Move, Slot


def legal(view: AziView) -> tuple[Choice, ...]:
    """What this seat may do now; empty if it owes nothing."""
    if view.owes == DISCARD:
        moves = tuple((DISCARD, slot) for slot in _spare(view))
        return (Choice(DISCARD, "lay one card aside, face down", moves=moves),)
    if view.owes == BID:
        return _bids(_bidder(view))
    if view.owes == PLAY:
        may = playable(_cards(view), _led(view), view.trump)
        moves = tuple((PLAY, slot) for slot, card in view.hand if card in may)
        return (Choice(PLAY, "play a card", moves=moves),)
    if view.owes == BUY:
        text = f"buy in for {view.price}, half the bank"
        return (
            Choice(BUY, text, moves=((BUY,),)),
            Choice(PASS, "stay out of the next game", moves=((PASS,),)),
        )
    return ()


def objection(view: AziView, move: Move) -> IllegalMove | None:
    """All that others could refuse, and what only the own hand shows."""
    seat = view.seat
    try:
        kind, number = parse(move, seat)
        expect(kind, view.owes, seat)
        if kind == LATE:
            return refusal(LATE, "the opener must bid", seat)
        if kind == DISCARD:
            check_discard(number, tuple(slot for slot, _ in view.hand), _turned_up(view), seat)
        elif view.owes == BID:
            _bidder(view).check(kind, number)
        elif kind == PLAY:
            _check_play(view, number)
        elif kind == BUY:
            check_price(view.stacks[seat or 0], view.price, seat)
    except IllegalMove as illegal:
        return illegal
    return None


def late(view: AziView) -> Move:
    """What the own program does when the clock runs out; ``view`` is of a seat that owes a choice.

    It gives away the lowest card that it may, trumps last; folds; does not buy.
    """
    if view.owes == DISCARD:
        spare = _spare(view)
        card = lowest((card for slot, card in view.hand if slot in spare), view.trump)
        return (DISCARD, _slot_of(view, card))
    if view.owes == PLAY:
        may = playable(_cards(view), _led(view), view.trump)
        return (PLAY, _slot_of(view, lowest(may, view.trump)))
    if view.owes == BID:
        return (LATE,) if _bidder(view).opens else (FOLD,)
    return (PASS,)


def _bids(who: Bidder) -> tuple[Choice, ...]:
    half = " at half price" if who.blind else ""
    found: list[Choice] = []
    if who.blind:
        found.append(Choice(LOOK, "look at the own cards", moves=((LOOK,),)))
    bids = who.bids
    if bids is not None:
        range_of = str(bids[0]) if bids[0] == bids[1] else f"{bids[0]} to {bids[1]}"
        text = f"bid {range_of}{half}"
        found.append(Choice(BID, text, form=f'["{BID}", total]', amount=bids))
    if not who.opens:
        what = "with all that is left" if who.to_level < who.cost(who.highest) else "the bid"
        text = f"level {what}, for {who.to_level}"
        found.append(Choice(LEVEL, text, moves=((LEVEL,),)))
        found.append(Choice(FOLD, "fold: be out of this game", moves=((FOLD,),)))
    return tuple(found)


def _bidder(view: AziView) -> Bidder:
    seat = view.seat
    assert seat is not None, "only a seat bids"
    return Bidder(
        seat=seat,
        stack=view.stacks[seat],
        level=view.levels[seat],
        highest=view.highest,
        made=view.bids_made[seat],
        may_bid=view.callers_may_reraise or seat not in view.yielded,
        blind=view.blind and seat not in view.looked,
        even=view.blind,
        min_bid=view.min_bid,
        raise_step=view.raise_step,
        max_bid=view.max_bid,
    )


def _check_play(view: AziView, slot: Slot) -> None:
    card = dict(view.hand).get(slot)
    if card is None:
        raise refusal("play.slot", "that is not a card of the own hand", view.seat)
    led = _led(view)
    held = {suit(other) for other in _cards(view)}
    wrong = held.intersection(denied(card, led, view.trump)) if led else set()
    if led in wrong:
        raise refusal("play.follow", "the hand holds a card of the suit that was led", view.seat)
    if wrong:
        raise refusal("play.trump", "the hand cannot follow suit and holds a trump", view.seat)


def _cards(view: AziView) -> tuple[Card, ...]:
    return tuple(card for _, card in view.hand)


def _led(view: AziView) -> str:
    return suit(view.trick[0][1]) if view.trick else ""


def _turned_up(view: AziView) -> Slot | None:
    return next((slot for slot, card in view.hand if card == view.turned_up), None)


def _spare(view: AziView) -> tuple[Slot, ...]:
    turned_up = _turned_up(view)
    return tuple(slot for slot, _ in view.hand if slot != turned_up)


def _slot_of(view: AziView, card: Card) -> Slot:
    return next(slot for slot, held in view.hand if held == card)
