"""Faults are values for people: short, whoever wrote what they quote."""

from __future__ import annotations

import pytest

from protocol.agreement import read_roster
from protocol.errors import MAX_FAULT_TEXT, PeerFault
from protocol.wire import Value
from tests.protocol.tables import make_table


def test_a_fault_quotes_no_more_than_a_few_lines() -> None:
    """The name of an option may fill a frame, the fault for it does not."""
    roster = list(make_table().agreement.roster.value())
    long: Value = (("x" * 9000, 1),)
    with pytest.raises(PeerFault) as caught:
        read_roster((*roster[:3], long, *roster[4:]))
    assert caught.value.code == "options"
    assert len(caught.value.text) == MAX_FAULT_TEXT
    assert caught.value.text.endswith("…")
    assert PeerFault("turn", "short").text == "short"


def test_a_fault_can_be_laid_to_a_seat_and_compared() -> None:
    """Two faults are equal if all of them is; the text and its code are what people read."""
    fault = PeerFault("turn", "seat 2 owes nothing")
    assert fault.at(2, 0, 7) == PeerFault("turn", "seat 2 owes nothing", 2, 0, 7)
    assert fault.at(2, 0, 7) != fault
    assert len({fault, PeerFault("turn", "seat 2 owes nothing")}) == 1
    assert str(fault) == "seat 2 owes nothing [turn]"
