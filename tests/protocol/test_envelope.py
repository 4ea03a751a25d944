"""Envelopes: what is well formed and signed by its seat is read, all else is refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.envelope import KINDS, MAX_LANE, MAX_STEP, Envelope, open_envelope, seal
from protocol.errors import PeerFault
from protocol.signing import sign
from protocol.wire import MAX_BYTES, Value, pack, unpack
from tests.protocol.tables import make_agreement, player_key

KEYS = tuple(player_key("envelope", index) for index in range(4))
AGREEMENT, _ = make_agreement(KEYS, "hazari", {}, "envelope")
OTHER_TABLE, _ = make_agreement(KEYS, "hazari", {}, "another")
HEAD = bytes(range(32))
SEAT = AGREEMENT.keys.index(KEYS[0].public_key().public_bytes_raw())


def sealed(payload: tuple[Value, ...] = (b"x" * 32,)) -> Envelope:
    """An envelope of the first player's seat."""
    return seal(AGREEMENT, KEYS[0], 1, 1, SEAT, HEAD, "commit", payload)


def signed(body: bytes, signer: int = 0) -> bytes:
    """Any body, well signed."""
    return pack((body, sign(KEYS[signer], "envelope", body)))


def entry(**changes: Value) -> bytes:
    """A signed entry with some fields changed."""
    fields: dict[str, Value] = {
        "version": 1,
        "table": AGREEMENT.table_id,
        "lane": 1,
        "step": 1,
        "seat": SEAT,
        "head": HEAD,
        "kind": "commit",
        "payload": (),
    }
    return signed(pack(tuple({**fields, **changes}.values())))


def refusal(data: bytes) -> PeerFault:
    """The fault by which an envelope is refused; it never names a seat."""
    with pytest.raises(PeerFault) as caught:
        open_envelope(data, AGREEMENT)
    assert (caught.value.seat, caught.value.lane, caught.value.step) == (None, None, None)
    return caught.value


@given(
    st.integers(0, MAX_LANE),
    st.integers(1, MAX_STEP),
    st.sampled_from(KINDS),
    st.lists(st.binary(max_size=40) | st.integers(0, 9), max_size=4).map(tuple),
)
def test_an_envelope_comes_back_as_it_was_sealed(
    lane: int, step: int, kind: str, payload: tuple[Value, ...]
) -> None:
    """Opening what a seat has sealed gives the same value, bytes and hash included."""
    made = seal(AGREEMENT, KEYS[0], lane, step, SEAT, HEAD, kind, payload)
    assert open_envelope(made.data, AGREEMENT) == made


GOOD = sealed().data


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_any_flipped_byte_is_refused(place: int, change: int) -> None:
    """No bit of an envelope can be changed, of the signature neither."""
    bad = bytearray(GOOD)
    bad[place] ^= change
    assert refusal(bytes(bad)).code in {"encoding", "signature", "version", "table", "kind"}


@given(st.integers(0, len(GOOD) - 1))
def test_any_truncated_envelope_is_refused(length: int) -> None:
    """A beginning of an envelope is none."""
    assert refusal(GOOD[:length]).code == "encoding"


@given(st.integers(0, len(GOOD)), st.binary(min_size=1, max_size=5))
def test_any_insertion_is_refused(place: int, more: bytes) -> None:
    """Nothing can be slipped in, at the front and at the end neither."""
    bad = GOOD[:place] + more + GOOD[place:]
    assert refusal(bad).code in {"encoding", "signature", "version", "table", "kind"}


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_without_another_exception(data: bytes) -> None:
    """Noise raises PeerFault and nothing else."""
    assert refusal(data).code == "encoding"


ANYTHING: st.SearchStrategy[Value] = st.recursive(
    st.integers(0, 2**63 - 1) | st.binary(max_size=64) | st.text("ab\n", max_size=5),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=8,
)


@given(st.sampled_from(["version", "table", "lane", "step", "seat", "head", "kind"]), ANYTHING)
def test_any_value_in_any_field_is_read_or_refused(field: str, value: Value) -> None:
    """A well signed entry with a strange field raises PeerFault at most."""
    data = entry(**{field: value})
    try:
        found = open_envelope(data, AGREEMENT)
    except PeerFault:
        return
    assert found.data == data


REFUSALS: dict[str, tuple[bytes, str]] = {
    "no array": (pack(b"x"), "encoding"),
    "three fields": (pack((b"", bytes(64), b"")), "encoding"),
    "a body that is text": (pack(("x", bytes(64))), "encoding"),
    "a short signature": (pack((b"x", bytes(63))), "encoding"),
    "a body that is no array": (signed(pack(b"x")), "encoding"),
    "a body of seven fields": (signed(pack((1,) * 7)), "encoding"),
    "a body that is not canonical": (signed(b"\x98" + b"\xcc\x01" * 8), "encoding"),
    "version 2": (entry(version=2), "version"),
    "version in words": (entry(version="1"), "version"),
    "another table": (entry(table=OTHER_TABLE.table_id), "table"),
    "seat 4": (entry(seat=4), "encoding"),
    "a lane too far": (entry(lane=MAX_LANE + 1), "encoding"),
    "step 0": (entry(step=0), "encoding"),
    "a step too far": (entry(step=MAX_STEP + 1), "encoding"),
    "a short head": (entry(head=bytes(31)), "encoding"),
    "an unknown kind": (entry(kind="cheat"), "kind"),
    "a kind of bytes": (entry(kind=b"commit"), "kind"),
    "a payload that is no array": (entry(payload=b"x"), "encoding"),
    "the seat of another": (entry(seat=(SEAT + 1) % 4), "signature"),
    "no signature": (pack((pack((1,) * 8), b"")), "encoding"),
}


@pytest.mark.parametrize(("data", "code"), REFUSALS.values(), ids=REFUSALS.keys())
def test_every_refusal_has_its_code(data: bytes, code: str) -> None:
    """Each field is refused by the code that SPEC.md gives."""
    assert refusal(data).code == code


def test_an_entry_is_of_one_table_alone() -> None:
    """What was sealed for one table is refused at another of the same players."""
    with pytest.raises(PeerFault) as caught:
        open_envelope(GOOD, OTHER_TABLE)
    assert caught.value.code == "table"


def test_a_signature_under_another_label_is_none() -> None:
    """A signature that was given for something else cannot be passed off as an entry's."""
    body, _ = unpack(GOOD)
    assert isinstance(body, bytes)
    for label in ("agreement", "lobby", "vote", "auth", "chat"):
        bad = pack((body, sign(KEYS[0], label, body)))
        assert refusal(bad).code == "signature"


def test_an_envelope_may_be_16_384_bytes_long_and_no_longer() -> None:
    """The limit covers the whole envelope."""
    room = MAX_BYTES - len(sealed((b"x" * 15000,)).data)
    longest = sealed((b"x" * (15000 + room),))
    assert len(longest.data) == MAX_BYTES
    assert open_envelope(longest.data, AGREEMENT) == longest
    assert refusal(sealed((b"x" * (15001 + room),)).data).code == "encoding"
