"""Votes on disk: read back between the entries as they were written, and given to who asks."""

from __future__ import annotations

import random
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest

from p2p import database as database_module
from p2p import schema
from p2p.catchup import PORTION_BYTES, STEPS_AHEAD, STEPS_BACK, VOTES_BYTES, answer, portion
from p2p.codec import to_wire
from p2p.database import (
    BEGINNING,
    FILE_NAME,
    MAX_VOTES,
    Change,
    Database,
    Mark,
    Promised,
    StoredTable,
    StoredVote,
    Written,
)
from p2p.frames import FRAME_LIMIT
from p2p.messages import ALL_SENT, ASK_AGAIN, MORE_FOLLOWS, Entries, Have, LanePosition
from p2p.schema import SCHEMA_VERSION
from p2p.trouble import Trouble
from protocol.effects import Persist, PersistVote
from protocol.wire import MAX_BYTES, pack

TABLE = b"t" * 32
OTHER = b"o" * 32

FORMAT_1 = """
CREATE TABLE tables (
    id BLOB PRIMARY KEY,
    sealed BLOB NOT NULL,
    seat INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    table_id BLOB NOT NULL REFERENCES tables (id),
    lane INTEGER NOT NULL,
    step INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    envelope BLOB NOT NULL,
    UNIQUE (table_id, lane, step, seat, envelope)
);
CREATE TABLE secrets (
    table_id BLOB NOT NULL REFERENCES tables (id),
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (table_id, name)
) WITHOUT ROWID;
CREATE TABLE peers (
    key BLOB PRIMARY KEY,
    name TEXT NOT NULL,
    addresses BLOB NOT NULL
) WITHOUT ROWID;
PRAGMA user_version = 1;
"""
"""As a program without votes wrote it."""


def filled(path: Path | None = None) -> Database:
    """A database with two open tables."""
    database = Database(path)
    for table in (TABLE, OTHER):
        database.open_table(table, b"sealed", 2, 1_000)
    return database


def written(database: Database, table: bytes = TABLE) -> list[Written]:
    """All that was written at a table, read page by page."""
    found: list[Written] = []
    mark: Mark = BEGINNING
    while rows := database.written(table, mark):
        found += rows
        mark = rows[-1].mark
    return found


def votes_in(messages: list[Entries]) -> list[bytes]:
    """The votes of an answer in order."""
    return [vote for message in messages for vote, _ in message.votes]


# The order of writing.


