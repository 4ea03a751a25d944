"""What somebody lacks: the answer to HAVE, in bounded portions. SPEC 11.8.

The asker digests a portion and asks again from where it then stands, so neither side needs to keep
more than one portion, and an asker whose buffers are full loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias, TypeVar

from p2p.database import Database, StoredEntry, StoredVote
from p2p.messages import ALL_SENT, ASK_AGAIN, MAX_CHUNK, MORE_FOLLOWS, Entries, Have
from p2p.messages import LanePosition as Position
from protocol.envelope import TABLE_LANE
from protocol.follower import Follower

STEPS_AHEAD = 40
"""Steps of one lane in a portion: fewer than a session keeps early."""

PORTION_BYTES = 512 * 1024
"""Bytes of a portion: more than three packs in the making."""

STEPS_BACK = 256
LANES_BACK = 4
"""How far behind the asker votes may be of use to it, in steps and in packs: a hand, and some."""

VOTES_BYTES = 1024 * 1024
"""Bytes of the votes that come with a portion, and as many of those that go to whoever asks: all
that seats can say about each other in one step. Both with a portion may still wait for a link."""

CHUNK_BYTES = 24 * 1024
"""Bytes of votes and entries in one message; with one more entry it still fits into a frame."""

PACKS_SHOWN = 2
"""How many of the newest lanes are shown to who stands on another history than the end."""

LANES_AHEAD = 2
"""Lanes beyond the newest that the asker knows."""

Vote: TypeAlias = tuple[bytes, bytes]
"""A vote, and the envelope that it is about; or empty bytes in place of that."""

T = TypeVar("T")


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

    Ordered by distance from where the asker stands, so the steps that it can close come first; of a
    seat's entries for one place the newest comes first, for older ones may be overtaken. A lane
    below the asker's newest that it does not name is finished there.
    """
    ahead, more = _ahead(database, table, lanes)
    found: list[tuple[int, StoredEntry]] = []
    for position in ahead:
        last = position.step + STEPS_AHEAD - 1
        for entry in reversed(database.entries(table, position.lane, position.step, last)):
            if _is_missing(entry, position):
                found.append((entry.step - position.step, entry))
    found.sort(key=lambda pair: (pair[0], pair[1].seat))
    chosen: list[StoredEntry] = []
    size = 0
    for _, entry in found:
        size += len(entry.envelope)
        if size > PORTION_BYTES:
            return chosen, True
        chosen.append(entry)
    return chosen, more


def portion_votes(
    database: Database, table: bytes, lanes: Sequence[Position], entries: Sequence[StoredEntry]
) -> list[bytes]:
    """The stored votes that somebody at ``lanes`` needs besides these entries, as written.

    Those about the steps ahead, up to the one after the last of ``entries``: without them a step
    does not close there in which a seat was declared gone. And those about the steps behind, in
    case that it stands on what the others have overtaken, and does not know it. If there are more
    than VOTES_BYTES of them, those nearest to where it stands.
    """
    ahead, _ = _ahead(database, table, lanes)
    starts = {position.lane: position.step for position in (*lanes, *ahead)}
    reach = max((entry.step - starts[entry.lane] + 1 for entry in entries), default=STEPS_AHEAD)
    newest = max((position.lane for position in lanes), default=0)
    for closed in range(max(1, newest - LANES_BACK), newest):
        starts.setdefault(closed, 1)
    found: list[tuple[int, StoredVote]] = []
    for lane, step in starts.items():
        last = step + min(reach, STEPS_AHEAD - 1)
        for vote in database.votes(table, lane, step - STEPS_BACK, last):
            found.append((abs(vote.step - step), vote))
    found.sort(key=lambda pair: pair[0])
    chosen = _first_bytes([vote for _, vote in found], lambda vote: len(vote.vote))
    return [vote.vote for vote in sorted(chosen, key=lambda vote: vote.number)]


def _ahead(
    database: Database, table: bytes, lanes: Sequence[Position]
) -> tuple[list[Position], bool]:
    """Where somebody stands in each lane that it can use entries of; whether there is more.

    More is there in lanes that are too new, and in steps beyond STEPS_AHEAD.
    """
    known = {position.lane: position for position in lanes}
    newest = max(known, default=0)
    found: list[Position] = []
    more = False
    for lane, last in database.lanes(table):
        position = known.get(lane)
        if position is None:
            if lane <= newest:
                continue
            if lane > newest + LANES_AHEAD:
                more = True
                continue
            position = Position(lane, 1)
        found.append(position)
        more = more or last > position.step + STEPS_AHEAD - 1
    return found, more


def _is_missing(entry: StoredEntry, position: Position) -> bool:
    if entry.step > position.step or not position.missing:
        return True
    return entry.seat in position.missing


def from_the_end(database: Database, have: Have) -> Have | None:
    """The question that a table which is over here answers to who goes on with it.

    There must be two versions of some entry then, and what the end rests on has one of them: the
    last steps of the table lane and of the newest packs. None: HAVE does not go beyond the end.
    """
    ends = dict(database.lanes(have.table))
    known = {position.lane: position.step for position in have.lanes}
    if known.get(TABLE_LANE, 0) <= ends.get(TABLE_LANE, 0):
        return None
    packs = sorted(ends)[-PACKS_SHOWN:]
    return Have(
        have.table,
        tuple(
            Position(lane, min(known.get(lane, last), last))
            for lane, last in ends.items()
            if lane in known or lane in packs
        ),
    )


def answer(database: Database, have: Have, kept: Sequence[Vote] = ()) -> list[Entries]:
    """The messages that answer HAVE; at least one, so the asker knows when it has everything.

    ``kept``: the votes that may yet be settled, for whoever asks; they come first, VOTES_BYTES of
    them at most.
    """
    entries, more = portion(database, have.table, have.lanes)
    stored = portion_votes(database, have.table, have.lanes, entries)
    votes = dict(_first_bytes(kept, lambda pair: len(pair[0]) + len(pair[1])))
    for vote in stored:
        votes.setdefault(vote, b"")
    chunks = list(_chunks(list(votes.items()), [entry.envelope for entry in entries]))
    end = ASK_AGAIN if more else ALL_SENT
    *before, (last_votes, last_envelopes) = chunks
    return [
        *(Entries(have.table, some, MORE_FOLLOWS, few) for few, some in before),
        Entries(have.table, last_envelopes, end, last_votes),
    ]


def _first_bytes(votes: Sequence[T], size_of: Callable[[T], int]) -> list[T]:
    """The first of them, as many as VOTES_BYTES allow."""
    sizes = accumulate(map(size_of, votes))
    return [vote for vote, size in zip(votes, sizes, strict=True) if size <= VOTES_BYTES]


def _chunks(
    votes: Sequence[Vote], envelopes: Sequence[bytes]
) -> Iterator[tuple[tuple[Vote, ...], tuple[bytes, ...]]]:
    """All votes, then all envelopes, in as many messages as they need; at least one."""
    few: list[Vote] = []
    some: list[bytes] = []
    size = 0
    pieces: list[Vote | bytes] = [*votes, *envelopes]
    for piece in pieces:
        length = len(piece) if isinstance(piece, bytes) else sum(map(len, piece))
        count = len(few) + len(some)
        if count and (size + length > CHUNK_BYTES or count == MAX_CHUNK):
            yield tuple(few), tuple(some)
            few, some, size = [], [], 0
        if isinstance(piece, bytes):
            some.append(piece)
        else:
            few.append(piece)
        size += length
    yield tuple(few), tuple(some)
