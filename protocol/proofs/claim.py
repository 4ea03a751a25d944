"""A claim: the hidden card of a slot is one of those allowed, without saying which. SPEC 4.7.

Cramer, Damgaard and Schoenmakers' proof of one of several statements, "Proofs of Partial
Knowledge", 1994: for one allowed card M the own share is Q - M, where Q is what the others' shares
leave of the slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.errors import LocalError, PeerFault
from protocol.group import (
    GENERATOR,
    ORDER,
    POINT_BYTES,
    SCALAR_BYTES,
    Point,
    all_points,
    compress,
    compress_all,
    encode_scalar,
    encode_scalars,
    generator_times,
    parse_points,
    parse_scalars,
    secret_sum,
    secret_times,
    subtract,
)
from protocol.hashing import digest, hash_to_scalar
from protocol.proofs.checking import Equation, Statement, read_fields, require_context
from protocol.proofs.nonces import hedged

CODE = "proof.claim"


@dataclass(frozen=True, slots=True)
class ClaimProof:
    """For each allowed card M_i: R_i = s_i G - c_i X, Z_i = s_i A - c_i (Q - M_i), c_i and s_i.

    All c_i but one can be chosen at will, since their sum must be the challenge.
    """

    R: tuple[Point, ...]
    Z: tuple[Point, ...]
    c: tuple[int, ...]
    s: tuple[int, ...]

    def to_wire(self) -> tuple[bytes, ...]:
        """Four fields for m cards: all R (33m bytes), all Z (33m), all c (32m), all s (32m)."""
        return (
            compress_all(self.R),
            compress_all(self.Z),
            encode_scalars(self.c),
            encode_scalars(self.s),
        )

    @classmethod
    def from_wire(cls, fields: object, m: int) -> ClaimProof:
        """The proof for m allowed cards, of four fields; PeerFault ``length``, ``point`` or
        ``scalar``, or ``proof.claim`` if no card is allowed, for no such claim is true.
        """
        R, Z, c, s = read_fields(
            fields, m * POINT_BYTES, m * POINT_BYTES, m * SCALAR_BYTES, m * SCALAR_BYTES
        )
        if not m:
            raise PeerFault(CODE, "a claim that no card could make true")
        return cls(parse_points(R, m), parse_points(Z, m), parse_scalars(c, m), parse_scalars(s, m))


def make(
    ctx: bytes,
    seat: int,
    slot: int,
    x: int,
    X: Point,
    A: Point,
    Q: Point,
    allowed: Sequence[Point],
    held: int,
    fresh: bytes,
) -> ClaimProof:
    """The proof that the slot's card is one of ``allowed``; ``fresh`` is 32 random bytes.

    A is the slot's first half, Q its second half less the shares of all other seats. The allowed
    cards' points stand in the order of the pack. LocalError unless the card is ``allowed[held]``,
    and if no card is allowed or one of them twice.
    """
    about = _statement(ctx, seat, slot, X, A, Q, allowed)
    D = all_points(subtract(Q, (M,)) for M in allowed)
    if D is None:
        raise LocalError("a slot that lies open without its owner's share")  # by chance: 2^-256
    # Every card gets the same work on the curve, in constant time. Which of them is held chooses
    # only between scalars, and by a product: no branch and no index hang on it. That is as even as
    # Python's own integers can be. SPEC 13.
    share = secret_times(x, A)
    is_held = [i == held for i in range(len(allowed))]
    if [D_i == share for D_i in D] != is_held:
        raise LocalError("a slot that holds another card")
    draws = hedged("claim nonce", encode_scalar(x), about, fresh)
    while True:
        k = [next(draws) for _ in allowed]
        guesses = [next(draws) for _ in allowed]
        R = tuple(map(generator_times, k))
        # R_i is s_i G - c_i X with s_i = k_i + c_i x, for any c_i; Z_i is s_i A - c_i D_i for the
        # guessed one. Where D_i is the share xA that is k_i A, which is right for any c_i as well.
        Z = all_points(
            secret_sum(0, (((k_i + c_i * x) % ORDER, A), (ORDER - c_i, D_i)))
            for k_i, c_i, D_i in zip(k, guesses, D, strict=True)
        )
        if Z is None:
            continue
        rest = _challenge(about, R, Z) - sum(guesses)
        c = tuple((c_i + rest * here) % ORDER for c_i, here in zip(guesses, is_held, strict=True))
        s = tuple((k_i + c_i * x) % ORDER for k_i, c_i in zip(k, c, strict=True))
        if all(c) and all(s):
            return ClaimProof(R, Z, c, s)


def statement(
    ctx: bytes,
    seat: int,
    slot: int,
    X: Point,
    A: Point,
    Q: Point,
    allowed: Sequence[Point],
    proof: ClaimProof,
) -> Statement:
    """(sum c_i - z) G = O; R_i - s_i G + c_i X = O and Z_i - s_i A + c_i (Q - M_i) = O for all i.

    Slot and allowed cards come from the state, never from the sender. LocalError if no card is
    allowed or one of them twice, or if the proof is for another number of cards.
    """
    about = _statement(ctx, seat, slot, X, A, Q, allowed)
    columns = (proof.R, proof.Z, proof.c, proof.s)
    if any(len(column) != len(allowed) for column in columns):
        raise LocalError(f"a proof for another number of cards than {len(allowed)}")
    z = _challenge(about, proof.R, proof.Z)
    equations: list[Equation] = [((sum(proof.c) - z, GENERATOR),)]
    for M, R, Z, c, s in zip(allowed, *columns, strict=True):
        equations.append(((1, R), (-s, GENERATOR), (c, X)))
        equations.append(((1, Z), (-s, A), (c, Q), (-c, M)))
    return Statement(CODE, seat, tuple(equations))


def _statement(
    ctx: bytes, seat: int, slot: int, X: Point, A: Point, Q: Point, allowed: Sequence[Point]
) -> bytes:
    require_context(ctx)
    if not allowed or len(set(allowed)) != len(allowed):
        raise LocalError(f"{len(allowed)} cards are allowed, {len(set(allowed))} different ones")
    keys = (compress(X), compress(A), compress(Q))
    return digest("claim statement", ctx, seat, slot, *keys, compress_all(allowed))


def _challenge(about: bytes, R: Sequence[Point], Z: Sequence[Point]) -> int:
    return hash_to_scalar("claim challenge", about, compress_all(R), compress_all(Z))
