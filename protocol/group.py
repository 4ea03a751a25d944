"""The group secp256k1: points, scalars and the few operations on them that the proofs need. SPEC 3.

A point is held as its 65 uncompressed bytes, which are cheap to read and good as a key of a
dictionary; the wire and every hash take the 33 compressed ones. The neutral element O is no point:
sums that may be O give None. Multiplying is libsecp256k1's work (through btclib-secp256k1):
secret scalars go through its constant-time multiplication only, public ones through its sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NewType

from btclib_secp256k1 import ecdh, keys

from protocol.errors import LocalError, PeerFault
from protocol.hashing import ORDER as ORDER
from protocol.hashing import Part, digest

Point = NewType("Point", bytes)
"""65 bytes: 04, x and y, of a point that is on the curve and not O."""

POINT_BYTES = 33
"""A point on the wire: 02 (y even) or 03 (y odd), then x, big-endian."""

SCALAR_BYTES = 32
"""A scalar on the wire: 1 ... q - 1, big-endian."""

GENERATOR = Point(keys.pubkey_from_prvkey(1, compressed=False))


@dataclass(slots=True)
class Tally:
    """Operations carried out so far, for the bench. Only counted: nothing depends on it."""

    generator: int = 0
    """kG in constant time."""
    secret: int = 0
    """kP in constant time."""
    terms: int = 0
    """Terms kP of sums with public coefficients."""
    sums: int = 0
    """Sums of points, each with one inversion to get back to coordinates."""
    additions: int = 0
    """Points in those sums, but for the first of each."""
    parses: int = 0
    """Points read from 33 bytes."""


tally = Tally()


def generator_times(k: int) -> Point:
    """kG in constant time; LocalError unless 1 <= k < q."""
    _require_scalar(k)
    tally.generator += 1
    return Point(keys.pubkey_from_prvkey(k.to_bytes(SCALAR_BYTES, "big"), compressed=False))


def secret_times(k: int, P: Point) -> Point:
    """kP in constant time; LocalError unless 1 <= k < q."""
    _require_scalar(k)
    tally.secret += 1
    return Point(ecdh.shared_point(P, k.to_bytes(SCALAR_BYTES, "big"), compressed=False))


def secret_sum(g: int, terms: Iterable[tuple[int, Point]]) -> Point | None:
    """gG plus the sum of all kP, every product in constant time; zero scalars are left out.

    None for O. LocalError unless all scalars are in 0 ... q - 1.
    """
    products = [secret_times(k, P) for k, P in terms if k]
    if g:
        products.append(generator_times(g))
    return add(products)


def combination(terms: Iterable[tuple[int, Point]]) -> Point | None:
    """The sum of all kP, None for O. In variable time: for public coefficients only.

    Coefficients may be any integers; those divisible by q are left out.
    """
    kept = [(reduced, P) for k, P in terms if (reduced := k % ORDER)]
    if not kept:
        return None
    tally.terms += len(kept)
    total = keys.pubkey_tweak_mul_sum(
        [P for _, P in kept], [k.to_bytes(SCALAR_BYTES, "big") for k, _ in kept], compressed=False
    )
    return None if total is None else Point(total)


def add(points: Sequence[Point]) -> Point | None:
    """The sum of points, None for O (the sum of none as well)."""
    if not points:
        return None
    tally.sums += 1
    tally.additions += len(points) - 1
    total = keys.pubkey_sum(points, compressed=False)
    return None if total is None else Point(total)


def all_points(sums: Iterable[Point | None]) -> tuple[Point, ...] | None:
    """The sums if all are points, None if one of them is O."""
    points: list[Point] = []
    for P in sums:
        if P is None:
            return None
        points.append(P)
    return tuple(points)


def negate(P: Point) -> Point:
    """-P."""
    return Point(keys.pubkey_negate(P, compressed=False))


def subtract(P: Point, points: Sequence[Point]) -> Point | None:
    """P less all the others, as one sum; None for O."""
    return add((P, *map(negate, points)))


def compress(P: Point) -> bytes:
    """The 33 bytes of a point on the wire."""
    return (b"\x03" if P[64] & 1 else b"\x02") + P[1:33]


def compress_all(points: Iterable[Point]) -> bytes:
    """The points one after the other, 33 bytes each."""
    return b"".join([(b"\x03" if P[64] & 1 else b"\x02") + P[1:33] for P in points])


def parse_point(data: bytes) -> Point:
    """The point of 33 bytes; PeerFault ``length`` or ``point``."""
    return parse_points(data, 1)[0]


def parse_points(data: bytes, n: int) -> tuple[Point, ...]:
    """Exactly n points of 33 bytes each; PeerFault ``length`` or ``point``."""
    return tuple(map(_read_point, _split(data, n, POINT_BYTES)))


def encode_scalar(k: int) -> bytes:
    """The 32 bytes of a scalar on the wire; LocalError unless 1 <= k < q."""
    _require_scalar(k)
    return k.to_bytes(SCALAR_BYTES, "big")


def encode_scalars(scalars: Iterable[int]) -> bytes:
    """The scalars one after the other, 32 bytes each; LocalError unless all are in 1 ... q - 1."""
    return b"".join(map(encode_scalar, scalars))


def parse_scalar(data: bytes) -> int:
    """The scalar of 32 bytes; PeerFault ``length``, or ``scalar`` unless it is in 1 ... q - 1."""
    return parse_scalars(data, 1)[0]


def parse_scalars(data: bytes, n: int) -> tuple[int, ...]:
    """Exactly n scalars of 32 bytes each; PeerFault ``length`` or ``scalar``."""
    scalars = tuple(int.from_bytes(item, "big") for item in _split(data, n, SCALAR_BYTES))
    if not all(0 < k < ORDER for k in scalars):
        raise PeerFault("scalar", "a scalar that is not in 1 ... q - 1")
    return scalars


def hash_to_point(label: str, *parts: Part) -> Point:
    """A point whose logarithm nobody knows, the same for all: try and increment.

    x = digest(label, parts, counter) for counter = 0, 1, ... until it is the first coordinate of
    a point; of the two points the one with even y.
    """
    counter = 0
    while (P := _lift(b"\x02" + digest(label, *parts, counter))) is None:
        counter += 1
    return P


@cache
def commitment_base() -> Point:
    """H, where the chain of a shuffle proof begins."""
    return hash_to_point("generator H")


@cache
def commitment_bases(n: int) -> tuple[Point, ...]:
    """h_1 ... h_n, which permutations are committed with."""
    return tuple(hash_to_point("generator h", i) for i in range(1, n + 1))


@cache
def card_point(card: str) -> Point:
    """M_c, the point that stands for a card; the card's name is hashed as UTF-8."""
    return hash_to_point("card", card.encode())


def _require_scalar(k: int) -> None:
    if not 0 < k < ORDER:
        raise LocalError("a scalar that is not in 1 ... q - 1")


def _split(data: bytes, n: int, width: int) -> list[bytes]:
    if len(data) != n * width:
        raise PeerFault("length", f"{len(data)} bytes where {n * width} are due")
    return [data[start : start + width] for start in range(0, n * width, width)]


def _read_point(data: bytes) -> Point:
    tally.parses += 1
    P = _lift(data) if data[0] in (2, 3) else None
    if P is None:
        raise PeerFault("point", "33 bytes that are no point of the curve")
    return P


def _lift(data: bytes) -> Point | None:
    """The point of 33 bytes, None if there is none."""
    try:
        return Point(keys.reserialize(data, compressed=False))
    except ValueError:
        return None
