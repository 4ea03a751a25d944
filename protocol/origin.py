"""What a table that goes on from another one begins with: standing, and who sat where. SPEC 5.1.

Nothing here is known to be true of the other table: that is for those who were there
(``protocol.going_on``), and for whoever has both records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine import Game, Options, Plain, Standing, StandingError
from protocol.errors import PeerFault
from protocol.hashing import DIGEST_BYTES
from protocol.identity_keys import check_identity_key
from protocol.signing import KEY_BYTES
from protocol.wire import Value, array, fields, integer, octets

MAX_HAND = 1_000_000
"""As many packs as there may be at one table."""

MAX_KEYS = 6


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table goes on.

    ``table``: the id of the other table. ``hand``: the number of the next hand there, from 1.
    ``standing``: its standing as plain values. ``keys``: the identity keys there, by seat.
    """

    table: bytes
    hand: int
    standing: Plain
    keys: tuple[bytes, ...]

    @property
    def most_new(self) -> int:
        """How many players may be new: more than half of the seats keep their keys."""
        return (len(self.keys) - 1) // 2

    def value(self) -> Value:
        """The origin as a wire value."""
        return (self.table, self.hand, _wire(self.standing), self.keys)

    def seating(self, keys: Sequence[bytes]) -> tuple[int | None, ...]:
        """For each seat the index of the player who has it; None as long as nobody has.

        Who had a seat has it again; who is new gets the seats that are left, lowest first, in the
        order of ``keys``, once there is a player for every seat. Raises PeerFault ``origin`` for
        more players than seats, and for more new ones than may be.
        """
        new = [index for index, key in enumerate(keys) if key not in self.keys]
        if len(keys) > len(self.keys) or len(new) > self.most_new:
            raise PeerFault("origin", "too few of the players have been at the table before")
        seats = [keys.index(key) if key in keys else None for key in self.keys]
        if len(keys) == len(self.keys):
            left = iter(new)
            seats = [next(left) if index is None else index for index in seats]
        return tuple(seats)


def origin_value(origin: Origin | None) -> Value:
    """The wire value of what may be missing."""
    return () if origin is None else origin.value()


def read_origin(value: Value) -> Origin | None:
    """An origin from a wire value, or None; its form alone is checked. Raises PeerFault."""
    if value == ():
        return None
    table, hand, standing, keys = fields(value, 4, "an origin")
    found = tuple(
        check_identity_key(octets(key, KEY_BYTES, "an identity key"))
        for key in array(keys, MAX_KEYS, "the keys of an origin")
    )
    if len(set(found)) != len(found):
        raise PeerFault("origin", "one key had two seats at the table before")
    return Origin(
        octets(table, DIGEST_BYTES, "a table's id"),
        integer(hand, 1, MAX_HAND, "the number of a hand"),
        _plain(standing),
        found,
    )


def standing_of(origin: Origin, game: Game, options: Options, seats: int) -> Standing:
    """The standing that such a table begins with; raises PeerFault ``origin``.

    It must be one that the game can have between hands, and from which these seats, if all are
    present, play on.
    """
    if len(origin.keys) != seats:
        raise PeerFault("origin", f"a table of {len(origin.keys)} cannot go on with {seats}")
    try:
        standing = game.restored(options, seats, origin.standing)
    except StandingError as error:
        raise PeerFault("origin", f"no standing to go on from: {error}") from None
    if not _goes_on(game, options, standing, frozenset(range(seats))):
        raise PeerFault("origin", "with this standing the match is over")
    return standing


def check_seats(origin: Origin, keys: Sequence[bytes]) -> None:
    """Raises PeerFault ``origin`` unless the keys by seat are such as may go on: SPEC 5.1."""
    if origin.seating(keys) != tuple(range(len(keys))):
        raise PeerFault("origin", "a player of the table before is at another seat")


def _goes_on(game: Game, options: Options, standing: Standing, seats: frozenset[int]) -> bool:
    between = game.interlude(options, standing, seats)
    if between is not None and game.over(between):
        standing, between = game.settle(between), None
    if game.match(options, standing, seats) is not None:
        return False
    return between is not None or bool(game.dealt_in(options, standing, seats))


def _wire(plain: Plain) -> Value:
    """A plain value as a wire value, which have the same shape but for bytes."""
    return tuple(map(_wire, plain)) if isinstance(plain, tuple) else plain


def _plain(value: Value) -> Plain:
    if isinstance(value, bytes):
        raise PeerFault("encoding", "a standing must hold only numbers, words and arrays")
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value
