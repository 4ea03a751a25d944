"""``facedown verify`` says from which table a record goes on; with both records whether it may."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from protocol.agreement import table_code
from protocol.record import read_objects, write_record
from tests.protocol.stopping import Played, two_tables
from ui import cli, exits, verify


@pytest.fixture(scope="module")
def played() -> Played:
    """Two tables, of which the second goes on from the first."""
    return two_tables()


@pytest.fixture
def files(played: Played, tmp_path: Path) -> tuple[str, str]:
    """Their records as files."""
    paths = (tmp_path / "before.facedown", tmp_path / "after.facedown")
    for path, record in zip(paths, played.records, strict=True):
        path.write_bytes(record)
    return str(paths[0]), str(paths[1])


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines on standard output."""
    return capsys.readouterr().out.splitlines()


def test_a_record_alone_says_what_it_begins_with_and_by_whose_word(
    played: Played, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Table code, hand, who is new, the scores; it is sound and complete by itself."""
    assert cli.run(["verify", "--brief", files[1]]) == exits.DONE
    lines = said(capsys)
    code = " ".join(table_code(played.first.agreement.table_id))
    assert lines[2] == f"goes on from table {code} with hand 2; new at the table: somebody new"
    points = dict(played.found.origin.standing)["points"]  # type: ignore[arg-type]
    names = [player.name for player in played.second.agreement.players]
    each = ", ".join(f"{name} {point}" for name, point in zip(names, points, strict=True))
    assert lines[3] == f"points that it begins with: {each}"
    assert lines[4].startswith("these are as its players signed them")
    assert lines[-1].startswith("SOUND AND COMPLETE: ")


def test_both_records_show_that_it_goes_on_as_it_may(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line says so."""
    assert cli.run(["verify", "--brief", *files]) == exits.DONE
    assert said(capsys)[-1] == "GOES ON AS IT MAY: this table goes on from that one as it may"


def test_records_in_the_wrong_order_do_not_follow_each_other(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is sound, and the exit code says that together they are not."""
    assert cli.run(["verify", "--brief", *files[::-1]]) == exits.UNSOUND
    no, hint = said(capsys)[-2:]
    assert no == "DOES NOT GO ON: this table does not go on from another one"
    assert hint == "the other way round it does: name the record of the table before first"


def test_a_record_that_ends_before_its_table_shows_nothing(
    played: Played, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Sound as far as it goes, both of them."""
    sealed, *entries = read_objects(played.records[0])
    Path(files[0]).write_bytes(write_record(sealed, entries[:-2]))
    assert cli.run(["verify", "--brief", *files]) == exits.SO_FAR
    assert said(capsys)[-1].startswith("NOT KNOWN WHETHER IT GOES ON: ")


def test_after_a_record_that_is_damaged_nothing_can_be_compared(
    played: Played, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdict is that of the damaged one."""
    Path(files[0]).write_bytes(played.records[0][:-1] + b"x")
    assert cli.run(["verify", "--brief", *files]) == exits.UNSOUND
    assert said(capsys)[-1].startswith("NOT KNOWN WHETHER IT GOES ON: ")


def test_the_same_for_programs(
    played: Played, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """One object for each record; the origin is in that of the table."""
    assert cli.run(["verify", "--json", *files]) == exits.DONE
    before, after = map(json.loads, said(capsys))
    assert (before["table"]["origin"], before["goes_on"]) == (None, None)
    assert after["table"]["origin"]["table"] == before["table"]["id"]
    assert after["table"]["origin"]["hand"] == 2
    assert after["goes_on"] == "holds"


def test_names_cannot_steer_a_terminal(played: Played) -> None:
    """Names of newcomers are shown as all others are."""
    assert verify.beginning(played.first.agreement) == []
    assert all(line.isprintable() for line in verify.beginning(played.second.agreement))
