"""``facedown tables`` says at which tables one can still sit down."""

from __future__ import annotations

import pytest

from p2p.discovery import Sighting, TableAd
from p2p.transport import Address
from protocol.agreement import VERSION
from ui.tables import _lines, objects


@pytest.fixture
def anna() -> Sighting:
    """Somebody who tells of a table with room and of one without."""
    tables = (TableAd("kitchen", "hazari", 2, 4), TableAd("attic", "azi", 3, 3))
    where = (Address("192.168.1.20", 7421),)
    return Sighting("Anna-ABCD", "Anna", "ABCDEFGH", bytes(32), VERSION, where, tables)


def test_a_table_without_a_free_seat_is_marked(anna: Sighting) -> None:
    """It is listed: people may look for it; but nobody tries to join it."""
    assert _lines([anna], 3.0) == [
        '"kitchen": hazari, 2 of 4 seats taken; told by Anna (ABCDEFGH) at 192.168.1.20:7421',
        '"attic": azi, no seat is free, it plays or is about to; told by Anna (ABCDEFGH) at '
        "192.168.1.20:7421",
    ]


def test_json_says_whether_a_seat_is_free(anna: Sighting) -> None:
    """As its own field, besides the numbers."""
    found = [(line["table"], line["taken"], line["seats"], line["free"]) for line in objects(anna)]
    assert found == [("kitchen", 2, 4, True), ("attic", 3, 3, False)]


def test_nothing_found_is_told_with_the_time_that_was_looked(anna: Sighting) -> None:
    """And how many peers without tables were there."""
    assert _lines([], 3.0) == ["no open table in 3 s (0 peers seen)"]
