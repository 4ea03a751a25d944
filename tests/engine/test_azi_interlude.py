"""Between games of Azi: who plays, who buys in, who gets a bank that nobody plays for; the end."""

from __future__ import annotations

from typing import Any

import pytest

from engine import IllegalMove, Outcome, Seat
from engine.azi import GAME
from engine.azi.interlude import Interlude
from engine.azi.standing import AziStanding
from tests.engine.azi_hands import ALL, options, standing, view

HALF = options(azi_entry="half_pot")
ONLY = options(azi_entry="trick_takers_only")
ANTE = options()


def after_azi(*stacks: int, bank: int = 61, opener: Seat = 1, **more: object) -> AziStanding:
    """After an azi of seats 0, 1 and 2, if nothing else is said."""
    fields: dict[str, object] = {
        "carried": bank,
        "entry": "azi",
        "heirs": (0, 1, 2),
        "azi_bank": bank,
        "opener": opener,
        "free": True,
    }
    return standing(*stacks, **(fields | more))


def between(chosen: Any, before: AziStanding, present: frozenset[Seat] = ALL) -> Interlude:
    """The interlude, which must be due."""
    state = GAME.interlude(chosen, before, present)
    assert isinstance(state, Interlude)
    return state


def answers(state: Interlude, *told: str) -> Interlude:
    """The state after ``"3 buy"``, ``"4 pass"`` or ``"4 gone"``."""
    for one in told:
        seat, kind = one.split()
        if kind == "gone":
            after, outcome = GAME.absent(state, frozenset({int(seat)}), {})
            assert outcome is Outcome.GOES_ON
        else:
            assert GAME.needs(state, int(seat), (kind,)) == ()
            assert GAME.claims(state, int(seat), (kind,), {}) == ()
            after = GAME.apply(state, {int(seat): (kind,)}, {})
        assert isinstance(after, Interlude)
        assert chips(after.standing) == chips(state.before)
        state = after
    return state


def chips(one: AziStanding) -> int:
    """All chips of the table."""
    return sum(one.stacks) + one.carried


def settled(state: Interlude) -> AziStanding:
    """The standing after an interlude that is over."""
    assert GAME.over(state)
    after = GAME.settle(state)
    assert isinstance(after, AziStanding)
    return after


