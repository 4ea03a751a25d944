"""Decks that are no shuffle, each with the best proof a cheat can make: every equation is needed.

A cheat commits to any matrix M in place of a permutation's and publishes any deck e' = De. The
commitments' bases being independent, M is fixed before the weights u are known, so v = Mu, and the
sums of the cards agree only if D is the inverse of M transposed. Terelius and Wikstroem's theorem
says that M is a permutation if and only if its rows add up to 1 each and the products agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

import pytest

from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    combination,
    commitment_base,
    commitment_bases,
    generator_times,
)
from protocol.proofs import Deck, ShuffleProof, check, shuffle
from tests.protocol.proofs.packs import CTX, scalars, small_pack, some_scalars

PACK = small_pack(3)
BEFORE = PACK.shuffles[1].before
HALF = pow(2, -1, ORDER)

Matrix = Sequence[Sequence[int]]


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
    r = some_scalars("forged commitments", 3)
    three = range(3)
    c = tuple(summed((r[j], GENERATOR), *((matrix[i][j], h[i]) for i in three)) for j in three)
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
    return c, after, prove_relations(about, v, after, u, r, r_mixed)


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


def false_equations(
    commitments: tuple[Point, ...], after: Deck, proof: ShuffleProof, before: Deck = BEFORE
) -> list[str]:
    """The names of the equations that do not hold, each as one sum."""
    stated = shuffle.statement(CTX, 1, PACK.pk, before, after, commitments, proof)
    names = ("K1", "K2", "K3", "KB", "KA", "L1", "L2", "L3")
    false = [
        name
        for name, equation in zip(names, stated.equations, strict=True)
        if combination(equation) is not None
    ]
    assert bool(check([stated])) == bool(false)
    return false


R_MIX = some_scalars("forged mix", 3)
CHAIN_NONCES = some_scalars("forged nonces", 3)


IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
TURNED = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
DOUBLED = [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
"""The first card twice, the second missing."""
ADDED = [[1, 1, -1], [0, 1, 0], [0, 0, 1]]
"""Rows that add up to 1 each."""
ADDED_CARDS = [[1, 0, 0], [-1, 1, 0], [1, 0, 1]]
"""Its inverse transposed."""


def test_the_cheats_tools_are_good_enough_to_be_honest() -> None:
    """With a permutation's matrix all equations hold: what fails below, fails for its matrix."""
    assert false_equations(*forge(TURNED, TURNED, BEFORE, R_MIX)) == []


@pytest.mark.parametrize(
    ("matrix", "cards", "false"),
    [
        pytest.param(
            [[2, 0, 0], [0, HALF, 0], [0, 0, 1]],
            [[HALF, 0, 0], [0, 2, 0], [0, 0, 1]],
            ["K1"],
            id="cards multiplied",
        ),
        pytest.param(ADDED, ADDED_CARDS, ["K2"], id="cards added up"),
        pytest.param(
            [[0, 1, 0], [1, 0, 0], [0, 0, -1]],
            [[0, 1, 0], [1, 0, 0], [0, 0, -1]],
            ["K1", "K2"],
            id="a card negated",
        ),
        pytest.param(DOUBLED, DOUBLED, ["K2", "KB", "KA"], id="a card doubled and committed to"),
        pytest.param(IDENTITY, DOUBLED, ["KB", "KA"], id="a card doubled in secret"),
        pytest.param(IDENTITY, TURNED, ["KB", "KA"], id="another permutation than committed to"),
        pytest.param(
            [[1, 0, 0]] * 3, [[1, 0, 0]] * 3, ["K2", "KB", "KA"], id="one card three times"
        ),
    ],
)
def test_a_matrix_that_is_no_permutation_fails_where_theory_says(
    matrix: Matrix, cards: Matrix, false: list[str]
) -> None:
    """K1 asks for the sums of the rows, K2 for the product, KB and KA for the cards.

    A doubled card has no inverse, so no commitment at all makes KB and KA hold.
    """
    assert false_equations(*forge(matrix, cards, BEFORE, R_MIX)) == false


def test_a_doubled_card_fails_also_when_the_weights_are_bent() -> None:
    """With v = u, whose product is right, against the commitments: K3 fails in place of K2."""
    c, after, _ = forge(DOUBLED, DOUBLED, BEFORE, R_MIX)
    about = shuffle._statement(CTX, 1, PACK.pk, BEFORE, after, c)
    u = shuffle._weights(about, 3)
    r = some_scalars("forged commitments", 3)
    bent = prove_relations(about, u, after, u, r, sum(map(mul, u, R_MIX)))
    assert false_equations(c, after, bent) == ["K3", "KB", "KA"]


