"""An honest shuffle is accepted, says nothing, and its proof stands for nothing else."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TypeVar

import pytest

from protocol.errors import LocalError, PeerFault
from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    add,
    combination,
    commitment_base,
    commitment_bases,
    compress,
    generator_times,
    negate,
    tally,
)
from protocol.hashing import digest, hash_to_scalar, weight
from protocol.proofs import Deck, ShuffleProof, check, shares, shuffle
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_CTX,
    OTHER_FRESH,
    holds,
    shuffled,
    small_pack,
    some_points,
    some_scalars,
    total,
)

PACK = small_pack(3)
HONEST = PACK.shuffles[1]


T = TypeVar("T")


def swapped(items: tuple[T, ...]) -> tuple[T, ...]:
    """The same with the first two exchanged."""
    return (items[1], items[0], *items[2:])


def test_the_opening_deck_hides_each_card_behind_the_key() -> None:
    """(G, M_c + PK), as everybody computes it."""
    deck = shuffle.opening_deck(PACK.pk, PACK.cards)
    assert deck.first == (GENERATOR,) * 3
    assert deck.second == tuple(total(M, PACK.pk) for M in PACK.cards)


def test_a_card_that_cancels_the_key_makes_no_deck() -> None:
    """Nobody can bring it about, and nobody crashes on it."""
    with pytest.raises(LocalError):
        shuffle.opening_deck(PACK.pk, [negate(PACK.pk), *PACK.cards])


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


def test_every_input_of_the_statement_counts() -> None:
    """Context, seat, key, each deck's halves, their order, the commitments: one changed, all false.

    A proof that is replayed for another pack, another seat or other commitments proves nothing.
    """
    (X,) = some_points("stranger", 1)
    pk, before, after, c = PACK.pk, HONEST.before, HONEST.after, HONEST.commitments
    earlier = PACK.shuffles[0]
    moved = tuple(total(P, GENERATOR) for P in c)
    before_1, before_2 = swapped(before.first), swapped(before.second)
    after_1, after_2 = swapped(after.first), swapped(after.second)
    changed = {
        "context": (OTHER_CTX, 1, pk, before, after, c),
        "seat": (CTX, 2, pk, before, after, c),
        "key": (CTX, 1, X, before, after, c),
        "negated key": (CTX, 1, negate(pk), before, after, c),
        "first halves before": (CTX, 1, pk, Deck(before_1, before.second), after, c),
        "second halves before": (CTX, 1, pk, Deck(before.first, before_2), after, c),
        "order before": (CTX, 1, pk, Deck(before_1, before_2), after, c),
        "first halves after": (CTX, 1, pk, before, Deck(after_1, after.second), c),
        "second halves after": (CTX, 1, pk, before, Deck(after.first, after_2), c),
        "order after": (CTX, 1, pk, before, Deck(after_1, after_2), c),
        "decks exchanged": (CTX, 1, pk, after, before, c),
        "another deck before": (CTX, 1, pk, earlier.before, after, c),
        "order of commitments": (CTX, 1, pk, before, after, swapped(c)),
        "commitments moved": (CTX, 1, pk, before, after, moved),
        "another seat's commitments": (CTX, 1, pk, before, after, earlier.commitments),
    }
    for name, inputs in changed.items():
        assert not holds(shuffle.statement(*inputs, HONEST.proof)), name
    fault = shuffle.statement(CTX, 2, pk, before, after, c, HONEST.proof).fault()
    assert (fault.code, fault.seat) == ("proof.shuffle", 2)


def test_another_seats_shuffle_is_no_shuffle_of_ones_own() -> None:
    """Seat 2 publishes a copy of seat 1's deck with seat 1's proof: the deck before it differs."""
    copied = shuffle.statement(
        CTX, 2, PACK.pk, HONEST.after, HONEST.after, HONEST.commitments, HONEST.proof
    )
    assert not holds(copied)


def test_every_part_of_the_proof_counts() -> None:
    """Each point moved by G, each answer by 1, each pair exchanged: all false."""
    proof = HONEST.proof
    for name in ("chain", "sums", "links"):
        points = getattr(proof, name)
        for i, P in enumerate(points):
            for other in (total(P, GENERATOR), negate(P)):
                changed = replace(proof, **{name: (*points[:i], other, *points[i + 1 :])})
                assert not holds(replace(HONEST, proof=changed).statement()), (name, i)
    for name in ("s", "f", "g"):
        answers = getattr(proof, name)
        for i, k in enumerate(answers):
            changed = replace(proof, **{name: (*answers[:i], k + 1, *answers[i + 1 :])})
            assert not holds(replace(HONEST, proof=changed).statement()), (name, i)
    for name in ("chain", "sums", "links", "s", "f", "g"):
        changed = replace(proof, **{name: swapped(getattr(proof, name))})
        assert not holds(replace(HONEST, proof=changed).statement()), name


def test_equal_first_halves_are_refused_wherever_a_deck_is_read() -> None:
    """From the wire, by the statement and by the check itself: ``deck.repeated``.

    With equal first halves one seat's share of one slot is its share of the other slot as well.
    """
    first, second = HONEST.after.first, HONEST.after.second
    copied = Deck((first[0], first[0], first[2]), second)
    whole = Deck((first[0], first[0], first[2]), (second[0], second[0], second[2]))
    (one, two), _ = shares.make(CTX, 0, PACK.x[0], PACK.X[0], copied.first[:2], FRESH)
    assert one == two
    for deck in (copied, whole):
        for refuse in (
            lambda deck=deck: shuffle.check_deck(deck),
            lambda deck=deck: Deck.from_wire(deck.to_wire(), 3),
            lambda deck=deck: replace(HONEST, after=deck).statement(),
        ):
            with pytest.raises(PeerFault) as fault:
                refuse()
            assert fault.value.code == "deck.repeated"
    shuffle.check_deck(Deck(first, (second[0],) * 3))


def test_a_mixer_who_draws_equal_randomness_for_the_first_deck_is_refused() -> None:
    """All first halves of D_0 are G, so r'_1 = r'_2 gives two equal ones."""
    before = PACK.shuffles[0].before
    after = shuffle.mix(before, PACK.pk, (0, 1, 2), (5, 5, 7))
    with pytest.raises(PeerFault) as fault:
        Deck.from_wire(after.to_wire(), 3)
    assert fault.value.code == "deck.repeated"


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


def test_a_deck_of_one_card_is_no_deck() -> None:
    """N = 1 is refused by all that make, prove or check."""
    one = Deck(HONEST.before.first[:1], HONEST.before.second[:1])
    long = HONEST.proof
    proof = ShuffleProof(long.chain[:1], long.sums, long.links[:1], long.s, long.f[:1], long.g[:1])
    for call in (
        lambda: shuffle.commit((0,), (5,), 1),
        lambda: shuffle.mix(one, PACK.pk, (0,), (5,)),
        lambda: shuffle.prove(CTX, 0, PACK.pk, one, one, (GENERATOR,), (0,), (5,), (5,), FRESH),
        lambda: shuffle.statement(CTX, 0, PACK.pk, one, one, (GENERATOR,), proof),
    ):
        with pytest.raises(LocalError):
            call()


@pytest.mark.parametrize("psi", [(), (0, 1), (0, 1, 1), (1, 2, 3), (0, 1, 2, 3)])
def test_what_is_no_permutation_is_the_callers_mistake(psi: tuple[int, ...]) -> None:
    """Nothing is committed, mixed or proved with it."""
    before, after, c = HONEST.before, HONEST.after, HONEST.commitments
    r = (1, 2, 3)
    for call in (
        lambda: shuffle.commit(psi, r, 3),
        lambda: shuffle.mix(before, PACK.pk, psi, r),
        lambda: shuffle.prove(CTX, 0, PACK.pk, before, after, c, psi, r, r, FRESH),
    ):
        with pytest.raises(LocalError):
            call()


def test_lists_of_different_lengths_are_the_callers_mistake() -> None:
    """Parsing fixes all lengths, so no peer can bring this about."""
    before, after, c, proof = HONEST.before, HONEST.after, HONEST.commitments, HONEST.proof
    short = Deck(after.first[:2], after.second)
    other = small_pack(2).shuffles[0].proof
    for call in (
        lambda: shuffle.statement(CTX, 0, PACK.pk, before, short, c, proof),
        lambda: shuffle.statement(CTX, 0, PACK.pk, before, after, c[:2], proof),
        lambda: shuffle.statement(CTX, 0, PACK.pk, before, after, c, other),
        lambda: shuffle.statement(b"short", 0, PACK.pk, before, after, c, proof),
        lambda: shuffle.commit((0, 1, 2), (1, 2), 3),
        lambda: shuffle.commit((0, 1, 2), (1, 2, 0), 3),
    ):
        with pytest.raises(LocalError):
            call()


def test_sums_that_come_to_o_while_mixing_are_the_callers_mistake() -> None:
    """A + rG = O needs the logarithm of A: drawn by chance once in 2^256."""
    before = PACK.shuffles[0].before
    with pytest.raises(LocalError):
        shuffle.mix(before, PACK.pk, (0, 1, 2), (ORDER - 1, 1, 1))
    assert add([before.first[0], generator_times(ORDER - 1)]) is None
