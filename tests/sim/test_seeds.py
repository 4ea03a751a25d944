"""Seeds of the simulation: a short range in CI, and proof that the checks find what they are for.

The long run is ``make soak``; ``python -m tests.sim --start SEED --count 1`` repeats one seed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from engine.contract import Audience, Standing, State
from p2p.database import Change
from p2p.following import TableDriver
from p2p.seat import SeatDriver
from p2p.store import Store
from protocol.effects import Effect, Persist, PersistSecret, Send
from protocol.errors import PeerFault
from tests.sim.hooks import hooked
from tests.sim.plan import SEATS, Fault, Plan, plan
from tests.sim.world import Outcome, play

SMALL_RANGES = [range(1, 6), range(41, 46)]  # more: make soak
REAL_SEEDS = [("azi", 1), ("hazari", 1)]


@pytest.fixture(autouse=True)
def hooks() -> Iterator[None]:
    """The small games are there, and runs are watched."""
    with hooked():
        yield


def assert_held(outcome: Outcome) -> None:
    """Nothing was violated; else the trace, and how to see it again."""
    game, seed = outcome.plan.game, outcome.plan.seed
    assert not outcome.violation, "\n".join(
        (*outcome.last, *outcome.plan.lines(), outcome.violation, f"seed {seed}, game {game}")
    )


@pytest.mark.parametrize("seeds", SMALL_RANGES, ids=str)
def test_small_games_survive_faults_and_liars(seeds: range) -> None:
    """Nothing is lost, nobody gets in, nobody honest is blamed, and matches end."""
    for seed in seeds:
        assert_held(play(plan(seed)))


@pytest.mark.parametrize(("game", "seed"), REAL_SEEDS)
def test_real_games_survive_faults_and_liars(game: str, seed: int) -> None:
    """The same with the games that people play."""
    assert_held(play(plan(seed, game)))


def test_plans_can_be_made_for_every_game_and_number_of_seats() -> None:
    """A seed has one plan for a game; all numbers of seats come up, and others are refused."""
    for game, allowed in SEATS.items():
        plans = [plan(seed, game) for seed in range(60)]
        assert plans == [plan(seed, game) for seed in range(60)]
        assert {len(one.names) for one in plans} == set(allowed)
        assert all(one.honest for one in plans)
        assert all(len(plan(1, game, seats).names) == seats for seats in allowed)
    with pytest.raises(ValueError, match="topcard is played by"):
        plan(1, "topcard", 6)


def test_same_seed_same_trace() -> None:
    """Every byte, write, step and event comes at the same virtual time in the same order."""
    first, second = play(plan(510)), play(plan(510))
    assert first.digest == second.digest
    assert first == second
    assert play(plan(511)).digest != first.digest


def test_trace_hangs_on_no_order_of_hashes() -> None:
    """Another process with other hashes of text plays the same run."""
    command = [sys.executable, "-m", "tests.sim", "--start", "3", "--count", "1", "--verbose"]
    outputs = {
        subprocess.run(
            command,
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.rpartition("seeds 3 to 3")[0]
        for number in ("1", "2")
    }
    assert len(outputs) == 1


# Mutants: programs with a fault in them, which a few seeds must find.


def quiet(game: str = "little", seats: int = 3, faults: tuple[Fault, ...] = ()) -> Plan:
    """A table without liars."""
    names = ("anna", "bert", "carl", "dora")[:seats]
    return Plan(7, game, (("hands", 2),), names, faults=faults)


def killed(seats: int = 3) -> Iterator[Plan]:
    """Tables at which one program after the other is killed, at some write or send."""
    for number in range(4, 60, 4):
        for word in ("after send", "before write"):
            fault = Fault(0, "kill at", ("bert",), 1.0, number, word)
            yield quiet(seats=seats, faults=(fault,))


def found(plans: Iterator[Plan] | Sequence[Plan]) -> str:
    """The first violation of these plans."""
    for one in plans:
        outcome = play(one)
        if outcome.violation:
            return outcome.violation
    return ""


def test_quiet_tables_have_no_violation() -> None:
    """What finds the mutants finds nothing without them."""
    assert found([quiet(), quiet("topcard"), *list(killed())[::5]]) == ""


def test_program_that_speaks_before_it_writes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry on the network that is not on its author's disk."""
    carry_out = TableDriver._carry_out

    async def hasty(
        self: TableDriver, effects: Sequence[Effect], source: bytes | None = None
    ) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self._send(effect, None)
        await self._around.jobs.run(lambda: None)  # the disk takes its time
        await self._around.jobs.run(lambda: None)
        await carry_out(self, effects, source)

    monkeypatch.setattr(TableDriver, "_carry_out", hasty)
    assert "which is not on its disk" in found([quiet()])


