"""The race for one peer's addresses, on a network of memory and a clock that jumps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
import trio
import trio.testing

from p2p import identity
from p2p.endpoint import Endpoint
from p2p.frames import LinkDown
from p2p.link import Link
from p2p.transport import Address, Connection, Handler, TcpTransport, Transport
from protocol.errors import PeerFault

LOOPBACK = "127.0.0.1"
ALICE = identity.make(b"alice".ljust(32))
BOB = identity.make(b"bob".ljust(32))
EVE = identity.make(b"eve".ljust(32))

Behaviour = Callable[[trio.abc.Stream], Awaitable[None]]
HASH = bytes(32)


class Watched(trio.abc.Stream):
    """A stream that remembers whether it was closed."""

    def __init__(self, inner: trio.abc.Stream) -> None:
        self.inner = inner
        self.closed = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self.inner.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self.inner.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self.inner.receive_some(max_bytes)

    async def aclose(self) -> None:
        self.closed = True
        await self.inner.aclose()


class MemoryTransport(Transport):
    """Addresses that behave as scripted; remembers when each was dialled and what was closed."""

    def __init__(self, behaviours: dict[str, Behaviour], nursery: trio.Nursery) -> None:
        self._behaviours = behaviours
        self._nursery = nursery
        self.dialled: list[tuple[str, float]] = []
        self.streams: list[Watched] = []

    async def listen(
        self, handler: Handler, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
    ) -> None:
        raise NotImplementedError

    async def dial(self, address: Address) -> Connection:
        self.dialled.append((address.host, trio.current_time()))
        behaviour = self._behaviours[address.host]
        if behaviour is unreachable:
            await trio.sleep_forever()
        if behaviour is refusing:
            raise LinkDown(f"nobody answers at {address}: connection refused")
        one, far = trio.testing.memory_stream_pair()
        near = Watched(one)
        self._nursery.start_soon(behaviour, far)
        self.streams.append(near)
        return Connection(near, HASH, address)


async def unreachable(stream: trio.abc.Stream) -> None:
    """Packets vanish."""


async def refusing(stream: trio.abc.Stream) -> None:
    """Nobody listens there."""


async def silent(stream: trio.abc.Stream) -> None:
    """Accepts and never says a word."""
    async for _ in stream:
        pass


def answering(who: identity.Identity, met: list[bytes]) -> Behaviour:
    """A peer that proves its key."""

    async def behaviour(stream: trio.abc.Stream) -> None:
        end = Endpoint(who, TcpTransport(LOOPBACK))
        try:
            link = await end._prove(Connection(stream, HASH, Address("here", 1)), 5, dialled=False)
        except (LinkDown, PeerFault):
            return
        met.append(link.key)
        async for _ in link:
            pass

    return behaviour


@dataclass
class Race:
    """How a race ended."""

    link: Link | None
    trouble: PeerFault | LinkDown | None
    seconds: float
    transport: MemoryTransport

    @property
    def starts(self) -> dict[str, float]:
        first = self.transport.dialled[0][1]
        return {host: round(time - first, 3) for host, time in self.transport.dialled}

    def closed(self) -> list[bool]:
        """Which connections are closed, in the order in which they came about."""
        return [stream.closed for stream in self.transport.streams]


async def race(behaviours: dict[str, Behaviour], expected: bytes | None = BOB.key) -> Race:
    async with trio.open_nursery() as nursery:
        transport = MemoryTransport(behaviours, nursery)
        started = trio.current_time()
        link: Link | None = None
        trouble: PeerFault | LinkDown | None = None
        try:
            link = await Endpoint(ALICE, transport).dial(
                [Address(host, 7) for host in behaviours], expected
            )
        except (PeerFault, LinkDown) as error:
            trouble = error
        result = Race(link, trouble, trio.current_time() - started, transport)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return result


@pytest.mark.trio
async def test_the_next_address_is_tried_after_a_quarter_second(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """A silent address delays, and does not stop; the others are not even dialled."""
    met: list[bytes] = []
    result = await race({"a": unreachable, "b": answering(BOB, met), "c": answering(BOB, met)})
    assert result.link is not None
    assert result.link.remote.host == "b"
    assert result.starts == {"a": 0.0, "b": 0.25}
    assert met == [ALICE.key]


@pytest.mark.trio
async def test_a_refusal_starts_the_next_at_once(autojump_clock: trio.testing.MockClock) -> None:
    """No quarter second for nothing."""
    result = await race({"a": refusing, "b": refusing, "c": answering(BOB, [])})
    assert result.starts == {"a": 0.0, "b": 0.0, "c": 0.0}
    assert result.seconds < 0.01


@pytest.mark.trio
async def test_a_stranger_at_one_address_does_not_keep_us_from_the_right_one(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Addresses are hints, and DHCP gives them to others."""
    met: list[bytes] = []
    result = await race({"a": answering(EVE, met), "b": answering(BOB, met)})
    assert result.link is not None
    assert (result.link.key, result.link.remote.host) == (BOB.key, "b")
    assert met == [ALICE.key], "the stranger got no proof from us"
    assert result.closed() == [True, False]


