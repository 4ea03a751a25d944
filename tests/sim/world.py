"""One run: a table of whole peers, their network, faults and liars, from a plan to a verdict."""

from __future__ import annotations

import hashlib
import random
from collections import deque
from dataclasses import dataclass

import trio

from protocol.errors import PeerFault
from protocol.record import read_objects
from protocol.verifier import verify
from protocol.votes import parse_absence
from tests.sim import determinism
from tests.sim.machine import Machine
from tests.sim.monitor import Monitor
from tests.sim.nemesis import Nemesis
from tests.sim.network import Air
from tests.sim.plan import NAMES, Plan
from tests.sim.policy import Expectation, Wait
from tests.sim.roles import ROLES, SlowLoris
from tests.sim.weather import Weather

Objects = tuple[bytes, ...]

LAST_LINES = 60
"""Lines of the trace that are kept to be printed."""

MOST_LINES = 400_000
"""Lines of a trace after which something goes round in circles."""

LOOK_SECONDS = 0.25
"""Virtual seconds between two looks whether a run is over."""

GUEST_SECONDS = 30.0
"""Virtual seconds in which those who look on have heard of the end."""

LOBBY_SECONDS = 240.0
"""Virtual seconds in which all must have sat down, whatever the network does meanwhile."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run. ``violation`` is empty if all held; ``last``: the end of its trace.

    ``events``: bytes sent, writes, steps closed, things told. ``seconds``: virtual ones. ``after``:
    those from the last fault to the end. ``deaths``: programs killed. ``digest``: of the trace.
    ``seen``: how often honest seats were told of each kind of fault.
    """

    plan: Plan
    violation: str
    events: int
    seconds: float
    after: float
    faults: int
    deaths: int
    ending: str
    digest: str
    last: tuple[str, ...]
    seen: dict[str, int]


