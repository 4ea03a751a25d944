"""What a table in the lobby plays, checked before anybody sits down. SPEC 11.6."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from engine import OptionError, complete, game, game_names
from p2p.messages import TableInfo
from p2p.statements import Listing, Member
from protocol.agreement import MAX_NAME, Player
from protocol.errors import PeerFault
from protocol.going_on import StoppedTable
from protocol.origin import Origin, standing_of
from protocol.plain import as_seen

Pairs = tuple[tuple[str, int | str], ...]


def complete_options(name: str, given: Mapping[str, object]) -> Pairs:
    """All options of a game with defaults filled in; raises PeerFault ``game`` or ``options``."""
    if name not in game_names():
        known = ", ".join(game_names())
        raise PeerFault("game", f"the game {name!r} is unknown here; there is: {known}")
    try:
        return tuple(complete(game(name).options, given).items())
    except OptionError as error:
        raise PeerFault("options", str(error)) from None


def check_terms(name: str, options: Pairs, seats: int) -> None:
    """Raises PeerFault ``game``, ``options`` or ``seats`` for what cannot be played here."""
    if complete_options(name, dict(options)) != options:
        raise PeerFault("options", "the options must be all there, in their order")
    found = game(name)
    if seats not in found.seats:
        allowed = ", ".join(map(str, found.seats))
        raise PeerFault("seats", f"{found.title} is played by {allowed}, not by {seats}")


def same_name(one: str, other: str) -> bool:
    """Whether people could take two names for one: apart from case, forms and what is unseen."""
    return _folded(one) == _folded(other)


def numbered(name: str, number: int) -> str:
    """A name with a number behind it, cut to the limit of names on a whole character."""
    tail = f" {number}"
    return name.encode()[: MAX_NAME - len(tail)].decode(errors="ignore") + tail


def objection_to(
    listing: Listing,
    joined: TableInfo,
    me: Member,
    before: Listing | None = None,
    stopped: StoppedTable | None = None,
) -> str:
    """Why a list cannot be the one of the table that was joined; empty if it can.

    ``joined``: what was told of the table; ``me``: what this player has said of itself; ``before``:
    the last list. ``stopped``: what this player knows of the table from which this one goes on.
    """
    terms = (listing.table, listing.game, listing.options, listing.seats)
    origin = b"" if listing.origin is None else listing.origin.table
    if (*terms, origin) != (joined.table, joined.game, joined.options, joined.seats, joined.origin):
        return "has changed what is played"
    if before is not None and before.origin != listing.origin:
        return "has changed what the table begins with"
    members = listing.members
    if not 0 < len(members) <= listing.seats or members[0].key != joined.opener:
        return "sends lists that make no sense"
    for member in members:
        if member.key == me.key and (member.name, member.owner) != (me.name, me.owner):
            return "has changed the name of this player"
    return "" if listing.origin is None else _origin_objection(listing, listing.origin, me, stopped)


def _origin_objection(
    listing: Listing, origin: Origin, me: Member, stopped: StoppedTable | None
) -> str:
    """As ``objection_to``: why these players cannot go on so from another table.

    Who was not there takes the standing as it is told. Who was and cannot look it up signs nothing.
    """
    players = tuple(Player(m.key, m.name, m.owner) for m in listing.members)
    if players[0].key not in origin.keys:
        return "was not at the table before"
    try:
        standing_of(origin, game(listing.game), dict(listing.options), listing.seats)
        origin.seating(tuple(player.key for player in players))
    except PeerFault as fault:
        return f"goes on in a way that cannot be: {fault.text}"
    if stopped is None:
        if me.key in origin.keys:
            return "goes on from a table whose end is not known here"
        return ""
    roster = stopped.agreement.roster
    if (listing.game, listing.options) != (roster.game, roster.options):
        return "plays by other rules than at the table before"
    return stopped.objection(origin, players)


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKC", as_seen(name))
    return as_seen(unicodedata.normalize("NFKC", plain.casefold()))
