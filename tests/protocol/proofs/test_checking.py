"""Verdicts: alone or in company the same, whatever comes to O on the way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import PeerFault
from protocol.group import GENERATOR, ORDER, commitment_base, generator_times, negate
from protocol.proofs import KnowledgeProof, Statement, check, judge, knowledge, shuffle
from protocol.proofs.checking import Equation, read_fields
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    holds,
    shuffled,
    small_pack,
    some_scalars,
    total,
)

G = GENERATOR
P = generator_times(7)


def statement(*equations: Equation) -> Statement:
    """A statement of seat 2 under a code of its own."""
    return Statement("proof.test", 2, equations)


TRUE = {
    "nothing is claimed": statement(),
    "an empty sum": statement(()),
    "one plain equation": statement(((7, G), (-1, P))),
    "zero coefficients only": statement(((0, G), (ORDER, P))),
    "terms that cancel at once": statement(((3, P), (-3, P))),
    "points that cancel at once": statement(((3, P), (3, negate(P)))),
    "a sum that is O halfway": statement(((7, G), (-1, P), (14, G), (-2, P))),
    "several equations": statement(((7, G), (-1, P)), ((14, G), (-2, P)), ()),
}
FALSE = {
    "one point": statement(((1, G),)),
    "off by one": statement(((8, G), (-1, P))),
    "the second of two": statement(((7, G), (-1, P)), ((7, G), (1, P))),
    # Together these are O: one sum without weights would let them pass.
    "two that make up for each other": statement(((1, G),), ((-1, G),)),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_hold(name: str) -> None:
    """An O on the way is no fault."""
    assert check([TRUE[name]]) == frozenset()


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_named(name: str) -> None:
    """By their index, alone and among true ones."""
    assert check([FALSE[name]]) == {0}
    assert check([*TRUE.values(), FALSE[name]]) == {len(TRUE)}
    assert check([FALSE[name], *TRUE.values()]) == {0}


def test_statements_that_make_up_for_each_other_are_both_false() -> None:
    """No seat's lie is hidden by an ally's."""
    assert check([statement(((1, G),)), statement(((-1, G),))]) == {0, 1}
    assert check([statement(((1, G),)), statement(((1, negate(G)),))]) == {0, 1}


def test_a_list_of_nothing_holds() -> None:
    """There is nobody to blame."""
    assert check([]) == frozenset()


@settings(max_examples=40)
@given(st.lists(st.sampled_from([*TRUE.values(), *FALSE.values()]), max_size=6))
def test_a_list_and_its_members_get_one_verdict(statements: list[Statement]) -> None:
    """A list names exactly those that are false alone, and the same when asked again."""
    alone = {i for i, each in enumerate(statements) if check([each])}
    assert check(statements) == alone
    assert check(statements) == alone


def test_judging_makes_the_statements_and_names_codes() -> None:
    """False ones with their own code, those that cannot be made with the fault's."""

    def unmade() -> Statement:
        raise PeerFault("deck.repeated", "two equal first halves")

    true, false = (lambda: TRUE["an empty sum"]), (lambda: FALSE["one point"])
    assert judge([]) == {}
    assert judge([true, true]) == {}
    assert judge([false]) == {0: "proof.test"}
    assert judge([unmade, true]) == {0: "deck.repeated"}
    verdicts = judge([true, false, unmade, false])
    assert list(verdicts.items()) == [(1, "proof.test"), (2, "deck.repeated"), (3, "proof.test")]


def test_a_false_statement_is_a_fault_of_its_seat() -> None:
    """Code and seat come from the statement."""
    fault = FALSE["one point"].fault()
    assert isinstance(fault, PeerFault)
    assert (fault.code, fault.seat) == ("proof.test", 2)


def verdicts_agree(statements: list[Statement], false: set[int]) -> bool:
    """Whether both ways to check name these and no others."""
    alone = {i for i, each in enumerate(statements) if check([each])}
    return alone == false == check(statements)


def test_keys_that_cancel_are_no_fault_of_their_proofs() -> None:
    """x_2 = -x_1: each seat knows its key, so both proofs hold, alone and together."""
    (x,) = some_scalars("cancel", 1)
    statements = []
    for seat, secret in enumerate((x, ORDER - x)):
        X = generator_times(secret)
        proof = knowledge.prove(CTX, seat, secret, X, FRESH)
        statements.append(knowledge.statement(CTX, seat, X, proof))
    assert verdicts_agree(statements, set())