class World:
    """All that a run consists of. ``playing``: all honest ones have the agreement on disk."""

    stranger_host = "10.0.0.66"

    def __init__(self, plan: Plan, lines: int = LAST_LINES, strict: bool = False) -> None:
        self.plan = plan
        self.expected = Expectation(plan, strict)
        self.playing = False
        self.monitor = Monitor(self)
        chance = random.Random(f"{plan.seed} weather")
        hosts = {
            name: f"10.0.0.{number}" for number, name in enumerate((*plan.names, *plan.guests), 1)
        }
        chunked = frozenset(hosts[name] for name in plan.chunked)
        self.network = Weather(chance, plan.latency, self.monitor, chunked)
        self.air = Air(plan.latency[0])
        self.machines = [self._machine(name, host) for name, host in hosts.items()]
        self.network.machines = {machine.host: machine for machine in self.machines}
        self.nemesis = Nemesis(self)
        self.ending = "stopped by a violation"
        self._by_host = {machine.host: machine for machine in self.machines}
        self._by_key = {machine.key: machine for machine in self.machines}
        self._lines: deque[str] = deque(maxlen=lines)
        self._digest = hashlib.blake2b(digest_size=16)
        self._count = 0
        self._stopped = trio.Event()
        self._stuck: tuple[object, float] = (None, 0.0)

    def _machine(self, name: str, host: str) -> Machine:
        role = self.plan.liars.get(name)
        made = None if role is None else ROLES[role](f"{self.plan.seed} {name} {role}")
        return Machine(self, name, host, made)

    # Who is who.

    @property
    def seats(self) -> list[Machine]:
        """The machines that have a seat."""
        return [machine for machine in self.machines if machine.name in self.plan.names]

    @property
    def honest(self) -> list[Machine]:
        """The seats that play by the rules."""
        return [machine for machine in self.seats if machine.honest]

    def named(self, name: str) -> Machine:
        """The machine of a player."""
        return next(machine for machine in self.machines if machine.name == name)

    def at(self, host: str) -> Machine | None:
        """The machine at an address."""
        return self._by_host.get(host)

    def of_key(self, key: bytes) -> Machine | None:
        """The machine with this identity."""
        return self._by_key.get(key)

    # The trace.

    def log(self, line: str, data: bytes = b"") -> None:
        """One line of the trace; ``data`` is part of its digest."""
        text = f"{self._now():10.4f} {line}"
        self._lines.append(text)
        self._digest.update(text.encode())
        self._digest.update(data)
        self._count += 1
        if self._count == MOST_LINES:
            self.monitor.fail("this run does not end: something goes round in circles")

    def _now(self) -> float:
        try:
            return trio.current_time()
        except RuntimeError:
            return 0.0

    def stop(self) -> None:
        """The run is over at once."""
        self._stopped.set()

    # A run.

    async def run(self) -> Outcome:
        """Plays, judges, and says what came of it."""
        before = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.nemesis.run)
            for machine in self.machines:
                nursery.start_soon(machine.run)
            if self.plan.stranger:
                nursery.start_soon(SlowLoris(self).run)
            await self._until_over()
            if not self.monitor.violation:
                await self._judge()
            ended = trio.current_time()
            nursery.cancel_scope.cancel()
        for machine in self.machines:
            machine.store._database.close()
        return Outcome(
            self.plan,
            self.monitor.violation,
            self.monitor.events,
            ended - before,
            ended - self.nemesis.calm_since,
            self.nemesis.done,
            sum(machine.deaths for machine in self.machines),
            self.ending,
            self._digest.hexdigest(),
            tuple(self._lines),
            dict(self.monitor.seen),
        )

    def sat_down(self) -> None:
        """A machine has the signed agreement on disk."""
        if not self.playing and all(machine.agreed for machine in self.honest):
            self.log("all honest seats have the agreement")
            self.playing = True
            self.nemesis.begin()

    async def _until_over(self) -> None:
        while not self._stopped.is_set():
            now = trio.current_time()
            if self.playing and self._is_over(now):
                return
            limit = self.nemesis.calm_since + self.expected.bound if self.playing else LOBBY_SECONDS
            if now > limit:
                self.monitor.fail(self._hangs())
            with trio.move_on_after(LOOK_SECONDS):
                await self._stopped.wait()

    def _is_over(self, now: float) -> bool:
        """Whether all honest seats have seen the end, or wait for whom they may, and go on so."""
        if not all(machine.alive for machine in self.honest):
            return False
        if all(machine.over for machine in self.honest):
            self.ending = "over"
            return True
        waits = {m.name: self._waits_for(m) for m in self.honest if not m.over}
        forked = self.monitor.forked
        if not self.expected.may_all_wait(waits, self._gone, forked):
            self._stuck = (None, now)
            return False
        state = tuple(waits.values())
        if self._stuck[0] != state or self._stuck[1] < self.nemesis.calm_since:
            self._stuck = (state, now)
        self.ending = "waits"
        return now - self._stuck[1] > self.expected.waiting(forked)

    @property
    def _gone(self) -> frozenset[str]:
        """Honest seats whose table was over when their program was started again."""
        return frozenset(m.name for m in self.honest if m.over and m.life > 1)

    def _waits_for(self, machine: Machine) -> Wait:
        session = machine.session
        if session is None or session.waiting is None:
            return Wait("", (), (), True)
        kind, seats = session.waiting
        number = session.history.next_lane
        assert number is not None
        lane = session.history.lanes[number]
        names = tuple(map(self.monitor.name_of, seats))
        voters = tuple(map(self.monitor.name_of, session.history.voters(lane)))
        votable = all(session._may_go(lane, seat) for seat in seats)
        return Wait(kind, names, voters, votable, session._is_shaken(lane))

    def _hangs(self) -> str:
        lines = []
        for machine in self.honest:
            state = "over" if machine.over else "agreed" if machine.agreed else "not seated"
            waiting = None if machine.session is None else machine.session.waiting
            positions = None if machine.session is None else machine.session.positions()
            where = f"{state}, alive {machine.alive}, waits {waiting}, stands at {positions}"
            lines.append(f"{machine.name}: {where}, waits for {self._waits_for(machine)}")
        since = trio.current_time() - self.nemesis.calm_since
        return f"the match does not end, {since:.0f} s after the last fault\n" + "\n".join(lines)

    async def _judge(self) -> None:
        """The records of honest seats at the end."""
        records: dict[str, bytes] = {}
        for machine in self.honest:
            (stored,) = await machine.store.tables()
            records[machine.name] = await machine.store.record(stored.table)
        named = {name: without_names(record) for name, record in records.items()}
        longest = max(named.values(), key=len)
        for name, objects in named.items():
            if longest[: len(objects)] != objects:
                self._differ(name, objects, longest)
            if self.ending == "over" and self.expected.one_end and objects != longest:
                self.monitor.fail(f"the record of {name} lacks its end")
        for name, record in sorted(records.items()):
            self._verify(name, record)
        if not self.monitor.forked:
            for machine in self.machines:
                if machine.name in self.plan.guests and machine.over:
                    await self._judge_guest(machine, longest)

    async def _judge_guest(self, machine: Machine, longest: Objects) -> None:
        """Who looks on has seen what the seats have, as far as it has come; it may be late."""
        objects: Objects = ()
        with trio.move_on_after(GUEST_SECONDS):
            while True:
                for stored in await machine.store.tables():
                    objects = without_names(await machine.store.record(stored.table))
                if longest[: len(objects)] == objects:
                    return
                await trio.sleep(1)
        self.monitor.fail(f"{machine.name} looks on and has another record than the seats")

    def _differ(self, name: str, record: Objects, longest: Objects) -> None:
        """Two records may part only where a liar has said two things."""
        pairs = zip(record, longest, strict=False)
        parted = next(((one, other) for one, other in pairs if one != other), None)
        if parted is None:
            return
        entries = [self.monitor.entry(data) if data else None for data in parted]
        authors = {None if e is None else self.monitor.name_of(e.seat) for e in entries}
        if b"" in parted and self.expected.forks:
            return  # a liar's votes: the one has stopped by them before it saw what they settled
        if self._gone and not self.expected.strict and b"" in parted:
            return  # its last entry came to nobody, and its program does not go on with the table
        if not self.expected.forks or not all(a and self.expected.guilty(a) for a in authors):
            self.monitor.fail(f"the record of {name} parts from the longest at {entries}")

    def _verify(self, name: str, record: bytes) -> None:
        report = verify(record)
        if self.expected.complete and self.ending == "over":
            if report.verdict != "complete":
                self.monitor.fail(f"the record of {name} is {report.verdict}: {report.fault}")
            return
        caught = [self._author(fault) for fault in report.caught]
        named = caught if report.fault is None else [*caught, self._author(report.fault)]
        for guilty in named:
            if not self.expected.guilty(guilty):
                self.monitor.fail(f"the record of {name} names {guilty!r}: {report.fault}")
        # A program that was started again does not tell once more what it has told before.
        untold = set(caught) - self.monitor.named.get(name, set())
        machine = self.named(name)
        if untold and machine.over and not machine.deaths and not machine.stops:
            self.monitor.fail(f"{name} was never told that {sorted(untold)} lied")

    def _author(self, fault: PeerFault) -> str:
        return "" if fault.seat is None else self.monitor.name_of(fault.seat)


def without_names(record: bytes) -> Objects:
    """The objects of a record, with nothing but the place of those who were declared gone.

    Any of the voting seats may declare it, and not each hears of each (SPEC 9.1).
    """
    return tuple(b"" if parse_absence(one) else one for one in read_objects(record))


def play(plan: Plan, lines: int = LAST_LINES, strict: bool = False) -> Outcome:
    """Plays one plan in virtual time, inside ``hooks.hooked``. ``strict``: see ``Expectation``."""
    assert len(plan.names) <= len(NAMES)
    number = int.from_bytes(hashlib.sha256(f"{plan.seed} {plan.game}".encode()).digest()[:8], "big")
    world = World(plan, lines, strict)
    return determinism.run(number, world.run)
