"""Any number of liars and any lies: honest seats neither fail nor name nor wait for each other.

What a liar says is bent at random: changed, cut, repeated, sent to some only, not sent at all, for
another place, on another history. What comes of it differs; this must hold in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import pytest

from engine import Draw
from protocol.clocks import PERSON_SECONDS
from protocol.envelope import KINDS, Envelope, open_envelope, seal
from protocol.events import Stopped
from protocol.wire import Value
from tests.protocol.absences import wait
from tests.protocol.tables import Table, drawer, make_table

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("once")]  # whole tables, again and again

ODD: tuple[Value, ...] = ("up", "dismiss", "show", "keep", "out", "", 0, 2**63 - 1, b"", ())


def bent(value: Value, draw: Draw) -> Value:
    """A value with something in it changed."""
    if isinstance(value, bytes) and value:
        at = draw(len(value))
        flipped = value[:at] + bytes([value[at] ^ 1 << draw(8)]) + value[at + 1 :]
        return (flipped, flipped, value[:-1], value + value[:33], bytes(len(value)))[draw(5)]
    if isinstance(value, tuple) and value:
        at = draw(len(value))
        inside = (*value[:at], bent(value[at], draw), *value[at + 1 :])
        return (inside, inside, inside, (*value, value[0]), value[:-1], (value,))[draw(6)]
    if isinstance(value, int):
        return (value + 1, 0, 2**63 - 1)[draw(3)]
    return ODD[draw(len(ODD))]


@dataclass
class Liars:
    """The tamper of a table: what these seats say of their own is a lie, one time in so many."""

    table: Table
    seats: Collection[int]
    one_in: int
    draw: Draw
    said: list[Envelope] = field(default_factory=list)
    told: dict[tuple[int, int, int], Callable[[int], list[bytes]]] = field(default_factory=dict)

    def __call__(self, source: int, target: int, data: bytes) -> list[bytes]:
        """What arrives of a message."""
        envelope = open_envelope(data, self.table.agreement)
        if source not in self.seats or envelope.seat != source:
            return [data]
        place = (envelope.lane, envelope.step, source)
        if place not in self.told:
            self.said.append(envelope)
            lies = not self.draw(self.one_in)
            self.told[place] = self._lie(envelope) if lies else lambda target: [data]
        return self.told[place](target)

    def _lie(self, honest: Envelope) -> Callable[[int], list[bytes]]:
        draw, half = self.draw, self.draw(len(self.table.seats))
        payload = bent(honest.payload, draw)
        other = self._sealed(honest, payload=payload if isinstance(payload, tuple) else (payload,))
        old = self._sealed(honest, payload=self.said[draw(len(self.said))].payload)
        stray = [
            self._sealed(honest, head=bytes(32)),
            self._sealed(honest, kind=KINDS[draw(len(KINDS))]),
            self._sealed(honest, step=honest.step + 1 + draw(70)),
            self._sealed(honest, lane=draw(5)),
        ]
        ways: tuple[Callable[[int], list[bytes]], ...] = (
            lambda target: [other],
            lambda target: [other],
            lambda target: [other if target == half else honest.data],
            lambda target: [old],
            lambda target: [],
            lambda target: [] if target == half else [honest.data],
            lambda target: [*stray, honest.data, honest.data],
            lambda target: [stray[draw(4)], honest.data],
        )
        return ways[draw(len(ways))]

    def _sealed(self, honest: Envelope, **changes: object) -> bytes:
        names = ("lane", "step", "seat", "head", "kind", "payload")
        parts = {name: getattr(honest, name) for name in names} | changes
        return seal(self.table.agreement, self.table.keys[honest.seat], **parts).data


def assert_honest_seats_are_safe(table: Table, liars: Collection[int]) -> None:
    """Only liars are named and waited for; whatever is stored gives a record."""
    honest = [seat for seat in range(len(table.seats)) if seat not in liars]
    for seat in honest:
        seated = table.seats[seat]
        assert {fault.seat for fault in seated.faults} <= {None, *liars}
        for event in seated.events:
            assert not isinstance(event, Stopped) or set(event.seats) <= set(liars)
        assert not is_stuck(table, seat, liars), "stuck, and nobody to blame"
        assert table.record(seat)


def is_stuck(table: Table, seat: int, liars: Collection[int]) -> bool:
    """Whether an honest seat waits for honest ones alone."""
    session = table.seats[seat].session
    waited_for = {who for seats in session.missing().values() for who in seats}
    return not session.over and not waited_for & set(liars)


def play(
    seed: int, game: str, seats: int, liars: Collection[int], options: Mapping[str, int | str]
) -> None:
    """One table with liars."""
    draw = drawer("chaos", seed)
    table = make_table(seed % 4, game, options, seats)
    table.tamper = Liars(table, liars, (30, 10, 3)[draw(3)], draw)
    table.begin()
    if draw(2):
        table.deliver()
    else:
        table.deliver_in_any_order(draw, in_order=bool(draw(2)))
    if any(is_stuck(table, seat, liars) for seat in range(seats) if seat not in liars):
        # Who knows of two versions of a seat that was out by then stops by them when it has waited
        # for another one as long as a step may take (SPEC 5.5).
        wait(table, PERSON_SECONDS + 30, tick=15)
    assert_honest_seats_are_safe(table, liars)


@pytest.mark.parametrize("liars", [(2,), (0, 1)])
def test_liars_harm_themselves_alone(topcard: str, liars: tuple[int, ...]) -> None:
    """A small game, many lies."""
    for seed in range(25):
        play(seed, topcard, 3, liars, {"hands": 2})


@pytest.mark.parametrize("liars", [(3,), (0, 2), (0, 1, 3)])
def test_liars_at_a_table_of_hazari(liars: tuple[int, ...]) -> None:
    """With dismissals, so that every kind of step is lied in."""
    for seed in range(3):
        play(seed, "hazari", 4, liars, {"hands": 1, "dismissal": "both"})


@pytest.mark.slow
def test_many_liars(topcard: str) -> None:
    """Longer."""
    for seed in range(100, 140):
        play(seed, topcard, 3, ((2,), (0, 1), (1,))[seed % 3], {"hands": 3})
        if seed % 4 == 0:
            play(seed, "hazari", 4, ((3,), (0, 2))[seed % 8 // 4], {"hands": 2})
