"""The demo judges what its processes say: every check can fail, and a failure is explained."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import trio

from p2p import events as p2p
from protocol.events import Event
from tests.protocol.tables import Table
from ui import exits, telling
from ui.children import Child, Line, started, where_we_are
from ui.demo import Demo, Plan
from ui.lines import Lines
from ui.progress import Commentary
from ui.witness import of

NAMES = ("Anna", "Ben", "Cleo", "Dan")


def lines_of(seat: int, events: list[Event], players: tuple[str, ...]) -> list[Line]:
    """What the process of a seat prints in a match, from listening to saving."""
    out: list[str] = []
    lines = Lines(out.append)
    infos = tuple(
        p2p.PlayerInfo(bytes([number]) * 32, name, f"SHORT{number:03}")
        for number, name in enumerate(players)
    )
    me = telling.me(players[seat], infos[seat].key, infos[seat].short, Path())
    telling.tell(lines, p2p.Listening((), 4711), me)
    for other, info in enumerate(infos):
        if other != seat:
            found = p2p.PeerFound(info.short, info.name, info.key, (), "mdns", ())
            telling.tell(lines, found, me)
    telling.tell(lines, p2p.Agreed(bytes(32), seat, infos), me)
    for event in events:
        telling.tell(lines, p2p.SessionTold(event), me)
    lines.emit("saved", file="x", bytes=3)
    return [json.loads(line) for line in out]


@pytest.fixture(scope="session")
def said(played: Table) -> list[list[Line]]:
    """What four processes printed in a real match of one hand."""
    return [lines_of(seat, seated.events, NAMES) for seat, seated in enumerate(played.seats)]


class Watched:
    """A demo without processes."""

    def __init__(self, said: list[list[Line]], folder: Path) -> None:
        self.told: list[str] = []
        self.demo = Demo(Plan("hazari", (), 4, folder / "x"), folder)
        self.witnesses = self.demo._witnesses
        self.demo._commentary = Commentary(self.witnesses, self.told.append)
        self.demo._records = [b"the same"] * 4
        for number, lines in enumerate(said):
            self.witnesses[number].name = NAMES[number]
            for line in lines:
                self.demo._heard(number, line)

    def failed(self, verified: bool = True) -> list[str]:
        """The sentences of the checks that do not hold."""
        return [text for holds, text in self.demo.checks(verified) if not holds]


def test_a_good_match_passes_all_checks(said: list[list[Line]], tmp_path: Path) -> None:
    """Six of them."""
    watched = Watched(said, tmp_path)
    assert watched.failed() == []
    assert len(list(watched.demo.checks(True))) == 6


def without(said: list[list[Line]], number: int, kind: str) -> list[list[Line]]:
    """The same, but a process has left out its first line of a kind."""
    gone = next(line for line in said[number] if line["event"] == kind)
    return [[line for line in lines if line is not gone] for lines in said]


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("listening", "every process found the 3 others by mDNS"),
        ("peer_found", "every process found the 3 others by mDNS"),
        ("proof_checked", "every process checked 3 proofs of each of the 1 pack"),
        ("pack", "every process checked 3 proofs of each of the 1 pack"),
    ],
)
@pytest.mark.parametrize("number", [0, 3])
def test_what_one_process_does_not_say_fails_a_check(
    said: list[list[Line]], tmp_path: Path, kind: str, sentence: str, number: int
) -> None:
    """Whichever process it is."""
    (failed,) = Watched(without(said, number, kind), tmp_path).failed()
    assert failed.startswith(sentence)


def test_who_was_found_by_another_way_does_not_count(
    said: list[list[Line]], tmp_path: Path
) -> None:
    """It is mDNS that the demo shows."""
    changed: list[list[Line]] = [
        [{**line, "how": "incoming"} if line["event"] == "peer_found" else line for line in lines]
        for lines in said
    ]
    assert len(Watched(changed, tmp_path).failed()) == 1


def test_different_records_fail(said: list[list[Line]], tmp_path: Path) -> None:
    """By a single byte."""
    watched = Watched(said, tmp_path)
    watched.demo._records[2] = b"the samf"
    (failed,) = watched.failed()
    assert failed.startswith("all 4 records are byte for byte the same")


def test_a_record_that_does_not_verify_fails(said: list[list[Line]], tmp_path: Path) -> None:
    """Whatever the processes say."""
    assert Watched(said, tmp_path).failed(False) == ["the record is sound and complete"]


def test_a_fault_that_anybody_saw_fails(said: list[list[Line]], tmp_path: Path) -> None:
    """Also if the match went on."""
    fault: Line = {"event": "fault", "player": "Ben", "text": "a false proof"}
    changed = [*said[:3], [*said[3], fault]]
    assert Watched(changed, tmp_path).failed() == ["nobody saw anybody break the protocol"]


def test_a_match_that_is_not_over_fails(said: list[list[Line]], tmp_path: Path) -> None:
    """There is no pace to tell."""
    failed = Watched(without(said, 0, "match_over"), tmp_path).failed()
    assert failed == ["the match was played to its end"]


def test_the_story_is_told_once_and_by_name(said: list[list[Line]], tmp_path: Path) -> None:
    """Who found whom, every shuffle step with its time, the proofs, the rounds, the standing."""
    told = Watched(said, tmp_path).told
    text = "\n".join(told)
    for name in NAMES:
        assert f"{name} (SHORT" in text
        assert f"{name} has found " in text
        assert any(line.startswith(f"pack 1: {name} shuffles (") for line in told)
    assert "seats by lot: 0 Anna, 1 Ben, 2 Cleo, 3 Dan" in text
    assert "pack 1: each of the 4 processes has checked the 3 proofs of others" in text
    assert [text.count(f"    round {number}: ") for number in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert "    points so far: Anna " in text
    assert "wins the match with" in text
    assert "seat 0" not in text


def test_a_line_with_a_field_of_another_kind_is_a_fault_of_ours() -> None:
    """It does not pass unseen."""
    with pytest.raises(TypeError, match="lane is 'x'"):
        of({"event": "step", "lane": "x"}, "lane", int)


@pytest.mark.slow
def test_a_process_that_fails_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its own words on stderr, and its exit code becomes ours."""
    demo = Demo(Plan("hazari", (), 4, tmp_path / "x"), tmp_path)

    def command(number: int) -> list[str]:
        return ["bot", "--strategy", "wild", "--data", str(tmp_path / str(number))]

    demo._command = command  # type: ignore[method-assign]  # processes that fail at once
    with pytest.raises(ExceptionGroup) as caught:
        trio.run(demo.play)
    leaf: BaseException = caught.value
    while isinstance(leaf, BaseExceptionGroup):
        leaf = leaf.exceptions[0]
    assert isinstance(leaf, exits.Exit)
    assert leaf.code == exits.USAGE
    assert "no game has a strategy 'wild'" in capsys.readouterr().err


@pytest.mark.alone
def test_children_are_ended_when_the_block_ends(tmp_path: Path) -> None:
    """Within the patience that is promised, and their codes are told."""
    codes: dict[int, int] = {}
    heard: list[object] = []
    environment: Mapping[str, str] = {"FACEDOWN_INTERFACE": "127.0.0.1", **where_we_are()}

    async def main() -> list[Child]:
        listening = trio.Event()

        def hear(number: int, line: Line) -> None:
            heard.append(line["event"])
            listening.set()

        command = ["bot", "--open", "--data", str(tmp_path), "--linger"]
        with trio.fail_after(30):
            async with started([command], environment, hear, codes.__setitem__) as children:
                await listening.wait()
            return children

    (child,) = trio.run(main)
    assert child.process.returncode == exits.TERMINATED
    assert heard[0] == "listening"
    assert any("ended by SIGTERM" in words for words in child.words)
