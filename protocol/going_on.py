"""A table that stopped before the end of its match, and who may go on from it. SPEC 5.1, 11.6.

Whoever was there judges by its own copy; whoever has both records can do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from protocol.agreement import Agreement, Player
from protocol.errors import LocalError, PeerFault
from protocol.origin import Origin, read_origin, standing_of
from protocol.table import TableState


@dataclass(frozen=True)
class StoppedTable:
    """What another table may begin with.

    ``vacant``: the seats that somebody new may take: those that the table stopped for, and those
    that had left, were caught or were away when it did. ``caught``: those of them whose players
    must not come back, since at that table they could not win any more.
    """

    agreement: Agreement
    origin: Origin
    vacant: frozenset[int]
    caught: frozenset[int]

    def player(self, key: bytes) -> Player | None:
        """Who had a seat there with this key."""
        return next((one for one in self.agreement.players if one.key == key), None)

    def objection(self, origin: Origin, players: Sequence[Player]) -> str:
        """Why these players cannot go on so, as a clause; empty if they can.

        ``players``: by seat, or fewer as long as seats are free, in any order.
        """
        if difference := self._difference(origin):
            return difference
        for player in players:
            if fault := self.refusal(player):
                return fault
        try:
            seats = origin.seating(tuple(player.key for player in players))
        except PeerFault:
            return "leaves too few of those who were there"
        for seat, index in enumerate(seats):
            if index is None or players[index].key == origin.keys[seat]:
                continue
            if seat not in self.vacant:
                return "gives away the seat of somebody who was there to the end"
        new = sum(player.key not in origin.keys for player in players)
        kept = {player.key for player in players}
        if new > sum(origin.keys[seat] not in kept for seat in self.vacant):
            return "gives away the seat of somebody who was there to the end"
        return ""

    def _difference(self, origin: Origin) -> str:
        mine = self.origin
        if origin.table != mine.table:
            return "goes on from another table"
        if origin.keys != mine.keys:
            return "names other players than had the seats at the table before"
        if origin.standing != mine.standing:
            return "begins with another standing than the table before has left"
        return "" if origin.hand == mine.hand else "begins with another hand than comes next"

    def refusal(self, player: Player) -> str:
        """Why this player cannot be at any table that goes on, as a clause; empty if it can."""
        before = self.player(player.key)
        if before is None:
            return ""
        if self.origin.keys.index(player.key) in self.caught:
            return "lets somebody play on who was caught"
        return "" if player == before else "has changed the name of a player"


def stopped(table: TableState) -> StoppedTable:
    """What is left of a table, by the last state of it; raises LocalError where nothing goes on."""
    ending = table.ending
    if table.stage != "over" or ending is None:
        raise LocalError("That table is not over, as far as it is known here.")
    if ending.end is not None:
        raise LocalError("The match at that table is over: nothing goes on from it.")
    agreement = table.agreement
    standing, hand = table.left
    plain = agreement.game.plain_standing(standing)
    origin = Origin(agreement.table_id, hand, plain, agreement.keys)
    try:
        read_origin(origin.value())
        standing_of(origin, agreement.game, agreement.options, len(agreement.keys))
    except PeerFault as fault:
        raise LocalError(f"Nothing goes on from that table: {fault.text}.") from None
    vacant = frozenset(ending.seats) | table.out | table.away
    return StoppedTable(agreement, origin, vacant, table.caught)


Held: TypeAlias = Literal["holds", "open", "false"]


def continuation(before: TableState, after: Agreement) -> tuple[Held, str]:
    """Whether a table goes on from another one as it may, and a clause about the later table.

    ``before``: the last state by the record of the other one. ``open``: that record ends before its
    table does, so it cannot be told.
    """
    origin = after.roster.origin
    if origin is None:
        return "false", "does not go on from another one"
    if origin.table != before.agreement.table_id:
        return "false", "goes on from another table than that"
    ours, theirs = before.agreement.roster, after.roster
    if (ours.game, ours.options) != (theirs.game, theirs.options):
        return "false", "plays by other rules than the table before"
    if before.ending is None:
        return "open", "may go on from that one, whose record does not show its end"
    try:
        objection = stopped(before).objection(origin, after.players)
    except LocalError:
        return "false", "goes on from a match that is over"
    return ("false", objection) if objection else ("holds", "goes on from that one as it may")
