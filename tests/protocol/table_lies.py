"""Lies in the table lane: shares, moves and locks, each with the best proof for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    add,
    card_point,
    combination,
    compress_all,
    generator_times,
    negate,
    secret_times,
)
from protocol.hand import Hand
from protocol.packmaker import PackSecrets
from protocol.proofs import ShareProof, lock, shares
from protocol.table import TableState
from protocol.wire import Value
from tests.protocol.forger import FRESH, Alter, Payload, Scene, known

# Shares.


def hand_of(scene: Scene) -> Hand:
    """The hand in play."""
    assert isinstance(scene.lane.rules, TableState)
    return scene.lane.rules.playing


def prove_shares(
    own: PackSecrets, bases: Sequence[Point], points: Sequence[Point]
) -> tuple[Value, ...]:
    """The prover's steps for any points, with the own key."""
    ctx, t = own.plan.ctx, 11
    about = shares._statement(ctx, own.seat, own.X, bases, points)
    A = combination(zip(shares._weights(about, len(bases)), bases, strict=True))
    R, R_bases = generator_times(t), secret_times(t, known(A))
    s = (t + shares._challenge(about, R, R_bases) * own.x) % ORDER
    return (compress_all(points), *ShareProof(R, R_bases, s).to_wire())


def _due(scene: Scene) -> tuple[Point, ...]:
    return hand_of(scene).bases(hand_of(scene).due(scene.seat))


def swapped_shares(scene: Scene) -> Payload:
    """The shares of the first and the last slot in each other's place."""
    bases = _due(scene)
    first, *middle, last = (secret_times(scene.own.x, A) for A in bases)
    return prove_shares(scene.own, bases, (last, *middle, first))


def doubled_share(scene: Scene) -> Payload:
    """The share of the first slot, for the second too."""
    bases = _due(scene)
    first, _, *rest = (secret_times(scene.own.x, A) for A in bases)
    return prove_shares(scene.own, bases, (first, first, *rest))


def one_wrong_share(scene: Scene) -> Payload:
    """One share moved a little."""
    bases = _due(scene)
    *rest, last = (secret_times(scene.own.x, A) for A in bases)
    return prove_shares(scene.own, bases, (*rest, known(add((last, GENERATOR)))))


def cancelling_shares(scene: Scene) -> Payload:
    """Two shares moved by the same, one up and one down: their plain sum is right."""
    bases = _due(scene)
    one, other, *rest = (secret_times(scene.own.x, A) for A in bases)
    bent = (known(add((one, GENERATOR))), known(add((other, negate(GENERATOR)))))
    return prove_shares(scene.own, bases, (*bent, *rest))


def other_keys_shares(scene: Scene) -> Payload:
    """Shares of another key, and a true proof about that key."""
    own = scene.own
    x = own.x + 1
    made, proof = shares.make(own.plan.ctx, own.seat, x, own.X, _due(scene), FRESH)
    return (compress_all(made), *proof.to_wire())


def true_shares(change: Callable[[tuple[Point, ...]], tuple[Point, ...]]) -> Alter:
    """True shares with a true proof, but of more or fewer slots than are owed."""

    def alter(scene: Scene) -> Payload:
        own = scene.own
        bases = change(_due(scene))
        made, proof = shares.make(own.plan.ctx, own.seat, own.x, own.X, bases, FRESH)
        return (compress_all(made), *proof.to_wire())

    return alter


def all_shares(scene: Scene) -> Payload:
    """True shares of the whole pack: the own cards lie open."""
    return true_shares(lambda bases: hand_of(scene).pack.deck.first)(scene)  # type: ignore[return-value]


# Moves.


def dismissal_of(cards: Sequence[str]) -> Alter:
    """A dismissal that opens the own slots to chosen cards: B less the others' shares less M."""

    def alter(scene: Scene) -> Payload:
        hand, own = hand_of(scene), scene.own
        slots = range(13 * own.seat, 13 * own.seat + 13)
        others = [seat for seat in hand.seats if seat != own.seat]
        points = tuple(
            known(
                add(
                    (
                        hand.pack.deck.second[slot],
                        *(negate(hand.shares[seat, slot]) for seat in others),
                        negate(card_point(card)),
                    )
                )
            )
            for slot, card in zip(slots, cards, strict=True)
        )
        bases = tuple(hand.pack.deck.first[slot] for slot in slots)
        return (("dismiss",), prove_shares(own, bases, points), ())

    return alter


