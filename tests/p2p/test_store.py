"""The store: what is on disk stays there, secrets go when told, and one process has it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from p2p.catchup import CHUNK_BYTES, PORTION_BYTES, STEPS_AHEAD, answer, portion
from p2p.codec import to_wire
from p2p.database import (
    FILE_NAME,
    MAX_PROMISED,
    MAX_VERSIONS,
    NO_SEAT,
    Database,
    Pinned,
    Pledge,
    Promised,
)
from p2p.datafolder import LOCK_NAME, hold_folder
from p2p.frames import FRAME_LIMIT
from p2p.messages import ALL_SENT, ASK_AGAIN, MORE_FOLLOWS, Have, LanePosition
from p2p.schema import SCHEMA_VERSION
from p2p.store import memory_store, open_store
from p2p.transport import Address
from p2p.trouble import Trouble
from protocol.effects import ForgetSecret, Persist, PersistSecret
from protocol.errors import LocalError
from protocol.wire import MAX_BYTES, pack

TABLE = b"t" * 32
OTHER = b"o" * 32


def filled(path: Path | None = None) -> Database:
    """A database with one open table."""
    database = Database(path)
    database.open_table(TABLE, b"sealed", 2, 1_000)
    return database


def envelopes(database: Database, lane: int, first: int = 1, last: int = 10**6) -> list[bytes]:
    """The stored envelopes of a lane in order."""
    return [entry.envelope for entry in database.entries(TABLE, lane, first, last)]


def test_entries_come_back_by_lane_step_and_seat() -> None:
    """The order in which entries arrived does not matter for reading."""
    database = filled()
    places = [(1, 2, 0), (0, 2, 1), (0, 1, 3), (0, 2, 0), (0, 1, 1)]
    database.carry_out(TABLE, [Persist(*place, repr(place).encode()) for place in places])
    assert [(e.step, e.seat) for e in database.entries(TABLE, 0, 1, 9)] == [
        (1, 1),
        (1, 3),
        (2, 0),
        (2, 1),
    ]
    assert envelopes(database, 0, 2, 2) == [b"(0, 2, 0)", b"(0, 2, 1)"]
    assert database.lanes(TABLE) == [(0, 2), (1, 2)]
    assert database.lanes(OTHER) == []


def test_what_was_signed_in_a_lobby_is_kept_until_this_player_sits_down() -> None:
    """The newest list stays: who opens the same lobby again must not have it commit once more."""
    database = Database()
    assert database.promised(b"l") == Promised()
    database.promise(b"l", 4)
    database.pledge(signed(b"l", 4))
    database.promise(b"l", 7)
    assert database.promised(b"l") == Promised(7, frozenset({b"signed 4"}))
    assert database.promised(b"m") == Promised()
    for number in range(8, 8 + MAX_PROMISED):
        database.promise(b"l", number)
    assert database.promised(b"l") == Promised(7 + MAX_PROMISED, frozenset())
    assert database.pledges() == []
    database.pledge(signed(b"l", 30))
    database.open_table(OTHER, b"sealed", NO_SEAT, 1_000)
    assert database.pledges() == [signed(b"l", 30)]
    database.open_table(TABLE, b"sealed", 2, 1_000)
    assert database.promised(b"l") == Promised(30)
    assert database.pledges() == []


def test_no_lobby_can_have_what_was_promised_in_another_one_forgotten() -> None:
    """However many lists it makes; of lobbies those of long ago are."""
    database = Database()
    database.pledge(signed(b"l", 4))
    for number in range(1, 3 * MAX_PROMISED):
        database.promise(b"m", number)
    assert database.promised(b"l") == Promised(4, frozenset({b"signed 4"}))
    for number in range(MAX_PROMISED):
        database.promise(b"%d" % number, 1)
    assert database.promised(b"l") == Promised()
    assert database.promised(b"0") == Promised(1)


def signed(lobby: bytes, number: int) -> Pledge:
    """An agreement that was signed in a lobby for the list of a number."""
    members = ((b"k" * 32, (Address("10.0.0.1", 7),)), (b"m" * 32, ()))
    return Pledge(lobby, number, b"signed %d" % number, b"body", True, members, 1_000)


def test_what_was_signed_comes_back_whole_newest_first_until_this_player_leaves() -> None:
    """With the others and where they were; what the lobby knew of its lists stays."""
    database = Database()
    database.pledge(signed(b"l", 1))
    database.promise(b"l", 2)
    database.pledge(signed(b"m", 1))
    database.pledge(signed(b"l", 2))
    database.pledge(signed(b"l", 2))
    assert database.pledges() == [signed(b"m", 1), signed(b"l", 2), signed(b"l", 1)]
    database.release(b"l")
    assert database.pledges() == [signed(b"m", 1)]
    assert database.promised(b"l") == Promised(2, frozenset())
    database.open_table(TABLE, b"sealed", 2, 1_000)
    assert database.pledges() == []


def test_same_entry_twice_is_one() -> None:
    """What comes in again is not stored again."""
    database = filled()
    database.carry_out(TABLE, [Persist(0, 1, 0, b"x")] * 3)
    assert envelopes(database, 0) == [b"x"]


def test_liar_cannot_fill_the_disk() -> None:
    """Of many entries for one place only the first few are kept."""
    database = filled()
    database.carry_out(TABLE, [Persist(0, 1, 0, b"%d" % n) for n in range(50)])
    database.carry_out(TABLE, [Persist(0, 1, 1, b"honest")])
    assert envelopes(database, 0) == [b"%d" % n for n in range(MAX_VERSIONS)] + [b"honest"]


def test_survives_closing(tmp_path: Path) -> None:
    """Everything committed is there when the file is opened again."""
    database = filled(tmp_path / FILE_NAME)
    database.carry_out(TABLE, [Persist(0, 1, 0, b"entry"), PersistSecret("pack/1", b"seed")])
    database.pin(Pinned(b"k" * 32, "Anna", (Address("10.0.0.1", 7),)))
    database.close()
    database = Database(tmp_path / FILE_NAME)
    (table,) = database.tables()
    assert (table.table, table.sealed, table.seat, table.opened) == (TABLE, b"sealed", 2, 1_000)
    assert not table.finished
    assert envelopes(database, 0) == [b"entry"]
    assert database.secrets(TABLE) == {"pack/1": b"seed"}
    assert database.pinned() == [Pinned(b"k" * 32, "Anna", (Address("10.0.0.1", 7),))]


def test_failed_change_leaves_nothing(tmp_path: Path) -> None:
    """Changes of one call are there all or not at all."""
    database = filled(tmp_path / FILE_NAME)
    with pytest.raises(Trouble):
        database.carry_out(OTHER, [Persist(0, 1, 0, b"entry of a table that is not there")])
    assert database.lanes(OTHER) == []
    database.carry_out(TABLE, [Persist(0, 1, 0, b"entry")])
    assert envelopes(database, 0) == [b"entry"]


def test_forgotten_secret_is_in_no_file(tmp_path: Path) -> None:
    """A secret that was deleted cannot be found in the file or its log."""
    secret = os.urandom(32)
    database = filled(tmp_path / FILE_NAME)
    database.carry_out(TABLE, [PersistSecret("pack/1", secret), PersistSecret("pack/2", b"2" * 32)])
    assert any(secret in file.read_bytes() for file in tmp_path.iterdir())
    database.carry_out(TABLE, [ForgetSecret("pack/1")])
    assert database.secrets(TABLE) == {"pack/2": b"2" * 32}
    assert not any(secret in file.read_bytes() for file in tmp_path.iterdir())


def test_finished_table_has_no_secrets_and_is_not_resumed() -> None:
    """When a table is over its secrets go, its record stays."""
    database = filled()
    database.carry_out(TABLE, [Persist(0, 1, 0, b"entry"), PersistSecret("pack/1", b"seed")])
    database.finish_table(TABLE)
    assert database.secrets(TABLE) == {}
    assert envelopes(database, 0) == [b"entry"]
    assert [table.finished for table in database.tables()] == [True]


@pytest.mark.trio
async def test_newest_unfinished_table_is_resumed() -> None:
    """Of several tables the newest that is not over goes on."""
    store = memory_store()
    assert await store.unfinished() is None
    await store.open_table(b"1" * 32, b"first", 0, 10)
    await store.open_table(b"2" * 32, b"second", 0, 20)
    await store.open_table(b"3" * 32, b"third", 0, 30)
    await store.finish_table(b"3" * 32)
    unfinished = await store.unfinished()
    assert unfinished is not None
    assert unfinished.sealed == b"second"


def test_known_name_with_a_new_key_is_flagged() -> None:
    """Pinning tells which other keys had that name; a peer's own return is no news."""
    database = Database()
    assert database.pin(Pinned(b"a" * 32, "Anna", ())) == ()
    assert database.pin(Pinned(b"a" * 32, "Anna", (Address("10.0.0.1", 7),))) == ()
    assert database.pin(Pinned(b"b" * 32, "ANNA", ())) == (b"a" * 32,)
    assert database.pin(Pinned(b"c" * 32, "Bert", ())) == ()


