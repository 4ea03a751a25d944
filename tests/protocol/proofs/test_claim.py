"""A claim is true exactly if the slot's card is allowed, and says nothing more about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations

import pytest
from btclib_secp256k1 import ecdh, keys

from protocol import group
from protocol.errors import LocalError, PeerFault
from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    card_point,
    combination,
    compress,
    compress_all,
    generator_times,
    negate,
    secret_times,
    subtract,
    tally,
)
from protocol.hashing import digest, hash_to_scalar
from protocol.proofs import ClaimProof, Statement, check, claim, knowledge, shares
from tests.protocol.proofs.cheats import summed
from tests.protocol.proofs.hidden import Hidden, hidden, prove_anyway
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_CTX,
    OTHER_FRESH,
    holds,
    small_pack,
    some_scalars,
    total,
)

PACK = small_pack(5)
HIDDEN = hidden(PACK, 1, 2)
OTHERS = tuple(card for card in range(5) if card != HIDDEN.card)
ALLOWED = tuple(sorted((*OTHERS[:2], HIDDEN.card)))
LIE = OTHERS[:3]
"""Three cards, none of which is there."""
PROOF = HIDDEN.make(ALLOWED)
HERE = ALLOWED.index(HIDDEN.card)

MANY = tuple(card_point(str(card)) for card in range(27))
x, X = PACK.x[1], PACK.X[1]
A = HIDDEN.A
SHARE = secret_times(x, A)


def make(held: int, allowed: tuple[Point, ...], fresh: bytes = FRESH) -> ClaimProof:
    """A claim about a slot that holds just this one of the allowed cards."""
    return claim.make(CTX, 1, 2, x, X, A, total(SHARE, allowed[held]), allowed, held, fresh)


def statement(held: int, allowed: tuple[Point, ...], proof: ClaimProof) -> Statement:
    """What such a claim states."""
    return claim.statement(CTX, 1, 2, X, A, total(SHARE, allowed[held]), allowed, proof)


def false_equations(
    proof: ClaimProof, allowed: Sequence[int] = ALLOWED, of: Hidden = HIDDEN
) -> list[str]:
    """The names of the equations that do not hold, each as one sum."""
    stated = of.statement(allowed, proof)
    names = ["sum", *(f"{kind}{i + 1}" for i in range(len(allowed)) for kind in ("R", "Z"))]
    false = [
        name
        for name, equation in zip(names, stated.equations, strict=True)
        if combination(equation) is not None
    ]
    assert bool(check([stated])) == bool(false)
    return false


@pytest.mark.parametrize("m", range(1, 28))
def test_an_honest_claim_holds_wherever_the_card_stands(m: int) -> None:
    """For sets of 1 to 27 cards and each card of them, after the wire, and all in one list."""
    allowed, stated = MANY[:m], []
    for held in range(m):
        fields = make(held, allowed).to_wire()
        assert [len(field) for field in fields] == [33 * m, 33 * m, 32 * m, 32 * m]
        stated.append(statement(held, allowed, ClaimProof.from_wire(fields, m)))
    assert check(stated) == frozenset()


def test_eighteen_cards_take_some_two_kilobytes() -> None:
    """2,340 bytes."""
    assert sum(map(len, make(7, MANY[:18]).to_wire())) == 2340


def test_hashes_and_equations_are_those_of_the_specification() -> None:
    """Statement, challenge and all equations, written out once more."""
    cards = HIDDEN.points(ALLOWED)
    about = digest(
        "claim statement",
        CTX,
        1,
        2,
        compress(X),
        compress(A),
        compress(HIDDEN.Q),
        compress_all(cards),
    )
    z = hash_to_scalar("claim challenge", about, compress_all(PROOF.R), compress_all(PROOF.Z))
    assert sum(PROOF.c) % ORDER == z
    for i, M in enumerate(cards):
        D = subtract(HIDDEN.Q, (M,))
        assert D is not None
        assert (D == SHARE) == (i == HERE)
        assert combination([(PROOF.s[i], GENERATOR), (-PROOF.c[i], X)]) == PROOF.R[i]
        assert combination([(PROOF.s[i], A), (-PROOF.c[i], D)]) == PROOF.Z[i]


def test_every_input_of_the_statement_counts() -> None:
    """Another pack, seat, slot, key, half, cover or set of cards: the same proof is false."""
    of, cards = HIDDEN, HIDDEN.points(ALLOWED)
    absent = HIDDEN.points(OTHERS[2:3])
    changed: dict[str, tuple[bytes, int, int, Point, Point, Point, tuple[Point, ...]]] = {
        "context": (OTHER_CTX, 1, 2, X, A, of.Q, cards),
        "seat": (CTX, 0, 2, X, A, of.Q, cards),
        "slot": (CTX, 1, 3, X, A, of.Q, cards),
        "seat and slot exchanged": (CTX, 2, 1, X, A, of.Q, cards),
        "key": (CTX, 1, 2, PACK.X[0], A, of.Q, cards),
        "first half": (CTX, 1, 2, X, PACK.deck.first[3], of.Q, cards),
        "key and first half exchanged": (CTX, 1, 2, A, X, of.Q, cards),
        "a share too few taken off": (CTX, 1, 2, X, A, PACK.deck.second[2], cards),
        "another slot": (CTX, 1, 2, X, hidden(PACK, 1, 3).A, hidden(PACK, 1, 3).Q, cards),
        "all negated": (CTX, 1, 2, negate(X), A, negate(of.Q), tuple(map(negate, cards))),
    } | {
        f"cards in the order {order}": (CTX, 1, 2, X, A, of.Q, order)
        for order in permutations(cards)
        if order != cards
    }
    for i in range(3):
        other = (*cards[:i], *absent, *cards[i + 1 :])
        changed[f"card {i} replaced"] = (CTX, 1, 2, X, A, of.Q, other)
    for name, inputs in changed.items():
        assert not holds(claim.statement(*inputs, PROOF)), name
    fault = claim.statement(*changed["seat"], PROOF).fault()
    assert (fault.code, fault.seat) == ("proof.claim", 0)


def test_every_part_of_the_proof_counts() -> None:
    """Each point moved or negated, each scalar by 1, lists exchanged, turned, or one card's part
    in another one's place."""
    for name in ("R", "Z"):
        points = getattr(PROOF, name)
        for i, P in enumerate(points):
            for other in (total(P, GENERATOR), negate(P)):
                changed = replace(PROOF, **{name: (*points[:i], other, *points[i + 1 :])})
                assert false_equations(changed), (name, i)
    for name in ("c", "s"):
        scalars = getattr(PROOF, name)
        for i, k in enumerate(scalars):
            for scalar in (k + 1, -k, 0):
                changed = replace(PROOF, **{name: (*scalars[:i], scalar, *scalars[i + 1 :])})
                assert false_equations(changed), (name, i)
    assert false_equations(replace(PROOF, R=PROOF.Z, Z=PROOF.R))
    assert false_equations(replace(PROOF, c=PROOF.s, s=PROOF.c))
    for order in list(permutations(range(3)))[1:]:
        turned = {
            name: tuple(getattr(PROOF, name)[i] for i in order) for name in ("R", "Z", "c", "s")
        }
        assert false_equations(replace(PROOF, **turned)), order
        for name, column in turned.items():
            assert false_equations(replace(PROOF, **{name: column})), (name, order)


