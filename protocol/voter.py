"""What one seat says in the votes about silent seats, and when. SPEC 5.6.

What it may say follows from what was said alone; the clocks here only say when it is time, and
begin anew when the program is started again.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from protocol.ballot import GONE, Ballot, Kind, Question
from protocol.clocks import LEADER_SECONDS, NEVER, round_seconds


class Saying(NamedTuple):
    """A vote or a stand that is due."""

    kind: Kind
    round: int
    value: bytes
    basis: int


class Voter:
    """The part of one seat. ``called``: the questions in which it may call the silent seat gone."""

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self.called: set[Question] = set()
        self._voted: dict[tuple[Question, int], float] = {}
        self._began: dict[tuple[Question, int], float] = {}

    def says(
        self, question: Question, ballot: Ballot, held: Collection[bytes], now: float
    ) -> Saying | None:
        """What is due in an open question; None: nothing now."""
        stands = ballot.stands(self._seat, held)
        if stands:
            return Saying("stand", ballot.round_of(self._seat), stands[0], 0)
        last = ballot.round_of(self._seat)
        if last == 0:
            return self._first(question, ballot, held)
        if not self._goes_on(question, ballot, last, now):
            return None
        return self._next(question, ballot, held, last + 1, now)

    def _first(self, question: Question, ballot: Ballot, held: Collection[bytes]) -> Saying | None:
        if held:
            # Whoever has doubts shall hear at once that the entry is here.
            return Saying("vote", 1, next(iter(held)), 0) if ballot.doubted else None
        return Saying("vote", 1, GONE, 0) if question in self.called else None

    def _goes_on(self, question: Question, ballot: Ballot, last: int, now: float) -> bool:
        """Whether a round has lasted its time, or most are further already."""
        if ballot.voted(last) < ballot.quorum:
            return False
        if ballot.voted(last + 1) >= ballot.quorum:
            return True
        return now >= self._voted.setdefault((question, last), now) + round_seconds(last)

    def _next(
        self, question: Question, ballot: Ballot, held: Collection[bytes], number: int, now: float
    ) -> Saying | None:
        """The vote of a later round: after its leader's, which is waited for a little."""
        leader = ballot.leader(number)
        lead = None if leader == self._seat else ballot.vote_of(leader, number)
        began = self._began.setdefault((question, number), now)
        if leader != self._seat and lead is None and now < began + LEADER_SECONDS:
            return None
        picked = ballot.picked(self._seat, held, lead)
        return None if picked is None else Saying("vote", number, *picked)

    def due(self, question: Question, ballot: Ballot) -> float:
        """When it is next of use to ask what is due in an open question; infinity: never."""
        last = ballot.round_of(self._seat)
        if last == 0 or ballot.voted(last) < ballot.quorum:
            return NEVER
        began = self._began.get((question, last + 1))
        if began is not None:
            return began + LEADER_SECONDS
        return self._voted.get((question, last), NEVER) + round_seconds(last)

    def tidy(self, questions: Collection[Question]) -> None:
        """Forgets questions that are not open any more."""
        self._voted = {key: at for key, at in self._voted.items() if key[0] in questions}
        self._began = {key: at for key, at in self._began.items() if key[0] in questions}
        self.called &= set(questions)
