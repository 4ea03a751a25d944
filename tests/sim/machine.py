"""One computer of the simulation: a whole peer, its disk, its person, its lives and deaths."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

import trio

from engine import Draw, game
from p2p import events as peer_events
from p2p import identity
from p2p.discovery import Discovery
from p2p.events import PeerEvent, SessionTold
from p2p.handle import Peer, run_peer
from p2p.identity import Identity
from p2p.jobs import InlineJobs
from p2p.parts import Parts
from p2p.transport import Address
from p2p.trouble import Trouble
from protocol.errors import LocalError, RefusedMove
from protocol.events import Left, MatchOver, Stopped, WentBack, YourMove
from protocol.session import Session
from tests.p2p.lobby_room import hash_stream
from tests.sim.disk import SimStore
from tests.sim.network import SimDiscovery, SimTransport

if TYPE_CHECKING:
    from tests.sim.roles import Role
    from tests.sim.world import World

PORT = 7_000

WALL = 1_000_000.0
"""Unix time at which every run begins."""

CURRENT: ContextVar[Machine | None] = ContextVar("machine", default=None)
"""The machine on which the running task works."""

AGAIN = 1.0
"""Seconds after which a person tries again to sit down."""


@cache
def identity_of(name: str) -> Identity:
    """Keys go with names, the same in each run: their short forms take long to compute."""
    return identity.make(hash_stream(f"identity {name}")(32))


class Machine:
    """A computer. ``alive``: its program runs; ``life`` counts its starts, ``deaths``
    how often it was killed, ``stops`` how often it ended because its disk had failed.

    ``over``: its table has ended, as its person was told or as stands on its disk. ``moments``:
    how often it has come to each kind of moment since the game began; at those in ``deadly`` it
    dies. ``failed``: the disk has just failed, so that the program should stop.
    """

    def __init__(self, world: World, name: str, host: str, role: Role | None = None) -> None:
        self.world = world
        self.name = name
        self.host = host
        self.role = role
        self.identity = identity_of(name)
        self.store = SimStore(self)
        self.alive = False
        self.life = 0
        self.deaths = 0
        self.stops = 0
        self.slow = 0.0
        self.skew = 0.0
        self.silent_death = False
        self.failed = False
        self.over = False
        self.agreed = False
        self.peer: Peer | None = None
        self.session: Session | None = None
        self.moments: Counter[str] = Counter()
        self.deadly: dict[tuple[str, int], tuple[float, str]] = {}
        self.watches = False
        self._scope = trio.CancelScope()
        self._down = 0.0

    @property
    def key(self) -> bytes:
        """The identity key."""
        return self.identity.key

    @property
    def honest(self) -> bool:
        """Whether it plays by the rules."""
        return self.role is None

    # Lives.

    async def run(self) -> None:
        """From the first start to the end of the run, through all deaths."""
        CURRENT.set(self)
        await trio.sleep(self.world.plan.late.get(self.name, 0.0))
        while True:
            self.life += 1
            await self._live()
            await trio.sleep(self._down)

    def kill(self, seconds: float, word: str) -> None:
        """It dies this instant, and is started again after some seconds.

        ``word``: by ``process`` the system closes its connections, by ``power`` nobody is told.
        """
        if not self.alive:
            return
        self.world.log(f"{self.name} dies ({word}) for {seconds} s")
        self.alive = False
        self.deaths += 1
        self.world.nemesis.died(seconds)
        self.silent_death = word == "power"
        self._down = seconds
        self.session = None
        network, air = self.world.network, self.world.air
        network.listeners.pop(Address(self.host, PORT), None)
        air.members.pop(self.name, None)
        if self.silent_death:
            network.silence(self.host)
        self._scope.cancel()

    async def depart(self) -> None:
        """Its person leaves the table, at once."""
        if self.alive and self.peer is not None:
            with suppress(LocalError):  # it may have no seat yet, or be about to die
                await self.peer.depart()

    async def moment(self, what: str) -> None:
        """Something is about to happen, or has; here the machine may die."""
        if self.alive and self.world.playing:
            self.moments[what] += 1
            deadly = self.deadly.pop((what, self.moments[what]), None)
            if deadly is not None:
                self.kill(*deadly)
        if not self.alive:
            await trio.sleep_forever()

    async def _live(self) -> None:
        self.world.log(f"{self.name} starts, life {self.life}")
        self.alive = True
        self.failed = False
        self.world.monitor.forget(self)
        try:
            with trio.CancelScope() as self._scope:
                async with run_peer(self._parts()) as self.peer, trio.open_nursery() as nursery:
                    nursery.start_soon(self._listen, self.peer)
                    nursery.start_soon(self._sit_down, self.peer)
                    if self.role is not None:
                        nursery.start_soon(self.role.work, self)
                    await trio.sleep_forever()
        except* Exception as errors:
            self._ended_by(errors)
        self.alive = False

    def _ended_by(self, error: Exception) -> None:
        """A program may end by itself for one reason alone: its disk has failed."""
        leaves = _leaves(error)
        troubles = [leaf for leaf in leaves if isinstance(leaf, Trouble) and str(leaf)]
        # Whoever has just asked the program for something hears that it has stopped.
        if self.failed and troubles and all(isinstance(leaf, LocalError) for leaf in leaves):
            self.world.log(f"{self.name} stops: {troubles[0]}")
            self.stops += 1
            self.world.monitor.seen["disk failed"] += 1
            self.silent_death = False
            self._down = self.world.nemesis.down(self)
            return
        text = "".join(traceback.format_exception(error))
        self.world.monitor.fail(f"the program of {self.name} ended by an error:\n{text}")

    def _parts(self) -> Parts:
        entropy = hash_stream(f"{self.world.plan.seed} {self.name} {self.life}")
        return Parts(
            self.identity,
            self.name,
            b"",
            SimTransport(self.world.network, self.host, PORT),
            self.store,
            InlineJobs(),
            entropy,
            lambda: [self.host],
            lambda: WALL + trio.current_time() + self.skew,
            self._discover,
        )

    def _discover(self, port: int) -> AbstractAsyncContextManager[Discovery]:
        address = Address(self.host, port)
        return SimDiscovery(self.world.air, self.name, self.identity.short, self.key, address)

    # What the simulation hooks into.

    def make_session(self, *about: object) -> Session:
        """The session of a new seat: that of a liar where this is one."""
        made = Session if self.role is None else self.role.session
        self.session = made(*about)  # type: ignore[arg-type]
        return self.session

    def says(self, data: bytes) -> list[bytes]:
        """The pieces that really go out when the program sends some bytes; liars wait to sit."""
        honest = self.role is None or not self.world.playing
        return [data] if honest or self.role is None else self.role.says(data)

    # The person.

    async def _listen(self, peer: Peer) -> None:
        """Hears all that is told, and answers every question by a bot."""
        entropy = hash_stream(f"{self.world.plan.seed} {self.name} {self.life} bot")
        bot = game(self.world.plan.game).strategies["random"]
        async for event in peer.events:
            self._told(event)
            if isinstance(event, SessionTold) and isinstance(event.event, YourMove):
                await self._move(peer, lambda view: bot(view, _draws(entropy)), event.event)

    async def _move(
        self, peer: Peer, bot: Callable[..., tuple[object, ...]], asked: YourMove
    ) -> None:
        session = self.session
        while session is not None and session is self.session and not session.over:
            try:
                await peer.move(bot(asked.view))  # type: ignore[arg-type]
            except RefusedMove as refused:
                # Meanwhile the table may have stopped or gone back, or the program has moved.
                if not self.world.monitor.voted and not session.over:
                    text = f"{self.name}: a bot's move was refused ({refused.rule}: {refused})"
                    self.world.monitor.fail(text)
                if refused.rule == "vote" and session.owes is not None:
                    await trio.sleep(AGAIN)
                    continue
            return

    def _told(self, event: PeerEvent) -> None:
        inner = event.event if isinstance(event, SessionTold) else event
        self.world.log(f"{self.name}: {type(inner).__name__}")
        if isinstance(inner, (peer_events.Agreed, peer_events.Resumed)):
            self.agreed = True
            self.world.sat_down()
        if isinstance(inner, (MatchOver, Stopped, Left)):
            self.over = True
        if isinstance(inner, WentBack):
            # What ended the match has been voted away; who has left at once has left.
            self.over = self.session is not None and self.session.over
        self.world.monitor.told(self, inner)

    async def _sit_down(self, peer: Peer) -> None:
        """Goes on with the table on disk, else opens one or asks for a seat until it has one."""
        plan = self.world.plan
        if self.name in plan.guests:
            await self._look_on(peer)
            return
        stored = await self.store.tables()
        if stored:
            self.agreed = True
            self.world.sat_down()
            self.over = self.over or stored[0].finished
            await peer.resume()
        while not self.agreed:
            try:
                await self._ask_for_a_seat(peer)
            except LocalError as refusal:
                self.world.log(f"{self.name}: {refusal}")
            await trio.sleep(AGAIN)
        if self.name in plan.leaves and not self.over:
            await peer.sit(plan.leaves[self.name])

    async def _ask_for_a_seat(self, peer: Peer) -> None:
        plan = self.world.plan
        if peer._owner.reception.waiting or peer._owner.tables.seat is not None:
            return
        if self.name == plan.names[0]:
            await peer.open_table("kitchen", plan.game, dict(plan.options), len(plan.names))
        else:
            with trio.move_on_after(20):
                await peer.join("kitchen")

    async def _look_on(self, peer: Peer) -> None:
        """A guest follows its wish of the moment."""
        watching = False
        while True:
            if self.watches != watching:
                try:
                    with trio.move_on_after(20):
                        await (peer.watch() if self.watches else peer.unwatch())
                        watching = self.watches
                except LocalError as refusal:
                    self.world.log(f"{self.name}: {refusal}")
            await trio.sleep(AGAIN / 4)


def _draws(entropy: Callable[[int], bytes]) -> Draw:
    return lambda n: int.from_bytes(entropy(8), "big") % n


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]
