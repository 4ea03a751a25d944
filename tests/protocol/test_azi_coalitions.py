"""Several liars at a table of Azi, lies about packs, and two versions of one entry.

What one alone can do is tried in ``test_azi_liars``.
"""

from __future__ import annotations

import pytest

from protocol.effects import Effect, Tell
from protocol.envelope import open_envelope, seal
from protocol.events import HandStarted, Stopped
from tests.protocol.azi_forgeries import move
from tests.protocol.azi_lies import (
    BLIND,
    CHEATS,
    HALF,
    PLAIN,
    TWO_HANDS,
    Cheat,
)
from tests.protocol.azi_moments import (
    answers,
    dealt,
    folds,
    helps_all_to_look,
    of_kind,
)
from tests.protocol.azi_stage import (
    Course,
    Moment,
    Told,
    before,
    feed,
    honest,
    liars_first,
    moment,
    named,
    setting,
    stage,
    true_share,
    with_lies,
)
from tests.protocol.azi_verdicts import (
    assert_dealt_again,
    assert_gains_nothing,
    assert_goes_on,
    assert_named,
    assert_played_to_the_end,
    stack_of_who_folds,
    stacks_of,
)
from tests.protocol.forger import Alter, flipped, says, with_field
from tests.protocol.table_lies import one_wrong_share, true_shares
from tests.protocol.tables import Table

pytestmark = pytest.mark.usefixtures("once")

FOUR_BLIND = setting(4, blind="on")
REFUSED = Cheat("rule.bid.chips", FOUR_BLIND, answers, move("bid", 8000))
"""One of four is gone before anybody has looked: its shares come out of its lock."""


@pytest.mark.slow
def test_the_cards_of_a_blind_game_come_out_of_a_liars_lock() -> None:
    """All the others open it together, and see what they would have been given."""
    course = with_lies(FOUR_BLIND, REFUSED.told)
    assert_named(course, (REFUSED.code, REFUSED.told))
    assert_played_to_the_end(course)
    assert_goes_on(REFUSED, course)
    assert_gains_nothing(REFUSED, course)
    liar = REFUSED.told.seat
    looked = moment(course, course.honest[0], of_kind("result")).hand
    slots = [k for seat in course.honest for k in looked.state.block(seat)]  # type: ignore[attr-defined]
    assert {(who, k) for who, k in looked.shares if who == liar} == {
        (liar, k) for k in (*slots, 12)
    }, "no share of the liar's own cards, nor of the stock but the turned-up card"
    for slot in slots:
        assert looked.shares[liar, slot] == true_share(FOUR_BLIND, looked, liar, slot)


@pytest.mark.parametrize(
    ("alter", "code"),
    [
        (one_wrong_share, "proof.shares"),
        pytest.param(true_shares(lambda bases: bases[:9]), "length", id="no parts"),
        pytest.param(says(), "length", id="nothing"),
    ],
)
@pytest.mark.slow
def test_who_refuses_to_open_a_lock_is_gone_too_and_the_game_is_void(
    alter: Alter, code: str
) -> None:
    """Stakes go back, but for those of both liars, which the next bank holds."""
    first = with_lies(FOUR_BLIND, REFUSED.told)
    unlocks = moment(first, other_than(first), helps_all_to_look)
    assert len(unlocks.hand.due(unlocks.seat).unlocks) == 9
    second = Told(unlocks.place, alter)
    course = with_lies(FOUR_BLIND, REFUSED.told, second)
    assert_named(course, (REFUSED.code, REFUSED.told), (code, second))
    assert_played_to_the_end(course)
    assert_void(course, unlocks)
    folded = stack_of_who_folds(FOUR_BLIND, unlocks.place)
    assert stacks_of(course.match.standing)[second.seat] <= folded


def other_than(course: Course) -> int:
    """A seat that has not lied."""
    return course.honest[0]


