"""Whatever goes wrong becomes one sentence and a documented exit code, never a traceback."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from p2p.trouble import Trouble
from protocol.errors import LocalError
from ui import exits
from ui.exits import Exit, Terminated
from ui.trouble import guarded, judge


def raising(error: BaseException) -> Callable[[], int]:
    """A command that fails."""

    def command() -> int:
        raise error

    return command


CASES: list[tuple[BaseException, int, str]] = [
    (Exit(exits.REFUSED, "the table is full"), exits.REFUSED, "the table is full"),
    (LocalError("this cannot be."), exits.CANNOT_START, "this cannot be"),
    (Trouble("port-in-use", "Port 5 is in use."), exits.CANNOT_START, "Port 5 is in use"),
    (OSError(13, "Permission denied", "x.db"), exits.CANNOT_START, "x.db: Permission denied"),
    (KeyboardInterrupt(), exits.INTERRUPTED, "ended by Ctrl-C"),
    (Terminated(), exits.TERMINATED, "ended by SIGTERM"),
    (ModuleNotFoundError("no", name="trio"), exits.CANNOT_START, "'trio' is missing"),
]


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("error", "code", "text"), CASES)
def test_trouble_has_a_code_and_a_sentence(
    error: BaseException,
    code: int,
    text: str,
    grouped: bool,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """Also inside the groups that Trio wraps errors in; no report is written."""
    raised = BaseExceptionGroup("tasks", [BaseExceptionGroup("more", [error])])
    assert guarded(raising(raised if grouped else error), lambda: tmp_path) == code
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith("facedown: ")
    assert text in line
    assert line.endswith(".")
    assert not line.endswith("..")
    assert list(tmp_path.iterdir()) == []


def test_what_nobody_foresaw_is_reported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Code 70; the report names places in the code, and is for the user's eyes only."""

    def command() -> int:
        key = b"a secret key"
        raise ZeroDivisionError("oops", len(key))

    folder = tmp_path / "made at need"
    assert guarded(command, lambda: folder) == exits.INTERNAL
    (report,) = folder.iterdir()
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        f"facedown: a fault in Facedown itself (ZeroDivisionError); a report is in {report}."
    )
    text = report.read_text(encoding="utf-8")
    assert "test_trouble.py" in text
    assert "ZeroDivisionError" in text
    assert text.startswith("Facedown ")
    if os.name == "posix":
        assert stat.S_IMODE(report.stat().st_mode) == 0o600


def test_a_report_finds_a_place_in_any_case(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the data folder cannot be written, it goes where temporary files go."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert guarded(raising(ValueError("x")), lambda: blocked) == exits.INTERNAL
    assert str(tmp_path / "crash-") in capsys.readouterr().err


def test_the_end_by_a_signal_counts_before_what_follows_from_it() -> None:
    """Tasks that fail while they are cancelled do not hide why."""
    group = BaseExceptionGroup("tasks", [OSError(5, "x"), ValueError(), KeyboardInterrupt()])
    assert judge(group).code == exits.INTERRUPTED


def test_a_fault_of_ours_counts_before_trouble() -> None:
    """It must not pass for a port in use."""
    group = BaseExceptionGroup("tasks", [LocalError("x"), ValueError("y")])
    assert judge(group).code == exits.INTERNAL


@pytest.mark.skipif(os.name != "posix", reason="signals are sent by number")
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, exits.INTERRUPTED), (signal.SIGTERM, exits.TERMINATED)],
)
def test_signals_end_a_command_even_where_they_were_ignored(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    """As SIGINT is in the background of a shell script."""
    signal.signal(number, signal.SIG_IGN)

    def command() -> int:
        os.kill(os.getpid(), number)
        return exits.DONE

    assert guarded(command, lambda: tmp_path) == code


def test_every_code_has_a_meaning() -> None:
    """What modules call by name is what the help lists."""
    named = {value for name, value in vars(exits).items() if name.isupper() and name != "MEANINGS"}
    assert named == set(exits.MEANINGS)
