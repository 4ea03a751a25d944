"""The simulated network in bad weather: delays by chance, bytes in small pieces, ways that close.

Each direction between two hosts can be closed by itself, by several faults at a time. What is under
way then waits, like on a cable that was pulled. Connections are reset by ``reset``, and when a
machine dies.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import trio

from tests.sim.network import Network, Pipe, SimStream

if TYPE_CHECKING:
    from tests.sim.machine import Machine

Way = tuple[str, str]
"""From one host's address to another's."""


class Ear(Protocol):
    """Who hears every piece of bytes that is put on the network."""

    def heard(self, pipe: Pipe, data: bytes) -> None:
        """A piece is put into a pipe; ``pipe.source`` is the host that does."""


class Weather(Network):
    """A network whose faults are drawn from ``chance``. ``chunked``: hosts that read in pieces."""

    def __init__(
        self,
        chance: random.Random,
        latency: tuple[float, float],
        ear: Ear,
        chunked: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(latency[0])
        self.machines: dict[str, Machine] = {}
        self._chance = chance
        self._longer = latency[1]
        self._ear = ear
        self._chunked = chunked
        self._closed: Counter[Way] = Counter()
        self._pipes: dict[Way, list[Pipe]] = {}
        self._last: dict[Pipe, float] = {}

    # Faults.

    def close(self, ways: Iterable[Way]) -> None:
        """Nothing passes by these ways until each was opened as often as closed."""
        self._closed.update(ways)

    def open(self, ways: Iterable[Way]) -> None:
        """What waited passes again, if nothing else keeps the way closed."""
        self._closed.subtract(ways)
        self._healed.set()
        self._healed = trio.Event()

    def reset(self, one: str, other: str) -> None:
        """All connections between two hosts break: both sides see it, as far as bytes pass."""
        for way in ((one, other), (other, one)):
            for pipe in self._pipes.pop(way, ()):
                pipe.snap()

    def silence(self, host: str) -> None:
        """What a dead host has not sent yet is never sent; nobody is told."""
        for way, pipes in self._pipes.items():
            if way[0] == host:
                for pipe in pipes:
                    pipe.pieces.clear()
                    pipe.size = 0
                    pipe.silent = True

    # What ``Network`` asks for.

    async def until_passable(self, one: str, other: str) -> None:
        """See ``Network``; only this direction counts."""
        while self._closed[one, other] > 0:
            await self._healed.wait()

    def arrival(self, pipe: Pipe, data: bytes) -> float:
        """Links keep their order, but overtake each other."""
        delay = self.delay * self._chance.uniform(0.5, 1.5)
        if self._longer > 1 and self._chance.random() < 0.1:
            delay *= self._chance.uniform(1, self._longer)
        last = max(self._last.get(pipe, 0.0), trio.current_time() + delay)
        self._last[pipe] = last
        return last

    def bite(self, pipe: Pipe, most: int) -> int:
        """Some hosts get single bytes now and then."""
        if pipe.target not in self._chunked or self._chance.random() < 0.5:
            return most
        return min(most, self._chance.choice((1, 1, 2, 3, 7, 100)))

    def note(self, pipe: Pipe, data: bytes) -> None:
        """All is heard, nothing is kept."""
        self._ear.heard(pipe, data)

    def stream(self, host: str, incoming: Pipe, outgoing: Pipe) -> SimStream:
        """A stream that ends with the machine's present life."""
        self._pipes.setdefault((outgoing.source, outgoing.target), []).append(outgoing)
        machine = self.machines.get(host)
        if machine is None:
            return SimStream(incoming, outgoing)
        return MachineStream(incoming, outgoing, machine)


def is_vote(data: bytes | bytearray | memoryview) -> bool:
    """Whether a piece is a frame with a vote: its length, an array, a short word."""
    return bytes(data[6:10]) == b"vote"


class MachineStream(SimStream):
    """One end of a connection, at a machine that may die in the middle of anything."""

    def __init__(self, incoming: Pipe, outgoing: Pipe, machine: Machine) -> None:
        super().__init__(incoming, outgoing)
        self._machine = machine
        self._life = machine.life

    @property
    def _dead(self) -> bool:
        return not self._machine.alive or self._machine.life != self._life

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """See trio; each call is one piece, before or after which the machine may die."""
        votes = is_vote(data)
        await self._machine.moment("before send")
        if votes:
            await self._machine.moment("before vote send")
        if self._dead:
            await trio.sleep_forever()
        for piece in self._machine.says(bytes(data)):
            await super().send_all(piece)
        if votes:
            await self._machine.moment("after vote send")
        await self._machine.moment("after send")

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """See trio; a slow reader takes its time."""
        if self._machine.slow:
            await trio.sleep(self._machine.slow)
        if self._dead:
            await trio.sleep_forever()
        return await super().receive_some(max_bytes)

    async def aclose(self) -> None:
        """A machine that died of a power cut has no time for goodbyes."""
        if self._dead and self._machine.silent_death:
            self._closed = True
            await trio.lowlevel.checkpoint()
            return
        await super().aclose()
