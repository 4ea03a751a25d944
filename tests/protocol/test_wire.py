"""The wire format: one value has one encoding, and everything else is refused by name."""

from __future__ import annotations

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import wire
from protocol.errors import LocalError, PeerFault
from protocol.wire import MAX_BYTES, MAX_DEPTH, MAX_INTEGER, MAX_ITEMS, Value, pack, unpack

LEAVES = (
    st.integers(0, MAX_INTEGER)
    | st.binary(max_size=300)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=20)


def depth(value: Value) -> int:
    """How deep the arrays of a value are nested."""
    return 1 + max(map(depth, value), default=0) if isinstance(value, tuple) else 0


def refusal(data: bytes, limit: int = MAX_BYTES) -> PeerFault:
    """The fault by which bytes are refused."""
    with pytest.raises(PeerFault) as caught:
        unpack(data, limit)
    return caught.value


@given(VALUES.filter(lambda value: depth(value) <= MAX_DEPTH))
def test_every_value_comes_back_from_its_encoding(value: Value) -> None:
    """Packing and unpacking is the identity, types included."""
    assert unpack(pack(value)) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_in_its_one_encoding_or_are_refused(data: bytes) -> None:
    """Bytes that are read give themselves when packed again; others raise PeerFault alone."""
    try:
        value = unpack(data)
    except PeerFault:
        assert refusal(data).code == "encoding"
    else:
        assert pack(value) == data


@given(VALUES.filter(lambda value: depth(value) <= MAX_DEPTH), st.data())
def test_a_changed_encoding_is_another_value_or_is_refused(
    value: Value, data: st.DataObject
) -> None:
    """No two byte strings give one value."""
    good = pack(value)
    place = data.draw(st.integers(0, len(good) - 1))
    changed = bytearray(good)
    changed[place] ^= data.draw(st.integers(1, 255))
    for bad in (
        bytes(changed),
        good[:place],
        good + b"\x00",
        good[:place] + b"\x91" + good[place:],
    ):
        try:
            other = unpack(bad)
        except PeerFault:
            continue
        assert bad == good or other != value


LONGER_FORMS = {
    "7 in two bytes": b"\xcc\x07",
    "7 in three bytes": b"\xcd\x00\x07",
    "7 in nine bytes": b"\xcf" + bytes(7) + b"\x07",
    "7 as a signed integer": b"\xd0\x07",
    "text with a long length": b"\xd9\x01a",
    "bytes with a long length": b"\xc5\x00\x01a",
    "array with a long length": b"\xdc\x00\x01\x07",
    "array with the longest length": b"\xdd\x00\x00\x00\x01\x07",
}


@pytest.mark.parametrize("data", LONGER_FORMS.values(), ids=LONGER_FORMS.keys())
def test_only_the_shortest_form_is_read(data: bytes) -> None:
    """Every longer form that msgpack knows for a value is refused."""
    assert "canonical" in refusal(data).text


FOREIGN = {
    "nothing": b"",
    "null": b"\xc0",
    "the byte that is never used": b"\xc1",
    "false": b"\xc2",
    "true": b"\xc3",
    "a float": msgpack.packb(1.0),
    "a short float": msgpack.packb(1.0, use_single_float=True),
    "an empty map": b"\x80",
    "a map": msgpack.packb({"a": 1}),
    "an extension": msgpack.packb(msgpack.ExtType(5, b"x")),
    "an empty extension": b"\xc7\x00\x05",
    "a time": msgpack.packb(msgpack.Timestamp(1)),
    "an empty time": b"\xc7\x00\xff",
    "minus one": b"\xff",
    "2 to the 63": msgpack.packb(2**63),
    "text that is no UTF-8": b"\xa1\xff",
    "text with half a pair of surrogates": b"\xa3\xed\xa0\x80",
    "two values": b"\x01\x01",
    "half an array": b"\x92\x01",
    "an array that claims four thousand million items": b"\xdd\xff\xff\xff\xff",
    "bytes that claim to be four thousand million": b"\xc6\xff\xff\xff\xff",
    "a map inside": b"\x91\x80",
    "true inside": b"\x91\xc3",
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN.keys())
def test_what_is_no_value_is_refused(data: bytes) -> None:
    """There are integers, bytes, text and arrays, and nothing else."""
    assert refusal(data).code == "encoding"


