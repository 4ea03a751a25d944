"""A small table with votes: what can happen next, and what must hold.

The network delays any message for as long as it likes and gives it to some only; clocks run out at
any moment. A seat that crashes and comes back with what it had written is one that was slow, and
one that stays away is one that says nothing more: so neither needs a move of its own. Liars have
signed every message there is, contradictions included, and show each to whom they like: so they
need no state.

What an honest seat knows grows only where that changes what it may say: by an entry, by the votes
of a certificate, by the stands that settle a question; everything else can just as well come later.
For the same reason a seat that has been given something is the next to act. ``plain`` has none of
these shortcuts, and a test compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations, count, permutations, product
from operator import or_
from typing import TypeAlias

from tests.model.vote import GONE, Entry, Head, Known, Message, Question, Rule, Stand, Step, Vote
from tests.model.words import asked, told

Bits: TypeAlias = int
"""A set of messages, one bit for each in the order of first sight: quick to join and to compare."""

State: TypeAlias = tuple[int, tuple[Bits, ...]]
"""Who is the next to act (ANYBODY, or a place among the honest), and what each of them knows."""

Move: TypeAlias = tuple[str, int, Bits]
"""What happens, to whom, with which messages."""

ANYBODY = -1

NOBODY = -1
"""The author of what several have said together."""

NOTHING: Known = frozenset()


REMEMBERED = (
    "says",
    "entry",
    "own",
    "given",
    "guilty",
    "settlements",
    "_renamed",
    "_mark",
    "_head",
    "_pair_is_wrong",
    "_blames_itself",
    "_shut_out",
)
"""What a table works out once for each of its arguments."""


@dataclass(frozen=True)
class Case:
    """A table to explore. ``rounds``: how many rounds of a vote; ``versions``: of liars' entries.

    ``asked``: the steps, from 0, about which votes are held; none: all.
    """

    rule: Rule
    liars: tuple[int, ...] = ()
    rounds: int = 2
    versions: int = 1
    asked: tuple[int, ...] = ()

    @property
    def honest(self) -> tuple[int, ...]:
        """The seats that keep to the rule."""
        return tuple(seat for seat in range(self.rule.seats) if seat not in self.liars)


class Table:
    """The moves of a case and what must hold, with everything that was worked out remembered."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.rule = case.rule
        self.honest = case.honest
        self.liars = case.liars
        self.names = tuple(_renamings(case))
        self._numbers: dict[Message, int] = {}
        self._messages: list[Message] = []
        self._sets: dict[Bits, Known] = {0: NOTHING}
        for work in REMEMBERED:
            setattr(self, work, lru_cache(None)(getattr(self, work)))

    def start(self) -> State:
        """Nobody has said anything."""
        return (ANYBODY, tuple(0 for _ in self.honest))

    def bits(self, messages: Iterable[Message]) -> Bits:
        """The bits of a set of messages."""
        found = 0
        for message in messages:
            number = self._numbers.setdefault(message, len(self._numbers))
            if number == len(self._messages):
                self._messages.append(message)
            found |= 1 << number
        return found

    def known(self, bits: Bits) -> Known:
        """The set of messages with these bits."""
        if bits not in self._sets:
            places = range(bits.bit_length())
            self._sets[bits] = frozenset(self._messages[k] for k in places if bits >> k & 1)
        return self._sets[bits]

    # Moves.

    def moves(self, state: State) -> Iterator[tuple[Move, State]]:
        """All that can happen next: a seat says something, or is shown something."""
        focus, knowns = state
        for place, seat in enumerate(self.honest):
            entry = self.entry(knowns[place], seat)
            if entry:
                # To have written an entry binds its author to nothing else and keeps nobody from
                # anything, so nothing is lost if all write at once.
                after = _with(knowns, place, knowns[place] | entry, focus)
                yield ("says", seat, entry), after
                return
        spoken = self.spoken(knowns)
        for place, seat in enumerate(self.honest):
            known = knowns[place]
            if focus not in (ANYBODY, place) or self.guilty(known):
                continue
            for message in self.says(known, seat):
                yield ("says", seat, message), _with(knowns, place, known | message, ANYBODY)
            for ends, bundle in self.given(known, seat, spoken):
                focused = ANYBODY if ends else place
                yield ("is shown", seat, bundle), _with(knowns, place, known | bundle, focused)

    def spoken(self, knowns: Sequence[Bits]) -> Bits:
        """All that honest seats have signed."""
        found = 0
        for known, seat in zip(knowns, self.honest, strict=True):
            found |= self.own(known, seat)
        return found

    def says(self, known: Bits, seat: int) -> tuple[Bits, ...]:
        """The votes and stands that a seat may say next, one bit each."""
        said = self.rule.says(self.known(known), seat)
        return tuple(
            self.bits((m,)) for m in said if not isinstance(m, Entry) and self._is_asked(m)
        )

    def entry(self, known: Bits, seat: int) -> Bits:
        """The entry that a seat writes next, or none."""
        if self.guilty(known):
            return 0
        entry = self.rule.entry(self.known(known), seat)
        return 0 if entry is None else self.bits((entry,))

    def _is_asked(self, message: Vote | Stand) -> bool:
        asked = self.case.asked
        in_time = not asked or len(message.question.head) in asked
        return in_time and message.round <= self.case.rounds

    def own(self, known: Bits, seat: int) -> Bits:
        """What of this a seat has signed itself."""
        return self.bits(m for m in self.known(known) if m.seat == seat)

    def guilty(self, messages: Bits) -> frozenset[int]:
        """Who is proved to lie by these."""
        return self.rule.guilty(self.known(messages))

    # What the network may give to a seat.

    def given(self, had: Bits, seat: int, said: Bits) -> tuple[tuple[bool, Bits], ...]:
        """What changes what this seat may say; true: it settles a question, and that is that."""
        known, spoken = self.known(had), self.known(said)
        found: set[tuple[bool, Known]] = set()
        for question in self.rule.questions(known, seat):
            for version in self.versions_of(question, spoken):
                entry = Entry(question.about, question.head, version)
                found.add((False, frozenset({entry})))
            if self.case.asked and len(question.head) not in self.case.asked:
                continue
            values = (GONE, *self.versions_of(question, spoken))
            last = self.rule.round_of(known, seat, question)
            stand = self.rule.standing(known, seat, question)
            for number, value in product(range(1, self.case.rounds + 1), values):
                # Older ones than the own stand, and those of rounds to come, allow nothing new.
                of_use = (stand.round if stand else 0) < number <= last
                for bundle in self._certificates(question, number, value, spoken):
                    if value not in self.rule.certified(known | bundle, question, number):
                        continue
                    if of_use and value not in self.rule.certified(known, question, number):
                        found.add((False, bundle))
                    for stands in self._stands(question, number, value, spoken):
                        found.add((True, bundle | stands))
        new = {(ends, self.bits(bundle - known)) for ends, bundle in found}
        return tuple(sorted((ends, bundle) for ends, bundle in new if bundle))

    def versions_of(self, question: Question, spoken: Known) -> tuple[int, ...]:
        """The entries in question that there are to be shown."""
        if question.about in self.liars:
            return tuple(range(1, self.case.versions + 1))
        return tuple(self.rule.held(spoken, question))

    def _certificates(
        self, question: Question, number: int, value: int, spoken: Known
    ) -> Iterator[Known]:
        """The votes that make a certificate, as few of liars as will do, with all they rest on."""
        votes = frozenset(
            m
            for m in spoken
            if isinstance(m, Vote) and (m.question, m.round, m.value) == (question, number, value)
        )
        lacking = max(0, self.rule.enough(value) - len(votes))
        if number == 0 or lacking > len(self.liars):
            return
        grounds = [NOTHING]
        if value != GONE:
            grounds = [frozenset({Entry(question.about, question.head, value)})]
        for basis in {m.basis for m in votes if isinstance(m, Vote) and m.basis}:
            below = list(self._certificates(question, basis, value, spoken))
            grounds = [a | b for a, b in product(grounds, below)]
        for chosen in combinations(self.liars, lacking):
            for basis in range(number if lacking else 1):
                theirs = frozenset(Vote(s, question, number, value, basis) for s in chosen)
                # A liar may also name a certificate that there is not.
                below = [*self._certificates(question, basis, value, spoken), NOTHING]
                for base, ground in product(below, grounds):
                    yield votes | theirs | ground | base

    def _stands(
        self, question: Question, number: int, value: int, spoken: Known
    ) -> Iterator[Known]:
        """The stands that settle a question, as few of liars as will do."""
        if not self.rule.has_stands:
            yield NOTHING
            return
        stands = frozenset(
            m
            for m in spoken
            if isinstance(m, Stand) and (m.question, m.round, m.value) == (question, number, value)
        )
        lacking = max(0, self.rule.quorum - len(stands))
        for chosen in combinations(self.liars, lacking) if lacking <= len(self.liars) else ():
            yield stands | {Stand(s, question, number, value) for s in chosen}

    # What must hold.

    def check(self, state: State) -> str | None:
        """What is wrong with a state: no fork, nobody honest blamed or shut out, nothing undone."""
        _, knowns = state
        for known, seat in zip(knowns, self.honest, strict=True):
            if self._blames_itself(known, seat):
                return f"S2: seat {seat} is honest, and what it signed proves it guilty"
        for a, b in combinations(range(len(knowns)), 2):
            one, other = self.honest[a], self.honest[b]
            wrong = self._pair_is_wrong(knowns[a], one, knowns[b], other)
            if wrong:
                return f"{wrong}, seats {one} and {other}, and nobody is guilty"
        return self._shut_out(knowns)

    def _blames_itself(self, known: Bits, seat: int) -> bool:
        return seat in self.guilty(self.own(known, seat))

    def _pair_is_wrong(self, a: Bits, one: int, b: Bits, other: int) -> str | None:
        wrong = self._forked(a, b) or self._undone(a, one, b) or self._undone(b, other, a)
        return wrong if wrong and not self.guilty(a | b) else None

    def settlements(self, bits: Bits) -> dict[Question, int]:
        """What is settled for somebody who knows this."""
        known = self.known(bits)
        questions = {m.question for m in known if not isinstance(m, Entry)}
        found = {question: self.rule.settled(known, question) for question in questions}
        return {question: value for question, value in found.items() if value is not None}

    def _forked(self, a: Bits, b: Bits) -> str | None:
        ours, theirs = self.settlements(a), self.settlements(b)
        for question in ours.keys() & theirs.keys():
            if ours[question] != theirs[question]:
                return f"S1: {asked(question)} is settled in two ways"
        return None

    def _head(self, known: Bits, seat: int) -> Head:
        return self.rule.walk(self.known(known), seat).head

    def _undone(self, mine: Bits, seat: int, theirs: Bits) -> str | None:
        """What lies before a step that all voting seats have signed does not change any more."""
        head = self._head(mine, seat)
        full = max((k for k, step in enumerate(head) if self._is_full(step)), default=0)
        for question, value in self.settlements(theirs).items():
            place = len(question.head)
            if place < full and head[:place] == question.head:
                own = dict(head[place]).get(question.about)
                if own is not None and own != value:
                    return f"S4: {asked(question)} is undone behind a step that all signed"
        return None

    def _is_full(self, step: Step) -> bool:
        return len(step) == self.rule.seats and all(value != GONE for _, value in step)

    def _shut_out(self, knowns: tuple[Bits, ...]) -> str | None:
        """Nobody goes whose entry so many held that liars alone would be short of a majority."""
        spoken = self.known(self.spoken(knowns))
        for known in knowns:
            for question, value in self.settlements(known).items():
                if value != GONE:
                    continue
                lost = (question, GONE, 0)
                blind = {
                    m.seat
                    for m in spoken
                    if isinstance(m, Vote) and (m.question, m.value, m.basis) == lost
                }
                if len(blind) + len(self.liars) < self.rule.quorum and not self.guilty(known):
                    return f"S3: {asked(question)} is settled as gone by liars and {sorted(blind)}"
        return None

    # Seats that differ in nothing but their number.

    def key(self, state: State) -> State:
        """The same for states that differ in nothing that counts.

        That is the numbering of like seats, and of which honest seats a majority was made.
        """
        focus, knowns = state
        marks = [self._mark(k, seat) for k, seat in zip(knowns, self.honest, strict=True)]
        found = []
        for number, name in enumerate(self.names):
            moved = sorted(
                (name[seat], self._renamed(mark, number), place == focus)
                for seat, mark, place in zip(self.honest, marks, count(), strict=False)
            )
            after = tuple(mark for _, mark, _ in moved)
            where = next((k for k, (_, _, acts) in enumerate(moved) if acts), ANYBODY)
            found.append((where, after))
        return min(found)

    def _mark(self, bits: Bits, seat: int) -> Bits:
        """What counts of all that a seat knows.

        The own words, entries, what liars have signed; of others' votes only what they come to.
        """
        known = self.known(bits)
        kept: list[Message] = [
            m for m in known if isinstance(m, Entry) or m.seat == seat or m.seat in self.liars
        ]
        places = {(m.question, m.round) for m in known if isinstance(m, Vote)}
        for question, number in places:
            for value in self.rule.certified(known, question, number):
                kept.append(Vote(NOBODY, question, number, value, 0))
        for question, value in self.settlements(bits).items():
            kept.append(Stand(NOBODY, question, 0, value))
        return self.bits(kept)

    def _renamed(self, known: Bits, number: int) -> Bits:
        if not number:
            return known  # the first renaming changes nothing
        name = self.names[number]
        return self.bits(_rename(m, name) for m in self.known(known))

    def gives_away(self, state: State) -> bool:
        """Whether a liar is found out as soon as the honest seats talk to each other."""
        return bool(self.guilty(reduce(or_, state[1])))

    def told(self, move: Move) -> str:
        """A move in words."""
        what, seat, messages = move
        return f"{seat} {what} " + ", ".join(sorted(map(told, self.known(messages))))


def _with(knowns: tuple[Bits, ...], place: int, known: Bits, focus: int) -> State:
    return (focus, (*knowns[:place], known, *knowns[place + 1 :]))


def _renamings(case: Case) -> Iterator[tuple[int, ...]]:
    """All numberings that leave every seat's part as it is: what it owes, and whether it lies."""
    seats = range(case.rule.seats)

    def part(seat: int) -> tuple[bool, ...]:
        return (seat in case.liars, *(seat in step for step in case.rule.owed))

    for name in permutations(seats):
        if all(part(seat) == part(name[seat]) for seat in seats):
            yield name


def _rename(message: Message, name: tuple[int, ...]) -> Message:
    seat = NOBODY if message.seat == NOBODY else name[message.seat]
    if isinstance(message, Entry):
        return Entry(seat, _rename_head(message.head, name), message.version)
    question = Question(_rename_head(message.question.head, name), name[message.question.about])
    return message._replace(seat=seat, question=question)


def _rename_head(head: Head, name: tuple[int, ...]) -> Head:
    return tuple(tuple(sorted((name[seat], value) for seat, value in step)) for step in head)
