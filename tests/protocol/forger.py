"""The forger's kit: all keys and all secrets of a table, and records in which one seat signs a lie.

A forged record is as good as lies can make it: every signature is true, every head covers the lie,
and all later entries are made as if the others had believed it. So a verifier refuses it for the
lie itself, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine import IllegalMove, Move, View
from protocol.agreement import Agreement
from protocol.envelope import TABLE_LANE, Envelope, open_envelope, seal
from protocol.errors import PeerFault
from protocol.group import Point
from protocol.history import History
from protocol.lane import Lane
from protocol.own import OwnPart
from protocol.pack import PackState
from protocol.packmaker import PackSecrets
from protocol.record import write_record
from protocol.table import TableState
from protocol.wire import Value
from tests.protocol.tables import Table, entropy

Payload: TypeAlias = tuple[Value, ...]
Place: TypeAlias = tuple[int, int, int]
"""Lane, step, seat."""


@dataclass
class Scene:
    """A liar's moment: what it would say if it were honest, and what it knows besides."""

    agreement: Agreement
    key: Ed25519PrivateKey
    lane: Lane
    seat: int
    payload: Payload
    secrets: PackSecrets | None
    earlier: Mapping[Place, Envelope]

    def sealed(
        self,
        payload: Payload | None = None,
        *,
        lane: int | None = None,
        step: int | None = None,
        seat: int | None = None,
        head: bytes | None = None,
        kind: str | None = None,
    ) -> bytes:
        """An entry signed by the liar, with everything as it should be but for what is given."""
        return seal(
            self.agreement,
            self.key,
            self.lane.number if lane is None else lane,
            self.lane.step if step is None else step,
            self.seat if seat is None else seat,
            self.lane.head if head is None else head,
            self.lane.kind if kind is None else kind,
            self.payload if payload is None else payload,
        ).data

    @property
    def own(self) -> PackSecrets:
        """The liar's secrets of the pack in question."""
        assert self.secrets is not None
        return self.secrets


Alter: TypeAlias = Callable[[Scene], "Payload | bytes"]
"""What the liar says instead: another payload, or a whole entry."""

Bend: TypeAlias = Callable[[PackSecrets, "Mapping[int, PackSecrets]"], None]
"""Changes a liar's secrets of a pack before it commits to them; the second: those of all seats."""


FRESH = bytes(range(32))


def known(point: Point | None) -> Point:
    """A point that is not O."""
    assert point is not None
    return point


def with_field(index: int, value: Value) -> Alter:
    """One field of the payload is another."""

    def alter(scene: Scene) -> Payload:
        return (*scene.payload[:index], value, *scene.payload[index + 1 :])

    return alter


def flipped(index: int, at: int = -1) -> Alter:
    """One bit of one field of the payload is another."""

    def alter(scene: Scene) -> Payload:
        value = scene.payload[index]
        assert isinstance(value, bytes)
        changed = bytearray(value)
        changed[at] ^= 1
        return (*scene.payload[:index], bytes(changed), *scene.payload[index + 1 :])

    return alter


def says(*payload: Value) -> Alter:
    """Another payload."""
    return lambda scene: payload


def replayed(place: Place) -> Alter:
    """An entry that stands in the record already, byte by byte."""
    return lambda scene: scene.earlier[place].data


def repeats(place: Place) -> Alter:
    """The payload of an entry that stands in the record already, newly signed by the liar."""
    return lambda scene: scene.earlier[place].payload