def test_the_cheats_tools_are_good_enough_to_be_honest() -> None:
    """Where the card is there, its own part mended gives a proof that holds."""
    assert false_equations(prove_anyway(HIDDEN, ALLOWED, HERE)) == []
    assert false_equations(prove_anyway(HIDDEN, (HIDDEN.card,), 0), (HIDDEN.card,)) == []


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_revoke_fails_whichever_card_is_pretended(size: int) -> None:
    """All parts simulated, and then one made to fit the challenge: the cheat's best is one false
    equation, the sum's if it mends nothing, else Z of the card that is not there."""
    lie = OTHERS[:size]
    assert false_equations(prove_anyway(HIDDEN, lie, None), lie) == ["sum"]
    for i in range(size):
        forged = prove_anyway(HIDDEN, lie, i)
        assert false_equations(forged, lie) == [f"Z{i + 1}"]
        half = replace(forged, s=prove_anyway(HIDDEN, lie, None).s)
        assert false_equations(half, lie) == [f"R{i + 1}", f"Z{i + 1}"]
    with pytest.raises(LocalError):
        claim.make(CTX, 1, 2, x, X, A, HIDDEN.Q, HIDDEN.points(lie), 0, FRESH)


def test_each_equation_alone_is_needed() -> None:
    """One announcement moved before the challenge: its equation fails and no other."""
    for i in range(3):
        for kind in ("R", "Z"):
            forged = prove_anyway(HIDDEN, ALLOWED, HERE, {(kind, i): 1})
            assert false_equations(forged) == [f"{kind}{i + 1}"]


