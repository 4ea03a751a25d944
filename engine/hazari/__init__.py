"""Hazari: four seats, thirteen cards each, arranged in four groups; see ``game``."""

from engine.contract import Game
from engine.hazari.game import Hazari

GAME: Game = Hazari()

__all__ = ["GAME"]
