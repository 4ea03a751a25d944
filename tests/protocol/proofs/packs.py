"""Small packs whose secrets are known, for the tests of the proofs. All of it repeatable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from protocol.group import Point, add, card_point, generator_times
from protocol.hashing import digest, hash_to_scalar, permutation
from protocol.proofs import Deck, ShuffleProof, Statement, check, shuffle

CTX = digest("test context", 1)
OTHER_CTX = digest("test context", 2)
FRESH = digest("test fresh", 1)
OTHER_FRESH = digest("test fresh", 2)


def scalars(name: str) -> Iterator[int]:
    """An endless row of scalars in 1 ... q - 1, the same for the same name."""
    counter = 0
    while True:
        yield hash_to_scalar("test scalars", name.encode(), counter) or 1
        counter += 1


def some_scalars(name: str, n: int) -> tuple[int, ...]:
    """The first n scalars of a name."""
    row = scalars(name)
    return tuple(next(row) for _ in range(n))


def some_points(name: str, n: int) -> tuple[Point, ...]:
    """n points, with the scalars of that name as logarithms."""
    return tuple(map(generator_times, some_scalars(name, n)))


def total(*points: Point) -> Point:
    """The sum of points, which must not be O."""
    result = add(points)
    assert result is not None
    return result


def holds(statement: Statement) -> bool:
    """Whether a statement by itself is true."""
    return not check([statement])


@dataclass(frozen=True, slots=True)
class Shuffled:
    """One seat's shuffle with everything that is secret about it."""

    seat: int
    pk: Point
    before: Deck
    after: Deck
    permutation: tuple[int, ...]
    r_commit: tuple[int, ...]
    r_mix: tuple[int, ...]
    commitments: tuple[Point, ...]
    proof: ShuffleProof

    def statement(self) -> Statement:
        """What the proof claims, all inputs being the right ones."""
        return shuffle.statement(
            CTX, self.seat, self.pk, self.before, self.after, self.commitments, self.proof
        )


@dataclass(frozen=True, slots=True)
class SmallPack:
    """A pack of n cards made by some seats."""

    x: tuple[int, ...]
    X: tuple[Point, ...]
    pk: Point
    cards: tuple[Point, ...]
    shuffles: tuple[Shuffled, ...]

    @property
    def deck(self) -> Deck:
        """The deck after the last shuffle."""
        return self.shuffles[-1].after


@cache
def small_pack(n: int, seats: int = 3) -> SmallPack:
    """A pack of cards "0" ... "n - 1", shuffled and proved by all seats in turn."""
    x = some_scalars("keys", seats)
    X = tuple(map(generator_times, x))
    pk = total(*X)
    cards = tuple(card_point(str(card)) for card in range(n))
    deck = shuffle.opening_deck(pk, cards)
    shuffles: list[Shuffled] = []
    for seat in range(seats):
        shuffles.append(shuffled(seat, pk, deck))
        deck = shuffles[-1].after
    return SmallPack(x, X, pk, cards, tuple(shuffles))


def shuffled(seat: int, pk: Point, before: Deck) -> Shuffled:
    """A seat's honest shuffle of a deck, with its proof."""
    n = len(before.first)
    psi = permutation("test permutation", digest("test seed", seat), n)
    r_commit = some_scalars(f"commit {seat}", n)
    r_mix = some_scalars(f"mix {seat}", n)
    commitments = shuffle.commit(psi, r_commit, n)
    after = shuffle.mix(before, pk, psi, r_mix)
    proof = shuffle.prove(CTX, seat, pk, before, after, commitments, psi, r_commit, r_mix, FRESH)
    return Shuffled(seat, pk, before, after, psi, r_commit, r_mix, commitments, proof)
