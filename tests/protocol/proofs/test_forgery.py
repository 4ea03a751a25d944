"""Decks that are no shuffle, each with the best proof a cheat can make: every equation is needed.

A cheat commits to any matrix M in place of a permutation's and publishes any deck e' = De. The
commitments' bases being independent, M is fixed before the weights u are known, so v = Mu, and the
sums of the cards agree only if D is the inverse of M transposed. Terelius and Wikstroem's theorem
says that M is a permutation if and only if its rows add up to 1 each and the products agree.
"""

from __future__ import annotations

from operator import mul

import pytest

from protocol.group import (
    ORDER,
    Point,
    combination,
    generator_times,
)
from protocol.proofs import Deck, ShuffleProof, check, shuffle
from tests.protocol.proofs import cheats
from tests.protocol.proofs.cheats import (
    ADDED,
    ADDED_CARDS,
    BEFORE,
    DOUBLED,
    IDENTITY,
    MULTIPLIED,
    MULTIPLIED_CARDS,
    PACK,
    R_COMMIT,
    R_MIX,
    TURNED,
    Matrix,
    forge,
    forge_another_order,
    forge_with_a_broken_link,
    forge_with_a_changed_card,
    prove_relations,
    summed,
)
from tests.protocol.proofs.packs import CTX, some_scalars


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


def test_the_cheats_tools_are_good_enough_to_be_honest() -> None:
    """With a permutation's matrix all equations hold: what fails below, fails for its matrix."""
    assert false_equations(*forge(TURNED, TURNED, BEFORE, R_MIX)) == []


@pytest.mark.parametrize(
    ("matrix", "cards", "false"),
    [
        pytest.param(MULTIPLIED, MULTIPLIED_CARDS, ["K1"], id="cards multiplied"),
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
    bent = prove_relations(about, u, after, u, R_COMMIT, sum(map(mul, u, R_MIX)))
    assert false_equations(c, after, bent) == ["K3", "KB", "KA"]


def test_a_chain_with_a_broken_link_fails() -> None:
    """Cards added up, and C_3 made to fit the product: K2 holds, the link to C_3 does not."""
    assert false_equations(*forge_with_a_broken_link()) == ["L3"]


def test_another_order_than_the_one_committed_to_fails() -> None:
    """A true permutation, its v and its product: K3 alone knows the commitments."""
    assert false_equations(*forge_another_order()) == ["K3"]


@pytest.mark.parametrize(("half", "false"), [("second", ["KB"]), ("first", ["KA"])])
def test_a_card_changed_under_an_honest_permutation_fails(half: str, false: list[str]) -> None:
    """One second half moved to another card, first halves untouched; and the other way."""
    assert false_equations(*forge_with_a_changed_card(half)) == false


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
        monkeypatch.setattr(cheats, "commitment_base", lambda: generator_times(t0))
        monkeypatch.setattr(shuffle, "commitment_base", lambda: generator_times(t0))
        bases = tuple(map(generator_times, t))
        monkeypatch.setattr(cheats, "commitment_bases", lambda n: bases)
        monkeypatch.setattr(shuffle, "commitment_bases", lambda n: bases)
    cards = tuple(map(generator_times, m)) if known_cards else PACK.cards
    before = shuffle.opening_deck(PACK.pk, cards)
    c = tuple(map(generator_times, R_COMMIT))
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
    proof = prove_relations(about, v, after, u, R_COMMIT, r_mixed, extra)
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
