"""Messages as bytes: one canonical array per frame, its kind first, every field checked. SPEC 11.5.

Whatever is unknown or malformed raises a PeerFault without a seat: the link that it came by is
closed, and nothing else happens.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from itertools import pairwise

from p2p.messages import (
    ALL_SENT,
    LOBBY_ID_BYTES,
    MAX_ADDRESSES,
    MAX_BYE,
    MAX_CHAT,
    MAX_CHUNK,
    MAX_CODE,
    MAX_HOST,
    MAX_LANES,
    MAX_ONLOOKERS,
    MAX_OPTIONS,
    MAX_STATEMENT,
    MAX_TABLES,
    MAX_VOTE,
    MAX_WORD,
    MORE_FOLLOWS,
    TABLE_ID_BYTES,
    TOKEN_BYTES,
    Admit,
    Agreed,
    Bye,
    Chat,
    Entries,
    EnvelopeMessage,
    Have,
    Knock,
    LanePosition,
    Members,
    Message,
    Onlookers,
    Ping,
    Pong,
    Statement,
    TableInfo,
    Tables,
    Unwatch,
    VoteMessage,
    Watch,
)
from p2p.transport import Address
from protocol.agreement import MAX_NAME, MAX_SEATS
from protocol.envelope import MAX_LANE, MAX_STEP
from protocol.errors import PeerFault
from protocol.signing import KEY_BYTES, SIGNATURE_BYTES
from protocol.wire import MAX_BYTES, MAX_INTEGER, Value, array, fields, integer, octets, text


def to_wire(message: Message) -> Value:
    """The array that is sent for a message."""
    match message:
        case Tables(tables):
            return ("tables", tuple(_table_to_wire(info) for info in tables))
        case Statement(body, key, signature):
            return ("lobby", body, key, signature)
        case Knock(token):
            return ("knock", token)
        case Admit(tables):
            return ("admit", tuple(_table_to_wire(info) for info in tables))
        case Chat(body, key, signature):
            return ("chat", body, key, signature)
        case Agreed(sealed):
            return ("agreed", sealed)
        case EnvelopeMessage(table, envelope):
            return ("envelope", table, envelope)
        case VoteMessage(table, vote, entry):
            return ("vote", table, vote, entry)
        case Have(table, lanes):
            return ("have", table, tuple((lane.lane, lane.step, lane.missing) for lane in lanes))
        case Entries(table, envelopes, left, votes):
            return ("entries", table, envelopes, left, votes)
        case Ping(number, table, positions):
            return ("ping", number, table, positions)
        case Pong(number):
            return ("pong", number)
        case Members(table, members):
            found = tuple((key, addresses_to_wire(addresses)) for key, addresses in members)
            return ("members", table, found)
        case Watch(lobby, name):
            return ("watch", lobby, name)
        case Unwatch(code, reason):
            return ("unwatch", code, reason)
        case Onlookers(table, players):
            return ("onlookers", table, players)
        case Bye(code, reason):
            return ("bye", code, reason)


def from_wire(value: Value) -> Message:
    """The message that an array stands for; raises PeerFault ``message`` or ``encoding``."""
    if not isinstance(value, tuple) or not value or not isinstance(value[0], str):
        raise PeerFault("message", "a message must be an array that opens with its kind")
    kind, *rest = value
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise PeerFault("message", "a message of an unknown kind")
    return reader(tuple(rest))


def _table_to_wire(info: TableInfo) -> Value:
    return (
        info.lobby,
        info.opener,
        info.table,
        info.game,
        info.options,
        info.seats,
        info.taken,
        info.origin,
    )


def _read_tables(value: Value) -> Tables:
    (tables,) = fields(value, 1, "TABLES")
    return Tables(tuple(_read_table(item) for item in array(tables, MAX_TABLES, "the tables")))


def _read_table(value: Value) -> TableInfo:
    lobby, opener, table, game, options, seats, taken, origin = fields(value, 8, "a table")
    seats = integer(seats, 2, MAX_SEATS, "the seats")
    return TableInfo(
        octets(lobby, LOBBY_ID_BYTES, "a lobby's id"),
        octets(opener, KEY_BYTES, "a key"),
        text(table, MAX_NAME, "a table's name"),
        text(game, MAX_WORD, "a game's name"),
        read_options(options),
        seats,
        integer(taken, 0, seats, "the seats taken"),
        b"" if origin == b"" else octets(origin, TABLE_ID_BYTES, "a table's id"),
    )


def read_options(value: Value) -> tuple[tuple[str, int | str], ...]:
    """Options as pairs of a name with a word or a number; whether a game allows them is not asked.

    Raises PeerFault ``encoding``.
    """
    return tuple(_read_option(item) for item in array(value, MAX_OPTIONS, "the options"))


def _read_option(value: Value) -> tuple[str, int | str]:
    name, chosen = fields(value, 2, "an option")
    name = text(name, MAX_WORD, "an option's name")
    if isinstance(chosen, int):
        return name, chosen
    return name, text(chosen, MAX_WORD, "an option's word")


def addresses_to_wire(addresses: tuple[Address, ...]) -> Value:
    """The array of a peer's addresses; those beyond MAX_ADDRESSES are left out."""
    return tuple((address.host, address.port) for address in addresses[:MAX_ADDRESSES])


