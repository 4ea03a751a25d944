"""What a table was before each step that others may still vote away. SPEC 5.6.

A seat that has closed a step with an entry that is then settled as gone goes back to that step. It
never goes behind a step that all voting seats have signed: nobody who signed there can have missed
an entry before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from protocol.absence import absent_in
from protocol.envelope import TABLE_LANE
from protocol.lane import Given, Lane
from protocol.pack import Pack
from protocol.table import TableState


@dataclass(frozen=True, slots=True)
class DeadPack:
    """A pack that could not be made: whose it was, who spoiled it, who was declared gone in it."""

    seats: tuple[int, ...]
    guilty: frozenset[int]
    away: frozenset[int]


Made: TypeAlias = "Pack | DeadPack"


@dataclass(frozen=True, slots=True)
class Moment:
    """The table lane as it was at some time, and which packs there were.

    ``packs``: the lanes of packs that were being made; ``made``: those that no hand had taken;
    ``asked``: those that READY had come to, so that votes about them were taken.
    """

    lane: Lane
    newest: int
    newest_end: int
    waited: int | None
    confirmed_step: int
    confirmed_packs: frozenset[int]
    spoiled: int | None
    packs: Mapping[int, Lane]
    made: Mapping[int, Made]
    asked: frozenset[int]


@dataclass(slots=True)
class Past:
    """``steps``: each lane's steps, complete and not yet closed, that may come again.

    ``tables``: the table before each such step of its own. ``waits``: the table when READY came to
    a pack, by the pack's number: about these packs votes are taken. ``made``: what became of packs.
    ``anchor``: the last step of the table lane that all have signed.
    """

    steps: dict[int, dict[int, Lane]] = field(default_factory=dict)
    anchor: int = 0
    tables: dict[int, Moment] = field(default_factory=dict)
    waits: dict[int, Moment] = field(default_factory=dict)
    made: dict[int, Made] = field(default_factory=dict)

    def step(self, number: int, step: int) -> Lane | None:
        """A lane as it was when a step was complete, if the table may yet go back there."""
        return self.steps.get(number, {}).get(step)

    def keep(self, lane: Lane, moment: Moment | None) -> None:
        """A step is complete and is about to close; ``moment``: for one of the table lane."""
        self.steps.setdefault(lane.number, {})[lane.step] = lane.copy()
        if moment is not None:
            self.tables[lane.step] = moment

    def closed(self, step: int, before: object, entries: Mapping[int, Given]) -> None:
        """A step of the table lane has closed: if all have signed it, nothing before comes again.

        All but those that are out or were declared gone; and these must not be half of the voting
        seats, or they could still call an entry gone that the others have signed on. The step
        itself may come again: not everybody need have seen each of its entries.
        """
        if not isinstance(before, TableState):
            return
        there = before.voting - before.out - before.away - absent_in(entries)
        if not there <= frozenset(entries) or 2 * len(there) <= len(before.voting):
            return
        self.anchor = step
        self.steps[TABLE_LANE] = {k: v for k, v in self.steps[TABLE_LANE].items() if k >= step}
        self.tables = {k: v for k, v in self.tables.items() if k >= step}
        if before.stage == "ready":
            # Its head covers the pack, and all that came before it while READY waited.
            for pack in self.waits:
                self.steps.pop(pack, None)
            self.waits = {}

    def tidy(self, of_use: frozenset[int]) -> None:
        """Forgets packs that are of no more use."""
        self.made = {n: made for n, made in self.made.items() if n in of_use}
        kept = of_use | {TABLE_LANE} | self.waits.keys()
        self.steps = {n: steps for n, steps in self.steps.items() if n in kept}

    def undo(self, number: int, step: int, moment: Moment) -> None:
        """The table is back at a step: what came after it has not happened."""
        newest = moment.newest
        self.made = {n: made for n, made in self.made.items() if n <= newest}
        self.steps = {n: steps for n, steps in self.steps.items() if n <= newest}
        asked = moment.asked | {number}
        self.waits = {n: waited for n, waited in self.waits.items() if n in asked}
        of_lane = self.steps.get(number, {})
        self.steps[number] = {k: lane for k, lane in of_lane.items() if k < step}
        if number == TABLE_LANE:
            self.tables = {k: moment for k, moment in self.tables.items() if k < step}
        else:
            self.made.pop(number, None)