def assert_void(course: Course, one: Moment) -> None:
    """The game is void; what the liars had paid is carried, and they play no more."""
    void = named(course.hands[0].state)
    paid = one.azi.chips.contributions
    assert (void["ended"], void["gone"], void["winner"]) == ("void", course.liars, ())
    stacks = tuple(
        1000 - (paid[seat] if seat in course.liars else 0) for seat in range(course.setting.seats)
    )
    assert void["stacks"] == stacks
    assert named(course.hands[0].standing)["carried"] == sum(paid[seat] for seat in course.liars)
    for over in course.hands[1:]:
        assert named(over.state)["seats"] == course.honest


@pytest.mark.slow
def test_of_three_the_last_one_takes_the_bank() -> None:
    """There is nobody left for whom a game could be void."""
    first = Cheat("rule.bid.chips", BLIND, answers, move("bid", 8000)).told
    course = with_lies(BLIND, first)
    unlocks = moment(course, course.honest[0], helps_all_to_look)
    second = Told(unlocks.place, one_wrong_share)
    course = with_lies(BLIND, first, second)
    assert_named(course, ("rule.bid.chips", first), ("proof.shares", second))
    assert_played_to_the_end(course)
    state = named(course.hands[0].state)
    assert (state["ended"], state["winner"]) == ("alone", course.honest)


@pytest.mark.slow
def test_two_who_refuse_their_shares_at_once_make_the_game_void() -> None:
    """Nobody can look any more, whoever of the two was caught first."""
    looks = [m for m in honest(FOUR_BLIND).moments if helps_all_to_look(m)][1:3]
    lies = [Told(m.place, one_wrong_share) for m in looks]
    course = with_lies(FOUR_BLIND, *lies)
    assert_named(course, *(("proof.shares", one) for one in lies))
    assert_played_to_the_end(course)
    assert_void(course, looks[0])


@pytest.mark.slow
def test_the_last_two_who_are_both_caught_leave_their_stakes_to_who_has_folded() -> None:
    """It is honest and at the table, so the bank is its own; else two could fold for nothing."""
    where = setting(3, "calm", "timid", "calm", blind="on")
    folder = next(m for m in honest(where).moments if folds(m))
    looks = [m for m in honest(where).moments if helps_all_to_look(m) and m.seat != folder.seat]
    assert len(looks) == 2
    lies = [Told(m.place, one_wrong_share) for m in looks]
    course = with_lies(where, *lies)
    assert_named(course, *(("proof.shares", one) for one in lies))
    assert_played_to_the_end(course)
    assert_void(course, looks[0])
    for one in lies:
        assert stacks_of(course.match.standing)[one.seat] <= stack_of_who_folds(where, one.place)


@pytest.mark.slow
def test_a_seat_that_has_folded_owes_its_part_of_a_lock_all_the_same() -> None:
    """It has nothing left to lose in the game, so it must leave the table to make it void."""
    where = setting(4, "calm", "timid", "calm", "calm", seed=5, blind="on", hands=1)
    folder = moment(honest(where), 1, folds)
    liar = next(
        m
        for m in honest(where).moments
        if m.place > folder.place and answers(m) and m.move != ("fold",)
    )
    first = Told(liar.place, move("bid", 8000))
    due = moment(with_lies(where, first), folder.seat, helps_all_to_look)
    assert (due.hand.due(folder.seat).slots, len(due.hand.due(folder.seat).unlocks)) == ((), 6)
    second = Told(due.place, one_wrong_share)
    course = with_lies(where, first, second)
    assert_named(course, ("rule.bid.chips", first), ("proof.shares", second))
    assert_played_to_the_end(course)
    assert_void(course, due)


@pytest.mark.slow
def test_a_deal_that_is_lost_twice_costs_both_liars_and_goes_to_the_last_two() -> None:
    """Each loses its own ante and share of the bank; the others have theirs back each time."""
    where = setting(4)
    first = Cheat("proof.shares", where, dealt, one_wrong_share).told
    again = with_lies(where, first)
    two = next(m for m in again.moments if dealt(m) and m.table.hand_number == 2)
    second = Told(two.place, one_wrong_share)
    course = with_lies(where, first, second)
    assert_named(course, ("proof.shares", first), ("proof.shares", second))
    assert_played_to_the_end(course)
    one = next(m for m in honest(where).moments if m.place == first.place)
    assert_dealt_again(one, course.hands[0])
    assert_dealt_again(two, course.hands[1])
    assert named(course.hands[2].state)["seats"] == course.honest
    assert named(course.hands[2].standing)["played"] == 1
    # 10 + 20 of the first; the second one's ante and, of a bank of that and 30 of antes, all 60.
    assert named(course.hands[1].standing)["carried"] == 30 + 10 + 60


