"""What the targets stand on: a table that was really played, and every state an entry came into.

It is played once in a process, and only if a target needs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from engine import View
from p2p import identity
from protocol.agreement import Agreement, new_roster
from protocol.effects import Effect, PersistSecret, Tell
from protocol.envelope import open_envelope
from protocol.events import YourMove
from protocol.lane import Rules
from protocol.origin import Origin
from protocol.wire import Value
from tests.protocol.tables import Table, entropy, make_agreement, make_table, player_key

ME = identity.make(entropy("fuzz", "me")(32))
YOU = identity.make(entropy("fuzz", "you")(32))

KEYS = tuple(player_key("fuzz", index) for index in range(3))


@cache
def agreement() -> tuple[Agreement, bytes]:
    """A signed agreement for which every key is known here."""
    return make_agreement(KEYS, "azi", {"hands": 1, "blind": "on"}, "fuzz")


@cache
def origin() -> Origin:
    """What that table might have left: two games were played, and seat 0 has won the last one."""
    before, _ = agreement()
    opening = before.game.plain_standing(before.standing)
    plain = dict(opening)  # type: ignore[arg-type]
    first, second, *rest = plain["stacks"]
    changed = {"stacks": (first + 10, second - 10, *rest), "winner": (0,), "dealt": 2, "played": 1}
    standing = tuple((name, changed.get(name, value)) for name, value in plain.items())
    return Origin(before.table_id, 3, standing, before.keys)


@cache
def going_on() -> tuple[Agreement, bytes]:
    """A signed agreement of the same players that goes on from that."""
    before, _ = agreement()
    options = {**before.options, "hands": 9}
    roster = new_roster("again", before.roster.game, options, before.players, origin())
    found = Agreement(roster, tuple(bytes([seat]) * 32 for seat in range(len(before.keys))))
    by_key = {key.public_key().public_bytes_raw(): key for key in KEYS}
    return found, found.sealed(tuple(found.signature(by_key[key]) for key in found.keys))


@dataclass(frozen=True, slots=True)
class Stage:
    """An honest payload, who said it, and the state that it was judged by."""

    rules: Rules
    seat: int
    payload: tuple[Value, ...]


@dataclass
class Played:
    """A table from its agreement to its end, as seat 0 saw it."""

    table: Table
    stages: dict[str, list[Stage]] = field(default_factory=dict)
    views: list[View] = field(default_factory=list)
    secrets: dict[str, bytes] = field(default_factory=dict)

    @property
    def record(self) -> bytes:
        """The record file."""
        return self.table.record(0)


@cache
def played() -> Played:
    """Two hands of Azi with blind bids, three seats: every kind of entry is in it."""
    table = make_table("fuzz", "azi", {"hands": 2, "blind": "on"}, 3)
    found = Played(table)

    def note(source: int, target: int, data: bytes) -> list[bytes]:
        session = table.seats[0].session
        envelope = open_envelope(data, table.agreement)
        lane = session.history.lanes.get(envelope.lane)
        if target == 0 and lane is not None and lane.step == envelope.step and lane.owed:
            stage = Stage(lane.rules, envelope.seat, envelope.payload)
            found.stages.setdefault(envelope.kind, []).append(stage)
        return [data]

    def watch(seat: int, effect: Effect) -> None:
        if seat == 0 and isinstance(effect, PersistSecret):
            found.secrets[effect.name] = effect.value
        if isinstance(effect, Tell) and isinstance(effect.event, YourMove):
            found.views.append(effect.event.view)

    table.tamper, table.watch = note, watch
    table.begin()
    table.deliver()
    return found


@cache
def hazari_view() -> View:
    """The view of a seat of Hazari whose thirteen cards are to be divided."""
    seen: list[View] = []
    table = make_table("fuzz", "hazari", {}, 4)
    play = table.play

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Tell) and isinstance(effect.event, YourMove):
            seen.append(effect.event.view)

    table.watch, table.play = watch, play
    table.begin()
    while not seen:
        table.deliver(1)
    return seen[0]
