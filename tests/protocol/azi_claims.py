"""Revokes at Azi, with the best claims that a liar can forge for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from engine import Card, Claim, Move, Slot
from engine.azi.pack import denied
from engine.azi.state import AziState
from engine.cards import suit
from protocol.entries import allowed_cards, own_cover, wire
from protocol.group import (
    ORDER,
    Point,
    card_point,
    combination,
    generator_times,
    secret_times,
)
from protocol.hand import Due, Hand
from protocol.proofs import ClaimProof, claim, shares
from protocol.wire import Value
from tests.protocol.azi_forgeries import azi_of, opened, own_cards
from tests.protocol.azi_ways import AZI
from tests.protocol.forger import FRESH, Alter, Payload, Scene, known
from tests.protocol.table_lies import hand_of

Claims: TypeAlias = "tuple[tuple[tuple[bytes, ...], ...], ...]"
"""The proofs of a move: of each claim, of each slot, four fields."""


def claims_of(payload: Payload) -> Claims:
    """The proofs of a move."""
    return cast(Claims, payload[2])


@dataclass(frozen=True)
class Claiming:
    """A liar about to claim something of one slot."""

    scene: Scene
    hand: Hand
    slot: Slot
    card: Card
    allowed: tuple[Card, ...]

    @property
    def points(self) -> tuple[Point, ...]:
        """The allowed cards."""
        return tuple(map(card_point, self.allowed))

    @property
    def A(self) -> Point:
        """The slot's first half."""
        return self.hand.pack.deck.first[self.slot]

    @property
    def Q(self) -> Point:
        """What is left of the slot's second half without the others' shares."""
        return own_cover(self.hand, self.scene.seat, self.slot)

    def true(self, allowed: tuple[Card, ...], ctx: bytes | None = None) -> ClaimProof:
        """The honest proof that the card is one of these."""
        own, points = self.scene.own, tuple(map(card_point, allowed))
        about = (ctx or own.plan.ctx, own.seat, self.slot, own.x, own.X, self.A, self.Q, points)
        return claim.make(*about, allowed.index(self.card), FRESH)

    def pretended(self, mended: int | None, shift: int = 0) -> ClaimProof:
        """The prover's steps as if the card were the ``mended`` one; None: all branches simulated.

        ``shift``: the key that it is made with is so much more than the own one.
        """
        own, points = self.scene.own, self.points
        x, X = own.x + shift, generator_times(own.x + shift)
        c = [1000 + i for i in range(len(points))]
        k = [2000 + i for i in range(len(points))]
        R = tuple(map(generator_times, k))
        Z = [
            known(combination((((k_i + c_i * x), self.A), (-c_i, self.Q), (c_i, M))))
            for k_i, c_i, M in zip(k, c, points, strict=True)
        ]
        if mended is not None:
            Z[mended] = secret_times(k[mended], self.A)
            about = claim._statement(own.plan.ctx, own.seat, self.slot, X, self.A, self.Q, points)
            c[mended] += claim._challenge(about, R, Z) - sum(c)
        s = tuple((k_i + c_i * x) % ORDER for k_i, c_i in zip(k, c, strict=True))
        return ClaimProof(R, tuple(Z), tuple(c_i % ORDER for c_i in c), s)


Forge = Callable[[Claiming], ClaimProof]


def simulated(one: Claiming) -> ClaimProof:
    """Every branch simulated: all equations hold but the one that takes the last freedom away."""
    return one.pretended(None)


def mended(one: Claiming) -> ClaimProof:
    """As if it held the first allowed card: the challenge fits, that branch does not."""
    return one.pretended(0)


def mended_last(one: Claiming) -> ClaimProof:
    """As if it held the last allowed card."""
    return one.pretended(len(one.allowed) - 1)


def other_key(one: Claiming) -> ClaimProof:
    """With another key than the own one."""
    return one.pretended(0, shift=1)


def other_slot(one: Claiming) -> ClaimProof:
    """A true proof about the card that has just been played."""
    played = next(k for k in azi_of(one.scene).unplayed(one.scene.seat) if k in one.hand.faces)
    about = replace(one, slot=played, card=one.hand.faces[played])
    return about.true(one.allowed)


def other_slot_under_this_name(one: Claiming) -> ClaimProof:
    """A true proof about the card that has just been played, with this slot's number in it."""
    played = next(k for k in azi_of(one.scene).unplayed(one.scene.seat) if k in one.hand.faces)
    about, own = replace(one, slot=played), one.scene.own
    held = one.allowed.index(one.hand.faces[played])
    inputs = (own.x, own.X, about.A, about.Q, one.points, held, FRESH)
    return claim.make(own.plan.ctx, own.seat, one.slot, *inputs)


def own_card_allowed(one: Claiming) -> ClaimProof:
    """A true proof of as many cards, the own one among them."""
    return one.true((one.card, *one.allowed[1:]))


def nothing_forbidden(one: Claiming) -> ClaimProof:
    """A true proof that it is a card of the pack."""
    return one.true(one.hand.pack.plan.cards)


