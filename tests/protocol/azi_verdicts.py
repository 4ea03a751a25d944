"""What must follow from a lie at Azi: who is named, what the hand becomes, what the liar has."""

from __future__ import annotations

from functools import cache
from typing import cast

from protocol.events import HandOver, Stopped
from tests.protocol.azi_forgeries import fold
from tests.protocol.azi_lies import (
    Cheat,
)
from tests.protocol.azi_moments import (
    bids,
)
from tests.protocol.azi_stage import (
    Course,
    Moment,
    Setting,
    Told,
    honest,
    named,
    stacks_after,
    with_lies,
)
from tests.protocol.azi_ways import AZI


def assert_named(course: Course, *lies: tuple[str, Told]) -> None:
    """All honest seats name these liars and nobody else, in one record, which says the same.

    What was said out of turn stands in no record.
    """
    faults = [(code, *told.place) for code, told in lies]
    for seat in course.honest:
        found = [f for f in course.table.seats[seat].faults if f.seat is not None]
        assert [(f.code, f.lane, f.step, f.seat) for f in found] == faults, seat
    report = course.report
    caught = [(code, *told.place) for code, told in lies if not told.stray]
    assert [(f.code, f.lane, f.step, f.seat) for f in report.caught] == caught
    assert report.fault == (report.caught[0] if caught else None)
    assert report.verdict == ("unsound" if caught else "complete")
    assert report.besides is None


def assert_played_to_the_end(course: Course) -> None:
    """All honest seats saw the same end, as an outsider does; no chip is made or lost."""
    assert course.events(Stopped) == []
    report, match = course.report, course.match
    assert (report.end, report.standing) == (match.end, match.standing)
    options = dict(course.setting.options)
    stack = int(options.get("stack", 1000))
    for standing in [*(over.standing for over in course.hands), match.standing]:
        assert chips(standing) == course.setting.seats * stack


def chips(standing: object) -> int:
    """All chips of a table between two hands."""
    told = named(standing)
    stacks, carried = told["stacks"], told["carried"]
    assert isinstance(stacks, tuple)
    assert isinstance(carried, int)
    return sum(stacks) + carried


def over_of(course: Course, one: Moment) -> HandOver:
    """The hand in which this moment lies, as it ended."""
    (over,) = (over for over in course.hands if over.hand == one.table.hand_number)
    return over


def assert_goes_on(cheat: Cheat, course: Course) -> None:
    """The liar counts as folded; at the deal the pack is spent; after the hand nothing changes."""
    one, told = cheat.moment, cheat.told
    later = [set(tuple_of(named(over.state)["seats"])) for over in course.hands]
    if told.stray:
        told_later = honest(cheat.where).hands[-len(course.hands) :]
        assert course.hands == told_later
        return
    if one.phase == "":
        assert all(told.seat not in seats for seats in later[one.table.hand_number - 1 :])
        return
    over = over_of(course, one)
    state = named(over.state)
    assert all(told.seat not in seats for seats in later[over.hand :])
    if one.kind == "result":
        assert over == over_of(honest(cheat.where), one)
        return
    assert told.seat in tuple_of(state["folded"])
    assert state["gone"] == (told.seat,)
    if one.phase == "deal":
        assert_dealt_again(one, over)
    else:
        assert state["ended"] in ("won", "alone", "azi")
        assert state["winner"] != (told.seat,)
        assert told.seat not in tuple_of(state["heirs"])


def assert_dealt_again(one: Moment, over: HandOver) -> None:
    """Ante and a part of the bank are lost, or what the opening costs if that is more.

    The others have theirs back, and are dealt in again.
    """
    state, before = named(over.state), one.azi
    others = tuple(seat for seat in before.seats if seat != one.seat)
    assert (state["ended"], state["heirs"]) == ("spent", others)
    ante = before.chips.contributions[one.seat]
    penalty = -(-before.chips.bank // (len(before.seats) - 2))
    if one.seat == before.opener:
        penalty = max(penalty, before.rules.min_bid // (2 if before.rules.blind else 1))
    lost = before.chips.carried + ante + min(before.chips.stacks[one.seat], penalty)
    stacks = list(before.before.stacks)
    stacks[one.seat] -= lost - before.chips.carried
    assert (state["stacks"], state["carried"]) == (tuple(stacks), lost)
    assert named(over.standing)["entry"] == "again"


def tuple_of(value: object) -> tuple[object, ...]:
    """A plain value that is a tuple."""
    assert isinstance(value, tuple)
    return value


def assert_gains_nothing(cheat: Cheat, course: Course) -> None:
    """After the hand the liar has no more than if it had folded, nor later."""
    one, liar = cheat.moment, cheat.told.seat
    hand = one.table.hand_number
    if cheat.told.stray:
        return
    at_the_end = stacks_of(course.match.standing)[liar]
    if one.phase == "" or one.kind == "result":
        standing = AZI.settle(one.hand.state) if one.kind == "result" else one.table.standing
        assert at_the_end == stacks_of(AZI.plain_standing(standing))[liar]
        return
    folded = stack_of_who_folds(cheat.where, one.place)
    assert stacks_after(course, hand)[liar] <= folded
    assert at_the_end <= folded


def stacks_of(standing: object) -> tuple[int, ...]:
    """The stacks of a plain standing."""
    return cast("tuple[int, ...]", named(standing)["stacks"])


@cache
def stack_of_who_folds(where: Setting, place: tuple[int, int, int]) -> int:
    """The seat's stack after this hand if it folds then, or else when it was asked before or after.

    Who must open is late instead.
    """
    moments = honest(where).moments
    hand = next(m.table.hand_number for m in moments if m.place == place)
    asked = [
        m
        for m in moments
        if m.seat == place[2] and m.place[0] == 0 and m.table.hand_number == hand and bids(m)
    ]
    when = max((m for m in asked if m.place <= place), key=lambda m: m.place, default=asked[0])
    course = with_lies(where, Told(when.place, fold))
    assert course.report.verdict == "complete"
    return stacks_after(course, hand)[place[2]]
