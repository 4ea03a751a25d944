"""Nothing is lost and nothing made: chips and points of each game, as the table stands."""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract import Plain
from protocol.table import TableState


def lost(table: TableState) -> str:
    """What is wrong with the chips or points of a table; empty if nothing is."""
    game, seats = table.agreement.roster.game, len(table.agreement.keys)
    named = _named(table)
    if game == "little":
        return _differ(sum(_row(named["stacks"])) + _number(named["pot"]), 9 * seats)
    if game == "azi":
        stack = table.agreement.options["stack"]
        assert isinstance(stack, int)
        chips = getattr(table.standing, "chips").boxes  # noqa: B009
        trouble = _differ(sum(chips), stack * seats)
        playing = table.hand is not None and not table.hand.is_interlude
        if table.hand is not None and playing and not trouble:
            trouble = _differ(sum(getattr(table.hand.state, "chips").boxes), stack * seats)  # noqa: B009
        return trouble
    if game == "hazari":
        standing = table.standing
        return _differ(sum(standing.totals), 360 * standing.played)  # type: ignore[attr-defined]
    if game == "topcard":
        most = 2 * _number(named["played"])
        points = sum(_row(named["points"]))
        return "" if points <= most else f"{points} points in {named['played']} hands"
    raise AssertionError(f"how are points counted in {game}?")


def _differ(found: int, expected: int) -> str:
    return "" if found == expected else f"{found} chips or points, {expected} there must be"


def _named(table: TableState) -> Mapping[str, Plain]:
    pairs = table.agreement.game.plain_standing(table.standing)
    assert isinstance(pairs, tuple)
    return dict(pairs)  # type: ignore[arg-type]


def _row(value: Plain) -> tuple[int, ...]:
    assert isinstance(value, tuple)
    return value  # type: ignore[return-value]


def _number(value: Plain) -> int:
    assert isinstance(value, int)
    return value
