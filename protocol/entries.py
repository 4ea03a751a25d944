"""The entries of the table lane: what each kind must hold, read from its payload. SPEC 7.1, 7.3.

A reader gives the entry and the statements that must hold for it to count; it raises PeerFault
where form or rule already refuse it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from engine import Claim, IllegalMove, Move, Plain, Slot
from protocol.absence import Absent
from protocol.errors import PeerFault
from protocol.group import Point, card_point
from protocol.hand import Due, Hand
from protocol.proofs import Pending, claim, lock, shares
from protocol.proofs.claim import ClaimProof
from protocol.proofs.lock import Lock
from protocol.proofs.shares import ShareProof, uncover
from protocol.wire import Value, fields

SIT_CHOICES = ("in", "out", "leave")


@dataclass(frozen=True, slots=True)
class Ready:
    """A READY entry: it only confirms what the record fixes."""


@dataclass(frozen=True, slots=True)
class Shares:
    """A SHARES entry: the points for what its seat owed."""

    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A MOVE entry: the move, and the seat's own shares of the slots that it gives with it."""

    move: Move
    slots: tuple[Slot, ...]
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A RESULT entry."""


@dataclass(frozen=True, slots=True)
class Sits:
    """A SIT entry: what its seat does about the next hand; ``backs``: who else is back, and how."""

    choice: str
    backs: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Returned:
    """A BACK entry: its seat was away, and the table cannot go on without it."""


Entry: TypeAlias = "Ready | Shares | Moved | Lock | Confirmed | Sits | Returned"


def read_shares(
    hand: Hand, seat: int, payload: tuple[Value, ...]
) -> tuple[Shares, tuple[Pending, ...]]:
    """SHARES: all that the seat owes, and nothing else."""
    due = hand.due(seat)
    given, proof = shares.from_wire(payload, len(due))
    return Shares(given), (_true_shares(hand, seat, due, given, proof),)


def read_lock(
    hand: Hand, seat: int, payload: tuple[Value, ...]
) -> tuple[Lock, tuple[Pending, ...]]:
    """LOCK: the seat's shares of the slots that the rules name, sealed to all others."""
    due = Due(hand.locks_due()[seat])
    given = Lock.from_wire(payload, len(due))
    key, Q, bases = hand.pack.keys[seat], hand.lock_key(seat), hand.bases(due)
    return given, (partial(lock.statement, hand.pack.plan.ctx, seat, key, Q, bases, given),)


def read_move(
    hand: Hand, seat: int, payload: tuple[Value, ...]
) -> tuple[Moved, tuple[Pending, ...]]:
    """MOVE: a choice that the rules allow, the shares that go with it, and what it claims."""
    choice, opening, proofs = fields(payload, 3, "a MOVE")
    move = plain_move(choice)
    try:
        slots = hand.game.needs(hand.state, seat, move)
        points, pending, after = _read_opening(hand, seat, slots, opening)
        claimed = hand.game.claims(hand.state, seat, move, after.faces)
    except IllegalMove as illegal:
        raise PeerFault(f"rule.{illegal.rule}", illegal.text) from None
    return Moved(move, slots, points), (*pending, *_read_claims(after, seat, claimed, proofs))


def _read_opening(
    hand: Hand, seat: int, slots: tuple[Slot, ...], opening: Value
) -> tuple[tuple[Point, ...], tuple[Pending, ...], Hand]:
    """The shares that go with a move, and the hand with them."""
    if not slots:
        fields(opening, 0, "the opening of a MOVE that opens nothing")
        return (), (), hand
    due = Due(slots)
    points, proof = shares.from_wire(opening, len(slots))
    after = hand.with_shares(seat, due, points).uncovered()
    return points, (_true_shares(hand, seat, due, points, proof),), after


def _read_claims(hand: Hand, seat: int, claimed: Sequence[Claim], proofs: Value) -> list[Pending]:
    """One proof for every slot of every claim. The sets come from the rules alone. SPEC 7.3."""
    pending: list[Pending] = []
    ctx = hand.pack.plan.ctx
    parts = fields(proofs, len(claimed), "the claims of a MOVE")
    for one, part in zip(claimed, parts, strict=True):
        allowed = allowed_points(hand, one)
        of_slots = fields(part, len(one.slots), "the proofs of a claim")
        for slot, given in zip(one.slots, of_slots, strict=True):
            proof = ClaimProof.from_wire(given, len(allowed))
            key, A = hand.pack.keys[seat], hand.pack.deck.first[slot]  # an interlude has neither
            Q = own_cover(hand, seat, slot)
            pending.append(partial(claim.statement, ctx, seat, slot, key, A, Q, allowed, proof))
    return pending


def allowed_points(hand: Hand, one: Claim) -> tuple[Point, ...]:
    """The cards that a claim leaves for its slots, as points in the order of the pack."""
    return tuple(card_point(card) for card in allowed_cards(hand, one))


def allowed_cards(hand: Hand, one: Claim) -> tuple[str, ...]:
    """The cards that a claim leaves for its slots, in the order of the pack."""
    return tuple(card for card in hand.pack.plan.cards if card not in one.forbidden)


def own_cover(hand: Hand, seat: int, slot: Slot) -> Point:
    """Q: what still covers a slot when all shares but the seat's own are off."""
    others = [hand.shares[other, slot] for other in hand.seats if other != seat]
    covered = uncover(hand.pack.deck.second[slot], others)
    if covered is None:
        raise PeerFault("face", f"slot {slot} opens to no card of the pack")
    return covered


def laid_down(hand: Hand, stage: str, entries: Mapping[int, Entry | Absent | None]) -> Hand:
    """The hand with the shares and locks of one step's entries."""
    dues = hand.all_due() if stage == "shares" else {}
    locks = hand.locks_due() if stage == "lock" else {}
    for seat, entry in entries.items():
        if isinstance(entry, Shares):
            hand = hand.with_shares(seat, dues[seat], entry.points)
        elif isinstance(entry, Moved):
            hand = hand.with_shares(seat, Due(entry.slots), entry.points)
        elif isinstance(entry, Lock):
            hand = hand.with_lock(seat, locks[seat], entry)
    return hand


def _true_shares(
    hand: Hand, seat: int, due: Due, points: tuple[Point, ...], proof: ShareProof
) -> Pending:
    """What a seat claims that gives shares for what is due."""
    plan, key = hand.pack.plan, hand.pack.keys[seat]
    return partial(shares.statement, plan.ctx, seat, key, hand.bases(due), points, proof)


def wire(plain: Plain) -> Value:
    """A plain value as a wire value: they have the same shape but for bytes."""
    if isinstance(plain, tuple):
        return tuple(wire(item) for item in plain)
    return plain


def plain_move(value: Value) -> Move:
    """A move from the wire; raises PeerFault if it is no non-empty array that opens with a word."""
    if not isinstance(value, tuple) or not value or not isinstance(value[0], str):
        raise PeerFault("encoding", "a move must be an array that opens with its kind")
    return tuple(_plain(item) for item in value)


def _plain(value: Value) -> Plain:
    if isinstance(value, bytes):
        raise PeerFault("encoding", "a move must hold only numbers, words and arrays")
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return value
