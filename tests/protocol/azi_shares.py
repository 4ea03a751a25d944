"""The shares that stand in a record of Azi, found in its bytes by who knows all secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine import Slot
from protocol.group import compress, secret_times
from protocol.hand import Hand
from protocol.packmaker import PackSecrets
from tests.protocol.azi_stage import (
    Course,
    Moment,
    Setting,
)


def secrets_of(where: Setting, hand: Hand) -> dict[int, PackSecrets]:
    """The secrets of all seats of a hand."""
    plan = hand.pack.plan
    return {s: PackSecrets(plan, s, where.pack_seed(s, plan.number)) for s in plan.seats}


def all_shares(where: Setting, hand: Hand) -> dict[bytes, tuple[int, Slot]]:
    """Every share there can be in a hand, as it would be written: whose it is and of which slot."""
    first = hand.pack.deck.first
    return {
        compress(secret_times(own.x, A)): (seat, slot)
        for seat, own in secrets_of(where, hand).items()
        for slot, A in enumerate(first)
    }


def shares_in(data: bytes, known: Mapping[bytes, tuple[int, Slot]]) -> set[tuple[int, Slot]]:
    """The shares that stand anywhere in these bytes."""
    windows = (data[at : at + 33] for at in range(len(data) - 32))
    return {known[window] for window in windows if window in known}


def hands_of(course: Course) -> Iterator[tuple[Hand, list[Moment]]]:
    """Every hand of a record as it ended, with the moments in it."""
    inside: dict[int, list[Moment]] = {}
    for one in course.moments:
        if one.place[0] == 0 and one.table.hand is not None and not one.hand.is_interlude:
            inside.setdefault(one.hand.pack.plan.number, []).append(one)
    for moments in inside.values():
        yield moments[-1].hand, moments
