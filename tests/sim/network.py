"""A network in memory: every link has a delay in virtual time, and can be cut and healed.

A cut link swallows bytes without an error, like a cable that was pulled: what was under way waits,
new connections are not answered, and nobody is told. Only pings find out.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import trio

from p2p.discovery import Discovery, Event, Found, Lost, Sighting, TableAd
from p2p.frames import LinkDown
from p2p.transport import Address, Connection, Handler, Transport

CERTIFICATE_HASH = b"simulated certificate".ljust(32, b".")

BUFFER = 256 * 1024
"""Bytes under way in one direction; who sends more waits."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One piece of bytes put on the network; a line of the trace."""

    time: float
    source: str
    target: str
    length: int
    digest: str


class Network:
    """Hosts, who listens where, how long bytes take, and which links are cut."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.trace: list[Sent] = []
        self.listeners: dict[Address, trio.MemorySendChannel[Connection]] = {}
        self._cut: set[frozenset[str]] = set()
        self._healed = trio.Event()
        self._next_port = 50_000

    def cut(self, one: str, other: str) -> None:
        """From now on nothing passes between two hosts."""
        self._cut.add(frozenset((one, other)))

    def heal(self, one: str, other: str) -> None:
        """Everything passes again, what waited included."""
        self._cut.discard(frozenset((one, other)))
        self._healed.set()
        self._healed = trio.Event()

    async def until_passable(self, one: str, other: str) -> None:
        """Returns when bytes pass between two hosts."""
        while frozenset((one, other)) in self._cut:
            await self._healed.wait()

    # What a network with faults does otherwise.

    def arrival(self, pipe: Pipe, data: bytes) -> float:
        """When a piece that is put into a pipe now comes out of it."""
        return trio.current_time() + self.delay

    def bite(self, pipe: Pipe, most: int) -> int:
        """How many bytes a reader of this pipe gets at once, at most."""
        return most

    def note(self, pipe: Pipe, data: bytes) -> None:
        """A piece of bytes is put on the network."""
        digest = hashlib.sha256(data).hexdigest()[:16]
        now = trio.current_time()
        self.trace.append(Sent(now, pipe.source, pipe.target, len(data), digest))

    def stream(self, host: str, incoming: Pipe, outgoing: Pipe) -> SimStream:
        """One end of a new connection, at this host."""
        return SimStream(incoming, outgoing)

    def new_port(self) -> int:
        """A port that nobody has."""
        self._next_port += 1
        return self._next_port


@dataclass(eq=False)
class Pipe:
    """Bytes on their way from one host to another, each piece with its time of arrival.

    ``silent``: its source has no power any more; nobody is told.
    """

    network: Network
    source: str
    target: str
    pieces: deque[tuple[float, bytes]] = field(default_factory=deque)
    size: int = 0
    broken: bool = False
    silent: bool = False
    changed: trio.Event = field(default_factory=trio.Event)

    def note(self) -> None:
        self.changed.set()
        self.changed = trio.Event()

    async def put(self, data: bytes) -> None:
        while self.size >= BUFFER and not self.broken:
            await self.changed.wait()
        if self.broken:
            raise trio.BrokenResourceError
        self.network.note(self, data)
        if self.silent:
            return  # it may be this very piece at which the power fails
        self.pieces.append((self.network.arrival(self, data), data))
        self.size += len(data)
        self.note()

    def end(self) -> None:
        """The last piece is empty: the end of the stream, which takes its time like the rest."""
        self.pieces.append((self.network.arrival(self, b""), b""))
        self.note()

    def snap(self) -> None:
        """The connection is reset: what is under way is lost, and both ends will see it."""
        self.pieces.clear()
        self.size = 0
        self.broken = True
        self.end()

    async def take(self, most: int) -> bytes:
        while not self.pieces:
            await self.changed.wait()
        await trio.sleep_until(self.pieces[0][0])
        await self.network.until_passable(self.source, self.target)
        if not self.pieces:
            return await self.take(most)  # it was lost on the way
        due, data = self.pieces[0]
        if not data:
            self.broken = True
            self.note()
            return b""
        most = self.network.bite(self, most)
        if len(data) <= most:
            self.pieces.popleft()
        else:
            self.pieces[0] = (due, data[most:])
            data = data[:most]
        self.size -= len(data)
        self.note()
        return data


class SimStream(trio.abc.Stream):
    """One end of a connection."""

    def __init__(self, incoming: Pipe, outgoing: Pipe) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._closed = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """See trio."""
        await trio.lowlevel.checkpoint()
        if self._closed:
            raise trio.ClosedResourceError
        if self._incoming.broken:
            raise trio.BrokenResourceError
        await self._outgoing.put(bytes(data))

    async def wait_send_all_might_not_block(self) -> None:
        """See trio."""
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """See trio."""
        await trio.lowlevel.checkpoint()
        if self._closed:
            raise trio.ClosedResourceError
        return await self._incoming.take(max_bytes or 65536)

    async def aclose(self) -> None:
        """See trio."""
        if not self._closed:
            self._closed = True
            self._outgoing.end()
            self._incoming.broken = True
            self._incoming.note()
        await trio.lowlevel.checkpoint()


class SimTransport(Transport):
    """The transport of one host."""

    def __init__(self, network: Network, host: str, port: int = 0) -> None:
        self._network = network
        self._host = host
        self._port = port

    async def listen(
        self, handler: Handler, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """See ``Transport.listen``."""
        port = self._port or self._network.new_port()
        send, receive = trio.open_memory_channel[Connection](float("inf"))
        address = Address(self._host, port)
        self._network.listeners[address] = send
        try:
            async with trio.open_nursery() as nursery:
                task_status.started(port)
                async for connection in receive:
                    nursery.start_soon(self._handle, handler, connection)
        finally:
            # A host that was started again has a listener of its own there by now.
            if self._network.listeners.get(address) is send:
                del self._network.listeners[address]

    async def _handle(self, handler: Handler, connection: Connection) -> None:
        try:
            await handler(connection)
        finally:
            await trio.aclose_forcefully(connection.stream)

    async def dial(self, address: Address) -> Connection:
        """See ``Transport.dial``."""
        network = self._network
        await network.until_passable(self._host, address.host)
        await trio.sleep(2 * network.delay)
        listener = network.listeners.get(address)
        if listener is None:
            raise LinkDown(f"nobody answers at {address}")
        there = Pipe(network, self._host, address.host)
        back = Pipe(network, address.host, self._host)
        remote = Address(self._host, network.new_port())
        answering = network.stream(address.host, there, back)
        listener.send_nowait(Connection(answering, CERTIFICATE_HASH, remote))
        dialling = network.stream(self._host, back, there)
        return Connection(dialling, CERTIFICATE_HASH, address)


class Air:
    """What is called out on the simulated network; everybody hears it after one delay."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.members: dict[str, SimDiscovery] = {}


