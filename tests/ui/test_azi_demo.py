"""The demo's checks where not everybody is dealt in: packs that others play, packs never dealt."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Move, View
from protocol.events import HandStarted, PackFinished
from tests.protocol.tables import Table
from tests.ui.test_azi_record import choose, finished
from tests.ui.test_demo import lines_of
from ui import demo as command
from ui.children import Line
from ui.demo import HANDS, Demo, Plan
from ui.progress import Commentary

NAMES = ("Anna", "Ben", "Cleo")


def two_call(seat: int, view: View) -> Move:
    """One opens with all that is left, one levels, the third folds."""
    if view.owes == "bid":
        return choose(view, "fold" if getattr(view, "yielded", ()) else "level", "level", "bid")
    return choose(view, "play")


@pytest.fixture(scope="session")
def broke() -> Table:
    """A match of three in which a player has no chips left after the first game."""
    for seed in range(20):
        table = finished(("broke", seed), two_call, stack=20, hands=3)
        seats = [e.seats for e in table.seats[0].events if isinstance(e, HandStarted)]
        if len(seats) > 1 and len(seats[1]) == 2:
            return table
    raise AssertionError("nobody lost all chips and left two others with some")


@pytest.fixture(scope="session")
def said(broke: Table) -> list[list[Line]]:
    """What three processes printed in that match."""
    return [lines_of(seat, seated.events, NAMES) for seat, seated in enumerate(broke.seats)]


class Watched:
    """A demo of Azi without processes."""

    def __init__(self, said: list[list[Line]], folder: Path) -> None:
        self.told: list[str] = []
        self.demo = Demo(Plan("azi", (), 3, folder / "x"), folder)
        self.witnesses = self.demo._witnesses
        self.demo._commentary = Commentary(self.witnesses, self.told.append)
        self.demo._records = [b"the same"] * 3
        for number, lines in enumerate(said):
            for line in lines:
                self.demo._heard(number, line)

    def failed(self) -> list[str]:
        """The sentences of the checks that do not hold."""
        return [text for holds, text in self.demo.checks(True) if not holds]


PROOFS = "every process, dealt in or not, checked all proofs but its own of each of the "


def test_who_is_not_dealt_in_checks_the_packs_of_others(
    said: list[list[Line]], broke: Table, tmp_path: Path
) -> None:
    """All of them; and a pack that was shuffled for three but never dealt is no trouble."""
    watched = Watched(said, tmp_path)
    assert watched.failed() == []
    events = broke.seats[0].events
    dealt = [event.pack for event in events if isinstance(event, HandStarted)]
    shuffled = [event.pack for event in events if isinstance(event, PackFinished)]
    assert set(dealt) < set(shuffled)
    texts = [text for _, text in watched.demo.checks(True)]
    assert texts[1] == f"{PROOFS}{len(dealt)} packs that were dealt"


def looking_on(broke: Table) -> int:
    """The seat that was not dealt in for the second game."""
    started = [event for event in broke.seats[0].events if isinstance(event, HandStarted)]
    (seat,) = {0, 1, 2} - set(started[1].seats)
    return seat


@pytest.mark.parametrize("kind", ["proof_checked", "pack", "hand_started"])
def test_what_a_spectator_does_not_say_fails_a_check(
    said: list[list[Line]], broke: Table, tmp_path: Path, kind: str
) -> None:
    """It must have checked the proof of every seat dealt in, and know which pack that was."""
    seat = looking_on(broke)
    started = [line for line in said[seat] if line["event"] == "hand_started"][1]
    last = started
    if kind != "hand_started":
        last = next(
            line for line in said[seat] if line["event"] == kind and line["pack"] == started["pack"]
        )
    changed = [[line for line in lines if line is not last] for lines in said]
    (failed,) = Watched(changed, tmp_path).failed()
    assert failed.startswith(PROOFS)


def test_the_commentary_counts_proofs_and_chips(
    said: list[list[Line]], broke: Table, tmp_path: Path
) -> None:
    """Proofs of a pack of two, stacks after every hand, the sentences of the game by name."""
    told = Watched(said, tmp_path).told
    assert any(line.startswith("pack 1: each of the 3 processes has checked the 2 proofs of others")
               for line in told)  # fmt: skip
    assert any(": each of the 3 processes has checked all 2 proofs but its own" in line
               for line in told)  # fmt: skip
    rows = [line for line in told if line.startswith("    stacks so far: Anna ")]
    hands = [line for line in told if line.startswith("hand ")]
    assert len(rows) == len(hands) >= 2
    assert f"{NAMES[looking_on(broke)]} 0" in rows[0]
    assert "seat " not in "".join(line for line in told if line.startswith("    "))
    assert "heirs" not in "".join(told)


def test_a_bank_that_is_carried_over_is_told(tmp_path: Path) -> None:
    """Beside the stacks, and nothing else of the standing."""
    watched = Watched([], tmp_path)
    first = watched.witnesses[0]
    first.players = NAMES[:2]
    standing = [["stacks", [5, 7]], ["carried", 40], ["heirs", [0, 1]], ["entry", "azi"]]
    line: Line = {"event": "hand_over", "hand": 3, "story": ["azi"], "standing": standing}
    watched.demo._heard(0, line)
    assert watched.told[1:] == [
        "    azi",
        "    stacks so far: Anna 5, Ben 7",
        "    carried over in the bank: 40",
    ]


def test_buying_in_is_told_between_hands(tmp_path: Path) -> None:
    """By whom; moves of a hand are told by its story."""
    watched = Watched([], tmp_path)
    watched.witnesses[0].players = NAMES
    move: Line = {"event": "move", "seat": 1, "move": ["buy"], "opened": []}
    watched.demo._heard(0, move)
    over: Line = {"event": "hand_over", "hand": 1, "story": [], "standing": []}
    watched.demo._heard(0, over)
    watched.demo._heard(0, move)
    started: Line = {"event": "hand_started", "hand": 2, "pack": 2, "seats": [0, 1, 2]}
    watched.demo._heard(0, started)
    watched.demo._heard(0, move)
    assert watched.told[1:] == ["between hands Ben chooses: buy"]


def test_a_demo_whose_match_may_last_long_has_some_hands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless hands are asked for, one way or another."""
    plans: list[Plan] = []

    class Stub:
        crashed = False

        def __init__(self, plan: Plan, folder: Path) -> None:
            plans.append(plan)

        async def play(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(command, "Demo", Stub)
    cases: list[tuple[str | None, int | None, list[str], tuple[str, ...]]] = [
        (None, None, [], ()),
        ("azi", None, [], (f"hands={HANDS['azi']}",)),
        ("azi", 3, [], ("hands=3",)),
        ("azi", None, ["hands=0", "ante=5"], ("hands=0", "ante=5")),
    ]
    for game, hands, options, wanted in cases:
        with pytest.raises(KeyboardInterrupt):
            command.run(game, None, hands, options, tmp_path / "x")
        assert plans[-1].options == wanted
        assert plans[-1].seats == 4
