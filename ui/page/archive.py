"""Past tables of this peer: what became of them, checked and played over again from their records.

Reading a record takes seconds of arithmetic, so it is done in a thread, one record at a time, while
the game goes on; windows see how far it is in the section ``archive``. Everything here comes from
records, which hold what is public and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from p2p.database import NO_SEAT, StoredTable
from protocol import verifier
from protocol.agreement import Agreement, read_agreement, table_code
from protocol.errors import LocalError, PeerFault
from ui.lines import plain
from ui.page.replay import Replay, walk

if TYPE_CHECKING:
    from ui.page.room import Room

MOST_RESULTS: Final = 300
"""Past tables whose result is remembered between runs of the program."""

MOST_REPLAYS: Final = 3
"""Records that are kept ready to be played over."""

MOST_TOLD: Final = 8
"""Checks, and as many replays, that windows are told of; and those that wait for each other."""

MOST_ABSENT: Final = 50
"""Of those who were declared gone in a match so many are told."""

TELL_SECONDS: Final = 0.25
"""So often windows hear how far a check has come."""

BREATH_SECONDS: Final = 0.001
"""A step's rest for the thread that checks, so that the game beside it is not held up."""

_T = TypeVar("_T")


class _Stopped(Exception):
    """Nobody waits for this check any more."""


def verify(
    record: bytes, progress: Callable[[verifier.CheckedStep], None] | None = None
) -> dict[str, object]:
    """The verdict on a record as the page shows it; docs/page.md, ``archive``."""
    began = time.perf_counter()
    report = verifier.verify(record, progress)
    players = () if report.agreement is None else report.agreement.players
    names = [player.name for player in players]
    return {
        "verdict": report.verdict,
        "counts": {name: getattr(report.counts, name) for name in verifier.Counts.__slots__},
        "bytes": len(record),
        "fault": _fault(report.fault, names),
        "caught": [_fault(fault, names) for fault in report.caught],
        "besides": _fault(report.besides, names),
        "absent": _absent(report.steps),
        "names": names,
        "seconds": round(time.perf_counter() - began, 2),
    }


def _absent(steps: Sequence[verifier.CheckedStep]) -> list[dict[str, object]]:
    """Who was declared gone, in which hand, and by whom; the last ones of very many."""
    return [
        {
            "seat": seat,
            "by": by,
            "lane": step.lane,
            "step": step.step,
            "kind": step.kind,
            "hand": step.details.hand,
        }
        for step in steps
        for seat, by in step.absent
    ][-MOST_ABSENT:]


def _fault(fault: PeerFault | None, names: Sequence[str]) -> dict[str, object] | None:
    if fault is None:
        return None
    known = fault.seat is not None and fault.seat < len(names)
    return {
        "code": fault.code,
        "text": fault.text,
        "seat": fault.seat,
        "name": names[fault.seat] if known and fault.seat is not None else "",
        "lane": fault.lane,
        "step": fault.step,
    }


def told(agreement: Agreement) -> dict[str, object]:
    """What an agreement says of its table."""
    origin = agreement.roster.origin
    return {
        "origin": origin and {"code": table_code(origin.table), "hand": origin.hand},
        "table": agreement.table_id.hex(),
        "name": agreement.roster.table,
        "game": agreement.roster.game,
        "title": agreement.game.title,
        "options": dict(agreement.options),
        "code": table_code(agreement.table_id),
        "players": [{"name": one.name, "bot": bool(one.owner)} for one in agreement.players],
    }


