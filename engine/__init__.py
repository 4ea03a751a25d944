"""The rules of the games: pure functions over frozen states. Imports nothing of this project."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from engine.contract import (
    EVERYBODY,
    GRACE,
    NOBODY,
    Audience,
    Card,
    Choice,
    Claim,
    Draw,
    Game,
    IllegalMove,
    MatchEnd,
    Move,
    Outcome,
    Plain,
    Seat,
    Slot,
    Standing,
    StandingError,
    State,
    Strategy,
    View,
)
from engine.options import Option, OptionError, Options, complete, parse_all

__all__ = [
    "EVERYBODY",
    "GRACE",
    "NOBODY",
    "Audience",
    "Card",
    "Choice",
    "Claim",
    "Draw",
    "Game",
    "IllegalMove",
    "MatchEnd",
    "Move",
    "Option",
    "OptionError",
    "Options",
    "Outcome",
    "Plain",
    "Seat",
    "Slot",
    "Standing",
    "StandingError",
    "State",
    "Strategy",
    "View",
    "complete",
    "game",
    "game_names",
    "parse_all",
]


@cache
def game_names() -> tuple[str, ...]:
    """The names of all games, in alphabetical order: one folder of this package each."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg))


@cache
def game(name: str) -> Game:
    """The game of this name; raises KeyError if there is none."""
    if name not in game_names():
        raise KeyError(name)
    found: Game = importlib.import_module(f"engine.{name}").GAME
    return found
