"""A shuffle's proof stands for nothing else: what is replayed, copied or bent is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest

from protocol.errors import LocalError, PeerFault
from protocol.group import (
    GENERATOR,
    ORDER,
    add,
    generator_times,
    negate,
)
from protocol.proofs import Deck, ShuffleProof, shares, shuffle
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_CTX,
    holds,
    small_pack,
    some_points,
    total,
)

PACK = small_pack(3)
HONEST = PACK.shuffles[1]


T = TypeVar("T")


def swapped(items: tuple[T, ...]) -> tuple[T, ...]:
    """The same with the first two exchanged."""
    return (items[1], items[0], *items[2:])


def test_a_card_that_cancels_the_key_makes_no_deck() -> None:
    """Nobody can bring it about, and nobody crashes on it."""
    with pytest.raises(LocalError):
        shuffle.opening_deck(PACK.pk, [negate(PACK.pk), *PACK.cards])


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
