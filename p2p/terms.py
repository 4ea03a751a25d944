"""What a table in the lobby plays, checked before anybody sits down. SPEC 6.6."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from engine import OptionError, complete, game, game_names
from protocol.errors import PeerFault

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
    """Whether people could take two names for one: apart from case and compatibility forms."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
