"""Programs that are killed at a moment of the lobby and started again, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import trio

from p2p import identity
from p2p.database import Database
from p2p.events import PeerEvent, Refused
from p2p.handle import Peer, run_peer
from p2p.jobs import InlineJobs
from p2p.parts import Parts
from p2p.store import Store
from p2p.transport import Address
from protocol.errors import LocalError
from tests.p2p.lobby_room import hash_stream
from tests.protocol.once import computed_once
from tests.sim import determinism
from tests.sim.network import Network, SimTransport

NAMES = ("anna", "bert", "carl")
"""Anna opens the table."""

PORT = 7_000

Moment = tuple[str, str]
"""``before`` or ``after``, and which write of the store."""


@dataclass
class Death:
    """A program dies at a moment, the first time that it comes, and is started after some seconds.

    ``moves``: it then listens at another port.
    """

    moment: Moment
    seconds: float = 1.0
    moves: bool = False


class DeadlyStore(Store):
    """In memory, and outlives the program; ``at`` is told of each write, before and after."""

    def __init__(self) -> None:
        super().__init__(Database(), InlineJobs())
        self.at: Callable[[Moment], bool] = lambda moment: False

    async def _run(self, work: partial[None]) -> None:
        name = work.func.__name__
        await self._moment(("before", name))
        await super()._run(work)
        await self._moment(("after", name))

    async def _moment(self, moment: Moment) -> None:
        if self.at(moment):
            await trio.sleep_forever()


@dataclass
class Life:
    """One player through all lives: wants to sit at the kitchen table, whatever happens."""

    name: str
    network: Network
    deaths: list[Death]
    store: DeadlyStore = field(default_factory=DeadlyStore)
    told: list[PeerEvent] = field(default_factory=list)
    peer: Peer | None = None
    lives: int = 0
    port: int = PORT

    @property
    def host(self) -> str:
        """The address of its computer."""
        return f"10.0.0.{NAMES.index(self.name) + 1}"

    @property
    def table(self) -> bytes:
        """The table at which it has a seat, if its program runs."""
        seat = None if self.peer is None else self.peer._owner.tables.seat
        return b"" if seat is None else seat.agreement.table_id

    async def run(self) -> None:
        """From the first start on."""
        while True:
            self.lives += 1
            died = trio.Event()
            self.store.at = partial(self._dies, died)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._live)
                await died.wait()
                # No goodbye: what the system has of its bytes arrives, all else does not.
                assert self.peer is not None
                vars(self.peer._owner)["close"] = trio.lowlevel.checkpoint
                self.peer = None
                nursery.cancel_scope.cancel()
            await trio.sleep(self.deaths[0].seconds)
            self.port += self.deaths[0].moves
            del self.deaths[0]

    def _dies(self, died: trio.Event, moment: Moment) -> bool:
        if self.deaths and self.deaths[0].moment == moment:
            died.set()
        return died.is_set()

    async def _live(self) -> None:
        parts = Parts(
            identity.make(hash_stream(f"identity {self.name}")(32)),
            self.name,
            b"",
            SimTransport(self.network, self.host, self.port),
            self.store,
            InlineJobs(),
            hash_stream(f"{self.name} {self.lives}"),
            lambda: [self.host],
            lambda: 1_000_000 + trio.current_time(),
            shorts=False,
        )
        async with run_peer(parts) as self.peer, trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, self.peer)
            nursery.start_soon(self._sit_down, self.peer)
            await trio.sleep_forever()

    async def _listen(self, peer: Peer) -> None:
        async for event in peer.events:
            self.told.append(event)
            if isinstance(event, Refused) and peer._owner.tables.seat is None:
                await trio.sleep(1)
                await self._ask(peer)

    async def _sit_down(self, peer: Peer) -> None:
        if not await peer.resume():
            await self._ask(peer)

    async def _ask(self, peer: Peer) -> None:
        while peer._owner.tables.seat is None and not peer._owner.reception.waiting:
            try:
                if self.name == NAMES[0]:
                    await peer.open_table("kitchen", "azi", {}, len(NAMES))
                else:
                    await peer.join("kitchen", Address("10.0.0.1", PORT))
                return
            except LocalError:
                await trio.sleep(1)


@dataclass(frozen=True, slots=True)
class Sat:
    """How it ended: the table of each who has a seat, after how many seconds, what was told."""

    tables: Mapping[str, bytes]
    seconds: float
    told: Mapping[str, Sequence[PeerEvent]]

    @property
    def together(self) -> bool:
        """Whether all have seats at one table."""
        return len(set(self.tables.values())) == 1 and b"" not in self.tables.values()

    def heard(self, name: str, kind: type) -> int:
        """How often somebody was told something of a kind, in all lives."""
        return sum(isinstance(event, kind) for event in self.told[name])


def played(
    deaths: Mapping[str, Sequence[Death]],
    patience: float = 90.0,
) -> Sat:
    """All sit down, and die as they must; ends when all have seats at one table, or time is up."""

    async def main() -> Sat:
        network = Network(0.01)
        lives = {name: Life(name, network, list(deaths.get(name, ()))) for name in NAMES}
        async with trio.open_nursery() as nursery:
            for life in lives.values():
                nursery.start_soon(life.run)
            with trio.move_on_after(patience):
                await _until(lambda: not any(life.deaths for life in lives.values()))
                await _until(lambda: _sat(lives, 0).together)
            sat = _sat(lives, trio.current_time())
            nursery.cancel_scope.cancel()
        return sat

    with computed_once():
        return determinism.run(1, main)


async def _until(holds: Callable[[], bool]) -> None:
    for _ in range(10_000):
        if holds():
            return
        await trio.sleep(0.1)


def _sat(lives: Mapping[str, Life], seconds: float) -> Sat:
    tables = {name: life.table for name, life in lives.items()}
    return Sat(tables, seconds, {name: life.told for name, life in lives.items()})
