"""One player and all the windows that show the game: what happens goes out, commands come in."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import trio

from engine import Options
from p2p import events as p2p
from p2p.handle import Peer
from p2p.identity import short_form
from protocol import events as table
from protocol.agreement import read_agreement
from protocol.errors import LocalError, PeerFault
from ui.lines import plain
from ui.page.archive import Archive
from ui.page.bots import Bots
from ui.page.commands import BadCommand, Command, carry_out, read
from ui.page.keep import Kept
from ui.page.state import State

MOST_WAITING: Final = 500
"""Events that wait for a slow window; with more it is told the whole state instead."""

LOOK_SECONDS: Final = 60.0
"""How long the next hand waits at most while somebody looks at the result of the last one."""

STILL_SECONDS: Final = 24 * 3600.0
"""How old a table may be that stopped before this program was started, to be offered to go on."""

QUIET: Final = frozenset({"move"})
"""Commands whose outcome comes from the peer in a moment: windows draw once then, not twice."""

BEAT_SECONDS: Final = 0.4
"""How often the peer is asked whom the table waits for."""

NAMING_SECONDS: Final = 10.0
"""How long a peer may take to come back under a new name."""


@dataclass(slots=True)
class _Window:
    """What has not been sent to one window yet."""

    changed: set[str] = field(default_factory=set)
    events: list[object] = field(default_factory=list)
    full: bool = True
    news: trio.Event = field(default_factory=trio.Event)


class Room:
    """Shows the peer that it is given. Implements ``ui.page.site.Host``.

    ``advising``: advice takes a thread's time, so one is worked out after the other.
    ``beginning``: it is being found out whether there is a table to go on at.
    """

    def __init__(self, kept: Kept, bots: Bots) -> None:
        self.kept = kept
        self.bots = bots
        self.archive = Archive(self)
        self.advising = trio.CapacityLimiter(1)
        self.beginning = False
        self._peer: Peer | None = None
        self._state: State | None = None
        self._windows: list[_Window] = []
        self._shown = trio.Event()
        self._look: trio.CancelScope | None = None
        self._new_name = ""
        self._sought = False
        self._showing: trio.CancelScope | None = None
        self._nursery: trio.Nursery | None = None

    @property
    def peer(self) -> Peer:
        """The peer; LocalError while it starts again under another name."""
        if self._peer is None:
            raise LocalError("Facedown is just starting.")
        return self._peer

    @property
    def state(self) -> State:
        """What is shown of the peer; LocalError as for ``peer``."""
        if self._state is None:
            raise LocalError("Facedown is just starting.")
        return self._state

    # The peer.

    async def show(self, peer: Peer, state: State) -> str:
        """Shows this peer until the player takes another name; returns that."""
        self._peer, self._state, self._new_name = peer, state, ""
        self.bots.serve(self._way_in, self._bot_failed, self._bot_came)
        state.know_bots(self.bots.keys)
        state.put("muted", self.kept.texts("muted"))
        state.know_back(self.kept.mapping("back"))
        state.know_gone(self.kept.mapping("gone"))
        state.know(await peer.known())
        for window in self._windows:
            window.full = True
            window.news.set()
        async with trio.open_nursery() as self._nursery:
            self._showing = self._nursery.cancel_scope
            await peer.pause(True)
            self._shown.set()
            self._nursery.start_soon(self._know_self)
            self._nursery.start_soon(self._keep_up)
            await self._follow(peer)
        self._peer = None
        return self._new_name

    async def rename(self, name: str) -> None:
        """Lets the peer come back under another name; LocalError while it is on its way."""
        if self._showing is None or not self._shown.is_set():
            raise LocalError("Facedown is just starting.")
        self._new_name = name
        self._showing.cancel()
        self._shown = shown = trio.Event()
        with trio.move_on_after(NAMING_SECONDS):
            await shown.wait()

    async def _follow(self, peer: Peer) -> None:
        async for event in peer.events:
            self._take(event)
            # All that has happened by now is told at once.
            with suppress(trio.WouldBlock, trio.EndOfChannel):
                while True:
                    self._take(peer.events.receive_nowait())
            self.refresh()

    async def _know_self(self) -> None:
        """The own short form, and with it invite codes, beside everything else."""
        if not self._named:
            short = await trio.to_thread.run_sync(short_form, self.peer.key, abandon_on_cancel=True)
            self.state.know_self(short)
        self._say_codes()
        self.publish()

    def _say_codes(self) -> None:
        if self._named:
            self.state.update("me", codes=self.peer.invites())

    @property
    def _named(self) -> bool:
        """Whether the own short form is known by now: codes are made of it."""
        me = self.state.sections["me"]
        return isinstance(me, dict) and bool(me["short"])

    def _way_in(self) -> str:
        """Where own bots join. An invite code also opens a table for those with one only; none is
        opened as early as a code is not known yet."""
        codes = self.peer.invites() if self._named else ()
        return (*codes, str(self.peer.addresses[0]))[0]

    async def _keep_up(self) -> None:
        """Who is waited for changes with every entry that comes in; there are no events for it."""
        while True:
            await trio.sleep(BEAT_SECONDS)
            self.refresh()

    def _take(self, event: p2p.PeerEvent) -> None:
        self.state.take(event)
        if isinstance(event, p2p.Looking):
            self._sought = True
        if isinstance(event, p2p.Agreed) and self._sought:
            # It was signed before this program was started: own bots of it do not run yet.
            self._sought = False
            keys = frozenset(player.key for player in event.players)
            self.start(partial(self.bots.come_back, keys))
        if isinstance(event, (p2p.LobbyChanged, p2p.Listening, p2p.Agreed, p2p.Resumed)):
            self._say_codes()
        if isinstance(event, p2p.SessionTold):
            self._take_of_table(event.event)

    def _take_of_table(self, event: table.Event) -> None:
        match event:
            case table.HandStarted():
                self.kept.put(back=self.state.back)
                self._end_look()
            case table.HandOver():
                held = self.state.sections["table"]
                if isinstance(held, dict) and held["seat"] is not None:  # not for onlookers
                    self._begin_look()
            case table.DeclaredGone():
                self.kept.put(gone=self.state.gone)
            case table.WentBack():
                self.kept.put(gone=self.state.gone)
                self.state.know_stopped(None)
                self._end_look()
            case table.MatchOver():
                self._end_look()
            case table.Stopped():
                self._end_look()
                held = self.state.sections["table"]
                if isinstance(held, dict) and held["seat"] is not None:  # not for onlookers
                    self.start(self._know_stopped)
            case _:
                pass

    async def _know_stopped(self) -> None:
        """Whether others may go on from the table that has stopped."""
        self.state.know_stopped(await self.peer.stopped())
        self.publish()

    async def resume(self) -> bool:
        """Goes on at the table that was left, with the own bots; False if there is none."""
        self.beginning = True
        try:
            await self._shown.wait()
            tables = await self.peer.tables()
            unfinished = [one for one in tables if not one.finished]
            if not unfinished:
                if tables and self.state.wall() - tables[0].opened < STILL_SECONDS:
                    self.start(self._know_stopped)
                return False
            self.bots.resume()
            self.state.put("resuming", {"table": _name(unfinished[0].sealed)})
            self.publish()
            return await self.peer.resume()
        finally:
            self.beginning = False
            if self._state is not None:
                self.state.put("resuming", False)
                self.publish()

    async def open_with_bots(
        self, name: str, game: str, options: Options, seats: int, bots: int
    ) -> None:
        """Opens a table at which own bots sit down at once; this player is ready."""
        await self.peer.open_table(name, game, dict(options), seats)
        await self.peer.ready(True)
        for _ in range(bots):
            await self.bots.add(name)

    def _bot_failed(self, words: str) -> None:
        self.state.tell("bot_failed", text=words)
        self.publish()

    def _bot_came(self, key: bytes) -> None:
        # Its process has said the key to us: there is nothing for people to compare.
        if self._peer is not None:
            self._peer.vouch(key)
        self.state.know_bots(self.bots.keys)
        self.publish()

    # Looking at a result: the next hand waits until somebody here has seen it, or time is up.

    def _begin_look(self) -> None:
        self._end_look()
        assert self._nursery is not None
        self._look = trio.CancelScope()
        self.state.pauses(self.state.wall() + LOOK_SECONDS)
        self._nursery.start_soon(self._time_out, self._look)

    def _end_look(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None
        self.state.pauses(None)

    async def _time_out(self, scope: trio.CancelScope) -> None:
        with scope:
            await trio.sleep(LOOK_SECONDS)
        if not scope.cancelled_caught:
            await self.go_on()

    async def go_on(self) -> None:
        """The result has been looked at; the table may deal."""
        self._end_look()
        self.refresh()
        await self.peer.pause(False)
        await self.peer.pause(True)

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does something beside the game, for as long as this peer is shown."""
        if self._nursery is None or self._peer is None:
            raise LocalError("Facedown is just starting.")
        self._nursery.start_soon(work)

    # Windows.

    def window(self) -> Callable[[], Awaitable[str]]:
        """A new window; what is returned waits for the next message to it. ``forget`` ends it."""
        window = _Window()
        if self._state is not None:
            window.news.set()
        self._windows.append(window)
        return partial(self._next, window)

    def forget(self, window: Callable[[], Awaitable[str]]) -> None:
        """A window is closed."""
        assert isinstance(window, partial)
        self._windows.remove(window.args[0])

    async def _next(self, window: _Window) -> str:
        await window.news.wait()
        window.news = trio.Event()
        sections = self.state.sections
        message = {
            "full": window.full,
            "set": {
                name: sections[name] for name in sections if window.full or name in window.changed
            },
            # A new window hears of what is, not of what was.
            "events": [] if window.full else window.events,
        }
        window.changed, window.events, window.full = set(), [], False
        return json.dumps(message, default=plain, separators=(",", ":"))

    def publish(self) -> None:
        """Tells all windows what has changed."""
        changed, happened = self.state.changed, self.state.happened
        if not changed and not happened:
            return
        for window in self._windows:
            window.changed |= changed
            window.events += happened
            if len(window.events) > MOST_WAITING:
                window.events, window.full = [], True
            window.news.set()
        self.state.changed, self.state.happened = set(), []

    def refresh(self) -> None:
        """Asks the peer for what it has no events for, and tells the windows."""
        if self._peer is not None:
            self.state.waits(self._peer.waiting(), self._peer.attendance())
            self.publish()

    # Commands.

    async def obey(self, command: str) -> str:
        """Carries out a command of a window; returns the answer to it."""
        asked: Command | None = None
        try:
            asked = read(command)
            answer: dict[str, object] = {"ok": True, "value": await carry_out(self, asked)}
        except BadCommand as bad:
            answer = {"ok": False, "rule": bad.rule, "text": str(bad)}
        except LocalError as error:
            rule = getattr(error, "rule", None) or getattr(error, "reason", None) or "local"
            answer = {"ok": False, "rule": rule, "text": str(error)}
        except OSError as error:  # a full disk, no more processes or files
            answer = {"ok": False, "rule": "page.system", "text": str(error) or "unknown"}
        if asked is None or asked.what not in QUIET:
            self.refresh()
        return json.dumps(
            {"reply": asked and asked.number, **answer}, default=plain, separators=(",", ":")
        )

    async def record(self, table: str) -> bytes:
        """The record file of a table by its id in hexadecimal; raises LocalError."""
        try:
            identity = bytes.fromhex(table)
        except ValueError:
            raise LocalError("There is no record of this name.") from None
        return await self.peer.record_of(identity)


def _name(sealed: bytes) -> str:
    """The name of a table by what is stored of it, or empty: opening it says what is wrong."""
    try:
        return read_agreement(sealed).roster.table
    except PeerFault:
        return ""
