"""What the tests of the command line share: real records and events, and calm signals."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from protocol.events import Event, YourMove
from tests.keys import few_keys
from tests.network_guard import network_guard
from tests.protocol.absences import silence, wait
from tests.protocol.once import computed_once
from tests.protocol.tables import Table, make_table

__all__ = ["few_keys", "network_guard"]


@pytest.fixture(autouse=True)
def calm_signals() -> Iterator[None]:
    """Commands set handlers of their own; the test run keeps its."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def played() -> Table:
    """A match of one hand, played to its end."""
    table = make_table("ui", options={"hands": 1})
    with computed_once():
        table.begin()
        table.deliver()
    assert table.seats[0].session.over
    return table


@pytest.fixture(scope="session")
def record(played: Table) -> bytes:
    """The record of that match."""
    return played.record(0)


@pytest.fixture(scope="session")
def events(played: Table) -> list[Event]:
    """What the session of seat 0 told in that match."""
    return played.seats[0].events


@pytest.fixture(scope="session")
def your_move(events: list[Event]) -> YourMove:
    """The one choice that seat 0 had in that match."""
    return next(event for event in events if isinstance(event, YourMove))


@pytest.fixture(scope="session")
def silent() -> Table:
    """Two games of Azi for three; seat 2 falls silent when it first owes a move."""
    table = make_table("silent", "azi", {"hands": 2}, 3, strategy="steady")
    silence(table, {2}, lambda envelope: envelope.kind == "move")
    with computed_once():
        table.begin()
        table.deliver()
        wait(table, alive=(0, 1))
    assert table.seats[0].session.over
    return table