# Packs.


@pytest.mark.slow
@pytest.mark.parametrize("lane", [1, 2])
def test_who_spoils_a_pack_is_out_and_the_others_make_another_one(lane: int) -> None:
    """The first pack before anybody has paid; the next one while the hand goes on with the liar."""
    told = Told((lane, 6, 2), flipped(5))
    course = played(stage(TWO_HANDS, (told,)), told)
    assert_named(course, ("proof.shuffle", told))
    assert_played_to_the_end(course)
    seats = [named(over.state)["seats"] for over in course.hands]
    assert seats == [(0, 1)] * 2 if lane == 1 else [(0, 1, 2), (0, 1)]


def played(table: Table, *told: Told) -> Course:
    """A table played from its beginning."""
    table.begin()
    table.deliver()
    return Course(TWO_HANDS, told, table)


def test_a_ready_for_a_spoiled_pack_does_not_spoil_the_record() -> None:
    """Whoever says, out of turn, that a pack is good whose proof is false, says nothing.

    What is kept of it must not make the others' record take that pack for a good one.
    """
    lies = (
        Told((1, 6, 2), flipped(5)),
        Told((0, 1, 2), lambda scene: scene.sealed((1, bytes(32)), kind="ready"), stray=True),
    )
    table = stage(PLAIN, lies)
    table.begin()
    liars_first(table, (2,))
    course = Course(PLAIN, lies, table)
    assert_named(course, ("proof.shuffle", lies[0]), ("turn", lies[1]))
    assert_played_to_the_end(course)
    assert (0, 1, 2) in table.seats[0].entries


@pytest.mark.slow
def test_a_lie_at_ready_has_who_passed_asked_again_and_no_pack_made_for_nobody() -> None:
    """Two heirs are left; who has passed may buy in after all. Packs are made for hands alone."""

    def ready(m: Moment) -> bool:
        return m.kind == "ready" and m.table.hand_number == 2 and m.seat in m.table.dealt_in

    cheat = Cheat("ready.pack", HALF, ready, with_field(0, 99))
    course = with_lies(HALF, cheat.told)
    assert_named(course, (cheat.code, cheat.told))
    assert_played_to_the_end(course)
    assert_gains_nothing(cheat, course)
    asked = [one.seat for one in course.moments if one.kind == "move" and one.hand.is_interlude]
    assert len(asked) == 2
    assert len(set(asked)) == 1
    started = course.table.seats[asked[0]].events
    (last,) = (e for e in started if isinstance(e, HandStarted))
    # 1 and 2 were for all four; 3 was for the three heirs, 4 for those two that are left.
    assert (last.pack, len(last.seats)) == (4, 2)


@pytest.mark.slow
def test_who_sits_out_is_not_caught_by_its_pack_before_it_comes_back() -> None:
    """A false proof for a pack that is not dealt does nothing; it is found when READY wants it."""
    where = setting(3, "timid", hands=4)
    told = Told((2, 6, 2), flipped(5))
    table = stage(where, (told,))

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Tell) and isinstance(effect.event, HandStarted) and seat == 2:
            table.seats[2].session.sit("out" if effect.event.hand == 1 else "in")

    table.watch = watch
    table.begin()
    table.deliver()
    course = Course(where, (told,), table)
    assert_named(course, ("proof.shuffle", told))
    assert_played_to_the_end(course)
    seats = [named(over.state)["seats"] for over in course.hands]
    assert seats == [(0, 1, 2), (0, 1), (0, 1), (0, 1)]
    lanes = list(dict.fromkeys(one.place[0] for one in course.moments))
    assert lanes == [1, 0, 3, 2, 4, 5], "the spoiled pack stands where READY waited for it"


