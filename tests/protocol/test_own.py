"""The own part: what this seat signs itself, and what it does without its secrets."""

from __future__ import annotations

import pytest

from engine import Move, View
from protocol.effects import Effect, Tell
from protocol.errors import RefusedMove
from protocol.events import MoveMade, YourMove
from tests.protocol.tables import Table, make_table

pytestmark = pytest.mark.usefixtures("once")


def undecided(table: Table, *seats: int) -> dict[int, View]:
    """The people at these seats are asked for their move and make none: what they were shown."""
    carry_out = table.run
    asked: dict[int, View] = {}

    def run(effects: list[Effect], seat: int) -> None:
        kept: list[Effect] = []
        for effect in effects:
            if seat in seats and isinstance(effect, Tell) and isinstance(effect.event, YourMove):
                asked[seat] = effect.event.view
            else:
                kept.append(effect)
        carry_out(kept, seat)

    table.run = run  # type: ignore[method-assign]
    return asked


def moves_of(table: Table, seat: int) -> list[Move]:
    """The moves of a seat as another one was told of them."""
    events = table.seats[1 - seat if seat < 2 else 0].events
    return [event.move for event in events if isinstance(event, MoveMade) and event.seat == seat]


def test_a_move_under_way_is_not_overtaken_by_the_clock() -> None:
    """Two moves of one seat for one step would be two versions of one entry."""
    table = make_table("under way", options={"hands": 1, "arrange_seconds": 30})
    asked = undecided(table, 2)
    table.begin()
    table.deliver()
    session = table.seats[2].session
    move = table.play(2, asked[2])
    effects = session.move(move, 29.9)
    assert session.tick(30.0) == []
    table.run(effects, 2)
    table.deliver()
    assert moves_of(table, 2) == [move]
    assert all(seated.faults == [] for seated in table.seats)


def test_without_the_packs_secrets_no_card_can_be_opened(topcard: str) -> None:
    """A move that opens a card is refused in words, one that opens nothing can still be made."""
    table = make_table("lost", topcard, {"seconds": 20}, seats=2)
    asked = undecided(table, 0, 1)
    table.begin()
    table.deliver()
    (seat,) = asked
    session = table.seats[seat].session
    session._own._packs.clear()
    session._own._stored.clear()
    with pytest.raises(RefusedMove) as caught:
        session.move(("show",), 1.0)
    assert caught.value.rule == "secrets"
    table.run(session.tick(20.0), seat)
    table.deliver()
    assert moves_of(table, seat) == [("keep",)]


def test_a_move_that_only_others_refuse_is_refused_before_it_is_signed(
    topcard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should a game's own program be laxer than its rules, the rules have the word."""
    table = make_table("lax", topcard, seats=2)
    asked = undecided(table, 0, 1)
    table.begin()
    table.deliver()
    (seat,) = asked
    monkeypatch.setattr(type(table.agreement.game), "objection", lambda self, view, move: None)
    with pytest.raises(RefusedMove) as caught:
        table.seats[seat].session.move(("fold",), 1.0)
    assert caught.value.rule == "shape"
    assert table.seats[seat].session.owes == "turn"
