"""Azi's bots. Each sees one seat's view and a draw, and answers with a legal move.

``random`` knows the rules and nothing else.
"""

from __future__ import annotations

from typing import Final

from engine.azi.choices import legal
from engine.azi.view import AziView
from engine.contract import Draw, Move, Strategy, View


def random(view: View, draw: Draw) -> Move:
    """Each kind of choice as likely as any other, and so each move of it; raises ValueError.

    That is where no choice is due.
    """
    if not isinstance(view, AziView):
        raise TypeError(f"not a view of Azi: {type(view).__name__}")
    choices = legal(view)
    if not choices:
        raise ValueError("a bot is asked only for a choice that its seat owes")
    choice = choices[draw(len(choices))]
    if choice.amount is None:
        return choice.moves[draw(len(choice.moves))]
    least, most, step = choice.amount
    return (choice.kind, least + step * draw((most - least) // step + 1))


STRATEGIES: Final[dict[str, Strategy]] = {"random": random}
"""Azi's strategies by the names that people choose them by."""
