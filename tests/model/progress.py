"""When the network is whole again: do the honest seats come to an end, and in how many rounds?"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_

from tests.model.table import NOBODY, NOTHING, Bits, State, Table
from tests.model.vote import GONE, Known, Message, Question, Vote


def patience(table: Table) -> int:
    """Exchanges after which a whole network must have come to the end."""
    return (table.case.rounds + 4) * 3 * sum(map(len, table.rule.owed))


def heals(table: Table, seats: tuple[int, ...], common: Bits) -> str | None:
    """Whether these seats, who tell each other all, come to the end of the lane together."""
    known = table.known(common)
    for _ in range(patience(table)):
        if table.rule.guilty(known):
            return None
        walks = {table.rule.walk(known, seat) for seat in seats}
        if all(len(w.head) == len(table.rule.owed) for w in walks):
            return None if len({w.head for w in walks}) == 1 else "L1: they end on two heads"
        said = {m for seat in seats for m in _whole(table, known, seat, seats)}
        if said <= known:
            return f"L1: {', '.join(map(str, seats))} are there, and wait for ever"
        known |= said
    return "L1: they do not come to an end"


def _whole(table: Table, known: Known, seat: int, seats: tuple[int, ...]) -> Iterator[Message]:
    """What a seat says when it has heard all, and its clocks run out: entries, then votes."""
    entry = table.rule.entry(known, seat)
    if entry is not None:
        yield entry
        return
    if any(table.rule.entry(known, other) is not None for other in seats):
        return
    for question in open_questions(table, known, seats):
        stands = table.rule.stands(known, seat, question)
        yield from stands
        number = round_to_vote(table, known, seats, question)
        if number > table.rule.round_of(known, seat, question):
            vote = table.rule.picked(known, seat, question, None)
            if vote is not None:
                yield vote


def open_questions(table: Table, known: Known, seats: Iterable[int]) -> list[Question]:
    """What holds these seats up, or has been voted on and is not settled."""
    held_up = {q for seat in seats for q in table.rule.walk(known, seat).missing}
    voted = {m.question for m in known if isinstance(m, Vote)}
    asked = {q for seat in seats for q in table.rule.questions(known, seat)}
    return sorted(q for q in asked if q in held_up | voted)


def round_to_vote(table: Table, known: Known, seats: Iterable[int], question: Question) -> int:
    """The round of a vote in which these seats are: the next one when all is said in this."""
    able = [s for s in seats if table.rule.votes(known, s, question)]
    rounds = [table.rule.round_of(known, seat, question) for seat in seats]
    newest = max(rounds)
    if any(table.rule.round_of(known, seat, question) < newest for seat in able):
        return newest
    if any(table.rule.stands(known, seat, question) for seat in seats):
        return newest
    return newest + 1


def duel(table: Table, state: State, draw: random.Random) -> tuple[str | None, int]:
    """What is wrong, if anything, and the rounds that any question took from here on."""
    knowns = {s: table.known(k) for s, k in zip(table.honest, state[1], strict=True)}
    before: dict[Question, int] = {}
    longest = 0
    for _ in range(40 * len(table.rule.owed)):
        known = _exchange(knowns)
        heads = {table.rule.walk(known, seat).head for seat in table.honest}
        if table.rule.guilty(known) or all(len(h) == len(table.rule.owed) for h in heads):
            return (None if table.rule.guilty(known) or len(heads) == 1 else "L1: a fork"), longest
        entries = {s: table.rule.entry(known, s) for s in table.honest}
        if any(entries.values()):
            for seat, entry in entries.items():
                knowns[seat] |= {entry} if entry is not None else NOTHING
            continue
        for question in open_questions(table, known, table.honest):
            number = round_to_vote(table, known, table.honest, question)
            longest = max(longest, number - before.setdefault(question, number - 1))
            _fight(table, knowns, question, number, draw)
    return "L1: they do not come to an end", longest


def _fight(
    table: Table, knowns: dict[int, Known], question: Question, number: int, draw: random.Random
) -> None:
    """One round of one vote: the leader's vote, the others', the stands."""
    leader = leader_of(number, table.rule.seats)
    lead: Vote | None = None
    if leader in knowns:
        lead = _cast(table, knowns, leader, question, number, None)
    elif number > 1 and draw.random() < 0.5:
        value = draw.choice((GONE, *table.versions_of(question, _exchange(dict(knowns)))))
        lead = Vote(leader, question, number, value, 0)
    for seat in draw.sample(table.honest, len(table.honest)):
        _tempt(table, knowns, seat, draw)
        # An honest leader is heard by all, a liar by whom it likes.
        heard = lead if leader in knowns or draw.random() < 0.5 else None
        if heard is not None:
            knowns[seat] |= {heard}
        _cast(table, knowns, seat, question, number, heard)
    _exchange(knowns)
    for seat in table.honest:
        _tempt(table, knowns, seat, draw)
        if not table.rule.guilty(knowns[seat]):
            knowns[seat] |= frozenset(table.rule.stands(knowns[seat], seat, question))


def _cast(
    table: Table,
    knowns: dict[int, Known],
    seat: int,
    question: Question,
    number: int,
    lead: Vote | None,
) -> Vote | None:
    """A seat's vote of this round, if it is to cast one."""
    known = knowns[seat]
    if table.rule.guilty(known) or table.rule.settled(known, question) is not None:
        return None
    if table.rule.round_of(known, seat, question) >= number:
        return None
    vote = table.rule.picked(known, seat, question, lead)
    if vote is not None:
        knowns[seat] = known | {vote}
    return vote


def _tempt(table: Table, knowns: dict[int, Known], seat: int, draw: random.Random) -> None:
    """Liars show something to one seat alone, if they have anything that changes its mind."""
    if draw.random() < 0.5:
        return
    own = table.spoken([table.bits(knowns[s]) for s in table.honest])
    said = reduce(or_, map(table.bits, knowns.values()))
    given = [b for _, b in table.given(table.bits(knowns[seat]), seat, own)]
    # Clever ones: what gives them away ends the table, and the run.
    given = [bundle for bundle in given if not table.guilty(said | bundle)]
    if given:
        knowns[seat] |= table.known(draw.choice(given))


def leader_of(number: int, seats: int) -> int:
    """Who votes first in a round; NOBODY in the first, in which all say what they see."""
    return NOBODY if number == 1 else (number - 2) % seats


def _exchange(knowns: dict[int, Known]) -> Known:
    """All honest seats tell each other everything."""
    known = frozenset[Message]().union(*knowns.values())
    for seat in knowns:
        knowns[seat] = known
    return known
