"""Shares: all made with the one key that was opened, or none counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.errors import LocalError, PeerFault
from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    combination,
    compress,
    generator_times,
    negate,
    secret_times,
    tally,
)
from protocol.hashing import digest, hash_to_scalar, weight
from protocol.proofs import ShareProof, shares
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_CTX,
    holds,
    small_pack,
    some_points,
    total,
)

PACK = small_pack(5)
X, x = PACK.X[1], PACK.x[1]
BASES = PACK.deck.first[:3]
SHARES, PROOF = shares.make(CTX, 1, x, X, BASES, FRESH)


def test_shares_are_the_key_times_the_first_halves() -> None:
    """In the order of the bases."""
    assert tuple(secret_times(x, A) for A in BASES) == SHARES


@pytest.mark.parametrize("n", [1, 2, 5])
def test_an_honest_proof_holds_after_the_wire(n: int) -> None:
    """Three fields of 33, 33 and 32 bytes for any number of shares."""
    made, proof = shares.make(CTX, 1, x, X, PACK.deck.first[:n], FRESH)
    fields = proof.to_wire()
    assert [len(field) for field in fields] == [33, 33, 32]
    assert ShareProof.from_wire(fields) == proof
    assert holds(shares.statement(CTX, 1, X, PACK.deck.first[:n], made, proof))


def test_hashes_and_equations_are_those_of_the_specification() -> None:
    """Statement, weights, challenge and both equations, written out once more."""
    about = digest(
        "shares statement",
        CTX,
        1,
        compress(X),
        b"".join(map(compress, BASES)),
        b"".join(map(compress, SHARES)),
    )
    w = [weight("shares weight", about, k) for k in (1, 2, 3)]
    z = hash_to_scalar("shares challenge", about, compress(PROOF.R), compress(PROOF.R_bases))
    A = combination(zip(w, BASES, strict=True))
    S = combination(zip(w, SHARES, strict=True))
    assert A is not None
    assert S is not None
    assert combination([(1, PROOF.R), (-PROOF.s, GENERATOR), (z, X)]) is None
    assert combination([(1, PROOF.R_bases), (-PROOF.s, A), (z, S)]) is None


def test_all_shares_together_uncover_the_card() -> None:
    """M = B - the sum of all seats' shares; with one seat's share missing it is no card."""
    given = [
        shares.make(CTX, seat, PACK.x[seat], PACK.X[seat], BASES, FRESH)[0] for seat in (0, 1, 2)
    ]
    for slot in range(3):
        points = [made[slot] for made in given]
        assert shares.uncover(PACK.deck.second[slot], points) in PACK.cards
        for missing in range(3):
            some = points[:missing] + points[missing + 1 :]
            assert shares.uncover(PACK.deck.second[slot], some) not in PACK.cards


def test_uncovering_nothing_at_all_gives_none() -> None:
    """B equal to the sum of the shares hides O, which is no card."""
    assert shares.uncover(total(*SHARES), SHARES) is None


def test_every_input_of_the_statement_counts() -> None:
    """Another pack, seat, key, base, share or order: the same proof is false."""
    moved = total(SHARES[0], GENERATOR)
    (foreign,) = some_points("foreign base", 1)
    changed = {
        "context": (OTHER_CTX, 1, X, BASES, SHARES),
        "seat": (CTX, 0, X, BASES, SHARES),
        "key": (CTX, 1, PACK.X[0], BASES, SHARES),
        "a base": (CTX, 1, X, (foreign, *BASES[1:]), SHARES),
        "a share": (CTX, 1, X, BASES, (moved, *SHARES[1:])),
        "a negated share": (CTX, 1, X, BASES, (negate(SHARES[0]), *SHARES[1:])),
        "order of bases": (CTX, 1, X, BASES[::-1], SHARES),
        "order of shares": (CTX, 1, X, BASES, SHARES[::-1]),
        "order of both": (CTX, 1, X, BASES[::-1], SHARES[::-1]),
        "fewer": (CTX, 1, X, BASES[:2], SHARES[:2]),
        "other slots": (CTX, 1, X, PACK.deck.first[2:5], SHARES),
    }
    for name, inputs in changed.items():
        assert not holds(shares.statement(*inputs, PROOF)), name
    fault = shares.statement(CTX, 0, X, BASES, SHARES, PROOF).fault()
    assert (fault.code, fault.seat) == ("proof.shares", 0)


def test_errors_that_cancel_without_weights_are_found() -> None:
    """One share plus D, another minus D: their plain sum is right, the weighted one is not."""
    (D,) = some_points("difference", 1)
    bent = (total(SHARES[0], D), total(SHARES[1], negate(D)), SHARES[2])
    assert total(*bent) == total(*SHARES)
    proof = prove_anyway(bent)
    assert not holds(shares.statement(CTX, 1, X, BASES, bent, proof))


def prove_anyway(given: tuple[Point, ...]) -> ShareProof:
    """The prover's steps for shares that need not be right."""
    about = shares._statement(CTX, 1, X, BASES, given)
    A = combination(zip(shares._weights(about, 3), BASES, strict=True))
    assert A is not None
    R, R_bases = generator_times(7), secret_times(7, A)
    return ShareProof(R, R_bases, (7 + shares._challenge(about, R, R_bases) * x) % ORDER)


