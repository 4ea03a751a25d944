"""Azi: two to six seats, three tricks for the bank, after bidding for the lead; see ``game``."""

from engine.azi.game import Azi
from engine.contract import Game

GAME: Game = Azi()

__all__ = ["GAME"]
