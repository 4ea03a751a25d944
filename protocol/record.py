"""The record of a table as a file: the agreement, then every entry in one fixed order. SPEC 9.

A file is 16 magic bytes, then objects, each a 4-byte big-endian length and so many bytes: first the
signed agreement, then the envelopes. There is nothing else in it, and every byte of it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from protocol.agreement import Agreement, read_agreement
from protocol.envelope import TABLE_LANE, open_envelope
from protocol.errors import PeerFault
from protocol.history import History, ready_head
from protocol.lane import Lane
from protocol.proofs import Pending, judge
from protocol.wire import MAX_BYTES

MAGIC = b"facedown record\x01"

LENGTH_BYTES = 4

StepEntries = Mapping[int, bytes]
"""The envelopes of one step by seat."""


def write_record(sealed: bytes, envelopes: Iterable[bytes]) -> bytes:
    """The bytes of a record file."""
    objects = (sealed, *envelopes)
    return MAGIC + b"".join(len(o).to_bytes(LENGTH_BYTES, "big") + o for o in objects)


def read_objects(data: bytes) -> Iterator[bytes]:
    """The objects of a record file in order; raises PeerFault ``record`` where it is none."""
    if data[: len(MAGIC)] != MAGIC:
        raise PeerFault("record", "this is not a record of a Facedown table")
    at = len(MAGIC)
    while at < len(data):
        length = int.from_bytes(data[at : at + LENGTH_BYTES], "big")
        start = at + LENGTH_BYTES
        if start > len(data) or not 0 < length <= MAX_BYTES or start + length > len(data):
            raise PeerFault("record", f"the file does not end with a whole entry (byte {at})")
        yield data[start : start + length]
        at = start + length


def arrange(sealed: bytes, step_entries: Callable[[int, int], StepEntries]) -> bytes:
    """The record file of a table from a store, as far as its entries go.

    ``step_entries(lane, step)`` gives the stored envelopes of one step by seat. They come from
    this peer's own store, so what a session has not refused is taken as checked.
    """
    agreement = read_agreement(sealed)
    return write_record(sealed, ordered(agreement, step_entries))


def ordered(
    agreement: Agreement, step_entries: Callable[[int, int], StepEntries]
) -> Iterator[bytes]:
    """The envelopes of a table in the record's order; stops at the first one that is not there.

    An entry that was refused stays in the record, and the steps after it are those of the table
    that went on without its seat.
    """
    history = History(agreement)
    while (number := history.next_lane) is not None:
        lane = history.lanes.get(number)
        if lane is None:
            return
        claims: list[tuple[int, Pending]] = []
        stored = step_entries(number, lane.step)
        for seat in lane.owed:
            if seat not in stored:
                return
            yield stored[seat]
            envelope = open_envelope(stored[seat], agreement)
            try:
                entry, pending = lane.read(envelope)
            except PeerFault:
                lane.put(seat, None, envelope.body_hash)
            else:
                lane.put(seat, entry, envelope.body_hash)
                claims.extend((seat, one) for one in pending)
        if lane.kind != "prove" or not _was_found_true(history, lane, step_entries):
            for index in judge([one for _, one in claims]):
                lane.put(claims[index][0], None, b"")
        history.close(number)


def _was_found_true(
    history: History, lane: Lane, step_entries: Callable[[int, int], StepEntries]
) -> bool:
    """Whether a READY stands on this pack's end: then this peer has found all its proofs true.

    A session stores what stands on its own history alone, so the check of a pack that was dealt,
    the longest by far, need not be done again. Only the head tells: what a READY says of its pack
    may be a lie.
    """
    table = history.lanes[TABLE_LANE]
    head = ready_head(table.head, lane.next_head)
    stored = step_entries(TABLE_LANE, table.step).values()
    return any(open_envelope(data, history.agreement).head == head for data in stored)
