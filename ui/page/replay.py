"""A record as a row of pictures: after every step of a hand what everybody could see then.

It is walked as an onlooker's peer walks a table that it follows (``protocol.watch``), but proofs
are taken as good at first: playing over is not verifying. Should something not fit then, they are
checked after all, because only they tell whose entry does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine import MatchEnd, Plain
from protocol import events as table
from protocol.agreement import Agreement, read_agreement
from protocol.ballot import Question
from protocol.effects import Effect, Fault, Job, Tell
from protocol.errors import LocalError, PeerFault
from protocol.record import read_objects
from protocol.votes import parse_absence, read_absence
from protocol.watch import Watcher

Progress = Callable[[object], None]


@dataclass(slots=True)
class HandFrames:
    """A hand. ``frames``: objects with ``kind`` (of step), ``moves`` (``seat``, ``move``,
    ``opened``), ``sits``, ``absent`` (``seat``, ``by``: who declared it gone) and ``view`` (of
    somebody without a seat)."""

    hand: int
    seats: tuple[int, ...] = ()
    pack: int = 0
    head: str = ""
    frames: list[dict[str, object]] = field(default_factory=list)
    story: tuple[str, ...] = ()
    standing: Plain = ()
    over: bool = False


@dataclass(slots=True)
class Replay:
    """A record that was walked. ``faults``: what was refused in it, and whose it was."""

    agreement: Agreement
    hands: list[HandFrames] = field(default_factory=list)
    end: MatchEnd | None = None
    standing: Plain = ()
    stopped: table.Stopped | None = None
    faults: list[PeerFault] = field(default_factory=list)

    def outline(self) -> dict[str, object]:
        """What there is to be played over, without the frames."""
        return {
            "hands": [
                {
                    "hand": one.hand,
                    "frames": len(one.frames),
                    "seats": one.seats,
                    "pack": one.pack,
                    "head": one.head,
                    "over": one.over,
                    "standing": one.standing,
                    "story": one.story,
                }
                for one in self.hands
            ],
            "result": self.result(),
        }

    def result(self) -> dict[str, object] | None:
        """How the table ended, or None if it has not."""
        if self.end is None and self.stopped is None:
            return None
        winner, shared, rule = (
            (None, (), self.stopped.code if self.stopped else "")
            if self.end is None
            else (self.end.winner, self.end.shared, self.end.rule)
        )
        return {
            "winner": winner,
            "shared": shared,
            "rule": rule,
            "stopped": self.end is None,
            "standing": self.standing,
            "hands": sum(one.over for one in self.hands),
        }


def walk(record: bytes, progress: Progress | None = None) -> Replay:
    """Walks a record; ``progress`` is told of every step. Raises LocalError for what is none."""
    try:
        objects = list(read_objects(record))
        agreement = read_agreement(objects[0] if objects else b"")
    except PeerFault as fault:
        raise LocalError(f"This record cannot be read: {fault}") from None
    replay = _Walk(agreement, False, progress).through(objects[1:])
    if replay.faults:
        replay = _Walk(agreement, True, progress).through(objects[1:])
    return replay


class _Reader(Watcher):
    """Reads what stands in a record: of a vote about a silent seat nothing but its outcome."""

    def absent(self, stands: tuple[bytes, ...]) -> list[Effect]:
        """The absence that comes next in the record."""
        number = self.history.next_lane
        lane = None if number is None else self.history.lanes[number]
        try:
            if lane is None or not lane.missing:
                raise PeerFault("record.absence", "an absence where nobody owes an entry")
            about, voters = lane.missing[0], self.history.voters(lane)
            question = Question(lane.number, lane.step, lane.head, about)
            by = read_absence(stands, self.agreement, question, voters)
        except PeerFault as fault:
            return [Fault(fault)]
        lane.absent(about)
        self._tell(table.DeclaredGone(lane.number, lane.step, about, by))
        self._advance()
        return self._flush()


class _Walk:
    """One pass through a record."""

    def __init__(self, agreement: Agreement, checks: bool, progress: Progress | None) -> None:
        self._watcher = _Reader(agreement)
        self._checks = checks
        self._progress = progress
        self._replay = Replay(agreement)
        self._hand = HandFrames(1)
        self._heads: dict[int, str] = {}
        self._frame: dict[str, object] | None = None
        self._absent: list[dict[str, object]] = []

    def through(self, objects: list[bytes]) -> Replay:
        """All of it."""
        self._carry_out(self._watcher.begin(0.0))
        for data in objects:
            stands = parse_absence(data)
            if stands is None:
                self._carry_out(self._watcher.receive(data, 0.0))
            else:
                self._carry_out(self._watcher.absent(stands))
        self._close_frame()
        if self._hand.frames:
            self._replay.hands.append(self._hand)
        return self._replay

    def _carry_out(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Job):
                result = effect.run() if self._checks else {}
                self._carry_out(self._watcher.done(effect.number, result, 0.0))
            elif isinstance(effect, Fault):
                self._replay.faults.append(effect.fault)
            elif isinstance(effect, Tell):
                self._take(effect.event)

    def _take(self, event: table.Event) -> None:
        hand = self._hand
        match event:
            case table.DeclaredGone(_, _, seat, by):
                self._absent.append({"seat": seat, "by": by})
            case table.StepClosed():
                if event.lane == 0:
                    self._close_frame()
                    self._frame = _frame(event.kind)
                if self._absent:
                    self._now()["absent"], self._absent = self._absent, []
                if self._progress is not None:
                    self._progress(event)
            case table.PackFinished(pack, _, head):
                self._heads[pack] = head.hex()
            case table.HandStarted(number, pack, seats):
                hand.hand, hand.pack, hand.seats = number, pack, seats
                hand.head = self._heads.pop(pack, "")
            case table.MoveMade(seat, move, opened):
                moves = self._now()["moves"]
                assert isinstance(moves, list)
                moves.append({"seat": seat, "move": move, "opened": opened})
            case table.SitSaid(choices):
                self._now()["sits"] = tuple(one for one in choices if one[1] != "in")
            case table.ViewChanged(view):
                self._now()["view"] = view
            case table.HandOver(number, _, standing, story):
                self._close_frame()
                hand.hand, hand.standing, hand.story, hand.over = number, standing, story, True
                self._replay.hands.append(hand)
                self._replay.standing = standing
                self._hand = HandFrames(number + 1)
            case table.MatchOver(end, standing):
                self._replay.end, self._replay.standing = end, standing
            case table.Stopped():
                self._replay.stopped = event
            case _:
                pass

    def _now(self) -> dict[str, object]:
        """The frame of the step that has just closed."""
        if self._frame is None:
            self._frame = _frame("")
        return self._frame

    def _close_frame(self) -> None:
        """Keeps the last step's frame if there is something to be seen in it."""
        frame, self._frame = self._frame, None
        if frame is None:
            return
        told = frame["moves"] or frame["sits"] or frame["absent"]
        before = self._hand.frames[-1]["view"] if self._hand.frames else None
        if frame["view"] is None and frame["absent"]:
            frame["view"] = before  # nothing else is to be seen than before
        if frame["view"] is None and not told:
            return
        if told or frame["view"] != before:
            self._hand.frames.append(frame)


def _frame(kind: str) -> dict[str, object]:
    return {"kind": kind, "moves": [], "sits": (), "absent": [], "view": None}