@pytest.mark.trio
async def test_somebody_who_accepts_and_stays_silent_holds_us_up_two_seconds(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Proofs are made one after the other, so each has little time."""
    met: list[bytes] = []
    result = await race({"a": silent, "b": answering(BOB, met)})
    assert result.link is not None
    assert result.seconds == pytest.approx(2.0)
    assert result.closed() == [True, False]


@pytest.mark.trio
async def test_a_single_address_has_the_whole_time(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Five seconds, then it is told."""
    result = await race({"a": silent})
    assert result.seconds == pytest.approx(5.0)
    assert "no proof of a key within 5 s" in str(result.trouble)
    assert result.closed() == [True]


@pytest.mark.trio
async def test_the_peer_never_sees_two_links_of_one_race(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Else the second would take the place of the first, which is the one we keep."""
    met: list[bytes] = []

    def after(seconds: float) -> Behaviour:
        async def behaviour(stream: trio.abc.Stream) -> None:
            await trio.sleep(seconds)
            await answering(BOB, met)(stream)

        return behaviour

    # All three wake up at the same moment.
    result = await race({"a": after(1), "b": after(0.75), "c": after(0.5)})
    assert result.link is not None
    assert met == [ALICE.key]
    assert result.closed() == [False, True, True]


@pytest.mark.trio
async def test_who_was_refused_is_told_before_who_did_not_answer(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """It says more."""
    result = await race({"a": refusing, "b": answering(EVE, []), "c": unreachable})
    assert isinstance(result.trouble, PeerFault)
    assert result.trouble.code == "auth.key"


@pytest.mark.trio
async def test_when_nobody_answers_each_address_is_named(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Within a bounded time."""
    result = await race({"a": refusing, "b": unreachable})
    assert str(result.trouble) == (
        "nobody answers at a:7: connection refused; nobody answers at b:7"
    )
    assert result.seconds == pytest.approx(5.0)


@pytest.mark.trio
async def test_eight_addresses_are_tried_and_each_once(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """A long list of hints costs a bounded time."""
    behaviours: dict[str, Behaviour] = {f"h{number}": refusing for number in range(20)}
    async with trio.open_nursery() as nursery:
        transport = MemoryTransport(behaviours, nursery)
        addresses = [Address(host, 7) for host in ("h0", "h0", *behaviours)]
        with pytest.raises(LinkDown):
            await Endpoint(ALICE, transport).dial(addresses)
    assert [host for host, _ in transport.dialled] == [f"h{number}" for number in range(8)]


@pytest.mark.trio
async def test_no_address_is_told_too() -> None:
    """Rather than waited for."""
    with pytest.raises(LinkDown, match="no address is known"):
        await Endpoint(ALICE, TcpTransport(LOOPBACK)).dial([])


@pytest.mark.trio
async def test_a_dial_that_is_cancelled_leaves_nothing_open(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """All connections of the race are closed."""
    async with trio.open_nursery() as nursery:
        transport = MemoryTransport({"a": silent, "b": silent}, nursery)
        with trio.move_on_after(1) as scope:
            await Endpoint(ALICE, transport).dial([Address("a", 7), Address("b", 7)])
        assert scope.cancelled_caught
        assert [stream.closed for stream in transport.streams] == [True, True]
        nursery.cancel_scope.cancel()
