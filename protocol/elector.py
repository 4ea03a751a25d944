"""One seat's part in the votes about silent seats: when it speaks, and that it is back. SPEC 5.6.

``Voter`` knows what may be said in one question; here are the clocks, the words that are signed,
and what must not be said while somebody has doubts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine import GRACE, Outcome
from protocol import clocks
from protocol.agreement import Agreement
from protocol.ballot import GONE, Ballot, Question
from protocol.effects import Effect, SendVote
from protocol.envelope import TABLE_LANE
from protocol.events import Leaves, VoteUnderWay
from protocol.follower import Follower
from protocol.lane import Lane
from protocol.pack import PackState
from protocol.voter import Voter
from protocol.votes import Back, Leaving, seal_back, seal_vote


class Elector(Follower):
    """A follower with a seat, as far as silent seats go."""

    def __init__(self, agreement: Agreement, seat: int, key: Ed25519PrivateKey) -> None:
        super().__init__(agreement)
        self.seat = seat
        self._key = key
        self._clocks = clocks.Clocks()
        self._voter = Voter(seat)
        self._heard: frozenset[int] | None = None
        self._leaving: dict[int, Leaving] = {}
        self._back: Back | None = None
        self._counts: dict[Question, tuple[int, int]] = {}

    # What the driver calls besides.

    def heard(self, seats: Collection[int], now: float) -> list[Effect]:
        """The seats whose computers are linked with this one now; silent ones get less time."""
        self._now = now
        fresh = frozenset() if self._heard is None else frozenset(seats) - self._heard
        self._heard = frozenset(seats)
        for lane in self.history.lanes.values():
            for seat in fresh.intersection(lane.missing):
                self._clocks.returned(lane, seat, now)
        return []

    def miss(self, seat: int, now: float) -> list[Effect]:
        """People at this seat will wait no longer for another one, whatever the clocks say."""
        self._now = now
        for lane in self._asked_about():
            if seat in lane.missing:
                self._call(lane, seat)
        self._advance()
        return self._flush()

    def patience(self) -> dict[int, float]:
        """For each silent seat that the table waits on: when this one calls it gone.

        Minus infinity: it has; infinity: only if people ask (``miss``). Empty: there is no vote.
        """
        number = None if self._halted else self.history.next_lane
        lane = None if number is None else self.history.lanes[number]
        if lane is None or lane not in self._asked_about():
            return {}
        return {seat: self._call_at(lane, seat) for seat in lane.missing if seat != self.seat}

    def votes(self) -> tuple[tuple[bytes, bytes], ...]:
        """What was said about silent seats and may still matter, and of coming and going."""
        words = [*self._leaving.values(), *(() if self._back is None else (self._back,))]
        return (*super().votes(), *((word.data, b"") for word in words))

    # What the session knows of its own secrets and wishes.

    @abstractmethod
    def _move_late(self) -> None:
        """Makes the choice that the own program makes when the clock runs out, if one is owed."""

    @abstractmethod
    def _is_mute(self, question: Question) -> bool:
        """Whether this seat has lost what it needs to write its own entry in question."""

    @abstractmethod
    def _note_back(self, back: Back) -> bool:
        """Notes for the next SIT that a seat is back; whether it is new."""

    @property
    @abstractmethod
    def _sitting(self) -> str:
        """What this seat answers between hands: in, out or leave."""

    # When it speaks.

    def _vote_due(self) -> float:
        """When it is next of use to look at graces and rounds; infinity: never."""
        calls = [self._call_at(lane, s) for lane in self._asked_about() for s in lane.missing]
        calls = [at for at in calls if at != -clocks.NEVER]
        rounds = [self._voter.due(q, b) for q, b in self._polls if not self._is_settled(q, b)]
        return min([*calls, *rounds], default=clocks.NEVER)

    def _call_silent(self) -> None:
        """Calls those gone whose grace has run out."""
        for lane in self._asked_about():
            for seat in lane.missing:
                if self._now >= self._call_at(lane, seat):
                    self._call(lane, seat)

    def _asked_about(self) -> list[Lane]:
        """The lanes whose open step may be voted about, by a vote of this seat too."""
        lanes = self.history.lanes.values()
        return [lane for lane in lanes if self.seat in self.history.voters(lane)]

    def _call_at(self, lane: Lane, seat: int) -> float:
        """When this seat calls a silent one gone, if it still is; infinity: not by itself.

        Minus infinity: it has.
        """
        if lane.question(seat) in self._voter.called:
            return -clocks.NEVER
        if seat == self.seat or not self._may_go(lane, seat):
            return clocks.NEVER
        if self._has_left(lane, seat):
            return self._now
        return self._clocks.runs_out_at(lane, seat) + self._grace(seat)

    def _has_left(self, lane: Lane, seat: int) -> bool:
        """Whether a silent seat has said that it leaves.

        That holds in the hand of which it said so, and in what is owed between that and the next.
        """
        hand = self.history.table.hand_number
        said = self._leaving.get(seat)
        if said is None:
            return False
        return said.hand == hand or (said.hand == hand - 1 and lane.kind in ("sit", "back"))

    def _grace(self, seat: int) -> float:
        """The seconds beyond its clock that a silent seat is waited for."""
        asked = self.agreement.game.clock(self.agreement.options, GRACE) or clocks.UNHEARD_GRACE
        return min(asked, clocks.HEARD_GRACE) if seat in (self._heard or ()) else asked

    def _may_go(self, lane: Lane, seat: int) -> bool:
        """Whether the game goes on without a seat: else it is waited for until people ask."""
        if isinstance(lane.rules, PackState):
            return True
        hand = lane.rules.hand
        if lane.kind == "back":
            return self._has_left(lane, seat)
        if hand is None or lane.kind not in ("shares", "move", "lock"):
            return True
        _, outcome = hand.game.absent(hand.state, frozenset({seat}), hand.faces)
        return outcome is not Outcome.WAITS

    def _call(self, lane: Lane, seat: int) -> None:
        """From now on this seat may call a silent one gone."""
        question = lane.question(seat)
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
        ballot = self._polls.about(lane.question(self.seat))
        return ballot is not None and ballot.spoken_for_gone(self.seat)

    def _is_late(self, lane: Lane) -> bool:
        """Whether the open step's clock has run out here."""
        return self._clocks.runs_out_at(lane, self.seat) <= self._now

    def _is_doubted(self, lane: Lane) -> bool:
        """Whether somebody calls this seat gone in the open step."""
        ballot = self._polls.about(lane.question(self.seat))
        return ballot is not None and ballot.doubted

    def _speak(self) -> bool:
        if not self._began or self._halted:
            return False
        table = self.history.lanes[TABLE_LANE]
        if self.seat in table.missing and self._is_late(table) and self._is_doubted(table):
            self._move_late()  # at a table without a clock too: else it is out of this hand
        for lane in self._asked_about():
            question = lane.question(self.seat)
            if self.seat in lane.missing and self._is_mute(question):
                self._call(lane, self.seat)
        said = False
        for question, ballot in self._polls:
            self._tell_counts(question, ballot)
            if self._answer(question, ballot):
                said = True
        self._say_back()
        return said

    def _answer(self, question: Question, ballot: Ballot) -> bool:
        """One vote or stand of this seat, if it is due."""
        held = self._held(question)
        if self.seat not in ballot.voters or ballot.settled(held) is not None:
            return False
        if question.about == self.seat and not held and not self._is_mute(question):
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

    def _say_back(self) -> None:
        """A seat that was declared gone is at the table again, and says so for the next SIT."""
        table = self.history.table
        if self.seat not in table.awaited or self._sitting == "leave":
            return
        if self._back is not None and self._back.hand == table.sit_hand:
            return
        self._back = seal_back(self.agreement, self._key, self.seat, table.sit_hand, self._sitting)
        self._effects.append(SendVote(self._back.data))

    def _hear(self, word: Back | Leaving) -> None:
        if not self._is_near(word):
            return
        if isinstance(word, Back):
            is_new = self._note_back(word)
        else:
            known = self._leaving.get(word.seat)
            is_new = known is None or known.hand < word.hand
            if is_new:
                self._leaving[word.seat] = word
                if word.seat != self.seat:
                    self._tell(Leaves(word.seat))
        if is_new:
            self._effects.append(SendVote(word.data))

    def _is_near(self, word: Back | Leaving) -> bool:
        """Whether a word is of this hand or one beside: who says it of every number floods nobody.

        One that comes too early is said again, in answers to HAVE.
        """
        table = self.history.table
        hand = table.sit_hand if isinstance(word, Back) else table.hand_number
        return abs(word.hand - hand) <= 1


def _comes_before(question: Question, lane: int, step: int) -> bool:
    """Whether a lane's step rests on the entry in question: the table lane's on packs' as well."""
    if question.lane == lane:
        return question.step < step
    return lane == TABLE_LANE
