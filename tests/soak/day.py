"""A table that plays for a day of virtual time: whatever grows shows.

    python -m tests.soak.day --hours 24 --think 20

Whole peers with their stores on disk, and bots that think as long as people do, on a simulated
network. One line for each virtual hour; exit code 1 if memory, objects, tasks or open files are
more in the last quarter than in the second. (The record on disk does grow: it keeps every entry.)
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import trio

from engine import game
from p2p import identity
from p2p.database import Database
from p2p.events import SessionTold
from p2p.handle import Peer, run_peer
from p2p.jobs import InlineJobs
from p2p.parts import Parts
from p2p.store import FILE_NAME, Store
from p2p.transport import Address
from protocol.errors import RefusedMove
from protocol.events import HandOver, MatchOver, Stopped, YourMove
from tests.p2p.lobby_room import hash_stream
from tests.protocol.tables import drawer
from tests.sim import determinism
from tests.sim.network import Air, Network, Pipe, SimDiscovery, SimTransport

HOUR = 3600
PORT = 7_000
NAMES = ("anna", "bert", "carl", "dora", "emil", "fran")

SLACK = {"memory": 1.06, "objects": 1.02, "tasks": 1.02, "files": 1.0}
"""What the last quarter may have more than the second: sums that move up and down by themselves.
Memory has caches of bounded size that take hours to fill: pages of the data file, and who has which
envelope."""

FEWEST = 8
"""Hours that it takes to say anything of quarters."""

OPTIONS: dict[str, dict[str, int | str]] = {
    # Nobody runs out of chips in a day.
    "azi": {"hands": 0, "stack": 1_000_000, "max_bid": 20, "turn_seconds": 60},
    "hazari": {"hands": 1000, "arrange_seconds": 120},
}


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process with all peers in it holds; ``memory`` and ``disk`` in KB."""

    hour: float
    hands: int
    memory: int
    objects: int
    tasks: int
    files: int
    disk: int

    def __str__(self) -> str:
        return (
            f"hour {self.hour:5.1f}: {self.hands} hands, {self.memory} KB of memory, "
            f"{self.objects} objects, {self.tasks} tasks, {self.files} open files, "
            f"{self.disk} KB on disk"
        )


class Wire(Network):
    """The simulated network, without the list of all that went over it."""

    def note(self, pipe: Pipe, data: bytes) -> None:
        """Nothing is kept."""


class Day:
    """One table. ``think``: seconds before each move."""

    def __init__(self, name: str, seats: int, think: float, hours: float, home: Path) -> None:
        self.samples: list[Sample] = []
        self.trouble = ""
        self._game = name
        self._names = NAMES[:seats]
        self._think = think
        self._hours = hours
        self._home = home
        self._network = Wire(0.01)
        self._air = Air(0.01)
        self.hands = 0

    async def run(self) -> None:
        """Plays until the time is up, or the table stops, which is a trouble."""
        async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
            peers = [
                await stack.enter_async_context(run_peer(self._parts(number, name)))
                for number, name in enumerate(self._names, 1)
            ]
            for peer in peers:
                nursery.start_soon(self._listen, peer)
            opener, *others = peers
            await opener.open_table("kitchen", self._game, OPTIONS[self._game], len(peers))
            for other in others:
                await other.join("kitchen")
            while trio.current_time() < self._hours * HOUR and not self.trouble:
                self.samples.append(self._sample())
                print(self.samples[-1], flush=True)
                await trio.sleep(min(HOUR, self._hours * HOUR - trio.current_time()))
            nursery.cancel_scope.cancel()

    def _parts(self, number: int, name: str) -> Parts:
        folder = self._home / name
        folder.mkdir()
        me = identity.make(hash_stream(f"identity {name}")(32))
        address = Address(f"10.0.0.{number}", PORT)
        return Parts(
            me,
            name,
            b"",
            SimTransport(self._network, address.host, address.port),
            Store(Database(folder / FILE_NAME), InlineJobs()),
            InlineJobs(),
            hash_stream(f"day {name}"),
            lambda: [address.host],
            lambda: 1_000_000 + trio.current_time(),
            lambda port: SimDiscovery(self._air, name, me.short, me.key, address),
        )

    async def _listen(self, peer: Peer) -> None:
        """Plays as a person does: it looks, and then it moves."""
        bot = game(self._game).strategies["random"]
        draw = drawer("day", peer.key)
        async for event in peer.events:
            told = event.event if isinstance(event, SessionTold) else None
            match told:
                case HandOver():
                    self.hands += 1
                case MatchOver() | Stopped():
                    self.trouble = f"the table is over: {told}"
                case YourMove(_, view, _):
                    await trio.sleep(self._think)
                    try:
                        await peer.move(bot(view, draw))
                    except RefusedMove as refused:
                        self.trouble = f"a move was refused: {refused}"

    def _sample(self) -> Sample:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return Sample(
            trio.current_time() / HOUR,
            self.hands // len(self._names),
            pages * os.sysconf("SC_PAGE_SIZE") // 1024,
            len(gc.get_objects()),
            trio.lowlevel.current_statistics().tasks_living,
            len(os.listdir("/proc/self/fd")),
            sum(file.stat().st_size for file in self._home.rglob("*") if file.is_file()) // 1024,
        )


def growth(samples: list[Sample]) -> list[str]:
    """What the last quarter of the day has more of than the second."""
    count = len(samples)
    second, last = samples[count // 4 : count // 2], samples[3 * count // 4 :]
    grown = []
    for what, slack in SLACK.items():
        before, after = (
            statistics.median(getattr(s, what) for s in part) for part in (second, last)
        )
        if after > before * slack:
            grown.append(f"{what}: {before:.0f} in the second quarter, {after:.0f} in the last")
    return grown


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser("python -m tests.soak.day")
    parser.add_argument("--game", choices=sorted(OPTIONS), default="azi")
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--think", type=float, default=20.0, help="seconds before each move")
    parser.add_argument("--hours", type=float, default=24.0, help="virtual hours")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="facedown-day-") as home:
        day = Day(options.game, options.seats, options.think, options.hours, Path(home))
        determinism.run(1, day.run)
    grown = growth(day.samples) if len(day.samples) >= FEWEST else []
    for trouble in (day.trouble, *grown):
        if trouble:
            print(f"WRONG: {trouble}")
    return 1 if day.trouble or grown else 0


if __name__ == "__main__":
    sys.exit(main())
