"""Discovery by real multicast on loopback: each test has a service type of its own."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import pytest
import trio
import zeroconf

from p2p import identity, mdns_calls, multicast
from p2p.discovery import Discovery, Event, Found, Lost, Sighting, TableAd, Unavailable
from p2p.multicast import open_multicast
from p2p.transport import Address

pytestmark = [pytest.mark.trio, pytest.mark.slow]

LOOPBACK = "127.0.0.1"
TABLE = TableAd("Tuesday | round", "hazari", 2, 4)


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


async def test_leaving_early_does_not_hang() -> None:
    """In the middle of the registration, which takes more than a second and is waited for."""
    started = trio.current_time()
    async with watching(own_type(), "Alice"):
        await trio.sleep(0.3)
    assert trio.current_time() - started < 5


@pytest.mark.alone  # whoever asks for a name waits half a second for its owner to object
async def test_a_name_that_is_taken_gets_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """And both are found."""
    monkeypatch.setattr(multicast, "instance_label", lambda name, short: "Same")
    service_type = own_type()
    async with (
        watching(service_type, "Alice") as alice,
        watching(service_type, "nobody", port=0) as looking,
    ):
        await looking.until("Alice")  # from now on the name is hers
        async with watching(service_type, "Bob") as bob:
            await bob.until("Alice")
            await alice.until("Bob")
            assert bob.last("Alice").instance == f"Same.{service_type}"
            assert alice.last("Bob").instance == f"Same-2.{service_type}"


async def test_nonsense_on_the_network_is_passed_over() -> None:
    """Neither seen nor in the way of others."""
    service_type = own_type()
    records: list[bytes] = [b"", b"\x05hello", b"\x04n=\xff\xff\x03v=1"]
    loud = await trio.to_thread.run_sync(mdns_calls.start, mdns_calls.for_multicast([LOOPBACK]))
    try:
        async with trio.open_nursery() as nursery:
            for number, record in enumerate(records):
                info = zeroconf.ServiceInfo(
                    service_type,
                    f"loud {number}.{service_type}",
                    port=9,
                    properties=record,
                    server=f"loud{number}.local.",
                    parsed_addresses=[LOOPBACK],
                )
                nursery.start_soon(trio.to_thread.run_sync, mdns_calls.register, loud, info)
        async with watching(service_type, "Alice") as alice, watching(service_type, "Bob") as bob:
            await alice.until("Bob")
            await bob.until("Alice")
            assert [type(event) for event in alice.events] == [Found]
    finally:
        await trio.to_thread.run_sync(mdns_calls.close, loud, None)


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


async def test_an_interface_that_is_not_there_is_an_event_too() -> None:
    """It may come back."""
    async with open_multicast("nonsense9", "Alice", identity.make().key, 7421) as discovery:
        with trio.fail_after(5):
            event = await discovery.events.receive()
    assert isinstance(event, Unavailable)
    assert "no network interface 'nonsense9'" in event.reason


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
