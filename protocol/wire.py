"""Strict canonical msgpack: one value has exactly one encoding, anything else is refused.

Values are non-negative integers below 2^63, bytes, text and tuples of values. There are no maps,
floats, booleans, nulls or extensions, so nothing in a signed entry can be read in two ways.
SPEC 2.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgpack

from protocol.errors import LocalError, PeerFault
from protocol.plain import is_plain_text, is_visible

Value: TypeAlias = "int | bytes | str | tuple[Value, ...]"

MAX_BYTES = 16 * 1024
"""The longest object of the record: a shuffle proof of 52 cards has 7 KiB."""

MAX_DEPTH = 8
"""An entry's move is nested three deep inside body and payload; the rest is head-room."""

MAX_ITEMS = 1024
"""Items of one array; the longest that is used is a list of entries in a table's lobby."""

MAX_INTEGER = 2**63 - 1


def pack(value: Value) -> bytes:
    """The one encoding of a value; raises LocalError for what is no value."""
    _check(value, MAX_DEPTH, LocalError)
    try:
        packed: bytes = msgpack.packb(value, use_bin_type=True, strict_types=False)
    except UnicodeEncodeError:
        raise LocalError("text with half a pair of surrogates") from None
    return packed


def unpack(data: bytes, limit: int = MAX_BYTES) -> Value:
    """The value of an encoding of at most ``limit`` bytes; raises PeerFault ``encoding``."""
    if len(data) > limit:
        raise PeerFault("encoding", f"an object of {len(data)} bytes, at most {limit} are allowed")
    try:
        value: object = msgpack.unpackb(
            data,
            raw=False,
            use_list=False,
            strict_map_key=True,
            max_str_len=limit,
            max_bin_len=limit,
            max_array_len=MAX_ITEMS,
            max_map_len=0,
            max_ext_len=0,
        )
    except ValueError:
        raise PeerFault("encoding", "bytes that are no msgpack object") from None
    checked = _check(value, MAX_DEPTH, lambda text: PeerFault("encoding", text))
    if pack(checked) != data:
        raise PeerFault("encoding", "an object that is not encoded in the one canonical way")
    return checked


def _check(value: object, depth: int, error: Callable[[str], Exception]) -> Value:
    """The value, typed, if it and all inside it are of the exact types."""
    kind = type(value)
    if isinstance(value, int) and kind is int:
        if not 0 <= value <= MAX_INTEGER:
            raise error("an integer out of range")
        return value
    if isinstance(value, bytes) and kind is bytes:
        return value
    if isinstance(value, str) and kind is str:
        return value
    if isinstance(value, tuple) and kind is tuple:
        if depth == 0:
            raise error("an object that is nested too deep")
        for item in value:
            _check(item, depth - 1, error)
        return value
    raise error(f"a {kind.__name__} where only integers, bytes, text and arrays are allowed")


def fields(value: Value, count: int, what: str) -> tuple[Value, ...]:
    """The items of an array of exactly ``count``; raises PeerFault ``encoding``."""
    if not isinstance(value, tuple) or len(value) != count:
        raise PeerFault("encoding", f"{what} must be an array of {count}")
    return value


def array(value: Value, most: int, what: str) -> tuple[Value, ...]:
    """The items of an array of at most ``most``; raises PeerFault ``encoding``."""
    if not isinstance(value, tuple) or len(value) > most:
        raise PeerFault("encoding", f"{what} must be an array of at most {most}")
    return value


def octets(value: Value, length: int, what: str) -> bytes:
    """Bytes of exactly this length; raises PeerFault ``encoding``."""
    if not isinstance(value, bytes) or len(value) != length:
        raise PeerFault("encoding", f"{what} must be {length} bytes")
    return value


def integer(value: Value, low: int, high: int, what: str) -> int:
    """An integer in low ... high; raises PeerFault ``encoding``."""
    if not isinstance(value, int) or not low <= value <= high:
        raise PeerFault("encoding", f"{what} must be an integer from {low} to {high}")
    return value


def text(value: Value, most: int, what: str) -> str:
    """Text of 1 ... ``most`` bytes of UTF-8, plain and to be seen; raises PeerFault ``encoding``.

    See ``protocol.plain``: a name can never rearrange the line it is shown in.
    """
    if not isinstance(value, str) or not value:
        raise PeerFault("encoding", f"{what} must be text of 1 to {most} bytes")
    if not is_plain_text(value):
        raise PeerFault(
            "encoding", f"{what} must not hold control or invisible characters, or heaps of accents"
        )
    if not is_visible(value):
        raise PeerFault("encoding", f"{what} must hold something that can be seen")
    if len(value.encode()) > most:
        raise PeerFault("encoding", f"{what} must be text of 1 to {most} bytes")
    return value
