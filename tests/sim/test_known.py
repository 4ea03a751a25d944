"""Faults that the simulation has found, and that are mended: each would be seen here again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import trio

from protocol.effects import Effect, Job, Persist, Send
from protocol.envelope import open_envelope, seal
from protocol.events import Stopped
from protocol.session import Session
from tests.protocol.forger import flipped
from tests.protocol.liar import Liar, events
from tests.protocol.tables import entropy, make_table
from tests.sim.disk import SimStore
from tests.sim.hooks import hooked
from tests.sim.plan import Fault, Plan
from tests.sim.world import play


@pytest.fixture(autouse=True)
def hooks() -> Iterator[None]:
    """The small games are there, and runs are watched."""
    with hooked():
        yield


def first(texts: Iterator[str], wanted: str) -> str:
    """The first text with these words; empty if there is none."""
    return next((text for text in texts if wanted in text), "")


def test_last_entry_reaches_the_others_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The power fails when the table has just been marked as over, and what was said is lost."""
    finish = SimStore.finish_table

    async def last_act(self: SimStore, table: bytes) -> None:
        await finish(self, table)
        if self._machine.name == "anna":
            self._machine.kill(3.0, "power")
            await trio.sleep_forever()

    monkeypatch.setattr(SimStore, "finish_table", last_act)
    about = ("little", (("hands", 1),), ("anna", "bert", "carl"))
    runs = (play(Plan(seed, *about), strict=True).violation for seed in range(1, 13))
    assert first(runs, "parts from the longest") == ""


def digest(session: Session, effects: list[Effect]) -> None:
    """Does the jobs of what is read back from the disk, and nothing else."""
    for effect in effects:
        if isinstance(effect, Job):
            digest(session, session.done(effect.number, effect.run(), 0.0))


def test_old_lie_is_remembered_after_a_restart() -> None:
    """A seat has said two things and is out; who knows of it is started again, and still knows.

    When somebody who is honest then stands on the other version, the table ends by the lie.
    """
    table, liar_seat = make_table("old lie", "little", seats=3), 1
    about = (table.agreement, liar_seat, table.keys[liar_seat])
    liar = Liar(*about, entropy("liar"))
    liar.lie({(0, 2, liar_seat): flipped(0)}, twins={(0, 1, liar_seat): flipped(1)})
    table.seats[liar_seat].session = liar
    table.begin()
    seated = table.seats[0]
    while liar_seat not in seated.session.history.table.out:
        table.deliver(1)
    (twin,) = liar.versions.values()
    table.run(seated.session.receive(twin, table.now), 0)
    assert [fault.code for fault in seated.faults if fault.seat == liar_seat][-1] == "equivocation"
    assert not events(table, 0, Stopped)
    again = Session(table.agreement, 0, table.keys[0], entropy("again"), dict(seated.secrets))
    for change in seated.written:
        assert isinstance(change, Persist)
        digest(again, again.receive(change.envelope, table.now))
    seated.session = again
    table.run(again.begin(table.now), 0)
    lane = next(lane for lane in again.history.lanes.values() if 2 in lane.missing)
    place = (lane.number, lane.step, 2, bytes(32), lane.kind, ())
    forked = seal(table.agreement, table.keys[2], *place)
    table.run(again.receive(forked.data, table.now), 0)
    (stopped,) = events(table, 0, Stopped)
    assert isinstance(stopped, Stopped)
    assert (stopped.seats, stopped.code) == ((liar_seat,), "equivocation")
    assert twin in seated.sent


def killed_in_the_lobby(victim: str, seconds: float, start: int = 475) -> Iterator[str]:
    """What goes wrong if a program is killed at any time while three sit down and sign."""
    for at in range(start, 800, 50):
        fault = Fault(at, "kill", (victim,), seconds, word="process")
        about = ("little", (("hands", 1),), ("anna", "bert", "carl"))
        yield play(Plan(at, *about, latency=(0.05, 1.0), lobby=(fault,)), strict=True).violation


def test_players_leave_a_lobby_whose_opener_was_started_again() -> None:
    """The opener opens a new table, and all sit down there."""
    assert first(killed_in_the_lobby("anna", 0.1), "bert: not seated") == ""


def test_player_that_was_started_again_in_the_lobby_is_no_liar() -> None:
    """Nobody has lied, and all sit down in the end."""
    assert first(killed_in_the_lobby("carl", 0.1, 500), "lobby.") == ""


def test_player_that_was_killed_while_all_signed_has_its_seat() -> None:
    """Whoever's signature makes the table begin sits at it."""
    assert first(killed_in_the_lobby("carl", 10.0), "carl: not seated") == ""


def test_two_versions_of_ready_meet() -> None:
    """One is shown a good READY and deals, the other a false one and opens a new pack without it.

    Nobody passes the liar's READY on in time, as if links had broken. Each of the two then meets
    the other's COMMIT for pack 2 on another head, and must show what its own rests on (SPEC 5.5).
    """
    table, liar_seat = make_table("fork", "little", seats=3), 1
    about = (table.agreement, liar_seat, table.keys[liar_seat])
    liar = Liar(*about, entropy("liar"))
    liar.lie({}, twins={(0, 1, liar_seat): flipped(1)})
    table.seats[liar_seat].session = liar
    shown: list[int] = []

    def is_his_ready(data: bytes) -> bool:
        entry = open_envelope(data, table.agreement)
        return (entry.lane, entry.step, entry.seat) == (0, 1, liar_seat)

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        if source == liar_seat:
            return [liar.versions.get(data, data) if target == 2 else data]
        return [] if is_his_ready(data) else [data]

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Send) and not effect.passed_on and seat != liar_seat:
            shown.extend([seat] if is_his_ready(effect.envelope) else [])

    table.tamper, table.watch = tamper, watch
    table.begin()
    table.deliver()
    sessions: list[Session] = [table.seats[seat].session for seat in (0, 2)]
    assert len({session.history.lanes[2].head for session in sessions}) == 2
    assert shown or any(events(table, seat, Stopped) for seat in (0, 2))
