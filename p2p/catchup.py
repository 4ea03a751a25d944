"""What somebody lacks: the answer to HAVE, in bounded portions. SPEC 11.8.

The asker digests a portion and asks again from where it then stands, so neither side needs to keep
more than one portion, and an asker whose buffers are full loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p2p.database import Database, StoredEntry
from p2p.messages import ALL_SENT, ASK_AGAIN, MAX_CHUNK, MORE_FOLLOWS, Entries, Have
from p2p.messages import LanePosition as Position
from protocol.follower import Follower

STEPS_AHEAD = 40
"""Steps of one lane in a portion: fewer than a session keeps early."""

PORTION_BYTES = 512 * 1024
"""Bytes of a portion: more than three packs in the making."""

CHUNK_BYTES = 24 * 1024
"""Bytes of the entries in one message; with one more entry it still fits into a frame."""

LANES_AHEAD = 2
"""Lanes beyond the newest that the asker knows."""


def where(follower: Follower) -> tuple[Position, ...]:
    """Where a seat or an onlooker stands, as HAVE says it."""
    missing = follower.missing()
    return tuple(
        Position(lane, step, missing.get(lane, ()))
        for lane, step in sorted(follower.positions().items())
    )


def portion(
    database: Database, table: bytes, lanes: Sequence[Position]
) -> tuple[list[StoredEntry], bool]:
    """The next entries for somebody who stands at ``lanes``, and whether there are more.

    Ordered by distance from where the asker stands, so the steps that it can close come first.
    A lane below its newest that it does not name is finished there.
    """
    known = {position.lane: position for position in lanes}
    newest = max(known, default=0)
    more = False
    found: list[tuple[int, StoredEntry]] = []
    for lane, last in database.lanes(table):
        position = known.get(lane)
        if position is None:
            if lane <= newest:
                continue
            if lane > newest + LANES_AHEAD:
                more = True
                continue
            position = Position(lane, 1)
        limit = position.step + STEPS_AHEAD - 1
        more = more or last > limit
        for entry in database.entries(table, lane, position.step, limit):
            if _is_missing(entry, position):
                found.append((entry.step - position.step, entry))
    found.sort(key=lambda pair: pair[0])
    chosen: list[StoredEntry] = []
    size = 0
    for _, entry in found:
        size += len(entry.envelope)
        if size > PORTION_BYTES:
            return chosen, True
        chosen.append(entry)
    return chosen, more


def _is_missing(entry: StoredEntry, position: Position) -> bool:
    if entry.step > position.step or not position.missing:
        return True
    return entry.seat in position.missing


def answer(database: Database, have: Have) -> list[Entries]:
    """The messages that answer HAVE; at least one, so the asker knows when it has everything."""
    entries, more = portion(database, have.table, have.lanes)
    chunks = list(_chunks([entry.envelope for entry in entries]))
    last = len(chunks) - 1
    end = ASK_AGAIN if more else ALL_SENT
    return [
        Entries(have.table, chunk, MORE_FOLLOWS if number < last else end)
        for number, chunk in enumerate(chunks)
    ]


def _chunks(envelopes: list[bytes]) -> Iterator[tuple[bytes, ...]]:
    chunk: list[bytes] = []
    size = 0
    for envelope in envelopes:
        if chunk and (size + len(envelope) > CHUNK_BYTES or len(chunk) == MAX_CHUNK):
            yield tuple(chunk)
            chunk, size = [], 0
        chunk.append(envelope)
        size += len(envelope)
    yield tuple(chunk)
