"""What the fairness panel is told follows from the events of a session, and from nothing else."""

from __future__ import annotations

import math

import pytest

from engine import game
from protocol.errors import PeerFault
from protocol.events import Event, HandStarted, PackFinished, ProofChecked, StepClosed
from tests.protocol.once import computed_once
from tests.protocol.tables import Table, make_table
from ui.page.fairness import KEPT, MOST_FAULTS, Fairness


def told(events: list[Event], cards: int = 52) -> Fairness:
    """The fairness that has heard of these events."""
    fairness = Fairness(cards, 0)
    for event in events:
        fairness.take(event)
    return fairness


def packs(fairness: Fairness) -> list[dict[str, object]]:
    """Its packs, as the page gets them."""
    found = fairness.plain()["packs"]
    assert isinstance(found, list)
    return found


def test_a_pack_is_told_step_by_step(events: list[Event]) -> None:
    """Commit, open, one mix for each seat, prove; their sizes and heads; whose proofs held."""
    pack, *_ = packs(told(events))
    steps = pack["steps"]
    assert isinstance(steps, list)
    assert [step["kind"] for step in steps] == ["commit", "open", *["mix"] * 4, "prove"]
    assert {step["kind"] for step in steps} == {"commit", "open", "mix", "prove"}
    assert [step["seats"] for step in steps[2:6]] == [(0,), (1,), (2,), (3,)]
    assert all(step["bytes"] > 0 and len(step["head"]) == 64 for step in steps)
    assert all(step["gone"] == () for step in steps)
    assert pack["head"] == steps[-1]["head"]
    checked = pack["checked"]
    assert isinstance(checked, list)
    assert [seat for seat, _ in checked] == [1, 2, 3]  # the own proof needs no check
    assert (pack["hand"], pack["seats"]) == (1, (0, 1, 2, 3))


def test_it_is_checked_once_the_pack_in_play_is_finished(events: list[Event]) -> None:
    """Neither while proofs run nor before the first deal."""
    seen = []
    fairness = Fairness(52, 0)
    for event in events:
        fairness.take(event)
        seen.append((type(event), bool(fairness.plain()["checked"])))
    start = [kind for kind, _ in seen].index(HandStarted)
    assert not any(checked for _, checked in seen[:start])
    assert all(checked for _, checked in seen[start:])


def test_the_deal_is_counted(events: list[Event]) -> None:
    """How many entries with pieces of keys there were, and how long they are."""
    pack, *_ = packs(told(events))
    opened = pack["opened"]
    assert isinstance(opened, list)
    steps = [e for e in events if isinstance(e, StepClosed) and e.lane == 0]
    dealing = [e for e in steps if e.kind in ("shares", "move", "lock")]
    assert opened == [sum(len(e.seats) for e in dealing), sum(e.bytes for e in dealing)]


@pytest.mark.parametrize("name", ["hazari", "azi"])
def test_all_orders_are_counted(name: str) -> None:
    """The number of possible orders, in digits: no number of JavaScript holds it."""
    rules = game(name)
    cards = len(rules.pack({one.name: one.default for one in rules.options}))
    assert Fairness(cards, 0).plain()["orders"] == str(math.factorial(cards))


def test_old_packs_are_forgotten_but_not_the_one_in_play() -> None:
    """What is sent stays small in a long match."""
    fairness = Fairness(52, 0)
    fairness.take(PackFinished(1, (0, 1), b"\1"))
    fairness.take(HandStarted(1, 1, (0, 1)))
    for number in range(2, 40):
        fairness.take(ProofChecked(number, 1, 0.25))
    numbers = [pack["pack"] for pack in packs(fairness)]
    assert numbers[0] == 1
    assert numbers[1:] == list(range(40 - KEPT, 40))


def test_who_broke_the_rules_is_named() -> None:
    """The newest so many of them."""
    fairness = Fairness(52, 0)
    for number in range(MOST_FAULTS + 5):
        fairness.blame(PeerFault("proof.shuffle", f"no {number}", 1, 1, 7), "Mallory")
    faults = fairness.plain()["faults"]
    assert isinstance(faults, list)
    assert len(faults) == MOST_FAULTS
    assert faults[-1] == {
        "seat": 1,
        "name": "Mallory",
        "code": "proof.shuffle",
        "text": f"no {MOST_FAULTS + 4}",
    }


@pytest.fixture(scope="module")
def three() -> Table:
    """Two games of Azi: the pack of the second is made while the first is played."""
    table = make_table("fair", "azi", {"hands": 2}, 3)
    with computed_once():
        table.begin()
        table.deliver()
    return table


def test_the_next_pack_is_seen_while_it_is_made(three: Table) -> None:
    """During the first hand there is a second pack, not dealt yet, with its own steps."""
    fairness = Fairness(27, 0)
    making = set()
    for event in three.seats[0].events:
        fairness.take(event)
        if fairness.current == 1:
            making |= {(p["pack"], p["hand"]) for p in packs(fairness) if p["pack"] != 1}
    assert (2, 0) in making
    assert [(p["pack"], p["hand"]) for p in packs(fairness)][:2] == [(1, 1), (2, 2)]


def test_after_a_restart_it_says_so_until_the_next_deal(events: list[Event]) -> None:
    """The hand in play was dealt, and checked, before anything could be told here."""
    fairness = Fairness(52, 0, resumed=True)
    assert (fairness.plain()["resumed"], fairness.plain()["checked"]) == (True, False)
    for event in events:
        fairness.take(event)
    assert (fairness.plain()["resumed"], fairness.plain()["checked"]) == (False, True)


def test_a_hand_from_a_pack_of_before_the_restart_is_not_said_to_be_in_the_making() -> None:
    """Its pack was finished before, so nothing told of it; it is known that it was checked."""
    fairness = Fairness(52, 0, resumed=True)
    fairness.take(StepClosed(2, 5, "mix", (3,), (), b"\1" * 32, 100))  # the next pack goes on
    fairness.take(HandStarted(4, 1, (0, 1, 2, 3)))
    plain = fairness.plain()
    assert (plain["current"], plain["resumed"], plain["checked"]) == (1, True, False)
    fairness.take(PackFinished(2, (0, 1, 2, 3), b"\2" * 32))
    fairness.take(HandStarted(5, 2, (0, 1, 2, 3)))
    plain = fairness.plain()
    assert (plain["current"], plain["resumed"], plain["checked"]) == (2, False, True)
