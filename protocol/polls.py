"""The questions about silent seats that stand open on this history, and what was said. SPEC 5.6."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from protocol.ballot import Ballot, Question, Vote
from protocol.history import History

EARLY_VOTES = 64
"""Votes that are kept of one seat for steps that this one has not come to."""

ROUNDS_AHEAD = 2
"""Rounds beyond the newest in which more than half have voted: nobody honest is further."""


class Polls:
    """The ballots by question, and votes that came too early."""

    def __init__(self) -> None:
        self._ballots: dict[Question, Ballot] = {}
        self._early: dict[int, deque[Vote]] = {}

    def __iter__(self) -> Iterator[tuple[Question, Ballot]]:
        """The questions with their ballots, as they are now."""
        return iter(list(self._ballots.items()))

    def ballot(self, question: Question, history: History) -> Ballot | None:
        """What was said about a question; None if it cannot be asked on this history."""
        lane = history.place(question.lane, question.step, question.head)
        if lane is None or question.about not in lane.owed:
            return None
        voters = history.voters(lane)
        if not voters:
            return None
        return self._ballots.setdefault(question, Ballot(voters))

    def add_lie(self, vote: Vote) -> None:
        """Keeps a vote that contradicts another one of its seat, to be shown to who asks."""
        ballot = self.about(vote.question)
        if ballot is not None:
            ballot.add(vote)

    def about(self, question: Question) -> Ballot | None:
        """What was said about a question; None if nobody has asked it."""
        return self._ballots.get(question)

    def is_for_later(self, vote: Vote, history: History) -> bool:
        """Whether the step of a vote may still come here, on a head that is not known yet."""
        question = vote.question
        if question.lane not in history.lanes:
            return question.lane > history.newest or question.lane in history.past.steps
        lane = history.place(question.lane, question.step, question.head)
        if lane is not None:
            return not history.voters(lane)
        return question.step >= history.oldest(question.lane)

    def keep_early(self, vote: Vote) -> None:
        """Keeps a vote about a step that is not known here; of each seat the newest only."""
        early = self._early.setdefault(vote.seat, deque(maxlen=EARLY_VOTES))
        if vote not in early:
            early.append(vote)

    def due(self, history: History) -> list[Vote]:
        """The early votes whose question may be asked now; they are early no more."""
        found: list[Vote] = []
        for seat, early in self._early.items():
            now = [vote for vote in early if self.ballot(vote.question, history) is not None]
            if now:
                found += now
                kept = (vote for vote in early if vote not in now)
                self._early[seat] = deque(kept, maxlen=EARLY_VOTES)
        return found

    def tidy(self, history: History) -> None:
        """Forgets questions that cannot be asked any more."""
        self._ballots = {
            question: ballot
            for question, ballot in self._ballots.items()
            if history.place(question.lane, question.step, question.head) is not None
        }