@pytest.mark.parametrize(
    ("ante", "stacks", "expected"),
    [
        (10, (10, 9, 100, 0), (0, 2)),
        (10, (10, 9, 0, 0), ()),
        (0, (1, 0, 5, 0), (0, 2)),
        (0, (0, 0, 5, 0), ()),
    ],
)
def test_who_can_pay_the_ante_is_dealt_in(
    ante: int, stacks: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    """Without an ante it takes one chip; one seat alone does not play."""
    assert GAME.dealt_in(options(ante=ante), standing(*stacks), ALL) == expected


def test_who_sits_out_is_not_dealt_in() -> None:
    """Whatever the stack; seats that there are not do no harm."""
    assert GAME.dealt_in(ANTE, standing(50, 50, 50), frozenset({0, 2, 5})) == (0, 2)
    assert GAME.dealt_in(ANTE, standing(50, 50, 50), frozenset({0})) == ()


@pytest.mark.parametrize(
    ("chosen", "entered", "expected"),
    [
        (ANTE, (), (0, 1, 2, 4)),
        (HALF, (), (0, 1, 2)),
        (HALF, (3, 4), (0, 1, 2, 3, 4)),
        (ONLY, (), (0, 1, 2)),
    ],
)
def test_who_plays_on_after_an_azi(
    chosen: Any, entered: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    """The trick takers in any case, without a chip too; seat 3 cannot pay the ante."""
    before = after_azi(0, 50, 50, 3, 50, entered=entered)
    assert GAME.dealt_in(chosen, before, ALL) == expected
    assert GAME.dealt_in(chosen, before, ALL - {1}) == tuple(s for s in expected if s != 1)


def test_a_spent_deal_is_dealt_again_to_those_who_are_left_of_it() -> None:
    """Nobody comes in for it."""
    before = after_azi(50, 50, 50, 50, entry="again", heirs=(0, 3), free=False)
    for chosen in (ANTE, HALF, ONLY):
        assert GAME.dealt_in(chosen, before, ALL) == (0, 3)
        assert GAME.interlude(chosen, before, ALL) is None


def test_nothing_is_due_where_two_can_play() -> None:
    """As usual, with a bank left by a void game, after an azi where nobody can buy."""
    assert GAME.interlude(ANTE, standing(50, 50, 50), ALL) is None
    assert GAME.interlude(ANTE, standing(50, 50, 50), frozenset({1})) is None
    assert GAME.interlude(ANTE, standing(50, 50, carried=9, heirs=(0,)), ALL) is None
    assert GAME.interlude(ANTE, after_azi(50, 50, 50, 50), ALL) is None
    assert GAME.interlude(ONLY, after_azi(50, 50, 50, 50), ALL) is None
    assert GAME.interlude(HALF, after_azi(50, 50, 50, 30), ALL) is None
    assert GAME.interlude(HALF, after_azi(50, 50, 50, 50, entered=(3,)), ALL) is None


def test_those_who_can_pay_are_asked_clockwise_from_the_opener() -> None:
    """The opener itself first, if it took no trick."""
    before = after_azi(50, 31, 50, 31, 30, 99, heirs=(0, 2), opener=3)
    assert between(HALF, before).queue == (3, 5, 1)
    assert between(HALF, before, frozenset({0, 1, 2, 5})).queue == (5, 1)


def test_each_buyer_pays_half_the_bank_as_it_stood() -> None:
    """Rounded up, the second as much as the first; the bank is nobody's contribution."""
    state = between(HALF, after_azi(50, 50, 50, 50, 50))
    assert GAME.owed(state) == {3: "buy"}
    after = settled(answers(state, "3 buy", "4 buy"))
    assert (after.stacks, after.carried) == ((50, 50, 50, 19, 19), 123)
    assert (after.entered, after.entry, after.free) == ((3, 4), "azi", True)
    assert GAME.dealt_in(HALF, after, ALL) == (0, 1, 2, 3, 4)
    seen = view(GAME.start(HALF, (0, 1, 2, 3, 4), after, 0), None)
    assert (seen.bank, seen.contributions) == (123, (0,) * 5)


def test_who_does_not_buy_stays_out() -> None:
    """Late, gone, or by choice."""
    state = between(HALF, after_azi(50, 50, 50, 50, 50, 50))
    after = settled(answers(state, "3 pass", "4 gone", "5 buy"))
    assert GAME.dealt_in(HALF, after, ALL - {4}) == (0, 1, 2, 5)
    assert GAME.late(GAME.view(state, 3, {})) == ("pass",)


def test_a_seat_that_goes_before_it_is_asked_is_not_asked() -> None:
    """Two may go at once, the one that is asked among them."""
    state = between(HALF, after_azi(50, 50, 50, 50, 50, 50))
    after, _ = GAME.absent(state, frozenset({3, 5}), {})
    assert GAME.owed(after) == {4: "buy"}
    assert GAME.absent(after, frozenset({3}), {})[0] == after
    over = answers(state, "3 pass", "4 pass", "5 pass")
    assert GAME.absent(over, frozenset({1}), {}) == (over, Outcome.GOES_ON)


def test_what_a_buyer_who_goes_has_paid_stays_in_the_bank() -> None:
    """It is no way to get the chips back."""
    state = answers(between(HALF, after_azi(50, 50, 50, 50, 50)), "3 buy")
    after = settled(answers(state, "3 gone", "4 pass"))
    assert (after.stacks[3], after.carried) == (19, 92)
    assert GAME.dealt_in(HALF, after, ALL - {3}) == (0, 1, 2)


def test_an_answer_that_is_none_is_refused() -> None:
    """Out of turn, of another kind, or what cannot be paid."""
    state = between(HALF, after_azi(50, 50, 50, 50, 50))
    for seat, move, rule in (
        (4, ("buy",), "turn"),
        (0, ("pass",), "turn"),
        (3, ("fold",), "turn"),
        (3, ("buy", 31), "shape"),
        (3, ("sell",), "shape"),
    ):
        with pytest.raises(IllegalMove) as refused:
            GAME.needs(state, seat, move)
        assert (refused.value.rule, refused.value.seat) == (rule, seat)
    poor = Interlude(state.rules, state.before, ALL, after_azi(50, 50, 50, 30), (3,))
    with pytest.raises(IllegalMove, match="it costs 31 to buy in") as refused:
        GAME.needs(poor, 3, ("buy",))
    assert refused.value.rule == "buy.chips"
    objection = GAME.objection(GAME.view(poor, 3, {}), ("buy",))
    assert objection is not None
    assert objection.rule == "buy.chips"


def test_what_a_buyer_may_do_and_sees() -> None:
    """No cards, the price and who will play."""
    state = between(HALF, after_azi(50, 50, 50, 50, 50, dealt=4, played=4))
    seen = view(state, 3)
    assert (seen.owes, seen.hand) == ("buy", ())
    assert [choice.moves for choice in GAME.legal(seen)] == [(("buy",),), (("pass",),)]
    assert all(GAME.objection(seen, move) is None for move in (("buy",), ("pass",)))
    assert (seen.phase, seen.price, seen.turn, seen.seats) == ("buy", 31, 3, (0, 1, 2))
    assert (seen.bank, seen.hand_number, seen.opener) == (61, 5, 1)
    assert GAME.legal(view(state, 4)) == ()
    over = view(answers(state, "3 buy", "4 pass"), None)
    assert (over.owes, over.phase, over.seats, over.bank) == (None, "over", (0, 1, 2, 3), 92)


def test_an_interlude_has_no_cards() -> None:
    """It is played by its choices alone."""
    state = between(HALF, after_azi(50, 50, 50, 50))
    assert (GAME.audience(state), GAME.locks(state)) == ((), {})
    assert GAME.shown(state, {}) == state
    assert GAME.apply(state, {}, {}) == state
    with pytest.raises(TypeError, match="not a game of Azi"):
        GAME.locked(state, frozenset())
    with pytest.raises(ValueError, match="still to be asked"):
        GAME.settle(state)


@pytest.mark.parametrize("chosen", [ANTE, HALF, ONLY])
def test_one_seat_alone_takes_the_carried_bank(chosen: Any) -> None:
    """It counts as the last winner, and the next game is as usual."""
    after = settled(between(chosen, after_azi(50, 50, 50), frozenset({2})))
    assert after == standing(50, 50, 111, winner=2)
    assert GAME.interlude(chosen, after, frozenset({2})) is None


@pytest.mark.parametrize(
    ("opener", "stacks"),
    [(1, (50, 51, 51, 50)), (2, (51, 50, 51, 50)), (3, (51, 51, 50, 50)), (0, (51, 51, 50, 50))],
)
def test_a_bank_that_nobody_can_play_for_goes_to_its_heirs(
    opener: Seat, stacks: tuple[int, ...]
) -> None:
    """In equal parts, odd chips clockwise from the opener; the last winner stays."""
    before = after_azi(30, 30, 30, 50, bank=62, opener=opener, winner=3)
    after = settled(between(ONLY, before, frozenset({3})))
    assert after == standing(*stacks, winner=3)


def test_after_the_buyers_have_passed_the_bank_may_go_to_who_is_left() -> None:
    """First they are asked."""
    state = between(HALF, after_azi(50, 50, 50, 50), frozenset({0, 3}))
    assert GAME.owed(state) == {3: "buy"}
    assert settled(answers(state, "3 pass")) == standing(111, 50, 50, 50, winner=0)
    assert settled(answers(state, "3 buy")).entered == (3,)
    state = between(HALF, after_azi(50, 50, 50, 50), frozenset({3}))
    assert settled(answers(state, "3 gone")) == standing(70, 71, 70, 50)
    assert settled(answers(state, "3 buy")) == standing(50, 50, 50, 111, winner=3)


def test_a_buyer_without_an_heir_may_find_itself_alone() -> None:
    """Then it has bought the bank."""
    state = between(HALF, after_azi(0, 0, 0, 50), frozenset({3}))
    assert settled(answers(state, "3 buy")) == standing(0, 0, 0, 111, winner=3)


def test_a_bank_left_by_a_void_game_is_played_for_or_given_out() -> None:
    """Its heirs are those who were not gone."""
    left = standing(50, 0, 0, 0, carried=9, heirs=(1, 3), opener=3)
    assert settled(between(ANTE, left)) == standing(59, 0, 0, 0, winner=0)
    assert settled(between(ANTE, left, frozenset({1, 2}))) == standing(50, 4, 0, 5)
    two = standing(50, 50, 0, 0, carried=9, heirs=(1, 3), opener=3)
    assert GAME.interlude(ANTE, two, ALL) is None
    assert GAME.dealt_in(ANTE, two, ALL) == (0, 1)


def test_a_bank_without_heirs_is_everybodys() -> None:
    """It is left when all seats of a game were gone; else nobody could ever have it."""
    left = standing(0, 0, 0, carried=8, opener=2)
    assert settled(between(ANTE, left)) == standing(3, 2, 3)


def test_a_spent_deal_that_cannot_be_dealt_again() -> None:
    """The bank, if there is one, goes to its heirs; then all may play."""
    left = standing(50, 50, 50, carried=9, entry="again", heirs=(0, 1), opener=0)
    assert settled(between(ANTE, left, frozenset({0, 2}))) == standing(59, 50, 50, winner=0)
    assert settled(between(ANTE, left, frozenset({2}))) == standing(55, 54, 50)
    empty = standing(50, 50, 50, entry="again", heirs=(0, 1), opener=0)
    assert settled(between(ANTE, empty, frozenset({0, 2}))) == standing(50, 50, 50)
    assert GAME.dealt_in(ANTE, standing(50, 50, 50), frozenset({0, 2})) == (0, 2)


def test_seats_lost_before_ready_are_reckoned_with_again() -> None:
    """The interlude is asked anew; who has bought is not asked again."""
    after = settled(answers(between(HALF, after_azi(50, 50, 50, 50)), "3 buy"))
    assert GAME.interlude(HALF, after, frozenset({0, 3})) is None
    alone = settled(between(HALF, after, frozenset({3})))
    assert (alone.stacks, alone.winner) == ((50, 50, 50, 111), 3)


def test_an_interlude_is_told_in_sentences_and_plain_values() -> None:
    """Who bought, and what became of the bank."""
    state = between(HALF, after_azi(50, 50, 50, 50, 50))
    bought = answers(state, "3 buy", "4 pass")
    assert GAME.describe(bought) == ("seat 3 bought in for 31", "seat 4 did not buy in")
    shared = between(ONLY, after_azi(50, 50, 50, 50), frozenset({3}))
    assert GAME.describe(shared) == (
        "fewer than two could play on for the bank",
        "seat 1 took 21",
        "seat 2 took 20",
        "seat 0 took 20",
    )
    plain = GAME.plain(bought)
    assert isinstance(plain, tuple)
    assert ("actions", ((3, "buy", 31), (4, "pass", 0))) in plain
    assert ("standing", GAME.plain_standing(bought.standing)) in plain
    assert [pair[0] for pair in plain if isinstance(pair, tuple)] == [
        "game",
        "phase",
        "before",
        "present",
        "standing",
        "queue",
        "gone",
        "actions",
        "payouts",
    ]


@pytest.mark.parametrize(
    ("given", "before", "present", "winner", "rule", "shared"),
    [
        ({}, standing(50, 50), ALL, None, "", ()),
        ({}, standing(100, 0), ALL, 0, "chips", ()),
        ({}, standing(90, 0, carried=10, heirs=(1,)), ALL, None, "", ()),
        ({}, standing(90, 5, 5), ALL, 0, "few", ()),
        ({}, standing(50, 60, 40), frozenset({2}), 1, "few", ()),
        ({}, standing(50, 50, 40), frozenset({2}), None, "tie", (0, 1)),
        ({}, standing(0, 0, carried=9, heirs=(0,)), ALL, None, "", ()),
        ({"hands": 3}, standing(50, 60, played=2), ALL, None, "", ()),
        ({"hands": 3}, standing(50, 60, played=3), ALL, 1, "hands", ()),
        ({"hands": 3}, standing(60, 60, 1, played=3), ALL, None, "tie", (0, 1)),
        ({"azi_entry": "half_pot"}, after_azi(9, 9, 9, 99), frozenset({3}), None, "", ()),
        ({"azi_entry": "half_pot"}, after_azi(9, 9, 9, 20), frozenset({3}), None, "", ()),
    ],
)
def test_the_end_of_the_match(
    given: dict[str, Any],
    before: AziStanding,
    present: frozenset[Seat],
    winner: Seat | None,
    rule: str,
    shared: tuple[Seat, ...],
) -> None:
    """All chips with one, so many games, or too few to play on; a carried bank is settled first."""
    end = GAME.match(options(**given), before, present)
    if not rule:
        assert end is None
        return
    assert end is not None
    assert (end.winner, end.rule, end.shared) == (winner, rule, shared)
    assert f"{max(before.stacks)} chips" in end.text


@pytest.mark.parametrize(
    ("stacks", "barred", "winner", "shared"),
    [
        ((90, 50, 60), {0}, 2, ()),
        ((90, 50, 60), {1}, 0, ()),
        ((90, 50, 50), {0}, None, (1, 2)),
        ((90, 90, 50), {0}, 1, ()),
        ((90, 90, 50), {0, 1, 2}, None, ()),
    ],
)
def test_who_was_caught_cannot_win(
    stacks: tuple[int, ...], barred: set[int], winner: Seat | None, shared: tuple[Seat, ...]
) -> None:
    """The largest stack of the others does."""
    before = standing(*stacks, played=3)
    end = GAME.match(options(hands=3), before, ALL, frozenset(barred))
    assert end is not None
    assert (end.winner, end.shared) == (winner, shared)
    assert end.rule == ("tie" if shared else "hands")
    if len(barred) == 3:
        assert end.text.endswith("all who played were caught cheating")


def test_the_end_is_told_in_a_sentence() -> None:
    """Who wins, and why now."""
    texts = []
    for before, present in (
        (standing(100, 0), ALL),
        (standing(50, 60, 40), frozenset({2})),
        (standing(60, 60, 1, played=3), ALL),
    ):
        end = GAME.match(options(hands=3), before, present)
        assert end is not None
        texts.append(end.text)
    assert texts == [
        "seat 0 wins the match with all the chips: 100 chips",
        "seat 1 wins the match as fewer than two play on: 60 chips",
        "seat 0 and seat 1 win the match together after 3 games: 60 chips each",
    ]
