"""A lock holds the right shares, opens to all others together and to nobody less."""

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
    compress_all,
    generator_times,
    negate,
    tally,
)
from protocol.hashing import digest, hash_to_scalar, weight
from protocol.proofs import Lock, lock, shares
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_CTX,
    OTHER_FRESH,
    holds,
    small_pack,
    some_points,
    some_scalars,
    total,
)

PACK = small_pack(5)
x, X = PACK.x[0], PACK.X[0]
Q = total(*PACK.X[1:])
BASES = PACK.deck.first[:3]
SHARES, _ = shares.make(CTX, 0, x, X, BASES, FRESH)
LOCK = lock.make(CTX, 0, x, X, Q, BASES, FRESH)


def state(made: Lock, bases: tuple[Point, ...] = BASES) -> bool:
    """Whether a lock of seat 0 holds."""
    return holds(lock.statement(CTX, 0, X, Q, bases, made))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_an_honest_lock_holds_after_the_wire(n: int) -> None:
    """Four fields of 33n, 33n, 99 and 64 bytes."""
    made = lock.make(CTX, 0, x, X, Q, PACK.deck.first[:n], FRESH)
    fields = made.to_wire()
    assert [len(field) for field in fields] == [33 * n, 33 * n, 99, 64]
    assert Lock.from_wire(fields, n) == made
    assert state(made, PACK.deck.first[:n])


def test_thirteen_shares_take_about_a_kilobyte() -> None:
    """1,021 bytes."""
    made = lock.make(CTX, 0, x, X, Q, some_points("thirteen", 13), FRESH)
    assert sum(map(len, made.to_wire())) == 1021


def test_all_others_together_open_it_to_the_owners_shares() -> None:
    """V_k less x_j R_k of every other seat j is x A_k; the proof for x_j R_k is that of shares."""
    given = []
    for seat in (1, 2):
        made, proof = shares.make(CTX, seat, PACK.x[seat], PACK.X[seat], LOCK.R, FRESH)
        assert holds(shares.statement(CTX, seat, PACK.X[seat], LOCK.R, made, proof))
        given.append(made)
    for k in range(3):
        assert shares.uncover(LOCK.V[k], [made[k] for made in given]) == SHARES[k]
        assert shares.uncover(LOCK.V[k], [given[0][k]]) != SHARES[k]
        assert shares.uncover(LOCK.V[k], [given[1][k]]) != SHARES[k]


def test_hashes_and_equations_are_those_of_the_specification() -> None:
    """Statement, weights, challenge and the three equations, written out once more."""
    about = digest(
        "lock statement",
        CTX,
        0,
        compress(X),
        compress(Q),
        compress_all(BASES),
        compress_all(LOCK.R),
        compress_all(LOCK.V),
    )
    w = [weight("lock weight", about, k) for k in (1, 2, 3)]
    z = hash_to_scalar("lock challenge", about, compress_all(LOCK.announcements))
    A, R, V = (combination(zip(w, points, strict=True)) for points in (BASES, LOCK.R, LOCK.V))
    assert A is not None
    assert R is not None
    assert V is not None
    aG, bG, aA_bQ = LOCK.announcements
    s1, s2 = LOCK.answers
    assert combination([(1, aG), (-s1, GENERATOR), (z, X)]) is None
    assert combination([(1, bG), (-s2, GENERATOR), (z, R)]) is None
    assert combination([(1, aA_bQ), (-s1, A), (-s2, Q), (z, V)]) is None


def test_every_input_of_the_statement_counts() -> None:
    """Another pack, seat, key, sum of keys, base or order: the same lock is false."""
    changed = {
        "context": (OTHER_CTX, 0, X, Q, BASES),
        "seat": (CTX, 1, X, Q, BASES),
        "key": (CTX, 0, PACK.X[1], Q, BASES),
        "others' keys": (CTX, 0, X, PACK.pk, BASES),
        "keys exchanged": (CTX, 0, Q, X, BASES),
        "other slots": (CTX, 0, X, Q, PACK.deck.first[2:5]),
        "order of slots": (CTX, 0, X, Q, BASES[::-1]),
    }
    for name, inputs in changed.items():
        assert not holds(lock.statement(*inputs, LOCK)), name
    fault = lock.statement(CTX, 1, X, Q, BASES, LOCK).fault()
    assert (fault.code, fault.seat) == ("proof.lock", 1)