def test_errors_that_cancel_are_found() -> None:
    """Between R and Z, between two cards, between the sum and an R, and between two proofs."""
    errors = {("R", 0): 1, ("Z", 0): -1, ("R", 2): 1, ("Z", 2): -1}
    forged = prove_anyway(HIDDEN, ALLOWED, HERE, errors)
    assert false_equations(forged) == ["R1", "Z1", "R3", "Z3"]
    unmended = prove_anyway(HIDDEN, LIE, None)
    ((lack, _),) = HIDDEN.statement(LIE, unmended).equations[0]
    bent = replace(unmended, s=(unmended.s[0] + lack, *unmended.s[1:]))
    sums, first, *_ = HIDDEN.statement(LIE, bent).equations
    assert combination((*sums, *first)) is None
    assert false_equations(bent, LIE) == ["sum", "R1", "Z1"]
    opposite = {place: -error for place, error in errors.items()}
    other = prove_anyway(HIDDEN, ALLOWED, HERE, opposite)
    assert check([HIDDEN.statement(ALLOWED, proof) for proof in (forged, other)]) == {0, 1}


def test_the_set_is_not_the_provers_to_choose() -> None:
    """An honest proof for a larger, smaller or other set that holds the card is no proof for the
    set of the rules; if the number differs it cannot even be read."""
    for chosen in ((HIDDEN.card,), (0, 1, 2, 3, 4), tuple(sorted((*OTHERS[2:], HIDDEN.card)))):
        proof = HIDDEN.make(chosen)
        assert false_equations(proof, chosen) == []
        if len(chosen) == len(LIE):
            assert "sum" in false_equations(proof, LIE)
            assert "sum" in false_equations(proof, ALLOWED)
            continue
        for m in (2, 3, 4):
            with pytest.raises(PeerFault) as fault:
                ClaimProof.from_wire(proof.to_wire(), m)
            assert fault.value.code == "length"


def test_another_slot_that_holds_an_allowed_card_does_not_help() -> None:
    """The proof of one slot, honest or under the other one's number, is none for the other."""
    for slot in (0, 1, 3, 4):
        other = hidden(PACK, 1, slot)
        honest = other.make((other.card,))
        assert holds(other.statement((other.card,), honest))
        assert "sum" in false_equations(honest, (other.card,))
        renamed = replace(other, slot=HIDDEN.slot).make((other.card,))
        assert "sum" in false_equations(renamed, (other.card,))


def test_false_shares_of_others_do_not_help() -> None:
    """Moved by the difference of two cards they would hide a revoke; but Q is what all know."""
    pretended = LIE[1]
    difference = summed((1, PACK.cards[pretended]), (-1, PACK.cards[HIDDEN.card]))
    bent = replace(HIDDEN, Q=total(HIDDEN.Q, difference), card=pretended)
    proof = bent.make(LIE)
    assert false_equations(proof, LIE, bent) == []
    assert false_equations(proof, LIE) == ["sum", "Z1", "Z2", "Z3"]


