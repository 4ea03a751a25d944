"""A second game is one folder: it plays through session, record and verifier as they are."""

from __future__ import annotations

import itertools

import pytest

import engine
from engine import Move, View
from protocol.agreement import read_agreement
from protocol.effects import Effect
from protocol.envelope import open_envelope, seal
from protocol.errors import RefusedMove
from protocol.events import HandOver, MatchOver, MoveMade, YourMove
from protocol.verifier import verify
from tests.protocol.tables import Table, drawer, make_table

pytestmark = pytest.mark.usefixtures("once")

SHOW: Move = ("show",)
KEEP: Move = ("keep",)

SEED_OF_HIGHER_CARDS = 0
"""With it neither of two seats is dealt the lowest card, so both may show."""


def played(table: Table) -> Table:
    """The table once everything has been said."""
    table.begin()
    table.deliver()
    return table


def kinds(table: Table) -> list[str]:
    """The kinds of the table lane's steps, in order."""
    found: dict[int, str] = {}
    for data in table.seats[0].entries.values():
        envelope = open_envelope(data, table.agreement)
        if envelope.lane == 0:
            found[envelope.step] = envelope.kind
    return [found[step] for step in sorted(found)]


def assert_ended_well(table: Table) -> None:
    """All seats have seen the end in one record, which an outsider finds complete."""
    for seated in table.seats:
        assert seated.faults == []
        assert isinstance(seated.events[-1], MatchOver)
        assert seated.secrets == {}
    records = {table.record(seat) for seat in range(len(table.seats))}
    assert len(records) == 1
    assert verify(records.pop()).verdict == "complete"


def test_the_game_is_there_only_while_the_test_plays(topcard: str) -> None:
    """Its folder alone makes it known, to options and agreements too."""
    assert engine.game_names() == ("azi", "hazari", topcard)
    table = make_table(game=topcard, seats=2)
    assert read_agreement(table.sealed) == table.agreement
    assert table.agreement.options == {"hands": 1, "seconds": 0}


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("strategy", ["random", "keep", "show"])
def test_a_match_plays_through(topcard: str, seats: int, strategy: str) -> None:
    """Turns one after the other, moves that open a card, locks and a show: all end well.

    "show" meets the lowest card now and then, which its own program refuses; then it is kept.
    """
    for seed in range(2):
        table = make_table(seed, topcard, {"hands": 2}, seats, "random")
        if strategy != "random":
            wanted = SHOW if strategy == "show" else KEEP
            table.play = lambda seat, view, wanted=wanted: (
                KEEP if "TS" in dict(view.hand).values() else wanted
            )
        assert_ended_well(played(table))


@pytest.mark.slow
def test_any_order_of_delivery_gives_one_record(topcard: str) -> None:
    """Turns and packs may overtake each other on the way."""
    for seed, seats in itertools.product(range(3), (2, 3)):
        table = make_table(seed, topcard, {"hands": 2}, seats)
        table.begin()
        table.deliver_in_any_order(drawer(seed), in_order=bool(seed % 2), twice=seed % 3 * 2)
        assert_ended_well(table)


def test_the_steps_follow_from_the_rules(topcard: str) -> None:
    """The turned-up card comes with the deal; kept cards are locked, then shown; no move, no step.

    A seat that shows its card opens it with the move: then nothing is left to lock or show.
    """
    kept = make_table("kept", topcard, seats=2)
    kept.play = lambda seat, view: KEEP
    assert kinds(played(kept)) == ["ready", "shares", "move", "move", "lock", "shares", "result"]
    shown = make_table(SEED_OF_HIGHER_CARDS, topcard, seats=2)
    shown.play = lambda seat, view: SHOW
    assert kinds(played(shown)) == ["ready", "shares", "move", "move", "result"]
    moves = [one for one in shown.seats[0].events if isinstance(one, MoveMade)]
    assert sorted(slot for move in moves for slot, _ in move.opened) == [0, 1]


def test_each_seat_sees_its_own_card_and_the_faces_agree_at_the_end(topcard: str) -> None:
    """What a seat was shown of its own card is what all see at the show."""
    table = played(make_table("faces", topcard, seats=3, strategy="keep"))
    own = {}
    for seated in table.seats:
        for event in seated.events:
            if isinstance(event, YourMove):
                own.update(event.view.hand)
    faces = table.seats[0].session.history.table.playing.faces
    assert own == {seat: faces[seat] for seat in range(3)}
    assert set(faces) == {0, 1, 2, 3}, "the turned-up card is open, the last one never"
    over = [one for one in table.seats[1].events if isinstance(one, HandOver)]
    assert over[0].story == tuple(f"seat {seat} held {faces[seat]}" for seat in range(3))


def test_only_the_seat_in_turn_may_move(topcard: str) -> None:
    """The own program refuses a move out of turn and one that the own card forbids."""
    table = make_table("turns", topcard, seats=2)
    asked: list[int] = []

    def play(seat: int, view: View) -> Move:
        asked.append(seat)
        return KEEP

    table.play = play

    def watch(seat: int, effect: Effect) -> None:
        other = table.seats[1 - seat].session
        if asked and other.history.table.stage == "move" and other.owes is None:
            with pytest.raises(RefusedMove) as caught:
                other.move(KEEP, 0.0)
            assert caught.value.rule == "turn"

    table.watch = watch
    played(table)
    assert sorted(asked) == [0, 1]


def test_a_share_for_a_move_that_opens_nothing_is_refused(topcard: str) -> None:
    """A KEEP with shares attached is invalid: a card opens by a rule or not at all."""
    table = make_table("stray", topcard, seats=3)
    table.play = lambda seat, view: SHOW if "TS" not in dict(view.hand).values() else KEEP
    liar: list[int] = []

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        envelope = open_envelope(data, table.agreement)
        if envelope.kind != "move" or (liar and envelope.seat not in liar):
            return [data]
        if envelope.payload[0] != SHOW and not liar:
            return [data]
        liar.append(envelope.seat)
        if target == envelope.seat:
            return []
        bad = seal(
            table.agreement,
            table.keys[envelope.seat],
            0,
            envelope.step,
            envelope.seat,
            envelope.head,
            "move",
            (KEEP, envelope.payload[1], ()),
        )
        return [bad.data]

    table.tamper = tamper
    played(table)
    assert liar
    honest = [seated for seat, seated in enumerate(table.seats) if seat not in liar]
    for seated in honest:
        found = {(fault.code, fault.seat) for fault in seated.faults if fault.seat is not None}
        assert found == {("encoding", liar[0])}
