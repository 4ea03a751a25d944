"""Whole processes at tables of Azi: a demo, seats that sit out and leave, a program of the docs."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from protocol.verifier import verify
from tests.ui.processes import Line, Running, command, environment, finished, running
from ui import exits

pytestmark = pytest.mark.slow

DOCUMENT = Path(__file__).parents[2] / "docs" / "bot-events.md"

OPTIONS = [
    *("blind=on", "trump_from=dealers_last_card", "azi_entry=half_pot"),
    *("short_stack=pro_rata", "stack=20"),
]
"""Whoever loses the first game may have nothing left for the second, and looks on."""


def test_a_demo_of_azi_from_end_to_end(tmp_path: Path) -> None:
    """All checks hold, the hands are told, and the record verifies once more."""
    file = tmp_path / "azi.facedown"
    given = [word for option in OPTIONS for word in ("--option", option)]
    arguments = ["--game", "azi", "--seats", "3", "--hands", "2", *given]
    done = finished("demo", *arguments, "--save", str(file))
    assert done.returncode == exits.DONE, done.stdout + done.stderr
    assert "FAILED" not in done.stdout
    assert "all 3 records are byte for byte the same" in done.stdout
    assert re.search(r"^    stacks so far: Anna|Ben", done.stdout, re.MULTILINE)
    report = verify(file.read_bytes())
    assert report.verdict == "complete"
    told = len(re.findall(r"^hand \d+, ", done.stdout, re.MULTILINE))
    assert told == report.counts.hands


def bot(folder: Path, table: str, name: str, *more: str) -> list[str]:
    """A player at a table, with a folder and a record of its own."""
    own = ["--data", str(folder / name), "--save", str(folder / f"{name}.facedown")]
    alone = ("--give-up", "40", "--no-discovery")
    return command("bot", "--table", table, "--name", name, *alone, *own, *more)


def address(opener: Running) -> str:
    """Where an opener can be joined, once it listens: that is quicker than mDNS."""
    return f"127.0.0.1:{opener.event('listening')['port']}"


def answer(line: Line) -> str:
    """A move that costs least: fold, else the least bid, else the first that is listed."""
    choices = {choice["kind"]: choice for choice in line["choices"]}  # type: ignore[attr-defined]
    if "fold" in choices:
        return json.dumps({"move": ["fold"]})
    if "bid" in choices:
        return json.dumps({"move": ["bid", choices["bid"]["amount"][0]]})
    return json.dumps({"move": next(iter(choices.values()))["moves"][0]})


def test_a_program_sits_out_comes_back_and_leaves(tmp_path: Path) -> None:
    """Not dealt in for a hand, dealt in again, gone after that; the others play on."""
    table = f"test {secrets.token_hex(3)}"
    options = [f"--option={option}" for option in ("hands=4", "max_bid=10", "stack=1000")]
    opener = bot(tmp_path, table, "Anna", "--open", "--game=azi", "--seats=3", *options)
    dealt: list[bool] = []
    said: dict[str, list[Line]] = {}
    with ExitStack() as stack:
        (anna,) = stack.enter_context(running(opener))
        join = ("--join", address(anna))
        others = (
            bot(tmp_path, table, "Ben", *join),
            bot(tmp_path, table, "Cleo", "--stdin", *join),
        )
        ben, cleo = stack.enter_context(running(*others))
        own = -1
        while "ended" not in said:
            line: Line = json.loads(cleo.until(lambda text: True))
            said.setdefault(str(line["event"]), []).append(line)
            match line:
                case {"event": "agreed", "seat": int(seat)}:
                    own = seat
                    cleo.say('{"sit": "soon"}')
                    cleo.say('{"sit": "out"}')
                case {"event": "hand_started", "seats": list(seats)}:
                    dealt.append(own in seats)
                    if not dealt[-1]:
                        cleo.say('{"sit": "in"}')
                case {"event": "your_move"}:
                    if False in dealt:  # this hand cannot be over before the answer
                        cleo.say('{"sit": "leave"}')
                    cleo.say(answer(line))
        assert cleo.wait() == exits.DONE
        for process in (anna, ben):
            assert process.wait() == exits.DONE, process.words
    assert said["refused"][0]["rule"] == "sit"
    choices = [line["choice"] for line in said["sit"]]
    assert list(dict.fromkeys(choices)) == ["out", "in", "leave"]
    assert (dealt[:2], dealt[-1]) == ([True, False], True)
    assert len(said["left"]) == 1
    (ended,) = said["ended"]
    assert ended["reason"] == "left the table, which plays on without this seat"
    left = verify((tmp_path / "Cleo.facedown").read_bytes())
    assert (left.verdict, left.counts.hands) == ("so far", len(dealt))
    whole = verify((tmp_path / "Ben.facedown").read_bytes())
    assert (whole.verdict, whole.counts.hands) == ("complete", 4)


def test_the_program_of_the_document_runs(tmp_path: Path) -> None:
    """As it stands there: it plays two games, leaves after the third, and ends with 0."""
    text = DOCUMENT.read_text(encoding="utf-8")
    (source,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    program = tmp_path / "program.py"
    program.write_text(source, encoding="utf-8")
    here = tmp_path / "facedown"
    here.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m ui "$@"\n', encoding="utf-8")
    here.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PATH", "")])
    table = f"test {secrets.token_hex(3)}"
    options = ("--game=azi", "--seats=2", "--option=hands=9", "--option=max_bid=20")
    with running(bot(tmp_path, table, "Anna", "--open", *options)) as (anna,):
        arguments = ["--join", address(anna), "--data", str(tmp_path / "program")]
        done = subprocess.run(
            [sys.executable, str(program), *arguments],
            env={**environment(), "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == exits.DONE, done.stderr
        assert anna.wait() == exits.DONE
    assert "as fewer than two play on" in done.stderr
    assert verify((tmp_path / "Anna.facedown").read_bytes()).counts.hands == 3


def test_a_program_that_has_gone_is_late_at_once(tmp_path: Path) -> None:
    """Also at the opening, where people may not choose to be late; nobody waits for a clock."""
    table = f"test {secrets.token_hex(3)}"
    options = ("--game=azi", "--seats=2", "--option=hands=3", "--option=turn_seconds=0")
    with running(bot(tmp_path, table, "Anna", "--open", *options)) as (anna,):
        join = ("--join", address(anna), "--data", str(tmp_path / "Cleo"), "--no-discovery")
        done = finished("bot", "--name", "Cleo", "--stdin", *join)
        assert done.returncode == exits.DONE, done.stderr
        assert anna.wait() == exits.DONE
    assert done.stdout.count('{"event":"stdin_closed"') == 1
    report = verify((tmp_path / "Anna.facedown").read_bytes())
    assert report.verdict == "complete"
    moves = [one.move for step in report.steps for one in step.details.moves]
    # Cleo never wins, so Cleo opens every game after the first.
    assert moves.count(("late",)) >= 2


def test_a_dead_address_is_told_in_one_sentence(tmp_path: Path) -> None:
    """At once without --give-up; with it only when that is over."""
    own = ("--data", str(tmp_path), "--no-discovery")
    done = finished("bot", "--join", "127.0.0.1:1", *own)
    assert done.returncode == exits.REFUSED
    sentence = "nobody answers at 127.0.0.1:1: connection refused."
    assert done.stderr.splitlines()[-1] == f"facedown: {sentence}"
    done = finished("bot", "--join", "127.0.0.1:1", "--give-up", "1", *own)
    assert done.returncode == exits.GAVE_UP
    assert done.stderr.splitlines()[-1] == f"facedown: gave up after 1 s: {sentence}"
