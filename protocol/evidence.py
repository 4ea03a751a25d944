"""What is shown to a seat on another history, so that a liar's two versions meet. SPEC 5.5.

Envelopes are passed on as they come, so two versions of an entry meet by themselves, unless a link
broke at the wrong time. Then two honest seats would wait for each other for ever, each taking the
other for silent. So who meets an entry on another history sends again what its own rests on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from protocol.envelope import MAX_STEP, TABLE_LANE, Envelope
from protocol.history import History
from protocol.inbox import Inbox
from protocol.lane import Lane
from protocol.table import TableState

MOST_SHOWN = 16
"""How often the end of a table is shown to one seat: links break, but not at every entry."""


@dataclass(slots=True)
class Evidence:
    """What is sent again, and to whose entries it was: nobody can ask for it without end."""

    _inbox: Inbox
    _shown_steps: set[tuple[Lane, int]] = field(default_factory=set)
    _shown_seats: Counter[int] = field(default_factory=Counter)
    _end: tuple[bytes, ...] = ()

    def of_step(self, lane: Lane) -> list[bytes]:
        """The entries that the head of a lane's open step rests on; once for each step."""
        if (lane, lane.step) in self._shown_steps:
            return []
        self._shown_steps.add((lane, lane.step))
        if lane.number != TABLE_LANE and lane.step == 1:
            return self._inbox.newest_before(TABLE_LANE, lane.opened)  # what the lane opened on
        grounds = self._inbox.newest_before(lane.number, lane.step)
        if isinstance(lane.rules, TableState) and lane.rules.pack is not None:
            # READY stands on the pack's last step as well.
            grounds += self._inbox.newest_before(lane.rules.pack.plan.number, MAX_STEP)
        return grounds

    def keep_end(self, history: History, versions: Iterable[bytes] = ()) -> None:
        """The table has ended: by two ``versions`` of an entry, else by its last steps."""
        step = history.lanes[TABLE_LANE].step
        self._end = tuple(versions) or (
            *self._inbox.newest_before(TABLE_LANE, step),
            *self._inbox.newest_before(history.spoiled or history.newest, MAX_STEP),
        )

    def of_end(self, history: History, envelope: Envelope) -> tuple[bytes, ...]:
        """What the end of a table rests on that a seat has stopped; a few times for each seat.

        Nothing for an entry that does not go beyond what this seat has seen.
        """
        table, lane = history.table, history.lanes.get(envelope.lane)
        stopped = table.ending is not None and table.ending.seats
        beyond = lane is not None and envelope.step >= lane.step
        if not (stopped and beyond) or self._shown_seats[envelope.seat] >= MOST_SHOWN:
            return ()
        self._shown_seats[envelope.seat] += 1
        return self._end

    def tidy(self, open_steps: set[tuple[Lane, int]]) -> None:
        """Forgets steps that have closed."""
        self._shown_steps &= open_steps
