"""Whatever was played in a data folder can be listed and saved from it."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from p2p.database import NO_SEAT
from p2p.store import open_store
from protocol.record import read_objects
from tests.protocol.tables import make_table
from ui import cli, exits


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tables of which the older one is not over, and one that cannot be read."""
    folder = tmp_path / "data"

    async def fill() -> None:
        async with open_store(folder) as store:
            for seed, seat, opened in ((1, 2, 1_000), (2, NO_SEAT, 2_000)):
                table = make_table(seed)
                await store.open_table(table.agreement.table_id, table.sealed, seat, opened)
            await store.finish_table(make_table(2).agreement.table_id)
            await store.open_table(b"\7" * 32, b"nonsense", 0, 500)

    trio.run(fill)
    return folder


def test_all_tables_are_listed_the_newest_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By time, id, name, game and players, and whether they are over."""
    assert cli.run(["export", "--data", str(folder)]) == exits.DONE
    newest, older, unread = capsys.readouterr().out.splitlines()
    assert make_table(2).agreement.table_id.hex()[:8] in newest
    assert newest.endswith(", over, looked on")
    assert '"test table": Hazari with player ' in older
    assert older.endswith(", not over")
    assert unread.endswith("07070707  a table of another version, not over")


@pytest.mark.parametrize("how", ["newest", "id", "name"])
def test_a_record_is_saved(folder: Path, how: str) -> None:
    """The newest of those that are meant."""
    file = folder.parent / "x.facedown"
    older = make_table(1)
    which = {
        "newest": [],
        "name": ["--table", "test table"],
        "id": ["--table", older.agreement.table_id.hex()[:6].upper()],
    }[how]
    assert cli.run(["export", str(file), *which, "--data", str(folder)]) == exits.DONE
    wanted = older if how == "id" else make_table(2)
    assert next(iter(read_objects(file.read_bytes()))) == wanted.sealed
    assert [path.name for path in folder.parent.iterdir() if path.is_file()] == ["x.facedown"]


def test_where_there_is_nothing_it_says_so(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong usage; and nothing is made by looking."""
    elsewhere = tmp_path / "elsewhere"
    assert cli.run(["export", "--data", str(elsewhere)]) == exits.USAGE
    assert not elsewhere.exists()
    assert cli.run(["export", "--table", "attic", "--data", str(folder)]) == exits.USAGE
    lost = tmp_path / "gone" / "x"
    assert cli.run(["export", str(lost), "--data", str(folder)]) == exits.USAGE
    said = capsys.readouterr().err
    assert "nothing was ever played" in said
    assert "'attic'" in said
    assert "FILE: there is no folder" in said
