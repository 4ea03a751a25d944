"""Hashes: no two inputs share an encoding, no two uses share a label, and permutations are fair."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import protocol.proofs
from protocol.errors import LocalError
from protocol.hashing import (
    ORDER,
    Part,
    digest,
    encode,
    hash_to_scalar,
    permutation,
    stream,
    weight,
)

parts = st.recursive(
    st.binary(max_size=6) | st.integers(0, 2**64 - 1),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=8,
)


def read(data: bytes) -> tuple[Part, bytes]:
    """A part back from its encoding, and the bytes after it: possible only if nothing is lost."""
    kind, rest = data[:1], data[1:]
    if kind == b"i":
        return int.from_bytes(rest[:8], "big"), rest[8:]
    length, rest = int.from_bytes(rest[:4], "big"), rest[4:]
    if kind == b"b":
        return rest[:length], rest[length:]
    assert kind == b"l"
    items: list[Part] = []
    for _ in range(length):
        item, rest = read(rest)
        items.append(item)
    return items, rest


@given(parts)
def test_an_encoding_can_be_read_back_so_no_two_parts_share_one(part: Part) -> None:
    """Decoding gives the part again and leaves nothing over."""
    assert read(encode(part)) == (part, b"")


def test_encodings_are_those_of_the_specification() -> None:
    """Type byte, length or value big-endian, content."""
    assert encode(b"ab") == b"b\0\0\0\2ab"
    assert encode(258) == b"i\0\0\0\0\0\0\1\2"
    assert encode([b"", 1]) == b"l\0\0\0\2" + b"b\0\0\0\0" + b"i\0\0\0\0\0\0\0\1"
    assert encode((b"", 1)) == encode([b"", 1])


@pytest.mark.parametrize("part", [-1, 2**64, True, "text", 1.0, None, [None], bytearray(b"x")])
def test_what_has_no_encoding_is_refused(part: object) -> None:
    """A caller's mistake is a LocalError and never a hash of something else."""
    with pytest.raises(LocalError):
        encode(part)  # type: ignore[arg-type]  # the refusal of wrong types is what is tested


def test_digest_is_sha256_over_the_prefixed_label_and_the_parts() -> None:
    """The bytes that are hashed are written out here once."""
    message = b"b\0\0\0\x0cfacedown/1/x" + b"b\0\0\0\1y" + b"i\0\0\0\0\0\0\0\5"
    assert digest("x", b"y", 5) == hashlib.sha256(message).digest()
    wide = int.from_bytes(hashlib.sha512(message).digest(), "big")
    assert hash_to_scalar("x", b"y", 5) == wide % ORDER
    assert weight("x", b"y", 5) == int.from_bytes(digest("x", b"y", 5)[:16], "big")


def test_parts_cannot_move_between_each_other_or_into_the_label() -> None:
    """Every way of cutting the same bytes gives another hash."""
    cuts = [
        digest("ab", b"c"),
        digest("a", b"bc"),
        digest("a", b"b", b"c"),
        digest("a", [b"b", b"c"]),
        digest("a", [b"bc"]),
        digest("abc"),
        digest("a", b"", b"bc"),
    ]
    assert len(set(cuts)) == len(cuts)


def test_a_stream_is_four_integers_from_each_block() -> None:
    """Eight integers are the halves of two digests, counters 0 and 1."""
    blocks = digest("s", b"seed", 0) + digest("s", b"seed", 1)
    expected = [int.from_bytes(blocks[i : i + 8], "big") for i in range(0, 64, 8)]
    assert list(islice(stream("s", b"seed"), 8)) == expected


@given(st.binary(max_size=8), st.integers(0, 60))
def test_a_permutation_holds_every_place_once(seed: bytes, n: int) -> None:
    """For every seed and size, no place at all included."""
    assert sorted(permutation("p", seed, n)) == list(range(n))


def test_a_permutation_of_fewer_than_no_places_is_refused() -> None:
    """A negative size is the caller's mistake."""
    with pytest.raises(LocalError):
        permutation("p", b"", -1)


def test_all_orders_of_four_are_about_equally_frequent() -> None:
    """Chi-square over the 24 orders of 4,800 seeds stays below its 0.0001 quantile (about 58.6)."""
    found = Counter(permutation("p", digest("seed", i), 4) for i in range(4800))
    assert len(found) == 24
    assert sum((seen - 200) ** 2 / 200 for seen in found.values()) < 58.6


def test_draws_that_would_favour_some_places_are_thrown_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With 3 places left, 2^64 - 1 is above the last multiple of 3 and is drawn again."""
    draws = [2**64 - 1, 2**64 - 2, 1]
    monkeypatch.setattr("protocol.hashing.stream", lambda label, seed: iter(draws))
    # i = 2: the first draw is refused, the second gives j = 2; i = 1: j = 1.
    assert permutation("p", b"", 3) == (0, 1, 2)
    monkeypatch.setattr("protocol.hashing.stream", lambda label, seed: iter([2**64 - 1, 0]))
    # With 2 places 2^64 - 1 is fair: 2^64 is a multiple of 2.
    assert permutation("p", b"", 2) == (0, 1)


def test_no_two_places_of_the_cryptography_hash_under_one_label() -> None:
    """Each label literal in the proofs and the group stands at one call only."""
    folder = Path(protocol.proofs.__file__).parent
    labels: list[str] = []
    for path in (*folder.glob("*.py"), folder.parent / "group.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                named = node.func.id in HASHES and node.args
                if named and isinstance(label := node.args[0], ast.Constant):
                    assert isinstance(label.value, str)
                    labels.append(label.value)
    assert len(labels) >= 15
    assert [label for label, uses in Counter(labels).items() if uses > 1] == []


HASHES = {"digest", "hash_to_scalar", "hash_to_point", "weight", "stream", "permutation", "hedged"}