def dismissal_to_nothing(scene: Scene) -> Payload:
    """A dismissal with shares that open to no card of the pack."""
    own = scene.own
    slots = range(13 * own.seat, 13 * own.seat + 13)
    bases = tuple(hand_of(scene).pack.deck.first[slot] for slot in slots)
    points = tuple(generator_times(k) for k in range(1, 14))
    return (("dismiss",), prove_shares(own, bases, points), ())


def true_dismissal(scene: Scene) -> Payload:
    """A dismissal with true shares, whatever the cards are."""
    own = scene.own
    slots = range(13 * own.seat, 13 * own.seat + 13)
    bases = tuple(hand_of(scene).pack.deck.first[slot] for slot in slots)
    made, proof = shares.make(own.plan.ctx, own.seat, own.x, own.X, bases, FRESH)
    return (("dismiss",), (compress_all(made), *proof.to_wire()), ())


def up(change: Callable[[list[int]], list[int]], sizes: Sequence[int] = (3, 3, 3, 4)) -> Alter:
    """A division of slots that are changed from the own ones, which are ascending."""

    def alter(scene: Scene) -> Payload:
        slots = change(list(range(13 * scene.seat, 13 * scene.seat + 13)))
        groups = []
        for size in sizes:
            groups.append(tuple(slots[:size]))
            slots = slots[size:]
        return (("up", *groups), (), ())

    return alter


# Locks.


def prove_lock(
    own: PackSecrets, Q: Point, bases: Sequence[Point], V_of: Sequence[Point], r: Sequence[int]
) -> Payload:
    """The prover's steps for any sealed shares."""
    ctx = own.plan.ctx
    a, b = 5, 6
    R = tuple(map(generator_times, r))
    V = tuple(known(add((S, secret_times(r_k, Q)))) for S, r_k in zip(V_of, r, strict=True))
    about = lock._statement(ctx, own.seat, own.X, Q, bases, R, V)
    w = lock._weights(about, len(bases))
    A = known(combination(zip(w, bases, strict=True)))
    announced = (
        generator_times(a),
        generator_times(b),
        known(add((secret_times(a, A), secret_times(b, Q)))),
    )
    z = lock._challenge(about, announced)
    r_sum = sum(w_k * r_k for w_k, r_k in zip(w, r, strict=True))
    answers = ((a + z * own.x) % ORDER, (b + z * r_sum) % ORDER)
    return lock.Lock(R, V, announced, answers).to_wire()


def _lock_bases(scene: Scene) -> tuple[Point, ...]:
    hand = hand_of(scene)
    return tuple(hand.pack.deck.first[slot] for slot in hand.locks_due()[scene.seat])


def lock_on(change: Callable[[list[Point]], list[Point]]) -> Alter:
    """A lock that opens to other shares than the own ones, in place of which they stand."""

    def alter(scene: Scene) -> Payload:
        bases = _lock_bases(scene)
        sealed = change([secret_times(scene.own.x, A) for A in bases])
        Q = hand_of(scene).lock_key(scene.seat)
        return prove_lock(scene.own, Q, bases, sealed, range(3, 3 + len(bases)))

    return alter


def lock_of_others_slots(scene: Scene) -> Payload:
    """A true lock of somebody else's slots."""
    hand, own = hand_of(scene), scene.own
    slots = hand.locks_due()[(scene.seat + 1) % len(hand.seats)]
    bases = tuple(hand.pack.deck.first[slot] for slot in slots)
    Q = hand.lock_key(scene.seat)
    return lock.make(own.plan.ctx, own.seat, own.x, own.X, Q, bases, FRESH).to_wire()


def lock_to_itself(scene: Scene) -> Payload:
    """A lock sealed to the liar's own key, which the others cannot open."""
    own = scene.own
    return lock.make(
        own.plan.ctx, own.seat, own.x, own.X, own.X, _lock_bases(scene), FRESH
    ).to_wire()


def lock_with_another_key(scene: Scene) -> Payload:
    """A lock of shares made with another key."""
    own = scene.own
    Q = hand_of(scene).lock_key(scene.seat)
    made = lock.make(own.plan.ctx, own.seat, own.x + 1, own.X, Q, _lock_bases(scene), FRESH)
    return made.to_wire()


def short_lock(scene: Scene) -> Payload:
    """A true lock of one slot fewer."""
    own = scene.own
    Q = hand_of(scene).lock_key(scene.seat)
    bases = _lock_bases(scene)[:-1]
    return lock.make(own.plan.ctx, own.seat, own.x, own.X, Q, bases, FRESH).to_wire()
