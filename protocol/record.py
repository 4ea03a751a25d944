"""The record of a table as a file: the agreement, then every entry in one fixed order. SPEC 9.

A file is 16 magic bytes, then objects, each a 4-byte big-endian length and so many bytes: first the
signed agreement, then the envelopes. There is nothing else in it, and every byte of it counts.
Where a seat was declared gone, the statements by which it went stand in place of its envelope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from protocol.agreement import Agreement, read_agreement
from protocol.ballot import GONE, Ballot
from protocol.envelope import TABLE_LANE, Envelope, open_envelope
from protocol.errors import PeerFault
from protocol.history import History, ready_head
from protocol.lane import Lane
from protocol.proofs import Pending, judge
from protocol.table import TableState
from protocol.votes import Vote, absence_object, open_word
from protocol.wire import MAX_BYTES

MAGIC = b"facedown record\x01"

LENGTH_BYTES = 4

StepEntries = Callable[[int, int], Mapping[int, Sequence[bytes]]]
"""The envelopes of a lane's step by seat, on whatever head, in the order in which they came."""

StepVotes = Callable[[int, int], Sequence[bytes]]
"""The votes about the entries of a lane's step, in the order in which they came."""


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


def no_votes(lane: int, step: int) -> Sequence[bytes]:
    """Of a table at which nobody was ever voted about."""
    del lane, step
    return ()


def arrange(sealed: bytes, step_entries: StepEntries, step_votes: StepVotes = no_votes) -> bytes:
    """The record file of a table from a store, as far as its entries go.

    All comes from this peer's own store, so what a session has not refused is taken as checked.
    """
    history = History(read_agreement(sealed))
    return write_record(sealed, ordered(history, step_entries, step_votes))


def last_state(
    sealed: bytes, step_entries: StepEntries, step_votes: StepVotes = no_votes
) -> TableState:
    """The state to which the entries of a table from a store lead, taken as by ``arrange``."""
    history = History(read_agreement(sealed))
    for _ in ordered(history, step_entries, step_votes):
        pass
    return history.table


def ordered(
    history: History, step_entries: StepEntries, step_votes: StepVotes = no_votes
) -> Iterator[bytes]:
    """The objects of a table in the record's order; stops at the first one that is not there.

    ``history``: that of the table, at its beginning; it is at the end of the record afterwards.

    An entry that was refused stays in the record, and the steps after it are those of the table
    that went on without its seat.
    """
    agreement = history.agreement
    while (number := history.next_lane) is not None:
        lane = history.lanes.get(number)
        if lane is None:
            return
        claims: list[tuple[int, Pending]] = []
        stored = step_entries(number, lane.step)
        votes = _votes_on(lane, agreement, step_votes)
        for seat in lane.owed:
            envelope = _of_history(lane, agreement, stored.get(seat, ()))
            absence = _absence(history, lane, seat, votes, envelope)
            if absence is not None:
                yield absence
                lane.absent(seat)
                continue
            if envelope is None:
                return
            yield envelope.data
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


def _of_history(lane: Lane, agreement: Agreement, versions: Sequence[bytes]) -> Envelope | None:
    """The first of a seat's entries that stands on the lane's own head.

    After a table has gone back there may be others, and where it is to stop, whatever came first.
    """
    envelopes = [open_envelope(data, agreement) for data in versions]
    return next((one for one in envelopes if one.head == lane.head), next(iter(envelopes), None))


def _votes_on(lane: Lane, agreement: Agreement, step_votes: StepVotes) -> list[Vote]:
    """What was said about entries of the open step, on the lane's own head."""
    words = [open_word(data, agreement) for data in step_votes(lane.number, lane.step)]
    return [w for w in words if isinstance(w, Vote) and w.question.head == lane.head]


def _absence(
    history: History, lane: Lane, seat: int, votes: list[Vote], envelope: Envelope | None
) -> bytes | None:
    """What stands in the record for a seat that was declared gone; None: it was not."""
    question = lane.question(seat)
    ballot = Ballot(history.voters(lane))
    for vote in votes:
        if vote.question == question:
            ballot.add(vote)
    on_head = envelope is not None and envelope.head == lane.head
    held = (envelope.body_hash,) if envelope is not None and on_head else ()
    stands = ballot.absence()
    if stands is None or ballot.settled(held) != GONE:
        return None
    return absence_object(stands)


def _was_found_true(history: History, lane: Lane, step_entries: StepEntries) -> bool:
    """Whether a READY stands on this pack's end: then this peer has found all its proofs true.

    A session stores what stands on its own history alone, so the check of a pack that was dealt,
    the longest by far, need not be done again. Only the head tells: what a READY says of its pack
    may be a lie.
    """
    table = history.lanes[TABLE_LANE]
    head = ready_head(table.head, lane.next_head)
    stored = step_entries(TABLE_LANE, table.step).values()
    versions = (data for of_seat in stored for data in of_seat)
    return any(open_envelope(data, history.agreement).head == head for data in versions)
