"""Discovery: what is called out, and how strictly it is read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import zeroconf
from hypothesis import given
from hypothesis import strategies as st

from p2p import identity
from p2p.discovery import (
    MAX_ADDRESSES,
    MAX_TABLES,
    SERVICE_TYPE,
    Sighting,
    TableAd,
    instance_label,
    read_sighting,
    write_txt,
)
from p2p.transport import Address
from protocol.errors import LocalError, PeerFault

BOB = identity.make(b"bob".ljust(32))
TABLE = TableAd("Tuesday | round", "hazari", 2, 4)


def txt(**changes: bytes | None) -> dict[bytes, bytes | None]:
    """Bob's record as it arrives, with changes; a field that is None is left out."""
    record = write_txt("Bob", BOB.key, "ABCD1234", [TABLE])
    arrived: dict[bytes, bytes | None] = {
        field.encode(): value.encode() for field, value in record.items()
    }
    arrived |= {field.encode(): value for field, value in changes.items()}
    return {field: value for field, value in arrived.items() if value is not None}


def read(
    record: dict[bytes, bytes | None],
    hosts: Sequence[str] = ("10.0.0.5",),
    port: int | None = 7421,
    on_loopback: bool = False,
) -> Sighting:
    return read_sighting("Bob-ABCD", record, hosts, port, on_loopback=on_loopback)


def test_what_is_written_can_be_read() -> None:
    """Names with the separator in them too."""
    assert read(txt()) == Sighting(
        "Bob-ABCD",
        "Bob",
        "ABCD1234",
        BOB.key,
        1,
        (Address("10.0.0.5", 7421),),
        (TABLE,),
    )


def test_the_record_is_short_and_readable() -> None:
    """One packet holds it with all that comes along, and people can read it with any tool."""
    record = write_txt("Bob", BOB.key, "ABCD1234", [TABLE])
    assert list(record.items()) == [
        ("txtvers", "1"),
        ("v", "1"),
        ("id", "ABCD1234"),
        ("key", BOB.key.hex()),
        ("n", "Bob"),
        ("t1", "2/4|hazari|Tuesday | round"),
    ]
    full = write_txt("ö" * 20, BOB.key, "ABCD1234", [TableAd("ü" * 20, "g" * 32, 0, 6)] * 20)
    sizes = [len(f"{field}={value}".encode()) for field, value in full.items()]
    assert max(sizes) < 255
    assert sum(sizes) + len(sizes) < 900
    assert len(full) == 5 + MAX_TABLES


@pytest.mark.parametrize("name", ["", "x" * 41, "a\nb", "a\x1b[0m", "\u202eBob"])
def test_names_that_others_would_refuse_are_not_called_out(name: str) -> None:
    """Our own mistake, told as such."""
    with pytest.raises(LocalError):
        write_txt(name, BOB.key, "ABCD1234", [])
    with pytest.raises(LocalError):
        write_txt("Bob", BOB.key, "ABCD1234", [TableAd(name, "hazari", 0, 4)])


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Bob", "Bob-ABCD"),
        ("Dr. Bob  Jr.", "Dr Bob Jr-ABCD"),
        ("x" * 70, "x" * 55 + "-ABCD"),
        ("ö" * 40, "ö" * 27 + "-ABCD"),
        ("…", "…-ABCD"),
        ("...", "-ABCD"),
    ],
)
def test_instance_names_fit_a_dns_label(name: str, label: str) -> None:
    """Cut on a whole character, with room for the number that a clash appends."""
    assert instance_label(name, "ABCD1234") == label
    assert len(label.encode()) <= 60
    zeroconf.ServiceInfo(SERVICE_TYPE, f"{label}.{SERVICE_TYPE}")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"v": None}, id="no version"),
        pytest.param({"v": b""}, id="empty version"),
        pytest.param({"v": b"0"}, id="version 0"),
        pytest.param({"v": b"01"}, id="version with a zero in front"),
        pytest.param({"v": "١".encode()}, id="version in other digits"),
        pytest.param({"v": b"9" * 200}, id="long version"),
        pytest.param({"id": b"abcd1234"}, id="small letters"),
        pytest.param({"id": b"ABCD123"}, id="short id"),
        pytest.param({"id": b"ABCD1234\n"}, id="id with a newline"),
        pytest.param({"id": b"ABCDU234"}, id="a letter that is in no id"),
        pytest.param({"key": b"00" * 32}, id="a key of small order"),
        pytest.param({"key": b"ff" * 32}, id="a key that is not canonical"),
        pytest.param({"key": BOB.key.hex().upper().encode()}, id="key in capitals"),
        pytest.param({"key": b" ".join([BOB.key.hex().encode(), b""])}, id="key and a space"),
        pytest.param({"key": None}, id="no key"),
        pytest.param({"n": b""}, id="no name"),
        pytest.param({"n": b"\xff"}, id="name that is no UTF-8"),
        pytest.param({"n": b"x" * 41}, id="long name"),
        pytest.param({"n": b"a\x00b"}, id="zero in the name"),
        pytest.param({"n": "a\u2028b".encode()}, id="line break in the name"),
        pytest.param({"n": "\u202ebob".encode()}, id="turned name"),
        pytest.param({"t1": b""}, id="empty table"),
        pytest.param({"t1": b"5/4|hazari|x"}, id="more taken than seats"),
        pytest.param({"t1": b"0/9|hazari|x"}, id="too many seats"),
        pytest.param({"t1": b"-1/4|hazari|x"}, id="less than nobody"),
        pytest.param({"t1": "٢/٤|hazari|x".encode()}, id="other digits"),
        pytest.param({"t1": b"2/4|hazari"}, id="table without a name"),
        pytest.param({"t1": b"2/4||x"}, id="table without a game"),
        pytest.param({"t2": b"2/4|hazari|\x1b[2J"}, id="second table"),
    ],
)
def test_a_record_that_does_not_fit_is_no_sighting(changes: dict[str, bytes | None]) -> None:
    """Nothing of it reaches the screen."""
    with pytest.raises(PeerFault) as fault:
        read(txt(**changes))
    assert fault.value.code == "discovery"


