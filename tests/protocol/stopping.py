"""Tables that have stopped between two hands, made without a card being dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine import Plain, complete, game
from protocol.agreement import Agreement, Player, new_roster
from protocol.entries import Sits
from protocol.table import TableState, first_state

POINTS: Plain = (
    ("points", (100, 95, 85, 80)),
    ("dealer", (2,)),
    ("dealt", 2),
    ("played", 1),
    ("broken", 0),
)
"""A standing of Hazari after a hand that was scored and one that was dismissed."""


def at_sit(
    players: Sequence[Player],
    name: str = "hazari",
    options: Mapping[str, int | str] | None = None,
    standing: Plain = POINTS,
    hand: int = 3,
) -> TableState:
    """A table, with some standing, that asks who plays on."""
    chosen = complete(game(name).options, options or {})
    agreement = Agreement(
        new_roster("kitchen", name, chosen, tuple(players)), (bytes(32),) * len(players)
    )
    restored = agreement.game.restored(chosen, len(players), standing)
    return replace(
        first_state(agreement), standing=restored, stage="sit", hand_number=hand, pack=None
    )


def after_sit(table: TableState, choices: Mapping[bytes, str]) -> TableState:
    """The table when all have answered: ``in``, but for these keys."""
    keys = table.agreement.keys
    return table.close({seat: Sits(choices.get(key, "in"), ()) for seat, key in enumerate(keys)})


def stopped_state(players: Sequence[Player], *leavers: bytes) -> TableState:
    """A table of Hazari that has stopped because these have left."""
    return after_sit(at_sit(players), dict.fromkeys(leavers, "leave"))
