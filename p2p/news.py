"""What waits to be told to the people and programs at a seat: all that counts, and never too much.

Whoever reads is told everything, in order. Where nobody reads for a while, what has been overtaken
goes first, then the oldest of what strangers can bring about and of what is only talk. What happens
at the own table stays, up to thousands of events; if even that is too much its oldest hands are not
told, and ``Missed`` says so in their place: they are in the record.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable

import trio

from p2p.events import (
    ChatSaid,
    DiscoveryOff,
    FaultSeen,
    Linked,
    Listening,
    LobbyChanged,
    Missed,
    NewKeyForName,
    PeerEvent,
    PeerFound,
    PeerLost,
    SessionTold,
    ShortMade,
    SpectatorsChanged,
    TableSeen,
    TablesTold,
    Unlinked,
)
from protocol import events as table

ROOM = 256
"""Events that wait before any is left out."""

MOST = {"stranger": 256, "chat": 256, "fault": 64, "table": 4096}
"""How many of a kind may wait; the newest stay."""

Topic = tuple[Hashable, ...]


class News:
    """A channel of events with an end. ``is_at_table``: whether a key is one of the own table."""

    def __init__(self, is_at_table: Callable[[bytes], bool] = lambda key: False) -> None:
        self._is_at_table = is_at_table
        self._waiting: deque[PeerEvent] = deque()
        self._brim = ROOM
        self._readers = trio.lowlevel.ParkingLot()

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def put(self, event: PeerEvent) -> None:
        """Something has happened; never waits."""
        self._waiting.append(event)
        self._readers.unpark()
        if len(self._waiting) > self._brim:
            self._waiting = deque(self._thinned())
            self._brim = len(self._waiting) + ROOM

    def __aiter__(self) -> News:
        return self

    async def __anext__(self) -> PeerEvent:
        return await self.receive()

    async def receive(self) -> PeerEvent:
        """The next event, when there is one."""
        await trio.lowlevel.checkpoint()
        while not self._waiting:
            await self._readers.park()
        return self._next()

    def receive_nowait(self) -> PeerEvent:
        """The next event; raises trio.WouldBlock if there is none."""
        if not self._waiting:
            raise trio.WouldBlock
        return self._next()

    def _next(self) -> PeerEvent:
        event = self._waiting.popleft()
        if not self._waiting:
            self._brim = ROOM
        return event

    def _thinned(self) -> list[PeerEvent]:
        """What is left of the events that wait."""
        kept: list[PeerEvent] = []
        counts: Counter[str] = Counter()
        missed = 0
        for event in reversed(_current(_once(self._waiting))):
            if isinstance(event, Missed):
                missed += event.count
                continue
            kind = self._kind(event)
            counts[kind] += 1
            if counts[kind] <= MOST.get(kind, counts[kind]):
                kept.append(event)
            elif kind == "table":
                missed += 1
        if missed:
            kept.append(Missed(missed))
        return kept[::-1]

    def _kind(self, event: PeerEvent) -> str:
        """By whom it can be brought about without end; empty if by nobody but the people here."""
        match event:
            case PeerFound() | PeerLost() | TableSeen():
                return "stranger"
            case TablesTold(_, key, _) | Linked(key, _, _, _, _) | Unlinked(key, _, _, _):
                return "" if self._is_at_table(key) else "stranger"
            case ChatSaid():
                return "chat"
            case FaultSeen(fault, _) if fault.seat is None:
                return "fault"
            case SessionTold():
                return "table"
            case _:
                return ""


def _once(events: Iterable[PeerEvent]) -> list[PeerEvent]:
    """Without what has been said before in other words: somebody's faults of one kind."""
    said: set[Topic] = set()
    kept = []
    for event in events:
        if isinstance(event, FaultSeen):
            topic: Topic = (event.player, event.fault.code, event.fault.seat)
            if topic in said:
                continue
            said.add(topic)
        kept.append(event)
    return kept


def _current(events: Iterable[PeerEvent]) -> list[PeerEvent]:
    """Without what has been overtaken by something later."""
    later: set[Topic] = set()
    kept = []
    for event in reversed(list(events)):
        topic, by = _topics(event)
        if topic is None or not later.intersection((topic, *by)):
            kept.append(event)
        if topic is not None:
            later.add(topic)
    return kept[::-1]


def _topics(event: PeerEvent) -> tuple[Topic | None, tuple[Topic, ...]]:
    """What an event is about, so that a later one about it overtakes it; and what else does."""
    if isinstance(event, SessionTold):
        return _table_topic(event.event), ()
    match event:
        case Listening() | DiscoveryOff() | LobbyChanged() | SpectatorsChanged():
            return (type(event).__name__,), ()
        case PeerFound() | PeerLost():
            return ("peer", event.short), ()
        case TableSeen(name, _, _, _, short):
            return ("seen", short, name), (("peer", short),)
        case Linked(key, _, _, _, _):
            return ("linked", key), (("unlinked", key),)
        case TablesTold(_, key, _):
            return ("told", key), (("unlinked", key),)
        case Unlinked(key, _, _, _):
            return ("unlinked", key), ()
        case ShortMade(key, _):
            return ("short", key), ()
        case NewKeyForName():
            return ("name", event), ()
        case _:
            return None, ()


def _table_topic(event: table.Event) -> Topic | None:
    match event:
        case table.ViewChanged() | table.YourMove():
            return (type(event).__name__,)
        case table.Behind(lane, _):
            return ("behind", lane)
        case table.Overdue(lane, step, _, _, _):
            return ("overdue", lane, step)
        case table.VoteUnderWay(lane, step, seat, _, _, _):
            return ("vote", lane, step, seat)
        case _:
            return None
