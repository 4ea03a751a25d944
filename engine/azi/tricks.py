"""The tricks: who leads, what may be played, who takes it, and when the game is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.azi import ending
from engine.azi.moves import refusal
from engine.azi.pack import cards_of_suits, cards_without, clockwise, denied, winning
from engine.azi.state import PLAYING, AziState, Play, Trick
from engine.cards import suit
from engine.contract import Card, Claim, Seat, Slot

TRICKS = 3
"""Tricks of a game."""

TO_WIN = 2
"""Tricks that win it."""


def begin(state: AziState) -> AziState:
    """The bidding is over: the highest bidder leads, else the first seat in from the opener.

    Every seat still in that is blind looks now.
    """
    first = state.opener if state.highest_bidder is None else state.highest_bidder
    leader = clockwise(state.inside, first)[0]
    looked = state.looked | frozenset(state.inside) if state.rules.blind else state.looked
    return go_on(replace(state, phase=PLAYING, leader=leader, looked=looked))


def check_slot(state: AziState, seat: Seat, slot: Slot) -> None:
    """Raises IllegalMove unless the slot is one that the seat still holds."""
    if slot not in state.unplayed(seat):
        raise refusal("play.slot", "that is not a card of the own hand", seat)


def check_discard(
    slot: Slot, own: tuple[Slot, ...], turned_up: Slot | None, seat: Seat | None
) -> None:
    """Raises IllegalMove unless the slot is an own one that may be laid aside before bidding."""
    if slot not in own:
        raise refusal("discard.slot", "that is not a card of the own hand", seat)
    if slot == turned_up:
        raise refusal("discard.turned_up", "the turned-up card stays in the hand", seat)


def claims(
    state: AziState, seat: Seat, slot: Slot, faces: Mapping[Slot, Card]
) -> tuple[Claim, ...]:
    """What a seat says of its hidden cards by playing this one; raises IllegalMove.

    A turned-up card that the dealer still holds is seen by all and judged here.
    """
    suits = _denied(state, faces[slot])
    if not suits:
        return ()
    left = [one for one in state.unplayed(seat) if one != slot]
    if state.turned_up_slot in left:
        left.remove(state.turned_up_slot)
        if suit(state.turned_up) in suits:
            raise _revoke(state, state.turned_up, seat)
    forbidden = cards_of_suits(cards_without(state.rules.left_out), suits)
    return (Claim(tuple(left), forbidden),) if left else ()


def play(state: AziState, seat: Seat, slot: Slot, card: Card) -> AziState:
    """The card is on the table."""
    return go_on(replace(state, trick=(*state.trick, Play(seat, slot, card))))


def go_on(state: AziState) -> AziState:
    """Whose turn it is, clockwise from the leader; a trick that all still in have played to ends.

    A leader who is out of the game before leading is replaced by the next seat still in.
    """
    leader = state.leader
    assert leader is not None
    if not state.trick:
        leader = clockwise(state.inside, leader)[0]
    played = {one.seat for one in state.trick}
    left = [seat for seat in clockwise(state.inside, leader) if seat not in played]
    if left:
        return replace(state, leader=leader, turn=left[0])
    return _taken(state, leader)


def _taken(state: AziState, leader: Seat) -> AziState:
    """A trick is over: decided by two tricks of a seat still in, azi after three, else the next."""
    cards = tuple(one.card for one in state.trick)
    winner = state.trick[winning(cards, state.trump, state.six_on_stage)].seat
    tricks = (*state.tricks, Trick(leader, state.trick, winner))
    after = replace(state, tricks=tricks, trick=(), leader=winner)
    if winner in after.inside and _count(after, winner) == TO_WIN:
        return ending.win(after, winner)
    return ending.azi(after) if len(tricks) == TRICKS else go_on(after)


def _count(state: AziState, seat: Seat) -> int:
    return sum(trick.winner == seat for trick in state.tricks)


def _denied(state: AziState, card: Card) -> tuple[str, ...]:
    return denied(card, suit(state.trick[0].card), state.trump) if state.trick else ()


def _revoke(state: AziState, held: Card, seat: Seat) -> Exception:
    if suit(held) == suit(state.trick[0].card):
        return refusal("play.follow", f"follow suit: the hand holds {held}", seat)
    return refusal("play.trump", f"play a trump: the hand holds {held}", seat)
