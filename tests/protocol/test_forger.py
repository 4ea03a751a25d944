"""A record in which one seat signed a lie is refused for that lie: code, seat, lane and step.

The forger has all keys and all secrets, so signatures and heads are true throughout. What refuses
a record here is the one check that the lie is for.
"""

from __future__ import annotations

from functools import cache
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.agreement import Agreement
from protocol.envelope import open_envelope
from protocol.errors import PeerFault
from protocol.hashing import digest
from protocol.lane import first_head
from protocol.proofs import judge
from protocol.record import read_objects
from protocol.verifier import verify
from protocol.wire import Value
from tests.protocol.forger import Scene, forger_of
from tests.protocol.lies import LIAR, LIES, MISPLACED, forged, the_table
from tests.protocol.once import computed_once

pytestmark = pytest.mark.slow  # whole tables, again and again


def test_the_forger_can_be_honest() -> None:
    """Two hands without a lie are sound: what fails below, fails for its lie."""
    report = verify(forger_of(the_table()).run((0, 15)))
    assert (report.verdict, report.fault, report.counts.hands) == ("so far", None, 2)


@pytest.mark.parametrize("name", [*LIES, *MISPLACED])
def test_a_lie_is_refused_by_code_seat_lane_and_step(name: str) -> None:
    """And the seat is the liar's, but for keys that several seats have made up together.

    Who reads signatures and heads alone finds nothing, if only the entry stands in its place.
    """
    one = (LIES | MISPLACED)[name]
    with computed_once(proofs=not one.code.startswith("proof.")):
        record = forged(one)
        report = verify(record)
    assert report.verdict == "unsound"
    fault = report.fault
    assert fault is not None
    assert fault.text
    assert (fault.code, (fault.lane, fault.step, fault.seat)) == (one.code, one.at)
    if name in LIES:
        read_lightly(record, the_table(**one.options).agreement)


def read_lightly(record: bytes, agreement: Agreement) -> None:
    """Checks signatures and heads and nothing else."""
    _, *objects = read_objects(record)
    seats = tuple(range(4))
    table = first_head(agreement.table_id, 0, digest("opening", agreement.table_id), seats)
    heads = {0: table, 1: first_head(agreement.table_id, 1, table, seats)}
    envelopes = [open_envelope(data, agreement) for data in objects]
    for (lane, step), group in groupby(envelopes, lambda one: (one.lane, one.step)):
        entries = list(group)
        kind = entries[0].kind
        if kind == "ready":
            heads[0] = digest("head with pack", heads[0], heads[max(heads)])
        assert {entry.head for entry in entries} == {heads[lane]}
        hashes = [(entry.seat, entry.body_hash) for entry in entries]
        heads[lane] = digest("head", heads[lane], step, hashes)
        if kind == "ready":
            number = max(heads) + 1
            heads[number] = first_head(agreement.table_id, number, heads[0], seats)


ATOMS = st.one_of(
    st.integers(0, 60), st.binary(max_size=70), st.sampled_from(["up", "dismiss", "in", "out", ""])
)
VALUES: st.SearchStrategy[Value] = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=14
)


@cache
def scenes() -> list[Scene]:
    """One seat's moments in two hands at a table with dismissals."""
    forger = forger_of(the_table(dismissal="no_run"))
    forger.run((0, 9))
    return [scene for (_, _, seat), scene in forger.scenes.items() if seat == LIAR]


@settings(max_examples=400)
@given(st.data())
def test_whatever_a_seat_signs_is_read_or_refused(data: st.DataObject) -> None:
    """Any payload, or an honest one with a field changed: a fault of this seat, or equations.

    Nothing else comes out of it, so no entry can stop a session or the verifier.
    """
    scene = data.draw(st.sampled_from(scenes()))
    payload = list(scene.payload)
    if data.draw(st.booleans()):
        payload = list(data.draw(st.lists(VALUES, max_size=6)))
    elif payload:
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(VALUES)
    envelope = open_envelope(scene.sealed(tuple(payload)), scene.agreement)
    lane = scene.lane
    refused: PeerFault | None = None
    try:
        _, pending = lane.read(envelope)
    except PeerFault as fault:
        refused = fault
    else:
        judge(pending)
    if refused is not None:
        assert refused.text
        assert (refused.lane, refused.step, refused.seat) == (lane.number, lane.step, LIAR)
