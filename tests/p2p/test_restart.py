"""Real processes on loopback: one is killed between two steps, started again, and goes on."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from protocol.verifier import verify
from tests.ui.processes import Running, bot, running

pytestmark = pytest.mark.slow


class House:
    """A folder with all the bots that are started in a test; all end with it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.stack = stack

    def start(self, name: str, *more: str) -> Running:
        """A bot, which finds its data folder again when it is started again."""
        (started,) = self.stack.enter_context(running(bot(self.folder, name, *more)))
        return started

    def table(self) -> dict[str, Running]:
        """Three bots at one table of Azi; the first one has opened it."""
        options = ("--game", "azi", "--seats", "3", "--option", "hands=1")
        anna = self.start("anna", *OPENS, *options)
        port = anna.event("listening")["port"]
        anna.event("lobby")
        others = ("bert", "carl")
        return {"anna": anna} | {
            name: self.start(name, "--join", f"127.0.0.1:{port}") for name in others
        }


OPENS = ("--open", "--table", "kitchen")


def test_killed_peers_go_on(tmp_path: Path) -> None:
    """SIGKILL between two steps, also of the opener: the hand goes on, the match ends soundly."""
    with ExitStack() as stack:
        house = House(tmp_path, stack)
        bots = house.table()
        terms = ("table_id", "seat", "players", "code", "table", "game", "options")
        for victim, lane, step in (("anna", 1, 5), ("carl", 0, 3)):
            agreed = bots[victim].event("agreed")
            bots[victim].event("step", lane=lane, step=step)
            bots[victim].kill()
            bots[victim] = house.start(victim)
            resumed = bots[victim].event("resumed")
            assert [resumed[name] for name in terms] == [agreed[name] for name in terms]
        for one in bots.values():
            one.event("match_over")
        assert [one.wait() for one in bots.values()] == [0, 0, 0]
        records = {(tmp_path / f"{name}.facedown").read_bytes() for name in bots}
        assert len(records) == 1
        report = verify(records.pop())
        assert report.verdict == "complete", report


def test_second_start_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    """Two processes cannot have one data folder; after SIGKILL it is free at once."""
    with ExitStack() as stack:
        house = House(tmp_path, stack)
        first = house.start("anna", *OPENS)
        first.event("listening")
        second = house.start("anna", *OPENS)
        assert second.wait() == 7
        assert f"process {first.process.pid}" in "".join(second.words)
        first.kill()
        house.start("anna", *OPENS).event("listening")
