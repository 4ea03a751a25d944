"""Knowledge of a key: only who knows x proves X, and only for one seat of one pack."""

from __future__ import annotations

import pytest

from protocol.errors import LocalError, PeerFault
from protocol.group import GENERATOR, ORDER, generator_times, negate, subtract, tally
from protocol.proofs import KnowledgeProof, knowledge, shares
from tests.protocol.proofs.packs import CTX, FRESH, OTHER_CTX, holds, some_scalars, total

x, y, rogue = some_scalars("knowledge", 3)
X, stranger = generator_times(x), generator_times(y)
proof = knowledge.prove(CTX, 1, x, X, FRESH)


def test_an_honest_proof_holds_after_the_wire() -> None:
    """Two fields of 33 and 32 bytes; the values come back the same."""
    fields = proof.to_wire()
    assert [len(field) for field in fields] == [33, 32]
    assert KnowledgeProof.from_wire(fields) == proof
    assert holds(knowledge.statement(CTX, 1, X, proof))


def test_the_equation_is_that_of_the_specification() -> None:
    """R = sG - zX, computed apart from the verdict."""
    z = knowledge._challenge(CTX, 1, X, proof.R)
    zX = generator_times(z * x % ORDER)
    assert subtract(generator_times(proof.s), [zX]) == proof.R


def test_every_input_of_the_challenge_counts() -> None:
    """Another pack, seat or key: the same proof is false, with the code ``proof.knowledge``."""
    for ctx, seat, key in ((OTHER_CTX, 1, X), (CTX, 0, X), (CTX, 1, stranger), (CTX, 1, negate(X))):
        replayed = knowledge.statement(ctx, seat, key, proof)
        assert not holds(replayed)
        assert (replayed.fault().code, replayed.fault().seat) == ("proof.knowledge", seat)


def test_another_announcement_or_answer_is_false() -> None:
    """Neither half of a proof can be changed alone."""
    for changed in (
        KnowledgeProof(negate(proof.R), proof.s),
        KnowledgeProof(proof.R, ORDER - proof.s),
        KnowledgeProof(total(proof.R, GENERATOR), proof.s + 1),
    ):
        assert not holds(knowledge.statement(CTX, 1, X, changed))


def test_a_rogue_key_would_read_all_cards_and_cannot_be_proved() -> None:
    """The key yG minus the others' makes yG of the sum: y alone opens what all should open.

    The attacker does not know the logarithm of that key, so neither a proof with y, nor another
    seat's, nor one made for X holds.
    """
    key = subtract(generator_times(rogue), [X, stranger])
    assert key is not None
    pk = total(X, stranger, key)
    (r,), M = some_scalars("rogue", 1), generator_times(99)
    A, B = generator_times(r), total(M, generator_times(r * rogue % ORDER))
    assert pk == generator_times(rogue)
    stolen, _ = shares.make(CTX, 2, rogue, pk, [A], FRESH)
    assert shares.uncover(B, stolen) == M
    for attempt in (
        knowledge.prove(CTX, 2, rogue, key, FRESH),
        knowledge.prove(CTX, 2, rogue, pk, FRESH),
        proof,
    ):
        assert not holds(knowledge.statement(CTX, 2, key, attempt))


def test_a_copied_key_needs_a_proof_of_its_own() -> None:
    """Seat 2 shows seat 1's key and proof as its own."""
    assert not holds(knowledge.statement(CTX, 2, X, proof))


def test_the_prover_draws_again_when_the_answer_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """s = 0 has no place on the wire; with z = 5 the nonce -5x brings it about."""
    monkeypatch.setattr(knowledge, "_challenge", lambda *_: 5)
    monkeypatch.setattr(knowledge, "hedged", lambda *_: iter([-5 * x % ORDER, 3]))
    made = knowledge.prove(CTX, 1, x, X, FRESH)
    assert generator_times(3) == made.R
    assert KnowledgeProof.from_wire(made.to_wire()) == made


def test_the_secret_meets_the_generator_only_in_constant_time() -> None:
    """One multiplication by G and no term of a public sum."""
    before = (tally.generator, tally.secret, tally.terms)
    knowledge.prove(CTX, 1, x, X, FRESH)
    assert (tally.generator, tally.secret, tally.terms) == (before[0] + 1, *before[1:])


def test_misuse_is_a_local_error() -> None:
    """A context that is no digest, a secret that is no scalar."""
    for ctx, secret in ((b"short", x), (CTX, 0), (CTX, ORDER)):
        with pytest.raises(LocalError):
            knowledge.prove(ctx, 1, secret, X, FRESH)
    with pytest.raises(LocalError):
        knowledge.statement(b"short", 1, X, proof)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ((bytes(33), proof.to_wire()[1]), "point"),
        ((proof.to_wire()[0], bytes(32)), "scalar"),
        ((proof.to_wire()[0], ORDER.to_bytes(32, "big")), "scalar"),
        ((proof.to_wire()[0], proof.s.to_bytes(33, "big")), "length"),
        ((proof.R, proof.to_wire()[1]), "length"),
        ((*proof.to_wire(), b""), "length"),
    ],
)
def test_bytes_of_another_form_are_refused(fields: tuple[bytes, ...], code: str) -> None:
    """O, scalars out of range and wrong lengths, each with its code."""
    with pytest.raises(PeerFault) as fault:
        KnowledgeProof.from_wire(fields)
    assert fault.value.code == code
