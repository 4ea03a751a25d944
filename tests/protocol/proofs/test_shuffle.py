"""An honest shuffle is accepted, follows the specification, and keeps its secrets and counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    combination,
    commitment_base,
    commitment_bases,
    compress,
    generator_times,
    tally,
)
from protocol.hashing import digest, hash_to_scalar, weight
from protocol.proofs import Deck, ShuffleProof, check, shares, shuffle
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_FRESH,
    holds,
    shuffled,
    small_pack,
    some_scalars,
    total,
)

PACK = small_pack(3)
HONEST = PACK.shuffles[1]


def test_the_opening_deck_hides_each_card_behind_the_key() -> None:
    """(G, M_c + PK), as everybody computes it."""
    deck = shuffle.opening_deck(PACK.pk, PACK.cards)
    assert deck.first == (GENERATOR,) * 3
    assert deck.second == tuple(total(M, PACK.pk) for M in PACK.cards)


@pytest.mark.parametrize("n", [2, 3, 5, 52])
def test_packs_of_every_size_are_accepted_and_open_to_their_cards(n: int) -> None:
    """All seats' shuffles hold, alone and as one list; all shares together show every card once."""
    pack = small_pack(n)
    statements = [each.statement() for each in pack.shuffles]
    assert check(statements) == frozenset()
    assert check(statements[:1]) == frozenset()
    given = [
        shares.make(CTX, seat, x, X, pack.deck.first, FRESH)[0]
        for seat, (x, X) in enumerate(zip(pack.x, pack.X, strict=True))
    ]
    faces = [
        shares.uncover(pack.deck.second[slot], [points[slot] for points in given])
        for slot in range(n)
    ]
    order = list(range(n))
    for each in pack.shuffles:
        order = [order[j] for j in each.permutation]
    assert faces == [pack.cards[card] for card in order]


@pytest.mark.parametrize("psi", list(permutations(range(3))))
def test_every_order_of_three_cards_can_be_proved(psi: tuple[int, ...]) -> None:
    """The identity too."""
    r_commit, r_mix = some_scalars("a", 3), some_scalars("b", 3)
    before = HONEST.before
    commitments = shuffle.commit(psi, r_commit, 3)
    after = shuffle.mix(before, PACK.pk, psi, r_mix)
    proof = shuffle.prove(CTX, 0, PACK.pk, before, after, commitments, psi, r_commit, r_mix, FRESH)
    assert holds(shuffle.statement(CTX, 0, PACK.pk, before, after, commitments, proof))


def test_commitments_and_mixing_are_those_of_the_specification() -> None:
    """c_j = r_j G + h_i and e'_i = (A_j + r'_j G, B_j + r'_j PK), where j = psi(i)."""
    h = commitment_bases(3)
    before, after = HONEST.before, HONEST.after
    for i, j in enumerate(HONEST.permutation):
        assert HONEST.commitments[j] == total(generator_times(HONEST.r_commit[j]), h[i])
        r = HONEST.r_mix[j]
        assert after.first[i] == total(before.first[j], generator_times(r))
        assert after.second[i] == combination([(1, before.second[j]), (r, PACK.pk)])


def test_hashes_and_equations_are_those_of_the_specification() -> None:
    """Statement, weights, challenge and each of the N + 5 equations, written out once more."""
    before, after, c, proof = HONEST.before, HONEST.after, HONEST.commitments, HONEST.proof
    H, h = commitment_base(), commitment_bases(3)

    def joined(*points: Point) -> bytes:
        return b"".join(map(compress, points))

    about = digest(
        "shuffle statement",
        CTX,
        1,
        3,
        joined(GENERATOR, H, *h),
        joined(PACK.pk),
        joined(*before.first),
        joined(*before.second),
        joined(*after.first),
        joined(*after.second),
        joined(*c),
    )
    u = [weight("shuffle weight", about, i) for i in (1, 2, 3)]
    assert all(0 < u_i < 2**128 for u_i in u)
    C, (K1, K2, K3, KB, KA), L = proof.chain, proof.sums, proof.links
    z = hash_to_scalar("shuffle challenge", about, joined(*C), joined(*proof.sums), joined(*L))
    (s1, s2, s3, s4), f, g = proof.s, proof.f, proof.g
    three = range(3)
    equations = [
        [(1, K1), (-s1, GENERATOR), *((z, c[i]) for i in three), *((-z, h[i]) for i in three)],
        [(1, K2), (-s2, GENERATOR), (z, C[2]), (-z * u[0] * u[1] * u[2], H)],
        [
            (1, K3),
            (-s3, GENERATOR),
            *((-g[i], h[i]) for i in three),
            *((z * u[i], c[i]) for i in three),
        ],
        [
            (1, KB),
            (s4, PACK.pk),
            *((-g[i], after.second[i]) for i in three),
            *((z * u[i], before.second[i]) for i in three),
        ],
        [
            (1, KA),
            (s4, GENERATOR),
            *((-g[i], after.first[i]) for i in three),
            *((z * u[i], before.first[i]) for i in three),
        ],
        *([(1, L[i]), (-f[i], GENERATOR), (-g[i], (H, *C)[i]), (z, C[i])] for i in three),
    ]
    assert [combination(equation) for equation in equations] == [None] * 8
    stated = HONEST.statement().equations
    assert len(stated) == 8
    for ours, theirs in zip(equations, stated, strict=True):
        assert [P for _, P in ours] == [P for _, P in theirs]
        assert [k % ORDER for k, _ in ours] == [k % ORDER for k, _ in theirs]


