"""Hostile entries: whatever a seat writes and signs, the others neither crash nor blame another."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.effects import Effect, Fault, Job
from protocol.envelope import KINDS, Envelope, open_envelope, seal
from protocol.errors import PeerFault
from protocol.lane import Lane
from protocol.proofs import judge
from protocol.session import Session
from protocol.wire import Value
from tests.protocol.absences import heal, silence, wait
from tests.protocol.once import computed_once
from tests.protocol.tables import entropy, make_table

LIAR = 1

CHOSEN = ("commit", "mix", "move", "sit")
"""Kinds of which more than one payload is good (a MIX is judged by its PROVE)."""

PIECES: st.SearchStrategy[Value] = (
    st.integers(0, 2**63 - 1)
    | st.sampled_from([0, 13, 25, 26, 52, 2**62])
    | st.binary(max_size=70)
    | st.sampled_from([bytes(32), bytes(33), b"\x02" + bytes(32), b"\xff" * 32, b"\x02" * 33])
    | st.sampled_from(["up", "dismiss", "in", "leave", ""])
)
VALUES: st.SearchStrategy[Value] = st.recursive(
    PIECES, lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=16
)
PAYLOADS = st.lists(VALUES, max_size=6).map(tuple)


@cache
def open_steps() -> dict[str, tuple[Lane, Envelope]]:
    """One open step of every kind that a dismissed and a played hand have, with a good entry."""
    found: dict[str, tuple[Lane, Envelope]] = {}
    table = make_table("hostile", options={"hands": 2, "dismissal": "both"})
    lanes: dict[tuple[int, int], Lane] = {}

    def watch(seat: int, effect: Effect) -> None:
        for number, lane in table.seats[0].session.history.lanes.items():
            if LIAR in lane.owed:
                lanes[number, lane.step] = replace(lane, entries={}, hashes={})

    table.watch = watch
    with computed_once():
        table.begin()
        table.deliver()
        waiting = make_table("hostile back", options={"hands": 2})
        silence(waiting, {LIAR}, lambda e: e.kind == "result")
        waiting.begin()
        waiting.deliver()
        wait(waiting, 200, alive=[seat for seat in range(4) if seat != LIAR])
        back = waiting.seats[0].session.history.lanes[0].copy()
        heal(waiting)
    found["back"] = (
        replace(back, entries={}, hashes={}),
        open_envelope(waiting.seats[LIAR].entries[0, back.step, LIAR], waiting.agreement),
    )
    for (number, step), lane in lanes.items():
        data = table.seats[LIAR].entries.get((number, step, LIAR))
        if data is not None:
            found[lane.kind] = (lane, open_envelope(data, table.agreement))
    assert set(found) == set(KINDS), "a kind of step is missing"
    return found


def judged(kind: str, payload: tuple[Value, ...]) -> bool:
    """Whether a payload of the liar passes for the kind's open step; raises nothing."""
    lane, good = open_steps()[kind]
    try:
        _, pending = lane.read(replace(good, payload=payload))
    except PeerFault as fault:
        located = (LIAR, lane.number, lane.step)
        if (fault.seat, fault.lane, fault.step) != located:
            pytest.fail(f"a fault that is laid to the wrong place: {fault!r}")
        return False
    return not judge(pending)


@pytest.mark.parametrize("kind", KINDS)
def test_a_good_entry_passes(kind: str) -> None:
    """The entries that the other tests change are good."""
    assert judged(kind, open_steps()[kind][1].payload)


@settings(max_examples=40)
@pytest.mark.parametrize("kind", KINDS)
@given(payload=PAYLOADS)
def test_any_payload_is_judged(kind: str, payload: tuple[Value, ...]) -> None:
    """A payload of any shape is refused as its author's fault."""
    assert not judged(kind, payload) or kind in CHOSEN or (kind, payload) == ("back", ())


@settings(max_examples=40)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "back"])
@given(data=st.data())
def test_any_changed_payload_is_judged(kind: str, data: st.DataObject) -> None:
    """A good payload with one field changed is refused as its author's fault."""
    payload = list(open_steps()[kind][1].payload)
    place = data.draw(st.integers(0, len(payload) - 1))
    old = payload[place]
    if isinstance(old, bytes) and old:
        at = data.draw(st.integers(0, len(old) - 1))
        changed = bytearray(old)
        changed[at] ^= data.draw(st.integers(1, 255))
        payload[place] = bytes(changed)
    else:
        payload[place] = data.draw(VALUES.filter(lambda new: new != old))
    assert not judged(kind, tuple(payload)) or kind in CHOSEN


MOVES: st.SearchStrategy[Value] = st.recursive(
    st.integers(13, 26) | st.sampled_from([0, 2**62, "up", "dismiss", b""]),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=16,
)


@settings(max_examples=150)
@given(st.sampled_from(["up", "dismiss", "down"]), st.lists(MOVES, max_size=5))
def test_any_move_is_judged(word: str, rest: list[Value]) -> None:
    """The rules refuse every shape of move that is none of theirs, and never stumble."""
    if judged("move", ((word, *rest), (), ())):
        slots = [slot for group in rest if isinstance(group, tuple) for slot in group]
        assert sorted(slots) == list(range(13, 26))


def fresh_session() -> Session:
    """Seat 0's session of a table that has just begun."""
    table = make_table("hostile session")
    return table.seats[0].session


def fed(session: Session, data: bytes) -> list[PeerFault]:
    """Feeds bytes to a session and does its jobs: the faults that it told."""
    faults: list[PeerFault] = []
    effects = session.receive(data, 0.0)
    while effects:
        effect = effects.pop(0)
        if isinstance(effect, Fault):
            faults.append(effect.fault)
        elif isinstance(effect, Job):
            effects += session.done(effect.number, effect.run(), 0.0)
    return faults


@given(st.binary(max_size=400))
def test_noise_is_the_links_fault(data: bytes) -> None:
    """Bytes of any kind are told as a fault of nobody's seat, and change nothing."""
    session = fresh_session()
    before = session.positions()
    assert [fault.seat for fault in fed(session, data)] == [None]
    assert session.positions() == before


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.sampled_from([1, 2, 3, 64, 66, 10**9]),
            st.booleans(),
            st.sampled_from(KINDS),
            PAYLOADS,
        ),
        max_size=8,
    )
)
def test_any_signed_entries_harm_their_author_alone(
    entries: list[tuple[int, int, bool, str, tuple[Value, ...]]],
) -> None:
    """A member may write what it likes for whatever step: only it can be named for it."""
    table = make_table("hostile session")
    session = table.seats[0].session
    table.run(session.begin(0.0), 0)
    for number, step, right_head, kind, payload in entries:
        lane = session.history.lanes.get(number)
        head = lane.head if lane is not None and right_head else bytes(32)
        args = (table.agreement, table.keys[LIAR], number, step, LIAR, head, kind, payload)
        faults = fed(session, seal(*args).data)
        assert {fault.seat for fault in faults} <= {None, LIAR}


def test_an_own_entry_that_this_seat_never_wrote_is_believed_by_its_signature() -> None:
    """What the own key has signed is the own entry, as after the loss of a disk."""
    table = make_table("own")
    table.begin()
    own = open_envelope(table.seats[0].sent[0], table.agreement)
    again = Session(table.agreement, 0, table.keys[0], entropy("other"), {})
    fed(again, own.data)
    again.begin(0.0)
    assert again.missing()[1] == (1, 2, 3)
