"""Every run of a small table, nearest first, or runs at random; each state is judged."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import or_

from tests.model.progress import duel, heals
from tests.model.table import Bits, Case, Move, State, Table


class Broken(AssertionError):
    """Something that must hold does not; ``trace`` tells how it came to that."""

    def __init__(self, what: str, trace: Sequence[str]) -> None:
        super().__init__("\n".join((what, *trace)))
        self.what = what
        self.trace = tuple(trace)


@dataclass
class Found:
    """What an exploration went through."""

    states: int = 0
    steps: int = 0
    healed: int = 0
    complete: bool = True
    rounds: int = 0
    settled: set[int] = field(default_factory=set)


def explore(case: Case, seconds: float = 60.0, most: int = 10_000_000, heal: int = 1) -> Found:
    """Every state of a case, nearest first, until time or number is used up. Raises Broken.

    ``heal``: of so many states one is healed (1: each; 0: none), which takes longest.
    """
    table, found = Table(case), Found()
    first = table.start()
    came: dict[State, tuple[State, Move] | None] = {first: None}
    seen = {table.key(first)}
    queue = deque([first])
    until = time.monotonic() + seconds
    healed: set[tuple[tuple[int, ...], Bits]] = set()
    while queue:
        if len(came) > most or time.monotonic() > until:
            found.complete = False
            break
        state = queue.popleft()
        found.states += 1
        due = heal > 0 and found.states % heal == 0
        _judge(table, state, came, found, healed if due else None)
        for move, after in table.moves(state):
            found.steps += 1
            key = table.key(after)
            if key not in seen:
                seen.add(key)
                came[after] = (state, move)
                queue.append(after)
    return found


def _judge(
    table: Table,
    state: State,
    came: dict[State, tuple[State, Move] | None],
    found: Found,
    healed: set[tuple[tuple[int, ...], Bits]] | None,
) -> None:
    wrong = table.check(state)
    if wrong is None and healed is not None:
        for live in _majorities(table):
            knowns = [k for k, s in zip(state[1], table.honest, strict=True) if s in live]
            key = (live, reduce(or_, knowns))
            if key not in healed:
                healed.add(key)
                found.healed += 1
                wrong = wrong or heals(table, *key)
    if wrong is not None:
        raise Broken(wrong, [table.told(move) for move in _trace(state, came)])
    for known in state[1]:
        found.settled.update(table.settlements(known).values())


def _majorities(table: Table) -> Iterator[tuple[int, ...]]:
    """The sets of honest seats that are enough to go on without all others."""
    for size in range(table.rule.quorum, len(table.honest) + 1):
        yield from combinations(table.honest, size)


def _trace(state: State, came: dict[State, tuple[State, Move] | None]) -> list[Move]:
    lines: list[Move] = []
    step = came[state]
    while step is not None:
        lines.append(step[1])
        step = came[step[0]]
    return lines[::-1]


def wander(table: Table, found: Found, draw: random.Random, steps: int = 60) -> Found:
    """One random run on a table whose memory is used again."""
    state = table.start()
    came: dict[State, tuple[State, Move] | None] = {state: None}
    for _ in range(draw.randrange(steps)):
        moves = list(table.moves(state))
        if not moves:
            break
        move, after = draw.choice(moves)
        for _ in range(8):
            if not table.gives_away(after):
                break
            move, after = draw.choice(moves)
        found.states += 1
        found.steps += 1
        came.setdefault(after, (state, move))
        state = after
        wrong = table.check(state)
        if wrong is not None:
            raise Broken(wrong, [table.told(move) for move in _trace(state, came)])
    _judge(table, state, came, found, set())
    if len(table.honest) >= table.rule.quorum:
        wrong, rounds = duel(table, state, draw)
        found.rounds = max(found.rounds, rounds)
        if wrong is not None:
            raise Broken(wrong, [table.told(move) for move in _trace(state, came)])
    return found
