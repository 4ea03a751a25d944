"""The tools of a cheat: commitments to any matrix, any deck, and the prover's steps with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import mul

from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    combination,
    commitment_base,
    commitment_bases,
    generator_times,
)
from protocol.proofs import Deck, ShuffleProof, shuffle
from tests.protocol.proofs.packs import CTX, scalars, small_pack, some_scalars

PACK = small_pack(3)
BEFORE = PACK.shuffles[1].before
HALF = pow(2, -1, ORDER)

Matrix = Sequence[Sequence[int]]

R_COMMIT = some_scalars("forged commitments", 3)
R_MIX = some_scalars("forged mix", 3)
CHAIN_NONCES = some_scalars("forged nonces", 3)

IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
TURNED = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
DOUBLED = [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
"""The first card twice, the second missing."""
MULTIPLIED = [[2, 0, 0], [0, HALF, 0], [0, 0, 1]]
"""Its entries multiply to 1."""
MULTIPLIED_CARDS = [[HALF, 0, 0], [0, 2, 0], [0, 0, 1]]
"""Its inverse transposed."""
ADDED = [[1, 1, -1], [0, 1, 0], [0, 0, 1]]
"""Rows that add up to 1 each."""
ADDED_CARDS = [[1, 0, 0], [-1, 1, 0], [1, 0, 1]]
"""Its inverse transposed."""


def summed(*terms: tuple[int, Point]) -> Point:
    """A sum that is not O."""
    result = combination(terms)
    assert result is not None
    return result


def forge(
    matrix: Matrix, cards: Matrix, before: Deck, r_mix: Sequence[int]
) -> tuple[tuple[Point, ...], Deck, ShuffleProof]:
    """Commitments to one matrix, the deck of another, and the prover's steps with both.

    Written apart from the prover. A permutation's matrix, twice, gives a proof that holds.
    """
    h, pk = commitment_bases(3), PACK.pk
    three = range(3)
    c = tuple(
        summed((R_COMMIT[j], GENERATOR), *((matrix[i][j], h[i]) for i in three)) for j in three
    )
    after = Deck(
        tuple(
            summed(*((cards[i][j], before.first[j]) for j in three), (r_mix[i], GENERATOR))
            for i in three
        ),
        tuple(
            summed(*((cards[i][j], before.second[j]) for j in three), (r_mix[i], pk)) for i in three
        ),
    )
    about = shuffle._statement(CTX, 1, pk, before, after, c)
    u = shuffle._weights(about, 3)
    v = [sum(matrix[i][j] * u[j] for j in three) % ORDER for i in three]
    r_mixed = sum(v[i] * r_mix[i] for i in three)
    return c, after, prove_relations(about, v, after, u, R_COMMIT, r_mixed)


def prove_relations(
    about: bytes,
    v: Sequence[int],
    after: Deck,
    u: Sequence[int],
    r: Sequence[int],
    r_mixed: int,
    extra: tuple[int, int, int] = (0, 0, 0),
) -> ShuffleProof:
    """The interactive part for any v; ``extra`` is added to the first three logarithms."""
    H, h, pk = commitment_base(), commitment_bases(3), PACK.pk
    draw = scalars("forged nonces")
    p, a, b, w = ([next(draw) for _ in range(m)] for m in (3, 3, 3, 4))
    three = range(3)
    C = [H]
    log = 0
    for i in three:
        C.append(summed((p[i], GENERATOR), (v[i], C[i])))
        log = (p[i] + v[i] * log) % ORDER
    L = tuple(summed((a[i], GENERATOR), (b[i], C[i])) for i in three)
    K = (
        generator_times(w[0]),
        generator_times(w[1]),
        summed((w[2], GENERATOR), *((b[i], h[i]) for i in three)),
        summed((-w[3], pk), *((b[i], after.second[i]) for i in three)),
        summed((-w[3], GENERATOR), *((b[i], after.first[i]) for i in three)),
    )
    z = shuffle._challenge(about, C[1:], K, L)
    logs = (
        sum(r) + extra[0],
        log + extra[1],
        sum(r[i] * u[i] for i in three) + extra[2],
        r_mixed,
    )
    return ShuffleProof(
        tuple(C[1:]),
        K,
        L,
        tuple((w[i] + z * logs[i]) % ORDER for i in range(4)),
        tuple((a[i] + z * p[i]) % ORDER for i in three),
        tuple((b[i] + z * v[i]) % ORDER for i in three),
    )


def forge_with_a_broken_link() -> tuple[tuple[Point, ...], Deck, ShuffleProof]:
    """Cards added up, their chain bent in its last link so that its product is right."""
    c, after, honest = forge(ADDED, ADDED_CARDS, BEFORE, R_MIX)
    about = shuffle._statement(CTX, 1, PACK.pk, BEFORE, after, c)
    u = shuffle._weights(about, 3)
    v = [u[0] + u[1] - u[2], u[1], u[2]]
    p = w = 7
    C = (*honest.chain[:2], summed((p, GENERATOR), (u[0] * u[1] * u[2], commitment_base())))
    K = (honest.sums[0], generator_times(w), *honest.sums[2:])
    # All other answers follow from the old ones: s + (z - old z) * logarithm.
    z = shuffle._challenge(about, C, K, honest.links)
    turn = z - shuffle._challenge(about, honest.chain, honest.sums, honest.links)
    logs = (sum(R_COMMIT), 0, sum(map(mul, R_COMMIT, u)), sum(map(mul, v, R_MIX)))
    s = [(k + turn * log) % ORDER for k, log in zip(honest.s, logs, strict=True)]
    s[1] = (w + z * p) % ORDER
    f = [(k + turn * p_i) % ORDER for k, p_i in zip(honest.f, CHAIN_NONCES, strict=True)]
    g = [(k + turn * v_i) % ORDER for k, v_i in zip(honest.g, v, strict=True)]
    return c, after, ShuffleProof(C, K, honest.links, tuple(s), tuple(f), tuple(g))


def forge_another_order() -> tuple[tuple[Point, ...], Deck, ShuffleProof]:
    """An honest permutation of the cards, but not the one that was committed to."""
    c, after, _ = forge(IDENTITY, TURNED, BEFORE, R_MIX)
    about = shuffle._statement(CTX, 1, PACK.pk, BEFORE, after, c)
    u = shuffle._weights(about, 3)
    v = [u[1], u[2], u[0]]
    return c, after, prove_relations(about, v, after, u, R_COMMIT, sum(map(mul, v, R_MIX)))


def forge_with_a_changed_card(half: str) -> tuple[tuple[Point, ...], Deck, ShuffleProof]:
    """All in its place, but one point of the ``first`` or ``second`` halves moved to another."""
    c, after, _ = forge(IDENTITY, IDENTITY, BEFORE, R_MIX)
    points = getattr(after, half)
    other = summed((1, points[0]), (1, PACK.cards[1]), (-1, PACK.cards[0]))
    after = replace(after, **{half: (other, *points[1:])})
    about = shuffle._statement(CTX, 1, PACK.pk, BEFORE, after, c)
    u = shuffle._weights(about, 3)
    return c, after, prove_relations(about, u, after, u, R_COMMIT, sum(map(mul, u, R_MIX)))
