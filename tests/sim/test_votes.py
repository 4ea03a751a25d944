"""Whole peers vote about a seat that is away: tables go on, wait, and come together again.

The long run is ``python -m tests.sim --votes``, and with ``--kills`` besides; see ``make soak``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest

from p2p.following import TableDriver
from p2p.store import Store
from protocol.ballot import Ballot
from protocol.effects import Effect, PersistVote, SendVote
from tests.sim.hooks import hooked
from tests.sim.plan import Fault, Plan, vote_kill, vote_plan
from tests.sim.test_seeds import assert_held
from tests.sim.world import Outcome, play

ALL_LINES = 1_000_000
SEEDS = (61, 63)

FOUR = ("anna", "bert", "carl", "dora")
CUT_SECONDS = 200.0


@pytest.fixture(autouse=True)
def hooks() -> Iterator[None]:
    """The small games are there, and runs are watched."""
    with hooked():
        yield


def cut(*hosts: str, at: int = 150, game: str = "little", clock: str = "seconds") -> Outcome:
    """A table of four that is cut in two for a long time; the whole trace."""
    fault = Fault(at, "partition", hosts, CUT_SECONDS, 1)
    options = ("hands", 2), (clock, 5)
    outcome = play(Plan(at, game, options, FOUR, faults=(fault,)), ALL_LINES)
    assert_held(outcome)
    assert outcome.ending == "over"
    return outcome


def times(outcome: Outcome, words: str) -> list[float]:
    """When something stands in the trace."""
    return [float(line.split()[0]) for line in outcome.last if re.search(words, line)]


def test_three_of_four_go_on_while_the_fourth_is_cut_off() -> None:
    """They declare it gone and end the match meanwhile; it follows, to the same record."""
    outcome = cut("dora")
    (began,) = times(outcome, "fault: Fault")
    ends = times(outcome, "MatchOver")
    assert outcome.seen["settled: gone"] >= 1
    assert len([end for end in ends if end < began + CUT_SECONDS / 2]) == 3
    assert len(ends) == 4


def test_two_and_two_wait_and_go_on_when_the_cut_heals() -> None:
    """Neither side settles anything while it is alone, and nothing is lost."""
    outcome = cut("carl", "dora")
    (began,) = times(outcome, "fault: Fault")
    assert times(outcome, "VoteUnderWay")
    assert "settled: gone" not in outcome.seen
    assert all(end > began + CUT_SECONDS / 2 for end in times(outcome, "MatchOver"))


def test_hazari_waits_for_the_seat_that_it_needs() -> None:
    """The hand ends without the one that is cut off; the next one is dealt when it is back."""
    outcome = cut("dora", at=100, game="hazari", clock="arrange_seconds")
    (began,) = times(outcome, "fault: Fault")
    assert times(outcome, r"closes lane 0, step 3 \(move\) without dora")
    backs = times(outcome, r"closes lane 0, step \d+ \(back\)$")
    assert len(backs) == 4
    assert min(backs) > began + CUT_SECONDS / 2


@pytest.mark.parametrize("seed", SEEDS)
def test_votes_survive_faults_and_liars(seed: int) -> None:
    """Nothing is settled in two ways, nobody honest is blamed, and matches end."""
    assert_held(play(vote_plan(seed)))


@pytest.mark.parametrize("word", ["after vote write", "before vote send"])
def test_voter_that_is_killed_does_not_contradict_itself(word: str) -> None:
    """Killed at one of its votes, it goes on by what it has written down."""
    assert_held(play(vote_kill(1, "little", 4, 1, word)))


def test_vote_that_is_sent_before_it_is_written_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vote on the network that is not on its author's disk."""
    carry_out = TableDriver._carry_out

    async def hasty(
        self: TableDriver, effects: Sequence[Effect], source: bytes | None = None
    ) -> None:
        for effect in effects:
            if isinstance(effect, SendVote):
                self._send_vote(effect)
        await self._around.jobs.run(lambda: None)
        await self._around.jobs.run(lambda: None)
        await carry_out(self, effects, source)

    monkeypatch.setattr(TableDriver, "_carry_out", hasty)
    assert "that is not on its disk" in violation()


def test_program_that_forgets_its_votes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Votes are not written at all."""
    carry_out = Store.carry_out

    async def careless(self: Store, table: bytes, changes: Sequence[object]) -> None:
        kept = [change for change in changes if not isinstance(change, PersistVote)]
        await carry_out(self, table, kept)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "carry_out", careless)
    assert "that is not on its disk" in violation()


def test_majority_of_half_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With half of the seats for a majority, two sides of a cut declare each other gone."""
    monkeypatch.setattr(Ballot, "quorum", property(lambda self: len(self.voters) // 2))
    assert violation("carl", "dora") != ""


def violation(*hosts: str) -> str:
    """What goes wrong at a table that is cut in two."""
    fault = Fault(150, "partition", hosts or ("dora",), CUT_SECONDS, 1)
    return play(Plan(1, "little", (("hands", 2),), FOUR, faults=(fault,))).violation
