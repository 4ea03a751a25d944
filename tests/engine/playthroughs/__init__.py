"""Golden playthroughs: everything that can be observed at every step of a hand, as text.

``python -m tests.engine.playthroughs`` writes them anew; ``test_playthroughs`` compares.
"""

from __future__ import annotations

import importlib

from engine import game_names


def texts() -> dict[str, str]:
    """File name to text, of every playthrough of every game."""
    made: dict[str, str] = {}
    for game in game_names():
        made |= importlib.import_module(f"tests.engine.playthroughs.{game}").texts()
    return made
