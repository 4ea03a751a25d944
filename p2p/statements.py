"""Signed statements of the lobby, which members pass on to each other. SPEC 11.6.

A statement's body is ``(version, lobby, count, kind, fields)``, signed under the label "lobby".
``count`` grows with every statement of an author, so that an old one cannot be said again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p.codec import addresses_to_wire, read_addresses, read_options
from p2p.messages import (
    LOBBY_ID_BYTES,
    MAX_CODE,
    MAX_STATEMENT,
    MAX_WORD,
    TOKEN_BYTES,
    Statement,
)
from p2p.transport import Address
from protocol.agreement import MAX_NAME, MAX_SEATS, NONCE_BYTES, VERSION
from protocol.errors import PeerFault
from protocol.hashing import DIGEST_BYTES
from protocol.identity_keys import check_identity_key
from protocol.origin import Origin, origin_value, read_origin
from protocol.signing import KEY_BYTES, SIGNATURE_BYTES, public_bytes, sign, verified
from protocol.wire import MAX_INTEGER, Value, array, fields, integer, octets, pack, text, unpack

MAX_REASON = 200
"""Bytes of the sentence that says why somebody was refused."""


@dataclass(frozen=True, slots=True)
class Member:
    """A player in the list of a table that waits. ``owner`` is empty for a person."""

    key: bytes
    name: str
    owner: bytes = b""
    addresses: tuple[Address, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """JOIN: the author asks for a seat. ``game`` is what it expects to be played.

    ``token`` is that of its invite code, or empty.
    """

    game: str
    name: str
    owner: bytes
    addresses: tuple[Address, ...]
    token: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """LIST, by the opener: the terms, and who has a seat, in the order of joining.

    ``origin``: what the table goes on from, if it does.
    """

    version: int
    table: str
    game: str
    options: tuple[tuple[str, int | str], ...]
    seats: int
    members: tuple[Member, ...]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """REFUSE: the one whose key this is gets no seat, or has it no more, and why."""

    key: bytes
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Commit:
    """COMMIT to a nonce, for the full list of this version."""

    version: int
    commitment: bytes


@dataclass(frozen=True, slots=True)
class Reveal:
    """REVEAL the nonce."""

    version: int
    nonce: bytes


@dataclass(frozen=True, slots=True)
class Sign:
    """SIGN the agreement that list and nonces make."""

    version: int
    signature: bytes


@dataclass(frozen=True, slots=True)
class Here:
    """HERE: the author still waits for the table to begin, and whether it would itself."""

    ready: bool


@dataclass(frozen=True, slots=True)
class Leave:
    """LEAVE: the author gives its seat up; the opener's LEAVE closes the table."""


Said: TypeAlias = Join | Listing | Refuse | Commit | Reveal | Sign | Here | Leave


@dataclass(frozen=True, slots=True)
class Heard:
    """A statement that has been read and whose signature is good."""

    author: bytes
    lobby: bytes
    count: int
    said: Said
    statement: Statement = field(repr=False)


def make(key: Ed25519PrivateKey, lobby: bytes, count: int, said: Said) -> Heard:
    """A new statement of our own."""
    kind, values = _to_wire(said)
    body = pack((VERSION, lobby, count, kind, values))
    author = public_bytes(key)
    return Heard(author, lobby, count, said, Statement(body, author, sign(key, "lobby", body)))


def read(statement: Statement) -> Heard:
    """Reads a statement; raises PeerFault without a seat if it is malformed or not well signed.

    Nobody passes such a statement on, so the link that it came by is to blame.
    """
    version, lobby, count, kind, values = fields(
        unpack(statement.body, MAX_STATEMENT), 5, "a statement"
    )
    if version != VERSION:
        raise PeerFault("version", f"a statement of protocol version {version!r}")
    lobby = octets(lobby, LOBBY_ID_BYTES, "a lobby's id")
    count = integer(count, 0, MAX_INTEGER, "a count")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise PeerFault("message", "a lobby statement of an unknown kind")
    said = reader(values)
    check_identity_key(statement.key)
    if not verified(statement.key, "lobby", statement.body, statement.signature):
        raise PeerFault("signature", "a lobby statement that is not signed by its author")
    return Heard(statement.key, lobby, count, said, statement)


