"""The test vectors: for every file its name and content, all from public seeds.

Bytes are hex, parts of hashes are hex (bytes), numbers (integers) or lists; points are 33 bytes. A
case with ``refusal`` null must be accepted, any other must be refused with just that code.
"""

from __future__ import annotations

import json
from itertools import islice

from engine.cards import FULL_PACK
from protocol.group import (
    GENERATOR,
    ORDER,
    card_point,
    commitment_base,
    commitment_bases,
    compress,
    hash_to_point,
    negate,
)
from protocol.hashing import (
    Part,
    digest,
    encode,
    hash_to_scalar,
    permutation,
    stream,
    weight,
)
from tests.vectors.forms import O_AS_ZEROS, OFF_THE_CURVE, X_TOO_LARGE, Case, Q, plain
from tests.vectors.proof_cases import (
    claim_cases,
    knowledge_cases,
    lock_cases,
    shares_cases,
    shuffle_cases,
)


def files() -> dict[str, str]:
    """The text of every file by its name."""
    contents: dict[str, Case] = {
        "hashing.json": hashing(),
        "permutation.json": permutations(),
        "points.json": points(),
        "knowledge.json": {"cases": list(knowledge_cases())},
        "shares.json": {"cases": list(shares_cases())},
        "lock.json": {"cases": list(lock_cases())},
        "claim.json": {"cases": list(claim_cases())},
        "shuffle.json": {"cases": list(shuffle_cases())},
    }
    return {
        name: json.dumps(content, indent=1, ensure_ascii=True) + "\n"
        for name, content in contents.items()
    }


def hashing() -> Case:
    """Encodings, digests, scalars, weights and streams."""
    inputs: tuple[tuple[str, tuple[Part, ...]], ...] = (
        ("vector", ()),
        ("vector", (b"",)),
        ("vector", (b"abc", 0, 2**64 - 1)),
        ("vector", ([b"abc", 0], 2**64 - 1)),
        ("vector", ([], [[b"a"], [1, [2]]])),
        ("another vector", (b"abc", 0, 2**64 - 1)),
    )
    return {
        "cases": [
            {
                "label": label,
                "parts": [plain(part) for part in parts],
                "encoded parts": b"".join(map(encode, parts)).hex(),
                "digest": digest(label, *parts).hex(),
                "scalar": f"{hash_to_scalar(label, *parts):064x}",
                "weight": f"{weight(label, *parts):032x}",
            }
            for label, parts in inputs
        ],
        "streams": [
            {
                "label": label,
                "seed": seed.hex(),
                "first": [f"{draw:016x}" for draw in islice(stream(label, seed), 9)],
            }
            for label, seed in (("vector", b""), ("vector", b"seed"), ("another", b"seed"))
        ],
    }


def permutations() -> Case:
    """Orders of n places, 0-based."""
    return {
        "cases": [
            {
                "label": label,
                "seed": seed.hex(),
                "n": n,
                "permutation": list(permutation(label, seed, n)),
            }
            for label, seed in (("vector", b"seed"), ("vector", bytes(32)), ("other", b"seed"))
            for n in (0, 1, 2, 3, 13, 52)
        ]
    }


def points() -> Case:
    """Points from labels, and what is read as a point or a scalar."""
    q_minus_1 = (ORDER - 1).to_bytes(32, "big")
    good = compress(GENERATOR)
    labels: tuple[tuple[str, tuple[Part, ...]], ...] = (
        ("vector", ()),
        ("vector", (b"a",)),
        ("vector", (1,)),
    )
    return {
        "hash to point": [
            {
                "label": label,
                "parts": [plain(part) for part in parts],
                "point": compress(hash_to_point(label, *parts)).hex(),
            }
            for label, parts in labels
        ],
        "G": good.hex(),
        "H": compress(commitment_base()).hex(),
        "h": [compress(h).hex() for h in commitment_bases(52)],
        "cards": {card: compress(card_point(card)).hex() for card in FULL_PACK},
        "parsing points": [
            read("a point with even y", good, None),
            read("a point with odd y", compress(negate(GENERATOR)), None),
            read("O as zeros", O_AS_ZEROS, "point"),
            read("prefix 0", b"\x00" + good[1:], "point"),
            read("prefix 4", b"\x04" + good[1:], "point"),
            read("hybrid prefix 6", b"\x06" + good[1:], "point"),
            read("x off the curve", OFF_THE_CURVE, "point"),
            read("x of a point plus p", X_TOO_LARGE, "point"),
            read("32 bytes", good[:32], "length"),
            read("34 bytes", good + b"\0", "length"),
            read("65 bytes, uncompressed", GENERATOR, "length"),
            read("nothing", b"", "length"),
        ],
        "parsing scalars": [
            read("1", (1).to_bytes(32, "big"), None),
            read("q - 1", q_minus_1, None),
            read("0", bytes(32), "scalar"),
            read("q", Q, "scalar"),
            read("q + 1", (ORDER + 1).to_bytes(32, "big"), "scalar"),
            read("2^256 - 1", b"\xff" * 32, "scalar"),
            read("31 bytes", bytes(30) + b"\1", "length"),
            read("33 bytes", bytes(32) + b"\1", "length"),
        ],
    }


def read(name: str, data: bytes, refusal: str | None) -> Case:
    """Bytes, and whether they are refused."""
    return {"name": name, "bytes": data.hex(), "refusal": refusal}