def own_card_alone(one: Claiming) -> ClaimProof:
    """A true proof of the smallest set."""
    return one.true((one.card,))


def other_pack(one: Claiming) -> ClaimProof:
    """A proof for the next pack, of as many cards, the own one among them."""
    plan = replace(one.scene.own.plan, number=one.scene.own.plan.number + 1)
    return one.true((one.card, *one.allowed[1:]), plan.ctx)


def no_proof(one: Claiming) -> ClaimProof:
    """Nothing at all."""
    return ClaimProof((), (), (), ())


def wrong_cards(state: AziState, cards: dict[Slot, Card], card: Card) -> set[str]:
    """The suits that make it a revoke to play this card of these."""
    if not state.trick:
        return set()
    suits = set(denied(card, suit(state.trick[0].card), state.trump))
    return suits & {suit(held) for held in cards.values() if held != card}


def revokes(state: AziState, cards: dict[Slot, Card]) -> list[Slot]:
    """The slots that would be a revoke, and not by a card that all can see."""
    hidden = {slot: card for slot, card in cards.items() if slot != state.turned_up_slot}
    return [slot for slot, card in cards.items() if wrong_cards(state, hidden, card)]


def seen_revokes(state: AziState, cards: dict[Slot, Card]) -> list[Slot]:
    """The slots that would be a revoke for the card alone that all can see."""
    up = state.turned_up_slot
    seen = {up: cards[up]} if up in cards else {}
    hidden = {slot: card for slot, card in cards.items() if slot != up}
    return [
        slot
        for slot, card in hidden.items()
        if wrong_cards(state, seen, card) and not wrong_cards(state, hidden, card)
    ]


def seen_revoke(scene: Scene) -> Payload:
    """A card played though the turned-up one, which lies before all, should have been."""
    slot = seen_revokes(azi_of(scene), own_cards(scene))[0]
    return (("play", slot), opened(scene, slot), ())


def revoke(forge: Forge | None, trump: bool | None = None) -> Alter:
    """Does not follow, and claims it could not; the card that it hides by ``forge``.

    None: the claim of another seat, or an earlier one, is replayed. ``trump``: which card it plays.
    """

    def alter(scene: Scene) -> Payload:
        state, cards = azi_of(scene), own_cards(scene)
        slots = revokes(state, cards)
        wanted = [k for k in slots if trump is None or (suit(cards[k]) == state.trump) == trump]
        return claimed(scene, wanted[0], forge)

    return alter


def claimed(scene: Scene, slot: Slot, forge: Forge | None) -> Payload:
    """A card played with all claims that are due, true where they can be."""
    hand, cards = hand_of(scene), own_cards(scene)
    choice: Move = ("play", slot)
    opening = opened(scene, slot)
    points, _ = shares.from_wire(opening, 1)
    after = hand.with_shares(scene.seat, Due((slot,)), points).uncovered()
    (due,) = AZI.claims(hand.state, scene.seat, choice, after.faces)
    old = None if forge is not None else replayed_claim(scene, len(allowed_cards(hand, due)))
    proofs = tuple(old or _proof(scene, after, due, one, cards[one], forge) for one in due.slots)
    return (wire(choice), opening, (proofs,))


def _proof(
    scene: Scene, hand: Hand, due: Claim, slot: Slot, card: Card, forge: Forge | None
) -> Value:
    one = Claiming(scene, hand, slot, card, allowed_cards(hand, due))
    make = forge if forge is not None and card not in one.allowed else None
    return (make(one) if make else one.true(one.allowed)).to_wire()


def replayed_claim(scene: Scene, count: int) -> Value:
    """A claim about so many allowed cards that stands in the record already."""
    for envelope in scene.earlier.values():
        if envelope.kind == "move" and envelope.payload[2] != ():
            one = claims_of(envelope.payload)[0][0]
            if len(one[2]) == 32 * count:
                return one
    raise LookupError("nobody has claimed anything like it")


def claimless(choose: Callable[[AziState, dict[Slot, Card]], Slot]) -> Alter:
    """A card played as if nothing were to be claimed."""

    def alter(scene: Scene) -> Payload:
        slot = choose(azi_of(scene), own_cards(scene))
        return (("play", slot), opened(scene, slot), ())

    return alter


def claims(change: Callable[[Claims], Value]) -> Alter:
    """The honest move with other claims."""

    def alter(scene: Scene) -> Payload:
        choice, opening, _ = scene.payload
        return (choice, opening, change(claims_of(scene.payload)))

    return alter


def flipped_claim(field: int, at: int = -1) -> Alter:
    """The honest claims, but one bit of one field of the first proof is another."""

    return claims(lambda proofs: ((_flip(proofs[0][0], field, at), *proofs[0][1:]),))


def _flip(proof: tuple[bytes, ...], field: int, at: int) -> tuple[bytes, ...]:
    changed = bytearray(proof[field])
    changed[at] ^= 4
    return (*proof[:field], bytes(changed), *proof[field + 1 :])
