"""One hand on one pack: whose shares are out, which faces they show, what is still due. SPEC 7.

The engine says who may see what; this module turns that into the shares that each seat owes, and
the shares into faces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from engine import Audience, Card, Game, Slot, State
from protocol.errors import PeerFault
from protocol.group import Point, add
from protocol.pack import Pack
from protocol.proofs.lock import Lock
from protocol.proofs.shares import uncover


@dataclass(frozen=True, slots=True)
class Due:
    """The shares that a seat owes: of slots, and of locks as pairs (seat that is gone, slot)."""

    slots: tuple[Slot, ...] = ()
    unlocks: tuple[tuple[int, Slot], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.slots or self.unlocks)

    def __len__(self) -> int:
        return len(self.slots) + len(self.unlocks)


@dataclass(frozen=True, slots=True)
class SealedShares:
    """A lock that a seat has given: the slots it covers and the sealed shares."""

    slots: tuple[Slot, ...]
    lock: Lock


@dataclass(frozen=True)
class Hand:
    """A hand as everybody sees it. Shares are keyed by (seat, slot)."""

    game: Game
    pack: Pack
    state: State
    gone: frozenset[int] = frozenset()
    shares: Mapping[tuple[int, Slot], Point] = field(default_factory=dict)
    locks: Mapping[int, SealedShares] = field(default_factory=dict)
    unlocks: Mapping[tuple[int, int, Slot], Point] = field(default_factory=dict)
    faces: Mapping[Slot, Card] = field(default_factory=dict)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats dealt in."""
        return self.pack.plan.seats

    @property
    def is_interlude(self) -> bool:
        """Whether it is no hand but choices between hands: a hand on a pack without cards."""
        return not self.pack.plan.cards

    @cached_property
    def audience(self) -> tuple[Audience, ...]:
        """For every slot who may see it; asked for every seat of every step, so kept."""
        return self.game.audience(self.state)

    def due(self, seat: int) -> Due:
        """The shares that this seat owes now; nothing for a seat that is gone."""
        if seat in self.gone:
            return Due()
        audience = self.audience
        slots = tuple(
            slot
            for slot, who in enumerate(audience)
            if who.includes_others(seat) and (seat, slot) not in self.shares
        )
        unlocks = tuple(
            (gone, slot)
            for gone in sorted(self.gone & self.locks.keys())
            for slot in self.locks[gone].slots
            if audience[slot].includes_others(gone)
            and (gone, slot) not in self.shares
            and (seat, gone, slot) not in self.unlocks
        )
        return Due(slots, unlocks)

    def all_due(self) -> Mapping[int, Due]:
        """The seats that owe shares now, ascending, with what they owe."""
        owed = {seat: self.due(seat) for seat in self.seats}
        return {seat: due for seat, due in owed.items() if due}

    def locks_due(self) -> Mapping[int, tuple[Slot, ...]]:
        """The seats that owe a lock now, ascending, with the slots."""
        wanted = self.game.locks(self.state)
        return {seat: wanted[seat] for seat in sorted(wanted) if seat not in self.gone}

    def bases(self, due: Due) -> tuple[Point, ...]:
        """The points that a seat's key multiplies for what it owes."""
        first = self.pack.deck.first
        sealed = [self.locks[gone] for gone, _ in due.unlocks]
        return (
            *(first[slot] for slot in due.slots),
            *(
                lock.lock.R[lock.slots.index(slot)]
                for lock, (_, slot) in zip(sealed, due.unlocks, strict=True)
            ),
        )

    def lock_key(self, seat: int) -> Point:
        """Q: the sum of the others' key shares, to which a seat's lock is sealed."""
        others = add(tuple(X for other, X in self.pack.keys.items() if other != seat))
        if others is None:
            raise PeerFault("key.sum", "key shares that cancel")
        return others

    def with_shares(self, seat: int, due: Due, points: tuple[Point, ...]) -> Hand:
        """The hand with shares that a seat has given for what it owed."""
        shares = dict(self.shares)
        unlocks = dict(self.unlocks)
        shares.update({(seat, slot): point for slot, point in zip(due.slots, points, strict=False)})
        rest = points[len(due.slots) :]
        for (gone, slot), point in zip(due.unlocks, rest, strict=True):
            unlocks[(seat, gone, slot)] = point
        return replace(self, shares=shares, unlocks=unlocks)

    def with_lock(self, seat: int, slots: tuple[Slot, ...], lock: Lock) -> Hand:
        """The hand with a seat's lock."""
        return replace(self, locks={**self.locks, seat: SealedShares(slots, lock)})

    def with_gone(self, seats: Iterable[int]) -> Hand:
        """The hand with more seats gone for the rest of it."""
        return replace(self, gone=self.gone | frozenset(seats))

    def uncovered(self) -> Hand:
        """The hand with locks opened and faces seen as far as the shares that are out allow."""
        opened = self._open_locks()
        faces = dict(opened.faces)
        for slot in range(len(self.pack.plan.cards)):
            if slot not in faces and all((seat, slot) in opened.shares for seat in self.seats):
                faces[slot] = opened.face(slot, {})
        if len(set(faces.values())) != len(faces):
            raise PeerFault("face", "one card lies on two places of the pack")
        return replace(opened, faces=faces)

    def _open_locks(self) -> Hand:
        """Shares of gone seats from their locks: V_k minus all others' x_j R_k. SPEC 4.6."""
        shares = dict(self.shares)
        for gone in self.gone & self.locks.keys():
            sealed = self.locks[gone]
            others = [seat for seat in self.seats if seat != gone]
            for V, slot in zip(sealed.lock.V, sealed.slots, strict=True):
                parts = [
                    self.unlocks[seat, gone, slot]
                    for seat in others
                    if (seat, gone, slot) in self.unlocks
                ]
                if (gone, slot) in shares or len(parts) < len(others):
                    continue
                share = uncover(V, parts)
                if share is not None:
                    shares[(gone, slot)] = share
        return replace(self, shares=shares)

    def face(self, slot: Slot, own: Mapping[int, Point]) -> Card:
        """The card of a slot from all shares, those in ``own`` (by seat) standing in for missing.

        Raises PeerFault ``face`` if the shares open to no card, which valid proofs exclude.
        """
        given = [self.shares.get((seat, slot)) or own[seat] for seat in self.seats]
        point = uncover(self.pack.deck.second[slot], given)
        card = None if point is None else self.pack.faces.get(point)
        if card is None:
            raise PeerFault("face", f"slot {slot} opens to no card of the pack")
        return card
