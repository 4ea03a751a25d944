"""One seat's side of a table, sans-I/O: bytes and moves in, effects out. SPEC 5 to 8.

The driver carries out the effects in order and feeds job results back. What comes from others is
the business of ``Follower``; here are the own entries, the own moves and the clocks. A session
never draws randomness that was not handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine import GRACE, IllegalMove, Move, Outcome, View
from protocol import clocks
from protocol.agreement import Agreement
from protocol.ballot import GONE, Ballot, Question
from protocol.effects import Effect, ForgetSecret, Persist, PersistSecret, Send, SendVote
from protocol.entries import SIT_CHOICES, Sits
from protocol.envelope import TABLE_LANE, seal
from protocol.errors import LocalError, RefusedMove
from protocol.events import Left, Overdue, VoteUnderWay, YourMove
from protocol.follower import Follower, place_of
from protocol.history import Closed
from protocol.lane import Lane
from protocol.own import OwnPart
from protocol.pack import PackState
from protocol.signing import public_bytes
from protocol.voter import Voter
from protocol.votes import Back, Leaving, seal_back, seal_vote
from protocol.wire import Value

Entropy = Callable[[int], bytes]


class Session(Follower):
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
        super().__init__(agreement)
        self.seat = seat
        self._key = key
        self._own = OwnPart(self.history, seat, entropy, dict(secrets or {}))
        self._preparing: set[tuple[Lane, int]] = set()
        self._clocks = clocks.Clocks()
        self._voter = Voter(seat)
        self._heard: frozenset[int] = frozenset()
        self._leaving: dict[int, int] = {}
        self._back: Back | None = None
        self._counts: dict[Question, tuple[int, int]] = {}
        self._asked: tuple[Lane, int] | None = None
        self._left = False
        self._paused = False

    # What the driver calls besides. Each returns the effects in order.

    def begin(self, now: float) -> list[Effect]:
        """Start taking part; before it, a restarted peer feeds its stored entries in."""
        self._began = True
        if self._left and self.history.table.stage != "over":
            self._tell(Left())  # the own SIT closed while this peer was away
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

    def pause(self, on: bool, now: float) -> list[Effect]:
        """While on, this seat does not answer between hands; off, it answers at once if it is due.

        So people can look at a result, but not beyond the step's time: others would call it gone.
        """
        self._now = now
        self._paused = on
        self._contribute()
        return self._flush()

    def heard(self, seats: Collection[int], now: float) -> list[Effect]:
        """The seats whose computers are linked with this one now; silent ones get less time."""
        self._now = now
        self._heard = frozenset(seats)
        return []

    def miss(self, seat: int, now: float) -> list[Effect]:
        """People at this seat will wait no longer for another one, whatever the clocks say."""
        self._now = now
        for lane in self._asked_about():
            if seat in lane.missing:
                self._call(lane, seat)
        self._advance()
        return self._flush()

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: moves for a person who is late, says who is overdue, and votes."""
        self._now = now
        if self._halted:
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
        for lane in self._asked_about():
            for seat in lane.missing:
                if now >= self._call_at(lane, seat):
                    self._call(lane, seat)
        self._advance()
        return self._flush()

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is next of use, on the clock that ``now`` comes from; None: never."""
        if self._halted:
            return None
        calls = [self._call_at(lane, s) for lane in self._asked_about() for s in lane.missing]
        rounds = [self._voter.due(q, b) for q, b in self._polls if not self._is_settled(q, b)]
        overdue = self._clocks.next
        due = min([*calls, *rounds, clocks.NEVER if overdue is None else overdue])
        return None if due == clocks.NEVER else due

    @property
    def over(self) -> bool:
        """Whether the table has ended for this seat: match over, table stopped, or left."""
        return self._left or super().over

    @property
    def owes(self) -> str | None:
        """The kind of choice this seat owes now, or None."""
        lane = self.history.lanes[TABLE_LANE]
        table = self.history.table
        if self._halted or table.stage != "move" or self.seat not in lane.missing:
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

    def _forget(self) -> None:
        self._effects.extend(ForgetSecret(name) for name in self._own.tidy())

    def votes(self) -> tuple[tuple[bytes, bytes], ...]:
        """What was said about silent seats and may still matter; and that this one is back."""
        back = () if self._back is None else ((self._back.data, b""),)
        return (*super().votes(), *back)

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
        if not self._began or self._halted:
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
            if not current or self._halted or self._is_shaken(lane):
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

    # Votes about silent seats. SPEC 5.6.

    def _asked_about(self) -> list[Lane]:
        """The lanes whose open step may be voted about, by a vote of this seat too."""
        lanes = self.history.lanes.values()
        return [lane for lane in lanes if self.seat in self.history.voters(lane)]

    def _call_at(self, lane: Lane, seat: int) -> float:
        """When this seat calls a silent one gone, if it still is; infinity: not by itself."""
        leaves = self._leaving.get(seat) == self.history.table.hand_number
        at = self._now if leaves else self._clocks.ran_out_at(lane) + self._grace(seat)
        question = Question(lane.number, lane.step, lane.head, seat)
        if at == clocks.NEVER or seat == self.seat or question in self._voter.called:
            return clocks.NEVER
        return at if self._may_go(lane, seat) else clocks.NEVER

    def patience(self) -> dict[int, float]:
        """For each silent seat that the table waits on: when this one calls it gone.

        Minus infinity: it has; infinity: only if people ask (``miss``). Empty: there is no vote.
        """
        number = None if self._halted else self.history.next_lane
        lane = None if number is None else self.history.lanes[number]
        if lane is None or lane not in self._asked_about():
            return {}
        return {seat: self._patience(lane, seat) for seat in lane.missing if seat != self.seat}

    def _patience(self, lane: Lane, seat: int) -> float:
        if Question(lane.number, lane.step, lane.head, seat) in self._voter.called:
            return -clocks.NEVER
        if self._call_at(lane, seat) != clocks.NEVER or not self._may_go(lane, seat):
            return self._call_at(lane, seat)
        return self._clocks.runs_out_at(lane) + self._grace(seat)

    def _grace(self, seat: int) -> float:
        """The seconds beyond its clock that a silent seat is waited for."""
        asked = self.agreement.game.clock(self.agreement.options, GRACE) or clocks.UNHEARD_GRACE
        return min(asked, clocks.HEARD_GRACE) if seat in self._heard else asked

    def _may_go(self, lane: Lane, seat: int) -> bool:
        """Whether the game goes on without a seat: else it is waited for until people ask."""
        if isinstance(lane.rules, PackState):
            return True
        hand = lane.rules.hand
        if lane.kind == "back":
            return False
        if hand is None or lane.kind not in ("shares", "move", "lock"):
            return True
        _, outcome = hand.game.absent(hand.state, frozenset({seat}), hand.faces)
        return outcome is not Outcome.WAITS

    def _call(self, lane: Lane, seat: int) -> None:
        """From now on this seat may call a silent one gone."""
        question = Question(lane.number, lane.step, lane.head, seat)
        if self._polls.ballot(question, self.history) is not None:
            self._voter.called.add(question)

    def _is_shaken(self, lane: Lane) -> bool:
        """Whether the head of a lane's open step rests on an entry that somebody calls missing.

        Then nothing new is signed here: it might show a card on a history that is overtaken.
        """
        return any(
            ballot.doubted and not self._is_settled(question, ballot)
            for question, ballot in self._polls
            if _comes_before(question, lane.number, lane.step)
        )

    def _doubts_before(self, later: Question) -> bool:
        """Whether this seat has called an entry missing that a later question rests on.

        It goes on reading then, but says nothing more until that is settled.
        """
        return any(
            ballot.spoken_for_gone(self.seat) and not self._is_settled(question, ballot)
            for question, ballot in self._polls
            if _comes_before(question, later.lane, later.step)
        )

    def _has_given_up(self, lane: Lane) -> bool:
        """Whether this seat has called itself gone in the open step: then it writes nothing."""
        question = Question(lane.number, lane.step, lane.head, self.seat)
        return any(q == question and b.spoken_for_gone(self.seat) for q, b in self._polls)

    def _is_late(self, lane: Lane) -> bool:
        """Whether the open step's clock has run out here."""
        return self._clocks.ran_out_at(lane) <= self._now

    def _is_doubted(self, lane: Lane) -> bool:
        """Whether somebody calls this seat gone in the open step."""
        question = Question(lane.number, lane.step, lane.head, self.seat)
        return any(q == question and ballot.doubted for q, ballot in self._polls)

    def _speak(self) -> bool:
        if not self._began or self._halted:
            return False
        table = self.history.lanes[TABLE_LANE]
        if self.seat in table.missing and self._is_late(table) and self._is_doubted(table):
            self._move_late()  # at a table without a clock too: else it is out of this hand
        for lane in self._asked_about():
            question = Question(lane.number, lane.step, lane.head, self.seat)
            if self.seat in lane.missing and self._own.is_mute(question):
                self._call(lane, self.seat)
        said = False
        for question, ballot in self._polls:
            self._tell_counts(question, ballot)
            if self._answer(question, ballot):
                said = True
        return self._say_back() or said

    def _answer(self, question: Question, ballot: Ballot) -> bool:
        """One vote or stand of this seat, if it is due."""
        held = self._held(question)
        if self.seat not in ballot.voters or ballot.settled(held) is not None:
            return False
        if question.about == self.seat and not held and not self._own.is_mute(question):
            return False  # it has nothing to say of itself but its entry
        if self._doubts_before(question):
            return False
        saying = self._voter.says(question, ballot, held, self._now)
        if saying is None:
            return False
        vote = seal_vote(self.agreement, self._key, self.seat, question, *saying)
        ballot.add(vote)
        self._note(vote)
        self._effects.append(SendVote(vote.data, self._entry_of(vote)))
        return True

    def _tell_counts(self, question: Question, ballot: Ballot) -> None:
        """How a vote stands, for people; told whenever that changes."""
        said = ballot.all()
        gone = len({vote.seat for vote in said if vote.value == GONE})
        here = len({vote.seat for vote in said if vote.value != GONE})
        if said and self._counts.get(question) != (gone, here):
            self._counts = {q: count for q, count in self._counts.items() if q in dict(self._polls)}
            self._counts[question] = gone, here
            place = question.lane, question.step, question.about
            self._tell(VoteUnderWay(*place, gone, here, ballot.quorum))

    # Coming and going.

    def _say_back(self) -> bool:
        """A seat that was declared gone is at the table again, and says so for the next SIT."""
        table = self.history.table
        if self.seat not in table.awaited or self._own.sitting == "leave":
            return False
        if self._back is not None and self._back.hand == table.sit_hand:
            return False
        self._back = seal_back(
            self.agreement, self._key, self.seat, table.sit_hand, self._own.sitting
        )
        self._effects.append(SendVote(self._back.data))
        return False

    def _hear(self, word: Back | Leaving) -> None:
        if isinstance(word, Back):
            is_new = self._own.note_back(word)
        else:
            is_new = self._leaving.get(word.seat, 0) < word.hand
            self._leaving[word.seat] = max(word.hand, self._leaving.get(word.seat, 0))
        if is_new:
            self._effects.append(SendVote(word.data))


def _comes_before(question: Question, lane: int, step: int) -> bool:
    """Whether a lane's step rests on the entry in question: the table lane's on packs' as well."""
    if question.lane == lane:
        return question.step < step
    return lane == TABLE_LANE