def test_the_tools_of_the_cheat_are_good_enough_to_be_honest() -> None:
    """With right shares the same steps give a proof that holds."""
    assert holds(shares.statement(CTX, 1, X, BASES, SHARES, prove_anyway(SHARES)))


def test_shares_made_with_another_key_than_the_opened_one_are_false() -> None:
    """Right logarithms between bases and shares, wrong key: the first equation fails."""
    made, proof = shares.make(CTX, 1, PACK.x[0], X, BASES, FRESH)
    stated = shares.statement(CTX, 1, X, BASES, made, proof)
    assert [combination(equation) is None for equation in stated.equations] == [False, True]
    assert not holds(stated)


def test_every_part_of_the_proof_counts() -> None:
    """Either announcement, the answer, and both announcements exchanged."""
    for changed in (
        replace(PROOF, R=negate(PROOF.R)),
        replace(PROOF, R_bases=negate(PROOF.R_bases)),
        replace(PROOF, s=PROOF.s + 1),
        ShareProof(PROOF.R_bases, PROOF.R, PROOF.s),
    ):
        assert not holds(shares.statement(CTX, 1, X, BASES, SHARES, changed))


def test_the_prover_draws_again_when_the_answer_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """s = 0 has no place on the wire."""
    monkeypatch.setattr(shares, "_challenge", lambda *_: 5)
    monkeypatch.setattr(shares, "hedged", lambda *_: iter([-5 * x % ORDER, 3]))
    made, proof = shares.make(CTX, 1, x, X, BASES, FRESH)
    assert generator_times(3) == proof.R
    assert holds(shares.statement(CTX, 1, X, BASES, made, proof))


def test_the_secret_meets_points_only_in_constant_time() -> None:
    """n + 1 constant-time products and one by G; only the public weights go into a public sum."""
    before = (tally.generator, tally.secret, tally.terms)
    shares.make(CTX, 1, x, X, BASES, FRESH)
    after = (tally.generator, tally.secret, tally.terms)
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 4, 3]


def test_misuse_is_a_local_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bases, lists of different lengths, and a weighted sum of O, which nobody can aim at."""
    for call in (
        lambda: shares.make(CTX, 1, x, X, (), FRESH),
        lambda: shares.statement(CTX, 1, X, (), (), PROOF),
        lambda: shares.statement(CTX, 1, X, BASES, SHARES[:2], PROOF),
        lambda: shares.make(b"short", 1, x, X, BASES, FRESH),
    ):
        with pytest.raises(LocalError):
            call()
    monkeypatch.setattr(shares, "_weights", lambda about, n: [1, 1])
    with pytest.raises(LocalError):
        shares.make(CTX, 1, x, X, (BASES[0], negate(BASES[0])), FRESH)


def test_bytes_of_another_form_are_refused() -> None:
    """O, scalars out of range and wrong lengths, each with its code."""
    R, R_bases, s = PROOF.to_wire()
    for fields, code in (
        ((bytes(33), R_bases, s), "point"),
        ((R, b"\x05" + R_bases[1:], s), "point"),
        ((R, R_bases, bytes(32)), "scalar"),
        ((R, R_bases, ORDER.to_bytes(32, "big")), "scalar"),
        ((R, s), "length"),
        ((R + R_bases, s), "length"),
        ((R, R_bases, s + b"\0"), "length"),
    ):
        with pytest.raises(PeerFault) as fault:
            ShareProof.from_wire(fields)
        assert fault.value.code == code
