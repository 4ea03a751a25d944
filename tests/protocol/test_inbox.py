"""The inbox: what comes too early is kept within bounds, and forgotten when it is of no use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from protocol.effects import Effect, Fault, Persist, Send, Tell
from protocol.envelope import MAX_LANE, MAX_STEP, Envelope, open_envelope, seal
from protocol.events import Behind
from protocol.inbox import EARLY_STEPS, Inbox
from protocol.reader import LANES_AHEAD
from tests.protocol.tables import Table, make_table

pytestmark = pytest.mark.usefixtures("once")

LIAR = 3


def signed(table: Table, lane: int, step: int, head: int = 0, kind: str = "commit") -> Envelope:
    """A well signed entry of the liar's for any place."""
    key = table.keys[LIAR]
    payload = (bytes([head]) * 32,)
    return seal(table.agreement, key, lane, step, LIAR, bytes([head]) * 32, kind, payload)


def flood(table: Table, lanes: range, steps: range, heads: range = range(1)) -> Iterator[bytes]:
    """Entries for all these places."""
    for head in heads:
        for lane in lanes:
            for step in steps:
                yield signed(table, lane, step, head).data


def inbox(table: Table, seat: int) -> Inbox:
    """What a seat's session keeps."""
    return table.seats[seat].session._inbox


def kept(table: Table, seat: int) -> tuple[int, int]:
    """How many envelopes a seat keeps for later, and how many it remembers."""
    return len(inbox(table, seat)._early), len(inbox(table, seat)._seen)


def fed(table: Table, data: bytes) -> list[Effect]:
    """The effects of a message on seat 0, carried out too."""
    effects = table.seats[0].session.receive(data, 0.0)
    table.run(list(effects), 0)
    return effects


def test_a_flood_of_early_entries_is_kept_within_bounds() -> None:
    """A seat has 64 steps and two lanes ahead; more, or other versions, take no more room."""
    table = make_table("inbox")
    table.run(table.seats[0].session.begin(0.0), 0)
    _, own = kept(table, 0)
    for data in flood(table, range(7), range(1, 90)):
        fed(table, data)
    # The table's open step is closed to entries until its pack is made, so it is early too.
    most = (2 + LANES_AHEAD) * EARLY_STEPS + 1
    early, seen = kept(table, 0)
    assert EARLY_STEPS < early <= most
    assert seen <= own + most
    for data in flood(table, range(7), range(1, 90, 4), range(1, 9)):
        fed(table, data)
    for lane, step in ((MAX_LANE, 1), (0, MAX_STEP), (1, MAX_STEP)):
        fed(table, signed(table, lane, step).data)
    assert kept(table, 0) == (early, seen)
    assert not [one for one in table.seats[0].entries if one[2] == LIAR], "kept on disk"


def test_nothing_of_a_flood_is_passed_on() -> None:
    """Entries that nobody can judge yet are neither stored nor sent to others."""
    table = make_table("inbox")
    table.run(table.seats[0].session.begin(0.0), 0)
    for data in flood(table, range(4), range(2, 90, 9), range(3)):
        effects = fed(table, data)
        assert not [one for one in effects if isinstance(one, (Persist, Send))]
        for effect in effects:
            assert isinstance(effect, (Fault, Tell))
            assert not isinstance(effect, Tell) or isinstance(effect.event, Behind)


def test_other_heads_for_an_open_step_are_not_kept() -> None:
    """For the open step a seat may write any number of heads: none takes room, nobody is blamed."""
    table = make_table("inbox")
    table.run(table.seats[0].session.begin(0.0), 0)
    before = kept(table, 0)
    sends = 0
    for data in flood(table, range(1, 2), range(1, 2), range(200)):
        effects = fed(table, data)
        assert {one.fault.seat for one in effects if isinstance(one, Fault)} == {None}
        sends += sum(isinstance(one, Send) for one in effects)
    assert kept(table, 0) == before
    assert sends <= 4, "the grounds are shown once a step"


def test_what_is_left_of_a_flood_goes_with_its_lane() -> None:
    """When a pack is finished its early entries are dropped, and hide none of its last step.

    The last step of a pack is what a seat shows when another stands on other entries.
    """
    table = make_table("inbox", options={"hands": 1})
    table.begin()
    for data in flood(table, range(1, 2), range(9, 60)):
        fed(table, data)
    early, _ = kept(table, 0)
    assert early == 51
    watched: list[set[tuple[str, int]]] = []

    def watch(seat: int, effect: Effect) -> None:
        session = table.seats[0].session
        if seat == 0 and 1 not in session.history.lanes and not watched:
            last = inbox(table, 0).newest_before(1, MAX_STEP)
            opened = [open_envelope(data, table.agreement) for data in last]
            watched.append({(one.kind, one.seat) for one in opened})
            assert not [place for place in inbox(table, 0)._early if place[0] == 1]

    table.watch = watch
    table.deliver()
    assert watched == [{("prove", seat) for seat in range(4)}]
    assert all(seated.session.over for seated in table.seats)
    assert not any(seated.faults for seated in table.seats)


def test_the_lanes_of_a_long_match_do_not_pile_up(topcard: str) -> None:
    """Only the newest packs are remembered; early entries of none of the old ones are left."""
    table = make_table("long", topcard, {"hands": 9}, 2)
    most = 0

    def watch(seat: int, effect: Effect) -> None:
        nonlocal most
        lanes = {place[0] for place, _ in inbox(table, 1)._seen}
        most = max(most, len(lanes))

    table.watch = watch
    table.begin()
    table.deliver()
    session = table.seats[1].session
    assert session.history.newest >= 9
    assert 3 <= most <= 4
    assert session.history.finished.keys() <= {session.history.newest}
    assert len(session.history.lanes) <= 2


def test_a_wrong_early_entry_does_not_keep_out_the_right_one() -> None:
    """Somebody's entry that came early on a false head gives way to the true one in its step."""
    table = make_table("inbox", options={"hands": 1})
    table.run(table.seats[0].session.begin(0.0), 0)
    fed(table, signed(table, 1, 2, kind="open").data)
    table.begin()
    table.deliver()
    assert all(seated.session.over for seated in table.seats)
    assert [fault.code for fault in table.seats[0].faults] == ["head"]
    assert len({table.record(seat) for seat in range(4)}) == 1
