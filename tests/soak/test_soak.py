"""The short form of the soak: one match of real processes, two of them killed; and its judge."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.soak.chance import STAGES, Kill, plan
from tests.soak.judge import judged
from tests.soak.match import play

SOON = Kill("pack", 3, 0.01, "one", (0.0,), 0.0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_killed_peers_end_their_match_and_agree(tmp_path: Path) -> None:
    """SIGKILL while a pack is made, and of another at a move; the judge finds what is wrong."""
    what = replace(
        plan(1, 1, "azi", quick=True),
        seats=3,
        options=("hands=1",),
        by="ports",
        kills=(SOON, replace(SOON, stage="move", skip=1)),
    )
    table, _ = play(what, 1, tmp_path)
    assert table.kills.total() == 2
    record = table.members[0].record
    data = bytearray(record.read_bytes())
    data[-40] ^= 1
    record.write_bytes(data)
    assert any("is not complete" in wrong for wrong in judged(table.members))


def test_a_plan_follows_from_its_seed() -> None:
    """And plans of many seeds reach every stage and every way of killing."""
    assert plan(5, 7) == plan(5, 7) != plan(6, 7)
    kills = [kill for number in range(200) for kill in plan(1, number).kills]
    assert {kill.stage for kill in kills} == set(STAGES)
    assert {kill.how for kill in kills} == {"one", "two", "all", "again"}
    assert min(kill.down[0] for kill in kills) < 0.1
    assert max(kill.down[0] for kill in kills) > 70
