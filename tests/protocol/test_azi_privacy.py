"""What a record of Azi gives away: the cards that were played, and no others.

The tests know all secrets of all seats, so they can look for them in every byte that was signed.
"""

from __future__ import annotations

import pytest

from engine import Card, Slot
from protocol.group import encode_scalar
from protocol.hand import Hand
from protocol.hashing import digest
from protocol.pack import PackState
from protocol.packmaker import PackSecrets
from protocol.wire import Value, pack
from tests.protocol.azi_shares import all_shares, hands_of, secrets_of, shares_in
from tests.protocol.azi_stage import (
    Course,
    Moment,
    Setting,
    honest,
    moment,
    setting,
    stage,
)
from tests.protocol.azi_ways import AZI

pytestmark = pytest.mark.usefixtures("once")

MANY = [
    setting(2, "fickle", hands=14, max_bid=40, blind="on"),
    setting(2, "fickle", hands=16, max_bid=40, callers_may_reraise="on", left_out_suit="H"),
    setting(3, "fickle", hands=10, max_bid=40, blind="on", azi_entry="half_pot"),
    setting(
        3,
        "fickle",
        hands=10,
        max_bid=40,
        cards=4,
        trump_from="dealers_last_card",
        short_stack="pro_rata",
        stack=200,
    ),
]


Courses = tuple[Course, ...]


def fifty() -> Courses:
    """Fifty games with all kinds of options, many of which end by folds."""
    courses = tuple(honest(where) for where in MANY)
    assert sum(len(list(hands_of(course))) for course in courses) >= 50
    return courses


@pytest.mark.slow
def test_fifty_games_give_away_what_was_played_and_nothing_else() -> None:
    """Their fields are choices, shares and proofs; no share or secret is there that must not be."""
    courses = fifty()
    assert_only_public_fields(courses)
    assert_no_share_of_unplayed_cards(courses)
    assert_no_secrets(courses)
    assert_results_are_of_what_everybody_knows(courses)


def assert_only_public_fields(courses: Courses) -> None:
    """Every field is public, a share or a proof, of an exact length: there is no room for more."""
    kinds: set[str] = set()
    for course in courses:
        for one in course.moments:
            kinds.add(one.kind)
            assert shape(one.envelope.payload) == allowed(one), one.place
    assert kinds == {"commit", "open", "mix", "prove", "ready", "lock", "shares", "move"} | {
        "result",
        "sit",
    }


Shape = int | str | type | tuple["Shape", ...]


def shape(value: Value) -> object:
    """The form of a value: bytes by their length, words as they are, numbers as numbers."""
    if isinstance(value, tuple):
        return tuple(shape(item) for item in value)
    return len(value) if isinstance(value, bytes) else value if isinstance(value, str) else int


def allowed(one: Moment) -> object:
    """The one form that an entry may have here, worked out from the rules again."""
    seats = one.course.setting.seats
    if one.place[0] > 0:
        assert isinstance(one.lane.rules, PackState)
        cards = 27
        return {
            "commit": (32,),
            "open": (33, 33, 32, 32, 33 * cards, 32),
            "mix": (33 * cards, 33 * cards),
            "prove": PROVE_SHAPE,
        }[one.kind]
    if one.kind == "ready":
        return (int, 32)
    if one.kind == "result":
        return (32,)
    if one.kind == "sit":
        return ("in", ())
    if one.kind == "lock":
        m = 3 * (seats - 1)
        return (33 * m, 33 * m, 99, 64)
    if one.kind == "shares":
        return shares_shape(number_due(one))
    return allowed_move(one)


PROVE_SHAPE = (33 * 27, 33 * 5, 33 * 27, 32 * 4, 32 * 27, 32 * 27)


def shares_shape(m: int) -> object:
    """So many shares and their proof; nothing for none."""
    return (33 * m, 33, 33, 32) if m else ()


def number_due(one: Moment) -> int:
    """The shares that a seat gives: at the deal of all cards that it is not dealt, or at a look."""
    state = one.azi
    others = [seat for seat in state.seats if seat != one.seat]
    if one.phase == "deal":
        dealt = 0 if state.rules.blind else len(others) * state.rules.cards
        own = state.turned_up_slot in state.block(one.seat)
        return dealt + (not state.rules.dealers_card or own or state.rules.blind)
    given = [seat for seat in state.looking if seat != one.seat and one.seat not in state.given]
    return 3 * len(given)


def allowed_move(one: Moment) -> object:
    """A choice in words and numbers, a share for a card that opens, proofs for what is claimed."""
    kind = one.move[0]
    if one.hand.is_interlude or kind in ("look", "level"):
        return ((kind,), (), ())
    if kind in ("bid", "discard"):
        return ((kind, int), (), ())
    state = one.azi
    if kind in ("fold", "late"):
        unseen = set(state.inside) - {one.seat} - state.seen if state.rules.blind else set()
        return ((kind,), shares_shape(3 * len(unseen) if len(state.inside) > 2 else 0), ())
    public = one.move[1] == state.turned_up_slot
    claims: object = ()
    if state.trick:
        (card,) = [one.cards[k] for k in one.cards if k == one.move[1]]
        led = state.trick[0].card[1]
        if card[1] != led:
            a = 18 if card[1] == state.trump or led == state.trump else 9
            left = [k for k in one.cards if k not in (one.move[1], state.turned_up_slot)]
            proof = (33 * a, 33 * a, 32 * a, 32 * a)
            claims = ((proof,) * len(left),) if left else ()
    return ((kind, int), shares_shape(0 if public else 1), claims)


