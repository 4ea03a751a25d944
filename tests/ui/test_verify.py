"""``facedown verify`` says what was checked, and names the first fault by step, seat and rule."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from protocol import verifier
from protocol.record import MAGIC, read_objects, write_record
from tests.protocol.tables import Table
from ui import cli, exits, verify


def told(data: bytes, brief: bool = False) -> tuple[str, list[str]]:
    """Verdict and lines for a record."""
    lines: list[str] = []
    report = verify.tell(data, lines.append, brief=brief)
    return report.verdict, lines


def test_a_whole_record_is_sound_and_complete(record: bytes, played: Table) -> None:
    """Who signed, every step in plain words, the counts, the verdict with the winner's name."""
    verdict, lines = told(record)
    assert verdict == "complete"
    assert lines[0] == 'the record of table "test table": Hazari'
    for seat, player in enumerate(played.agreement.players):
        assert f"{player.name} (seat {seat})" in lines[1]
    assert lines[2].startswith("options: target=1000, hands=1, ")
    steps = [line for line in lines[3:-3] if not line.startswith("    ")]
    assert lines[-4].startswith("    ")  # the hand's story
    assert lines[-3].startswith("points at the end: ")
    mixers = [line for line in steps if "shuffled the pack" in line]
    assert [line.split(": ")[1].split(" shuffled")[0] for line in mixers[:4]] == [
        player.name for player in played.agreement.players
    ]
    assert any(
        line.startswith("pack 1, step 7: all 4 proved") and line.endswith("4 proofs hold")
        for line in steps
    ), steps
    assert steps[-1] == (
        "hand 1, step 6: all 4 confirmed the same result, which follows from the record"
    )
    assert lines[-2].startswith("checked: 1 hand, 1 pack, ")
    assert lines[-1].startswith("SOUND AND COMPLETE: player ")


def test_brief_leaves_out_the_steps(record: bytes) -> None:
    """Four lines: table, people, counts, verdict."""
    verdict, lines = told(record, brief=True)
    assert verdict == "complete"
    assert len(lines) == 4


def test_a_record_that_ends_early_is_sound_as_far_as_it_goes(record: bytes) -> None:
    """Cut between two entries: nothing is wrong, and it says that the end is not there."""
    sealed, *envelopes = read_objects(record)
    verdict, lines = told(write_record(sealed, envelopes[:-5]))
    assert verdict == "so far"
    assert lines[-1].startswith("SOUND AS FAR AS IT GOES: 0 hands finished")


def test_a_record_cut_within_an_entry_is_not_readable(record: bytes) -> None:
    """It says that the file does not end with a whole entry."""
    verdict, lines = told(record[:-1])
    assert verdict == "unreadable"
    assert "does not end with a whole entry" in lines[-1]


def test_a_flipped_bit_is_found_and_placed(record: bytes, played: Table) -> None:
    """Step, seat, name and rule in one line, and that the player need not be to blame."""
    sealed, *envelopes = read_objects(record)
    changed = bytearray(envelopes[2])  # the COMMIT of seat 2
    changed[-1] ^= 1
    verdict, lines = told(write_record(sealed, [*envelopes[:2], bytes(changed), *envelopes[3:]]))
    assert verdict == "unsound"
    name = played.agreement.players[2].name
    assert lines[-1].startswith(f"NOT SOUND: step 1 of pack 1, seat 2 ({name}): ")
    assert "[signature]. That can come of a file that was damaged" in lines[-1]


def test_a_flipped_bit_in_the_agreement_is_found(record: bytes) -> None:
    """There are no players then, and still one line that says what is wrong."""
    changed = bytearray(record)
    changed[len(MAGIC) + 60] ^= 1
    verdict, lines = told(bytes(changed))
    assert verdict == "unsound"
    assert lines[-1].startswith("NOT SOUND: ")