def test_another_key_than_the_opened_one_does_not_help() -> None:
    """A card pretended by a multiple of A that belongs to no key: every R fails."""
    (foreign,) = some_scalars("foreign key", 1)
    Q = total(secret_times(foreign, A), PACK.cards[LIE[0]])
    proof = claim.make(CTX, 1, 2, foreign, X, A, Q, HIDDEN.points(LIE), 0, FRESH)
    assert false_equations(proof, LIE, replace(HIDDEN, Q=Q)) == ["R1", "R2", "R3"]


def test_a_multiple_of_the_order_more_is_refused_at_parsing() -> None:
    """c + q for a small c fits into 32 bytes and is right modulo q; it has one spelling only."""
    proof = prove_anyway(HIDDEN, ALLOWED, HERE, drawn={(HERE + 1) % 3: 5})
    assert false_equations(proof) == []
    R, Z, c, s = proof.to_wire()
    more = c.replace((5).to_bytes(32, "big"), (ORDER + 5).to_bytes(32, "big"))
    assert more != c
    with pytest.raises(PeerFault) as fault:
        ClaimProof.from_wire((R, Z, more, s), 3)
    assert fault.value.code == "scalar"


def test_a_challenge_known_before_the_announcements_would_let_every_lie_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the hash is for. It also shows that a proof says nothing but that its claim is true:
    without any secret, and whatever the card, the same numbers can be made the other way round."""
    drawn = some_scalars("anyway c", 3)
    monkeypatch.setattr(claim, "_challenge", lambda *_: sum(drawn) % ORDER)
    assert false_equations(prove_anyway(HIDDEN, LIE, None), LIE) == []
    assert false_equations(prove_anyway(HIDDEN, ALLOWED, None)) == []


def test_a_verdict_is_the_same_alone_and_in_company() -> None:
    """The sum's equation has the coefficient 0 if it holds; a claim is judged with any others."""
    stated = HIDDEN.statement(ALLOWED, PROOF)
    (sums, *_) = stated.equations
    assert [k % ORDER for k, _ in sums] == [0]
    given, of_shares = shares.make(CTX, 1, x, X, PACK.deck.first[3:], FRESH)
    company = [
        stated,
        knowledge.statement(CTX, 1, X, knowledge.prove(CTX, 1, x, X, FRESH)),
        shares.statement(CTX, 1, X, PACK.deck.first[3:], given, of_shares),
        HIDDEN.statement(LIE, prove_anyway(HIDDEN, LIE, 2)),
        hidden(PACK, 2, 0).statement(range(5), hidden(PACK, 2, 0).make(range(5))),
        HIDDEN.statement(LIE, prove_anyway(HIDDEN, LIE, None)),
    ]
    alone = {i for i, each in enumerate(company) if check([each])}
    assert alone == check(company) == {3, 5}
    assert check(company[:3]) == frozenset()


class Spy:
    """A module of the library under the group, that tells what is called of it with what."""

    def __init__(self, module: object, calls: list[str], names: dict[object, str]) -> None:
        self._module, self._calls, self._names = module, calls, names

    def __getattr__(self, name: str) -> object:
        def called(first: object, *rest: object, **options: object) -> object:
            many = first if isinstance(first, list | tuple) else [first]
            what = [self._names.get(item, "other") for item in many]
            self._calls.append(f"{name} {what}")
            return getattr(self._module, name)(first, *rest, **options)

        return called