def test_every_part_of_the_lock_counts() -> None:
    """Each sealed point and announcement moved or negated, each answer by 1, each list turned."""
    for name in ("R", "V", "announcements"):
        points = getattr(LOCK, name)
        for i, P in enumerate(points):
            for other in (total(P, GENERATOR), negate(P)):
                changed = {name: (*points[:i], other, *points[i + 1 :])}
                assert not state(replace(LOCK, **changed)), (name, i)
        assert not state(replace(LOCK, **{name: points[::-1]})), name
    s1, s2 = LOCK.answers
    for answers in ((s1 + 1, s2), (s1, s2 + 1), (s2, s1)):
        assert not state(replace(LOCK, answers=answers))


def cheat(
    sealed: tuple[Point, ...], r: tuple[int, ...], R: tuple[Point, ...] | None = None
) -> Lock:
    """The prover's steps for shares that need not be right, and R_k that need not be r_k G."""
    R = R or tuple(map(generator_times, r))
    V = []
    for S, r_k in zip(sealed, r, strict=True):
        point = combination([(1, S), (r_k, Q)])
        assert point is not None
        V.append(point)
    about = lock._statement(CTX, 0, X, Q, BASES, R, V)
    w = lock._weights(about, 3)
    a, b = some_scalars("cheat", 2)
    third = combination([*((a * w_k, A) for w_k, A in zip(w, BASES, strict=True)), (b, Q)])
    assert third is not None
    announcements = (generator_times(a), generator_times(b), third)
    z = lock._challenge(about, announcements)
    r_sum = sum(w_k * r_k for w_k, r_k in zip(w, r, strict=True))
    return Lock(R, tuple(V), announcements, ((a + z * x) % ORDER, (b + z * r_sum) % ORDER))


def test_a_lock_of_other_shares_is_false() -> None:
    """Wrong ones, exchanged ones, and ones whose errors cancel without weights."""
    r = some_scalars("sealing", 3)
    assert state(cheat(SHARES, r))
    (D,) = some_points("difference", 1)
    for sealed in (
        (D, *SHARES[1:]),
        (SHARES[1], SHARES[0], SHARES[2]),
        (total(SHARES[0], D), total(SHARES[1], negate(D)), SHARES[2]),
    ):
        made = cheat(sealed, r)
        stated = lock.statement(CTX, 0, X, Q, BASES, made)
        verdicts = [combination(equation) is None for equation in stated.equations]
        assert verdicts == [True, True, False]
        assert not holds(stated)


def test_first_halves_of_a_deck_cannot_stand_in_for_the_sealing_points() -> None:
    """R_k taken from slots of other seats would make the others open those: r_k is unknown."""
    r = some_scalars("sealing", 3)
    foreign = (PACK.deck.first[4], *map(generator_times, r[1:]))
    made = cheat(SHARES, r, foreign)
    stated = lock.statement(CTX, 0, X, Q, BASES, made)
    verdicts = [combination(equation) is None for equation in stated.equations]
    assert verdicts == [True, False, True]
    assert not holds(stated)


def test_sealing_points_never_repeat() -> None:
    """Each slot, each draw of fresh bytes and each context has R_k of its own."""
    others = (
        lock.make(CTX, 0, x, X, Q, BASES, OTHER_FRESH),
        lock.make(OTHER_CTX, 0, x, X, Q, BASES, FRESH),
        lock.make(CTX, 0, x, X, Q, BASES[:2], FRESH),
    )
    points = [R for made in (LOCK, *others) for R in made.R]
    assert len(set(points)) == len(points) == 11


