"""Follows the votes about silent seats: a table goes on without one, or goes back. SPEC 5.6.

What a seat says itself is the business of ``Elector``; who looks on says nothing.
"""

from __future__ import annotations

from abc import abstractmethod

from protocol.absence import Absent
from protocol.agreement import Agreement
from protocol.ballot import GONE, Ballot, Question, Vote, contradiction
from protocol.effects import Effect, Fault, PersistVote, SendVote
from protocol.errors import PeerFault
from protocol.events import DeclaredGone, ViewChanged, WentBack
from protocol.history import Closed
from protocol.lane import Lane
from protocol.polls import ROUNDS_AHEAD, Polls
from protocol.reader import Reader
from protocol.votes import Back, Leaving, open_word


class Follower(Reader):
    """A follower that takes part in no vote, and heeds what comes of all."""

    def __init__(self, agreement: Agreement) -> None:
        super().__init__(agreement)
        self._polls = Polls()
        self._perjurers: set[int] = set()

    # What the driver calls besides.

    def receive_vote(self, data: bytes, entry: bytes, now: float) -> list[Effect]:
        """A vote or what a seat says of its coming and going, from a link or from the own disk.

        ``entry``: the envelope that came with it, or empty. Any bytes at all; never raises.
        """
        effects = self.receive(entry, now) if entry else []
        self._now = now
        try:
            word = open_word(data, self.agreement)
        except PeerFault as fault:
            return [*effects, Fault(fault)]
        if self._is_stopped:
            return effects
        if isinstance(word, Vote):
            self._take_vote(word)
            if self._halted and self._settle():
                # The end of the match rested on an entry that the others have voted away.
                self._halted = False
        else:
            self._hear(word)
        self._advance()
        return [*effects, *self._flush()]

    def votes(self) -> tuple[tuple[bytes, bytes], ...]:
        """What was said about entries that may still be asked about, in order, for who asks.

        Each with the envelope that it is for, or empty bytes.
        """
        return tuple(
            (vote.data, self._entry_of(vote)) for _, ballot in self._polls for vote in ballot.all()
        )

    # What the two kinds of followers have for themselves.

    @abstractmethod
    def _went_back(self) -> None:
        """The table stands at a step that had closed here; what came after has not happened."""

    @abstractmethod
    def _hear(self, word: Back | Leaving) -> None:
        """A seat says that it comes back or goes."""

    # Votes that come in, and what they come to.

    def _heed(self) -> bool:
        early = self._polls.due(self.history)
        for vote in early:
            self._take_vote(vote)
        return self._settle() or bool(early)

    def _closed(self, closed: Closed, size: int) -> None:
        self._polls.tidy(self.history)
        super()._closed(closed, size)

    def _take_vote(self, vote: Vote) -> None:
        """Files one vote with a good signature: for now, for later, or as evidence."""
        ballot = self._polls.ballot(vote.question, self.history)
        if ballot is None:
            if self._polls.is_for_later(vote, self.history):
                self._polls.keep_early(vote)
            return
        other = ballot.against(vote)
        if other is not None:
            self._perjurer(vote, other)
        elif vote.round <= ballot.newest + ROUNDS_AHEAD and ballot.add(vote):
            self._note(vote)
            self._effects.append(SendVote(vote.data, self._entry_of(vote)))

    def _note(self, vote: Vote) -> None:
        """A vote counts from now on: first it is put on disk."""
        question = vote.question
        self._effects.append(PersistVote(question.lane, question.step, question.about, vote.data))

    def _held(self, question: Question) -> tuple[bytes, ...]:
        """The hash of the entry that a question is about, if it is here."""
        return self._inbox.held(question)

    def _entry_of(self, vote: Vote) -> bytes:
        """The envelope that goes with a vote of the first round for an entry; else empty."""
        if vote.kind != "vote" or vote.round > 1 or vote.value == GONE:
            return b""
        return self._inbox.envelope(vote.question) or b""

    def _settle(self) -> bool:
        """Follows what more than half have settled; whether anything has changed by it."""
        for question, ballot in self._polls:
            lane = self.history.place(question.lane, question.step, question.head)
            value = ballot.settled(self._held(question))
            if lane is None or value is None:
                continue
            if value == GONE and not isinstance(lane.entries.get(question.about), Absent):
                self._declared_gone(question, ballot, lane)
                return True
        return False

    def _declared_gone(self, question: Question, ballot: Ballot, lane: Lane) -> None:
        """The step closes without the entry of a seat, or is closed anew without it."""
        if lane is not self.history.lanes.get(question.lane):
            lane = self.history.go_back(question.lane, question.step)
            self._drop_dead_lanes()
            self._polls.tidy(self.history)
            self._went_back()
            self._tell(WentBack(question.lane, question.step, question.about))
            view = self._told_view()
            if view is not None:
                self._tell(ViewChanged(view))
        lane.absent(question.about)
        by = tuple(vote.seat for vote in ballot.all() if (vote.kind, vote.value) == ("stand", GONE))
        self._tell(DeclaredGone(question.lane, question.step, question.about, tuple(sorted(by))))

    def _is_settled(self, question: Question, ballot: Ballot) -> bool:
        return ballot.settled(self._held(question)) is not None

    def _perjurer(self, vote: Vote, other: Vote) -> None:
        """Two votes that no honest seat signs both: as two versions of an entry."""
        code = contradiction(vote, other) or "vote.twice"
        question = vote.question
        fault = PeerFault(code, "two votes that contradict each other").at(
            vote.seat, question.lane, question.step
        )
        place = question.lane, question.step, question.about
        if vote.seat in self.history.table.out:
            if vote.seat not in self._perjurers:  # it could sign more and more of them
                self._perjurers.add(vote.seat)
                self._effects.append(Fault(fault))
            return
        self._polls.add_lie(vote)
        self._effects += [PersistVote(*place, vote.data)]
        self._effects += [SendVote(other.data), SendVote(vote.data), Fault(fault)]
        self._evidence.keep_end(self.history)
        self._stop(fault)