def test_proof_and_deck_survive_the_wire() -> None:
    """Six fields and two; 7,053 bytes for 52 cards."""
    proof, deck = HONEST.proof, HONEST.after
    assert [len(field) for field in proof.to_wire()] == [99, 165, 99, 128, 96, 96]
    assert ShuffleProof.from_wire(proof.to_wire(), 3) == proof
    assert [len(field) for field in deck.to_wire()] == [99, 99]
    assert Deck.from_wire(deck.to_wire(), 3) == deck
    large = small_pack(52).shuffles[0].proof
    assert sum(map(len, large.to_wire())) == 7053


def test_fresh_bytes_change_the_proof_and_not_its_truth() -> None:
    """Two proofs of one statement share no announcement; both hold."""
    again = shuffle.prove(
        CTX,
        1,
        PACK.pk,
        HONEST.before,
        HONEST.after,
        HONEST.commitments,
        HONEST.permutation,
        HONEST.r_commit,
        HONEST.r_mix,
        OTHER_FRESH,
    )
    assert holds(replace(HONEST, proof=again).statement())
    points = [*again.chain, *again.sums, *again.links]
    points += [*HONEST.proof.chain, *HONEST.proof.sums, *HONEST.proof.links]
    assert len(set(points)) == len(points)


@pytest.mark.parametrize("n", [2, 5, 52])
def test_no_secret_meets_a_point_in_variable_time_and_the_counts_are_kept(n: int) -> None:
    """Commit, mix and prove use no public sum; 3N + 4 and 6N + 1; verifying 8N + 8 terms."""
    pack = small_pack(n)
    # Seat 1's deck before has distinct first halves: nothing falls together.
    terms, generator, secret = tally.terms, tally.generator, tally.secret
    made = shuffled(1, pack.pk, pack.shuffles[1].before)
    commitments = n
    assert tally.terms == terms
    assert tally.generator - generator - commitments == 3 * n + 4
    assert tally.secret - secret == 6 * n + 1
    assert check([made.statement()]) == frozenset()
    assert tally.terms - terms == 8 * n + 8 <= 9 * n + 11


def test_three_shuffles_of_one_pack_share_their_points() -> None:
    """17N + 18 = 902 terms at N = 52 for three in a row from the first, at most 905."""
    statements = [each.statement() for each in small_pack(52).shuffles]
    terms = tally.terms
    assert check(statements) == frozenset()
    assert tally.terms - terms == 17 * 52 + 18 == 902


def test_the_prover_draws_again_when_an_answer_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """f_1 = a_1 + z p_1 = 0 has no place on the wire; the next draws are taken instead."""
    pack = small_pack(2)
    honest = pack.shuffles[0]
    first, second = list(some_scalars("first", 10)), list(some_scalars("second", 10))
    first[2] = -5 * first[0] % ORDER
    monkeypatch.setattr(shuffle, "_challenge", lambda *_: 5)
    monkeypatch.setattr(shuffle, "hedged", lambda *_: iter([*first, *second]))
    inputs = (CTX, 0, pack.pk, honest.before, honest.after, honest.commitments)
    made = shuffle.prove(*inputs, honest.permutation, honest.r_commit, honest.r_mix, FRESH)
    assert made.sums[0] == generator_times(second[6])
    assert ShuffleProof.from_wire(made.to_wire(), 2) == made
    assert holds(shuffle.statement(*inputs, made))


def test_the_prover_draws_again_when_an_announcement_is_o(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a known H one can have C_1 = O, and L_1 = O: neither is ever sent."""
    pack = small_pack(2)
    honest = pack.shuffles[0]
    monkeypatch.setattr(shuffle, "commitment_base", lambda: generator_times(11))
    inputs = (CTX, 0, pack.pk, honest.before, honest.after, honest.commitments)
    u = shuffle._weights(shuffle._statement(*inputs), 2)
    v = [u[j] for j in honest.permutation]
    chain, link, good = (list(some_scalars(name, 10)) for name in ("chain", "link", "good"))
    chain[0] = -11 * v[0] % ORDER
    link[2] = -11 * link[4] % ORDER
    monkeypatch.setattr(shuffle, "hedged", lambda *_: iter([*chain, *link, *good]))
    made = shuffle.prove(*inputs, honest.permutation, honest.r_commit, honest.r_mix, FRESH)
    assert made.sums[0] == generator_times(good[6])
    assert holds(shuffle.statement(*inputs, made))