@pytest.mark.parametrize("page", [1, 2, 7, 1000])
def test_all_is_read_back_as_it_was_written(monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    """Entries and votes of two tables, many or few in one transaction; however they are read."""
    monkeypatch.setattr(database_module, "PAGE", page)
    chance = random.Random(page)
    database = filled()
    expected: dict[bytes, list[tuple[bool, bytes]]] = {TABLE: [], OTHER: []}
    for turn in range(60):
        table = chance.choice((TABLE, OTHER))
        changes: list[Change] = []
        for number in range(chance.randrange(4)):
            data = b"%d of %d" % (number, turn)
            is_vote = chance.random() < 0.5
            place = (chance.randrange(2), chance.randrange(1, 9), chance.randrange(4))
            changes.append((PersistVote if is_vote else Persist)(*place, data))
            expected[table].append((is_vote, data))
        database.carry_out(table, changes)
    for table in (TABLE, OTHER):
        rows = written(database, table)
        assert [(row.is_vote, row.data) for row in rows] == expected[table]
        assert all(a.mark < b.mark for a, b in pairwise(rows))
        assert all(len(database.written(table, row.mark)) <= page for row in rows)


def test_what_was_written_survives_closing(tmp_path: Path) -> None:
    """Votes and their order are there when the file is opened again, and go on from there."""
    database = filled(tmp_path / FILE_NAME)
    database.carry_out(TABLE, [PersistVote(0, 1, 3, b"early"), Persist(0, 1, 0, b"entry")])
    database.close()
    database = Database(tmp_path / FILE_NAME)
    database.carry_out(TABLE, [PersistVote(0, 1, 3, b"late"), Persist(0, 1, 1, b"last")])
    assert [row.data for row in written(database)] == [b"early", b"entry", b"late", b"last"]
    assert database.votes(TABLE, 0, 1, 1) == [
        StoredVote(1, 0, 1, 3, b"early"),
        StoredVote(2, 0, 1, 3, b"late"),
    ]


def test_same_vote_twice_is_one() -> None:
    """It keeps its first place."""
    database = filled()
    vote = PersistVote(0, 1, 3, b"vote")
    database.carry_out(TABLE, [vote, Persist(0, 1, 0, b"entry"), vote])
    database.carry_out(OTHER, [vote])
    assert [row.data for row in written(database)] == [b"vote", b"entry"]
    assert [row.data for row in written(database, OTHER)] == [b"vote"]


def test_votes_cannot_fill_the_disk() -> None:
    """About one seat in one step only so many are kept; about others as before."""
    database = filled()
    many = [PersistVote(0, 5, 3, b"%d" % number) for number in range(MAX_VOTES + 50)]
    database.carry_out(TABLE, many)
    database.carry_out(TABLE, [PersistVote(0, 5, 2, b"another"), PersistVote(1, 5, 3, b"lane")])
    kept = [vote.vote for vote in database.votes(TABLE, 0, 5, 5)]
    assert kept == [b"%d" % number for number in range(MAX_VOTES)] + [b"another"]
    assert [vote.vote for vote in database.votes(TABLE, 1, 1, 9)] == [b"lane"]


def test_table_that_goes_on_after_its_end_is_open_again() -> None:
    """What had ended it was voted away; its record is as it was."""
    database = filled()
    database.carry_out(TABLE, [Persist(0, 1, 0, b"entry")])
    database.finish_table(TABLE)
    database.reopen_table(TABLE)
    assert {table.table: table.finished for table in database.tables()} == {
        TABLE: False,
        OTHER: False,
    }
    assert [row.data for row in written(database)] == [b"entry"]


# Files of the format before.


@pytest.mark.parametrize("stamped", [False, True])
def test_file_without_votes_goes_on(tmp_path: Path, stamped: bool) -> None:
    """A file of format 1 keeps all that it has, and takes votes from now on."""
    path = tmp_path / FILE_NAME
    old = sqlite3.connect(path)
    old.executescript(FORMAT_1)
    if stamped:
        old.execute("CREATE TABLE stamp (only INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
        old.execute("INSERT INTO stamp VALUES (1, 77)")
    old.execute("INSERT INTO tables (id, sealed, seat, opened) VALUES (?, ?, 2, 9)", (TABLE, b"s"))
    for step in (2, 1):
        old.execute(
            "INSERT INTO entries (table_id, lane, step, seat, envelope) VALUES (?, 0, ?, 3, ?)",
            (TABLE, step, b"entry %d" % step),
        )
    old.execute("INSERT INTO secrets VALUES (?, 'pack/1', ?)", (TABLE, b"seed"))
    old.commit()
    old.close()
    for _ in range(2):
        database = Database(path)
        assert database.tables() == [StoredTable(TABLE, b"s", 2, 9, False)]
        assert database.secrets(TABLE) == {"pack/1": b"seed"}
        database.carry_out(TABLE, [PersistVote(0, 2, 1, b"vote"), Persist(0, 2, 0, b"new")])
        rows = [row.data for row in written(database)]
        assert rows == [b"entry 2", b"entry 1", b"vote", b"new"]
        assert database._connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        database.close()
    assert Database(path).stamp(5) == (77 + database_module.STAMP_LEAP if stamped else 5)


@pytest.mark.parametrize("promised", [False, True])
def test_file_without_signed_agreements_goes_on(tmp_path: Path, promised: bool) -> None:
    """A file of format 2 keeps its promises; nobody looks on at its tables."""
    path = tmp_path / FILE_NAME
    old = sqlite3.connect(path)
    old.executescript(FORMAT_1 + schema._SINCE_1 + "PRAGMA user_version = 2;")
    if promised:
        old.executescript(schema._PROMISED)
        old.execute("INSERT INTO promised (lobby, list, signed) VALUES (?, 3, ?)", (b"l", OTHER))
    old.execute("INSERT INTO tables (id, sealed, seat, opened) VALUES (?, ?, 2, 9)", (TABLE, b"s"))
    old.commit()
    old.close()
    for _ in range(2):
        database = Database(path)
        assert database.tables() == [StoredTable(TABLE, b"s", 2, 9, False, b"")]
        expected = Promised(3, frozenset({OTHER})) if promised else Promised()
        assert database.promised(b"l") == expected
        assert database.pledges() == []
        assert database._connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        database.close()


def test_file_that_cannot_be_brought_forward_stays_as_it_is(tmp_path: Path) -> None:
    """All of the new format or nothing: a damaged old file is told, and not half changed."""
    path = tmp_path / FILE_NAME
    old = sqlite3.connect(path)
    old.executescript(FORMAT_1)
    old.execute("DROP TABLE entries")
    old.close()
    with pytest.raises(Trouble):
        Database(path)
    old = sqlite3.connect(path)
    assert old.execute("PRAGMA user_version").fetchone() == (1,)
    assert ("votes",) not in old.execute("SELECT name FROM sqlite_master").fetchall()
    old.close()


# What is given to who asks.


def test_answer_begins_with_votes() -> None:
    """First those that may yet be settled, with their entries, then the stored, then entries."""
    database = filled()
    database.carry_out(
        TABLE,
        [
            PersistVote(0, 7, 3, b"about seven"),
            Persist(0, 7, 0, b"seven"),
            PersistVote(0, 8, 3, b"about eight"),
            Persist(0, 8, 0, b"eight"),
        ],
    )
    kept = [(b"open", b""), (b"about eight", b"its entry")]
    (message,) = answer(database, Have(TABLE, (LanePosition(0, 8, (0, 3)),)), kept)
    assert message == Entries(
        TABLE,
        (b"eight",),
        ALL_SENT,
        ((b"open", b""), (b"about eight", b"its entry"), (b"about seven", b"")),
    )


def test_who_is_far_behind_gets_votes_of_the_steps_that_it_gets() -> None:
    """And of those behind it: it may stand on what was overtaken long ago."""
    database = filled()
    for step in range(1, 1000):
        entry = Persist(0, step, 0, b"entry %d" % step)
        database.carry_out(TABLE, [entry, PersistVote(0, step, 3, b"%d" % step)])
    messages = answer(database, Have(TABLE, (LanePosition(0, 500, ()),)))
    assert messages[-1].left == ASK_AGAIN
    steps = [int(vote) for vote in votes_in(messages)]
    assert steps == list(range(500 - STEPS_BACK, 500 + STEPS_AHEAD))


def test_votes_end_where_a_portion_is_full() -> None:
    """Of steps beyond the one after its last entry there are none."""
    database = filled()
    for step in range(1, STEPS_AHEAD):
        entry = Persist(0, step, 0, b"%02d" % step + b"e" * (PORTION_BYTES // 10 - 2))
        database.carry_out(TABLE, [entry, PersistVote(0, step, 3, b"%d" % step)])
    messages = answer(database, Have(TABLE, (LanePosition(0, 1, ()),)))
    assert messages[-1].left == ASK_AGAIN
    assert sum(len(message.envelopes) for message in messages) == 10
    assert votes_in(messages) == [b"%d" % step for step in range(1, 12)]


def test_of_too_many_votes_the_nearest_are_sent() -> None:
    """Whatever liars have made others say about each other, the steps at hand can be closed."""
    database = filled()
    for step in range(1, 40):
        changes = [
            PersistVote(0, step, about, b"%02d %d %04d" % (step, about, n) + b"v" * 400)
            for about in range(4)
            for n in range(40)
        ]
        database.carry_out(TABLE, [*changes, Persist(0, step, 0, b"%d" % step)])
    messages = answer(database, Have(TABLE, (LanePosition(0, 20, ()),)))
    votes = votes_in(messages)
    assert VOTES_BYTES - 500 < sum(map(len, votes)) <= VOTES_BYTES
    steps = [int(vote[:2]) for vote in votes]
    assert steps == sorted(steps)
    assert set(steps) >= set(range(14, 27))
    assert [entry for message in messages for entry in message.envelopes] == [
        b"%d" % step for step in range(20, 40)
    ]


def test_answer_with_many_votes_fits_into_frames() -> None:
    """Of the votes for whoever asks there are so many bytes at most, entries counted."""
    database = filled()
    database.carry_out(TABLE, [Persist(0, 1, 0, b"entry")])
    kept = [(b"%04d" % n + b"v" * 300, b"e" * (MAX_BYTES if n % 9 == 0 else 0)) for n in range(999)]
    messages = answer(database, Have(TABLE, (LanePosition(0, 1, ()),)), kept)
    assert all(len(pack(to_wire(message))) <= FRAME_LIMIT for message in messages)
    assert [message.left for message in messages[:-1]] == [MORE_FOLLOWS] * (len(messages) - 1)
    sent = [vote for message in messages for vote in message.votes]
    assert sent == kept[: len(sent)]
    size = sum(len(vote) + len(entry) for vote, entry in sent)
    assert VOTES_BYTES - MAX_BYTES - 400 < size <= VOTES_BYTES
    assert messages[-1].envelopes == (b"entry",)


def test_votes_about_packs_that_the_asker_has_finished_are_sent() -> None:
    """A pack's step may have been overtaken after its lane had closed there."""
    database = filled()
    for lane in range(1, 9):
        database.carry_out(TABLE, [PersistVote(lane, 2, 3, b"%d" % lane)])
    messages = answer(database, Have(TABLE, (LanePosition(0, 5, ()), LanePosition(7, 9, ()))))
    assert votes_in(messages) == [b"3", b"4", b"5", b"6", b"7"]


def test_newest_of_a_seats_entries_comes_first() -> None:
    """The asker keeps one for a place that it has not come to: not the one that was overtaken."""
    database = filled()
    for name in (b"overtaken", b"stands"):
        database.carry_out(TABLE, [Persist(0, 3, seat, name + b"%d" % seat) for seat in (0, 1)])
    found, _ = portion(database, TABLE, [LanePosition(0, 2, ())])
    assert [entry.envelope for entry in found] == [
        b"stands0",
        b"overtaken0",
        b"stands1",
        b"overtaken1",
    ]
