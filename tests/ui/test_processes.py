"""Whole processes: a demo from end to end, signals that leave nothing behind, wrong usage."""

from __future__ import annotations

import json
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ui.processes import (
    alive,
    children_of,
    command,
    environment,
    finished,
    running,
    soon_gone,
)
from ui import exits

pytestmark = pytest.mark.slow

SECONDS = 2.0
"""From a signal until everything is gone."""

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def test_a_demo_from_end_to_end(tmp_path: Path) -> None:
    """All checks hold, the record is where it says, and nothing is left running."""
    file = tmp_path / "two.facedown"
    done = finished("demo", "--hands", "2", "--save", str(file))
    assert done.returncode == exits.DONE, done.stdout + done.stderr
    assert "FAILED" not in done.stdout
    assert "every process found the 3 others by mDNS" in done.stdout
    verified = finished("verify", "--json", str(file))
    assert verified.returncode == exits.DONE
    # A tie at the top after two hands is settled by further ones, so the record has the number.
    hands = json.loads(verified.stdout)["counts"]["hands"]
    assert hands >= 2
    assert f"every process checked 3 proofs of each of the {hands} packs" in done.stdout
    assert "all 4 records are byte for byte the same" in done.stdout
    assert re.search(rf"ok    {hands} hands in .* s a hand", done.stdout)
    assert done.stdout.count("round 4:") == hands
    assert f"the record is in {file}" in done.stdout


