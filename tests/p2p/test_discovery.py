"""Discovery: what is called out, how strictly it is read, and real multicast on loopback."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import pytest
import trio
import zeroconf
from hypothesis import given
from hypothesis import strategies as st

from p2p import identity, mdns_calls, multicast
from p2p.discovery import (
    MAX_ADDRESSES,
    MAX_TABLES,
    SERVICE_TYPE,
    Discovery,
    Event,
    Found,
    Lost,
    Sighting,
    TableAd,
    Unavailable,
    instance_label,
    read_sighting,
    write_txt,
)
from p2p.multicast import open_multicast
from p2p.transport import Address
from protocol.errors import LocalError, PeerFault

pytestmark = pytest.mark.alone

LOOPBACK = "127.0.0.1"
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


# From here on with real sockets on loopback, each test with a service type of its own.


@dataclass
class Watcher:
    """One running discovery and what it told."""

    discovery: Discovery
    events: list[Event] = field(default_factory=list)

    async def until(self, wanted: object, seconds: float = 15) -> None:
        """Read events until one is as wanted: equal, or of a name in a Found."""
        with trio.fail_after(seconds):
            async for event in self.discovery.events:
                self.events.append(event)
                if event == wanted:
                    return
                if isinstance(event, Found) and event.sighting.name == wanted:
                    return

    def last(self, name: str) -> Sighting:
        sightings = [event.sighting for event in self.events if isinstance(event, Found)]
        return [sighting for sighting in sightings if sighting.name == name][-1]


def own_type() -> str:
    return f"_fdt{secrets.token_hex(4)}._tcp.local."


@asynccontextmanager
async def watching(
    service_type: str, name: str, port: int = 7421, poll: float = 5.0
) -> AsyncIterator[Watcher]:
    key = identity.make().key
    async with open_multicast(
        LOOPBACK, name, key, port, service_type=service_type, poll=poll
    ) as discovery:
        yield Watcher(discovery)


@pytest.mark.trio
async def test_peers_find_each_other_and_learn_what_changes() -> None:
    """Three on one machine: each sees the two others, their tables, and their goodbyes."""
    service_type = own_type()
    async with AsyncExitStack() as stack:
        alice = await stack.enter_async_context(watching(service_type, "Alice", 1001))
        bob = await stack.enter_async_context(watching(service_type, "Bob B.", 1002))
        async with watching(service_type, "Eve", 1003) as eve:
            async with trio.open_nursery() as nursery:
                for watcher, others in ((alice, "Bob B."), (bob, "Alice"), (eve, "Alice")):
                    nursery.start_soon(watcher.until, others)
            assert alice.last("Bob B.").addresses == (Address(LOOPBACK, 1002),)
            assert bob.last("Alice").tables == ()
            alice.discovery.announce([TABLE])
            with trio.fail_after(15):
                while bob.last("Alice").tables == ():
                    await bob.until("Alice")
            assert bob.last("Alice").tables == (TABLE,)
            if not any(isinstance(e, Found) and e.sighting.name == "Eve" for e in alice.events):
                await alice.until("Eve")
            gone = alice.last("Eve").instance
        await alice.until(Lost(gone), seconds=8)
    assert not any(isinstance(event, Unavailable) for event in alice.events + bob.events)
    names = {event.sighting.name for event in alice.events if isinstance(event, Found)}
    assert names == {"Bob B.", "Eve"}, "nobody finds himself"


@pytest.mark.trio
async def test_leaving_early_does_not_hang() -> None:
    """In the middle of the registration, which takes more than a second and is waited for."""
    started = trio.current_time()
    async with watching(own_type(), "Alice"):
        await trio.sleep(0.3)
    assert trio.current_time() - started < 5


@pytest.mark.trio
async def test_a_name_that_is_taken_gets_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """And both are found."""
    monkeypatch.setattr(multicast, "instance_label", lambda name, short: "Same")
    service_type = own_type()
    async with watching(service_type, "Alice") as alice:
        await trio.sleep(2.5)
        async with watching(service_type, "Bob") as bob:
            await bob.until("Alice")
            await alice.until("Bob")
            assert bob.last("Alice").instance == f"Same.{service_type}"
            assert alice.last("Bob").instance == f"Same-2.{service_type}"


@pytest.mark.trio
async def test_nonsense_on_the_network_is_passed_over() -> None:
    """Neither seen nor in the way of others."""
    service_type = own_type()
    records: list[bytes] = [b"", b"\x05hello", b"\x04n=\xff\xff\x03v=1"]
    loud = await trio.to_thread.run_sync(mdns_calls.start, mdns_calls.for_multicast([LOOPBACK]))
    try:
        for number, record in enumerate(records):
            info = zeroconf.ServiceInfo(
                service_type,
                f"loud {number}.{service_type}",
                port=9,
                properties=record,
                server=f"loud{number}.local.",
                parsed_addresses=[LOOPBACK],
            )
            await trio.to_thread.run_sync(mdns_calls.register, loud, info)
        async with watching(service_type, "Alice") as alice, watching(service_type, "Bob") as bob:
            await alice.until("Bob")
            await bob.until("Alice")
            assert [type(event) for event in alice.events] == [Found]
    finally:
        await trio.to_thread.run_sync(mdns_calls.close, loud, None)


@pytest.mark.trio
async def test_new_addresses_are_used_and_called_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after sleep, or when a cable is plugged in."""
    addresses: list[tuple[str, ...]] = [(LOOPBACK,)]
    monkeypatch.setattr(multicast, "local_addresses", lambda choice: addresses[-1])
    service_type = own_type()
    async with watching(service_type, "Alice", poll=0.1), watching(service_type, "Bob") as bob:
        await bob.until("Alice")
        assert [address.host for address in bob.last("Alice").addresses] == [LOOPBACK]
        addresses.append((LOOPBACK, "127.0.0.2"))
        await bob.until("Alice")
        assert {address.host for address in bob.last("Alice").addresses} == {LOOPBACK, "127.0.0.2"}