def test_the_work_on_the_curve_does_not_tell_which_card_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same calls of the library in the same order, with the points in the same roles."""
    rows: list[list[str]] = []
    allowed = MANY[:6]
    for held in range(6):
        Q = total(SHARE, allowed[held])
        names: dict[object, str] = {A: "A", Q: "Q"}
        for i, M in enumerate(allowed):
            D = subtract(Q, (M,))
            assert D is not None
            names |= {M: f"M{i}", D: f"D{i}"}
        calls: list[str] = []
        with monkeypatch.context() as patch:
            patch.setattr(group, "keys", Spy(keys, calls, names))
            patch.setattr(group, "ecdh", Spy(ecdh, calls, names))
            claim.make(CTX, 1, 2, x, X, A, Q, allowed, held, FRESH)
        rows.append(calls)
    assert all(row == rows[0] for row in rows)
    for i in range(6):
        assert rows[0].count(f"shared_point ['D{i}']") == 1
    assert rows[0].count("shared_point ['A']") == 7


def test_secrets_meet_points_only_in_constant_time() -> None:
    """m products by G, 2m + 1 others, and no sum with public coefficients at all."""
    before = (tally.generator, tally.secret, tally.terms)
    make(3, MANY[:18])
    after = (tally.generator, tally.secret, tally.terms)
    assert [b - a for a, b in zip(before, after, strict=True)] == [18, 37, 0]


def test_no_number_of_a_proof_ever_comes_again() -> None:
    """Nonces differ between cards, fresh bytes, contexts, slots and sets; so do all that stand on
    them. The same of all gives the same proof."""
    assert HIDDEN.make(ALLOWED) == PROOF
    made = (
        PROOF,
        HIDDEN.make(ALLOWED, fresh=OTHER_FRESH),
        HIDDEN.make(ALLOWED, ctx=OTHER_CTX),
        replace(HIDDEN, slot=3).make(ALLOWED),
        replace(HIDDEN, Q=total(SHARE, PACK.cards[OTHERS[0]]), card=OTHERS[0]).make(ALLOWED),
        HIDDEN.make(ALLOWED[::-1]),
        HIDDEN.make((HIDDEN.card,)),
    )
    numbers = [
        number for proof in made for row in (proof.R, proof.Z, proof.c, proof.s) for number in row
    ]
    assert len(set(numbers)) == len(numbers) == 4 * (6 * 3 + 1)


def test_the_prover_draws_again_when_a_challenge_or_an_answer_is_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """c = 0 of the card that is there, then s = 0 of it and of another; none is on the wire."""
    allowed, good = MANY[:2], some_scalars("good", 4)
    no_challenge = (7, 8, 9, 5)
    no_answer = (-(5 - 3) * x % ORDER, 8, 9, 3)
    no_other_answer = (7, -3 * x % ORDER, 9, 3)
    monkeypatch.setattr(claim, "_challenge", lambda *_: 5)
    row = (*no_challenge, *no_answer, *no_other_answer, *good)
    monkeypatch.setattr(claim, "hedged", lambda *_: iter(row))
    proof = make(0, allowed)
    assert tuple(map(generator_times, good[:2])) == proof.R
    assert ClaimProof.from_wire(proof.to_wire(), 2) == proof
    assert holds(statement(0, allowed, proof))


def test_the_prover_draws_again_when_a_sum_is_o(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z_2 = O, which takes cards and a first half whose logarithms are known."""
    first, allowed = generator_times(3), (generator_times(20), generator_times(11))
    Q = total(secret_times(x, first), allowed[0])
    # k A + c (M_2 - M_1) with k = 6, c = 2.
    monkeypatch.setattr(claim, "hedged", lambda *_: iter((7, 6, 8, 2, 4, 5, 6, 7)))
    proof = claim.make(CTX, 1, 2, x, X, first, Q, allowed, 0, FRESH)
    assert (generator_times(4), generator_times(5)) == proof.R
    assert holds(claim.statement(CTX, 1, 2, X, first, Q, allowed, proof))


def test_a_card_that_covers_nothing_is_judged_like_any_other() -> None:
    """Q - M = O for a card that is not there: by chance 2^-256, and no fault of the proof."""
    first = generator_times(3)
    allowed = (generator_times(20), generator_times((20 + 3 * x) % ORDER))
    Q = total(secret_times(x, first), allowed[0])
    assert allowed[1] == Q
    with pytest.raises(LocalError):
        claim.make(CTX, 1, 2, x, X, first, Q, allowed, 0, FRESH)
    cards = replace(PACK, cards=allowed)
    for of, false in (
        (Hidden(cards, 1, 2, first, Q, 0), []),
        # And it is not there: that would need x = 0.
        (Hidden(cards, 1, 2, first, Q, 1), ["Z2"]),
    ):
        assert false_equations(prove_anyway(of, (0, 1), of.card), (0, 1), of) == false