def read_addresses(value: Value) -> tuple[Address, ...]:
    """The addresses of one peer; raises PeerFault ``encoding`` for what no peer could have."""
    return tuple(_read_address(item) for item in array(value, MAX_ADDRESSES, "the addresses"))


def _read_address(value: Value) -> Address:
    host, port = fields(value, 2, "an address")
    host = text(host, MAX_HOST, "an address")
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        raise PeerFault("encoding", "an address that is no IP address") from None
    if parsed.is_unspecified or parsed.is_multicast:
        raise PeerFault("encoding", "an address that belongs to no single computer")
    return Address(host, integer(port, 1, 65535, "a port"))


def _read_statement(value: Value) -> Statement:
    body, key, signature = fields(value, 3, "LOBBY")
    return Statement(
        _blob(body, MAX_STATEMENT, "a statement"),
        octets(key, KEY_BYTES, "a key"),
        octets(signature, SIGNATURE_BYTES, "a signature"),
    )


def _read_knock(value: Value) -> Knock:
    (token,) = fields(value, 1, "KNOCK")
    return Knock(octets(token, TOKEN_BYTES, "a token"))


def _read_admit(value: Value) -> Admit:
    (tables,) = fields(value, 1, "ADMIT")
    return Admit(tuple(_read_table(item) for item in array(tables, 1, "the tables")))


def _read_chat(value: Value) -> Chat:
    body, key, signature = fields(value, 3, "CHAT")
    return Chat(
        _blob(body, MAX_CHAT, "what is said"),
        octets(key, KEY_BYTES, "a key"),
        octets(signature, SIGNATURE_BYTES, "a signature"),
    )


def _read_agreed(value: Value) -> Agreed:
    (sealed,) = fields(value, 1, "AGREED")
    return Agreed(_blob(sealed, MAX_BYTES, "an agreement"))


def _read_envelope(value: Value) -> EnvelopeMessage:
    table, envelope = fields(value, 2, "ENVELOPE")
    return EnvelopeMessage(_table_id(table), _blob(envelope, MAX_BYTES, "an envelope"))


def _read_vote(value: Value) -> VoteMessage:
    table, vote, entry = fields(value, 3, "VOTE")
    return VoteMessage(_table_id(table), *_vote_and_entry(vote, entry))


def _vote_and_entry(vote: Value, entry: Value) -> tuple[bytes, bytes]:
    vote = _blob(vote, MAX_VOTE, "a vote")
    return vote, b"" if entry == b"" else _blob(entry, MAX_BYTES, "an envelope")


def _read_have(value: Value) -> Have:
    table, lanes = fields(value, 2, "HAVE")
    found = tuple(_read_position(item) for item in array(lanes, MAX_LANES, "the lanes"))
    _ascending([position.lane for position in found])
    return Have(_table_id(table), found)


