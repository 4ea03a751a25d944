"""Words for people: names for seats, numbers that read well, nothing that steers a terminal."""

from __future__ import annotations

import pytest

from protocol.checked import Details
from protocol.errors import PeerFault
from protocol.verifier import CheckedStep
from ui.steps import Walk, fault_line
from ui.wording import count, listed, named, shown


def test_seats_become_names() -> None:
    """Once each: a name that looks like a seat is not replaced again."""
    assert named("seat 1 beats seat 0, seat 7", ["seat 1", "Ben"]) == "Ben beats seat 1, seat 7"


@pytest.mark.parametrize(
    ("names", "text"),
    [([], "nobody"), (["A"], "A"), (["A", "B"], "A and B"), (["A", "B", "C"], "A, B and C")],
)
def test_lists_read_well(names: list[str], text: str) -> None:
    """As people say them."""
    assert listed(names) == text


def test_counts_read_well() -> None:
    """One and many."""
    assert [count(n, "entry", "entries") for n in (0, 1, 2)] == [
        "0 entries",
        "1 entry",
        "2 entries",
    ]


def test_nothing_from_outside_steers_the_terminal() -> None:
    """Escape sequences and line ends are replaced."""
    assert shown("\x1b[2Jhi\nthere") == "\ufffd[2Jhi\ufffdthere"


def test_steps_name_the_seats_that_owed_them() -> None:
    """All of them in one word, some of them by name, and the hand where there is one."""
    walk = Walk(["Anna", "Ben", "Cleo", "Dan"])
    assert walk.line(CheckedStep(2, 3, "mix", (1,), 0)) == "pack 2, step 3: Ben shuffled the pack"
    line = walk.line(CheckedStep(0, 2, "shares", (0, 2), 1, details=Details(1)))
    assert line.startswith("hand 1, step 2: Anna and Cleo opened")
    assert line.endswith("; 1 proof holds")
    assert walk.line(CheckedStep(0, 3, "new", (0, 1, 2, 3), 2)).endswith(
        "all 4: new; 2 proofs hold"
    )


def test_a_fault_says_where_who_and_which_rule() -> None:
    """As far as it is known."""
    players = ["Anna", "Ben"]
    fault = PeerFault("proof.lock", "a false proof", 1, 0, 4)
    assert (
        fault_line(fault, players)
        == "step 4 at the table, seat 1 (Ben): a false proof [proof.lock]"
    )
    assert fault_line(PeerFault("record", "no record"), []) == "no record [record]"