def test_every_commit_is_synced(tmp_path: Path) -> None:
    """The file is in WAL mode, each commit waits for the disk, and what goes is overwritten."""
    database = filled(tmp_path / FILE_NAME)
    connection = database._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.trio
async def test_files_are_for_this_user_alone(tmp_path: Path) -> None:
    """Folder, file, log and lock can be read by nobody else."""
    folder = tmp_path / "data"
    async with open_store(folder) as store:
        await store.open_table(TABLE, b"sealed", 0, 1)
        assert folder.stat().st_mode & 0o077 == 0
        files = list(folder.iterdir())
        assert {file.name for file in files} >= {FILE_NAME, f"{FILE_NAME}-wal", LOCK_NAME}
        assert [file.name for file in files if file.stat().st_mode & 0o077] == []


def test_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    """A data file in an unknown format is refused in words."""
    filled(tmp_path / FILE_NAME).close()
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    with pytest.raises(Trouble, match="another version") as caught:
        Database(tmp_path / FILE_NAME)
    assert caught.value.reason == "data-newer"


def test_damaged_file_is_told(tmp_path: Path) -> None:
    """A file that is no database raises one sentence, not a traceback of SQLite."""
    (tmp_path / FILE_NAME).write_bytes(b"this is not a database, whatever it may be called " * 99)
    with pytest.raises(Trouble) as caught:
        Database(tmp_path / FILE_NAME)
    assert caught.value.reason == "data-damaged"


