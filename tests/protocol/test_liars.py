"""One liar at a table of four: the honest three name it, lose nothing to it, and go on or stop.

All four are sessions in one process. The liar's says something else at one place, signed and well
made; the others do not know of any test.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Plain
from protocol.events import HandOver, MatchOver, Overdue, Stopped
from protocol.verifier import verify
from tests.protocol.forger import Scene, says
from tests.protocol.liar import (
    HONEST,
    Liar,
    assert_named,
    deliver_anyhow,
    events,
    first_hands,
    kinds_sent,
    lies_like,
    named,
    played,
    table_with,
)
from tests.protocol.lies import (
    DEAL,
    LIAR,
    LIES,
    MISPLACED,
    Lie,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("once")]


@lies_like(
    "another coin share",
    "no proof of knowledge",
    "a pair twice",
    "a card doubled and committed to",
    "a shuffle of the opening deck",
    "a shuffle proof with another answer",
    "ready for the pack after",
    slow=(
        "a commitment of 31 bytes",
        "a commitment to nothing",
        "a key share off the curve",
        "a proof with the scalar 0",
        "a card doubled in secret",
        "another order than committed to",
        "a card exchanged",
        "a deck of 51",
        "ready for another history of the pack",
    ),
)
def test_a_lie_about_the_pack_stops_the_table_before_any_share(name: str) -> None:
    """Nobody has seen a card of that pack, and nobody ever will."""
    table = played(table_with(LIES[name]))
    assert_named(table, LIES[name])
    for seat in HONEST:
        assert "shares" not in [kind for _, _, kind in kinds_sent(table, seat)]


def test_a_lie_about_the_next_pack_stops_the_table_after_the_hand() -> None:
    """The hand that is played meanwhile has its own pack, and is finished and scored."""
    one = LIES["the shuffle proof of another pack"]
    table = played(table_with(one))
    assert_named(table, one)
    assert first_hands(table).hand == 1
    for seat in HONEST:
        # READY of the second hand would be step 8.
        assert max(step for lane, step, _ in kinds_sent(table, seat) if lane == 0) == 7


@lies_like(
    "the share of another slot",
    "shares of another key",
    "shares of the whole pack",
    slow=(
        "one share moved",
        "two shares moved that cancel",
        "a share too few",
        "a share too many",
    ),
)
def test_a_lie_at_the_deal_stops_the_table(name: str) -> None:
    """The cards are not dealt to the end, and nobody makes a move."""
    table = played(table_with(LIES[name]))
    assert_named(table, LIES[name])
    for seat in HONEST:
        assert "move" not in [kind for _, _, kind in kinds_sent(table, seat)]


def state_of(over: HandOver) -> dict[str, Plain]:
    """The public state of a finished hand by name."""
    assert isinstance(over.state, tuple)
    return dict(over.state)  # type: ignore[arg-type]


@lies_like(
    "a slot twice",
    "a dismissal with other cards",
    "a dismissal of no cards",
    "a dismissal with a run",
    "a lock that nobody else can open",
    slow=(
        "another seat's slots",
        "four cards in front",
        "a move of bytes",
        "a dismissal that the table has not",
        "a dismissal with cards of the others",
        "a lock of slots exchanged",
        "a lock of another seat's slots",
        "a lock of another key's shares",
        "a lock of twelve",
    ),
)
def test_a_lie_about_the_own_cards_leaves_the_hand_to_the_others(name: str) -> None:
    """The hand goes on; the liar's cards are what the three others do not hold, as they fall."""
    one = LIES[name]
    table = played(table_with(one))
    state = state_of(first_hands(table))
    assert state["hidden"] == state["replaced"] == (LIAR,)
    scores = state["scores"]
    assert isinstance(scores, tuple)
    assert sum(score for score in scores if isinstance(score, int)) == 360
    assert_named(table, one)


