"""A table that stopped, from which others may go on: what windows show of it, and who does so.

The standing is public; names and keys are those of players.
"""

from __future__ import annotations

from collections.abc import Sequence

from p2p import events as p2p
from protocol.agreement import table_code
from protocol.errors import PeerFault
from protocol.going_on import StoppedTable
from protocol.origin import Origin


def stopped_table(
    left: StoppedTable | None, own: bytes, offers: Sequence[p2p.TableOffer]
) -> dict[str, object] | None:
    """The section ``again``. ``offers``: the tables that are told of, each by its opener."""
    if left is None:
        return None
    roster, keys = left.agreement.roster, left.origin.keys
    names = [player.name for player in left.agreement.players]
    found = [one for one in offers if one.origin == left.origin.table and one.opener in keys]
    return {
        "table": left.origin.table,
        "name": roster.table,
        "game": roster.game,
        "hand": left.origin.hand,
        "standing": left.origin.standing,
        "seat": keys.index(own) if own in keys else None,
        "names": names,
        "vacant": sorted(left.vacant),
        "most_new": left.origin.most_new,
        "offers": [
            {"key": one.opener, "name": names[keys.index(one.opener)]}
            for one in found
            if one.taken < one.seats
        ],
        "full": [names[keys.index(one.opener)] for one in found if one.taken >= one.seats],
    }


def beginning(
    origin: Origin | None, players: Sequence[p2p.PlayerInfo], left: StoppedTable | None
) -> dict[str, object] | None:
    """What a table that waits begins with, for the section ``lobby``; None: with nothing.

    ``seats``: for each seat the index of the player who has it, or will as it looks now, else None;
    the name of who had it, empty where it is not known here; and whether anybody may take it.
    """
    if origin is None:
        return None
    known = left if left is not None and left.origin == origin else None
    keys = tuple(player.key for player in players)
    vacant = known.vacant if known is not None else frozenset(range(len(origin.keys)))
    found = _placed(origin, keys, vacant)
    most = origin.most_new - sum(key not in origin.keys for key in keys)
    seats = []
    for seat, index in enumerate(found):
        before = "" if known is None else known.agreement.players[seat].name
        free = index is None and seat in vacant and most > 0
        seats.append({"player": index, "before": before, "free": free})
    return {
        "table": origin.table,
        "code": table_code(origin.table),
        "hand": origin.hand,
        "standing": origin.standing,
        "seats": seats,
    }


def _placed(
    origin: Origin, keys: Sequence[bytes], vacant: frozenset[int]
) -> tuple[int | None, ...]:
    """Who has which seat; who is new gets a vacant one for now, until the list is full."""
    try:
        found = list(origin.seating(keys))
    except PeerFault:  # a list that its own peer is about to refuse
        return (None,) * len(origin.keys)
    new = [index for index, key in enumerate(keys) if index not in found]
    for seat in [seat for seat, index in enumerate(found) if index is None and seat in vacant]:
        if new:
            found[seat] = new.pop(0)
    return tuple(found)
