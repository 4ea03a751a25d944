"""The store: what must survive a power cut, written by one writer at a time. SPEC 11.9.

In life a file in the data folder, locked for this process; in a simulation the same tables in
memory. When ``carry_out`` returns, everything in it is on disk.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import trio

from p2p.catchup import Vote, answer, from_the_end, portion
from p2p.database import (
    FILE_NAME,
    NO_SEAT,
    Change,
    Database,
    Mark,
    Pinned,
    Pledge,
    Promised,
    StoredEntry,
    StoredTable,
    Written,
)
from p2p.datafolder import hold_folder
from p2p.jobs import InlineJobs, Jobs, ThreadJobs
from p2p.messages import Entries, Have, LanePosition
from protocol.envelope import TABLE_LANE
from protocol.errors import LocalError
from protocol.record import StepEntries, StepVotes, arrange, last_state
from protocol.table import TableState


class Store:
    """The tables of this peer. All methods raise Trouble when the disk fails."""

    def __init__(self, database: Database, writer: Jobs) -> None:
        self._database = database
        self._writer = writer

    async def open_table(
        self, table: bytes, sealed: bytes, seat: int, opened: int, lobby: bytes = b""
    ) -> None:
        """Writes down a signed agreement; the values as in ``StoredTable``."""
        await self._run(partial(self._database.open_table, table, sealed, seat, opened, lobby))

    async def finish_table(self, table: bytes) -> None:
        """Marks a table as over; its secrets are deleted."""
        await self._run(partial(self._database.finish_table, table))

    async def reopen_table(self, table: bytes) -> None:
        """Marks a table as not over; secrets that went with its end stay away."""
        await self._run(partial(self._database.reopen_table, table))

    async def tables(self) -> list[StoredTable]:
        """All tables, the newest first."""
        return await self._writer.run(self._database.tables)

    async def unfinished(self) -> StoredTable | None:
        """The newest table with a seat of this peer that is not over."""
        tables = await self.tables()
        return next((t for t in tables if not t.finished and t.seat != NO_SEAT), None)

    async def newest(self) -> StoredTable | None:
        """The newest table with a seat of this peer."""
        return next((t for t in await self.tables() if t.seat != NO_SEAT), None)

    async def sealed(self, table: bytes) -> bytes:
        """The signed agreement of a table; LocalError if it is not in the store."""
        return await self._writer.run(partial(_sealed, self._database, table))

    async def end(self, table: bytes) -> int:
        """The step of the table lane after the last one of which there is an entry."""
        lanes = await self._writer.run(partial(self._database.lanes, table))
        return dict(lanes).get(TABLE_LANE, 0) + 1

    async def carry_out(self, table: bytes, changes: Sequence[Change]) -> None:
        """Writes and deletes what a session asks for, as one transaction, in order."""
        await self._run(partial(self._database.carry_out, table, tuple(changes)))

    async def secrets(self, table: bytes) -> dict[str, bytes]:
        """The secrets of a table by name."""
        return await self._writer.run(partial(self._database.secrets, table))

    async def portion(
        self, table: bytes, lanes: Sequence[LanePosition]
    ) -> tuple[list[StoredEntry], bool]:
        """The next entries beyond some positions, and whether there are more; see ``catchup``."""
        return await self._writer.run(partial(portion, self._database, table, lanes))

    async def written(self, table: bytes, mark: Mark) -> list[Written]:
        """The next entries and votes after ``mark`` in the order of writing; none: that is all."""
        return await self._writer.run(partial(self._database.written, table, mark))

    async def answer(self, have: Have, kept: Sequence[Vote]) -> list[Entries]:
        """The messages that answer HAVE; ``kept``: the votes that go to whoever asks."""
        return await self._writer.run(partial(answer, self._database, have, kept))

    async def answer_from_the_end(self, have: Have) -> list[Entries]:
        """What shows the end of a table that is over here to who goes on with it; else nothing."""
        asked = await self._writer.run(partial(from_the_end, self._database, have))
        return [] if asked is None else await self.answer(asked, ())

    async def record(self, table: bytes) -> bytes:
        """The record file of a table, as far as it has come; LocalError if there is none."""
        return await self._writer.run(partial(_record, self._database, table))

    async def promise(self, lobby: bytes, number: int) -> None:
        """Writes down that this player commits to a nonce; see ``Database.promise``."""
        await self._run(partial(self._database.promise, lobby, number))

    async def pledge(self, pledge: Pledge) -> None:
        """Writes down what this player is about to sign."""
        await self._run(partial(self._database.pledge, pledge))

    async def pledges(self) -> list[Pledge]:
        """What this player has signed and has not sat down for since, the newest first."""
        return await self._writer.run(self._database.pledges)

    async def release(self, lobby: bytes) -> None:
        """This player does not want to sit at a table of this lobby any more."""
        await self._run(partial(self._database.release, lobby))

    async def last_state(self, table: bytes) -> TableState:
        """How a table stands by its entries in the store; LocalError if there is none.

        It takes about as long as ``record``: milliseconds a step.
        """
        return await self._writer.run(partial(_last_state, self._database, table))

    async def promised(self, lobby: bytes) -> Promised:
        """What this peer has said in a lobby that binds it."""
        return await self._writer.run(partial(self._database.promised, lobby))

    async def stamp(self, now: int) -> int:
        """Where this run counts its statements from: ``now``, or more if the clock was set back."""
        return await self._writer.run(partial(self._database.stamp, now))

    async def pin(self, peer: Pinned) -> tuple[bytes, ...]:
        """Writes down a peer; the keys of others known under the same name before."""
        return await self._writer.run(partial(self._database.pin, peer))

    async def pinned(self) -> list[Pinned]:
        """All peers that were ever at a table with this one."""
        return await self._writer.run(self._database.pinned)

    async def _run(self, work: partial[None]) -> None:
        # What has begun is carried to its end: half-known writes help nobody.
        with trio.CancelScope(shield=True):
            await self._writer.run(work)


def memory_store() -> Store:
    """A store that forgets everything, for simulations: no file, no thread."""
    return Store(Database(), InlineJobs())


@asynccontextmanager
async def open_store(folder: Path) -> AsyncIterator[Store]:
    """The store in a data folder, locked for this process while the block runs.

    Raises Trouble: ``data-in-use``, ``data-permission``, ``data-damaged`` or ``data-newer``.
    """
    with hold_folder(folder):
        database = Database(folder / FILE_NAME)
        try:
            yield Store(database, ThreadJobs(1, abandon=False))
        finally:
            database.close()


def _sealed(database: Database, table: bytes) -> bytes:
    sealed = next((t.sealed for t in database.tables() if t.table == table), None)
    if sealed is None:
        raise LocalError("there is no such table in the store")
    return sealed


def _record(database: Database, table: bytes) -> bytes:
    return arrange(_sealed(database, table), *_entries(database, table))


def _last_state(database: Database, table: bytes) -> TableState:
    return last_state(_sealed(database, table), *_entries(database, table))


def _entries(database: Database, table: bytes) -> tuple[StepEntries, StepVotes]:
    """Where the entries of a table and the votes about them are looked up."""

    def step_entries(lane: int, step: int) -> dict[int, list[bytes]]:
        found: dict[int, list[bytes]] = {}
        for entry in database.entries(table, lane, step, step):
            found.setdefault(entry.seat, []).append(entry.envelope)
        return found

    def step_votes(lane: int, step: int) -> list[bytes]:
        return [stored.vote for stored in database.votes(table, lane, step, step)]

    return step_entries, step_votes
