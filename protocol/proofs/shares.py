"""Decryption shares S_k = xA_k and one proof that all were made with the x of X = xG. SPEC 4.5.

Chaum and Pedersen's proof of equal logarithms, on one weighted sum of all bases and shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.errors import LocalError
from protocol.group import (
    GENERATOR,
    ORDER,
    POINT_BYTES,
    SCALAR_BYTES,
    Point,
    combination,
    compress,
    compress_all,
    encode_scalar,
    generator_times,
    parse_point,
    parse_points,
    parse_scalar,
    secret_times,
    subtract,
)
from protocol.hashing import digest, hash_to_scalar, weight
from protocol.proofs.checking import Statement, read_fields, require_context
from protocol.proofs.nonces import hedged

CODE = "proof.shares"


@dataclass(frozen=True, slots=True)
class ShareProof:
    """R = tG, R' = tA and s = t + zx, where A is the weighted sum of the bases."""

    R: Point
    R_bases: Point
    s: int

    def to_wire(self) -> tuple[bytes, ...]:
        """Three fields: R (33 bytes), R' (33 bytes), s (32 bytes)."""
        return (compress(self.R), compress(self.R_bases), encode_scalar(self.s))

    @classmethod
    def from_wire(cls, fields: object) -> ShareProof:
        """The proof of three fields; PeerFault ``length``, ``point`` or ``scalar``."""
        R, R_bases, s = read_fields(fields, POINT_BYTES, POINT_BYTES, SCALAR_BYTES)
        return cls(parse_point(R), parse_point(R_bases), parse_scalar(s))


def from_wire(fields: object, n: int) -> tuple[tuple[Point, ...], ShareProof]:
    """n shares and their proof, of four fields; PeerFault ``length``, ``point`` or ``scalar``."""
    points, *proof = read_fields(fields, n * POINT_BYTES, POINT_BYTES, POINT_BYTES, SCALAR_BYTES)
    return parse_points(points, n), ShareProof.from_wire(tuple(proof))


def make(
    ctx: bytes, seat: int, x: int, X: Point, bases: Sequence[Point], fresh: bytes
) -> tuple[tuple[Point, ...], ShareProof]:
    """The shares xA of all bases A, in their order, and their proof; ``fresh`` is 32 random bytes.

    The bases are first halves of a deck, or the R of a lock; LocalError if there are none.
    """
    shares = tuple(secret_times(x, A) for A in bases)
    about = _statement(ctx, seat, X, bases, shares)
    A = combination(zip(_weights(about, len(bases)), bases, strict=True))
    if A is None:
        raise LocalError("the weighted sum of the bases is O")  # by chance: 2^-128
    for t in hedged("shares nonce", encode_scalar(x), about, fresh):
        R, R_bases = generator_times(t), secret_times(t, A)
        s = (t + _challenge(about, R, R_bases) * x) % ORDER
        if s:
            return shares, ShareProof(R, R_bases, s)
    raise AssertionError("nonces never end")


def statement(
    ctx: bytes,
    seat: int,
    X: Point,
    bases: Sequence[Point],
    shares: Sequence[Point],
    proof: ShareProof,
) -> Statement:
    """R - sG + zX = O and R' - s sum w_k A_k + z sum w_k S_k = O."""
    about = _statement(ctx, seat, X, bases, shares)
    z = _challenge(about, proof.R, proof.R_bases)
    w = _weights(about, len(bases))
    key = ((1, proof.R), (-proof.s, GENERATOR), (z, X))
    sums = (
        (1, proof.R_bases),
        *((-proof.s * w_k, A) for w_k, A in zip(w, bases, strict=True)),
        *((z * w_k, S) for w_k, S in zip(w, shares, strict=True)),
    )
    return Statement(CODE, seat, (key, sums))


def uncover(covered: Point, shares: Sequence[Point]) -> Point | None:
    """What is left when all shares are taken off: M = B - sum S, as one sum; None for O.

    For a slot B is its second half and all seats' shares give the card's point; for a lock B is
    its V and the other seats' shares give its owner's share.
    """
    return subtract(covered, shares)


def _statement(
    ctx: bytes, seat: int, X: Point, bases: Sequence[Point], shares: Sequence[Point]
) -> bytes:
    require_context(ctx)
    if not bases or len(bases) != len(shares):
        raise LocalError(f"{len(shares)} shares for {len(bases)} bases")
    return digest(
        "shares statement", ctx, seat, compress(X), compress_all(bases), compress_all(shares)
    )


def _weights(about: bytes, n: int) -> list[int]:
    return [weight("shares weight", about, k) for k in range(1, n + 1)]


def _challenge(about: bytes, R: Point, R_bases: Point) -> int:
    return hash_to_scalar("shares challenge", about, compress(R), compress(R_bases))
