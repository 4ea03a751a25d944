"""Lies about a pack: keys, decks and shuffle proofs, each as good as a liar can make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from unittest import mock

from protocol.group import (
    ORDER,
    add,
    card_point,
    commitment_bases,
    compress_all,
    generator_times,
    negate,
    secret_times,
)
from protocol.pack import PackState
from protocol.packmaker import PackSecrets
from protocol.proofs import Deck, KnowledgeProof, shuffle
from protocol.proofs.knowledge import _challenge as knowledge_challenge
from tests.protocol.forger import FRESH, Alter, Bend, Payload, Scene, known

# Keys.


def wrong_knowledge(own: PackSecrets, everybody: Mapping[int, PackSecrets]) -> None:
    """A proof of knowledge of the key with another answer, and committed to so."""
    proof = KnowledgeProof(own.opening.proof.R, own.opening.proof.s % (ORDER - 1) + 1)
    vars(own)["opening"] = replace(own.opening, proof=proof)


def rogue_key(own: PackSecrets, everybody: Mapping[int, PackSecrets]) -> None:
    """A key share that makes the joint key one's own: yG minus the others', proved with y."""
    y, k = own.x, 7
    others = [one.X for seat, one in everybody.items() if seat != own.seat]
    X = known(add((generator_times(y), *map(negate, others))))
    R = generator_times(k)
    s = (k + knowledge_challenge(own.plan.ctx, own.seat, X, R) * y) % ORDER
    opening = own.opening
    vars(own)["X"] = X
    vars(own)["opening"] = replace(opening, key=X, proof=KnowledgeProof(R, s))


def copied_opening(source: int) -> Bend:
    """Another seat's key share with that seat's proof."""

    def bend(own: PackSecrets, everybody: Mapping[int, PackSecrets]) -> None:
        taken = everybody[source].opening
        vars(own)["opening"] = replace(own.opening, key=taken.key, proof=taken.proof)

    return bend


def copied_key(source: int) -> Bend:
    """Another seat's key share, its secret known, so proved: two seats are in it."""

    def bend(own: PackSecrets, everybody: Mapping[int, PackSecrets]) -> None:
        vars(own)["x"] = everybody[source].x

    return bend


def cancelling_key(*sources: int) -> Bend:
    """The negative of what some seats' secrets add up to, which they must have told."""

    def bend(own: PackSecrets, everybody: Mapping[int, PackSecrets]) -> None:
        vars(own)["x"] = -sum(everybody[seat].x for seat in sources) % ORDER

    return bend


# Decks.


def _pack(scene: Scene) -> PackState:
    assert isinstance(scene.lane.rules, PackState)
    return scene.lane.rules


def doubled(own: PackSecrets) -> tuple[int, ...]:
    """The own order, but the card of place 0 once more in place 1."""
    return (own.permutation[0], own.permutation[0], *own.permutation[2:])


def all_one(own: PackSecrets) -> tuple[int, ...]:
    """One card everywhere."""
    return (own.permutation[0],) * len(own.permutation)


Order = Callable[[PackSecrets], "tuple[int, ...]"]


def committed_to(order: Order) -> Bend:
    """Commitments to a matrix that is no permutation's: what the deck will be, told beforehand."""

    def bend(own: PackSecrets, everybody: Mapping[int, PackSecrets]) -> None:
        h, psi, r = commitment_bases(len(own.plan.cards)), order(own), own.commitment_randomness
        c = tuple(
            known(add((generator_times(r[j]), *(h[i] for i, k in enumerate(psi) if k == j))))
            for j in range(len(psi))
        )
        vars(own)["opening"] = replace(own.opening, commitments=c)

    return bend


def dealt_by(order: Order) -> Alter:
    """A deck of that order, every place re-encrypted in its own way, so that nothing shows."""

    def alter(scene: Scene) -> Payload:
        state, own = _pack(scene), scene.own
        before, r = state.decks[-1], own.mix_randomness
        psi = order(own)
        first = tuple(
            known(add((before.first[j], generator_times(r[i])))) for i, j in enumerate(psi)
        )
        second = tuple(
            known(add((before.second[j], secret_times(r[i], state.key)))) for i, j in enumerate(psi)
        )
        return Deck(first, second).to_wire()

    return alter


def proved_by(order: Order, place: int | None = None) -> Alter:
    """The prover's steps for that order; ``place``: for the deck before that of this place."""

    def alter(scene: Scene) -> Payload:
        state, own = _pack(scene), scene.own
        at = state.plan.seats.index(own.seat)
        with mock.patch.object(shuffle, "_require_permutation"):
            proof = shuffle.prove(
                state.plan.ctx,
                own.seat,
                state.key,
                state.decks[at if place is None else place],
                state.decks[at + 1],
                own.opening.commitments,
                order(own),
                own.commitment_randomness,
                own.mix_randomness,
                FRESH,
            )
        return proof.to_wire()

    return alter


def honest_order(own: PackSecrets) -> tuple[int, ...]:
    """The own permutation."""
    return own.permutation


def turned(own: PackSecrets) -> tuple[int, ...]:
    """Another permutation than committed to."""
    return (*own.permutation[1:], own.permutation[0])


def repeated_card(scene: Scene) -> Payload:
    """A deck in which one pair lies twice, as it is."""
    deck = Deck.from_wire(scene.payload, len(scene.own.plan.cards))
    return (
        compress_all((deck.first[0], deck.first[0], *deck.first[2:])),
        compress_all((deck.second[0], deck.second[0], *deck.second[2:])),
    )


def exchanged_card(scene: Scene) -> Payload:
    """All in its place, but one card moved to another by the difference of their points."""
    deck = Deck.from_wire(scene.payload, len(scene.own.plan.cards))
    cards = scene.own.plan.cards
    moved = known(add((deck.second[0], card_point(cards[0]), negate(card_point(cards[1])))))
    return Deck(deck.first, (moved, *deck.second[1:])).to_wire()


def from_deck(place: int) -> Alter:
    """A true shuffle of an earlier deck: the work of the seats between is thrown away."""

    def alter(scene: Scene) -> Payload:
        state, own = _pack(scene), scene.own
        before = state.decks[place]
        return shuffle.mix(before, state.key, own.permutation, own.mix_randomness).to_wire()

    return alter


def short_deck(scene: Scene) -> Payload:
    """A deck without its last card."""
    deck = Deck.from_wire(scene.payload, len(scene.own.plan.cards))
    return Deck(deck.first[:-1], deck.second[:-1]).to_wire()