def test_a_chain_with_a_broken_link_fails() -> None:
    """Cards added up, and C_3 made to fit the product: K2 holds, the link to C_3 does not."""
    c, after, honest = forge(ADDED, ADDED_CARDS, BEFORE, R_MIX)
    about = shuffle._statement(CTX, 1, PACK.pk, BEFORE, after, c)
    u = shuffle._weights(about, 3)
    v = [u[0] + u[1] - u[2], u[1], u[2]]
    r = some_scalars("forged commitments", 3)
    p = w = 7
    C = (*honest.chain[:2], summed((p, GENERATOR), (u[0] * u[1] * u[2], commitment_base())))
    K = (honest.sums[0], generator_times(w), *honest.sums[2:])
    # All other answers follow from the old ones: s + (z - old z) * logarithm.
    z = shuffle._challenge(about, C, K, honest.links)
    turn = z - shuffle._challenge(about, honest.chain, honest.sums, honest.links)
    logs = (sum(r), 0, sum(map(mul, r, u)), sum(map(mul, v, R_MIX)))
    s = [(k + turn * log) % ORDER for k, log in zip(honest.s, logs, strict=True)]
    s[1] = (w + z * p) % ORDER
    f = [(k + turn * p_i) % ORDER for k, p_i in zip(honest.f, CHAIN_NONCES, strict=True)]
    g = [(k + turn * v_i) % ORDER for k, v_i in zip(honest.g, v, strict=True)]
    forged = ShuffleProof(C, K, honest.links, tuple(s), tuple(f), tuple(g))
    assert false_equations(c, after, forged) == ["L3"]


def test_a_card_changed_under_an_honest_permutation_fails() -> None:
    """One second half moved to another card, first halves untouched: KB; the other way: KA."""
    c, after, _ = forge(IDENTITY, IDENTITY, BEFORE, R_MIX)
    other = summed((1, after.second[0]), (1, PACK.cards[1]), (-1, PACK.cards[0]))
    r = some_scalars("forged commitments", 3)
    for deck, false in (
        (Deck(after.first, (other, *after.second[1:])), ["KB"]),
        (Deck((other, *after.first[1:]), after.second), ["KA"]),
    ):
        about = shuffle._statement(CTX, 1, PACK.pk, BEFORE, deck, c)
        u = shuffle._weights(about, 3)
        proof = prove_relations(about, u, deck, u, r, sum(map(mul, u, R_MIX)))
        assert false_equations(c, deck, proof) == false


def all_cards_equal(
    monkeypatch: pytest.MonkeyPatch, known_bases: bool, known_cards: bool
) -> list[str]:
    """What a verifier says to a deck of one card three times, the first mixer being a cheat.

    It acts as if it knew the logarithms t of H and h_1 ... h_3 and m of the cards; it does know
    them if they were made from scalars instead of hashes.
    """
    t0, *t = some_scalars("known bases", 4)
    m = some_scalars("known cards", 3)
    if known_bases:
        monkeypatch.setattr(f"{__name__}.commitment_base", lambda: generator_times(t0))
        monkeypatch.setattr(shuffle, "commitment_base", lambda: generator_times(t0))
        bases = tuple(map(generator_times, t))
        monkeypatch.setattr(f"{__name__}.commitment_bases", lambda n: bases)
        monkeypatch.setattr(shuffle, "commitment_bases", lambda n: bases)
    cards = tuple(map(generator_times, m)) if known_cards else PACK.cards
    before = shuffle.opening_deck(PACK.pk, cards)
    r = some_scalars("forged commitments", 3)
    c = tuple(map(generator_times, r))
    after = Deck(
        tuple(generator_times(1 + R_MIX[i]) for i in range(3)),
        tuple(summed((1, cards[0]), (1 + R_MIX[i], PACK.pk)) for i in range(3)),
    )
    about = shuffle._statement(CTX, 1, PACK.pk, before, after, c)
    u = shuffle._weights(about, 3)
    # With known bases v is free: it is chosen so that the sums of the cards agree.
    wanted = sum(u[j] * m[j] for j in range(3)) * pow(m[0], -1, ORDER)
    v = [(wanted - u[1] - u[2]) % ORDER, u[1], u[2]]
    r_mixed = sum(v[i] * (1 + R_MIX[i]) for i in range(3)) - sum(u)
    chain = t0 * (v[0] * v[1] * v[2] - u[0] * u[1] * u[2])
    extra = (-sum(t), chain, -sum(v[i] * t[i] for i in range(3)))
    proof = prove_relations(about, v, after, u, r, r_mixed, extra)
    return false_equations(c, after, proof, before)


def test_known_logarithms_would_let_a_deck_of_equal_cards_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The attack that hashing to points is there for: with both known nothing is wrong."""
    assert all_cards_equal(monkeypatch, known_bases=True, known_cards=True) == []


def test_the_same_attack_fails_on_hashed_bases_and_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """With hashed cards the sums of the cards fail, with hashed bases K1, K2 and K3 do."""
    assert all_cards_equal(monkeypatch, known_bases=True, known_cards=False) == ["KB"]
    monkeypatch.undo()
    assert all_cards_equal(monkeypatch, known_bases=False, known_cards=True) == ["K1", "K2", "K3"]
    assert all_cards_equal(monkeypatch, known_bases=False, known_cards=False) == [
        "K1",
        "K2",
        "K3",
        "KB",
    ]


def test_no_caller_can_hand_in_bases() -> None:
    """G, H and h are taken from their labels by prover and verifier; no parameter names them."""
    for function in (shuffle.commit, shuffle.mix, shuffle.prove, shuffle.statement):
        code = function.__code__
        parameters = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        assert parameters <= {
            *("ctx", "seat", "pk", "before", "after", "commitments", "proof", "deck", "n"),
            *("permutation", "r", "r_commit", "r_mix", "fresh"),
        }
