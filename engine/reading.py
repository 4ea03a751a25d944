"""Standings as plain values from outside: every type, length and range is checked, by each game.

What is read comes from the network. All functions raise StandingError.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from engine.contract import Seat, StandingError

MAX_HANDS: Final = 1_000_000
"""Hands that were dealt in one match: so many packs fit into a record."""


def items(plain: object, names: tuple[str, ...]) -> tuple[object, ...]:
    """The values of pairs with just these names, in this order."""
    if type(plain) is not tuple or len(plain) != len(names):
        raise StandingError(f"a standing is {len(names)} pairs of name and value")
    values = []
    for pair, name in zip(plain, names, strict=True):
        if type(pair) is not tuple or len(pair) != 2 or pair[0] != name:
            raise StandingError(f"a pair of {name!r} and its value is missing in the standing")
        values.append(pair[1])
    return tuple(values)


def number(value: object, most: int, name: str) -> int:
    """An integer of 0 ... ``most``."""
    if type(value) is not int or not 0 <= value <= most:
        raise StandingError(f"{name} is no number from 0 to {most}")
    return value


def switch(value: object, name: str) -> bool:
    """A truth value."""
    return number(value, 1, name) == 1


def numbers(value: object, count: int, most: int, name: str) -> tuple[int, ...]:
    """So many integers of 0 ... ``most``."""
    if type(value) is not tuple or len(value) != count:
        raise StandingError(f"{name} are not {count} numbers")
    return tuple(number(item, most, name) for item in value)


def optional_seat(value: object, seats: int, name: str) -> Seat | None:
    """A seat, or none."""
    found = ascending_seats(value, seats, name)
    if len(found) > 1:
        raise StandingError(f"{name} is not one seat at most")
    return found[0] if found else None


def ascending_seats(value: object, seats: int, name: str) -> tuple[Seat, ...]:
    """Seats, each once, the lowest first."""
    if type(value) is not tuple or len(value) > seats:
        raise StandingError(f"{name} are no seats")
    found = tuple(number(item, seats - 1, name) for item in value)
    if any(one >= other for one, other in pairwise(found)):
        raise StandingError(f"{name} do not ascend")
    return found
