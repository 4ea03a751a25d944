"""Every hash has a label of its own, and every part its type and length in front. SPEC 2.1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from protocol.errors import LocalError

Part: TypeAlias = "bytes | int | Sequence[Part]"
"""What may be hashed: bytes, integers of 0 ... 2^64 - 1 and lists of such."""

PREFIX = b"facedown/1/"
"""Project and version, in front of every label: a hash of one version means nothing in another."""

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""The order q of secp256k1, here because hashes are reduced to its scalars."""

DIGEST_BYTES = 32


def encode(part: Part) -> bytes:
    """The one encoding of a part; different parts have different encodings.

    Raises LocalError for a negative or too large integer and for other types.
    """
    if isinstance(part, bytes):
        return b"b" + len(part).to_bytes(4, "big") + part
    if isinstance(part, int) and not isinstance(part, bool):
        if not 0 <= part < 2**64:
            raise LocalError(f"an integer to be hashed is out of range: {part}")
        return b"i" + part.to_bytes(8, "big")
    if isinstance(part, (tuple, list)):
        return b"l" + len(part).to_bytes(4, "big") + b"".join(map(encode, part))
    raise LocalError(f"a {type(part).__name__} cannot be hashed")


def digest(label: str, *parts: Part) -> bytes:
    """SHA-256 over label and parts, 32 bytes."""
    return hashlib.sha256(_message(label, parts)).digest()


def hash_to_scalar(label: str, *parts: Part) -> int:
    """SHA-512 over label and parts modulo q: 0 ... q - 1, its bias below 2^-256."""
    return int.from_bytes(hashlib.sha512(_message(label, parts)).digest(), "big") % ORDER


def weight(label: str, *parts: Part) -> int:
    """The first 128 bits of ``digest``, big-endian: a weight in a random combination."""
    return int.from_bytes(digest(label, *parts)[:16], "big")


def stream(label: str, seed: bytes) -> Iterator[int]:
    """An endless row of 64-bit integers: four, big-endian, from each digest of seed and counter."""
    counter = 0
    while True:
        block = digest(label, seed, counter)
        for start in range(0, DIGEST_BYTES, 8):
            yield int.from_bytes(block[start : start + 8], "big")
        counter += 1


def permutation(label: str, seed: bytes, n: int) -> tuple[int, ...]:
    """A permutation of 0 ... n - 1, uniform if the seed is: Fisher and Yates from a hash stream.

    From the last place down to the second, place i changes with place j, uniform in 0 ... i; draws
    that would favour small j are thrown away. Raises LocalError for a negative n.
    """
    if n < 0:
        raise LocalError(f"no permutation has {n} places")
    draws = stream(label, seed)
    places = list(range(n))
    for i in range(n - 1, 0, -1):
        limit = 2**64 // (i + 1) * (i + 1)
        draw = next(draws)
        while draw >= limit:
            draw = next(draws)
        j = draw % (i + 1)
        places[i], places[j] = places[j], places[i]
    return tuple(places)


def _message(label: str, parts: tuple[Part, ...]) -> bytes:
    return encode(PREFIX + label.encode()) + b"".join(map(encode, parts))
