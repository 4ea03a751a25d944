"""A table that stopped before the end of its match, and who may go on from it. SPEC 5.1, 11.6.

Whoever was there judges by its own copy; whoever has both records can do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.agreement import Agreement, Player
from protocol.errors import LocalError, PeerFault
from protocol.origin import Origin, standing_of
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
        if origin != self.origin:
            return "says of the table before what is not so"
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
        standing_of(origin, agreement.game, agreement.options, len(agreement.keys))
    except PeerFault as fault:
        raise LocalError(f"Nothing goes on from that table: {fault.text}.") from None
    vacant = frozenset(ending.seats) | table.out | table.away
    return StoppedTable(agreement, origin, vacant, table.caught)
