"""The same runs without any shortcut, for very small tables: the shortcuts must lose nothing.

Here every message is given alone, in any order, whether it changes anything or not; seats write
their entries when they like; nobody has to act next; states are told apart by all that is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import reduce
from itertools import product
from operator import or_
from typing import TypeAlias

from tests.model.table import Bits, Case, State, Table
from tests.model.vote import GONE, Entry, Known, Message, Question, Stand, Vote

Knowns: TypeAlias = tuple[Bits, ...]
"""What each honest seat knows."""

Outcome: TypeAlias = tuple[tuple[Known, ...], tuple[frozenset[tuple[Question, int]], ...]]
"""By honest seat: the votes and stands that it has signed, and what is settled for it."""


def reached_with_shortcuts(case: Case) -> set[Outcome]:
    """What the explorer's moves lead to."""
    table = Table(case)
    first: State = table.start()
    seen, queue = {first}, deque([first])
    while queue:
        for _, after in table.moves(queue.popleft()):
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return {_outcome(table, knowns) for _, knowns in seen}


def reached_plainly(case: Case) -> set[Outcome]:
    """What all moves lead to."""
    table = Table(case)
    _, first = table.start()
    seen, queue = {first}, deque([first])
    while queue:
        knowns = queue.popleft()
        for after in _moves(table, knowns):
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return {_outcome(table, knowns) for knowns in seen}


def _moves(table: Table, knowns: Knowns) -> Iterator[Knowns]:
    pool = table.spoken(knowns) | table.bits(_lies(table, knowns))
    for place, (known, seat) in enumerate(zip(knowns, table.honest, strict=True)):
        if table.guilty(known):
            continue
        said = reduce(or_, table.says(known, seat), table.entry(known, seat))
        new = (pool | said) & ~known
        for number in range(new.bit_length()):
            if new >> number & 1:
                yield (*knowns[:place], known | 1 << number, *knowns[place + 1 :])


def _lies(table: Table, knowns: Knowns) -> Iterator[Message]:
    """All that liars may have signed about any honest seat's questions."""
    case, rounds = table.case, range(1, table.case.rounds + 1)
    asked: set[Question] = set()
    for known, seat in zip(knowns, table.honest, strict=True):
        asked.update(table.rule.questions(table.known(known), seat))
    values = range(GONE, case.versions + 1)
    for question in asked:
        if question.about in case.liars:
            for version in values[1:]:
                yield Entry(question.about, question.head, version)
        for liar, number, value in product(case.liars, rounds, values):
            yield Stand(liar, question, number, value)
            for basis in range(number):
                yield Vote(liar, question, number, value, basis)


def _outcome(table: Table, knowns: Knowns) -> Outcome:
    votes = []
    for known, seat in zip(knowns, table.honest, strict=True):
        own = table.known(table.own(known, seat))
        votes.append(frozenset(m for m in own if not isinstance(m, Entry)))
    settled = (frozenset(table.settlements(known).items()) for known in knowns)
    return tuple(votes), tuple(settled)