@dataclass
class Forger:
    """A table in one hand. ``alters`` are lies by place, ``bends`` bent secrets by pack, seat."""

    agreement: Agreement
    keys: tuple[Ed25519PrivateKey, ...]
    sealed: bytes
    play: Callable[[int, View], Move]
    seed: object = 0
    alters: Mapping[Place, Alter] = field(default_factory=dict)
    bends: Mapping[tuple[int, int], Bend] = field(default_factory=dict)
    memory: dict[tuple[Place, bytes], Payload] = field(default_factory=dict)
    entries: dict[Place, Envelope] = field(default_factory=dict)
    objects: list[bytes] = field(default_factory=list)
    scenes: dict[Place, Scene] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.history = History(self.agreement)
        self.parts = [
            OwnPart(self.history, seat, entropy("forger", self.seed, seat), {})
            for seat in range(len(self.keys))
        ]

    def run(self, last: tuple[int, int]) -> bytes:
        """The record up to the end of this lane's step, or to where cards would not open."""
        while (number := self.history.next_lane) is not None:
            lane = self.history.lanes.get(number)
            if lane is None:
                break
            at = (number, lane.step)
            self._draw(lane)
            try:
                for seat in lane.owed:
                    self._say(lane, seat)
                self.history.close(number)
            except (PeerFault, IllegalMove):
                break  # cards that are none, or one card twice: nobody can play with them
            if at == last:
                break
        return write_record(self.sealed, self.objects)

    def _draw(self, lane: Lane) -> None:
        """The secrets of a pack: drawn before its first step, and then bent."""
        state = lane.rules
        if not isinstance(state, PackState) or state.stage != "commit":
            return
        everybody: dict[int, PackSecrets] = {}
        for seat in state.plan.seats:
            list(self.parts[seat].new_secrets(lane))
            # From the forger's own seed, so that a record is the same whatever is bent in it.
            seed = entropy("forger's pack", self.seed, lane.number, seat)(32)
            secrets = PackSecrets(state.plan, seat, seed)
            everybody[seat] = self.parts[seat]._packs[lane.number] = secrets
        for seat, secrets in everybody.items():
            if (lane.number, seat) in self.bends:
                self.bends[lane.number, seat](secrets, everybody)

    def _say(self, lane: Lane, seat: int) -> None:
        at = (lane.number, lane.step, seat)
        scene = self._scene(lane, seat)
        self.scenes[at] = scene
        data = scene.sealed()
        said = open_envelope(data, self.agreement)
        entry, _ = lane.read(said)
        body_hash = said.body_hash
        if at in self.alters:
            lie = self.alters[at](scene)
            data = lie if isinstance(lie, bytes) else scene.sealed(lie)
            try:
                said = open_envelope(data, self.agreement)
                body_hash = said.body_hash
                if lane.number != TABLE_LANE:
                    entry, _ = lane.read(said)
            except PeerFault:
                pass  # the others act as if it had been the honest entry
        lane.put(seat, entry, body_hash)
        self.entries[at] = said
        self.objects.append(data)

    def _scene(self, lane: Lane, seat: int) -> Scene:
        pack = lane.number
        if isinstance(lane.rules, TableState) and lane.rules.hand is not None:
            pack = lane.rules.hand.pack.plan.number
        return Scene(
            self.agreement,
            self.keys[seat],
            replace(lane, entries=dict(lane.entries), hashes=dict(lane.hashes)),
            seat,
            self._honest(lane, seat),
            self.parts[seat]._packs.get(pack),
            self.entries,
        )

    def _honest(self, lane: Lane, seat: int) -> Payload:
        """What a seat would say: computed once for every history."""
        bent = any(who == seat for _, who in self.bends)
        place = ((lane.number, lane.step, seat), lane.head)
        if bent or place not in self.memory:
            part = self.parts[seat]
            if lane.kind == "move":
                view = part.view()
                assert view is not None
                work = part.move(self.play(seat, view))
            else:
                found = part.work(lane)
                assert found is not None
                work = found
            payload = work()
            if bent:
                return payload
            self.memory[place] = payload
        return self.memory[place]


def forger_of(
    table: Table,
    alters: Mapping[Place, Alter] | None = None,
    bends: Mapping[tuple[int, int], Bend] | None = None,
    memory: dict[tuple[Place, bytes], Payload] | None = None,
) -> Forger:
    """A forger of this table, which has not begun; ``memory`` spares honest work done before."""
    return Forger(
        table.agreement,
        table.keys,
        table.sealed,
        table.play,
        0,
        alters or {},
        bends or {},
        {} if memory is None else memory,
    )