def test_sizes_are_limited() -> None:
    """The longest object, the deepest nesting and the longest array are read; one more is not."""
    assert unpack(pack(bytes(MAX_BYTES - 3)))
    assert "at most" in refusal(pack(bytes(MAX_BYTES - 2))).text
    assert refusal(pack((1, 2)), limit=2).code == "encoding"
    assert unpack(pack((0,) * MAX_ITEMS))
    assert refusal(msgpack.packb((0,) * (MAX_ITEMS + 1))).code == "encoding"
    assert unpack(b"\x91" * MAX_DEPTH + b"\x00")
    assert "deep" in refusal(b"\x91" * (MAX_DEPTH + 1) + b"\x00").text
    assert refusal(b"\x91" * 5000 + b"\x00").code == "encoding"


@pytest.mark.parametrize(
    "value",
    [None, True, 1.5, -1, 2**63, [1], {"a": 1}, bytearray(b"a"), "\ud800", (None,), (((-1,),),)],
    ids=repr,
)
def test_what_is_no_value_is_not_written(value: Value) -> None:
    """A caller that hands in something else made a mistake, and is told so."""
    with pytest.raises(LocalError):
        pack(value)


HELPERS = {
    "too few fields": lambda: wire.fields((1,), 2, "a thing"),
    "too many fields": lambda: wire.fields((1, 2, 3), 2, "a thing"),
    "no fields": lambda: wire.fields(b"ab", 2, "a thing"),
    "too long an array": lambda: wire.array((1, 2), 1, "a thing"),
    "no array": lambda: wire.array("a", 1, "a thing"),
    "too few bytes": lambda: wire.octets(b"a", 2, "a thing"),
    "text for bytes": lambda: wire.octets("ab", 2, "a thing"),
    "too low": lambda: wire.integer(0, 1, 9, "a thing"),
    "too high": lambda: wire.integer(10, 1, 9, "a thing"),
    "no integer": lambda: wire.integer("5", 1, 9, "a thing"),
    "empty text": lambda: wire.text("", 9, "a thing"),
    "no text": lambda: wire.text(b"a", 9, "a thing"),
    "too long in UTF-8": lambda: wire.text("ééééé", 9, "a thing"),
    "a line feed": lambda: wire.text("a\nb", 9, "a thing"),
    "a turn of the writing's direction": lambda: wire.text("a\u202eb", 9, "a thing"),
    "a line separator": lambda: wire.text("a\u2028b", 9, "a thing"),
    "half a pair of surrogates": lambda: wire.text("a\ud800", 9, "a thing"),
}


@pytest.mark.parametrize("call", HELPERS.values(), ids=HELPERS.keys())
def test_the_helpers_refuse_with_the_name_of_the_thing(call: object) -> None:
    """Whoever reads the fault learns which field is wrong."""
    assert callable(call)
    with pytest.raises(PeerFault, match="a thing") as caught:
        call()
    assert caught.value.code == "encoding"


def test_the_helpers_let_good_values_through() -> None:
    """What is in bounds comes back as it is, joiners of Bengali and Persian names included."""
    assert wire.fields((1, 2), 2, "x") == (1, 2)
    assert wire.array((), 1, "x") == ()
    assert wire.octets(b"ab", 2, "x") == b"ab"
    assert [wire.integer(k, 1, 3, "x") for k in (1, 3)] == [1, 3]
    assert wire.text("র\u200dয", 9, "x") == "র\u200dয"
    assert wire.text("ééééé", 10, "x") == "ééééé"