def _read_position(value: Value) -> LanePosition:
    lane, step, missing = fields(value, 3, "a position")
    seats = array(missing, MAX_SEATS, "the seats")
    return LanePosition(
        integer(lane, 0, MAX_LANE, "a lane"),
        integer(step, 1, MAX_STEP, "a step"),
        tuple(integer(seat, 0, MAX_SEATS - 1, "a seat") for seat in seats),
    )


def _read_entries(value: Value) -> Entries:
    table, envelopes, left, votes = fields(value, 4, "ENTRIES")
    chunk = array(envelopes, MAX_CHUNK, "the entries")
    pairs = [fields(item, 2, "a vote") for item in array(votes, MAX_CHUNK, "the votes")]
    return Entries(
        _table_id(table),
        tuple(_blob(item, MAX_BYTES, "an envelope") for item in chunk),
        integer(left, ALL_SENT, MORE_FOLLOWS, "what is left"),
        tuple(_vote_and_entry(vote, entry) for vote, entry in pairs),
    )


def _read_ping(value: Value) -> Ping:
    number, table, positions = fields(value, 3, "PING")
    if table != b"":
        _table_id(table)
    assert isinstance(table, bytes)
    pairs = []
    for item in array(positions, MAX_LANES, "the lanes"):
        lane, step = fields(item, 2, "a position")
        pairs.append((integer(lane, 0, MAX_LANE, "a lane"), integer(step, 1, MAX_STEP, "a step")))
    _ascending([lane for lane, _ in pairs])
    return Ping(integer(number, 0, MAX_INTEGER, "a number"), table, tuple(pairs))


def _read_pong(value: Value) -> Pong:
    (number,) = fields(value, 1, "PONG")
    return Pong(integer(number, 0, MAX_INTEGER, "a number"))


def _read_members(value: Value) -> Members:
    table, members = fields(value, 2, "MEMBERS")
    found = []
    for item in array(members, MAX_SEATS, "the members"):
        key, addresses = fields(item, 2, "a member")
        found.append((octets(key, KEY_BYTES, "a key"), read_addresses(addresses)))
    return Members(_table_id(table), tuple(found))


def _read_watch(value: Value) -> Watch:
    lobby, name = fields(value, 2, "WATCH")
    return Watch(octets(lobby, LOBBY_ID_BYTES, "a lobby's id"), text(name, MAX_NAME, "a name"))


def _read_unwatch(value: Value) -> Unwatch:
    code, reason = fields(value, 2, "UNWATCH")
    return Unwatch(text(code, MAX_CODE, "a code"), text(reason, MAX_BYE, "a reason"))


def _read_onlookers(value: Value) -> Onlookers:
    table, players = fields(value, 2, "ONLOOKERS")
    found = []
    for item in array(players, MAX_ONLOOKERS, "those who look on"):
        key, name = fields(item, 2, "one who looks on")
        found.append((octets(key, KEY_BYTES, "a key"), text(name, MAX_NAME, "a name")))
    return Onlookers(_table_id(table), tuple(found))


def _read_bye(value: Value) -> Bye:
    code, reason = fields(value, 2, "BYE")
    return Bye(text(code, MAX_CODE, "a code"), text(reason, MAX_BYE, "a reason"))


def _table_id(value: Value) -> bytes:
    return octets(value, TABLE_ID_BYTES, "a table's id")


def _blob(value: Value, most: int, what: str) -> bytes:
    if not isinstance(value, bytes) or not 0 < len(value) <= most:
        raise PeerFault("encoding", f"{what} must be 1 to {most} bytes")
    return value


def _ascending(lanes: list[int]) -> None:
    if any(a >= b for a, b in pairwise(lanes)):
        raise PeerFault("encoding", "lanes must ascend")


_READERS: dict[str, Callable[[Value], Message]] = {
    "tables": _read_tables,
    "lobby": _read_statement,
    "knock": _read_knock,
    "admit": _read_admit,
    "chat": _read_chat,
    "agreed": _read_agreed,
    "envelope": _read_envelope,
    "vote": _read_vote,
    "have": _read_have,
    "entries": _read_entries,
    "ping": _read_ping,
    "pong": _read_pong,
    "members": _read_members,
    "watch": _read_watch,
    "unwatch": _read_unwatch,
    "onlookers": _read_onlookers,
    "bye": _read_bye,
}
