"""The agreement of a table: what is played, by whom, on which seats; signed by all. SPEC 5.1.

First the roster (game, options, names, keys, bots) is fixed; each player commits to a nonce for
that very roster; all reveal; the agreement is roster and nonces, signed by all. The seats follow
from the nonces, so nobody chooses who sits where; but where a table goes on from another one
(``protocol.origin``) they are those that the players had there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine import Game, OptionError, Options, Standing, complete, game, game_names
from protocol.errors import PeerFault
from protocol.hashing import digest, permutation
from protocol.identity_keys import check_identity_key
from protocol.origin import Origin, check_seats, origin_value, read_origin, standing_of
from protocol.signing import KEY_BYTES, SIGNATURE_BYTES, sign, verified
from protocol.wire import Value, array, fields, octets, pack, text, unpack
from protocol.words import WORDS

VERSION = 1
"""The version of the protocol; peers of another one are refused at the handshake."""

MAX_NAME = 40
"""Bytes of a player's or a table's name: short enough for one line at a small screen."""

MAX_SEATS = 6
NONCE_BYTES = 32


@dataclass(frozen=True, slots=True)
class Player:
    """One player. ``owner`` is empty for a person, else the key of the bot's owner."""

    key: bytes
    name: str
    owner: bytes = b""


@dataclass(frozen=True)
class Roster:
    """What is agreed before the seats are drawn; players in the order in which they joined.

    ``origin``: what the table goes on from, if it does; the players are in the order of the seats.
    """

    table: str
    game: str
    options: tuple[tuple[str, int | str], ...]
    players: tuple[Player, ...]
    origin: Origin | None = None

    @cached_property
    def body(self) -> bytes:
        """The canonical bytes, which every commitment covers."""
        return pack(self.value())

    def value(self) -> tuple[Value, ...]:
        """The roster as a wire value."""
        players = tuple((player.key, player.name, player.owner) for player in self.players)
        origin = origin_value(self.origin)
        return (VERSION, self.table, self.game, self.options, players, origin)

    def commitment(self, key: bytes, nonce: bytes) -> bytes:
        """What the player with this key publishes before anybody reveals a nonce."""
        return digest("nonce", self.body, key, nonce)

    def index(self, key: bytes) -> int:
        """The place of a key in the list; raises ValueError if it is not in it."""
        return [player.key for player in self.players].index(key)


def read_roster(value: Value) -> Roster:
    """A roster from a wire value, checked in full; raises PeerFault."""
    version, table, name, options, players, start = fields(value, 6, "a roster")
    if version != VERSION:
        raise PeerFault("version", f"a table of protocol version {version!r}, this is {VERSION}")
    table = text(table, MAX_NAME, "a table's name")
    name = text(name, 32, "a game's name")
    if name not in game_names():
        raise PeerFault("game", f"the game {name!r} is unknown here")
    found = game(name)
    people = tuple(_read_player(player) for player in array(players, MAX_SEATS, "the players"))
    if len(people) not in found.seats:
        raise PeerFault("seats", f"{found.title} cannot be played by {len(people)}")
    if len({player.key for player in people}) != len(people):
        raise PeerFault("key.repeated", "one key has two seats")
    chosen = _read_options(found, options)
    origin = read_origin(start)
    if origin is not None:
        standing_of(origin, found, dict(chosen), len(people))
        check_seats(origin, tuple(player.key for player in people))
    return Roster(table, name, chosen, people, origin)


def _read_player(value: Value) -> Player:
    key, name, owner = fields(value, 3, "a player")
    key = octets(key, KEY_BYTES, "an identity key")
    check_identity_key(key)
    if owner != b"":
        check_identity_key(octets(owner, KEY_BYTES, "an owner's key"))
    assert isinstance(owner, bytes)
    return Player(key, text(name, MAX_NAME, "a name"), owner)


