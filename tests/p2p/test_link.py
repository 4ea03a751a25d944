"""Links: who gets one, within which limits, and how they end."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import trio
import trio.testing

from p2p import endpoint as endpoint_module
from p2p import identity
from p2p.endpoint import Endpoint
from p2p.frames import FrameStream, LinkDown
from p2p.gate import MOST, MOST_STRANGERS
from p2p.handshake import read_hello
from p2p.link import CLOSING_TIME, Link
from p2p.transport import (
    Address,
    Connection,
    TcpTransport,
)
from protocol.errors import PeerFault
from protocol.wire import Value

LOOPBACK = "127.0.0.1"
ALICE = identity.make(b"alice".ljust(32))
BOB = identity.make(b"bob".ljust(32))
EVE = identity.make(b"eve".ljust(32))


@dataclass
class Served:
    """An endpoint that listens on loopback, and what happened to it."""

    address: Address
    end: Endpoint | None = None
    links: list[Link] = field(default_factory=list)
    received: list[Value] = field(default_factory=list)
    troubles: list[PeerFault | LinkDown] = field(default_factory=list)
    changed: trio.Condition = field(default_factory=trio.Condition)

    async def until(self, reached: Callable[[], bool]) -> None:
        with trio.fail_after(10):
            async with self.changed:
                while not reached():
                    await self.changed.wait()


@asynccontextmanager
async def served(who: identity.Identity = BOB) -> AsyncIterator[Served]:
    """Bob's endpoint, which echoes what arrives until the link ends."""
    state = Served(Address(LOOPBACK, 0))

    async def note() -> None:
        async with state.changed:
            state.changed.notify_all()

    async with trio.open_nursery() as nursery:

        def report(address: Address, trouble: PeerFault | LinkDown) -> None:
            state.troubles.append(trouble)
            nursery.start_soon(note)

        async def handle(link: Link) -> None:
            state.links.append(link)
            await note()
            async for value in link:
                state.received.append(value)
                await note()
                if value == "misbehave":
                    raise PeerFault("test", "the handler found a fault")
                await link.send(value)
            await note()

        state.end = end = Endpoint(who, TcpTransport(LOOPBACK), report=report)
        state.address = Address(LOOPBACK, await nursery.start(end.serve, handle))
        yield state
        nursery.cancel_scope.cancel()


def dialler(who: identity.Identity = ALICE) -> Endpoint:
    return Endpoint(who, TcpTransport(LOOPBACK))


@pytest.mark.trio
async def test_a_link_carries_values_both_ways() -> None:
    """And both ends know whom they talk to."""
    async with served() as bob, await dialler().dial([bob.address], BOB.key) as link:
        await link.send((1, b"two", "three"))
        assert await anext(link) == (1, b"two", "three")
        assert (link.key, link.dialled, link.remote) == (BOB.key, True, bob.address)
        assert bob.links[0].key == ALICE.key
        assert not bob.links[0].dialled
        assert bob.links[0].remote.host == LOOPBACK


@pytest.mark.trio
async def test_the_end_of_a_link_ends_the_iteration() -> None:
    """With a reason for people."""
    async with served() as bob:
        link = await dialler().dial([bob.address])
        await bob.until(lambda: bool(bob.links))
        assert bob.links[0].ending == ""
        await link.aclose()
        await bob.until(lambda: bob.links[0].ending != "")
        assert "by the other side" in bob.links[0].ending
        with pytest.raises(LinkDown):
            await link.send(1)
        assert [value async for value in link] == []


@pytest.mark.trio
async def test_a_fault_ends_one_link_and_no_other() -> None:
    """The listener lives on."""
    async with served() as bob, await dialler(EVE).dial([bob.address]) as other:
        async with await dialler().dial([bob.address]) as link:
            await link.send("misbehave")
            assert [value async for value in link] == []
        await bob.until(lambda: len(bob.troubles) == 1)
        await other.send("still here")
        assert await anext(other) == "still here"
    assert [str(trouble) for trouble in bob.troubles] == ["the handler found a fault [test]"]


