"""One pack as a lane of the record: commit, open, mix in turn, prove; then it can be dealt. SPEC 6.

A state is a frozen value. ``read`` judges one entry by itself and says which equations must hold;
``close`` takes all entries of a step and gives the next state. Session and verifier use both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

from protocol.absence import Absent
from protocol.errors import PeerFault
from protocol.group import Point, add, card_point, compress, compress_all, parse_point, parse_points
from protocol.hashing import digest, permutation
from protocol.proofs import Pending, knowledge, shuffle
from protocol.proofs.knowledge import KnowledgeProof
from protocol.proofs.shuffle import Deck, ShuffleProof, opening_deck
from protocol.wire import Value, fields, octets

Stage: TypeAlias = Literal["commit", "open", "mix", "prove", "finished", "dead"]

COIN_BYTES = 32
BLIND_BYTES = 32


@dataclass(frozen=True)
class PackPlan:
    """What is fixed about a pack before anything is drawn: number, seats and cards."""

    table_id: bytes
    number: int
    seats: tuple[int, ...]
    keys: tuple[bytes, ...]
    cards: tuple[str, ...]

    @cached_property
    def ctx(self) -> bytes:
        """The hash of it all; part of every hash of this pack. SPEC 6.1."""
        cards = [card.encode() for card in self.cards]
        return digest("pack", self.table_id, self.number, list(self.seats), list(self.keys), cards)


@dataclass(frozen=True, slots=True)
class Opening:
    """What a seat opens: key share with proof, coin share, commitments to its permutation."""

    key: Point
    proof: KnowledgeProof
    coin: bytes
    commitments: tuple[Point, ...]
    blind: bytes

    def to_wire(self) -> tuple[Value, ...]:
        """The payload of an OPEN entry."""
        return (
            compress(self.key),
            *self.proof.to_wire(),
            self.coin,
            compress_all(self.commitments),
            self.blind,
        )


Entry: TypeAlias = "bytes | Opening | Deck | ShuffleProof"


def opening_hash(plan: PackPlan, seat: int, payload: tuple[Value, ...]) -> bytes:
    """What COMMIT publishes for an OPEN payload."""
    return digest("commit", plan.ctx, seat, [part for part in payload if isinstance(part, bytes)])


@dataclass(frozen=True)
class PackState:
    """A pack being made. ``turn`` is the place in ``plan.seats`` of the seat that mixes next."""

    plan: PackPlan
    stage: Stage = "commit"
    turn: int = 0
    hashes: tuple[bytes, ...] = ()
    openings: tuple[Opening, ...] = ()
    public_key: Point | None = None
    decks: tuple[Deck, ...] = ()
    faults: tuple[PeerFault, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of entry that is due."""
        return self.stage

    @property
    def owed(self) -> tuple[int, ...]:
        """The seats that owe an entry now."""
        if self.stage == "mix":
            return (self.plan.seats[self.turn],)
        return () if self.stage in ("finished", "dead") else self.plan.seats

    @cached_property
    def coin(self) -> bytes:
        """What all seats' coin shares give together, once they are open."""
        return digest("coin", self.plan.ctx, [opening.coin for opening in self.openings])

    @property
    def key(self) -> Point:
        """The joint key, once the shares are open."""
        assert self.public_key is not None
        return self.public_key

    def read(self, seat: int, payload: tuple[Value, ...]) -> tuple[Entry, tuple[Pending, ...]]:
        """An entry of this step and what must be checked of it; raises PeerFault."""
        if self.stage == "commit":
            return octets(fields(payload, 1, "a COMMIT")[0], 32, "a commitment"), ()
        if self.stage == "open":
            return self._read_opening(seat, payload)
        if self.stage == "mix":
            return Deck.from_wire(payload, len(self.plan.cards)), ()
        proof = ShuffleProof.from_wire(payload, len(self.plan.cards))
        return proof, (self.claim(seat, proof),)

    def _read_opening(
        self, seat: int, payload: tuple[Value, ...]
    ) -> tuple[Opening, tuple[Pending, ...]]:
        key, nonce, answer, coin, points, blind = fields(payload, 6, "an OPEN")
        size = len(self.plan.cards)
        opening = Opening(
            parse_point(octets(key, 33, "a key share")),
            KnowledgeProof.from_wire((nonce, answer)),
            octets(coin, COIN_BYTES, "a coin share"),
            parse_points(octets(points, 33 * size, "the commitments"), size),
            octets(blind, BLIND_BYTES, "the opening's randomness"),
        )
        if opening_hash(self.plan, seat, payload) != self.hashes[self.plan.seats.index(seat)]:
            raise PeerFault("open.commitment", "an opening that is not what was committed to")
        pending = partial(knowledge.statement, self.plan.ctx, seat, opening.key, opening.proof)
        return opening, (pending,)

    def claim(self, seat: int, proof: ShuffleProof) -> Pending:
        """What a shuffle proof claims: that this seat's deck is the one before it, reordered.

        It holds the two decks and no more of the pack, so that it is quick to hand to a worker.
        """
        place = self.plan.seats.index(seat)
        return partial(
            shuffle.statement,
            self.plan.ctx,
            seat,
            self.key,
            self.decks[place],
            self.decks[place + 1],
            self.openings[place].commitments,
            proof,
        )

    def close(self, entries: Mapping[int, Entry | Absent | None]) -> PackState:
        """The state after a step; any seat without a valid entry makes the pack useless."""
        given = [entries[seat] for seat in self.owed]
        if any(entry is None or isinstance(entry, Absent) for entry in given):
            return replace(self, stage="dead")
        if self.stage == "commit":
            hashes = tuple(entry for entry in given if isinstance(entry, bytes))
            return replace(self, stage="open", hashes=hashes)
        if self.stage == "open":
            return self._close_open(tuple(e for e in given if isinstance(e, Opening)))
        if self.stage == "mix":
            (deck,) = (entry for entry in given if isinstance(entry, Deck))
            last = self.turn + 1 == len(self.plan.seats)
            return replace(
                self,
                stage="prove" if last else "mix",
                turn=0 if last else self.turn + 1,
                decks=(*self.decks, deck),
            )
        return replace(self, stage="finished")

    def _close_open(self, openings: tuple[Opening, ...]) -> PackState:
        keys = [opening.key for opening in openings]
        copied = [
            PeerFault("key.copied", "a key share that another seat has too", seat)
            for place, seat in enumerate(self.plan.seats)
            if keys[place] in keys[:place]
        ]
        public_key = add(keys)
        cancelling = [
            # Those whose shares add up to O have agreed on it: each knows the logarithm of its own.
            PeerFault("key.sum", "key shares that cancel", seat)
            for seat, key in zip(self.plan.seats, keys, strict=True)
            if public_key is None or (public_key != key and public_key in keys)
        ]
        if copied or cancelling or public_key is None:
            faults = (*copied, *cancelling)
            return replace(self, stage="dead", openings=openings, faults=faults)
        opened = replace(self, stage="mix", openings=openings, public_key=public_key)
        return replace(opened, decks=(first_deck(self.plan, opened.coin, public_key),))