def test_misuse_is_a_local_error() -> None:
    """Another card than is said, no cards, one of them twice, lists of different lengths."""
    cards = HIDDEN.points(ALLOWED)
    about = (A, HIDDEN.Q)
    shorter = [replace(PROOF, **{name: getattr(PROOF, name)[:2]}) for name in ("R", "Z", "c", "s")]
    calls: tuple[Callable[[], object], ...] = (
        *(
            partial(claim.make, CTX, 1, 2, x, X, *about, cards, held, FRESH)
            for held in (-1, 0, 1, 2, 3, HERE - 3)
            if held != HERE
        ),
        lambda: claim.make(CTX, 1, 2, PACK.x[0], X, *about, cards, HERE, FRESH),
        lambda: claim.make(CTX, 1, 2, x, X, *about, (), 0, FRESH),
        lambda: claim.make(CTX, 1, 2, x, X, *about, (cards[HERE], cards[HERE]), 0, FRESH),
        lambda: claim.make(b"short", 1, 2, x, X, *about, cards, HERE, FRESH),
        lambda: claim.make(CTX, 1, 2, x, X, *about, cards, HERE, FRESH[1:]),
        lambda: claim.make(CTX, 1, -2, x, X, *about, cards, HERE, FRESH),
        lambda: HIDDEN.statement((), ClaimProof((), (), (), ())),
        lambda: HIDDEN.statement((*ALLOWED[:2], ALLOWED[0]), PROOF),
        lambda: HIDDEN.statement(ALLOWED[:2], PROOF),
        lambda: HIDDEN.statement(range(5), PROOF),
        *(partial(HIDDEN.statement, ALLOWED, proof) for proof in shorter),
    )
    for call in calls:
        with pytest.raises(LocalError):
            call()


def test_bytes_of_another_form_are_refused() -> None:
    """O, scalars out of range, wrong lengths and an empty set, each with its code."""
    R, Z, c, s = PROOF.to_wire()
    q = ORDER.to_bytes(32, "big")
    for fields, m, code in (
        ((bytes(33) + R[33:], Z, c, s), 3, "point"),
        ((R, Z[:66] + bytes(33), c, s), 3, "point"),
        ((R, b"\x04" + Z[1:], c, s), 3, "point"),
        ((R, Z, bytes(32) + c[32:], s), 3, "scalar"),
        ((R, Z, c[:64] + q, s), 3, "scalar"),
        ((R, Z, c, s[:32] + bytes(32) + s[64:]), 3, "scalar"),
        ((R, Z, c, b"\xff" * 32 + s[32:]), 3, "scalar"),
        ((R[:66], Z[:66], c[:64], s[:64]), 3, "length"),
        ((R, Z, c, s), 2, "length"),
        ((R, Z, c, s), 4, "length"),
        ((R, Z, c, s), 0, "length"),
        ((R, Z, s), 3, "length"),
        ((R, Z, c, s, b""), 3, "length"),
        ((b"", b"", b""), 0, "length"),
        ((b"", b"", b"", b""), 0, "proof.claim"),
    ):
        with pytest.raises(PeerFault) as fault:
            ClaimProof.from_wire(fields, m)
        assert fault.value.code == code


def test_two_claims_of_a_move_are_checked_with_few_terms() -> None:
    """5m + 6 for two slots of one seat and one set: keys, cards and halves are taken together."""
    allowed = tuple(range(5))
    stated = [of.statement(allowed, of.make(allowed)) for of in (HIDDEN, hidden(PACK, 1, 3))]
    before = tally.terms
    assert check(stated) == frozenset()
    assert tally.terms - before == 5 * 5 + 6