@pytest.mark.trio
async def test_the_wrong_person_at_an_address_is_refused() -> None:
    """Whoever answers there must be who was meant."""
    async with served() as bob:
        with pytest.raises(PeerFault) as fault:
            await dialler().dial([bob.address], EVE.key)
        assert fault.value.code == "auth.key"
        await bob.until(lambda: len(bob.troubles) == 1)
        assert bob.links == []


@pytest.mark.trio
async def test_a_link_to_ourselves_is_refused_over_tcp_too() -> None:
    """Our own announcement comes back to us on every network."""
    async with served(ALICE) as mirror:
        with pytest.raises(PeerFault) as fault:
            await dialler(ALICE).dial([mirror.address])
        assert fault.value.code == "auth.self"


@pytest.mark.alone
@pytest.mark.trio
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="silence"),
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="a browser"),
        pytest.param(bytes(5000), id="zeros"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00", id="half a TLS greeting"),
    ],
)
async def test_noise_before_tls_ends_that_link_only(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silence takes the handshake's time, the rest is cut at once; others get in meanwhile."""
    monkeypatch.setattr(endpoint_module, "HANDSHAKE_TIME", 0.5)
    async with served() as bob:
        noise = await trio.open_tcp_stream(LOOPBACK, bob.address.port)
        await noise.send_all(data)
        async with await dialler().dial([bob.address], BOB.key) as link:
            await link.send(1)
            assert await anext(link) == 1
        await bob.until(lambda: len(bob.troubles) == 1)
        assert isinstance(bob.troubles[0], LinkDown)
        with trio.fail_after(5):
            await until_closed(noise)


async def until_closed(stream: trio.abc.Stream) -> None:
    """Read away what a TLS library says in farewell."""
    try:
        async for _ in stream:
            pass
    except trio.BrokenResourceError:
        pass
    await trio.aclose_forcefully(stream)


@pytest.mark.alone
@pytest.mark.trio
@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"", None, id="silence"),
        pytest.param(b"\x00\x00\x00", None, id="less than a length"),
        pytest.param(b"\x00\x00\x01\xfc", None, id="a promise of 508 bytes"),
        pytest.param(b"\x00\x00\x01\xfd", "frame", id="a promise of 509 bytes"),
        pytest.param(b"\xff" * 100, "frame", id="a promise of 4 GiB"),
        pytest.param(b"\x00\x00\x00\x01\xc0", "encoding", id="null"),
    ],
)
async def test_noise_inside_tls_ends_that_link_only(
    data: bytes, code: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time runs on through TLS and HELLO."""
    monkeypatch.setattr(endpoint_module, "HANDSHAKE_TIME", 0.5)
    async with served() as bob:
        connection = await TcpTransport(LOOPBACK).dial(bob.address)
        await connection.stream.send_all(data)
        async with await dialler().dial([bob.address], BOB.key) as link:
            await link.send(1)
            assert await anext(link) == 1
        await bob.until(lambda: len(bob.troubles) == 1)
        assert getattr(bob.troubles[0], "code", None) == code
        await trio.aclose_forcefully(connection.stream)


@pytest.mark.trio
async def test_another_version_is_told_on_both_sides_over_tcp() -> None:
    """The listener closes after its answer, and the answer still arrives."""
    async with served() as bob:
        connection = await TcpTransport(LOOPBACK).dial(bob.address)
        frames = FrameStream(connection.stream)
        await frames.send((2, "what a HELLO has then"))
        await bob.until(lambda: len(bob.troubles) == 1)
        assert getattr(bob.troubles[0], "code", None) == "version"
        assert read_hello(await frames.receive_packed()).version == 1
        await trio.aclose_forcefully(connection.stream)

    async def later_version(connection: Connection) -> None:
        frames = FrameStream(connection.stream)
        await frames.receive_packed()
        await frames.send((2,))
        await frames.aclose()

    async with trio.open_nursery() as nursery:
        port = await nursery.start(TcpTransport(LOOPBACK).listen, later_version)
        with pytest.raises(PeerFault, match="version 2") as fault:
            await dialler().dial([Address(LOOPBACK, port)])
        assert fault.value.code == "version"
        nursery.cancel_scope.cancel()


@pytest.mark.alone
@pytest.mark.trio
async def test_a_byte_now_and_then_does_not_stretch_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The limit is on the whole, not on the pauses."""
    monkeypatch.setattr(endpoint_module, "HANDSHAKE_TIME", 0.4)
    async with served() as bob:
        connection = await TcpTransport(LOOPBACK).dial(bob.address)
        with trio.move_on_after(5) as scope:
            await connection.stream.send_all(b"\x00\x00\x01\xfc")
            while not bob.troubles:
                await trio.sleep(0.05)
                await connection.stream.send_all(b"\x01")
        assert not scope.cancelled_caught
        assert "within 0.4 s" in str(bob.troubles[0])
        await trio.aclose_forcefully(connection.stream)


@pytest.mark.trio
async def test_those_who_have_proved_a_key_take_no_place_at_the_door() -> None:
    """More links than places, one after the other, all live."""
    async with served() as bob:
        links = [await dialler(EVE).dial([bob.address]) for _ in range(MOST + 2)]
        for number, link in enumerate(links):
            await link.send(number)
            assert await anext(link) == number
        for link in links:
            await link.aclose()
    assert bob.troubles == []


async def until_full(bob: Served) -> None:
    """Wait until all strangers that were sent have been let in."""
    assert bob.end is not None
    for _ in range(500):
        if bob.end._gate._strangers == MOST_STRANGERS:
            break
        await trio.sleep(0.01)


@pytest.mark.trio
async def test_strangers_beyond_the_limit_are_turned_away_at_once() -> None:
    """And let in again when there is room."""
    async with served() as bob:
        crowd = [
            await trio.open_tcp_stream(LOOPBACK, bob.address.port) for _ in range(MOST_STRANGERS)
        ]
        await until_full(bob)
        with pytest.raises(LinkDown):
            await dialler().dial([bob.address])
        assert "too many" in str(bob.troubles[0])
        await crowd.pop().aclose()
        await bob.until(lambda: len(bob.troubles) == 2)
        async with await dialler().dial([bob.address]) as link:
            assert link.key == BOB.key
        for stream in crowd:
            await stream.aclose()


@pytest.mark.trio
async def test_a_dead_link_is_given_up_by_the_system_where_it_can() -> None:
    """TCP_USER_TIMEOUT on both ends, and no delay for small frames."""
    opened: list[trio.SocketStream] = []

    async def handle(connection: Connection) -> None:
        assert isinstance(connection.stream, trio.SSLStream)
        opened.append(connection.stream.transport_stream)
        await connection.stream.receive_some(1)

    async with trio.open_nursery() as nursery:
        port = await nursery.start(TcpTransport(LOOPBACK).listen, handle)
        connection = await TcpTransport(LOOPBACK).dial(Address(LOOPBACK, port))
        assert isinstance(connection.stream, trio.SSLStream)
        opened.append(connection.stream.transport_stream)
        for stream in opened:
            assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 6000
        await trio.aclose_forcefully(connection.stream)
        nursery.cancel_scope.cancel()
    assert len(opened) == 2


async def flood(link: Link) -> None:
    """Send until the link is gone."""
    try:
        while True:
            await link.send(b"x" * 16_000)
    except LinkDown:
        pass


@pytest.mark.alone
@pytest.mark.trio
async def test_closing_does_not_wait_for_a_peer_that_reads_nothing() -> None:
    """A second for the goodbye, then the stream is cut; a sender that hangs is freed too."""
    async with served() as bob:
        link = await dialler().dial([bob.address])
        await bob.until(lambda: bool(bob.links))
        stuck = bob.links[0]  # its handler sits in receive, and we never read

        async with trio.open_nursery() as nursery:
            nursery.start_soon(flood, stuck)
            await trio.testing.wait_all_tasks_blocked(0.2)
            started = trio.current_time()
            with trio.fail_after(CLOSING_TIME + 3):
                await stuck.aclose()
            assert trio.current_time() - started < CLOSING_TIME + 1
        await trio.aclose_forcefully(link)