def first_deck(plan: PackPlan, coin: bytes, public_key: Point) -> Deck:
    """The pack before anybody has mixed it: pairs (G, M_c + PK) in the coin's order."""
    order = permutation("first order", coin, len(plan.cards))
    return opening_deck(public_key, [card_point(plan.cards[index]) for index in order])


@dataclass(frozen=True)
class Pack:
    """A finished pack: the deck that is dealt from, and whose keys open it."""

    plan: PackPlan
    head: bytes
    deck: Deck
    keys: Mapping[int, Point]
    coin: int

    @cached_property
    def faces(self) -> Mapping[Point, str]:
        """The card of each card point."""
        return {card_point(card): card for card in self.plan.cards}


def no_pack(table_id: bytes, seats: tuple[int, ...]) -> Pack:
    """What stands in for a pack where seats choose between hands: it has no cards."""
    return Pack(PackPlan(table_id, 0, seats, (), ()), b"", Deck((), ()), {}, 0)


def finished_pack(state: PackState, head: bytes) -> Pack:
    """The pack that a finished lane has made. ``head`` is the lane's last head."""
    keys = {
        seat: opening.key for seat, opening in zip(state.plan.seats, state.openings, strict=True)
    }
    coin = int.from_bytes(digest("rules coin", state.coin), "big")
    return Pack(state.plan, head, state.decks[-1], keys, coin)