@pytest.mark.parametrize("zero", [0, 1])
def test_the_prover_draws_again_when_an_answer_is_zero(
    monkeypatch: pytest.MonkeyPatch, zero: int
) -> None:
    """s1 = 0 or s2 = 0 has no place on the wire."""
    r, good = some_scalars("r", 3), some_scalars("good", 5)
    monkeypatch.setattr(lock, "_weights", lambda about, n: [1, 2, 3])
    monkeypatch.setattr(lock, "_challenge", lambda *_: 5)
    logs = (x, r[0] + 2 * r[1] + 3 * r[2])
    bad = [7, 7]
    bad[zero] = -5 * logs[zero] % ORDER
    monkeypatch.setattr(lock, "hedged", lambda *_: iter([*r, *bad, *good]))
    made = lock.make(CTX, 0, x, X, Q, BASES, FRESH)
    assert tuple(map(generator_times, good[:3])) == made.R
    assert Lock.from_wire(made.to_wire(), 3) == made
    assert state(made)


def test_the_prover_draws_again_when_a_sum_is_o(monkeypatch: pytest.MonkeyPatch) -> None:
    """V_1 = O or aA + bQ = O, with a base and a Q whose logarithms are known."""
    bases, others = (generator_times(3),), generator_times(11)
    inverse = pow(11, -1, ORDER)
    monkeypatch.setattr(lock, "_weights", lambda about, n: [1])
    bad_seal = (-3 * x * inverse % ORDER, 7, 8)
    bad_sum = (5, 11, ORDER - 3)
    monkeypatch.setattr(lock, "hedged", lambda *_: iter([*bad_seal, *bad_sum, 6, 7, 8]))
    made = lock.make(CTX, 0, x, X, others, bases, FRESH)
    assert (generator_times(6),) == made.R
    assert holds(lock.statement(CTX, 0, X, others, bases, made))


def test_secrets_meet_points_only_in_constant_time() -> None:
    """n + 2 products by G, 2n + 2 others; only the public weights go into a public sum."""
    before = (tally.generator, tally.secret, tally.terms)
    lock.make(CTX, 0, x, X, Q, BASES, FRESH)
    after = (tally.generator, tally.secret, tally.terms)
    assert [b - a for a, b in zip(before, after, strict=True)] == [5, 8, 3]


def test_misuse_is_a_local_error() -> None:
    """No bases, or lists of different lengths."""
    for call in (
        lambda: lock.make(CTX, 0, x, X, Q, (), FRESH),
        lambda: lock.make(b"short", 0, x, X, Q, BASES, FRESH),
        lambda: lock.statement(CTX, 0, X, Q, BASES[:2], LOCK),
        lambda: lock.statement(CTX, 0, X, Q, BASES, replace(LOCK, V=LOCK.V[:2])),
    ):
        with pytest.raises(LocalError):
            call()


def test_bytes_of_another_form_are_refused() -> None:
    """O, scalars out of range and wrong lengths, each with its code."""
    R, V, announcements, answers = LOCK.to_wire()
    q = ORDER.to_bytes(32, "big")
    for fields, code in (
        ((bytes(33) + R[33:], V, announcements, answers), "point"),
        ((R, V[:66] + bytes(33), announcements, answers), "point"),
        ((R, V, announcements[:66] + b"\x02" + b"\xff" * 32, answers), "point"),
        ((R, V, announcements, answers[:32] + bytes(32)), "scalar"),
        ((R, V, announcements, q + answers[32:]), "scalar"),
        ((R[:66], V[:66], announcements, answers), "length"),
        ((R, V, announcements[:66], answers), "length"),
        ((R, V, announcements, answers, b""), "length"),
        ((R, V, announcements), "length"),
    ):
        with pytest.raises(PeerFault) as fault:
            Lock.from_wire(fields, 3)
        assert fault.value.code == code
