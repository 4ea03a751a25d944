"""Real processes on loopback: one is killed between two steps, started again, and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.verifier import verify
from tests.p2p.bots import House, house

pytestmark = pytest.mark.alone


def assert_finished(rooms: House, names: tuple[str, ...]) -> None:
    """Everybody's record is sound, complete and the same."""
    records = {rooms.record(name).read_bytes() for name in names}
    assert len(records) == 1
    report = verify(records.pop())
    assert report.verdict == "complete", report


@pytest.mark.parametrize(
    ("victim", "lane", "step"),
    [("bert", 1, 2), ("anna", 1, 5), ("carl", 0, 1), ("dora", 0, 3)],
)
def test_killed_peer_goes_on(tmp_path: Path, victim: str, lane: int, step: int) -> None:
    """SIGKILL between two steps, also of the opener: the hand goes on, the match ends soundly."""
    with house(tmp_path) as rooms:
        bots = rooms.table(hands=2)
        bots[victim].wait_for("step", lane=lane, step=step)
        bots[victim].kill()
        bots[victim] = rooms.start(victim)
        bots[victim].wait_for("resumed")
        for bot in bots.values():
            bot.wait_for("match_over")
        assert [bot.end() for bot in bots.values()] == [0, 0, 0, 0]
        assert_finished(rooms, tuple(bots))


def test_second_start_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    """Two processes cannot have one data folder; after SIGKILL it is free at once."""
    with house(tmp_path) as rooms:
        first = rooms.start("anna", "--open", "--table", "kitchen")
        first.wait_for("listening")
        second = rooms.start("anna", "--open", "--table", "kitchen")
        assert second.end() == 7
        assert f"process {first.process.pid}" in "\n".join(second.errors)
        first.kill()
        third = rooms.start("anna", "--open", "--table", "kitchen")
        third.wait_for("listening")