def _read_options(found: Game, value: Value) -> tuple[tuple[str, int | str], ...]:
    """The options: all of them, in declared order, each of its kind and in range."""
    pairs: list[tuple[str, int | str]] = []
    for item in array(value, 64, "the options"):
        name, chosen = fields(item, 2, "an option")
        if not isinstance(name, str) or isinstance(chosen, (bytes, tuple)):
            raise PeerFault("options", "an option must be a name with a word or a number")
        pairs.append((name, chosen))
    try:
        completed = tuple(complete(found.options, dict(pairs)).items())
    except OptionError as error:
        raise PeerFault("options", str(error)) from None
    if tuple(pairs) != completed:
        raise PeerFault("options", "the options must be all there, in their order")
    return completed


@dataclass(frozen=True)
class Agreement:
    """Roster and nonces (in the roster's order); with the signatures of all it opens a table."""

    roster: Roster
    nonces: tuple[bytes, ...]

    @cached_property
    def body(self) -> bytes:
        """The canonical bytes that everybody signs."""
        return pack((self.roster.value(), self.nonces))

    @cached_property
    def table_id(self) -> bytes:
        """The hash that names this table in every entry."""
        return digest("agreement", self.body)

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """The players by seat."""
        if self.roster.origin is not None:
            return self.roster.players
        seed = digest("seat seed", self.roster.body, list(self.nonces))
        order = permutation("seat order", seed, len(self.roster.players))
        return tuple(self.roster.players[index] for index in order)

    @cached_property
    def keys(self) -> tuple[bytes, ...]:
        """The identity keys by seat."""
        return tuple(player.key for player in self.players)

    @property
    def game(self) -> Game:
        """The rules that are played."""
        return game(self.roster.game)

    @cached_property
    def options(self) -> Options:
        """All options with their values."""
        return dict(self.roster.options)

    @property
    def standing(self) -> Standing:
        """The standing that the table begins with."""
        origin, count = self.roster.origin, len(self.roster.players)
        if origin is None:
            return self.game.opening(self.options, count)
        return standing_of(origin, self.game, self.options, count)

    @property
    def first_hand(self) -> int:
        """The number of its first hand."""
        return 1 if self.roster.origin is None else self.roster.origin.hand

    def signature(self, key: Ed25519PrivateKey) -> bytes:
        """A player's signature of the agreement."""
        return sign(key, "agreement", self.body)

    def sealed(self, signatures: tuple[bytes, ...]) -> bytes:
        """The agreement with all signatures, in the roster's order: the record's first object."""
        return pack((self.body, signatures))


def table_code(table_id: bytes) -> tuple[str, str, str, str]:
    """The table code: the first 44 bits of a table's id as four words of 2048. SPEC 5.1."""
    bits = int.from_bytes(table_id[:6], "big") >> 4
    first, second, third, fourth = (WORDS[bits >> shift & 2047] for shift in (33, 22, 11, 0))
    return first, second, third, fourth


def read_agreement(sealed: bytes) -> Agreement:
    """A signed agreement, checked in full; raises PeerFault naming what is wrong."""
    body, signatures = fields(unpack(sealed), 2, "an agreement")
    if not isinstance(body, bytes):
        raise PeerFault("encoding", "an agreement's body must be bytes")
    roster_value, nonces = fields(unpack(body), 2, "an agreement's body")
    roster = read_roster(roster_value)
    count = len(roster.players)
    agreement = Agreement(
        roster,
        tuple(octets(n, NONCE_BYTES, "a nonce") for n in fields(nonces, count, "the nonces")),
    )
    for player, item in zip(roster.players, fields(signatures, count, "signatures"), strict=True):
        signature = octets(item, SIGNATURE_BYTES, "a signature")
        if not verified(player.key, "agreement", body, signature):
            raise PeerFault("signature", f"the agreement is not signed by {player.name!r}")
    return agreement


def new_roster(
    table: str,
    name: str,
    options: Options,
    players: tuple[Player, ...],
    origin: Origin | None = None,
) -> Roster:
    """A roster of our own, checked like one from outside; raises PeerFault."""
    value: Value = (
        VERSION,
        table,
        name,
        tuple(options.items()),
        tuple((player.key, player.name, player.owner) for player in players),
        origin_value(origin),
    )
    return read_roster(value)
