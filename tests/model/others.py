"""Rules that do not hold: one final vote, simpler ones, and ours with one part taken out.

The explorer must find the fault of each; so a rule in which it finds none is worth something.
"""

from __future__ import annotations

from collections import deque
from itertools import combinations
from typing import ClassVar, TypeAlias

from tests.model.vote import GONE, Entry, Known, Question, Rule, Stand, Vote


class OneVote(Rule):
    """One final vote of each other seat, and nothing after it.

    GONE from more than half of the voting seats, or HELD from at least half, the entry counting as
    its author's, settle the question at once.
    """

    has_stands: ClassVar[bool] = False

    def enough(self, value: int) -> int:
        """Votes that settle it; the author's own is the entry."""
        return self.quorum if value == GONE else (self.seats + 1) // 2 - 1

    def certified(self, known: Known, question: Question, number: int) -> list[int]:
        """Nobody votes about itself."""
        others = frozenset(m for m in known if m.seat != question.about or isinstance(m, Entry))
        return super().certified(others, question, number)

    def settled(self, known: Known, question: Question) -> int | None:
        """By the votes of the one round."""
        return next(iter(self.certified(known, question, 1)), None)

    def votes(self, known: Known, seat: int, question: Question) -> list[Vote]:
        """What the own eyes say, once."""
        if seat == question.about or self.round_of(known, seat, question):
            return []
        held = self.held(known, question)
        return [Vote(seat, question, 1, value, 0) for value in (held or [GONE])]

    def stands(self, known: Known, seat: int, question: Question) -> list[Stand]:
        """Nobody stands by anything."""
        return []


class PresentSign(OneVote):
    """All who are present sign what they see: who signed GONE signs again when the entry comes."""

    def enough(self, value: int) -> int:
        """More than half for either."""
        return self.quorum

    def votes(self, known: Known, seat: int, question: Question) -> list[Vote]:
        """What the own eyes say, whenever it is something else than before."""
        if seat == question.about:
            return []
        held = self.held(known, question)
        votes = [Vote(seat, question, 1, value, 0) for value in (held or [GONE])]
        return [vote for vote in votes if vote not in known]

    def _doubts(self, known: Known, seat: int, question: Question) -> bool:
        return False

    def guilty(self, messages: object) -> frozenset[int]:
        """Nobody: to sign again is what the rule asks for."""
        del messages
        return frozenset()


class CertificateSettles(Rule):
    """Rounds, but a certificate settles the question at once: others may never see it."""

    has_stands: ClassVar[bool] = False

    def settled(self, known: Known, question: Question) -> int | None:
        """By the first round that has a certificate."""
        rounds = {m.round for m in known if isinstance(m, Vote) and m.question == question}
        for number in sorted(rounds):
            for value in self.certified(known, question, number):
                return value
        return None

    def stands(self, known: Known, seat: int, question: Question) -> list[Stand]:
        """Nobody stands by anything."""
        return []


class HalfIsEnough(Rule):
    """Half of the voting seats instead of more than half."""

    @property
    def quorum(self) -> int:
        """Half of them, rounded up."""
        return (self.seats + 1) // 2


class StandsForgotten(Rule):
    """A seat votes on as if it had never stood by anything."""

    def standing(self, known: Known, seat: int, question: Question) -> Stand | None:
        """None."""
        return None

    def stands(self, known: Known, seat: int, question: Question) -> list[Stand]:
        """Once a round."""
        return [s for s in super().stands(known, seat, question) if s not in known]


class VotesForgotten(Rule):
    """A vote is spoken before it is written: who crashes in between may vote once more."""

    def votes(self, known: Known, seat: int, question: Question) -> list[Vote]:
        """Also those of the last round again, by what is known now."""
        votes = super().votes(known, seat, question)
        again = [vote._replace(round=vote.round - 1) for vote in votes]
        return votes + [v for v in again if v.round and v not in known and v.basis < v.round]


class LateStands(Rule):
    """A seat stands by a value of a round that it has left."""

    def stands(self, known: Known, seat: int, question: Question) -> list[Stand]:
        """Of every round that it voted in."""
        rounds = range(1, self.round_of(known, seat, question) + 1)
        stands = [
            Stand(seat, question, number, value)
            for number in rounds
            for value in self.certified(known, question, number)
        ]
        return [stand for stand in stands if stand not in known]


class LeaderKnowsBest(Rule):
    """Who holds an entry may vote GONE without a certificate, because the leader did."""

    def votes(self, known: Known, seat: int, question: Question) -> list[Vote]:
        """Besides what the rule allows, GONE."""
        votes = super().votes(known, seat, question)
        last = self.round_of(known, seat, question)
        lies = [Vote(seat, question, last + 1, GONE, 0)] if votes and last else []
        return votes + [vote for vote in lies if vote not in votes]


class OwnEyes(Rule):
    """Who voted GONE and is shown the entry goes on by it, before the question is settled."""

    def _doubts(self, known: Known, seat: int, question: Question) -> bool:
        return False


class UncheckedBasis(Rule):
    """A vote counts whatever certificate it names, seen or not."""

    def certified(self, known: Known, question: Question, number: int) -> list[int]:
        """By the number of voters alone."""
        voters: dict[int, set[int]] = {}
        for m in known:
            if isinstance(m, Vote) and (m.question, m.round) == (question, number):
                voters.setdefault(m.value, set()).add(m.seat)
        return sorted(v for v, seats in voters.items() if len(seats) >= self.enough(v))


Sets: TypeAlias = tuple[frozenset[int] | None, ...]
"""By seat the last set of absent seats that it has stated; None before that."""


def dead_ends(seats: int, silent: int) -> list[Sets]:
    """Growing sets of absent seats, in which only the same set of all others closes a step.

    Each seat states whom it misses, ``silent`` above all, and its sets only grow; a set counts if
    those outside it are more than half. Returns the states, nearest first, after which no
    statements whatever lead to an end any more, though nobody lies and all but one seat are there.
    """
    others = [seat for seat in range(seats) if seat != silent]
    largest = seats - (seats // 2 + 1)
    found = {
        frozenset({silent, *more}) for size in range(largest) for more in combinations(others, size)
    }
    first: Sets = tuple(None for _ in range(seats))
    after: dict[Sets, list[Sets]] = {}
    queue = deque([first])
    while queue:
        state = queue.popleft()
        after[state] = [
            (*state[:seat], absent, *state[seat + 1 :])
            for seat in others
            for absent in sorted(found, key=sorted)
            if seat not in absent and (state[seat] is None or (state[seat] or set()) < absent)
        ]
        queue.extend(s for s in dict.fromkeys(after[state]) if s not in after and s not in queue)
    hopeful = {state for state in after if _closes(state)}
    while more := {s for s, then in after.items() if s not in hopeful and hopeful & set(then)}:
        hopeful |= more
    return [state for state in after if state not in hopeful]


def _closes(state: Sets) -> bool:
    """Whether all seats outside one set have stated just that set."""
    return any(
        absent is not None
        and all(state[seat] == absent for seat in range(len(state)) if seat not in absent)
        for absent in state
    )