def test_commitment_randomness_that_adds_up_to_zero_is_no_fault() -> None:
    """sum r = 0: the sum of the commitments equals that of the bases, and z times it is O."""
    pack = small_pack(3)
    honest = pack.shuffles[0]
    r = (*honest.r_commit[:2], -sum(honest.r_commit[:2]) % ORDER)
    commitments = shuffle.commit(honest.permutation, r, 3)
    proof = shuffle.prove(
        CTX,
        0,
        pack.pk,
        honest.before,
        honest.after,
        commitments,
        honest.permutation,
        r,
        honest.r_mix,
        FRESH,
    )
    special = shuffle.statement(CTX, 0, pack.pk, honest.before, honest.after, commitments, proof)
    company = pack.shuffles[1].statement()
    assert verdicts_agree([special, company], set())
    assert verdicts_agree([company, special, FALSE["one point"]], {2})


def test_a_chain_whose_logarithm_is_zero_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """phat = 0: C_N = (prod u) H, so C_N and H alone already come to O."""
    pack = small_pack(2)
    honest = pack.shuffles[0]
    inputs = (CTX, 0, pack.pk, honest.before, honest.after, honest.commitments)
    u = shuffle._weights(shuffle._statement(*inputs), 2)
    v = [u[j] for j in honest.permutation]
    nonces = list(some_scalars("phat", 10))
    nonces[1] = -v[1] * nonces[0] % ORDER
    monkeypatch.setattr(shuffle, "hedged", lambda *_: iter(nonces))
    proof = shuffle.prove(*inputs, honest.permutation, honest.r_commit, honest.r_mix, FRESH)
    product = u[0] * u[1] % ORDER
    assert check([statement(((1, proof.chain[-1]), (-product, commitment_base())))]) == set()
    special = shuffle.statement(*inputs, proof)
    assert verdicts_agree([special], set())
    assert verdicts_agree([special, FALSE["one point"], pack.shuffles[1].statement()], {1})


def test_an_answer_of_zero_is_judged_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """s = 0 never comes from the wire; were it met, R + zX = O would decide, and both ways."""
    monkeypatch.setattr(knowledge, "_challenge", lambda *_: 5)
    true = knowledge.statement(CTX, 0, P, KnowledgeProof(generator_times(ORDER - 35), 0))
    false = knowledge.statement(CTX, 1, P, KnowledgeProof(generator_times(35), 0))
    assert holds(true)
    assert verdicts_agree([true, false, true], {1})


def test_announcements_that_cancel_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seats with R and -R in one list, an O as soon as somebody adds without weights."""
    k, x1, x2 = some_scalars("announcements", 3)
    statements = []
    for seat, (nonce, x) in enumerate([(k, x1), (ORDER - k, x2)]):
        monkeypatch.setattr(knowledge, "hedged", lambda *_, nonce=nonce: iter([nonce]))
        X = generator_times(x)
        statements.append(
            knowledge.statement(CTX, seat, X, knowledge.prove(CTX, seat, x, X, FRESH))
        )
    assert verdicts_agree(statements, set())


def test_the_verdict_on_a_whole_pack_names_the_seats_that_lie() -> None:
    """Three shuffles and three keys, two of them spoilt, in one list."""
    pack = small_pack(3)
    statements = [each.statement() for each in pack.shuffles]
    for seat, (x, X) in enumerate(zip(pack.x, pack.X, strict=True)):
        proof = knowledge.prove(CTX, seat, x, X, FRESH)
        statements.append(knowledge.statement(CTX, seat, X, proof))
    assert verdicts_agree(statements, set())
    stranger = shuffled(1, total(*pack.X[:2]), pack.shuffles[1].before)
    statements[1] = shuffle.statement(
        CTX, 1, pack.pk, stranger.before, stranger.after, stranger.commitments, stranger.proof
    )
    statements[5] = knowledge.statement(
        CTX, 2, pack.X[2], knowledge.prove(CTX, 1, pack.x[2], pack.X[2], FRESH)
    )
    assert verdicts_agree(statements, {1, 5})
    assert [statements[i].fault().code for i in (1, 5)] == ["proof.shuffle", "proof.knowledge"]


@pytest.mark.parametrize(
    "fields",
    [
        None,
        b"12345",
        "text",
        7,
        (),
        (b"12",),
        (b"12", b"345", b""),
        (b"12", b"34"),
        (b"12", b"3456"),
        (b"12", "345"),
        (b"12", bytearray(b"345")),
        (b"12", (b"345",)),
        (12, b"345"),
        {0: b"12", 1: b"345"},
    ],
)
def test_fields_of_another_form_are_refused(fields: object) -> None:
    """Number, types and lengths are exact."""
    with pytest.raises(PeerFault) as fault:
        read_fields(fields, 2, 3)
    assert fault.value.code == "length"
    assert read_fields((b"12", b"345"), 2, 3) == (b"12", b"345")
