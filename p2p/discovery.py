"""What peers call out on the local network, and what we make of it: hints, never more. SPEC 11.4.

Whoever is in the room can say anything here. So everything is bounded and read strictly, and a
sighting only tells which addresses to dial; who answers there is proved by AUTH.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import trio

from p2p.base32 import ALPHABET
from p2p.interfaces import can_be_dialled, is_loopback
from p2p.transport import Address
from protocol.agreement import MAX_NAME, MAX_SEATS, VERSION
from protocol.errors import LocalError, PeerFault
from protocol.identity_keys import check_identity_key
from protocol.wire import text

SERVICE_TYPE = "_facedown._tcp.local."

MAX_TABLES = 8
"""Tables that one peer announces; the record stays below 900 bytes, one packet."""

MAX_ADDRESSES = 8
MAX_GAME = 32

_LABEL_BYTES = 60
"""A DNS label has 63; three are left for the "-2" that a clash of names appends."""

_TXT_VERSION = "1"
_SHORT = re.compile(f"[{ALPHABET}]{{8}}")
_TAKEN = re.compile(r"(\d)/(\d)")
_VERSION = re.compile(r"[1-9]\d{0,8}")


@dataclass(frozen=True, slots=True)
class TableAd:
    """A table that is open for players: its name, its game, seats taken and seats in all."""

    name: str
    game: str
    taken: int
    seats: int


@dataclass(frozen=True, slots=True)
class Sighting:
    """What somebody called out; nothing of it is proved.

    ``instance`` tells sightings apart. ``short`` is the short form of the key as it was claimed,
    ``key`` the claimed key. ``tables`` is empty for peers of another ``version`` of the protocol.
    """

    instance: str
    name: str
    short: str
    key: bytes
    version: int
    addresses: tuple[Address, ...]
    tables: tuple[TableAd, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Somebody is there, or says something new; replaces the last sighting of that instance."""

    sighting: Sighting


@dataclass(frozen=True, slots=True)
class Lost:
    """Somebody said goodbye. Silence is no event: discovery tells nothing about being alive."""

    instance: str


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Discovery is off for now; ``reason`` is for people. It tries again by itself."""

    reason: str


Event: TypeAlias = Found | Lost | Unavailable


class Discovery(ABC):
    """Running discovery: a row of events, and what we call out ourselves."""

    @property
    @abstractmethod
    def events(self) -> trio.MemoryReceiveChannel[Event]:
        """What happens. Read it steadily: when 64 wait, discovery waits too."""

    @abstractmethod
    def announce(self, tables: Sequence[TableAd]) -> None:
        """Call out these tables from now on; returns at once. Raises LocalError for a bad name."""


def instance_label(name: str, short: str) -> str:
    """The name of our instance: name, hyphen, four characters, cut to a DNS label.

    Dots would be taken for the ends of labels by some readers; the full name is in the TXT record.
    """
    tail = f"-{short[:4]}"
    plain = " ".join(name.replace(".", " ").split())
    return plain.encode()[: _LABEL_BYTES - len(tail)].decode(errors="ignore").rstrip() + tail


def write_txt(name: str, key: bytes, short: str, tables: Sequence[TableAd]) -> dict[str, str]:
    """The TXT record: ``txtvers v id key n``, then ``t1`` to ``t8`` as ``taken/seats|game|name``.

    The first ``MAX_TABLES`` tables are told. Raises LocalError for text that others would refuse.
    """
    try:
        text(name, MAX_NAME, "a name")
        for table in tables:
            text(table.name, MAX_NAME, "a table's name")
            text(table.game, MAX_GAME, "a game's name")
    except PeerFault as fault:
        raise LocalError(fault.text) from None
    record = {
        "txtvers": _TXT_VERSION,
        "v": str(VERSION),
        "id": short,
        "key": key.hex(),
        "n": name,
    }
    for number, table in enumerate(tables[:MAX_TABLES], 1):
        record[f"t{number}"] = f"{table.taken}/{table.seats}|{table.game}|{table.name}"
    return record


def read_sighting(
    instance: str,
    txt: Mapping[bytes, bytes | None],
    hosts: Sequence[str],
    port: int | None,
    *,
    on_loopback: bool,
) -> Sighting:
    """What an instance calls out, checked in full; unknown fields of the record are passed over.

    ``hosts`` are numeric addresses, of which only those that can be dialled are kept: loopback if
    and only if we are on loopback, link-local IPv6 only with a scope. Raises PeerFault
    ``discovery`` for whatever does not fit, or if no address is left.
    """
    try:
        version = int(_matched(_VERSION, txt, b"v"))
        key = check_identity_key(_key(_field(txt, b"key")))
        short = _matched(_SHORT, txt, b"id")
        name = text(_field(txt, b"n"), MAX_NAME, "a name")
        tables = tuple(_tables(txt)) if version == VERSION else ()
    except PeerFault as fault:
        raise PeerFault("discovery", fault.text) from None
    addresses = _addresses(hosts, port, on_loopback)
    if not addresses:
        raise PeerFault("discovery", "no address that could be dialled")
    return Sighting(instance, name, short, key, version, addresses, tables)


def _field(txt: Mapping[bytes, bytes | None], key: bytes) -> str:
    value = txt.get(key)
    if value is None:
        raise PeerFault("discovery", f"the field {key.decode()!r} is missing")
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise PeerFault("discovery", f"the field {key.decode()!r} is no UTF-8") from None


def _matched(pattern: re.Pattern[str], txt: Mapping[bytes, bytes | None], key: bytes) -> str:
    value = _field(txt, key)
    if not value.isascii() or not pattern.fullmatch(value):
        raise PeerFault("discovery", f"the field {key.decode()!r} has another form")
    return value


def _key(value: str) -> bytes:
    if not re.fullmatch(r"[0-9a-f]{64}", value):
        raise PeerFault("discovery", "the field 'key' has another form")
    return bytes.fromhex(value)


def _tables(txt: Mapping[bytes, bytes | None]) -> list[TableAd]:
    """``t1``, ``t2`` and so on, up to the first that is missing."""
    tables: list[TableAd] = []
    while len(tables) < MAX_TABLES and (field := b"t%d" % (len(tables) + 1)) in txt:
        tables.append(_table(_field(txt, field)))
    return tables


def _table(value: str) -> TableAd:
    # The name comes last, so that it may hold the separator.
    seats, _, rest = value.partition("|")
    game, _, name = rest.partition("|")
    match = _TAKEN.fullmatch(seats) if seats.isascii() else None
    if match is None or not int(match[1]) <= int(match[2]) <= MAX_SEATS:
        raise PeerFault("discovery", "a table whose seats cannot be read")
    return TableAd(
        text(name, MAX_NAME, "a table's name"),
        text(game, MAX_GAME, "a game's name"),
        int(match[1]),
        int(match[2]),
    )


def _addresses(hosts: Sequence[str], port: int | None, on_loopback: bool) -> tuple[Address, ...]:
    if port is None or not 0 < port < 65536:
        return ()
    usable = [host for host in hosts if _can_be_dialled(host, on_loopback)]
    return tuple(Address(host, port) for host in dict.fromkeys(usable))[:MAX_ADDRESSES]


def _can_be_dialled(host: str, on_loopback: bool) -> bool:
    return is_loopback(host) if on_loopback else can_be_dialled(host)
