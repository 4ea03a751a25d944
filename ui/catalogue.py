"""The games as people at the command line know them: seats, strategies, options, by name."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from engine import Game, OptionError, Options, game, game_names, parse_all
from ui import exits
from ui.exits import Exit

USUAL_SEATS = 4
"""Seats of a table if nothing is said and the game allows so many."""

USUAL_STRATEGY = "steady"

WIDTH = 100
"""Columns of the list of options."""

_INDENT = " " * 23


def listing() -> str:
    """All games with their seats, strategies and options, as lines for the help."""
    lines: list[str] = []
    for name in game_names():
        found = game(name)
        lines += [
            f"{name}: {_seats(found.seats)} seats{_usually(found)}; "
            f"strategies: {', '.join(found.strategies)}",
            f"options of {name} (--option NAME=VALUE):",
        ]
        for option in found.options:
            first = f"  {option.name:<20} {option.help}"
            lines += textwrap.wrap(first, WIDTH, subsequent_indent=_INDENT)
            lines.append(f"{_INDENT}{option.values} (default: {option.default})")
        lines.append("")
    return "\n".join(lines[:-1])


def find_game(name: str) -> Game:
    """The game of this name; raises Exit."""
    if name not in game_names():
        raise usage(f"the game {name!r} is unknown; there are: {', '.join(game_names())}.")
    return game(name)


def find_strategy(found: Game, name: str | None) -> str:
    """A strategy of the game, None standing for the usual one; raises Exit."""
    known = list(found.strategies)
    if name is None:
        return USUAL_STRATEGY if USUAL_STRATEGY in known else known[0]
    if name not in known:
        raise usage(f"{found.name} has no strategy {name!r}; there are: {', '.join(known)}.")
    return name


def check_strategy(played: str | None, name: str | None) -> None:
    """Raises Exit where the game (None: any of them) is unknown or has no such strategy."""
    if played is not None:
        find_strategy(find_game(played), name)
    elif name is not None:
        known = sorted({one for each in game_names() for one in game(each).strategies})
        if name not in known:
            raise usage(f"no game has a strategy {name!r}; there are: {', '.join(known)}.")


def read_options(found: Game, pairs: Sequence[str]) -> Options:
    """All options of a game from ``NAME=VALUE`` texts; raises Exit."""
    try:
        return parse_all(found.options, list(pairs))
    except OptionError as error:
        raise usage(f"{error}.") from None


def read_seats(found: Game, seats: int | None) -> int:
    """The seats of a table, by default four, or as many as the game allows; raises Exit."""
    if seats is None:
        return usual_seats(found)
    if seats not in found.seats:
        raise usage(f"{found.title} is played by {_seats(found.seats)}, not by {seats}.")
    return seats


def usual_seats(found: Game) -> int:
    """How many seats a table has if nothing is said."""
    return USUAL_SEATS if USUAL_SEATS in found.seats else max(found.seats)


def usage(sentence: str) -> Exit:
    """Wrong usage, in one sentence."""
    return Exit(exits.USAGE, sentence)


def _seats(seats: Sequence[int]) -> str:
    if len(seats) > 1 and list(seats) == list(range(seats[0], seats[-1] + 1)):
        return f"{seats[0]} to {seats[-1]}"
    return " or ".join(map(str, seats))


def _usually(found: Game) -> str:
    return f" (default: {usual_seats(found)})" if len(found.seats) > 1 else ""
