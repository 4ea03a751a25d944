"""One seat's side of a table, sans-I/O: bytes and moves in, effects out. SPEC 5 to 8.

The driver carries out the effects in order and feeds job results back. What comes from others is
the business of ``Reader`` and ``Follower``, votes are that of ``Elector``; here are the own entries
and the own moves. A session never draws randomness that was not handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine import IllegalMove, Move, View
from protocol import clocks
from protocol.agreement import Agreement
from protocol.ballot import Question
from protocol.effects import Effect, ForgetSecret, Persist, PersistSecret, Send
from protocol.elector import Elector
from protocol.entries import SIT_CHOICES, Sits
from protocol.envelope import TABLE_LANE, seal
from protocol.errors import LocalError, RefusedMove
from protocol.events import Left, Overdue, YourMove
from protocol.history import Closed
from protocol.lane import Lane
from protocol.own import OwnPart
from protocol.reader import place_of
from protocol.signing import public_bytes
from protocol.votes import Back, seal_leaving
from protocol.wire import Value

Entropy = Callable[[int], bytes]


class Session(Elector):
    """One seat at one table."""

    def __init__(
        self,
        agreement: Agreement,
        seat: int,
        key: Ed25519PrivateKey,
        entropy: Entropy,
        secrets: Mapping[str, bytes] | None = None,
    ) -> None:
        if agreement.keys[seat] != public_bytes(key):
            raise LocalError(f"seat {seat} of this table belongs to another key")
        super().__init__(agreement, seat, key)
        self._own = OwnPart(self.history, seat, entropy, dict(secrets or {}))
        self._preparing: set[tuple[Lane, int]] = set()
        self._asked: tuple[Lane, int] | None = None
        self._left = False
        self._departed = False
        self._paused = False

    # What the driver calls besides. Each returns the effects in order.

    def begin(self, now: float) -> list[Effect]:
        """Start taking part; before it, a restarted peer feeds its stored entries in."""
        self._began = True
        if (self._left or self._departed) and self.history.table.stage != "over":
            self._tell(Left())  # the own SIT closed while this peer was away, or it left at once
        return super().begin(now)

    def move(self, move: Move, now: float) -> list[Effect]:
        """The choice of the person or program at this seat; RefusedMove says why it may not.

        Its rule is ``turn`` where no choice is due, ``kind`` where another kind of choice is.
        """
        self._now = now
        lane = self.history.lanes[TABLE_LANE]
        view = self.view
        if self.owes is None or view is None or (lane, lane.step) in self._preparing:
            raise RefusedMove("turn", "it is not your move now")
        if self._is_shaken(lane):
            raise RefusedMove("vote", "the players settle first whether a silent one is gone")
        objection = self.agreement.game.objection(view, move)
        if objection is not None:
            # A choice is due here: "turn" of the rules means that it is of another kind.
            rule = "kind" if objection.rule == "turn" else objection.rule
            raise RefusedMove(rule, objection.text)
        try:
            work = self._own.move(move)
        except IllegalMove as illegal:
            raise RefusedMove(illegal.rule, illegal.text) from None
        self._prepare(lane, "move", work)
        return self._flush()

    def late(self, now: float) -> list[Effect]:
        """Chooses for a person or program that will not: what the clock would do now, if anything.

        That may be what ``move`` refuses to people.
        """
        self._now = now
        self._move_late()
        return self._flush()

    def sit(self, choice: str) -> None:
        """What this seat answers between hands from now on: ``in``, ``out`` or ``leave``."""
        if choice not in SIT_CHOICES:
            raise LocalError(f"between hands a seat is in, out or leaves, not {choice!r}")
        self._own.sitting = choice

    def depart(self, now: float) -> list[Effect]:
        """Leaves for good, in the middle of a hand too: the others need not wait for this seat.

        It says nothing more at this table. Where it is just being asked whether it plays on, it
        answers that it leaves, and has left when that step closes.
        """
        self._now = now
        if self.over:
            return []
        lane = self.history.lanes[TABLE_LANE]
        self.sit("leave")
        asked = self.seat in lane.missing and (lane, lane.step) not in self._preparing
        if lane.kind == "sit" and asked and not self._has_given_up(lane):
            return self.pause(False, now)
        hand = self.history.table.hand_number
        self._hear(seal_leaving(self.agreement, self._key, self.seat, hand))
        self._tell(Left())
        self._departed = True
        return self._flush()

    def pause(self, on: bool, now: float) -> list[Effect]:
        """While on, this seat does not answer between hands; off, it answers at once if it is due.

        So people can look at a result, but not beyond the step's time: others would call it gone.
        """
        self._now = now
        self._paused = on
        self._contribute()
        return self._flush()

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: moves for a person who is late, says who is overdue, and votes."""
        self._now = now
        if self._is_silent:
            return []
        due = self.deadline
        if due is not None and now > due + clocks.OVERSLEPT:
            self._clocks.restart(now)
        for lane in list(self.history.lanes.values()):
            for seats, seconds in self._clocks.overdue(lane, now):
                if self.seat in seats and lane.kind == "move" and self._own.has_clock():
                    self._move_late()
                others = tuple(seat for seat in seats if seat != self.seat)
                if others:
                    self._tell(Overdue(lane.number, lane.step, lane.kind, others, seconds))
                    self._stop_if_forked()
        self._call_silent()
        self._advance()
        return self._flush()

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is next of use, on the clock that ``now`` comes from; None: never."""
        if self._is_silent:
            return None
        overdue = self._clocks.next
        due = min(self._vote_due(), clocks.NEVER if overdue is None else overdue)
        return None if due == clocks.NEVER else due

    @property
    def _is_silent(self) -> bool:
        """Whether nothing is said from here any more."""
        return self._halted or self._departed

    @property
    def over(self) -> bool:
        """Whether the table has ended for this seat: match over, table stopped, or left."""
        return self._left or self._departed or super().over

    @property
    def owes(self) -> str | None:
        """The kind of choice this seat owes now, or None."""
        lane = self.history.lanes[TABLE_LANE]
        table = self.history.table
        if self._is_silent or table.stage != "move" or self.seat not in lane.missing:
            return None
        return table.playing.game.owed(table.playing.state).get(self.seat)

    @property
    def view(self) -> View | None:
        """What this seat may know of the hand in play; None between hands."""
        return self._own.view()

    # What following a table means for one with a seat.

    def _is_own(self, seat: int) -> bool:
        return seat == self.seat

    @property
    def _is_stuck(self) -> bool:
        return self._clocks.ran_out

    def _speak(self) -> bool:
        return not self._departed and super()._speak()

    def _forget(self) -> None:
        self._effects.extend(ForgetSecret(name) for name in self._own.tidy())

    def _is_mute(self, question: Question) -> bool:
        return self._own.is_mute(question)

    def _note_back(self, back: Back) -> bool:
        return self._own.note_back(back)

    @property
    def _sitting(self) -> str:
        return self._own.sitting

    def _went_back(self) -> None:
        self._own.went_back(self._began)
        self._left = self._left and self.seat in self.history.table.out

    def _stepped(self, closed: Closed, open_steps: set[tuple[Lane, int]]) -> None:
        self._clocks.tidy(open_steps)
        self._voter.tidy([question for question, _ in self._polls])
        own = closed.entries.get(self.seat)
        if closed.kind == "sit" and isinstance(own, Sits) and own.choice == "leave":
            self._left = True
            if self.history.table.stage != "over":
                self._tell(Left())

    # Entries of the own seat.

    def _contribute(self) -> None:
        """Starts what this seat owes, wherever it needs no choice."""
        if not self._began or self._is_silent:
            return
        for number in sorted(self.history.lanes):
            lane = self.history.lanes[number]
            self._clocks.watch(lane, self._own.clock(lane), self._now)
            if self._is_shaken(lane) or self._has_given_up(lane):
                if lane.kind == "move":
                    self._asked = None  # the choice is asked for again when that is settled
                continue
            for name, value in self._own.new_secrets(lane):
                self._effects.append(PersistSecret(name, value))
            if self.seat not in lane.missing or (lane, lane.step) in self._preparing:
                self._run_ahead(lane)
                continue
            if lane.kind == "move":
                self._ask(lane)
                continue
            if lane.kind == "sit" and self._paused and not self._is_late(lane):
                continue
            work = self._own.work(lane)
            if work is not None:
                self._prepare(lane, lane.kind, work)

    def _run_ahead(self, lane: Lane) -> None:
        """The shuffle proof is computed while the others still mix."""
        ahead = self._own.proof_ahead(lane)
        if ahead is not None:
            self._run("prove", ahead, partial(self._own.keep_proof, lane))

    def _ask(self, lane: Lane) -> None:
        view = self.view
        if self._asked != (lane, lane.step) and view is not None:
            self._asked = (lane, lane.step)
            kind = self.owes or "move"
            seconds = self.agreement.game.clock(self.agreement.options, kind)
            self._tell(YourMove(kind, view, seconds))

    def _move_late(self) -> None:
        view = self.view
        lane = self.history.lanes[TABLE_LANE]
        if view is None or self.owes is None or (lane, lane.step) in self._preparing:
            return
        if self._is_shaken(lane) or self._has_given_up(lane):
            return
        try:
            work = self._own.move(self.agreement.game.late(view))
        except RefusedMove:
            return  # without the pack's secrets this seat can only stay silent
        self._prepare(lane, "move", work)

    def _prepare(self, lane: Lane, kind: str, work: Callable[[], tuple[Value, ...]]) -> None:
        """Has the own payload computed, then signs, stores and sends it."""
        step = lane.step
        self._preparing.add((lane, step))

        def follow(result: object) -> None:
            self._preparing.discard((lane, step))
            current = self.history.lanes.get(lane.number) is lane and lane.step == step
            if not current or self._is_silent or self._is_shaken(lane):
                return  # if it is still owed then, it is prepared anew
            if self.seat not in lane.entries and not self._has_given_up(lane):
                assert isinstance(result, tuple)
                self._give(lane, kind, result)

        self._run(kind, work, follow)

    def _give(self, lane: Lane, kind: str, payload: tuple[Value, ...]) -> None:
        envelope = seal(
            self.agreement, self._key, lane.number, lane.step, self.seat, lane.head, kind, payload
        )
        self._inbox.remember(envelope)
        self._effects.append(Persist(*place_of(envelope)))
        self._effects.append(Send(envelope.data))
        entry, _ = lane.read(envelope)
        lane.put(envelope.seat, entry, envelope.body_hash)
