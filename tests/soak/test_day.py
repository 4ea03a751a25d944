"""The long table: it plays, and what grows in it is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sim import determinism
from tests.soak.day import Day, Sample, growth

FLAT = [
    Sample(hour, 20 * hour, 60_000 + hour % 3, 50_000, 50, 20, 6_000 * hour) for hour in range(24)
]


def test_what_grows_is_named() -> None:
    """A leak of three in a hundred over the day; what goes up and down does not count."""
    assert growth(FLAT) == []
    leak = [replace(s, objects=s.objects + 130 * int(s.hour)) for s in FLAT]
    (found,) = growth(leak)
    assert found.startswith("objects: ")
    (files,) = growth([replace(s, files=20 + int(s.hour) // 6) for s in FLAT])
    assert files.startswith("files: ")


@pytest.mark.slow
def test_table_plays_on_while_its_players_think(tmp_path: Path) -> None:
    """The first minute of a day, at 5 s a move."""
    day = Day("azi", 2, 5.0, 0.02, tmp_path)
    determinism.run(1, day.run)
    (sample,) = day.samples
    assert day.trouble == ""
    assert sample.tasks > 0
    assert day.hands > 0
