"""One seat's own part in a pack: everything secret follows from one 32-byte seed. SPEC 6.2.

So the seed is all that must be on disk before COMMIT is spoken, and a peer that was killed can go
on with the very same pack. These functions are heavy; they run as jobs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from protocol.group import Point, generator_times
from protocol.hashing import digest, hash_to_scalar, permutation
from protocol.pack import Opening, PackPlan, PackState, opening_hash
from protocol.proofs import knowledge, shuffle
from protocol.wire import Value

SEED_BYTES = 32


@dataclass(frozen=True)
class PackSecrets:
    """What one seat knows about a pack and nobody else does."""

    plan: PackPlan
    seat: int
    seed: bytes

    def __repr__(self) -> str:
        return f"PackSecrets(pack {self.plan.number}, seat {self.seat})"

    def _scalar(self, label: str, index: int = 0) -> int:
        return hash_to_scalar(f"secret/{label}", self.seed, self.plan.ctx, self.seat, index)

    def _bytes(self, label: str) -> bytes:
        return digest(f"secret/{label}", self.seed, self.plan.ctx, self.seat)

    @cached_property
    def x(self) -> int:
        """The key share's secret."""
        return self._scalar("key")

    @cached_property
    def X(self) -> Point:
        """The key share."""
        return generator_times(self.x)

    @cached_property
    def permutation(self) -> tuple[int, ...]:
        """The order in which this seat puts the pack."""
        return permutation("secret/permutation", self._bytes("permutation"), len(self.plan.cards))

    @cached_property
    def commitment_randomness(self) -> tuple[int, ...]:
        """r of the permutation commitments."""
        return tuple(self._scalar("commitment", i) for i in range(len(self.plan.cards)))

    @cached_property
    def mix_randomness(self) -> tuple[int, ...]:
        """r of the re-encryptions, indexed by input card."""
        return tuple(self._scalar("mix", i) for i in range(len(self.plan.cards)))

    @cached_property
    def opening(self) -> Opening:
        """What this seat commits to and then opens: always the same for one seed."""
        ctx = self.plan.ctx
        return Opening(
            self.X,
            knowledge.prove(ctx, self.seat, self.x, self.X, self._bytes("nonce")),
            self._bytes("coin"),
            shuffle.commit(self.permutation, self.commitment_randomness, len(self.plan.cards)),
            self._bytes("blind"),
        )


def contribute(state: PackState, secrets: PackSecrets, fresh: bytes) -> tuple[Value, ...]:
    """The payload that this seat owes in the state's step (for PROVE: call ``prove`` instead)."""
    if state.stage == "commit":
        return (opening_hash(state.plan, secrets.seat, secrets.opening.to_wire()),)
    if state.stage == "open":
        return secrets.opening.to_wire()
    if state.stage == "mix":
        deck = shuffle.mix(state.decks[-1], state.key, secrets.permutation, secrets.mix_randomness)
        return deck.to_wire()
    return prove(state, secrets, fresh)


def prove(state: PackState, secrets: PackSecrets, fresh: bytes) -> tuple[Value, ...]:
    """The PROVE payload of this seat; possible as soon as its own deck is in the record."""
    place = state.plan.seats.index(secrets.seat)
    proof = shuffle.prove(
        state.plan.ctx,
        secrets.seat,
        state.key,
        state.decks[place],
        state.decks[place + 1],
        secrets.opening.commitments,
        secrets.permutation,
        secrets.commitment_randomness,
        secrets.mix_randomness,
        fresh,
    )
    return proof.to_wire()