@pytest.mark.parametrize("data", [b"", b"hello", MAGIC + b"\0\0", bytes(100)])
def test_what_is_no_record_is_not_readable(data: bytes) -> None:
    """Never a traceback."""
    verdict, lines = told(data)
    assert verdict == "unreadable"
    assert lines[-1].startswith("NOT READABLE: ")


@pytest.mark.slow
def test_every_cut_and_flip_gives_a_verdict(record: bytes) -> None:
    """Whatever the bytes are, there is a line and a code for it, and never "complete"."""
    for at in range(0, len(record), len(record) // 12):
        changed = bytearray(record)
        changed[at] ^= 0x10
        for data in (record[:at], bytes(changed)):
            verdict, lines = told(data, brief=True)
            assert verdict != "complete"
            assert "\n" not in lines[-1]


@pytest.mark.parametrize(
    ("cut", "code", "verdict"),
    [
        (0, exits.DONE, "complete"),
        (5, exits.SO_FAR, "so far"),
    ],
)
def test_json_is_one_object_with_everything(
    record: bytes,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    cut: int,
    code: int,
    verdict: str,
) -> None:
    """Verdict and code, table and players, counts, steps, end and standing."""
    sealed, *envelopes = read_objects(record)
    file = tmp_path / "x.facedown"
    file.write_bytes(write_record(sealed, envelopes[: len(envelopes) - cut]))
    assert cli.run(["verify", "--json", str(file)]) == code
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == verdict
    assert report["code"] == code
    assert report["table"]["game"] == "hazari"
    assert [player["seat"] for player in report["table"]["players"]] == [0, 1, 2, 3]
    assert report["counts"]["entries"] == len(envelopes) - cut
    assert report["steps"][0] == {
        "lane": 1,
        "step": 1,
        "kind": "commit",
        "seats": [0, 1, 2, 3],
        "proofs": 0,
        "story": [],
        "caught": [],
        "absent": [],
        "hand": 0,
        "between": False,
        "moves": [],
        "sits": [],
    }
    assert (report["end"] is None) == bool(cut)
    assert report["fault"] is None


def test_json_names_the_fault(
    record: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], played: Table
) -> None:
    """Code, place, seat and player."""
    sealed, *envelopes = read_objects(record)
    file = tmp_path / "x.facedown"
    file.write_bytes(write_record(sealed, [envelopes[0], *envelopes[2:]]))
    assert cli.run(["verify", "--json", str(file)]) == exits.UNSOUND
    fault = json.loads(capsys.readouterr().out)["fault"]
    assert fault["code"] == "record.order"
    assert (fault["lane"], fault["step"], fault["seat"]) == (1, 1, 1)
    assert fault["player"] == played.agreement.players[1].name


def test_a_record_may_come_on_standard_input(
    record: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``facedown verify -``."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(record)))
    assert cli.run(["verify", "-", "--brief"]) == exits.DONE
    assert "SOUND AND COMPLETE" in capsys.readouterr().out


def test_a_file_without_end_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only so much is ever read."""
    monkeypatch.setattr(verify, "MOST_BYTES", 1000)
    assert cli.run(["verify", "/dev/zero"]) == exits.USAGE
    assert "too long to be a record" in capsys.readouterr().err


def test_who_was_declared_gone_is_told_with_who_declared_it(silent: Table) -> None:
    """In the line of the step, once more at the end, and in JSON; the record is sound."""
    verdict, lines = told(silent.record(0))
    assert verdict == "complete"
    (line,) = [line for line in lines if "was declared gone" in line]
    names = [player.name for player in silent.agreement.players]
    assert line.endswith(f"{names[2]} was declared gone by {names[0]} and {names[1]}")
    assert f"declared gone by the others, silent: {names[2]}, once" in lines
    assert (
        f"declared gone by the others, silent: {names[2]}, once"
        in told(silent.record(0), brief=True)[1]
    )
    report = verify.as_object(verifier.verify(silent.record(0)), 0.0)
    steps = report["steps"]
    assert isinstance(steps, list)
    assert [step["absent"] for step in steps if step["absent"]] == [((2, (0, 1)),)]
