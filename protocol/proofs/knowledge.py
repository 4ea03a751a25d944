"""Proof of knowledge of the key x behind X = xG (Schnorr). SPEC 4.3.

Without it a seat could publish the others' keys with a minus sign plus its own, and read all cards.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.group import (
    GENERATOR,
    ORDER,
    POINT_BYTES,
    SCALAR_BYTES,
    Point,
    compress,
    encode_scalar,
    generator_times,
    parse_point,
    parse_scalar,
)
from protocol.hashing import hash_to_scalar
from protocol.proofs.checking import Statement, read_fields, require_context
from protocol.proofs.nonces import hedged

CODE = "proof.knowledge"


@dataclass(frozen=True, slots=True)
class KnowledgeProof:
    """R = kG and s = k + zx."""

    R: Point
    s: int

    def to_wire(self) -> tuple[bytes, ...]:
        """Two fields: R (33 bytes), s (32 bytes)."""
        return (compress(self.R), encode_scalar(self.s))

    @classmethod
    def from_wire(cls, fields: object) -> KnowledgeProof:
        """The proof of two fields; PeerFault ``length``, ``point`` or ``scalar``."""
        R, s = read_fields(fields, POINT_BYTES, SCALAR_BYTES)
        return cls(parse_point(R), parse_scalar(s))


def prove(ctx: bytes, seat: int, x: int, X: Point, fresh: bytes) -> KnowledgeProof:
    """The proof that this seat knows x, where X = xG; ``fresh`` is 32 random bytes."""
    require_context(ctx)
    about = (ctx, seat, compress(X))
    for k in hedged("knowledge nonce", encode_scalar(x), about, fresh):
        R = generator_times(k)
        s = (k + _challenge(ctx, seat, X, R) * x) % ORDER
        if s:
            return KnowledgeProof(R, s)
    raise AssertionError("nonces never end")


def statement(ctx: bytes, seat: int, X: Point, proof: KnowledgeProof) -> Statement:
    """R - sG + zX = O."""
    require_context(ctx)
    z = _challenge(ctx, seat, X, proof.R)
    return Statement(CODE, seat, (((1, proof.R), (-proof.s, GENERATOR), (z, X)),))


def _challenge(ctx: bytes, seat: int, X: Point, R: Point) -> int:
    return hash_to_scalar("knowledge challenge", ctx, seat, compress(X), compress(R))
