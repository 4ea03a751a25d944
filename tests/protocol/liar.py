"""A table with a liar on one seat: all four are sessions in one process. SPEC 5.5."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from protocol import verifier
from protocol.effects import Persist, Send
from protocol.envelope import Envelope, open_envelope
from protocol.errors import PeerFault
from protocol.events import HandOver, MatchOver, Stopped
from protocol.lane import Lane
from protocol.pack import PackState
from protocol.packmaker import PackSecrets
from protocol.proofs import checking, judge
from protocol.session import Session
from protocol.table import TableState
from protocol.verifier import verify
from tests.protocol.forger import Alter, Bend, Payload, Place, Scene, check_once
from tests.protocol.lies import (
    LIAR,
    Lie,
)
from tests.protocol.tables import Table, entropy, make_table

HONEST = (0, 1, 3)


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What all four must check, and their record, is computed once."""
    monkeypatch.setattr(checking, "check", check_once)
    monkeypatch.setattr(verifier, "check", check_once)


def lies_like(*names: str, slow: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    """Lies by name; those in ``slow`` differ little from the others."""
    marked = [pytest.param(name, marks=pytest.mark.slow) for name in slow]
    return pytest.mark.parametrize("name", [*names, *marked])


class Liar(Session):
    """A session that says something else at some places. It never takes its own word from others.

    ``twins`` are second versions, ``versions`` maps what was said first to what is told besides.
    """

    out_of_turn: tuple[int, int] | None = None

    def lie(
        self,
        alters: Mapping[Place, Alter],
        bends: Mapping[tuple[int, int], Bend],
        twins: Mapping[Place, Alter],
    ) -> None:
        """Makes up its mind, before it begins."""
        self.alters, self.twins = alters, twins
        self.versions: dict[bytes, bytes] = {}
        self.earlier: dict[Place, Envelope] = {}
        for (number, seat), bend in bends.items():
            state = self.history.lanes[number].rules
            assert isinstance(state, PackState)
            seed = entropy("a liar's pack", seat)(32)
            secrets = self._own._packs[number] = PackSecrets(state.plan, seat, seed)
            self._own._stored[f"pack/{number}"] = seed
            bend(secrets, {})

    def _take(self, envelope: Envelope) -> None:
        if envelope.seat != self.seat:
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

    def _contribute(self, now: float) -> None:
        lane = self.history.lanes.get(1)
        if self.out_of_turn and lane is not None and (lane.number, lane.step) == self.out_of_turn:
            self.out_of_turn = None
            self._effects.append(Send(self._scene(lane, ()).sealed()))
        super()._contribute(now)

    def _scene(self, lane: Lane, payload: Payload) -> Scene:
        number = lane.number
        if isinstance(lane.rules, TableState) and lane.rules.hand is not None:
            number = lane.rules.hand.pack.plan.number
        secrets = self._own._packs.get(number)
        return Scene(self.agreement, self._key, lane, self.seat, payload, secrets, self.earlier)


def _sealed(scene: Scene, alter: Alter | None) -> bytes:
    lie = scene.payload if alter is None else alter(scene)
    return lie if isinstance(lie, bytes) else scene.sealed(lie)


def table_with(
    one: Lie, twins: Mapping[Place, Alter] | None = None, half: tuple[int, ...] = ()
) -> Table:
    """A table with a liar on its seat; ``half`` are the seats that get its second versions."""
    table = make_table("liars", options=one.options)
    liar = Liar(table.agreement, LIAR, table.keys[LIAR], entropy("liar"))
    liar.lie(one.alters, one.bends, twins or {})
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
