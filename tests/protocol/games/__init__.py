"""Games that only tests play. Each is one folder, as in ``engine``, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import engine


@contextmanager
def at_the_table() -> Iterator[None]:
    """Lets ``engine`` find these games as if their folders lay in its own."""
    path = engine.__path__
    engine.__path__ = [*path, str(Path(__file__).parent)]
    engine.game_names.cache_clear()
    engine.game.cache_clear()
    try:
        yield
    finally:
        engine.__path__ = path
        engine.game_names.cache_clear()
        engine.game.cache_clear()
        for name in [name for name in sys.modules if name.startswith("engine.topcard")]:
            del sys.modules[name]
            delattr(engine, "topcard")
