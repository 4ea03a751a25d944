"""A lock: the own shares, encrypted to all other seats together, with a proof. SPEC 4.6.

Share k is sealed as R_k = r_k G, V_k = xA_k + r_k Q, where Q is the sum of the others' keys. Only
all others together can take r_k Q off again, by their shares of R_k, should the owner fall silent.
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
    all_points,
    combination,
    compress,
    compress_all,
    encode_scalar,
    encode_scalars,
    generator_times,
    parse_points,
    parse_scalars,
    secret_sum,
)
from protocol.hashing import digest, hash_to_scalar, weight
from protocol.proofs.checking import Statement, read_fields, require_context
from protocol.proofs.nonces import hedged

CODE = "proof.lock"


@dataclass(frozen=True, slots=True)
class Lock:
    """Sealed shares (R_k, V_k), announcements aG, bG, aA + bQ and answers s1 = a + zx, s2 = b + zr.

    A, R, V and r without an index are the sums with the weights.
    """

    R: tuple[Point, ...]
    V: tuple[Point, ...]
    announcements: tuple[Point, ...]
    answers: tuple[int, ...]

    def to_wire(self) -> tuple[bytes, ...]:
        """Four fields: all R (33n bytes), all V (33n), announcements (99), answers (64)."""
        return (
            compress_all(self.R),
            compress_all(self.V),
            compress_all(self.announcements),
            encode_scalars(self.answers),
        )

    @classmethod
    def from_wire(cls, fields: object, n: int) -> Lock:
        """The lock of n shares, of four fields; PeerFault ``length``, ``point`` or ``scalar``."""
        R, V, announcements, answers = read_fields(
            fields, n * POINT_BYTES, n * POINT_BYTES, 3 * POINT_BYTES, 2 * SCALAR_BYTES
        )
        return cls(
            parse_points(R, n),
            parse_points(V, n),
            parse_points(announcements, 3),
            parse_scalars(answers, 2),
        )


def make(
    ctx: bytes, seat: int, x: int, X: Point, Q: Point, bases: Sequence[Point], fresh: bytes
) -> Lock:
    """The lock of the shares xA of all bases A, in their order; ``fresh`` is 32 random bytes.

    Q is the sum of all other seats' keys. LocalError if there are no bases.
    """
    require_context(ctx)
    keys = (ctx, seat, compress(X), compress(Q), compress_all(bases))
    draws = hedged("lock nonce", encode_scalar(x), keys, fresh)
    while True:
        r = [next(draws) for _ in bases]
        a, b = next(draws), next(draws)
        R = tuple(generator_times(r_k) for r_k in r)
        V = all_points(secret_sum(0, ((x, A), (r_k, Q))) for A, r_k in zip(bases, r, strict=True))
        if V is None:
            continue
        about = _statement(ctx, seat, X, Q, bases, R, V)
        w = _weights(about, len(bases))
        A = combination(zip(w, bases, strict=True))
        announcements = all_points(
            (generator_times(a), generator_times(b), A and secret_sum(0, ((a, A), (b, Q))))
        )
        if announcements is None:
            continue
        z = _challenge(about, announcements)
        r_sum = sum(w_k * r_k for w_k, r_k in zip(w, r, strict=True))
        answers = ((a + z * x) % ORDER, (b + z * r_sum) % ORDER)
        if all(answers):
            return Lock(R, V, announcements, answers)


def statement(
    ctx: bytes, seat: int, X: Point, Q: Point, bases: Sequence[Point], lock: Lock
) -> Statement:
    """aG - s1 G + zX = O, bG - s2 G + zR = O and (aA + bQ) - s1 A - s2 Q + zV = O."""
    about = _statement(ctx, seat, X, Q, bases, lock.R, lock.V)
    z = _challenge(about, lock.announcements)
    w = _weights(about, len(bases))
    aG, bG, aA_bQ = lock.announcements
    s1, s2 = lock.answers
    key = ((1, aG), (-s1, GENERATOR), (z, X))
    randomness = (
        (1, bG),
        (-s2, GENERATOR),
        *((z * w_k, R) for w_k, R in zip(w, lock.R, strict=True)),
    )
    sealed = (
        (1, aA_bQ),
        *((-s1 * w_k, A) for w_k, A in zip(w, bases, strict=True)),
        (-s2, Q),
        *((z * w_k, V) for w_k, V in zip(w, lock.V, strict=True)),
    )
    return Statement(CODE, seat, (key, randomness, sealed))


def _statement(
    ctx: bytes,
    seat: int,
    X: Point,
    Q: Point,
    bases: Sequence[Point],
    R: Sequence[Point],
    V: Sequence[Point],
) -> bytes:
    require_context(ctx)
    if not bases or not len(bases) == len(R) == len(V):
        raise LocalError(f"a lock of {len(R)} and {len(V)} points for {len(bases)} bases")
    keys = (compress(X), compress(Q))
    return digest(
        "lock statement", ctx, seat, *keys, compress_all(bases), compress_all(R), compress_all(V)
    )


def _weights(about: bytes, n: int) -> list[int]:
    return [weight("lock weight", about, k) for k in range(1, n + 1)]


def _challenge(about: bytes, announcements: tuple[Point, ...]) -> int:
    return hash_to_scalar("lock challenge", about, compress_all(announcements))
