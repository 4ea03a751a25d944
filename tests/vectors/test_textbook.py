"""A second verifier, from SPEC alone: hashlib and a textbook curve, nothing of the program.

Slow and short. It must accept the good vectors of few cards or shares and refuse all bad ones whose
bytes are well formed, which shows that the text says what the program does.
"""

from __future__ import annotations

import hashlib
import json
from math import prod
from pathlib import Path
from typing import Any

import pytest

from tests.protocol import curve
from tests.protocol.curve import Affine, N

FOLDER = Path(__file__).parent
Term = tuple[int, Affine]
Case = dict[str, Any]


def enc(part: bytes | int) -> bytes:
    """SPEC 2.1."""
    if isinstance(part, int):
        return b"i" + part.to_bytes(8, "big")
    return b"b" + len(part).to_bytes(4, "big") + part


def message(label: str, *parts: bytes | int) -> bytes:
    """SPEC 2.1."""
    return b"".join(map(enc, (b"facedown/1/" + label.encode(), *parts)))


def short(label: str, *parts: bytes | int) -> bytes:
    """SHA-256."""
    return hashlib.sha256(message(label, *parts)).digest()


def scalar(label: str, *parts: bytes | int) -> int:
    """SHA-512 modulo q."""
    return int.from_bytes(hashlib.sha512(message(label, *parts)).digest(), "big") % N


def weights(label: str, about: bytes, n: int) -> list[int]:
    """128 bits of a hash for each of 1 ... n."""
    return [int.from_bytes(short(label, about, i)[:16], "big") for i in range(1, n + 1)]


def hashed_point(label: str, *parts: bytes | int) -> Affine:
    """Try and increment."""
    counter = 0
    while True:
        x = int.from_bytes(short(label, *parts, counter), "big")
        if (P := curve.lift(x, odd=False)) is not None:
            return P
        counter += 1


def points(data: bytes) -> list[Affine]:
    """Points of 33 bytes each."""
    cut = [data[i : i + 33] for i in range(0, len(data), 33)]
    return [curve.lift(int.from_bytes(each[1:], "big"), odd=each[0] == 3) for each in cut]


def scalars(data: bytes) -> list[int]:
    """Scalars of 32 bytes each."""
    return [int.from_bytes(data[i : i + 32], "big") for i in range(0, len(data), 32)]


def wire(P: Affine) -> bytes:
    """33 bytes of a point."""
    assert P is not None
    return bytes([2 + P[1] % 2]) + P[0].to_bytes(32, "big")


def zero(*terms: Term) -> bool:
    """Whether the terms add up to O."""
    result: Affine = None
    for k, P in terms:
        result = curve.add(result, curve.times(k, P))
    return result is None


def knowledge(case: Case, ctx: bytes, seat: int, fields: list[bytes]) -> bool:
    """SPEC 4.3."""
    X = bytes.fromhex(case["X"])
    z = scalar("knowledge challenge", ctx, seat, X, fields[0])
    (R,), (s,) = points(fields[0]), scalars(fields[1])
    return zero((1, R), (-s, curve.G), (z, points(X)[0]))


def shares(case: Case, ctx: bytes, seat: int, fields: list[bytes]) -> bool:
    """SPEC 4.5."""
    X, bases, given = (bytes.fromhex(case[name]) for name in ("X", "bases", "shares"))
    about = short("shares statement", ctx, seat, X, bases, given)
    w = weights("shares weight", about, 2)
    z = scalar("shares challenge", about, fields[0], fields[1])
    (R,), (R_bases,), (s,) = points(fields[0]), points(fields[1]), scalars(fields[2])
    A, S = points(bases), points(given)
    return zero((1, R), (-s, curve.G), (z, points(X)[0])) and zero(
        (1, R_bases), *((-s * w[k], A[k]) for k in (0, 1)), *((z * w[k], S[k]) for k in (0, 1))
    )


