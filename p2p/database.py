"""What is on disk: agreements, entries, votes, secrets of the hand, pinned peers. SPEC 11.9.

Plain SQLite, blocking; ``p2p.store`` gives it a thread. Every change is one transaction that is on
disk, synced, when the method returns.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from p2p.codec import addresses_to_wire, read_addresses
from p2p.schema import prepare
from p2p.terms import same_name
from p2p.transport import Address
from p2p.trouble import Trouble
from protocol.agreement import MAX_SEATS
from protocol.effects import ForgetSecret, Persist, PersistSecret, PersistVote
from protocol.errors import PeerFault
from protocol.signing import KEY_BYTES
from protocol.wire import array, fields, octets, pack, unpack

FILE_NAME = "facedown.db"

MAX_VERSIONS = 16
"""Different entries that are kept for one place of the record. A seat has one for each head, and
heads change when a step before is closed anew, without a seat that was declared gone: in a hand so
often as there are other seats. Who signs more lies, and must not be able to fill the disk with it.
"""

MAX_VOTES = 800
"""Votes that are kept about one seat in one step: two of each of six seats in each of 64 rounds,
and some that contradict them."""

MAX_PROMISED = 16
"""Full lists of one lobby that are remembered, and so many lobbies: the oldest are forgotten first.
No lobby can have others forgotten, where this player would commit once more to an old list then."""

PAGE = 256
"""Rows that are read at once of all that was written: at most 4 MiB."""

NO_SEAT = -1
"""The seat of who only looks on."""

Change: TypeAlias = Persist | PersistVote | PersistSecret | ForgetSecret

STAMP_LEAP = 10**9
"""By how much to count on when the clock says less than before: more than one run can use up."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of the store. ``opened``: when it began, seconds of Unix time.

    ``seat`` is NO_SEAT at a table at which this peer only looks on. ``lobby``: the one in which it
    was agreed, if everybody may look on; else empty.
    """

    table: bytes
    sealed: bytes
    seat: int
    opened: int
    finished: bool
    lobby: bytes = b""


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """One envelope and its place."""

    lane: int
    step: int
    seat: int
    envelope: bytes


@dataclass(frozen=True, slots=True)
class StoredVote:
    """One vote, and the place of the entry that it is about; ``number``: in order of writing."""

    number: int
    lane: int
    step: int
    about: int
    vote: bytes


@dataclass(frozen=True, slots=True)
class Promised:
    """What was said in a lobby that binds, in this run of the program or before.

    ``number``: that of the newest list for which a nonce was committed to, 0: of none. ``tables``:
    the ids of the agreements that were signed.
    """

    number: int = 0
    tables: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Pledge:
    """An agreement that this player has signed, and may have to find the others for.

    ``number``: that of its list; ``body``: the agreement's, without signatures. ``shown``: whether
    everybody may look on. ``members``: the others, and where they were reached. ``made``: seconds
    of Unix time.
    """

    lobby: bytes
    number: int
    table: bytes
    body: bytes
    shown: bool
    members: tuple[tuple[bytes, tuple[Address, ...]], ...]
    made: int


Mark: TypeAlias = tuple[int, int]

BEGINNING: Mark = (0, 0)


@dataclass(frozen=True, slots=True)
class Written:
    """An envelope or a vote; ``mark`` says where it is in the order of writing."""

    mark: Mark
    data: bytes
    is_vote: bool


@dataclass(frozen=True, slots=True)
class Pinned:
    """A peer that was seen at a table: its key, the name it had last, where it listened last."""

    key: bytes
    name: str
    addresses: tuple[Address, ...]


class Database:
    """One open file, or a database in memory; used by one thread at a time.

    Every method raises Trouble ``data-full``, ``data-permission`` or ``data-damaged`` when the
    disk fails: then nothing may be said any more that rests on what could not be written.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Opens ``path``, or a database in memory for None. Raises Trouble as the methods do."""
        self._path = path
        with self._troubles():
            if path is not None:
                _make_private(path)
            self._connection = sqlite3.connect(
                ":memory:" if path is None else path, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self) -> None:
        run = self._connection.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run("PRAGMA foreign_keys = ON")
        run("PRAGMA secure_delete = ON")
        prepare(self._connection, self._path)

    def close(self) -> None:
        """Closes the file; what was committed stays."""
        self._connection.close()

    # Tables.

    def open_table(
        self, table: bytes, sealed: bytes, seat: int, opened: int, lobby: bytes = b""
    ) -> None:
        """Writes down a signed agreement; a table that is there already stays as it is.

        Who has a seat there has kept what it has signed in lobbies, or will not keep it any more.
        """
        with self._transaction() as connection:
            if seat != NO_SEAT:
                connection.execute("UPDATE promised SET signed = x'', body = x''")
            connection.execute(
                "INSERT OR IGNORE INTO tables (id, sealed, seat, opened, lobby)"
                " VALUES (?, ?, ?, ?, ?)",
                (table, sealed, seat, opened, lobby),
            )

    def finish_table(self, table: bytes) -> None:
        """Marks a table as over, and deletes what secrets are left of it."""
        with self._transaction() as connection:
            connection.execute("UPDATE tables SET finished = 1 WHERE id = ?", (table,))
            connection.execute("DELETE FROM secrets WHERE table_id = ?", (table,))

    def reopen_table(self, table: bytes) -> None:
        """Marks a table as not over: what ended it has been voted away."""
        with self._transaction() as connection:
            connection.execute("UPDATE tables SET finished = 0 WHERE id = ?", (table,))

    def tables(self) -> list[StoredTable]:
        """All tables, the newest first."""
        rows = self._read(
            "SELECT id, sealed, seat, opened, finished, lobby FROM tables ORDER BY opened DESC, id",
            (bytes, bytes, int, int, int, bytes),
        )
        return [
            StoredTable(table, sealed, seat, opened, bool(finished), lobby)
            for table, sealed, seat, opened, finished, lobby in rows
        ]

    # Entries, votes, secrets.

    def carry_out(self, table: bytes, changes: Sequence[Change]) -> None:
        """Carries out what a session asks for, as one transaction, in order."""
        with self._transaction() as connection:
            for change in changes:
                _carry_out(connection, table, change)
        if any(isinstance(change, ForgetSecret) for change in changes):
            # A deleted secret must not live on in the log either.
            with self._troubles():
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def lanes(self, table: bytes) -> list[tuple[int, int]]:
        """Every lane that has entries, ascending, with its last step."""
        return self._read(
            "SELECT lane, max(step) FROM entries WHERE table_id = ? GROUP BY lane ORDER BY lane",
            (int, int),
            table,
        )

    def entries(self, table: bytes, lane: int, first: int, last: int) -> list[StoredEntry]:
        """The entries of a lane's steps ``first`` to ``last``, by step and seat."""
        rows = self._read(
            "SELECT lane, step, seat, envelope FROM entries"
            " WHERE table_id = ? AND lane = ? AND step BETWEEN ? AND ?"
            " ORDER BY step, seat, number",
            (int, int, int, bytes),
            *(table, lane, first, last),
        )
        return [StoredEntry(*row) for row in rows]

    def votes(self, table: bytes, lane: int, first: int, last: int) -> list[StoredVote]:
        """The votes about entries of a lane's steps ``first`` to ``last``, by step, as written."""
        rows = self._read(
            "SELECT number, lane, step, about, vote FROM votes"
            " WHERE table_id = ? AND lane = ? AND step BETWEEN ? AND ?"
            " ORDER BY step, number",
            (int, int, int, int, bytes),
            *(table, lane, first, last),
        )
        return [StoredVote(*row) for row in rows]

    def written(self, table: bytes, mark: Mark) -> list[Written]:
        """The next entries and votes after ``mark``, in the order of writing; at most PAGE."""
        entries = self._read(
            "SELECT number, 0, envelope FROM entries WHERE table_id = ? AND number > ?"
            " ORDER BY number LIMIT ?",
            (int, int, bytes),
            *(table, mark[0], PAGE),
        )
        votes = self._read(
            "SELECT after, number, vote FROM votes WHERE table_id = ? AND (after, number) > (?, ?)"
            " ORDER BY after, number LIMIT ?",
            (int, int, bytes),
            *(table, *mark, PAGE),
        )
        rows = sorted(entries + votes, key=lambda row: row[:2])[:PAGE]
        return [Written((after, vote), data, vote > 0) for after, vote, data in rows]

    def secrets(self, table: bytes) -> dict[str, bytes]:
        """The secrets of a table by name."""
        return dict(
            self._read(
                "SELECT name, value FROM secrets WHERE table_id = ? ORDER BY name",
                (str, bytes),
                table,
            )
        )

    # Counting.

    def stamp(self, now: int) -> int:
        """Where a run counts its statements from: ``now``, if all before have counted from less."""
        before = self._read("SELECT value FROM stamp WHERE only = 1", (int,))
        start = now if not before or now > before[0][0] else before[0][0] + STAMP_LEAP
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO stamp (only, value) VALUES (1, ?)", (start,))
        return start

    # Promises.

    def promise(self, lobby: bytes, number: int) -> None:
        """This player is about to commit to a nonce for the list ``number`` of a lobby."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO promised (lobby, list, signed) VALUES (?, ?, x'')",
                (lobby, number),
            )
            _forget_oldest(connection, lobby)

    def pledge(self, pledge: Pledge) -> None:
        """This player is about to sign an agreement."""
        members = tuple((key, addresses_to_wire(where)) for key, where in pledge.members)
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO promised (lobby, list, signed, body, shown, members, made)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (lobby, list) DO UPDATE SET"
                " signed = excluded.signed, body = excluded.body, shown = excluded.shown,"
                " members = excluded.members, made = excluded.made",
                (
                    *(pledge.lobby, pledge.number, pledge.table, pledge.body, pledge.shown),
                    *(pack(members), pledge.made),
                ),
            )
            _forget_oldest(connection, pledge.lobby)

    def pledges(self) -> list[Pledge]:
        """What this player has signed and has not sat down for since, the newest first."""
        rows = self._read(
            "SELECT lobby, list, signed, body, shown, members, made FROM promised"
            " WHERE body != x'' ORDER BY number DESC",
            (bytes, int, bytes, bytes, int, bytes, int),
        )
        try:
            return [
                Pledge(lobby, number, table, body, bool(shown), _read_members(members), made)
                for lobby, number, table, body, shown, members, made in rows
            ]
        except PeerFault:
            raise self._damaged("an address in it makes no sense") from None

    def release(self, lobby: bytes) -> None:
        """This player does not want to sit at a table of this lobby any more."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE promised SET signed = x'', body = x'' WHERE lobby = ?", (lobby,)
            )

    def promised(self, lobby: bytes) -> Promised:
        """What was said in a lobby that binds."""
        rows = self._read("SELECT list, signed FROM promised WHERE lobby = ?", (int, bytes), lobby)
        tables = frozenset(signed for _, signed in rows if signed)
        return Promised(max((number for number, _ in rows), default=0), tables)

    # Peers.

    def pin(self, peer: Pinned) -> tuple[bytes, ...]:
        """Writes down a peer; the keys of others that were known under the same name before."""
        with self._transaction() as connection:
            rows = connection.execute("SELECT key, name FROM peers ORDER BY key").fetchall()
            connection.execute(
                "INSERT INTO peers (key, name, addresses) VALUES (?, ?, ?) ON CONFLICT (key)"
                " DO UPDATE SET name = excluded.name, addresses = excluded.addresses",
                (peer.key, peer.name, pack(addresses_to_wire(peer.addresses))),
            )
        return tuple(key for key, name in rows if key != peer.key and same_name(name, peer.name))

    def pinned(self) -> list[Pinned]:
        """All peers that were ever at a table with this one, by name."""
        rows = self._read(
            "SELECT key, name, addresses FROM peers ORDER BY name, key", (bytes, str, bytes)
        )
        try:
            return [Pinned(key, name, read_addresses(unpack(blob))) for key, name, blob in rows]
        except PeerFault:
            raise self._damaged("an address in it makes no sense") from None

    # Trouble.

    def _read(self, select: str, kinds: tuple[type, ...], *values: object) -> list[Any]:
        """All rows of a query. A damaged file may hold values of any type: that is trouble too."""
        with self._troubles():
            rows = self._connection.execute(select, values).fetchall()
        for row in rows:
            if not all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True)):
                raise self._damaged("a value in it makes no sense")
        return rows

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._troubles():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        """Turns what SQLite says into words for people."""
        try:
            yield
        except sqlite3.OperationalError as error:
            full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
            reason = "data-full" if full else "data-permission"
            raise Trouble(reason, f"The data file {self._path} fails: {error}.") from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error
        except UnicodeError as error:  # SQLite's own message quotes what is damaged
            raise self._damaged("a text in it is no text") from error
        except OSError as error:
            why = error.strerror or str(error)
            raise Trouble("data-permission", f"{self._path} cannot be used: {why}.") from error

    def _damaged(self, why: str) -> Trouble:
        return Trouble(
            "data-damaged",
            f"The data file {self._path} cannot be read: {why}. Put back a copy, or move it away.",
        )