# A seat that is out, and its two versions of an old entry.


def second_version(table: Table, told: Told) -> bytes:
    """Another version of what a liar has said, which nobody has seen yet."""
    lane, step, seat = told.place
    (first,) = (
        one
        for one in (open_envelope(data, table.agreement) for data in table.seats[seat].sent)
        if (one.lane, one.step, one.seat) == told.place
    )
    choice = (("bid", 6000), (), ())
    key = table.keys[seat]
    return seal(table.agreement, key, lane, step, seat, first.head, first.kind, choice).data


@pytest.mark.parametrize("meanwhile", ["in the next hand", "while some have closed SIT"])
@pytest.mark.slow
def test_who_is_out_cannot_end_the_match_by_an_old_entry(meanwhile: str) -> None:
    """It is named for its two versions; nothing hangs on them, so nobody stops for them."""
    where = setting(3, hands=3)
    told = Cheat("rule.bid.chips", where, answers, move("bid", 5000)).told
    liar = told.seat
    table = stage(where, (told,))
    one, other = (seat for seat in range(3) if seat != liar)
    held: list[tuple[int, int, bytes]] = []
    told_again = False

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        nonlocal told_again
        entry = open_envelope(data, table.agreement)
        sits = entry.kind == "sit" and entry.seat == one and target == other
        if sits and not told_again and meanwhile != "in the next hand":
            held.append((source, target, data))
            return []
        later = entry.lane == 0 and entry.step > told.place[1] + 12 and source != liar
        if later and not told_again and meanwhile == "in the next hand":
            told_again = True
            twin = second_version(table, told)
            table.queue.extend((liar, seat, twin) for seat in (one, other))
        return [data]

    table.tamper = tamper
    table.begin()
    table.deliver()
    if held:
        told_again = True
        twin = second_version(table, told)
        table.queue.extend((liar, seat, twin) for seat in (one, other))
        table.queue.extend(held)
        table.deliver()
    assert told_again
    course = Course(where, (told,), table)
    for seat in (one, other):
        codes = [fault.code for fault in table.seats[seat].faults]
        assert codes == ["rule.bid.chips", "equivocation"]
    assert_played_to_the_end(course)


@pytest.mark.parametrize("when", ["before they are overdue", "after it"])
def test_two_versions_that_part_the_others_stop_them_all(when: str) -> None:
    """One that is valid, by which the liar is in, and one that is not, by which it is out.

    Whichever they were told, and whenever they hear of the other one, none waits for ever.
    """
    cheat = CHEATS["a bid beyond the stack"]
    told = cheat.told
    liar = told.seat
    deceived, other = (seat for seat in range(3) if seat != liar)
    by = (liar, deceived)
    table = stage(PLAIN, (told,))
    held: list[tuple[int, int, bytes]] = []
    apart = True

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        entry = open_envelope(data, table.agreement)
        if apart and liar not in (source, target):
            held.append((source, target, data))
            return []
        if apart and (entry.lane, entry.step) == told.place[:2] and (source, target) == by:
            choice = (("level",), (), ())
            key, place = table.keys[liar], (entry.lane, entry.step, liar)
            return [seal(table.agreement, key, *place, entry.head, "move", choice).data]
        return [data] if not apart or entry.seat == source else []

    table.tamper = tamper
    feed(table, before(PLAIN, told.place[:2]))
    table.begin()
    table.deliver()
    if when == "after it":
        all_tick(table, 50.0)  # overdue, and not called gone yet
    apart = False
    table.queue.extend(held)
    table.deliver()
    all_tick(table, 2000.0)
    for seat in (deceived, other):
        (stopped,) = (e for e in table.seats[seat].events if isinstance(e, Stopped))
        assert (stopped.seats, stopped.code) == ((liar,), "equivocation")


def all_tick(table: Table, now: float) -> None:
    """Time passes."""
    while table.now < now:
        table.now += 10.0
        for seat, seated in enumerate(table.seats):
            table.run(seated.session.tick(table.now), seat)
    table.deliver()
