"""People at real peers on loopback: each reads all that it is told, and may play."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trio

from engine import game
from p2p.events import Agreed, PeerEvent, SessionTold
from p2p.peer import Peer, PeerConfig, open_peer
from protocol.errors import LocalError
from protocol.events import YourMove
from tests.protocol.tables import drawer

LOOPBACK = "127.0.0.1"
NAMES = ("anna", "bert", "carl", "dora")


@dataclass
class Told:
    """A peer and all that it was told; ``hold`` keeps its bot from moving."""

    peer: Peer
    strategy: str = ""
    hold: bool = False
    events: list[PeerEvent] = field(default_factory=list)
    asked: YourMove | None = None

    async def run(self) -> None:
        """Reads all events; plays if there is a strategy."""
        async for event in self.peer.events:
            self.events.append(event)
            if isinstance(event, SessionTold) and isinstance(event.event, YourMove):
                self.asked = event.event
                await self.play()

    async def play(self) -> None:
        """Makes the move that is due, if any and if nobody holds it back."""
        if self.asked is not None and not self.hold and self.strategy:
            view, self.asked = self.asked.view, None
            bot = game(view.game).strategies[self.strategy]
            try:
                await self.peer.move(bot(view, drawer(self.peer.key)))
            except LocalError as error:
                if "stopped" in str(error):  # the test ends in the middle of a hand
                    return
                raise

    def of(self, kind: type) -> list[object]:
        """What it was told of a kind, by the peer or its table."""
        inner = [e.event if isinstance(e, SessionTold) else e for e in self.events]
        return [event for event in inner if isinstance(event, kind)]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits until something is so."""
        with trio.fail_after(60):
            while True:
                if holds():
                    return
                await trio.sleep(0.02)

    async def until_told(self, kind: type) -> None:
        """Waits until there is an event of a kind."""
        await self.until(lambda: bool(self.of(kind)))


@asynccontextmanager
async def people(folder: Path, *names: str, strategy: str = "") -> AsyncIterator[list[Told]]:
    """Peers on loopback without discovery, each read by a task."""
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        found = []
        for name in names:
            config = PeerConfig(folder / name, name, LOOPBACK, discovery=False)
            found.append(Told(await stack.enter_async_context(open_peer(config)), strategy))
            nursery.start_soon(found[-1].run)
        yield found
        await stack.aclose()
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def a_table(folder: Path, hands: int = 1) -> AsyncIterator[list[Told]]:
    """Four players at a table of Hazari."""
    async with people(folder, *NAMES, strategy="random") as seats:
        await sit_down(seats, hands)
        yield seats


async def sit_down(seats: Sequence[Told], hands: int) -> None:
    """The first opens a table of Hazari, the others join, until all have agreed."""
    anna, *others = seats
    await anna.peer.open_table("kitchen", "hazari", {"hands": hands}, 4)
    for other in others:
        await other.peer.join("kitchen", (LOOPBACK, anna.peer.port))
    for seat in seats:
        await seat.until_told(Agreed)


def seat_of(told: Told) -> int:
    """The seat of a player."""
    (agreed,) = told.of(Agreed)
    assert isinstance(agreed, Agreed)
    return agreed.seat
