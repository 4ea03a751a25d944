"""A whole table in one test: real peers, a simulated network, bots on every seat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import trio

from engine import Draw, game
from p2p import identity
from p2p.discovery import Discovery
from p2p.events import Agreed, FaultSeen, PeerEvent, SessionTold
from p2p.handle import Peer, run_peer
from p2p.jobs import InlineJobs
from p2p.parts import Parts
from p2p.store import Store, memory_store
from p2p.transport import Address
from protocol.envelope import TABLE_LANE
from protocol.events import MatchOver, Stopped, YourMove
from tests.p2p.lobby_room import hash_stream
from tests.sim.network import Air, Network, SimDiscovery, SimTransport

NAMES = ("anna", "bert", "carl", "dora")
GUEST = "eve"
"""Somebody without a seat, where a test has one."""

PATIENCE = 3600.0
"""Virtual seconds after which a table that is not over hangs."""


def host(name: str) -> str:
    """The address of a player's computer."""
    return f"10.0.0.{(*NAMES, GUEST).index(name) + 1}"


@dataclass
class Player:
    """A peer with a bot on its seat, and all that it was told, with the time."""

    name: str
    peer: Peer
    store: Store
    told: list[tuple[float, PeerEvent]] = field(default_factory=list)
    over: trio.Event = field(default_factory=trio.Event)
    on_told: Callable[[PeerEvent], None] | None = None

    @property
    def head(self) -> bytes:
        """The last head of the table lane."""
        assert self.peer._owner.tables.seat is not None
        return self.peer._owner.tables.seat.session.history.lanes[TABLE_LANE].head

    @property
    def session_events(self) -> list[object]:
        """What the session told."""
        return [e.event for _, e in self.told if isinstance(e, SessionTold)]

    @property
    def faults(self) -> list[str]:
        """The codes of all faults seen."""
        return [e.fault.code for _, e in self.told if isinstance(e, FaultSeen)]

    def time_of(self, kind: type[object]) -> float:
        """When an event of this kind was first told, by the peer or its session."""
        for time, event in self.told:
            inner = event.event if isinstance(event, SessionTold) else event
            if isinstance(inner, kind):
                return time
        raise AssertionError(f"{self.name} was never told {kind.__name__}")

    async def play(self, strategy: str, seed: str) -> None:
        """Answers every question of the session by a bot, until the table is over."""
        draw = _draws(hash_stream(f"{seed} {self.name} bot"))
        bot = game("hazari").strategies[strategy]
        async for event in self.peer.events:
            self.told.append((trio.current_time(), event))
            if self.on_told is not None:
                self.on_told(event)
            if not isinstance(event, SessionTold):
                continue
            if isinstance(event.event, YourMove):
                await self.peer.move(bot(event.event.view, draw))
            elif isinstance(event.event, (MatchOver, Stopped)):
                self.over.set()


def _draws(entropy: Callable[[int], bytes]) -> Draw:
    def draw(n: int) -> int:
        return int.from_bytes(entropy(8), "big") % n

    return draw


@dataclass
class World:
    """The network, the air, and the players who are there."""

    seed: str
    network: Network
    air: Air
    players: dict[str, Player] = field(default_factory=dict)
    strategy: str = "random"
    _crashes: dict[str, tuple[trio.Event, float]] = field(default_factory=dict)
    _leave: trio.Event = field(default_factory=trio.Event)

    def crash(self, name: str, seconds: float) -> None:
        """A player's program is killed without a word, and started again after some seconds."""
        for other in NAMES:
            if other != name:
                self.network.cut(host(name), host(other))
        event = self._crashes[name][0]
        self._crashes[name] = (event, seconds)
        event.set()

    async def live(
        self, name: str, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """A player from its first start to the end, through all crashes."""
        store = memory_store()
        life = 1
        while True:
            crashed = trio.Event()
            self._crashes[name] = (crashed, 0.0)
            async with self.player(name, store, life) as player, trio.open_nursery() as nursery:
                if life > 1:
                    nursery.start_soon(player.peer.resume)
                else:
                    task_status.started()
                await _either(crashed, self._leave)
                nursery.cancel_scope.cancel()
            if not crashed.is_set():
                return
            await trio.sleep(self._crashes[name][1])
            for other in NAMES:
                if other != name:
                    self.network.heal(host(name), host(other))
            life += 1

    @asynccontextmanager
    async def player(
        self, name: str, store: Store | None = None, life: int = 1
    ) -> AsyncIterator[Player]:
        """A peer with a bot; ``life`` counts its starts, each with entropy of its own."""
        me = identity.make(hash_stream(f"identity {name}")(32))
        kept = store or memory_store()

        def discover(port: int) -> AbstractAsyncContextManager[Discovery]:
            address = Address(host(name), port)
            return SimDiscovery(self.air, name, me.short, me.key, address)

        parts = Parts(
            me,
            name,
            b"",
            SimTransport(self.network, host(name), 7_000),
            kept,
            InlineJobs(),
            hash_stream(f"{self.seed} {name} {life}"),
            lambda: [host(name)],
            lambda: 1_000_000 + trio.current_time(),
            discover,
        )
        async with run_peer(parts) as peer, trio.open_nursery() as nursery:
            player = Player(name, peer, kept)
            if name in self.players:
                player.told = self.players[name].told
                player.over = self.players[name].over
            self.players[name] = player
            nursery.start_soon(player.play, self.strategy, f"{self.seed} {life}")
            yield player
            nursery.cancel_scope.cancel()

    async def gather(self, hands: int = 1) -> None:
        """Anna opens a table, the others find it and join."""
        await self.players[NAMES[0]].peer.open_table("kitchen", "hazari", {"hands": hands}, 4)
        async with trio.open_nursery() as nursery:
            for name in NAMES[1:]:
                nursery.start_soon(self.players[name].peer.join, "kitchen")

    async def finish(self) -> None:
        """Waits until the table is over for all."""
        with trio.fail_after(PATIENCE):
            for player in self.players.values():
                await player.over.wait()


async def with_table(
    seed: str,
    story: Callable[[World], Awaitable[None]],
    *,
    delay: float = 0.01,
    hands: int = 1,
    made: Callable[[World], None] | None = None,
) -> World:
    """Four players sit down, the story happens, the match ends. ``made`` gets the empty world."""
    world = World(seed, Network(delay), Air(delay))
    if made is not None:
        made(world)
    async with trio.open_nursery() as nursery:
        for name in NAMES:
            await nursery.start(world.live, name)
        await world.gather(hands)
        await story(world)
        await world.finish()
        world._leave.set()
    return world


async def _either(one: trio.Event, other: trio.Event) -> None:
    """Returns when one of two events is set."""
    async with trio.open_nursery() as nursery:

        async def wait(event: trio.Event) -> None:
            await event.wait()
            nursery.cancel_scope.cancel()

        nursery.start_soon(wait, one)
        nursery.start_soon(wait, other)


async def nothing(world: World) -> None:
    """The story of a table at which nothing happens."""


def agreed_at(player: Player) -> float:
    """When the agreement was signed, as this player saw it."""
    return player.time_of(Agreed)
