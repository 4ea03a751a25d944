"""Every observable of the golden playthroughs is what it was; a change is seen as a diff."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from engine import game, game_names
from tests.engine.playthroughs import scenarios

HERE = Path(__file__).parent / "playthroughs"
SCENARIOS = scenarios()


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_a_playthrough_is_unchanged(name: str) -> None:
    """After a wanted change: ``python -m tests.engine.playthroughs``, and read the diff."""
    golden = (HERE / name).read_text(encoding="utf-8")
    assert SCENARIOS[name].text().splitlines() == golden.splitlines()


def test_every_file_is_made_by_a_scenario() -> None:
    """No golden file is left over that nothing is compared with."""
    assert {path.name for path in HERE.glob("*.txt")} == set(SCENARIOS)


@pytest.mark.parametrize("name", game_names())
def test_every_option_of_a_game_is_at_work_in_a_playthrough(name: str) -> None:
    """Each option of the rules but the grace, which the engine never sees, differs once."""
    options = game(name).options
    scenarios = importlib.import_module(f"tests.engine.playthroughs.{name}").SCENARIOS
    used = {option for scenario in scenarios.values() for option in scenario.options}
    assert used == {option.name for option in options} - {"grace_seconds"}
    words = {
        (option.name, word)
        for option in options
        for word in option.choices
        if word != option.default
    }
    used_words = {
        (option, value)
        for scenario in scenarios.values()
        for option, value in scenario.options.items()
    }
    assert words <= used_words
