"""Invariant: whatever bytes stand in a proof's place, the answer is a PeerFault or a verdict.

And no single bit of an honest proof can be turned without the answer becoming a refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.errors import PeerFault
from protocol.group import compress_all, parse_points
from protocol.proofs import (
    ClaimProof,
    Deck,
    KnowledgeProof,
    Lock,
    ShareProof,
    ShuffleProof,
    Statement,
    check,
    claim,
    knowledge,
    lock,
    shares,
    shuffle,
)
from tests.protocol.proofs.hidden import hidden
from tests.protocol.proofs.packs import CTX, FRESH, small_pack, total

PACK = small_pack(2)
HONEST = PACK.shuffles[1]
BASES = PACK.deck.first
Q = total(*PACK.X[1:])

Fields = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """What a seat sends, and how it is read."""

    fields: Fields
    read: Callable[[Fields], Statement]
    code: str


def knowledge_message() -> Message:
    """A key with its proof; the key itself is on the wire as well."""
    X, x = PACK.X[0], PACK.x[0]
    fields = (compress_all([X]), *knowledge.prove(CTX, 0, x, X, FRESH).to_wire())

    def read(fields: Fields) -> Statement:
        key, *proof = fields
        (X,) = parse_points(key, 1)
        return knowledge.statement(CTX, 0, X, KnowledgeProof.from_wire(proof))

    return Message(fields, read, "proof.knowledge")


def shares_message() -> Message:
    """Two shares with their proof."""
    X, x = PACK.X[0], PACK.x[0]
    made, proof = shares.make(CTX, 0, x, X, BASES, FRESH)

    def read(fields: Fields) -> Statement:
        points, *proof = fields
        given = parse_points(points, 2)
        return shares.statement(CTX, 0, X, BASES, given, ShareProof.from_wire(proof))

    return Message((compress_all(made), *proof.to_wire()), read, "proof.shares")


def lock_message() -> Message:
    """A lock of two shares."""
    X, x = PACK.X[0], PACK.x[0]

    def read(fields: Fields) -> Statement:
        return lock.statement(CTX, 0, X, Q, BASES, Lock.from_wire(fields, 2))

    return Message(lock.make(CTX, 0, x, X, Q, BASES, FRESH).to_wire(), read, "proof.lock")


def claim_message() -> Message:
    """A claim that a slot holds one of two cards."""
    of = hidden(PACK, 0, 1)

    def read(fields: Fields) -> Statement:
        return of.statement((0, 1), ClaimProof.from_wire(fields, 2))

    return Message(of.make((0, 1)).to_wire(), read, claim.CODE)


def shuffle_message() -> Message:
    """Commitments, deck and proof of a shuffle of two cards."""
    fields = (
        compress_all(HONEST.commitments),
        *HONEST.after.to_wire(),
        *HONEST.proof.to_wire(),
    )

    def read(fields: Fields) -> Statement:
        c, first, second, *proof = fields
        return shuffle.statement(
            CTX,
            1,
            PACK.pk,
            HONEST.before,
            Deck.from_wire((first, second), 2),
            parse_points(c, 2),
            ShuffleProof.from_wire(proof, 2),
        )

    return Message(fields, read, "proof.shuffle")


MESSAGES = {
    "knowledge": knowledge_message(),
    "shares": shares_message(),
    "lock": lock_message(),
    "claim": claim_message(),
    "shuffle": shuffle_message(),
}
FIELDS = [(name, i) for name, message in MESSAGES.items() for i in range(len(message.fields))]


def answer(message: Message, fields: Fields) -> str | None:
    """The code of the refusal, None if all is accepted. Any other exception fails the test."""
    try:
        stated = message.read(fields)
    except PeerFault as fault:
        return fault.code
    return stated.fault().code if check([stated]) else None


def turned(field: bytes, bit: int) -> bytes:
    """The bytes with one bit turned."""
    value = int.from_bytes(field, "big") ^ (1 << bit)
    return value.to_bytes(len(field), "big")


@pytest.mark.parametrize("name", MESSAGES)
def test_untouched_messages_are_accepted(name: str) -> None:
    """Else the refusals below would mean nothing."""
    assert answer(MESSAGES[name], MESSAGES[name].fields) is None


@pytest.mark.parametrize(
    ("name", "field"),
    [
        pytest.param(name, field, marks=pytest.mark.slow if name == "shuffle" else ())
        for name, field in FIELDS
    ],
)
def test_no_bit_of_any_field_can_be_turned(name: str, field: int) -> None:
    """Every single one is tried; the code says why it is refused."""
    message = MESSAGES[name]
    for bit in range(8 * len(message.fields[field])):
        fields = list(message.fields)
        fields[field] = turned(fields[field], bit)
        code = answer(message, tuple(fields))
        assert code in {"point", "scalar", message.code}, bit


@settings(max_examples=150)
@given(st.data())
def test_no_bits_of_a_shuffle_can_be_turned(data: st.DataObject) -> None:
    """One or several of them, anywhere in commitments, deck and proof."""
    message = MESSAGES["shuffle"]
    fields = list(message.fields)
    places = st.integers(0, len(fields) - 1)
    touched: set[tuple[int, int]] = set()
    for _ in range(data.draw(st.integers(1, 3))):
        i = data.draw(places)
        touched ^= {(i, data.draw(st.integers(0, 8 * len(fields[i]) - 1)))}
    for i, bit in touched:
        fields[i] = turned(fields[i], bit)
    refusals = {"point", "scalar", "deck.repeated", "proof.shuffle"}
    assert answer(message, tuple(fields)) in (refusals if touched else {None})


@settings(max_examples=150)
@given(st.sampled_from(FIELDS), st.binary(max_size=140))
@example(("shuffle", 1), bytes(66))
def test_any_bytes_in_a_fields_place_are_refused(place: tuple[str, int], data: bytes) -> None:
    """Wrong lengths as ``length``, others by what is wrong with them."""
    name, field = place
    message = MESSAGES[name]
    fields = (*message.fields[:field], data, *message.fields[field + 1 :])
    code = answer(message, fields)
    if len(data) != len(message.fields[field]):
        assert code == "length"
    else:
        assert (code is None) == (data == message.fields[field])


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_fields_repeated_shortened_and_lengthened_are_refused(name: str, field: int) -> None:
    """By one byte or by half, and a field in another one's place."""
    message = MESSAGES[name]
    honest = message.fields[field]
    others = {other for other in message.fields if other != honest}
    half = honest[: len(honest) // 2]
    for data in (b"", honest[:-1], honest[1:], honest + b"\0", b"\0" + honest, half, *others):
        fields = (*message.fields[:field], data, *message.fields[field + 1 :])
        code = answer(message, fields)
        same = len(data) == len(honest)
        assert code in ({"point", "scalar", message.code} if same else {"length"})


@pytest.mark.parametrize("reader", ["knowledge", "shares", "lock", "claim", "shuffle", "deck"])
@settings(max_examples=60)
@given(
    fields=st.recursive(
        st.none() | st.integers() | st.text(max_size=3) | st.binary(max_size=40),
        lambda inner: st.lists(inner, max_size=7).map(tuple),
        max_leaves=10,
    )
)
def test_values_of_any_type_are_refused(reader: str, fields: object) -> None:
    """Nothing but the exact fields is read; the code is ``length``."""
    read: dict[str, Callable[[object], object]] = {
        "knowledge": KnowledgeProof.from_wire,
        "shares": ShareProof.from_wire,
        "lock": lambda fields: Lock.from_wire(fields, 2),
        "claim": lambda fields: ClaimProof.from_wire(fields, 2),
        "shuffle": lambda fields: ShuffleProof.from_wire(fields, 2),
        "deck": lambda fields: Deck.from_wire(fields, 2),
    }
    with pytest.raises(PeerFault) as fault:
        read[reader](fields)
    assert fault.value.code in {"length", "point", "scalar"}