def test_program_that_does_not_keep_its_secrets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A COMMIT whose secret would be lost in a power cut."""
    carry_out = Store.carry_out

    async def careless(self: Store, table: bytes, changes: Sequence[Change]) -> None:
        kept = [change for change in changes if not isinstance(change, PersistSecret)]
        await carry_out(self, table, kept)

    monkeypatch.setattr(Store, "carry_out", careless)
    assert "its secret is not on disk" in found([quiet()])


def test_program_that_forgets_its_own_words_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Started again, it speaks before it has read what it said: two entries for one place."""

    async def blank(self: TableDriver) -> None:
        pass

    async def at_once(self: SeatDriver) -> None:
        self._catching_up = True
        await self.begin()

    monkeypatch.setattr(TableDriver, "replay", blank)
    monkeypatch.setattr(SeatDriver, "resume", at_once)
    assert "has signed two entries" in found(killed())


def test_own_entries_that_are_not_written_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only entries of others are put on disk."""
    carry_out = Store.carry_out

    async def modest(self: Store, table: bytes, changes: Sequence[Change]) -> None:
        (stored, *_) = await self.tables()
        kept = [c for c in changes if not (isinstance(c, Persist) and c.seat == stored.seat)]
        await carry_out(self, table, kept)

    monkeypatch.setattr(Store, "carry_out", modest)
    assert "which is not on its disk" in found([quiet()])


def test_program_that_shows_private_cards_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each seat gives its share of its own hidden cards too."""
    monkeypatch.setattr(
        Audience, "includes_others", lambda self, seat: self.public or bool(self.seats)
    )
    violation = found([quiet()])
    assert "which it may not see" in violation


def test_lost_chips_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """All compute the same wrong pot, so nobody at the table notices."""
    import engine

    game = engine.game("little")
    settle = type(game).settle

    def generous(self: object, state: State) -> Standing:
        standing = settle(self, state)  # type: ignore[arg-type]
        return replace(standing, pot=standing.pot + 1)  # type: ignore[type-var, attr-defined]

    monkeypatch.setattr(type(game), "settle", generous)
    assert "28 chips or points" in found([quiet()])


def test_blame_on_the_wrong_seat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fault is laid to the seat after the one that it belongs to."""
    at = PeerFault.at

    def elsewhere(self: PeerFault, seat: int, lane: int, step: int) -> PeerFault:
        return at(self, (seat + 1) % 3, lane, step)

    monkeypatch.setattr(PeerFault, "at", elsewhere)
    liar = replace(quiet(), liars={"bert": "forger"})
    assert "who is honest" in found([replace(liar, seed=seed) for seed in range(6)])


def test_program_that_never_asks_for_what_it_missed_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was lost with a broken link stays lost: the table hangs, and that is seen."""
    monkeypatch.setattr(TableDriver, "_ask", lambda self, key: None)
    faults = [Fault(at, "reset", ("anna", "bert")) for at in range(20, 60, 4)]
    plans = [quiet(seats=2, faults=(fault,)) for fault in faults]
    assert "does not end" in found([*plans, *killed(seats=2)])
