"""The tables that are explored, by the number of seats. Seats with high numbers lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.model.table import Case
from tests.model.vote import Rule


def cases(seats: int) -> Iterator[tuple[str, Case]]:
    """What to explore for a number of seats, the small ones first, with a name each."""
    last, every = seats - 1, tuple(range(seats))
    liars = tuple(range(seats - (seats - 1) // 2, seats))
    one = Rule(seats, ((last,),))
    two = Rule(seats, ((0, last),))
    row = Rule(seats, ((last,), every))
    # The step before, that some may not have closed; the one in question; the one after it.
    three = Rule(seats, ((0,), (last,), every))
    yield "a liar owes, one round", Case(one, liars, 1)
    yield "an honest seat owes, one round", Case(Rule(seats, ((0,),)), liars, 1)
    yield "a liar owes, with two versions", Case(one, liars, 1, 2)
    yield "no liars, one round", Case(one, (), 1)
    yield "a seat has lost its secrets", Case(Rule(seats, ((0,),), (0,)), liars, 1)
    yield "with pauses, then a step of all", Case(replace(row, pauses=True), liars, 1, 1, (0,))
    yield "two seats owe, one of them lies", Case(two, liars, 1)
    yield "then a step of all", Case(row, liars, 1, 1, (0,))
    yield "votes in two of three steps", Case(three, liars, 1, 1, (0, 1))
    yield "votes in two of three steps, no liars", Case(three, (), 1, 1, (0, 1))
    yield "a liar owes, two rounds", Case(one, liars, 2)
    yield "an honest seat owes, two rounds", Case(Rule(seats, ((0,),)), liars, 2)
    yield "no liars, two rounds", Case(one, (), 2)
    yield "votes in all of three steps", Case(three, liars, 1)
    yield "a liar owes, three rounds", Case(one, liars, 3)


def too_many_liars(seats: int) -> Case:
    """Half of the seats lie, or one more where they are odd: what then still holds?"""
    return Case(Rule(seats, ((seats - 1,),)), tuple(range(seats // 2, seats)), 1)


def random_case(seats: int) -> Case:
    """For random walks: three steps, several owe, as many liars as are allowed, three rounds."""
    every = tuple(range(seats))
    liars = tuple(range(seats - (seats - 1) // 2, seats))
    rule = Rule(seats, ((seats - 1,), (0, seats - 1), every), pauses=True)
    return Case(rule, liars, 3)
