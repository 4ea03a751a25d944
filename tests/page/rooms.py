"""A room for tests: shown is a peer that says what a test wants, and windows are read here."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing

from engine import Move
from p2p import events as p2p
from p2p.following import Attendance
from p2p.transport import Address
from protocol.errors import LocalError
from protocol.going_on import StoppedTable
from ui.page.keep import Kept
from ui.page.room import Room
from ui.page.sections import LOG
from ui.page.state import State

PLAYERS = tuple(
    p2p.PlayerInfo(bytes([seat]) * 32, name, f"{name.upper()}AAAAAAA"[:8], ready=True)
    for seat, name in enumerate(("anna", "bert", "carl", "dora", "eve", "finn"))
)

ADDRESS = Address("127.0.0.1", 7000)


def agreed(
    game: str = "hazari", seats: int = 4, seat: int = 0, kind: type = p2p.Agreed, **options: Any
) -> Any:
    """The table is agreed, or resumed."""
    from engine import complete
    from engine import game as named

    found = complete(named(game).options, options)
    words = ("green", "boat", "quiet", "lemon")
    return kind(b"\7" * 32, seat, PLAYERS[:seats], words, "kitchen", game, tuple(found.items()))


class FakePeer:
    """Says what is put into it; keeps what it is asked for."""

    def __init__(self, seat: int = 0) -> None:
        self.key = PLAYERS[seat].key
        self.addresses = (ADDRESS,)
        self.asked: list[tuple[object, ...]] = []
        self.refusal: LocalError | None = None
        self.held: tuple[str, tuple[int, ...]] | None = None
        self.there = Attendance()
        self.resumes = False
        self.vouched: list[bytes] = []
        self.left: StoppedTable | None = None
        self.say_to_page, self.events = trio.open_memory_channel[p2p.PeerEvent](math.inf)

    def tell(self, *events: object) -> None:
        """These happen; those of the table as ``SessionTold``."""
        for event in events:
            if type(event).__module__ == "protocol.events":
                event = p2p.SessionTold(event)  # type: ignore[arg-type]
            self.say_to_page.send_nowait(event)  # type: ignore[arg-type]

    def waiting(self) -> tuple[str, tuple[int, ...]] | None:
        """See ``Peer.waiting``."""
        return self.held

    def attendance(self) -> Attendance:
        """See ``Peer.attendance``."""
        return self.there

    def invites(self) -> tuple[str, ...]:
        """See ``Peer.invites``."""
        return ("AAAA-BBBB",)

    def vouch(self, key: bytes) -> None:
        """See ``Peer.vouch``."""
        self.vouched.append(key)

    async def _note(self, *what: object) -> None:
        self.asked.append(what)
        if self.refusal is not None and what[0] != "pause":
            raise self.refusal

    async def known(self) -> frozenset[bytes]:
        """See ``Peer.known``."""
        return frozenset({PLAYERS[1].key})

    async def resume(self) -> bool:
        """See ``Peer.resume``."""
        return self.resumes

    async def stopped(self) -> StoppedTable | None:
        """See ``Peer.stopped``."""
        return self.left

    async def go_on(self) -> None:
        """See ``Peer.go_on``."""
        await self._note("go on")

    async def move(self, move: Move) -> None:
        """See ``Peer.move``."""
        await self._note("move", move)

    async def pause(self, on: bool) -> None:
        """See ``Peer.pause``."""
        await self._note("pause", on)

    async def ready(self, ready: bool) -> None:
        """See ``Peer.ready``."""
        await self._note("ready", ready)

    async def leave(self) -> None:
        """See ``Peer.leave``."""
        await self._note("leave")

    async def remove(self, key: bytes) -> None:
        """See ``Peer.remove``."""
        await self._note("remove", key)

    async def sit(self, choice: str) -> None:
        """See ``Peer.sit``."""
        await self._note("sit", choice)

    async def depart(self) -> None:
        """See ``Peer.depart``."""
        await self._note("depart")

    async def miss(self, seat: int) -> None:
        """See ``Peer.miss``."""
        await self._note("miss", seat)

    async def say(self, text: str) -> None:
        """See ``Peer.say``."""
        await self._note("say", text)

    async def open_table(self, *what: object) -> None:
        """See ``Peer.open_table``."""
        await self._note("open", *what)

    async def join(self, *what: object, **how: object) -> None:
        """See ``Peer.join``."""
        await self._note("join", *what, *how.values())

    async def record_of(self, table: bytes) -> bytes:
        """See ``Peer.record_of``."""
        await self._note("record", table)
        return b"the record"


class FakeBots:
    """Bots that never come. ``added``: the tables that they were asked for."""

    coming = 0

    def __init__(self) -> None:
        self.added: list[str] = []
        self.back: list[frozenset[bytes]] = []
        self.gone = 0
        self.keys: set[bytes] = set()
        self.released: list[tuple[object, object]] = []

    def serve(self, address: object, failed: object, came: object) -> None:
        """See ``Bots.serve``."""

    def resume(self) -> None:
        """See ``Bots.resume``."""

    async def come_back(self, keys: frozenset[bytes]) -> None:
        """See ``Bots.come_back``."""
        self.back.append(keys)

    async def add(self, table: str) -> None:
        """See ``Bots.add``."""
        self.added.append(table)

    async def let_go(self, only: Any = None, but: Any = ()) -> None:
        """See ``Bots.let_go``."""
        self.gone += 1
        self.released.append((only, but))


class Window:
    """A window of a page, as its JavaScript keeps it. ``texts``: every message as it came."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._next = room.window()
        self._numbers = itertools.count(1)
        self.state: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self.texts: list[str] = []

    @property
    def waiting(self) -> Any:
        """What the room keeps for this window until it is read."""
        return self._next.args[0]  # type: ignore[attr-defined]

    async def read(self) -> None:
        """Reads all that is there for it; then it knows what is."""
        await trio.testing.wait_all_tasks_blocked()
        while self.waiting.news.is_set():
            self.take(await self._next())
            await trio.testing.wait_all_tasks_blocked()

    def take(self, text: str) -> None:
        """One message."""
        self.texts.append(text)
        message = json.loads(text)
        assert set(message) == {"full", "set", "events"}
        if message["full"]:
            self.state = {}
        self.state |= message["set"]
        self.events += message["events"]
        if "log" not in message["set"]:  # as the page does
            lines = [e for e in message["events"] if "n" in e and e["kind"] != "chat"]
            self.state["log"] = [*self.state["log"], *lines][-LOG:]

    async def ask(self, do: str, **fields: object) -> dict[str, Any]:
        """The answer to a command."""
        number = next(self._numbers)
        answer = json.loads(await self.room.obey(json.dumps({"id": number, "do": do, **fields})))
        assert answer["reply"] == number
        return answer  # type: ignore[no-any-return]

    def close(self) -> None:
        """The window is closed."""
        self.room.forget(self._next)


@asynccontextmanager
async def shown(
    folder: Path,
    peer: Any = None,
    bots: Any = None,
    name: str = "anna",
    wall: Any = None,
    short: str = "ANNAAAAA",
) -> AsyncIterator[tuple[Room, Any]]:
    """A room that shows a peer; ``short``: what is known of its short form."""
    peer = peer or FakePeer()
    room = Room(Kept(folder), bots or FakeBots())
    state = State(name, peer.key, short, *([wall] if wall else []))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.show, peer, state)
        await room._shown.wait()
        yield room, peer
        nursery.cancel_scope.cancel()