@pytest.mark.trio
async def test_second_holder_is_told_who_has_the_folder(tmp_path: Path) -> None:
    """A folder in use is refused with the process number of the holder, and free afterwards."""
    async with open_store(tmp_path):
        with pytest.raises(Trouble, match=f"process {os.getpid()}") as caught:
            async with open_store(tmp_path):
                pass
        assert caught.value.reason == "data-in-use"
    async with open_store(tmp_path):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's")
def test_lock_dies_with_its_process(tmp_path: Path) -> None:
    """Another process holds the folder and is killed hard: the folder is free at once."""
    program = (
        "import sys, time; from pathlib import Path; from p2p.datafolder import hold_folder\n"
        "with hold_folder(Path(sys.argv[1])):\n print('held', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", program, tmp_path], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "held\n"
        with pytest.raises(Trouble, match=f"process {child.pid}"), hold_folder(tmp_path):
            pass
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    with hold_folder(tmp_path):
        pass


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file where the folder should be raises one sentence."""
    (tmp_path / "data").write_text("")
    with pytest.raises(Trouble) as caught, hold_folder(tmp_path / "data"):
        pass
    assert caught.value.reason == "data-permission"


@pytest.mark.trio
async def test_record_of_no_table_is_refused() -> None:
    """Asking for a record that is not there is the caller's mistake."""
    with pytest.raises(LocalError):
        await memory_store().record(TABLE)


def test_portion_starts_where_the_asker_stands() -> None:
    """Of the open step only missing seats are sent, of later steps and unknown lanes everything."""
    database = filled()
    places = [(lane, step, seat) for lane in range(4) for step in range(1, 4) for seat in range(3)]
    database.carry_out(TABLE, [Persist(*place, repr(place).encode()) for place in places])
    found, more = portion(database, TABLE, [LanePosition(0, 2, (1,)), LanePosition(2, 3, ())])
    assert not more
    assert sorted((e.lane, e.step, e.seat) for e in found) == [
        (0, 2, 1),
        (0, 3, 0),
        (0, 3, 1),
        (0, 3, 2),
        (2, 3, 0),
        (2, 3, 1),
        (2, 3, 2),
        *((3, step, seat) for step in range(1, 4) for seat in range(3)),
    ]


def test_portions_are_bounded_and_nearest_first() -> None:
    """A long record comes in portions; each has the open step of every lane first."""
    database = filled()
    big = b"e" * 15_000
    changes = [
        Persist(lane, step, seat, pack((lane, step, seat)) + big)
        for lane in (0, 1)
        for step in range(1, STEPS_AHEAD + 20)
        for seat in range(4)
    ]
    database.carry_out(TABLE, changes)
    found, more = portion(database, TABLE, [LanePosition(0, 1, ()), LanePosition(1, 1, ())])
    assert more
    assert sum(len(entry.envelope) for entry in found) <= PORTION_BYTES
    assert {(e.lane, e.step) for e in found[:8]} == {(0, 1), (1, 1)}
    steps = [entry.step for entry in found]
    assert steps == sorted(steps)


def test_answer_fits_into_frames_and_says_what_is_left() -> None:
    """Every message of an answer fits into a frame; only the last says whether to ask again."""
    database = filled()
    changes = [
        Persist(0, step, seat, bytes([step, seat]) + b"e" * (MAX_BYTES - 2))
        for step in range(1, 30)
        for seat in range(4)
    ]
    database.carry_out(TABLE, changes)
    messages = answer(database, Have(TABLE, (LanePosition(0, 1, ()),)))
    assert all(len(pack(to_wire(message))) <= FRAME_LIMIT for message in messages)
    assert {message.left for message in messages[:-1]} == {MORE_FOLLOWS}
    assert messages[-1].left == ASK_AGAIN
    assert CHUNK_BYTES + MAX_BYTES > FRAME_LIMIT >= CHUNK_BYTES
    messages = answer(database, Have(TABLE, (LanePosition(0, 29, ()),)))
    assert messages[-1].left == ALL_SENT
    messages = answer(database, Have(TABLE, (LanePosition(0, 30, ()),)))
    assert [(message.envelopes, message.left) for message in messages] == [((), ALL_SENT)]
