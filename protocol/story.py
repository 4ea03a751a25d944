"""What a closed step means for the people at a seat: the events that it gives rise to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine import View
from protocol.entries import Moved, Sits
from protocol.events import (
    CameBack,
    Event,
    HandOver,
    HandStarted,
    MatchOver,
    MoveMade,
    PackFinished,
    SitSaid,
    StepClosed,
    Stopped,
    ViewChanged,
)
from protocol.history import Closed, History
from protocol.pack import PackState
from protocol.table import TableState

SILENT = frozenset({"result", "sit", "ready"})
"""Kinds of steps after which nobody sees anything new on the table."""


def events_of(
    closed: Closed | None, history: History, view: Callable[[], View | None], size: int = 0
) -> Iterator[Event]:
    """The events of a step that has just closed (None: the table was stopped between steps).

    ``size``: the bytes of its envelopes.
    """
    if closed is not None:
        gone = tuple(seat for seat, entry in closed.entries.items() if entry is None)
        yield StepClosed(
            closed.lane, closed.step, closed.kind, tuple(closed.entries), gone, closed.head, size
        )
        if isinstance(closed.after, PackState):
            if closed.after.stage == "finished":
                yield PackFinished(closed.lane, closed.after.plan.seats, closed.head)
        elif isinstance(closed.before, TableState):
            yield from _table_events(closed, closed.before, closed.after, view)
    yield from _ending(history.table)


def _table_events(
    closed: Closed, before: TableState, after: TableState, view: Callable[[], View | None]
) -> Iterator[Event]:
    if before.away - after.away:
        yield CameBack(tuple(sorted(before.away - after.away)))
    if closed.kind == "sit":
        said = closed.entries.items()
        yield SitSaid(tuple((seat, e.choice) for seat, e in said if isinstance(e, Sits)))
    if closed.kind == "ready" and after.hand is not None and not after.hand.is_interlude:
        yield HandStarted(after.hand_number, after.hand.pack.plan.number, after.hand.seats)
    after_hand = after.hand or after.spent
    faces = {} if after_hand is None else after_hand.faces
    for seat, entry in closed.entries.items():
        if isinstance(entry, Moved):
            opened = tuple((slot, faces[slot]) for slot in entry.slots if slot in faces)
            yield MoveMade(seat, entry.move, opened)
    if closed.kind not in SILENT:
        seen = view()
        if seen is not None:
            yield ViewChanged(seen)
    ended = before.hand if closed.kind == "result" else after.spent
    if ended is not None:
        yield HandOver(
            before.hand_number,
            ended.game.plain(ended.state),
            ended.game.plain_standing(after.standing),
            ended.game.describe(ended.state),
        )


def _ending(table: TableState) -> Iterator[Event]:
    ending = table.ending
    if ending is None:
        return
    if ending.end is not None:
        yield MatchOver(ending.end, table.agreement.game.plain_standing(table.standing))
    if ending.end is None or (ending.end.winner is None and not ending.end.shared):
        yield Stopped(ending.seats, ending.code, ending.text)