def _to_wire(said: Said) -> tuple[str, Value]:
    match said:
        case Join(game, name, owner, addresses, token):
            return "join", (game, name, owner, addresses_to_wire(addresses), token)
        case Listing(version, table, game, options, seats, members, origin):
            found = tuple(
                (member.key, member.name, member.owner, addresses_to_wire(member.addresses))
                for member in members
            )
            start = origin_value(origin)
            return "list", (version, table, game, options, seats, found, start)
        case Refuse(key, code, reason):
            return "refuse", (key, code, reason)
        case Commit(version, commitment):
            return "commit", (version, commitment)
        case Reveal(version, nonce):
            return "reveal", (version, nonce)
        case Sign(version, signature):
            return "sign", (version, signature)
        case Here(ready):
            return "here", (int(ready),)
        case Leave():
            return "leave", ()


def _read_join(value: Value) -> Join:
    game, name, owner, addresses, token = fields(value, 5, "JOIN")
    return Join(
        text(game, MAX_WORD, "a game's name"),
        text(name, MAX_NAME, "a name"),
        _owner(owner),
        read_addresses(addresses),
        b"" if token == b"" else octets(token, TOKEN_BYTES, "a token"),
    )


def _read_listing(value: Value) -> Listing:
    version, table, game, options, seats, members, origin = fields(value, 7, "LIST")
    return Listing(
        _version(version),
        text(table, MAX_NAME, "a table's name"),
        text(game, MAX_WORD, "a game's name"),
        read_options(options),
        integer(seats, 2, MAX_SEATS, "the seats"),
        tuple(_read_member(item) for item in array(members, MAX_SEATS, "the members")),
        read_origin(origin),
    )


def _read_member(value: Value) -> Member:
    key, name, owner, addresses = fields(value, 4, "a member")
    return Member(
        check_identity_key(octets(key, KEY_BYTES, "a key")),
        text(name, MAX_NAME, "a name"),
        _owner(owner),
        read_addresses(addresses),
    )


def _read_refuse(value: Value) -> Refuse:
    key, code, reason = fields(value, 3, "REFUSE")
    return Refuse(
        octets(key, KEY_BYTES, "a key"),
        text(code, MAX_CODE, "a code"),
        text(reason, MAX_REASON, "a reason"),
    )


def _read_commit(value: Value) -> Commit:
    version, commitment = fields(value, 2, "COMMIT")
    return Commit(_version(version), octets(commitment, DIGEST_BYTES, "a commitment"))


def _read_reveal(value: Value) -> Reveal:
    version, nonce = fields(value, 2, "REVEAL")
    return Reveal(_version(version), octets(nonce, NONCE_BYTES, "a nonce"))


def _read_sign(value: Value) -> Sign:
    version, signature = fields(value, 2, "SIGN")
    return Sign(_version(version), octets(signature, SIGNATURE_BYTES, "a signature"))


def _read_here(value: Value) -> Here:
    (ready,) = fields(value, 1, "HERE")
    return Here(integer(ready, 0, 1, "whether somebody is ready") == 1)


def _read_leave(value: Value) -> Leave:
    fields(value, 0, "LEAVE")
    return Leave()


def _version(value: Value) -> int:
    return integer(value, 1, MAX_INTEGER, "a list's version")


def _owner(value: Value) -> bytes:
    if value == b"":
        return b""
    return check_identity_key(octets(value, KEY_BYTES, "an owner's key"))


_READERS: dict[str, Callable[[Value], Said]] = {
    "join": _read_join,
    "list": _read_listing,
    "refuse": _read_refuse,
    "commit": _read_commit,
    "reveal": _read_reveal,
    "sign": _read_sign,
    "here": _read_here,
    "leave": _read_leave,
}
