"""What the page is told of the games: options and seats, and why a card may not be played."""

from __future__ import annotations

from collections.abc import Sequence

from engine import Choice, Game, View, game, game_names
from ui.catalogue import usual_seats


def known_games() -> list[dict[str, object]]:
    """All games with their seats, strategies and options: the section ``games``."""
    return [_game(game(name)) for name in game_names()]


def _game(found: Game) -> dict[str, object]:
    return {
        "name": found.name,
        "title": found.title,
        "seats": found.seats,
        "usual": usual_seats(found),
        "strategies": list(found.strategies),
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "choices": option.choices,
                "values": option.values,
                "help": option.help,
            }
            for option in found.options
        ],
    }


def barred(rules: Game, view: View, choices: Sequence[Choice]) -> list[list[object]]:
    """Own cards that may not be chosen now, each as slot, rule and text of the engine.

    Only of choices that are a card each; ``moves`` lists the others then.
    """
    found: list[list[object]] = []
    for choice in choices:
        singles = {move[1] for move in choice.moves if len(move) == 2}
        if not singles & {slot for slot, _ in view.hand}:
            continue
        for slot, _ in view.hand:
            objection = None if slot in singles else rules.objection(view, (choice.kind, slot))
            if objection is not None:
                found.append([slot, objection.rule, objection.text])
    return found
