"""Values and bytes of odd shapes: what a decoder gets from somebody who means no good."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgpack
from hypothesis import strategies as st

WORDS = ("tables", "lobby", "move", "sit", "id", "do", "table", "", "\u202e", "é" * 9, "\x00")

_INTEGERS = st.integers(-(2**63), 2**64 - 1) | st.sampled_from((0, 1, 127, 128, 2**31, 2**63))

ODD: st.SearchStrategy[Any] = st.recursive(
    _INTEGERS
    | st.binary(max_size=70)
    | st.text(max_size=20)
    | st.sampled_from(WORDS)
    # What the format of the wire does not have, and msgpack does.
    | st.none()
    | st.booleans()
    | st.floats()
    | st.builds(msgpack.ExtType, st.just(5), st.binary()),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.text(max_size=4) | st.integers(0, 3), inner, max_size=3)
    ),
    max_leaves=12,
)

PACKED = ODD.map(lambda value: msgpack.packb(value, use_bin_type=True, strict_types=False))

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | _INTEGERS
    | st.text(max_size=12)
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
).map(lambda value: json.dumps(value).encode())


@st.composite
def mutated(draw: st.DrawFn, seeds: tuple[bytes, ...]) -> bytes:
    """A valid example with some of its bytes changed, lost, doubled or from another one."""
    data = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 4))):
        at, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        match draw(st.integers(0, 5)):
            case 0 if data:
                data[min(at, len(data) - 1)] ^= 1 << draw(st.integers(0, 7))
            case 1:
                del data[at : min(end, at + 8)]
            case 2:
                data[at:at] = draw(st.binary(min_size=1, max_size=8))
            case 3:
                data[at:at] = data[at : min(end, at + 64)]
            case 4:
                other = draw(st.sampled_from(seeds))
                data[at:end] = other[at:end]
            case _:
                del data[end:]
    return bytes(data)


def _array(count: int, item: bytes) -> bytes:
    """An array of so many items that are packed already."""
    head = bytes([0x90 | count]) if count < 16 else b"\xdc" + count.to_bytes(2, "big")
    return head + item * count


def _arrays(item: bytes) -> Callable[[int], bytes]:
    """A value of about so many bytes: an array of arrays, as long as they may be, of one item."""

    def make(size: int) -> bytes:
        full, rest = divmod(size // len(item), 1024)
        return _array(full + 1, b"") + _array(1024, item) * full + _array(rest, item)

    return make


SHAPES: dict[str, Callable[[int], bytes]] = {
    "zeros": bytes,
    "chains": _arrays(b"\x91\x91\x91\x91\x90"),
    "integers": _arrays(b"\xcf" + b"\x7f" * 8),
    "small integers": _arrays(b"\x01"),
    "words": _arrays(b"\xa2no"),
    "one long text": lambda size: b"\xda" + size.to_bytes(2, "big") + b"x" * size,
    "one wide text": lambda size: b"\xda" + (size & ~3).to_bytes(2, "big")
    + "\U0001f0a1".encode() * (size // 4),
    "brackets": lambda size: b"[" * size,
    "closed brackets": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "objects": lambda size: b'{"a":' * (size // 5),
    "list of lists": lambda size: b"[" + b"[]," * (size // 3) + b"0]",
    "digits": lambda size: b"9" * size,
    "letters": lambda size: b"A" * size,
    "blanks": lambda size: b" " * size,
    "escapes": lambda size: b'"' + b"\\ud800" * (size // 6) + b'"',
}  # fmt: skip
"""Bytes of about a size, each the worst of its kind for some way of reading."""


def of_size(size: int, seeds: tuple[bytes, ...]) -> Iterator[tuple[str, bytes]]:
    """Every shape in a size, and the valid examples one after the other."""
    for name, make in SHAPES.items():
        yield name, make(min(size, 60_000))
    for number, seed in enumerate(seeds[:4]):
        yield f"seed {number} again and again", (seed * (size // max(1, len(seed)) + 1))[:size]
