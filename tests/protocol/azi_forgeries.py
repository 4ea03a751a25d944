"""What a cheat at Azi signs: moves, shares and results, each as good as can be made.

A liar has all that an honest seat in its place has, and knows the deck's other secrets no better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine import Card, Move, Slot
from engine.azi.state import AziState
from protocol.entries import own_cover, wire
from protocol.group import (
    card_point,
    compress_all,
    secret_times,
    subtract,
)
from protocol.hand import Due
from protocol.hashing import digest
from protocol.proofs import shares
from protocol.table import TableState
from protocol.wire import Value, pack
from tests.protocol.azi_ways import AZI
from tests.protocol.forger import FRESH, Alter, Payload, Scene, known, says
from tests.protocol.table_lies import hand_of, prove_shares

# What a liar knows.


def azi_of(scene: Scene) -> AziState:
    """The game in play."""
    state = hand_of(scene).state
    assert isinstance(state, AziState)
    return state


def own_cards(scene: Scene) -> dict[Slot, Card]:
    """The cards that the liar has left."""
    hand, own = hand_of(scene), scene.own
    cards = {}
    for slot in azi_of(scene).unplayed(scene.seat):
        cards[slot] = hand.face(slot, {own.seat: secret_times(own.x, hand.pack.deck.first[slot])})
    return cards


def slot_of(payload: Payload) -> Slot:
    """The slot of a move that names one."""
    choice = payload[0]
    assert isinstance(choice, tuple)
    slot = choice[1]
    assert isinstance(slot, int)
    return slot


def opened(scene: Scene, *slots: Slot) -> Payload:
    """True shares of these slots, with a true proof."""
    own = scene.own
    bases = hand_of(scene).bases(Due(slots))
    points, proof = shares.make(own.plan.ctx, own.seat, own.x, own.X, bases, FRESH)
    return (compress_all(points), *proof.to_wire())


# Moves that the rules forbid.


def move(*parts: Value) -> Alter:
    """A move that opens nothing."""
    return says(parts, (), ())


def stray_move(*parts: Value) -> Alter:
    """A move of a seat that owes none."""
    return lambda scene: scene.sealed((parts, (), ()), kind="move")


def as_kind(kind: str, *payload: Value) -> Alter:
    """An entry of another kind than is due; without a payload with the one of this step."""
    return lambda scene: scene.sealed(payload or None, kind=kind)


def bid(total: Callable[[AziState, int], int]) -> Alter:
    """A bid that hangs on the game and the seat."""
    return lambda scene: (("bid", total(azi_of(scene), scene.seat)), (), ())


def plays(choose: Callable[[AziState, int], Slot]) -> Alter:
    """A slot played that the rules do not give, with the own true share of it."""

    def alter(scene: Scene) -> Payload:
        slot = choose(azi_of(scene), scene.seat)
        return (("play", slot), opened(scene, slot), ())

    return alter


def others_slot(state: AziState, seat: int) -> Slot:
    """A slot of the next seat in."""
    return state.unplayed(next(one for one in state.inside if one != seat))[0]


def stock_slot(state: AziState, seat: int) -> Slot:
    """A slot that nobody was dealt."""
    return len(state.seats) * state.rules.cards + 1


def played_slot(state: AziState, seat: int) -> Slot:
    """A slot that the seat has played before."""
    return next(one.slot for trick in state.tricks for one in trick.plays if one.seat == seat)


def own_discard(state: AziState, seat: int) -> Slot:
    """What the seat has laid aside."""
    away = state.discards[seat]
    assert away is not None
    return away


def turned_up(state: AziState, seat: int) -> Slot:
    """The slot that is turned up."""
    return state.turned_up_slot


def discards(choose: Callable[[AziState, int], Slot]) -> Alter:
    """A discard that the rules do not give."""
    return lambda scene: (("discard", choose(azi_of(scene), scene.seat)), (), ())


def opened_too(scene: Scene) -> Payload:
    """The move as it is, but the slot that it names is opened."""
    return (scene.payload[0], opened(scene, slot_of(scene.payload)), ())


def opens_another(scene: Scene) -> Payload:
    """The slot that it plays, opened by the share of another one."""
    choice, _, claims = scene.payload
    slot = slot_of(scene.payload)
    other = next(one for one in azi_of(scene).unplayed(scene.seat) if one != slot)
    return (choice, opened(scene, other), claims)


def opens_to(choose: Callable[[Scene], Card]) -> Alter:
    """The slot that it plays, opened to a card of its choice, with the prover's steps for that."""

    def alter(scene: Scene) -> Payload:
        hand, slot = hand_of(scene), slot_of(scene.payload)
        share = known(subtract(own_cover(hand, scene.seat, slot), (card_point(choose(scene)),)))
        opening = prove_shares(scene.own, hand.bases(Due((slot,))), (share,))
        return (scene.payload[0], opening, ())

    return alter


def ace_of_trumps(scene: Scene) -> Card:
    """The best card that is not on the table."""
    state = azi_of(scene)
    rank = "K" if state.six_on_stage else "A"
    return rank + state.trump


def card_on_the_table(scene: Scene) -> Card:
    """A card that everybody has seen."""
    return azi_of(scene).turned_up


def given(change: Callable[[tuple[Slot, ...], AziState, int], tuple[Slot, ...]]) -> Alter:
    """The move as it is, but with true shares of other slots than it needs."""

    def alter(scene: Scene) -> Payload:
        choice, _, claims = scene.payload
        state = azi_of(scene)
        slots = AZI.needs(state, scene.seat, choice)  # type: ignore[arg-type]
        return (choice, opened(scene, *change(slots, state, scene.seat)), claims)

    return alter


def fold(scene: Scene) -> Payload:
    """The honest fold, or what stands for it where the rules allow none."""
    state = azi_of(scene)
    choice: Move = ("fold",) if state.highest else ("late",)
    slots = AZI.needs(state, scene.seat, choice)
    return (wire(choice), opened(scene, *slots) if slots else (), ())


# RESULT.


def richer(scene: Scene) -> Payload:
    """The result as it would be if the liar had won a chip more from the next seat."""
    table = scene.lane.rules
    assert isinstance(table, TableState)
    hand = table.playing
    settled = hand.game.settle(hand.state)
    stacks = list(settled.stacks)  # type: ignore[attr-defined]
    stacks[scene.seat] += 1
    stacks[scene.seat - 1] -= 1
    bent = replace(settled, stacks=tuple(stacks))  # type: ignore[type-var]
    public = pack((wire(AZI.plain(hand.state)), wire(AZI.plain_standing(bent))))
    return (digest("result", table.agreement.table_id, table.hand_number, public),)
