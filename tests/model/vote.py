"""The absence vote as pure functions: what a seat may say, and what that comes to.

One lane, its steps, its seats; entries are names, heads are the contents that they stand for. All
functions take what a seat knows, a set of messages, and nothing else: no clock, no order.

A **question** is "is this seat gone in the step after this head?". It is put in rounds. In each
round a seat **votes** once: for the entry, which it then encloses, or for GONE. More than half of
the voting seats for one value in one round are a **certificate**. Who sees that of its own round
**stands** by the value. More than half who stand by one value in one round **settle** the question.
A vote names its **basis**: the round of the newest certificate for its value that its author knows,
0 for none. Without one a seat votes for the entry if it holds it, else for GONE. A seat that stands
by a value votes for another one only on a newer certificate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import ClassVar, NamedTuple, TypeAlias

GONE = 0
"""The value that stands for no entry; entries are versions 1, 2, ... Only liars sign a second."""

Step: TypeAlias = tuple[tuple[int, int], ...]
"""The contents of a closed step: (seat, value) for all that owed it, by seat."""

Head: TypeAlias = tuple[Step, ...]
"""All closed steps. A hash in life; here what it stands for."""


class Entry(NamedTuple):
    """An entry of a seat for the step after ``head``."""

    seat: int
    head: Head
    version: int


class Question(NamedTuple):
    """Is seat ``about`` gone in the step after ``head``?"""

    head: Head
    about: int


class Vote(NamedTuple):
    """What a seat votes for in a round, and the round of the certificate that allows it to."""

    seat: int
    question: Question
    round: int
    value: int
    basis: int


class Stand(NamedTuple):
    """A seat has seen a certificate for a value in a round, and votes for it from now on."""

    seat: int
    question: Question
    round: int
    value: int


Message: TypeAlias = Entry | Vote | Stand
Known: TypeAlias = frozenset[Message]


class Walk(NamedTuple):
    """Where a seat stands: the head of its open step, and the questions that hold it up."""

    head: Head
    missing: tuple[Question, ...]


@dataclass(frozen=True)
class Rule:
    """The rule for ``seats`` voting seats; ``owed``: who owes an entry in each step of the lane.

    ``mute``: honest seats that will write no entry, because they leave or have lost their secrets.
    ``pauses``: who sees a vote for GONE below its head writes no entry until that is settled. It
    is part of the rule, and left out where every run is explored: without it there are more.
    """

    seats: int
    owed: tuple[tuple[int, ...], ...]
    mute: tuple[int, ...] = ()
    pauses: bool = False

    has_stands: ClassVar[bool] = True
    """Whether a certificate alone settles nothing."""

    @property
    def quorum(self) -> int:
        """More than half of the voting seats."""
        return self.seats // 2 + 1

    def enough(self, value: int) -> int:
        """How many votes make a certificate for a value: the quorum for every one."""
        del value
        return self.quorum

    def owing(self, head: Head) -> tuple[int, ...]:
        """The seats that owe the step after ``head``: who was gone before owes nothing more."""
        if len(head) == len(self.owed):
            return ()
        gone = {seat for step in head for seat, value in step if value == GONE}
        return tuple(seat for seat in self.owed[len(head)] if seat not in gone)

    # What a set of messages comes to.

    def held(self, known: Known, question: Question) -> list[int]:
        """The versions of the entry in question that are known; several of a liar only."""
        return sorted(m.version for m in said_of(known, question) if isinstance(m, Entry))

    def certified(self, known: Known, question: Question, number: int) -> list[int]:
        """The values that have a certificate in this round; several by liars only.

        A vote counts where the entry that it is for, and the certificate that it rests on, are
        known as well.
        """
        voters: dict[tuple[int, int], set[int]] = {}
        held: set[int] = {GONE}
        for m in said_of(known, question):
            if isinstance(m, Entry):
                held.add(m.version)
            elif isinstance(m, Vote) and m.round == number:
                voters.setdefault((m.value, m.basis), set()).add(m.seat)
        counted: dict[int, set[int]] = {}
        for (value, basis), seats in voters.items():
            rests = basis == 0 or value in self.certified(known, question, basis)
            if value in held and rests and basis < number:
                counted.setdefault(value, set()).update(seats)
        return sorted(v for v, seats in counted.items() if len(seats) >= self.enough(v))

    def settled(self, known: Known, question: Question) -> int | None:
        """The value by which this question is settled, if it is."""
        standing: dict[tuple[int, int], set[int]] = {}
        for m in said_of(known, question):
            if isinstance(m, Stand):
                standing.setdefault((m.round, m.value), set()).add(m.seat)
        for (number, value), seats in sorted(standing.items()):
            if len(seats) >= self.quorum and value in self.certified(known, question, number):
                return value
        return None

    def walk(self, known: Known, seat: int) -> Walk:
        """The history of a seat: with every entry that it holds, but what is settled comes first.

        Who has voted for GONE, or for another version, goes on only when the question is settled.
        """
        head: Head = ()
        while owing := self.owing(head):
            contents: list[tuple[int, int]] = []
            missing: list[Question] = []
            for about in owing:
                question = Question(head, about)
                value = self.settled(known, question)
                if value is None and not self._doubts(known, seat, question):
                    value = next(iter(self.held(known, question)), None)
                if value is None:
                    missing.append(question)
                else:
                    contents.append((about, value))
            if missing:
                return Walk(head, tuple(missing))
            head = (*head, tuple(contents))
        return Walk(head, ())

    def _doubts(self, known: Known, seat: int, question: Question) -> bool:
        """Whether this seat has spoken for GONE: then its own eyes are not enough any more."""
        return any(
            not isinstance(m, Entry) and (m.seat, m.value) == (seat, GONE)
            for m in said_of(known, question)
        )

    # What an honest seat may say. When it does is a matter of clocks.

    def entry(self, known: Known, seat: int) -> Entry | None:
        """The entry that a seat owes in its open step and has not written yet."""
        head, _ = self.walk(known, seat)
        own = Entry(seat, head, 1)
        if seat in self.mute or seat not in self.owing(head) or own in known:
            return None
        return None if self.pauses and self._is_shaken(known, seat) else own

    def _is_shaken(self, known: Known, seat: int) -> bool:
        """Whether somebody has voted for GONE in an open question of this seat's history."""
        return any(
            isinstance(m, Vote) and m.value == GONE
            for question in self.questions(known, seat)
            if len(question.head) < len(self.walk(known, seat).head)
            for m in said_of(known, question)
        )

    def questions(self, known: Known, seat: int) -> list[Question]:
        """What may be asked about on this seat's history, and is not settled."""
        head = self.walk(known, seat).head
        asked = [
            Question(head[:k], about)
            for k in range(len(head) + 1)
            for about in self.owing(head[:k])
        ]
        return [question for question in asked if self.settled(known, question) is None]

    def votes(self, known: Known, seat: int, question: Question) -> list[Vote]:
        """The votes that a seat may cast now, in its next round."""
        last = self.round_of(known, seat, question)
        held = self.held(known, question)
        if seat == question.about and not held and seat not in self.mute:
            return []  # it has nothing to say about itself but its entry
        # For each value the newest certificate, 0 for what needs none: what the own eyes say.
        allowed = dict.fromkeys(held or [GONE], 0)
        for basis in range(1, last + 1):
            allowed |= dict.fromkeys(self.certified(known, question, basis), basis)
        stand = self.standing(known, seat, question)
        return [
            Vote(seat, question, last + 1, value, basis)
            for value, basis in sorted(allowed.items())
            if stand is None or basis > stand.round or (value, basis) == (stand.value, stand.round)
        ]

    def round_of(self, known: Known, seat: int, question: Question) -> int:
        """The last round in which a seat has voted; 0: it has not."""
        said = said_of(known, question)
        return max((m.round for m in said if isinstance(m, Vote) and m.seat == seat), default=0)

    def standing(self, known: Known, seat: int, question: Question) -> Stand | None:
        """The newest value that a seat stands by."""
        own = [m for m in said_of(known, question) if isinstance(m, Stand) and m.seat == seat]
        return max(own, key=lambda m: m.round, default=None)

    def stands(self, known: Known, seat: int, question: Question) -> list[Stand]:
        """What a seat may stand by: only of the round in which it voted last."""
        last = self.round_of(known, seat, question)
        stand = self.standing(known, seat, question)
        if last == 0 or (stand is not None and stand.round == last):
            return []
        return [Stand(seat, question, last, v) for v in self.certified(known, question, last)]

    def says(self, known: Known, seat: int) -> Iterator[Message]:
        """All that an honest seat may say next; who knows of a liar says nothing more."""
        if self.guilty(known):
            return
        entry = self.entry(known, seat)
        if entry is not None:
            yield entry
        for question in self.questions(known, seat):
            yield from self.stands(known, seat, question)
            yield from self.votes(known, seat, question)

    # When the network is whole: which of these an honest seat picks.

    def picked(self, known: Known, seat: int, question: Question, lead: Vote | None) -> Vote | None:
        """The vote that a seat casts. ``lead``: that of the round's leader, which it follows if
        it may; else it takes the newest certificate's value, else the entry, else GONE."""
        votes = self.votes(known, seat, question)
        if lead is not None:
            votes = [vote for vote in votes if vote.value == lead.value] or votes
        return max(votes, key=lambda vote: vote.basis, default=None)

    # Who is proved to have cheated by what it signed.

    def guilty(self, messages: Iterable[Message]) -> frozenset[int]:
        """Two things said for one place, or a stand broken without a newer certificate."""
        found: set[int] = set()
        places: dict[tuple[int, Question], list[Message]] = {}
        for m in messages:
            question = Question(m.head, m.seat) if isinstance(m, Entry) else m.question
            places.setdefault((m.seat, question), []).append(m)
        for (seat, _), said in places.items():
            if any(contradict(a, b) or contradict(b, a) for a, b in combinations(said, 2)):
                found.add(seat)
        return frozenset(found)


def said_of(known: Known, question: Question) -> Sequence[Message]:
    """What is known of a question: the entries that it is about, votes and stands."""
    return _by_question(known).get(question, ())


@lru_cache(1 << 17)
def _by_question(known: Known) -> dict[Question, list[Message]]:
    found: dict[Question, list[Message]] = {}
    for m in known:
        question = Question(m.head, m.seat) if isinstance(m, Entry) else m.question
        found.setdefault(question, []).append(m)
    return found


def contradict(a: Message, b: Message) -> bool:
    """Whether no honest seat signs both of these, of one author and about one question."""
    if isinstance(a, Entry) or isinstance(b, Entry):
        return type(a) is type(b) and a != b
    if isinstance(a, Stand) and isinstance(b, Vote):
        return b.basis < a.round < b.round
    return type(a) is type(b) and a.round == b.round and a != b