def _carry_out(connection: sqlite3.Connection, table: bytes, change: Change) -> None:
    match change:
        case Persist(lane, step, seat, envelope):
            place = (table, lane, step, seat)
            (count,) = connection.execute(
                "SELECT count(*) FROM entries"
                " WHERE table_id = ? AND lane = ? AND step = ? AND seat = ?",
                place,
            ).fetchone()
            if count < MAX_VERSIONS:
                connection.execute(
                    "INSERT OR IGNORE INTO entries (table_id, lane, step, seat, envelope)"
                    " VALUES (?, ?, ?, ?, ?)",
                    (*place, envelope),
                )
        case PersistVote(lane, step, about, vote):
            (count,) = connection.execute(
                "SELECT count(*) FROM votes"
                " WHERE table_id = ? AND lane = ? AND step = ? AND about = ?",
                (table, lane, step, about),
            ).fetchone()
            if count < MAX_VOTES:
                connection.execute(
                    "INSERT OR IGNORE INTO votes (after, table_id, lane, step, about, vote)"
                    " VALUES ((SELECT ifnull(max(number), 0) FROM entries), ?, ?, ?, ?, ?)",
                    (table, lane, step, about, vote),
                )
        case PersistSecret(name, value):
            connection.execute(
                "INSERT OR REPLACE INTO secrets (table_id, name, value) VALUES (?, ?, ?)",
                (table, name, value),
            )
        case ForgetSecret(name):
            connection.execute("DELETE FROM secrets WHERE table_id = ? AND name = ?", (table, name))


def _forget_oldest(connection: sqlite3.Connection, lobby: bytes) -> None:
    connection.execute(
        "DELETE FROM promised WHERE lobby = ? AND list NOT IN"
        " (SELECT list FROM promised WHERE lobby = ? ORDER BY list DESC LIMIT ?)",
        (lobby, lobby, MAX_PROMISED),
    )
    connection.execute(
        "DELETE FROM promised WHERE lobby NOT IN"
        " (SELECT lobby FROM promised GROUP BY lobby ORDER BY max(number) DESC LIMIT ?)",
        (MAX_PROMISED,),
    )


def _read_members(blob: bytes) -> tuple[tuple[bytes, tuple[Address, ...]], ...]:
    """Raises PeerFault."""
    pairs = [fields(item, 2, "a member") for item in array(unpack(blob), MAX_SEATS, "members")]
    return tuple((octets(key, KEY_BYTES, "a key"), read_addresses(where)) for key, where in pairs)


def _make_private(path: Path) -> None:
    """Makes the file for this user alone; SQLite gives its log the same mode. Raises OSError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
