"""What people are told of how long a silent seat is waited for. SPEC 8."""

from __future__ import annotations

import pytest

from protocol.clocks import (
    HEARD_GRACE,
    NEVER,
    NO_PERSON_SECONDS,
    PERSON_SECONDS,
    UNHEARD_GRACE,
)
from tests.protocol.absences import declared, silence, wait
from tests.protocol.tables import make_table

pytestmark = pytest.mark.usefixtures("once")


def test_a_silent_seat_is_waited_for_by_clock_and_grace() -> None:
    """Less long if its computer is linked; then this seat has called it gone."""
    table = make_table("patience", "azi", {"hands": 1, "turn_seconds": 0}, 4)
    silence(table, {2}, lambda entry: entry.kind == "move")
    table.begin()
    table.deliver()
    session = table.seats[0].session
    assert session.waiting == ("move", (2,))
    (seat, at), *others = session.patience().items()
    assert (seat, others) == (2, [])
    assert at == table.now + PERSON_SECONDS + UNHEARD_GRACE
    session.heard({1, 2}, table.now)
    assert session.patience() == {2: table.now + PERSON_SECONDS + HEARD_GRACE}
    silent = table.seats[2].session
    assert 2 not in silent.patience()
    wait(table, PERSON_SECONDS + HEARD_GRACE, alive=(0,))
    assert session.patience() == {2: -NEVER}
    wait(table, alive=(0, 1, 3))
    assert declared(table, 0)
    assert session.over
    assert session.patience() == {}


def test_at_the_deal_of_hazari_people_must_ask() -> None:
    """No clock shuts anybody out while nothing is at stake."""
    table = make_table("asked", options={"hands": 1})
    silence(table, {3}, lambda entry: entry.kind == "shares")
    table.begin()
    table.deliver()
    session = table.seats[0].session
    assert session.patience() == {3: NEVER}
    for seconds in (NO_PERSON_SECONDS, UNHEARD_GRACE):
        table.now += seconds
        table.run(session.tick(table.now), 0)
    assert session.patience() == {3: NEVER}
    table.run(session.miss(3, table.now), 0)
    assert session.patience() == {3: -NEVER}