@linux
@pytest.mark.alone
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, exits.INTERRUPTED), (signal.SIGTERM, exits.TERMINATED)],
    ids=["SIGINT", "SIGTERM"],
)
def test_a_signal_ends_a_demo_and_all_that_it_started(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    """In the middle of a match, within two seconds, by the documented code."""
    with running([*demo(tmp_path), "--game", "azi", "--seats", "2"]) as (process,):
        process.until(lambda line: line.startswith("hand 1"))
        children = children_of(process.process.pid)
        assert len(children) == 2
        start = time.monotonic()
        process.process.send_signal(number)
        assert process.wait() == code
        assert time.monotonic() - start < SECONDS
        assert alive(children) == set()
        assert "Traceback" not in "".join(process.words)


@linux
@pytest.mark.alone
def test_a_signal_ends_a_demo_that_has_hardly_begun(tmp_path: Path) -> None:
    """Before the first process has said a word."""
    with running(demo(tmp_path)) as (process,):
        process.until(lambda line: line.startswith("starting"))
        time.sleep(0.05)
        children = children_of(process.process.pid)
        process.process.send_signal(signal.SIGTERM)
        assert process.wait() == exits.TERMINATED
        assert soon_gone(children, SECONDS)


@linux
@pytest.mark.alone
def test_a_demo_in_the_background_of_a_script_obeys_ctrl_c(tmp_path: Path) -> None:
    """There the shell has told it to ignore SIGINT."""
    script = " ".join(f"'{word}'" for word in demo(tmp_path)) + " & echo $!; wait $!; exit $?"
    with running(["sh", "-c", script]) as (shell,):
        number = int(shell.until(lambda line: line.strip().isdecimal()))
        shell.until(lambda line: "listens" in line)
        children = children_of(number)
        start = time.monotonic()
        subprocess.run(["kill", "-INT", str(number)], check=True)
        assert shell.wait() == exits.INTERRUPTED
        assert time.monotonic() - start < SECONDS
        assert alive({number, *children}) == set()


@linux
@pytest.mark.alone
def test_a_demo_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    """Its players notice that it has gone."""
    with running(demo(tmp_path)) as (process,):
        process.until(lambda line: "listens" in line)
        children = children_of(process.process.pid)
        process.process.kill()
        assert soon_gone(children, SECONDS)


def demo(folder: Path) -> list[str]:
    """A demo that would last."""
    return command("demo", "--hands", "1000", "--save", str(folder / "x.facedown"))


def test_a_match_with_a_program_and_a_player_that_is_killed(tmp_path: Path) -> None:
    """One seat is played by this test over JSON lines, one is killed, restarted and goes on."""
    table = f"test {secrets.token_hex(3)}"

    def bot(name: str, *more: str) -> list[str]:
        folder = ["--data", str(tmp_path / name), "--save", str(tmp_path / f"{name}.facedown")]
        return command("bot", "--table", table, "--name", name, "--give-up", "60", *folder, *more)

    opener = bot("Anna", "--open", "--option", "hands=1")
    with running(opener, bot("Ben"), bot("Cleo", "--stdin"), bot("Dan")) as processes:
        anna, ben, cleo, dan = processes
        asked = cleo.event("your_move")
        ben.kill()
        cleo.say("hello")
        assert cleo.event("refused")["rule"] == "line"
        assert cleo.event("your_move")["choices"] == asked["choices"]
        view = asked["view"]
        assert isinstance(view, dict)
        slots = [slot for slot, _ in view["hand"]]
        cleo.say(json.dumps({"move": ["up", slots[0:3], slots[3:6], slots[6:9]]}))
        assert cleo.event("refused")["rule"] == "up.shape"
        cleo.close_stdin()
        cleo.event("stdin_closed")
        with running(bot("Ben")) as (again,):
            resumed = again.event("resumed")
            assert len(resumed["players"]) == 4  # type: ignore[arg-type]  # an array
            for process in (anna, cleo, dan, again):
                assert process.wait() == exits.DONE, process.words
                assert json.loads(process.said[-1])["event"] == "ended"
    records = {(tmp_path / f"{name}.facedown").read_bytes() for name in NAMES}
    assert len(records) == 1
    assert finished("verify", str(tmp_path / "Anna.facedown")).returncode == exits.DONE


NAMES = ("Anna", "Ben", "Cleo", "Dan")


def test_what_keeps_a_bot_from_playing_is_told(tmp_path: Path) -> None:
    """Folder, port, interface, address, table: one sentence, one code, and ``ended`` says both."""
    table = f"test {secrets.token_hex(3)}"
    holder = command("bot", "--open", "--table", table, "--data", str(tmp_path / "one"))
    with running(holder) as (process,):
        port = process.event("listening")["port"]
        here = f"127.0.0.1:{port}"
        cases = [
            (["--open", "--data", str(tmp_path / "one")], exits.CANNOT_START, "is in use by"),
            (["--open", "--port", str(port)], exits.CANNOT_START, f"Port {port} is in use"),
            (["--open", "--interface", "nope0"], exits.CANNOT_START, "'nope0'"),
            (["--join", "127.0.0.1:1"], exits.REFUSED, "127.0.0.1:1"),
            (["--join", here, "--table", "none"], exits.REFUSED, "is called 'none'"),
            (["--table", "none", "--give-up", "1"], exits.GAVE_UP, "was not found"),
            ([], exits.USAGE, "no unfinished table"),
        ]
        # All at once, each with a folder of its own unless it asks for the one in use.
        commands = [
            command("bot", "--data", str(tmp_path / f"folder {number}"), *arguments)
            for number, (arguments, _, _) in enumerate(cases)
        ]
        looking = command("tables", "--json", "--seconds", "4")
        with running(looking, *commands) as (looks, *bots):
            for one, (arguments, code, words) in zip(bots, cases, strict=True):
                assert one.wait() == code, arguments
                assert words in one.words[-1]
                assert "Traceback" not in "".join(one.words)
                ended = json.loads(one.said[-1])
                assert (ended["event"], ended["code"]) == ("ended", code)
                assert words in ended["reason"]
            assert looks.wait() == exits.DONE
        tables = [json.loads(line) for line in looks.said]
        assert [(t["taken"], t["seats"]) for t in tables if t["table"] == table] == [(1, 4)]


@pytest.mark.alone
def test_a_signal_ends_a_bot_that_others_have_found(tmp_path: Path) -> None:
    """Within two seconds, with its goodbye, and its last line says so."""
    names = ("Anna", "Ben")
    bots = [command("bot", "--open", "--name", n, "--data", str(tmp_path / n)) for n in names]
    with running(*bots) as (anna, ben):
        ben.event("peer_found", name="Anna")
        start = time.monotonic()
        anna.process.send_signal(signal.SIGTERM)
        assert anna.wait() == exits.TERMINATED
        assert time.monotonic() - start < SECONDS
        assert json.loads(anna.said[-1])["code"] == exits.TERMINATED


def test_a_reader_that_goes_away_is_no_trouble(record: bytes, tmp_path: Path) -> None:
    """``facedown verify game.facedown | head -1``: no complaint."""
    file = tmp_path / "x.facedown"
    file.write_bytes(record)
    with subprocess.Popen(
        command("verify", str(file)),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == exits.PIPE