def lock(case: Case, ctx: bytes, seat: int, fields: list[bytes]) -> bool:
    """SPEC 4.6."""
    X, others, bases = (bytes.fromhex(case[name]) for name in ("X", "Q", "bases"))
    about = short("lock statement", ctx, seat, X, others, bases, fields[0], fields[1])
    w = weights("lock weight", about, 2)
    z = scalar("lock challenge", about, fields[2])
    A, R, V, (T1, T2, T3) = points(bases), *map(points, fields[:3])
    s1, s2 = scalars(fields[3])
    two = (0, 1)
    return (
        zero((1, T1), (-s1, curve.G), (z, points(X)[0]))
        and zero((1, T2), (-s2, curve.G), *((z * w[k], R[k]) for k in two))
        and zero(
            (1, T3),
            *((-s1 * w[k], A[k]) for k in two),
            (-s2, points(others)[0]),
            *((z * w[k], V[k]) for k in two),
        )
    )


def claim(case: Case, ctx: bytes, seat: int, fields: list[bytes]) -> bool:
    """SPEC 4.7."""
    X, A, Q, allowed = (bytes.fromhex(case[name]) for name in ("X", "A", "Q", "allowed"))
    if not allowed:
        return False
    about = short("claim statement", ctx, seat, case["slot"], X, A, Q, allowed)
    z = scalar("claim challenge", about, *fields[:2])
    c, s = map(scalars, fields[2:])
    key, first, rest = (points(each)[0] for each in (X, A, Q))
    return zero((sum(c) - z, curve.G)) and all(
        zero((1, R), (-s_i, curve.G), (c_i, key))
        and zero((1, Z), (-s_i, first), (c_i, rest), (-c_i, M))
        for M, R, Z, c_i, s_i in zip(points(allowed), *map(points, fields[:2]), c, s, strict=True)
    )


def shuffle(case: Case, ctx: bytes, seat: int, fields: list[bytes]) -> bool:
    """SPEC 4.4."""
    n, pk, commitments = case["n"], bytes.fromhex(case["pk"]), bytes.fromhex(case["commitments"])
    decks = [bytes.fromhex(half) for half in (*case["before"], *case["after"])]
    H, h = hashed_point("generator H"), [hashed_point("generator h", i + 1) for i in range(n)]
    bases = b"".join(map(wire, (curve.G, H, *h)))
    about = short("shuffle statement", ctx, seat, n, bases, pk, *decks, commitments)
    u = weights("shuffle weight", about, n)
    z = scalar("shuffle challenge", about, *fields[:3])
    (A, B, A_after, B_after), c = map(points, decks), points(commitments)
    C, (K1, K2, K3, KB, KA), L = map(points, fields[:3])
    (s1, s2, s3, s4), f, g = map(scalars, fields[3:])
    G, PK = curve.G, points(pk)[0]

    def times(ks: list[int], P: list[Affine]) -> list[Term]:
        return list(zip(ks, P, strict=True))

    plus_z, minus_z, minus_g = [z] * n, [-z] * n, [-k for k in g]
    weighed = [z * k for k in u]
    return (
        zero((1, K1), (-s1, G), *times(plus_z, c), *times(minus_z, h))
        and zero((1, K2), (-s2, G), (z, C[-1]), (-z * prod(u), H))
        and zero((1, K3), (-s3, G), *times(minus_g, h), *times(weighed, c))
        and zero((1, KB), (s4, PK), *times(minus_g, B_after), *times(weighed, B))
        and zero((1, KA), (s4, G), *times(minus_g, A_after), *times(weighed, A))
        and all(zero((1, L[i]), (-f[i], G), (-g[i], (H, *C)[i]), (z, C[i])) for i in range(n))
    )


VERIFIERS = {
    "knowledge": knowledge,
    "shares": shares,
    "lock": lock,
    "claim": claim,
    "shuffle": shuffle,
}


MANY_TERMS = ("claim", "shuffle")
"""Whose sums take the textbook a second or more."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in MANY_TERMS else name
        for name in VERIFIERS
    ],
)
def test_the_text_of_the_specification_gives_the_same_verdicts(name: str) -> None:
    """On every vector that parses: good ones hold, bad ones do not."""
    content = json.loads((FOLDER / f"{name}.json").read_text(encoding="ascii"))
    judged = {True: 0, False: 0}
    for case in content["cases"]:
        if case["refusal"] not in (None, f"proof.{name}") or case.get("n", 2) > 3:
            continue
        fields = [bytes.fromhex(field) for field in case["fields"]]
        verdict = VERIFIERS[name](case, bytes.fromhex(case["ctx"]), case["seat"], fields)
        assert verdict == (case["refusal"] is None), case["name"]
        judged[verdict] += 1
    assert judged[True] >= 1
    assert judged[False] >= 5
