"""Golden playthroughs: everything that can be observed at every step of a hand, as text.

``python -m tests.engine.playthroughs`` writes them anew; ``test_playthroughs`` compares.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Protocol

from engine import game_names


class Scenario(Protocol):
    """Hands of some game that can be played through; playing them takes a while."""

    def text(self) -> str:
        """The playthrough."""


def scenarios() -> dict[str, Scenario]:
    """File name to what makes its text, of every playthrough of every game."""
    found: dict[str, Scenario] = {}
    for game in game_names():
        of_game: Mapping[str, Scenario] = importlib.import_module(
            f"tests.engine.playthroughs.{game}"
        ).SCENARIOS
        found |= {f"{game}_{name}.txt": scenario for name, scenario in of_game.items()}
    return found