def test_fields_of_later_versions_are_passed_over() -> None:
    """So that the record can grow."""
    assert read(txt(z=b"\xff\x00", T1=b"nonsense")) == read(txt())


def test_a_peer_of_another_version_is_seen_without_its_tables() -> None:
    """So that people learn why they cannot play together; its tables may look otherwise."""
    sighting = read(txt(v=b"2", t1=b"who knows"))
    assert (sighting.version, sighting.name, sighting.tables) == (2, "Bob", ())


@pytest.mark.parametrize(
    ("hosts", "on_loopback", "kept"),
    [
        (["10.0.0.5", "127.0.0.1", "::1"], False, ["10.0.0.5"]),
        (["10.0.0.5", "127.0.0.1", "127.0.0.2"], True, ["127.0.0.1", "127.0.0.2"]),
        (["fe80::1", "fe80::1%2", "2001:db8::1"], False, ["fe80::1%2", "2001:db8::1"]),
        (["0.0.0.0", "::", "224.0.0.1", "ff02::1", "169.254.3.4"], False, ["169.254.3.4"]),
        (["host.example", "", "10.0.0.5", "10.0.0.5"], False, ["10.0.0.5"]),
        ([f"10.0.0.{n}" for n in range(50)], False, [f"10.0.0.{n}" for n in range(8)]),
    ],
)
def test_addresses_that_cannot_be_dialled_are_dropped(
    hosts: list[str], on_loopback: bool, kept: list[str]
) -> None:
    """What is left is little, and each once."""
    sighting = read(txt(), hosts, on_loopback=on_loopback)
    assert [address.host for address in sighting.addresses] == kept
    assert len(kept) <= MAX_ADDRESSES


@pytest.mark.parametrize(
    ("hosts", "port"),
    [([], 7421), (["127.0.0.1"], 7421), (["10.0.0.5"], 0), (["10.0.0.5"], None)],
)
def test_a_peer_that_cannot_be_dialled_is_no_sighting(hosts: list[str], port: int | None) -> None:
    """There is nothing to do with it."""
    with pytest.raises(PeerFault, match="no address"):
        read(txt(), hosts, port)


FIELDS = st.sampled_from([b"txtvers", b"v", b"id", b"key", b"n", b"t1", b"t2", b"t8", b"x"])


@given(st.dictionaries(FIELDS, st.none() | st.binary(max_size=255)))
def test_any_record_is_read_or_refused(noise: dict[bytes, bytes | None]) -> None:
    """Nothing but a sighting or a PeerFault comes out, whatever goes in."""
    try:
        sighting = read(txt() | noise)
    except PeerFault as fault:
        assert fault.code == "discovery"  # noqa: PT017
    else:
        assert len(sighting.tables) <= MAX_TABLES
