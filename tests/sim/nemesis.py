"""Carries out the faults of a plan, and knows when it has become calm."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from p2p.frames import LinkDown
from p2p.transport import Address
from protocol.errors import LocalError, PeerFault
from tests.sim.machine import PORT, Machine
from tests.sim.plan import Fault
from tests.sim.weather import Way

if TYPE_CHECKING:
    from tests.sim.world import World


class Nemesis:
    """``calm_since``: virtual time at which the last fault was over; it grows with each."""

    def __init__(self, world: World) -> None:
        self.calm_since = 0.0
        self.ticks = 0
        self.done = 0
        self._world = world
        self._due = [f for f in world.plan.faults if f.kind not in ("kill at", "disk")]
        self._downs: dict[str, float] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Until cancelled."""
        async with trio.open_nursery() as self._nursery:
            for fault in self._world.plan.lobby:
                self._nursery.start_soon(self._later, fault)
            await trio.sleep_forever()

    def begin(self) -> None:
        """The game begins: from here ticks, writes and sends are counted."""
        self._busy(0.0)
        for fault in self._world.plan.faults:
            for name in fault.hosts:
                machine = self._world.named(name)
                if fault.kind == "kill at" and machine.honest:
                    machine.deadly[fault.word, fault.number + 1] = (fault.seconds, "process")
                if fault.kind == "disk" and machine.honest:
                    machine.store.failing[machine.store.writes + fault.number + 1] = fault.word
                    self._downs[name] = fault.seconds
        self.tick()

    def tick(self) -> None:
        """A piece of bytes has gone over the network."""
        self.ticks += 1
        while self._due and self._due[0].at <= self.ticks:
            fault = self._due.pop(0)
            self._start(fault)

    def down(self, machine: Machine) -> float:
        """How long a machine stays off whose disk has failed; it is another fault."""
        seconds = self._downs.get(machine.name, 1.0)
        self._busy(seconds)
        return seconds

    def died(self, seconds: float) -> None:
        """A machine is off for so long."""
        self._busy(seconds)

    # Faults.

    async def _later(self, fault: Fault) -> None:
        await trio.sleep(fault.at / 1000)
        self._start(fault)

    def _start(self, fault: Fault) -> None:
        self._world.log(f"fault: {fault}")
        self.done += 1
        self._busy(fault.seconds)
        hosts = [self._world.named(name) for name in fault.hosts]
        match fault.kind:
            case "cut":
                self._spawn(self._close_for, fault.seconds, _both_ways(hosts[0], hosts[1]))
            case "stall":
                self._spawn(self._close_for, fault.seconds, [_way(hosts[0], hosts[1])])
            case "partition":
                self._spawn(self._partition, fault)
            case "reset":
                self._world.network.reset(hosts[0].host, hosts[1].host)
            case "slow":
                self._spawn(self._slow, hosts[0], fault)
            case "kill":
                for machine in hosts:
                    if machine.honest:
                        machine.kill(fault.seconds, fault.word)
            case "jump":
                hosts[0].skew += fault.number
            case "dial":
                for _ in range(fault.number):
                    self._spawn(self._dial, hosts[0], hosts[1])
            case "depart":
                if hosts[0].honest:
                    self._spawn(hosts[0].depart)
            case "guest":
                hosts[0].watches = fault.word == "watch"
            case _:
                raise AssertionError(f"no such fault: {fault}")

    def _spawn(self, work: object, *about: object) -> None:
        assert self._nursery is not None
        self._nursery.start_soon(work, *about)  # type: ignore[arg-type]

    def _busy(self, seconds: float) -> None:
        self.calm_since = max(self.calm_since, trio.current_time() + seconds)

    async def _close_for(self, seconds: float, ways: Iterable[Way]) -> None:
        ways = list(ways)
        self._world.network.close(ways)
        await trio.sleep(seconds)
        self._world.network.open(ways)

    async def _partition(self, fault: Fault) -> None:
        """Ways between the two sides close at once, and open one by one in any order."""
        chance = random.Random(fault.number)
        inside = [m for m in self._world.machines if m.name in fault.hosts]
        outside = [m for m in self._world.machines if m.name not in fault.hosts]
        ways = [w for a, b in itertools.product(inside, outside) for w in _both_ways(a, b)]
        self._world.network.close(ways)
        chance.shuffle(ways)
        # The first ones open after half of the time at the earliest, the last one at its end.
        times = sorted(chance.uniform(fault.seconds / 2, fault.seconds) for _ in ways)
        before = 0.0
        for way, time in zip(ways, times, strict=True):
            await trio.sleep(time - before)
            before = time
            self._world.network.open([way])

    async def _slow(self, machine: Machine, fault: Fault) -> None:
        machine.slow = fault.number / 1000
        await trio.sleep(fault.seconds)
        machine.slow = 0.0

    async def _dial(self, machine: Machine, other: Machine) -> None:
        """One more link with somebody who is linked already."""
        if not machine.alive or machine.peer is None:
            return
        mesh = machine.peer._owner._mesh
        if mesh._nursery is None:
            return
        with suppress(LinkDown, PeerFault, LocalError, RuntimeError), trio.move_on_after(5):
            await mesh.connect([Address(other.host, PORT)], other.key, "member")


def _way(one: Machine, other: Machine) -> Way:
    return one.host, other.host


def _both_ways(one: Machine, other: Machine) -> list[Way]:
    return [_way(one, other), _way(other, one)]
