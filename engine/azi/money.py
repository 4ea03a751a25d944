"""Chips: one function moves them, so none is ever made or lost; and what a winner takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.azi.pack import clockwise
from engine.contract import Seat

Box: TypeAlias = int
"""A place for chips: of n seats, ``seat`` is its stack, ``n + seat`` what it paid in this game."""

CARRIED: Final[Box] = -1
"""The box of all chips in the bank that are nobody's contribution."""

MATCHED: Final = "matched"
PRO_RATA: Final = "pro_rata"


@dataclass(frozen=True, slots=True)
class Chips:
    """All chips of a table: each seat's stack, each seat's contribution, the carried bank."""

    boxes: tuple[int, ...]

    @property
    def seats(self) -> int:
        """The number of seats at the table."""
        return len(self.boxes) // 2

    @property
    def stacks(self) -> tuple[int, ...]:
        """Chips in front of each seat."""
        return self.boxes[: self.seats]

    @property
    def contributions(self) -> tuple[int, ...]:
        """Ante and bids of each seat in this game."""
        return self.boxes[self.seats : CARRIED]

    @property
    def carried(self) -> int:
        """Chips in the bank that are nobody's contribution."""
        return self.boxes[CARRIED]

    @property
    def bank(self) -> int:
        """All chips in the bank."""
        return sum(self.contributions) + self.carried

    def moved(self, source: Box, target: Box, amount: int) -> Chips:
        """So many chips from one box to another; raises ValueError if they are not there.

        Nothing else changes a box, which is why the sum of all boxes never changes.
        """
        if not 0 <= amount <= self.boxes[source]:
            raise ValueError(f"{amount} chips cannot be taken from {self.boxes[source]}")
        boxes = list(self.boxes)
        boxes[source] -= amount
        boxes[target] += amount
        return Chips(tuple(boxes))

    def paid(self, seat: Seat, amount: int) -> Chips:
        """A seat pays its own contribution."""
        return self.moved(seat, self.seats + seat, amount)

    def forfeited(self, seat: Seat, more: int = 0) -> Chips:
        """A seat's contribution, and so much more of its stack, is nobody's from now on."""
        own = self.seats + seat
        return self.moved(own, CARRIED, self.boxes[own]).moved(seat, CARRIED, more)

    def given_back(self, seat: Seat) -> Chips:
        """A seat has its contribution back."""
        own = self.seats + seat
        return self.moved(own, seat, self.boxes[own])

    def pooled(self) -> Chips:
        """The whole bank is carried, nothing is anybody's contribution."""
        pool = self
        for seat in range(self.seats):
            pool = pool.forfeited(seat)
        return pool

    def handed_out(self, parts: Sequence[tuple[Seat, int]]) -> Chips:
        """Seats are given so many chips each from the carried bank."""
        after = self
        for seat, amount in parts:
            after = after.moved(CARRIED, seat, amount)
        return after


def with_stacks(stacks: Sequence[int], carried: int) -> Chips:
    """The chips of a table at which nobody has paid anything yet."""
    return Chips((*stacks, *(0 for _ in stacks), carried))


def equal_parts(amount: int, seats: Sequence[Seat]) -> tuple[tuple[Seat, int], ...]:
    """What each seat gets of an amount, in order; the first ones get the odd chips."""
    part, odd = divmod(amount, len(seats))
    return tuple((seat, part + (place < odd)) for place, seat in enumerate(seats))


def split(
    contributions: Sequence[int], carried: int, winner: Seat, short: bool, mode: str
) -> tuple[int, tuple[int, ...]]:
    """What the winner takes, and what goes back to each seat; together the whole bank.

    A winner who is not short takes everything, a carried bank goes whole to any winner. Of the
    rest a short one takes by ``matched`` at most the own contribution from each other seat, by
    ``pro_rata`` the part that the own contribution is of the highest one.
    """
    own = contributions[winner]
    total = sum(contributions)
    if not short:
        return carried + total, (0,) * len(contributions)
    if mode == MATCHED:
        back = tuple(max(0, paid - own) for paid in contributions)
    else:
        highest = max(contributions)
        taken = min(total, total * own // highest) if highest else 0
        back = _by_share(total - taken, contributions, winner)
    return carried + total - sum(back), back


def _by_share(amount: int, contributions: Sequence[int], winner: Seat) -> tuple[int, ...]:
    """An amount shared among all but the winner by what they paid, odd chips by remainder.

    Equal remainders: the next seat clockwise from the winner first.
    """
    others = [seat for seat in range(len(contributions)) if seat != winner]
    weight = sum(contributions[seat] for seat in others)
    back = [0] * len(contributions)
    if not weight:
        return tuple(back)
    remainders: dict[Seat, int] = {}
    for seat in clockwise(others, winner):
        back[seat], remainders[seat] = divmod(amount * contributions[seat], weight)
    largest = sorted(remainders, key=lambda seat: -remainders[seat])  # stable: clockwise if equal
    for seat in largest[: amount - sum(back)]:
        back[seat] += 1
    return tuple(back)
