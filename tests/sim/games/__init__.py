"""The small games of the simulation: so few cards and moves that cryptography takes little time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import engine
from tests.protocol import games as protocol_games

SMALL = ("little", "topcard")
"""Little has chips, claims and goes on without seats; Top Card has locks and a show."""


@contextmanager
def at_the_table() -> Iterator[None]:
    """Lets ``engine`` find these games, and those of the protocol's tests, as if it had them."""
    with protocol_games.at_the_table():
        path = engine.__path__
        engine.__path__ = [*path, str(Path(__file__).parent)]
        _forget()
        try:
            yield
        finally:
            engine.__path__ = path
            _forget()
            if sys.modules.pop("engine.little", None) is not None:
                delattr(engine, "little")


def _forget() -> None:
    engine.game_names.cache_clear()
    engine.game.cache_clear()
