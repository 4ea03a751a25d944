"""Judges a record as an outsider: every signature, proof, rule and hash, in order. SPEC 9.2.

It walks the same transition functions as a session, and needs nothing but the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine import MatchEnd, Plain
from protocol.agreement import Agreement, read_agreement
from protocol.checked import NO_DETAILS, Details, Watch, story
from protocol.envelope import Envelope, open_envelope
from protocol.errors import PeerFault
from protocol.history import Closed, History
from protocol.lane import Entry, Lane
from protocol.proofs import Pending, Statement, check
from protocol.record import read_objects
from protocol.table import TableState
from protocol.votes import parse_absence, read_absence

Verdict: TypeAlias = Literal["complete", "so far", "unsound", "unreadable"]


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """A step that was checked. ``proofs`` counts those in it that hold.

    ``story``: what is over with this step in short sentences of the engine: the hand whose result
    it confirmed, one that is dealt again, or what was settled between hands.
    ``caught``: the seats whose entry was invalid, so that they count as gone from this step on.
    ``absent``: those that were declared gone in this step, each with the seats that declared it.
    ``details``: more about a step of the table lane.
    """

    lane: int
    step: int
    kind: str
    seats: tuple[int, ...]
    proofs: int
    story: tuple[str, ...] = ()
    caught: tuple[int, ...] = ()
    absent: tuple[tuple[int, tuple[int, ...]], ...] = ()
    details: Details = field(default=NO_DETAILS, compare=False)


@dataclass(slots=True)
class Counts:
    """What a verification went through."""

    entries: int = 0
    signatures: int = 0
    proofs: int = 0
    equations: int = 0
    packs: int = 0
    hands: int = 0


@dataclass(slots=True)
class Report:
    """The verdict on a record. ``fault`` is the first thing that is wrong, if anything is.

    ``table``: how the table stands after the last entry, where all were in order.
    ``caught``: invalid entries that the record rightly holds: each proves that its seat broke the
    rules, and the table went on without it. A record is unsound by them too (``fault`` is the
    first of them); ``besides`` is what else is wrong. If that is None, then all the others played
    by the rules, and ``end`` and ``standing`` count.
    """

    verdict: Verdict = "unreadable"
    fault: PeerFault | None = None
    agreement: Agreement | None = None
    steps: list[CheckedStep] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    caught: list[PeerFault] = field(default_factory=list)
    besides: PeerFault | None = None
    end: MatchEnd | None = None
    standing: Plain = ()
    table: TableState | None = None


OF_THE_RECORD = frozenset({"head", "turn", "record.order"})
"""Faults of an entry that has no place in a record, unlike one that its own seat is gone by."""

Progress = Callable[[CheckedStep], None]


def verify(data: bytes, progress: Progress | None = None) -> Report:
    """The verdict on a record file; ``progress`` is told of every step. Raises nothing."""
    report = Report()
    objects = read_objects(data)
    try:
        sealed = next(objects, None)
        if sealed is None:
            raise PeerFault("record", "the file ends before the table's agreement")
        report.agreement = read_agreement(sealed)
        report.counts.signatures = len(report.agreement.keys)
    except PeerFault as fault:
        report.fault = fault
        report.verdict = "unreadable" if fault.code == "record" else "unsound"
        return report
    history = History(report.agreement)
    try:
        _walk(report, history, objects, progress)
    except PeerFault as fault:
        report.fault = report.besides = fault
        report.verdict = "unreadable" if fault.code == "record" else "unsound"
        if report.caught and report.verdict == "unsound":
            report.fault = report.caught[0]
        return report
    table = history.table
    if table.ending is not None:
        report.end = table.ending.end
    report.table = table
    report.standing = table.agreement.game.plain_standing(table.standing)
    report.verdict = "complete" if table.stage == "over" else "so far"
    if report.caught:
        report.fault = report.caught[0]
        report.verdict = "unsound"
    return report


def _walk(
    report: Report, history: History, objects: Iterator[bytes], progress: Progress | None
) -> None:
    """Checks all entries; raises the first fault of the record, and goes on after one of a seat."""
    watch = Watch()
    while (number := history.next_lane) is not None:
        lane = history.lanes[number]
        caught: list[PeerFault] = []
        statements: list[Statement] = []
        absent: list[tuple[int, tuple[int, ...]]] = []
        owed = lane.owed
        for seat in owed:
            data = next(objects, None)
            if data is None:
                _check(lane, statements, report, caught)
                report.caught.extend(caught)
                return
            by = _declared(data, history, lane, seat)
            if by:
                absent.append((seat, by))
                report.counts.signatures += len(by)
                continue
            envelope = _expected(data, history.agreement, lane, seat)
            try:
                entry, pending = _read(lane, envelope)
                made = [make() for make in pending]
            except PeerFault as fault:
                if fault.code in OF_THE_RECORD:
                    raise
                caught.append(fault.at(seat, lane.number, lane.step))
                lane.put(seat, None, envelope.body_hash)
            else:
                lane.put(seat, entry, envelope.body_hash)
                statements.extend(made)
            report.counts.entries += 1
            report.counts.signatures += 1
        proofs = _check(lane, statements, report, caught)
        closed = history.close(number)
        caught.extend(closed.faults)
        report.caught.extend(caught)
        seats = tuple(sorted({fault.seat for fault in caught if fault.seat is not None}))
        told, details = story(closed), watch.details(closed)
        step = CheckedStep(
            *(number, closed.step, closed.kind, owed, proofs, told, seats, tuple(absent), details)
        )
        _count(report, closed)
        report.steps.append(step)
        if progress is not None:
            progress(step)
    if next(objects, None) is not None:
        raise PeerFault("record.end", "there are entries after the end of the match")


def _declared(data: bytes, history: History, lane: Lane, seat: int) -> tuple[int, ...]:
    """The seats that declared this one gone, if that is what comes next; raises PeerFault.

    It lays nothing to the seat: nobody heard it, and nothing else is known of it.
    """
    stands = parse_absence(data)
    if stands is None:
        return ()
    question = lane.question(seat)
    try:
        by = read_absence(stands, history.agreement, question, history.voters(lane))
    except PeerFault as fault:
        raise PeerFault(fault.code, fault.text, None, lane.number, lane.step) from None
    lane.absent(seat)
    return by


def _expected(data: bytes, agreement: Agreement, lane: Lane, seat: int) -> Envelope:
    """The envelope that must come next; raises PeerFault laid to its place."""
    try:
        envelope = open_envelope(data, agreement)
    except PeerFault as fault:
        raise fault.at(seat, lane.number, lane.step) from None
    if (envelope.lane, envelope.step) != (lane.number, lane.step):
        due, found = _place(lane.number, lane.step), _place(envelope.lane, envelope.step)
        text = (
            f"{due} should come next, but {found} does: "
            "something is missing, repeated or out of order"
        )
        raise PeerFault("record.order", text, seat, lane.number, lane.step)
    if envelope.seat != seat and envelope.seat in lane.owed:
        text = (
            f"the entry of seat {seat} should come next, but that of seat {envelope.seat} does: "
            "something is missing, repeated or out of order"
        )
        raise PeerFault("record.order", text, seat, lane.number, lane.step)
    return envelope


def _place(lane: int, step: int) -> str:
    return f"step {step} of pack {lane}" if lane else f"step {step} at the table"


def _read(lane: Lane, envelope: Envelope) -> tuple[Entry, tuple[Pending, ...]]:
    if envelope.seat in lane.entries:
        text = f"a second entry of seat {envelope.seat}"
        raise PeerFault("record.order", text, envelope.seat, lane.number, lane.step)
    return lane.read(envelope)


def _check(lane: Lane, statements: list[Statement], report: Report, caught: list[PeerFault]) -> int:
    """Counts the statements of a step that hold; who made a false one is caught by it."""
    false = check(statements)
    for index in sorted(false):
        one = statements[index]
        if lane.entries.get(one.seat) is not None:
            text = f"an entry ({lane.kind}) whose proof is false"
            caught.append(PeerFault(one.code, text, one.seat, lane.number, lane.step))
            lane.put(one.seat, None, b"")
    report.counts.proofs += len(statements) - len(false)
    true = (one for index, one in enumerate(statements) if index not in false)
    report.counts.equations += sum(len(one.equations) for one in true)
    return len(statements) - len(false)


def _count(report: Report, closed: Closed) -> None:
    after = closed.after
    if closed.kind == "prove":
        report.counts.packs += 1
    if closed.kind == "result" and isinstance(after, TableState):
        report.counts.hands += 1
