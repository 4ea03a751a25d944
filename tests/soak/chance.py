"""What a soak does and when: drawn from a hash stream, so that a seed says all of it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from tests.protocol.tables import drawer

T = TypeVar("T")

STAGES: Final = ("lobby", "seal", "pack", "deal", "move", "result", "between", "end", "vote", "any")
"""When a peer is killed: while it waits for players, at the signing, while a pack is made, at the
deal, at a move, when a hand is over, between hands, at the end of the match, while a silent seat is
voted about, at whatever time."""

USUAL: Final = ("pack", "deal", "move", "result", "between", "any", "pack", "move", "vote")

Span = tuple[float, float]

NONE: Final[Span] = (0.0, 0.3)
SHORT: Final[Span] = (0.3, 5.0)
MIDDLE: Final[Span] = (8.0, 30.0)
LONG: Final[Span] = (72.0, 95.0)
"""Seconds that a killed peer is down: within every clock, around the short graces, beyond all."""


class Chance:
    """A stream of choices."""

    def __init__(self, *seed: object) -> None:
        self._draw = drawer("soak", *seed)

    def below(self, count: int) -> int:
        """A whole number from 0."""
        return self._draw(count)

    def one(self, things: Sequence[T]) -> T:
        """One of them."""
        return things[self._draw(len(things))]

    def within(self, span: Span) -> float:
        """A number of seconds."""
        return span[0] + (span[1] - span[0]) * self._draw(10_001) / 10_000

    def once_in(self, count: int) -> bool:
        """True once in so many times."""
        return self._draw(count) == 0


@dataclass(frozen=True, slots=True)
class Kill:
    """One time at which peers are killed.

    ``skip`` so many events of the stage are passed over, then ``delay`` seconds. ``how``: ``one``,
    ``two``, ``all``, or ``again``: it is killed again as soon as it has been started.
    """

    stage: str
    skip: int
    delay: float
    how: str
    down: tuple[float, ...]
    again: float


@dataclass(frozen=True, slots=True)
class Plan:
    """A match and what is done to it. ``by``: how peers find each other again, and the opener."""

    number: int
    game: str
    seats: int
    options: tuple[str, ...]
    by: str
    shorts: bool
    kills: tuple[Kill, ...]


def plan(seed: int, number: int, game: str | None = None, quick: bool = False) -> Plan:
    """The match of this number. ``quick``: of one or two hands and short times."""
    chance = Chance(seed, number)
    game = game or chance.one(("azi", "hazari"))
    seats = 4 if game == "hazari" else chance.one((2, 3, 4, 4, 5))
    hands = 1 + chance.below(2) if quick or game == "hazari" else 2 + chance.below(4)
    grace = 60 if quick else chance.one((2, 5, 60))
    options = [f"hands={hands}", f"grace_seconds={grace}"]
    if chance.once_in(2):
        options.append("turn_seconds=5" if game == "azi" else "arrange_seconds=5")
    if game == "azi" and chance.once_in(2):
        options.append("blind=on")
    if game == "azi" and chance.once_in(3):
        options.append("azi_entry=half_pot")
    by = chance.one(("ports", "ports", "mdns"))
    count = 1 if quick else 3 + chance.below(5)
    kills = [_kill(chance, quick) for _ in range(count)]
    first = chance.below(8)
    if first < 2 and not quick:
        kills[0] = _kill(chance, quick, ("lobby", "seal")[first])
    if chance.once_in(2) and not quick:
        kills[-1] = _kill(chance, quick, "end")
    return Plan(
        number, game, seats, tuple(options), by, chance.once_in(4) and not quick, tuple(kills)
    )


def _kill(chance: Chance, quick: bool, stage: str | None = None) -> Kill:
    stage = stage or chance.one(USUAL)
    draw = chance.below(20)
    how = "all" if draw == 0 else "two" if draw < 4 else "again" if draw < 8 else "one"
    spans = [NONE, SHORT, SHORT, NONE, SHORT, MIDDLE]
    if quick:
        spans, how = [NONE], "one"
    span = LONG if not quick and chance.once_in(18) else chance.one(spans)
    down = tuple(chance.within(span) for _ in range(6))
    skip = chance.below(12) if stage in ("pack", "move", "any") else chance.below(2)
    delay = chance.within(chance.one(((0.0, 0.02), (0.0, 0.3), (0.0, 1.5))))
    if stage == "end":
        skip, delay = 0, chance.within((0.0, 0.08))
    return Kill(stage, skip, delay, how, down, chance.within((0.0, 2.5)))