class SimDiscovery(Discovery):
    """Discovery over the air of a simulation."""

    def __init__(self, air: Air, name: str, short: str, key: bytes, address: Address) -> None:
        self._air = air
        self._me = Sighting(name, name, short, key, 1, (address,), ())
        self._send, self._receive = trio.open_memory_channel[Event](64)

    @property
    def events(self) -> trio.MemoryReceiveChannel[Event]:
        """See ``Discovery.events``."""
        return self._receive

    def announce(self, tables: Sequence[TableAd]) -> None:
        """See ``Discovery.announce``."""
        me = self._me
        self._me = Sighting(
            me.instance, me.name, me.short, me.key, me.version, me.addresses, tuple(tables)
        )
        for other in self._air.members.values():
            if other is not self:
                other.hear(Found(self._me))

    def hear(self, event: Event) -> None:
        """Something was called out; who does not listen for long misses it."""
        with suppress(trio.WouldBlock):
            self._send.send_nowait(event)

    async def __aenter__(self) -> SimDiscovery:
        for other in self._air.members.values():
            self.hear(Found(other._me))
        self._air.members[self._me.instance] = self
        self.announce(())
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._air.members.get(self._me.instance) is not self:
            return  # killed, and perhaps started again
        del self._air.members[self._me.instance]
        for other in self._air.members.values():
            other.hear(Lost(self._me.instance))
