"""With blind bids nobody can see its own cards before it says that it looks; the record shows it.

The tests know all secrets of all seats, and look for every share in every byte that was signed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, product

import pytest

from engine import Slot
from engine.azi.state import AziState
from protocol.effects import Effect
from protocol.group import Point, secret_times, subtract
from protocol.hand import Hand
from protocol.packmaker import PackSecrets
from tests.protocol.azi_forgeries import move
from tests.protocol.azi_moments import answers
from tests.protocol.azi_shares import all_shares, hands_of, secrets_of, shares_in
from tests.protocol.azi_stage import (
    Course,
    Moment,
    Setting,
    Told,
    honest,
    moment,
    setting,
    stage,
    with_lies,
)

pytestmark = pytest.mark.usefixtures("once")

MIXED = ("calm", "timid", "eager", "seen timid", "calm", "timid")

BLIND_TABLES = [
    setting(2, blind="on"),
    setting(3, blind="on"),
    setting(3, *MIXED, blind="on"),
    setting(4, *MIXED, blind="on"),
    setting(5, *MIXED, blind="on"),
    setting(6, *MIXED, blind="on"),
    setting(6, blind="on"),
    setting(4, "timid", blind="on", trump_from="dealers_last_card"),
]


def some_slow(settings: list[Setting], quick: int) -> list[object]:
    """The first few as they are, the others marked as slow."""
    return [
        pytest.param(one, id=f"{one.seats} {' '.join(one.ways)} {i}", marks=marks)
        for i, one in enumerate(settings)
        for marks in [() if i < quick else pytest.mark.slow]
    ]


@pytest.mark.parametrize("where", some_slow(BLIND_TABLES, 3))
def test_who_has_not_looked_cannot_look(where: Setting) -> None:
    """At no step is there a set of shares, parts of locks and own secrets that opens a slot.

    The shares that are out follow from the public moves, and the record shows what bids were blind.
    """
    course = honest(where)
    assert cannot_look(course) > 0
    assert_shares_follow_from_moves(course)
    assert blind_bids(course) > 0


@pytest.mark.parametrize("seats", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_nor_can_it_when_a_seat_is_gone_and_its_lock_is_there(seats: int) -> None:
    """The lock of a gone seat opens when all others open it, and that is at the look."""
    where = setting(seats, "calm", "eager", "calm", "calm", seed=1, blind="on")
    liar = next(m for m in honest(where).moments if answers(m))
    course = with_lies(where, Told(liar.place, move("bid", 8000)))
    assert cannot_look(course) > 0
    last = moment(course, course.honest[0], lambda m: m.kind == "result").hand
    assert {seat for seat, _, _ in last.unlocks} == set(course.honest)


def cannot_look(course: Course) -> int:
    """Asserts that no seat can open a card before it has looked: in how many ways it tried."""
    tried = 0
    done: set[object] = set()
    for one in course.moments:
        if one.phase not in ("deal", "bid", "play"):
            continue
        state, hand = one.azi, one.hand
        out = (frozenset(hand.shares), frozenset(hand.locks), frozenset(hand.unlocks))
        what = (hand.pack.plan.number, *out)
        for seat in set(state.seats) - state.looked:
            if (seat, what) not in done:
                done.add((seat, what))
                own = secrets_of(course.setting, hand)[seat]
                tried += sum(tries(hand, own, slot) for slot in hidden(state, seat))
    return tried


def hidden(state: AziState, seat: int) -> list[Slot]:
    """The slots of a seat that are not turned up for all."""
    return [slot for slot in state.block(seat) if slot != state.turned_up_slot]


def tries(hand: Hand, own: PackSecrets, slot: Slot) -> int:
    """Puts together all that could stand for the shares that are missing; none of it opens it."""
    mine = secret_times(own.x, hand.pack.deck.first[slot])
    with pytest.raises(KeyError):
        hand.face(slot, {own.seat: mine})
    parts: list[list[Point | None]] = []
    for other in hand.seats:
        if other != own.seat:
            given = hand.shares.get((other, slot))
            parts.append([given] if given is not None else stand_ins(hand, other, own, slot))
    assert any(part[0] is None for part in parts), "all shares are there"
    covered = subtract(hand.pack.deck.second[slot], (mine,))
    assert covered is not None
    ways = 0
    for chosen in product(*parts):
        point = subtract(covered, [P for P in chosen if P is not None])
        assert point not in hand.pack.faces
        ways += 1
    return ways


def stand_ins(hand: Hand, other: int, own: PackSecrets, slot: Slot) -> list[Point | None]:
    """Nothing, and what a lock holds, with as many covers taken off as there are keys to it."""
    sealed = hand.locks.get(other)
    if sealed is None or slot not in sealed.slots:
        return [None]
    at = sealed.slots.index(slot)
    R, V = sealed.lock.R[at], sealed.lock.V[at]
    others = [P for (_, gone, k), P in hand.unlocks.items() if (gone, k) == (other, slot)]
    return [None, V, subtract(V, (secret_times(own.x, R), *others))]


def test_a_peer_that_tries_all_the_time_sees_no_card_before_its_look() -> None:
    """At every single thing that its session does: with its own session, secrets and history."""
    where = setting(3, "eager", "calm", "calm", blind="on")
    table = stage(where)
    opened: list[tuple[str, ...]] = []
    tried = 0

    def watch(seat: int, effect: Effect) -> None:
        nonlocal tried
        session = table.seats[0].session
        hand = session.history.table.hand
        if seat != 0 or hand is None or not isinstance(hand.state, AziState):
            return
        own = session._own._secrets(hand.pack.plan)
        if own is None or hand.state.phase == "over":
            return
        tried += 1
        for slot in hidden(hand.state, 0):
            share = secret_times(own.x, hand.pack.deck.first[slot])
            try:
                hand.face(slot, {0: share})
            except KeyError:
                assert 0 not in hand.state.seen
            else:
                assert 0 in hand.state.looked
                opened.append(("looked",))

    table.watch = watch
    table.begin()
    table.deliver()
    assert tried > 20
    assert opened


def givers(course: Course) -> Iterator[tuple[Moment, dict[Slot, set[int]]]]:
    """Every moment in a hand, with the seats whose share of each slot stands in the record."""
    for hand, moments in hands_of(course):
        known = all_shares(course.setting, hand)
        out: dict[Slot, set[int]] = {slot: set() for slot in range(len(hand.pack.plan.cards))}
        for _, step in groupby(moments, lambda one: one.place[:2]):
            entries = list(step)
            for one in entries:
                yield one, {slot: set(seats) for slot, seats in out.items()}
            for one in entries:
                for seat, slot in shares_in(one.envelope.data, known):
                    out[slot].add(seat)


def assert_shares_follow_from_moves(course: Course) -> None:
    """For every slot at every step: as the moves alone say, found byte by byte in the record.

    A folded seat's shares of the cards of others that have not looked are out, nobody else's; after
    a look all others' are; the own share comes when a card is played, and not otherwise.
    """
    expected: dict[Slot, set[int]] = {}
    for one, out in givers(course):
        state, seats = one.azi, set(one.azi.seats)
        if one.kind in ("lock", "shares") and one.phase == "deal":
            expected = {slot: set() for slot in out}
            assert out == expected, "no share is out before the cards are dealt"
            continue
        if state.phase == "bid" and not state.actions:
            expected[state.turned_up_slot] = seats
        for seat in state.looked & state.seen:
            for slot in hidden(state, seat):
                expected[slot] |= seats - {seat}
        for trick in [state.trick, *(trick.plays for trick in state.tricks)]:
            for play in trick:
                expected[play.slot] = seats
        if state.phase != "over" and not state.looking:
            assert out == expected, one.place
        if one.move in (("fold",), ("late",)) and len(state.inside) > 2:
            for other in set(state.inside) - {one.seat} - state.seen:
                for slot in hidden(state, other):
                    expected[slot] = expected[slot] | {one.seat}


def blind_bids(course: Course) -> int:
    """How many bids in a record were blind.

    Before such a bid none of those still in has given its share of the bidder's cards: to see them
    it needed the share of another seat that was still in the game against it.
    """
    blind = 0
    for one, out in givers(course):
        state = one.azi
        if one.move[:1] in (("bid",), ("level",)) and state.is_blind(one.seat):
            blind += 1
            rivals = set(state.inside) - {one.seat}
            assert rivals
            for slot in hidden(state, one.seat):
                assert not out[slot] & rivals
                if not state.folded:
                    assert not out[slot]
    return blind
