"""Tables that have stopped between two hands, most of them without a card being dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine import Plain, complete, game
from protocol.agreement import Agreement, Player, new_roster, read_agreement
from protocol.entries import Sits
from protocol.going_on import StoppedTable, stopped
from protocol.session import Session
from protocol.signing import public_bytes
from protocol.table import TableState, first_state
from tests.protocol.once import computed_once
from tests.protocol.tables import Seated, Table, by_strategy, entropy, make_table, player_key

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


NEWCOMER = player_key("newcomer", 0)


def table_from(found: StoppedTable, table: Table, seat: int, seed: str) -> Table:
    """The table that goes on from another one, with somebody new in a seat, ready to begin."""
    keys = tuple(NEWCOMER if s == seat else key for s, key in enumerate(table.keys))
    names = [player.name for player in table.agreement.players]
    names[seat] = "somebody new"
    players = tuple(Player(public_bytes(k), n) for k, n in zip(keys, names, strict=True))
    roster = table.agreement.roster
    agreed = new_roster("again", roster.game, dict(roster.options), players, found.origin)
    agreement = Agreement(agreed, tuple(entropy("nonce", seed, i)(32) for i in range(len(keys))))
    sealed = agreement.sealed(tuple(agreement.signature(key) for key in keys))
    sessions = [
        Seated(Session(read_agreement(sealed), s, key, entropy("session", seed, s)))
        for s, key in enumerate(keys)
    ]
    return Table(agreement, keys, sealed, sessions, by_strategy(roster.game, "random", seed))


@dataclass(frozen=True)
class Played:
    """Two tables of which the second goes on from the first, without the seat that has left."""

    first: Table
    seat: int
    found: StoppedTable
    second: Table

    @property
    def records(self) -> tuple[bytes, bytes]:
        """The records of both."""
        return self.first.record(0), self.second.record(0)


def two_tables() -> Played:
    """A match of two hands of Hazari, one at each table: seat 2 leaves after the first."""
    with computed_once():
        first = make_table("before", options={"hands": 2})
        first.seats[2].session.sit("leave")
        first.begin()
        first.deliver()
        found = stopped(first.seats[0].session.history.table)
        second = table_from(found, first, 2, "after")
        second.begin()
        second.deliver()
        return Played(first, 2, found, second)