def assert_no_share_of_unplayed_cards(courses: Courses) -> None:
    """Discards, folded hands, cards left when a game was decided: nobody can open them, ever.

    Of the stock nothing is out but the card that is turned up.
    """
    unplayed = folded = discarded = 0
    for course in courses:
        for hand, moments in hands_of(course):
            known = all_shares(course.setting, hand)
            out: set[tuple[int, Slot]] = set()
            for one in course.moments:
                out |= shares_in(one.envelope.data, known)
            state = moments[-1].azi
            played = {play.slot for trick in state.tricks for play in trick.plays}
            played |= {play.slot for play in state.trick} | {state.turned_up_slot}
            for seat in state.seats:
                own = {slot for who, slot in out if who == seat and slot in state.block(seat)}
                assert own == played & set(state.block(seat))
                unplayed += len(set(state.block(seat)) - own)
                folded += seat in state.folded
                discarded += state.discards[seat] is not None
                assert (seat, state.discards[seat]) not in out
            dealt = {slot for seat in state.seats for slot in state.block(seat)}
            assert {slot for _, slot in out} <= dealt | {state.turned_up_slot}
            assert set(hand.faces) == played
    assert min(unplayed, folded, discarded) > 10


def assert_no_secrets(courses: Courses) -> None:
    """Neither seeds nor keys nor what the decks were turned over with."""
    for course in courses:
        text = course.record
        for hand, _ in hands_of(course):
            for seat, own in secrets_of(course.setting, hand).items():
                assert own.seed not in text
                for x in (own.x, *own.mix_randomness, *own.commitment_randomness):
                    assert encode_scalar(x) not in text, seat


def assert_results_are_of_what_everybody_knows(courses: Courses) -> None:
    """Of the public state and the standing; the only faces in them are those on the table."""
    results = 0
    for course in courses:
        for one in course.moments:
            if one.kind != "result":
                continue
            results += 1
            state, settled = one.azi, AZI.settle(one.azi)
            public = (AZI.plain(state), AZI.plain_standing(settled))
            assert faces_in(public) <= set(one.hand.faces.values())
            identity, number = one.table.agreement.table_id, one.table.hand_number
            assert one.envelope.payload == (digest("result", identity, number, pack(public)),)
    assert results >= 100


def faces_in(value: object) -> set[Card]:
    """The names of cards in plain values."""
    if isinstance(value, tuple):
        return set().union(*map(faces_in, value))
    return {value} if isinstance(value, str) and value in CARDS else set()


CARDS = frozenset(rank + suit for rank in "AKQJT9876" for suit in "SHDC")


# The same game with other cards where nobody looks.


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        (setting(3, "timid", "calm", "calm", seed=3), "folded"),
        pytest.param(
            setting(3, "first slot", cards=4), "discarded", marks=pytest.mark.slow, id="discarded"
        ),
        pytest.param(
            setting(3, "timid", "calm", "calm", seed=3, blind="on"),
            "folded",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_result_does_not_hang_on_cards_that_nobody_saw(where: Setting, wanted: str) -> None:
    """One card of a folded hand, or a discard, is exchanged for one of the stock: nothing changes.

    The last seat that shuffles exchanges them, and all else is drawn as before.
    """
    usual = honest(where)
    last = moment(usual, 0, lambda m: m.kind == "result")
    state = last.azi
    if wanted == "folded":
        assert 0 in state.folded
        slot = state.block(0)[0]
    else:
        slot = next(slot for slot in state.discards if slot is not None)
    stock = len(state.seats) * state.rules.cards + 1
    other = with_other_cards(where, slot, stock)
    before, after = last.hand, moment(other, 0, lambda m: m.kind == "result").hand
    cards, others = usual.faces(before), faces_with(other, after)
    assert (others[slot], others[stock]) == (cards[stock], cards[slot])
    assert {k: c for k, c in cards.items() if k not in (slot, stock)} == {
        k: c for k, c in others.items() if k not in (slot, stock)
    }
    assert results(other) == results(usual)
    assert [one.move for one in usual.moments] == [one.move for one in other.moments]
    assert usual.hands == other.hands


def results(course: Course) -> list[tuple[Value, ...]]:
    """All results that were said."""
    return [one.envelope.payload for one in course.moments if one.kind == "result"]


def with_other_cards(where: Setting, one: Slot, two: Slot) -> Course:
    """The table once more, but the last seat puts the cards of two slots in each other's place."""
    table = stage(where)
    last = where.seats - 1
    session = table.seats[last].session
    state = session.history.lanes[1].rules
    assert isinstance(state, PackState)
    secrets = PackSecrets(state.plan, last, where.pack_seed(last, 1))
    order = list(secrets.permutation)
    order[one], order[two] = order[two], order[one]
    vars(secrets)["permutation"] = tuple(order)
    session._own._packs[1] = secrets
    table.begin()
    table.deliver()
    return Course(where, (), table)


def faces_with(course: Course, hand: Hand) -> dict[Slot, Card]:
    """All cards of a hand; the keys are the same, whatever the order."""
    return course.faces(hand)
