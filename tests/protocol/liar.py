"""Tables with liars on some seats: all seats are sessions in one process. SPEC 5.5."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from protocol.effects import Persist, Send
from protocol.envelope import Envelope, open_envelope
from protocol.errors import PeerFault
from protocol.events import HandOver, MatchOver, Stopped
from protocol.lane import Lane
from protocol.pack import PackState
from protocol.packmaker import PackSecrets
from protocol.proofs import judge
from protocol.session import Session
from protocol.verifier import verify
from tests.protocol.forger import Alter, Bend, Payload, Place, Scene
from tests.protocol.lies import (
    LIAR,
    Lie,
)
from tests.protocol.tables import Table, entropy, make_table

HONEST = (0, 1, 3)


def lies_like(*names: str, slow: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    """Lies by name; those in ``slow`` differ little from the others."""
    marked = [pytest.param(name, marks=pytest.mark.slow) for name in slow]
    return pytest.mark.parametrize("name", [*names, *marked])


class Liar(Session):
    """A session that says something else at some places. It never takes its own word from others.

    ``twins`` are second versions, ``versions`` maps what was said first to what is told besides.
    ``strays`` are said, once, in open steps (lane, step) in which it owes nothing.
    """

    def lie(
        self,
        alters: Mapping[Place, Alter],
        bends: Mapping[tuple[int, int], Bend] | None = None,
        twins: Mapping[Place, Alter] | None = None,
        strays: Mapping[tuple[int, int], Alter] | None = None,
    ) -> None:
        """Makes up its mind, before it begins."""
        self.alters, self.twins, self.strays = alters, twins or {}, dict(strays or {})
        self.versions: dict[bytes, bytes] = {}
        self.earlier: dict[Place, Envelope] = {}
        for (number, seat), bend in (bends or {}).items():
            state = self.history.lanes[number].rules
            assert isinstance(state, PackState)
            seed = entropy("a liar's pack", seat)(32)
            secrets = self._own._packs[number] = PackSecrets(state.plan, seat, seed)
            self._own._stored[f"pack/{number}"] = seed
            bend(secrets, {})

    def _take(self, envelope: Envelope) -> None:
        # Before it begins it reads its disk, where its own entries stand too.
        if envelope.seat != self.seat or not self._began:
            self.earlier[envelope.lane, envelope.step, envelope.seat] = envelope
            super()._take(envelope)

    def _give(self, lane: Lane, kind: str, payload: Payload) -> None:
        at = (lane.number, lane.step, self.seat)
        scene = self._scene(lane, payload)
        data = _sealed(scene, self.alters.get(at))
        if at in self.twins:
            self.versions[data] = _sealed(scene, self.twins[at])
        self._effects.append(Persist(*at, data))
        self._effects.append(Send(data))
        try:
            said = self.earlier[at] = open_envelope(data, self.agreement)
            entry, pending = lane.read(said)
        except PeerFault:
            lane.put(self.seat, None, b"")
        else:
            lane.put(self.seat, None if judge(pending) else entry, said.body_hash)

    def _contribute(self) -> None:
        for number, step in list(self.strays):
            lane = self.history.lanes.get(number)
            if self._began and lane is not None and lane.step == step and lane.owed:
                stray = self.strays.pop((number, step))
                self._effects.append(Send(_sealed(self._scene(lane, ()), stray)))
        super()._contribute()

    def _scene(self, lane: Lane, payload: Payload) -> Scene:
        state, plan = lane.rules, None
        if isinstance(state, PackState):
            plan = state.plan
        elif state.hand is not None:
            plan = state.hand.pack.plan
        elif state.pack is not None:
            plan = state.pack.plan
        secrets = None if plan is None else self._own._secrets(plan)
        return Scene(self.agreement, self._key, lane, self.seat, payload, secrets, self.earlier)


def _sealed(scene: Scene, alter: Alter | None) -> bytes:
    lie = scene.payload if alter is None else alter(scene)
    return lie if isinstance(lie, bytes) else scene.sealed(lie)


def table_with(
    one: Lie, twins: Mapping[Place, Alter] | None = None, half: tuple[int, ...] = ()
) -> Table:
    """A table with a liar on its seat; ``half`` are the seats that get its second versions."""
    table = make_table("liars 3", options=one.options)
    liar = Liar(table.agreement, LIAR, table.keys[LIAR], entropy("liar"))
    liar.lie(one.alters, one.bends, twins)
    table.seats[LIAR].session = liar

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        second = source == LIAR and target in half
        return [liar.versions.get(data, data) if second else data]

    table.tamper = tamper
    return table


def played(table: Table) -> Table:
    """The table once nobody says anything more."""
    table.begin()
    table.deliver()
    return table


def events(table: Table, seat: int, kind: type) -> list[object]:
    """What a seat was told of this kind."""
    return [event for event in table.seats[seat].events if isinstance(event, kind)]


def kinds_sent(table: Table, seat: int) -> list[tuple[int, int, str]]:
    """Lane, step and kind of the seat's own entries."""
    envelopes = [open_envelope(data, table.agreement) for data in table.seats[seat].sent]
    return [(e.lane, e.step, e.kind) for e in envelopes if e.seat == seat]


def assert_named(table: Table, one: Lie) -> None:
    """All honest seats name the liar alone, with this code; their records are one, and say so."""
    fault = (one.code, *one.at)
    for seat in HONEST:
        faults = named(table, seat)
        assert [(f.code, f.lane, f.step, f.seat) for f in faults] == [fault], seat
        (stopped,) = events(table, seat, Stopped)
        assert isinstance(stopped, Stopped)
        assert stopped.seats == (LIAR,)
        assert not events(table, seat, MatchOver)
    (record,) = {table.record(seat) for seat in HONEST}
    report = verify(record)
    assert report.verdict == "unsound"
    assert report.fault is not None
    found = report.fault
    assert (found.code, found.lane, found.step, found.seat) == fault


def first_hands(table: Table) -> HandOver:
    """The first hand as all honest seats saw it end."""
    over = {tuple(events(table, seat, HandOver)) for seat in HONEST}
    ((first, *_),) = over
    assert isinstance(first, HandOver)
    return first


def named(table: Table, seat: int) -> list[PeerFault]:
    """The faults that a seat has laid to seats."""
    return [fault for fault in table.seats[seat].faults if fault.seat is not None]


def deliver_anyhow(table: Table, seed: int) -> None:
    """Delivers in any order but that of one link, which keeps its own."""
    chance = Random(seed)
    while table.queue:
        links = sorted({(source, target) for source, target, _ in table.queue})
        link = chance.choice(links)
        at = next(i for i, one in enumerate(table.queue) if one[:2] == link)
        source, target, data = table.queue[at]
        del table.queue[at]
        for part in table.tamper(source, target, data):
            table.run(table.seats[target].session.receive(part, table.now), target)
