"""The record of a table as a file: the agreement, then every entry in one fixed order. SPEC 9.

A file is 16 magic bytes, then objects, each a 4-byte big-endian length and so many bytes: first the
signed agreement, then the envelopes. There is nothing else in it, and every byte of it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from protocol.agreement import Agreement, read_agreement
from protocol.envelope import TABLE_LANE, open_envelope
from protocol.errors import PeerFault
from protocol.history import History
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
        if number == TABLE_LANE or not _was_dealt(history, number, step_entries):
            for index in judge([one for _, one in claims]):
                lane.put(claims[index][0], None, b"")
        history.close(number)


def _was_dealt(
    history: History, number: int, step_entries: Callable[[int, int], StepEntries]
) -> bool:
    """Whether somebody said READY for a pack: then all its proofs were checked and found true.

    What a session stores stands on its own history, so nobody else's READY can be there.
    """
    step = history.lanes[TABLE_LANE].step
    for data in step_entries(TABLE_LANE, step).values():
        envelope = open_envelope(data, history.agreement)
        if envelope.kind == "ready" and envelope.payload[:1] == (number,):
            return True
    return False
