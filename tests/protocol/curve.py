"""secp256k1 in its textbook form: slow, plain, and written apart from what it checks.

Points are pairs of integers, None is O. SEC 2, section 2.4.1.
"""

from __future__ import annotations

from typing import TypeAlias

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)

Affine: TypeAlias = "tuple[int, int] | None"


def add(a: Affine, b: Affine) -> Affine:
    """a + b by the chord or the tangent."""
    if a is None or b is None:
        return b if a is None else a
    (x1, y1), (x2, y2) = a, b
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    rise, run = (3 * x1 * x1, 2 * y1) if a == b else (y2 - y1, x2 - x1)
    slope = rise * pow(run, -1, P) % P
    x3 = (slope * slope - x1 - x2) % P
    return x3, (slope * (x1 - x3) - y1) % P


def times(k: int, a: Affine) -> Affine:
    """ka by doubling and adding."""
    result: Affine = None
    for bit in bin(k % N)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, a)
    return result


def decode(data: bytes) -> Affine:
    """The pair of 65 uncompressed bytes; it must be on the curve."""
    assert data[0] == 4
    assert len(data) == 65
    x, y = int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big")
    assert (y * y - x * x * x - 7) % P == 0
    return x, y


def lift(x: int, odd: bool) -> Affine:
    """The point with this x and parity of y, None if there is none."""
    square = (x * x * x + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if x >= P or y * y % P != square:
        return None
    return x, y if y % 2 == odd else P - y
