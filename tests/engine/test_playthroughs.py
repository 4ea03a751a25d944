"""Every observable of the golden playthroughs is what it was; a change is seen as a diff."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.hazari.options import OPTIONS
from tests.engine.playthroughs import hazari

HERE = Path(__file__).parent / "playthroughs"
TEXTS = hazari.texts()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_playthrough_is_unchanged(name: str) -> None:
    """After a wanted change: ``python -m tests.engine.playthroughs``, and read the diff."""
    golden = (HERE / name).read_text(encoding="utf-8")
    assert TEXTS[name].splitlines() == golden.splitlines()


def test_every_file_is_made_by_a_scenario() -> None:
    """No golden file is left over that nothing is compared with."""
    assert {path.name for path in HERE.glob("*.txt")} == set(TEXTS)


def test_every_option_of_the_game_is_at_work_in_a_playthrough() -> None:
    """Each option of the rules but the grace, which the engine never sees, differs once."""
    used = {name for scenario in hazari.SCENARIOS.values() for name in scenario.options}
    assert used == {option.name for option in OPTIONS} - {"grace_seconds"}
    words = {
        (option.name, word)
        for option in OPTIONS
        for word in option.choices
        if word != option.default
    }
    used_words = {
        (name, value)
        for scenario in hazari.SCENARIOS.values()
        for name, value in scenario.options.items()
    }
    assert words <= used_words