@lies_like(
    "cards exchanged at the show",
    slow=("the deal's shares at the show", "another key's shares at the show"),
)
def test_a_lie_at_the_show_changes_nothing(name: str) -> None:
    """The three others open the liar's lock, and its own division counts."""
    one = LIES[name]
    table = played(table_with(one))
    over = first_hands(table)
    same_hand = played(table_with(LIES["sitting on the table"]))
    state, honest = state_of(over), state_of(first_hands(same_hand))
    assert state["gone"] == (LIAR,)
    assert state["hidden"] == state["replaced"] == ()
    assert (state["divisions"], state["scores"]) == (honest["divisions"], honest["scores"])
    assert_named(table, one)


@lies_like("another result", "sitting on the table", slow=("no result", "sitting twice"))
def test_a_lie_between_the_hands_ends_the_match(name: str) -> None:
    """The hand counts as it was played; the liar does not sit down again."""
    one = LIES[name]
    table = played(table_with(one))
    assert first_hands(table).hand == 1
    assert_named(table, one)


def test_an_entry_of_another_kind_is_the_liars_fault() -> None:
    """It is well signed and in its place: it counts as no entry at all."""
    one = MISPLACED["another kind"]
    table = played(table_with(one))
    assert_named(table, one)


def test_an_entry_out_of_turn_is_named_and_passed_over() -> None:
    """The pack is made as if it had not been said; it stands in no record."""

    table = table_with(Lie("turn", (1, 6, LIAR), options={"hands": 1}))
    liar = table.seats[LIAR].session
    assert isinstance(liar, Liar)
    liar.strays[1, 6] = says()
    played(table)
    (record,) = {table.record(seat) for seat in range(4)}
    assert verify(record).verdict == "complete"
    for seat in (0, 1):
        (fault,) = table.seats[seat].faults
        assert (fault.code, fault.lane, fault.step, fault.seat) == ("turn", 1, 6, LIAR)
    # Seat 3, whose turn it was, has mixed already: the step is over, and late words are dropped.
    assert table.seats[3].faults == []


@pytest.mark.parametrize("head", [bytes(32), None])
def test_an_entry_on_another_history_or_of_no_kind_is_nobodys(head: bytes | None) -> None:
    """The table waits for the seat, as for one that is silent, and says so; nobody is blamed."""

    def alter(scene: Scene) -> bytes:
        return scene.sealed(head=head) if head else scene.sealed(kind="bogus")

    table = played(table_with(Lie("", DEAL, {DEAL: alter})))
    table.now = 15.0
    for seat in HONEST:
        session = table.seats[seat].session
        assert session.missing()[0] == (LIAR,)
        table.run(session.tick(table.now), seat)
        late = [e for e in table.seats[seat].events if isinstance(e, Overdue) and e.lane == 0]
        assert [(e.kind, e.seats) for e in late] == [("shares", (LIAR,))]
        (fault,) = table.seats[seat].faults
        assert (fault.code, fault.seat) == ("head" if head else "kind", None)
        assert not events(table, seat, Stopped)


def test_a_lie_in_the_last_hand_does_not_take_the_match_from_the_others() -> None:
    """The hand is scored with what is left of the liar's cards, so the match has a winner."""
    one = replace(LIES["another seat's slots"], options={"hands": 1})
    table = played(table_with(one))
    for seat in HONEST:
        (over,) = events(table, seat, MatchOver)
        assert isinstance(over, MatchOver)
        assert over.end.winner is not None
        assert [(f.code, f.seat) for f in named(table, seat)] == [(one.code, LIAR)]
        assert not events(table, seat, Stopped)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "another coin share",
        "a card doubled and committed to",
        "a shuffle proof with another answer",
        "the shuffle proof of another pack",
        "ready for the pack after",
        "one share moved",
        "a slot twice",
        "a lock that nobody else can open",
        "cards exchanged at the show",
        "another result",
        "sitting on the table",
    ],
)
def test_in_any_order_of_delivery_a_lie_has_one_end(name: str) -> None:
    """The three honest seats stop at the same place, with the same record."""
    for seed in range(3):
        table = table_with(LIES[name])
        table.begin()
        deliver_anyhow(table, seed)
        assert_named(table, LIES[name])