@dataclass(slots=True)
class Archive:
    """The past of one room. ``checks``, ``replays`` and so on: by table id in hex.

    ``reading``: how far a replay is; ``found``: results that were looked up in this run.
    """

    room: Room
    checks: dict[str, dict[str, object]] = field(default_factory=dict)
    replays: dict[str, Replay] = field(default_factory=dict)
    reading: dict[str, dict[str, object]] = field(default_factory=dict)
    found: dict[str, object] = field(default_factory=dict)
    _one: trio.CapacityLimiter = field(default_factory=lambda: trio.CapacityLimiter(1))
    _settling: bool = False

    async def tables(self) -> list[dict[str, object]]:
        """All tables, the newest first; results that are not known yet are looked up afterwards."""
        stored = await self.room.peer.tables()
        rows = await trio.to_thread.run_sync(_rows, stored)
        known = self.room.kept.mapping("results")
        current = self._current()
        for row in rows:
            table = str(row["table"])
            row["playing"] = table == current
            row["result"] = known.get(table)
        wanting = [
            str(row["table"])
            for row in rows[:MOST_RESULTS]
            if row["finished"] and row["result"] is None
        ]
        if wanting and not self._settling:
            self.room.start(partial(self._settle, wanting))
            self._settling = True
        return rows

    def check(self, table: bytes) -> None:
        """Begins to verify the record of a table, unless that is being done."""
        name = table.hex()
        if self.checks.get(name, {}).get("state") == "running":
            return
        _not_too_many(self.checks)
        self.room.start(partial(self._check, table))
        self._say(self.checks, name, state="running", steps=0)

    def read(self, table: bytes) -> None:
        """Begins to make the record of a table ready for ``hand``."""
        name = table.hex()
        known = self.replays.get(name)
        ended = known is not None and known.result() is not None
        if ended or self.reading.get(name, {}).get("state") == "running":
            return
        _not_too_many(self.reading)
        self.room.start(partial(self._read, table))
        self._say(self.reading, name, state="running", steps=0)

    def hand(self, table: bytes, number: int) -> list[dict[str, object]]:
        """The frames of a hand; LocalError if its record has not been read."""
        replay = self.replays.get(table.hex())
        if replay is None:
            raise LocalError("The record of this table has not been read yet.")
        for hand in replay.hands:
            if hand.hand == number:
                return hand.frames
        raise LocalError("The record of this table has no such hand.")

    # In the background.

    async def _check(self, table: bytes) -> None:
        found = await self._work(self.checks, table, verify)
        if found is not None:
            self._say(self.checks, table.hex(), state="done", **found)

    async def _read(self, table: bytes) -> None:
        name = table.hex()
        replay = await self._work(self.reading, table, walk)
        if replay is None:
            return
        self.replays.pop(name, None)
        self.replays[name] = replay
        for old in list(self.replays)[:-MOST_REPLAYS]:
            del self.replays[old]
            self.reading.pop(old, None)
        self._keep(name, replay)
        self._say(self.reading, name, state="done", **replay.outline())

    async def _settle(self, tables: Sequence[str]) -> None:
        """Looks up how tables ended, while nothing is played here that this could hold up."""
        try:
            for name in tables:
                if self._current() is not None:
                    return
                replay = await self._work(None, bytes.fromhex(name), walk)
                if replay is not None:
                    self._keep(name, replay)
                    self._publish()
        finally:
            self._settling = False

    def _keep(self, name: str, replay: Replay) -> None:
        """Remembers how a table ended; one that has not ended has nothing to be remembered."""
        result = replay.result()
        if result is None:
            return
        self.found[name] = plain(result)
        known = {**self.room.kept.mapping("results"), name: self.found[name]}
        self.room.kept.put(results=dict(list(known.items())[-MOST_RESULTS:]))

    async def _work(
        self,
        states: dict[str, dict[str, object]] | None,
        table: bytes,
        work: Callable[[bytes, Callable[[object], None]], _T],
    ) -> _T | None:
        """Does something with a record in a thread; ``states`` hears how far that is."""
        name = table.hex()
        running = [True]
        spoken = [time.monotonic(), 0.0]

        def say() -> None:
            if states is not None and running[0]:  # the thread may ask for it just as all ends
                self._say(states, name, state="running", steps=int(spoken[1]))

        def progress(step: object) -> None:
            if not running[0]:
                raise _Stopped
            spoken[1] += 1
            if states is not None and time.monotonic() - spoken[0] > TELL_SECONDS:
                spoken[0] = time.monotonic()
                trio.from_thread.run_sync(say)
            time.sleep(BREATH_SECONDS)

        try:
            record = await self.room.peer.record_of(table)
            return await trio.to_thread.run_sync(
                work, record, progress, abandon_on_cancel=True, limiter=self._one
            )
        except LocalError as error:
            if states is not None:
                self._say(states, name, state="failed", text=str(error))
            return None
        except trio.Cancelled:
            if states is not None:
                states.pop(name, None)  # it can be asked for again
            raise
        finally:
            running[0] = False

    # What windows see.

    def _current(self) -> str | None:
        """The table that is being played here."""
        held = self.room.state.sections["table"]
        if not isinstance(held, dict) or held["ended"] or held["stopped"] or held["left"]:
            return None
        return str(plain(held["id"]))

    def _say(self, states: dict[str, dict[str, object]], name: str, **fields: object) -> None:
        states.pop(name, None)
        states[name] = dict(fields)
        self._forget(states)
        self._publish()

    def _forget(self, states: dict[str, dict[str, object]]) -> None:
        """Forgets the oldest of too many, but what is under way or ready to be played over."""
        spare = [
            name
            for name, state in states.items()
            if state["state"] != "running" and (states is self.checks or name not in self.replays)
        ]
        for name in spare[: max(0, len(states) - MOST_TOLD)]:
            del states[name]

    def _publish(self) -> None:
        section = {
            "checks": dict(self.checks),
            "replays": dict(self.reading),
            "results": dict(self.found),
        }
        self.room.state.put("archive", section)
        self.room.publish()


def _not_too_many(states: dict[str, dict[str, object]]) -> None:
    """Raises LocalError where no more can be under way: each holds its record in memory."""
    if sum(state["state"] == "running" for state in states.values()) >= MOST_TOLD:
        raise LocalError("Other records are being read: wait until they are done.")


def _rows(stored: Sequence[StoredTable]) -> list[dict[str, object]]:
    """What the agreements of these tables say."""
    rows = []
    for one in stored:
        try:
            agreement = read_agreement(one.sealed)
        except PeerFault:  # a game that this program does not know any more
            continue
        seat = None if one.seat == NO_SEAT else one.seat
        rows.append(
            {**told(agreement), "seat": seat, "opened": one.opened, "finished": one.finished}
        )
    return rows
