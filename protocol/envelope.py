"""Envelopes: the signed entries of the record. SPEC 5.2.

An envelope is ``[body, signature]``; the signature covers a label and the body as received.
"""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.agreement import VERSION, Agreement
from protocol.errors import PeerFault
from protocol.hashing import digest
from protocol.signing import SIGNATURE_BYTES, sign, verified
from protocol.wire import MAX_BYTES, Value, fields, integer, octets, pack, unpack

KINDS = (
    *("commit", "open", "mix", "prove"),
    *("ready", "shares", "move", "lock", "result", "sit", "back"),
)
"""What an entry may be; the first four belong to pack lanes, the others to the table lane."""

MAX_LANE = 1_000_000
MAX_STEP = 1_000_000_000
TABLE_LANE = 0


@dataclass(frozen=True, slots=True)
class Envelope:
    """One signed entry, its signature verified. ``data`` are the bytes as received."""

    data: bytes
    lane: int
    step: int
    seat: int
    head: bytes
    kind: str
    payload: tuple[Value, ...]
    body_hash: bytes


def entry_hash(body: bytes) -> bytes:
    """The hash by which heads and comparisons know an entry: of its body, without signature."""
    return digest("entry", body)


def seal(
    agreement: Agreement,
    key: Ed25519PrivateKey,
    lane: int,
    step: int,
    seat: int,
    head: bytes,
    kind: str,
    payload: tuple[Value, ...],
) -> Envelope:
    """A new envelope of our own."""
    body = pack((VERSION, agreement.table_id, lane, step, seat, head, kind, payload))
    data = pack((body, sign(key, "envelope", body)))
    return Envelope(data, lane, step, seat, head, kind, payload, entry_hash(body))


def payload_of(data: bytes) -> tuple[Value, ...]:
    """The payload of an envelope that has been opened before."""
    body, _ = fields(unpack(data), 2, "an envelope")
    assert isinstance(body, bytes)
    payload = fields(unpack(body, MAX_BYTES), 8, "an entry")[-1]
    assert isinstance(payload, tuple)
    return payload


def open_envelope(data: bytes, agreement: Agreement) -> Envelope:
    """An envelope of this table with a good signature.

    Raises PeerFault without a seat: what is not well signed cannot be laid to anybody but the
    link that it came by.
    """
    body, signature = fields(unpack(data), 2, "an envelope")
    if not isinstance(body, bytes):
        raise PeerFault("encoding", "an envelope's body must be bytes")
    octets(signature, SIGNATURE_BYTES, "a signature")
    version, table, lane, step, seat, head, kind, payload = fields(
        unpack(body, MAX_BYTES), 8, "an entry"
    )
    if version != VERSION:
        raise PeerFault("version", f"an entry of protocol version {version!r}")
    if table != agreement.table_id:
        raise PeerFault("table", "an entry of another table")
    seat = integer(seat, 0, len(agreement.keys) - 1, "a seat")
    # The signature comes before all that it covers: nobody is told of having written what
    # somebody else has changed.
    assert isinstance(signature, bytes)
    if not verified(agreement.keys[seat], "envelope", body, signature):
        raise PeerFault("signature", f"an entry that is not signed by seat {seat}")
    lane = integer(lane, 0, MAX_LANE, "a lane")
    step = integer(step, 1, MAX_STEP, "a step")
    head = octets(head, 32, "a head")
    if not isinstance(kind, str) or kind not in KINDS:
        raise PeerFault("kind", "an entry of an unknown kind")
    if not isinstance(payload, tuple):
        raise PeerFault("encoding", "an entry's payload must be an array")
    return Envelope(data, lane, step, seat, head, kind, payload, entry_hash(body))
