"""Whole tables of Azi, honest ones: every number of seats, every option, and who comes and goes.

All seats are sessions in one process; whatever happens, all end with one record, which is complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from protocol.effects import Effect, Tell
from protocol.envelope import open_envelope
from protocol.events import HandOver, HandStarted, Left, MatchOver, YourMove
from protocol.verifier import verify
from tests.protocol.azi_stage import (
    Course,
    Moment,
    Setting,
    before,
    feed,
    honest,
    named,
    setting,
    stage,
)
from tests.protocol.azi_ways import AZI
from tests.protocol.tables import Table, drawer
from tests.protocol.test_restart import Case, assert_unharmed, lasting_effects, with_crashes

pytestmark = pytest.mark.usefixtures("once")

TABLES = [
    setting(2, "fickle", hands=2, blind="on", max_bid=60, turn_seconds=0),
    setting(3, "fickle", hands=2, cards=4, trump_from="dealers_last_card", left_out_suit="S"),
    setting(3, "fickle", hands=3, blind="on", raise_step=4, min_bid=4, max_bid=40, ante=0),
    setting(4, "fickle", hands=3, cards=4, callers_may_reraise="on", left_out_suit="D", max_bid=30),
    setting(5, "fickle", hands=2, short_stack="pro_rata", stack=30, grace_seconds=5),
    setting(6, "fickle", hands=2, trump_from="dealers_last_card", left_out_suit="H", stack=50),
    setting(6, "calm", hands=2, blind="on", azi_entry="trick_takers_only"),
]


@pytest.mark.parametrize(
    "where",
    [
        pytest.param(one, marks=() if i < 2 else pytest.mark.slow, id=f"{one.seats} seats {i}")
        for i, one in enumerate(TABLES)
    ],
)
def test_a_match_goes_to_its_end(where: Setting) -> None:
    """Whatever the options, and whatever the seats do that is allowed."""
    assert_ended_well(honest(where))


def test_every_option_is_tried() -> None:
    """At one of the tables here at least it has another value than usual."""
    tried = {name for one in (*TABLES, HALF) for name, _ in one.options}
    assert tried == {option.name for option in AZI.options}


def assert_ended_well(course: Course, out: tuple[int, ...] = ()) -> None:
    """One record of all seats, which is complete; no chip is made or lost, nobody is blamed.

    ``out``: seats that have left before the end, and so have no more of it.
    """
    stack = dict(course.setting.options).get("stack", 1000)
    assert isinstance(stack, int)
    staying = [seat for seat in range(course.setting.seats) if seat not in out]
    ends = set()
    for seat in staying:
        seated = course.table.seats[seat]
        assert seated.faults == []
        assert seated.session.over
        assert seated.secrets == {}
        (over,) = (event for event in seated.events if isinstance(event, MatchOver))
        ends.add(over)
        for event in seated.events:
            if isinstance(event, (HandOver, MatchOver)):
                assert chips(event.standing) == stack * course.setting.seats
    (end,) = ends
    (record,) = {course.table.record(seat) for seat in staying}
    report = verify(record)
    assert (report.verdict, report.fault, report.caught) == ("complete", None, [])
    assert (report.end, report.standing) == (end.end, end.standing)


def chips(standing: object) -> int:
    """All chips of a table between two hands."""
    told = named(standing)
    stacks, carried = told["stacks"], told["carried"]
    assert isinstance(stacks, tuple)
    assert isinstance(carried, int)
    return sum(stacks) + carried


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_any_order_of_delivery_gives_one_record(seed: int) -> None:
    """Packs, looks, folds and turns may overtake each other on the way."""
    where = setting(3, "fickle", seed=seed, hands=2, blind="on", max_bid=60)
    table = stage(where)
    table.begin()
    table.deliver_in_any_order(drawer("azi", seed), in_order=False, twice=5)
    course = Course(where, (), table)
    assert_ended_well(course)
    assert course.hands == honest(where).hands


# Who comes and goes.

Sits = Mapping[tuple[int, int], str]
"""What a seat answers from a hand on: by seat and hand, as it starts."""


def with_sits(where: Setting, sits: Sits) -> Course:
    """A table at which seats sit out, come back and leave."""
    table = stage(where)

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Tell) and isinstance(effect.event, HandStarted):
            choice = sits.get((seat, effect.event.hand))
            if choice is not None:
                table.seats[seat].session.sit(choice)

    table.watch = watch
    table.begin()
    table.deliver()
    return Course(where, (), table)


def dealt(course: Course, seat: int) -> list[tuple[int, tuple[int, ...]]]:
    """Pack and seats of every hand, as a seat saw them start."""
    events = course.table.seats[seat].events
    return [(e.pack, e.seats) for e in events if isinstance(e, HandStarted)]


def test_seats_sit_out_and_come_back_and_find_their_pack() -> None:
    """A pack waits for its very seats: it is dealt when just these sit down again."""
    where = setting(3, "timid", hands=4)
    course = with_sits(where, {(1, 1): "out", (1, 2): "in"})
    assert_ended_well(course)
    everybody, two = (0, 1, 2), (0, 2)
    # Pack 2 was made during the first hand, 3 for the two, 4 during theirs, 5 during the third.
    assert dealt(course, 0) == [(1, everybody), (3, two), (2, everybody), (5, everybody)]
    assert dealt(course, 1) == dealt(course, 0), "who sits out follows the table"


@pytest.mark.slow
def test_two_take_turns_in_sitting_out() -> None:
    """Every set of seats has its own packs, numbered as their lanes opened."""
    where = setting(4, "timid", hands=5)
    sits = {(0, 1): "out", (0, 2): "in", (3, 2): "out", (0, 3): "out", (3, 3): "in", (0, 4): "in"}
    course = with_sits(where, sits)
    assert_ended_well(course)
    seats = [seats for _, seats in dealt(course, 2)]
    assert seats == [(0, 1, 2, 3), (1, 2, 3), (0, 1, 2), (1, 2, 3), (0, 1, 2, 3)]
    packs = [pack for pack, _ in dealt(course, 2)]
    # 4 was made for the three during their hand, and waited; 2 has waited since the first one.
    assert packs == [1, 3, 5, 4, 2]


def test_who_leaves_keeps_its_chips_and_is_asked_no_more() -> None:
    """The others play on; its stack stands where it was."""
    where = setting(3, "timid", hands=3)
    course = with_sits(where, {(2, 1): "leave"})
    assert_ended_well(course, out=(2,))
    assert [seats for _, seats in dealt(course, 0)] == [(0, 1, 2), (0, 1), (0, 1)]
    stacks = [named(over.standing)["stacks"] for over in hands(course, 0)]
    assert len({row[2] for row in stacks if isinstance(row, tuple)}) == 1
    gone = course.table.seats[2]
    assert isinstance(gone.events[-1], Left)
    assert gone.secrets == {}
    sits = [
        envelope.step
        for envelope in (open_envelope(data, course.table.agreement) for data in gone.sent)
        if envelope.seat == 2 and envelope.lane == 0
    ]
    last = max(step for lane, step, seat in gone.entries if lane == 0 and seat == 2)
    assert max(sits) == last


def hands(course: Course, seat: int) -> list[HandOver]:
    """The hands as a seat saw them end."""
    return [e for e in course.table.seats[seat].events if isinstance(e, HandOver)]


def test_where_all_but_one_sit_out_the_match_is_over() -> None:
    """The largest stack of all wins, whoever has it."""
    where = setting(3, "timid", hands=0)
    course = with_sits(where, {(0, 1): "out", (2, 1): "out"})
    assert_ended_well(course)
    (over,) = hands(course, 0)
    end = verify(course.table.record(0)).end
    assert end is not None
    assert end.rule == "few"
    stacks = named(over.standing)["stacks"]
    assert isinstance(stacks, tuple)
    assert end.winner == stacks.index(max(stacks))


@pytest.mark.slow
def test_who_has_no_chips_watches_and_answers_sit() -> None:
    """It is dealt no further hand, and knows the end like everybody."""
    where = setting(3, "all in", "all in", "timid", hands=2, stack=30)
    course = honest(where)
    assert_ended_well(course)
    first, *others = dealt(course, 0)
    assert first[1] == (0, 1, 2)
    stacks = named(hands(course, 0)[0].standing)["stacks"]
    assert isinstance(stacks, tuple)
    broke = stacks.index(0)
    assert all(broke not in seats for _, seats in others)
    sits = [one.seat for one in course.moments if one.kind == "sit"]
    assert sits == [0, 1, 2]


# After an azi.

HALF = setting(4, "buyer", seed=13, azi_entry="half_pot", hands=2)
"""Its first game is an azi in which one seat takes no trick."""


def is_asked(one: Moment) -> bool:
    """A seat is asked whether it buys in."""
    return one.kind == "move" and one.hand.is_interlude


@pytest.mark.slow
@pytest.mark.parametrize("way", ["buyer", "calm"])
def test_who_took_no_trick_is_asked_to_buy_in_between_sit_and_ready(way: str) -> None:
    """Half of the bank, rounded up, buys a hand; who passes watches a pack of three."""
    course = honest(setting(4, way, seed=13, azi_entry="half_pot", hands=2))
    assert_ended_well(course)
    after_azi = named(course.hands[0].standing)
    assert after_azi["entry"] == "azi"
    heirs, bank = after_azi["heirs"], after_azi["carried"]
    assert isinstance(heirs, tuple)
    assert isinstance(bank, int)
    (asked,) = (one for one in course.moments if is_asked(one))
    assert asked.seat not in heirs
    kinds = {one.place[1]: one.kind for one in course.moments if one.place[0] == 0}
    step = asked.place[1]
    assert [kinds[step - 1], kinds[step], kinds[step + 1]] == ["sit", "move", "ready"]
    second = named(course.hands[1].state)
    stacks = after_azi["stacks"]
    assert isinstance(stacks, tuple)
    if way == "buyer":
        assert second["seats"] == (0, 1, 2, 3)
        paid = named(second["before"])
        assert paid["entered"] == (asked.seat,)
        assert paid["carried"] == bank + (bank + 1) // 2
    else:
        assert second["seats"] == heirs
        assert named(second["before"])["carried"] == bank
    events = course.table.seats[asked.seat].events
    assert [e.kind for e in events if isinstance(e, YourMove)].count("buy") == 1


@pytest.mark.parametrize(
    ("entry", "seed", "out"),
    [
        pytest.param("all_ante", 0, (), marks=pytest.mark.slow),
        pytest.param("trick_takers_only", 9, (), marks=pytest.mark.slow),
        pytest.param("half_pot", 5, (0,), marks=pytest.mark.slow),
        pytest.param("all_ante", 0, (0, 1, 2), marks=pytest.mark.slow),
        pytest.param("trick_takers_only", 9, (0, 1, 2, 3), marks=pytest.mark.slow),
    ],
)
def test_a_bank_that_is_carried_over_goes_to_somebody(
    entry: str, seed: int, out: tuple[int, ...]
) -> None:
    """It is played for by those who may; one alone takes it; if nobody sits down it is shared."""
    where = setting(4, seed=seed, azi_entry=entry, hands=3)
    course = with_sits(where, {(seat, 1): "out" for seat in out})
    assert_ended_well(course)
    after = named(hands(course, 0)[0].standing)
    heirs = after["heirs"]
    assert isinstance(heirs, tuple)
    assert after["entry"] == "azi"
    present = [seat for seat in range(4) if seat not in out]
    if len(present) > 1:
        may = range(4) if entry == "all_ante" else heirs
        second = named(hands(course, 0)[1].state)
        assert second["seats"] == tuple(seat for seat in may if seat in present)
        assert second["before"] != ()
        return
    end = verify(course.table.record(0))
    assert end.end is not None
    assert end.end.rule in ("few", "tie")
    last = named(end.standing)
    assert last["carried"] == 0
    assert last["winner"] == (tuple(present) or after["winner"])


# Restarts.


@dataclass(frozen=True)
class BlindCase(Case):
    """A match with blind bids, looks and folds."""

    def table(self) -> Table:
        """The table, about to begin."""
        ways = ("calm", "eager", "seen timid")
        return stage(setting(self.seats, *ways, seed=self.seed, blind="on"))


@pytest.mark.slow
@pytest.mark.parametrize("victim", [0, 2])
def test_a_seat_may_be_killed_in_the_middle_of_a_blind_game(victim: int) -> None:
    """Before it looks, while it does, and after: it says the same again, and nobody is blamed."""
    case = BlindCase("azi", 3, victim)
    effects = lasting_effects(case)
    points = range(effects // 2, effects, 20 if victim == 0 else 9)
    for point in points:
        table, killed = with_crashes(case, point)
        assert killed == 1, point
        assert_unharmed(table, victim)


@pytest.mark.slow
def test_all_may_start_again_in_the_middle_of_a_blind_game() -> None:
    """At any step, from what is on their disks; the game goes on as it would have."""
    where = setting(3, "calm", "eager", "calm", blind="on")
    steps = {one.place[:2] for one in honest(where).moments if one.phase in ("deal", "bid")}
    for step in sorted(steps)[::2]:
        table = stage(where)
        feed(table, before(where, step))
        table.begin()
        table.deliver()
        course = Course(where, (), table)
        assert_ended_well(course)
        assert course.hands == honest(where).hands


@pytest.mark.slow
def test_a_seat_may_start_again_while_others_are_asked_to_buy_in() -> None:
    """Between the hands there are no cards and no secrets, only who has said what."""
    step = next(one.place[:2] for one in honest(HALF).moments if is_asked(one))
    table = stage(HALF)
    feed(table, before(HALF, step))
    table.begin()
    table.deliver()
    course = Course(HALF, (), table)
    assert_ended_well(course)
    assert course.hands == honest(HALF).hands[1:]