@pytest.mark.trio
async def test_a_network_that_refuses_is_an_event_and_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No crash, a sentence; and discovery starts when the interfaces have changed."""
    addresses: list[tuple[str, ...]] = [("::1",)]
    monkeypatch.setattr(multicast, "local_addresses", lambda choice: addresses[-1])
    service_type = own_type()
    async with watching(service_type, "Alice", poll=0.1) as alice:
        with trio.fail_after(5):
            event = await alice.discovery.events.receive()
        assert event == Unavailable(
            "Finding others on the network is off (the interface has no IPv4 address). "
            "An address or an invite code still works."
        )
        addresses.append((LOOPBACK,))
        async with watching(service_type, "Bob") as bob:
            await bob.until("Alice")


@pytest.mark.trio
async def test_an_error_of_the_system_is_told_in_its_own_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As when macOS does not allow multicast."""

    def refuse(addresses: list[str]) -> zeroconf.Zeroconf:
        raise OSError(65, "No route to host")

    monkeypatch.setattr(mdns_calls, "start", refuse)
    async with watching(own_type(), "Alice") as alice:
        with trio.fail_after(5):
            event = await alice.discovery.events.receive()
    assert isinstance(event, Unavailable)
    assert "(No route to host)" in event.reason


@pytest.mark.trio
async def test_an_interface_that_is_not_there_is_an_event_too() -> None:
    """It may come back."""
    async with open_multicast("nonsense9", "Alice", BOB.key, 7421) as discovery:
        with trio.fail_after(5):
            event = await discovery.events.receive()
    assert isinstance(event, Unavailable)
    assert "no network interface 'nonsense9'" in event.reason


@pytest.mark.trio
async def test_a_flood_of_names_is_bounded() -> None:
    """Notes that nobody has taken yet are capped; the last word on each counts."""
    notes = mdns_calls.Notes()

    def flood() -> None:
        for number in range(10_000):
            notes._note(f"name {number}", True)
        notes._note("name 0", False)

    await trio.to_thread.run_sync(flood)
    taken = [await notes.take() for _ in range(mdns_calls.MOST_NOTES)]
    assert taken[0] == ("name 0", False)
    assert len(taken) == mdns_calls.MOST_NOTES
    with trio.move_on_after(0.05) as scope:
        await notes.take()
    assert scope.cancelled_caught
