"""Blind bids: half price until a seat looks, and what makes blindness a fact."""

from __future__ import annotations

import pytest

from engine import EVERYBODY, NOBODY, Audience, Outcome
from engine.azi import GAME
from engine.azi.leaving import leave
from engine.azi.state import DEAL, PLAYING, AziState
from tests.engine.azi_hands import (
    THREE,
    at_bid,
    dealt,
    deck,
    game,
    moved,
    options,
    refused,
    standing,
    start,
    view,
)

FACES = deck(THREE)
BLIND = {"blind": "on"}


def own(seat: int) -> Audience:
    """Only this seat may see."""
    return Audience(frozenset({seat}))


def at(told: str = "", *stacks: int) -> AziState:
    """A table of three with blind bids after these moves."""
    return at_bid(*(stacks or (100, 100, 100)), told=told, blind="on")


def gone(state: AziState, *seats: int) -> AziState:
    """The state when these seats have gone at once."""
    after, outcome = leave(state, frozenset(seats))
    assert outcome is Outcome.GOES_ON
    assert sum(after.chips.stacks) + after.chips.bank == sum(state.before.stacks)
    return after


def test_before_the_deal_each_seat_seals_its_shares_of_all_others_cards() -> None:
    """Not of its own, nor of what is turned up; only that is dealt then."""
    state = start(options(**BLIND), standing(50, 50, 50))
    assert GAME.locks(state) == {
        0: (3, 4, 5, 6, 7, 8),
        1: (0, 1, 2, 6, 7, 8),
        2: (0, 1, 2, 3, 4, 5),
    }
    assert GAME.audience(state) == (*[NOBODY] * 9, EVERYBODY, *[NOBODY] * 17)
    assert GAME.owed(state) == {}
    after = game(GAME.locked(state, frozenset()))
    assert (GAME.locks(after), after.phase) == ({}, DEAL)
    assert GAME.audience(after) == GAME.audience(state)
    with pytest.raises(ValueError, match="no locks are due"):
        GAME.locked(after, frozenset())


def test_the_dealers_turned_up_card_is_in_no_lock() -> None:
    """Everybody sees it from the deal on."""
    state = start(options(trump_from="dealers_last_card", **BLIND), standing(50, 50, 50))
    assert GAME.locks(state)[0] == (3, 4, 5, 6, 7)
    assert GAME.locks(state)[2] == (0, 1, 2, 3, 4, 5)
    assert GAME.audience(state)[8] == EVERYBODY
    state = moved(dealt(state, FACES | {8: "AH", 9: "QH"}), "0 bid 10", FACES)
    assert GAME.needs(state, 1, ("fold",)) == (0, 1, 2, 6, 7)
    seen = view(state, 2, FACES | {8: "AH", 9: "QH"})
    assert seen.hand == ((8, "AH"),)


def test_without_blind_bids_or_with_two_seats_nothing_is_sealed() -> None:
    """A lock to one other seat alone would let it look."""
    assert GAME.locks(start(options(), standing(50, 50, 50))) == {}
    state = start(options(**BLIND), standing(50, 50))
    assert GAME.locks(state) == {}
    assert GAME.audience(state)[:7] == (*[NOBODY] * 6, EVERYBODY)


def test_nobody_sees_a_card_before_it_looks() -> None:
    """Even if the faces were there."""
    state = at()
    assert set(GAME.audience(state)[:9]) == {NOBODY}
    for seat in range(3):
        assert view(state, seat, FACES).hand == ()


def test_who_looks_gets_its_cards_and_then_bids_in_full() -> None:
    """While they are on the way nobody owes a choice."""
    state = at()
    assert GAME.needs(state, 0, ("look",)) == ()
    looking = game(GAME.apply(state, {0: ("look",)}, FACES))
    assert GAME.audience(looking)[:6] == (*[own(0)] * 3, *[NOBODY] * 3)
    assert (GAME.owed(looking), view(looking, 0).owes) == ({}, None)
    assert refused(looking, "0 bid 10", FACES) == "turn"
    state = game(GAME.shown(looking, FACES))
    assert GAME.owed(state) == {0: "bid"}
    assert view(state, 0, FACES).hand == ((0, "AS"), (1, "7D"), (2, "6H"))
    assert (view(state, 1).looked, view(state, 1, FACES).hand) == ((0,), ())
    state = moved(state, "0 bid 20", FACES)
    assert (state.chips.stacks[0], state.levels[0]) == (70, 20)


def test_a_seat_looks_once_in_its_own_turn() -> None:
    """And only where the table plays with blind bids."""
    assert refused(at(), "1 look", FACES) == "turn"
    assert refused(at("0 look"), "0 look", FACES) == "look.done"
    assert refused(at_bid(50, 50), "0 look", FACES) == "look.off"


def test_blind_levels_count_double_what_is_paid() -> None:
    """Looking changes neither what was paid nor the level."""
    state = at("0 bid 10, 1 bid 20, 2 level, 0 look")
    assert (state.chips.contributions, state.levels) == ((15, 20, 20), (10, 20, 20))
    state = moved(state, "0 bid 30", FACES)
    assert (state.chips.contributions, state.levels) == ((35, 20, 20), (30, 20, 20))
    state = moved(state, "1 level, 2 look, 2 level", FACES)
    assert (state.chips.contributions, state.levels) == ((35, 25, 30), (30, 30, 30))
    assert state.actions == (
        (0, "bid_blind", 10),
        (1, "bid_blind", 20),
        (2, "level_blind", 10),
        (0, "look", 0),
        (0, "bid", 30),
        (1, "level_blind", 5),
        (2, "look", 0),
        (2, "level", 10),
    )


@pytest.mark.parametrize(
    ("told", "stack", "amount"),
    [
        ("", 17, (10, 14, 2)),
        ("0 look", 27, (10, 16, 2)),
        ("0 bid 10", 100, (12, 180, 2)),
        ("0 bid 10, 1 look", 101, (12, 90, 2)),
    ],
)
def test_bids_are_even(told: str, stack: int, amount: tuple[int, int, int]) -> None:
    """Up to the even level that all chips reach."""
    state = at(told, stack, stack, stack)
    bid = next(one for one in GAME.legal(view(state, state.turn)) if one.kind == "bid")
    assert bid.amount == amount
    assert bid.text.endswith("at half price") == state.is_blind(state.turn or 0)
    assert refused(state, f"{state.turn} bid {amount[1]}", FACES) == ""
    assert refused(state, f"{state.turn} bid {amount[0] + 1}", FACES) == "bid.even"
    assert refused(state, f"{state.turn} bid {amount[1] + 2}", FACES) == "bid.chips"


def test_what_a_blind_seat_may_do() -> None:
    """Look first, or bid, level or fold without."""
    kinds = [choice.kind for choice in GAME.legal(view(at(), 0))]
    assert kinds == ["look", "bid"]
    kinds = [choice.kind for choice in GAME.legal(view(at("0 bid 10"), 1))]
    assert kinds == ["look", "bid", "level", "fold"]
    kinds = [choice.kind for choice in GAME.legal(view(at("0 bid 10, 1 look"), 1))]
    assert kinds == ["bid", "level", "fold"]


def test_when_bidding_ends_all_who_are_blind_look_before_the_first_card() -> None:
    """By itself; folded seats never see theirs."""
    state = at_bid(100, 100, 100, told="0 bid 10, 1 fold", blind="on")
    state = game(GAME.apply(state, {2: ("level",)}, FACES))
    assert (state.phase, state.turn, state.looking) == (PLAYING, 0, frozenset({0, 2}))
    assert GAME.audience(state)[:9] == (*[own(0)] * 3, *[NOBODY] * 3, *[own(2)] * 3)
    assert GAME.owed(state) == {}
    state = game(GAME.shown(state, FACES))
    assert (GAME.owed(state), state.seen) == ({0: "play"}, frozenset({0, 2}))
    assert view(state, 1, FACES).hand == ()
    assert GAME.legal(view(state, 0, FACES))[0].kind == "play"


def test_who_folds_gives_the_shares_that_others_will_need() -> None:
    """Of seats in that have not seen their cards; none if it leaves one seat."""
    state = at("0 bid 10")
    assert GAME.needs(state, 1, ("fold",)) == (0, 1, 2, 6, 7, 8)
    assert GAME.needs(state, 1, ("level",)) == ()
    assert GAME.needs(at("0 look, 0 bid 10"), 1, ("fold",)) == (6, 7, 8)
    assert GAME.needs(at("0 look, 0 bid 10, 1 look, 1 bid 20"), 2, ("fold",)) == ()
    state = at("0 bid 10, 1 fold")
    assert state.given == {1}
    assert GAME.needs(state, 2, ("fold",)) == ()
    assert GAME.claims(state, 2, ("fold",), FACES) == ()


def test_a_late_opener_gives_them_too() -> None:
    """It pays the least bid at the price at which it stands: half, if it is blind."""
    assert GAME.needs(at(), 0, ("late",)) == (3, 4, 5, 6, 7, 8)
    assert at("0 late").chips.contributions == (15, 10, 10)
    assert at("0 look, 0 late").chips.contributions == (20, 10, 10)


def test_an_opener_that_looks_may_then_be_too_poor_to_open() -> None:
    """It goes in with all it has, and the next seat opens."""
    state = at("0 look", 17, 100, 100)
    assert (state.turn, state.levels, state.chips.stacks[0]) == (1, (7, 0, 0), 0)
    assert state.actions == ((0, "look", 0), (0, "all_in", 7))
    state = at("", 14, 100, 100)
    assert (state.turn, state.levels[0], state.chips.stacks[0]) == (1, 8, 0)


def test_a_seat_that_looks_and_cannot_level_is_short_by_an_odd_level() -> None:
    """It pays what is left."""
    state = at("0 bid 10, 1 look, 1 level, 2 level", 100, 15, 100)
    assert (state.levels, state.leader) == ((10, 5, 10), 0)
    assert view(state, None).short == (1,)


def test_one_gone_is_unlocked_by_the_others() -> None:
    """The audience asks for its shares; it has given none itself."""
    state = gone(at("0 bid 10, 1 level"), 2)
    assert (state.phase, state.looking, state.ended) == (PLAYING, frozenset({0, 1}), "")
    state = game(GAME.shown(state, FACES))
    assert GAME.owed(state) == {0: "play"}


def test_two_gone_whose_locks_are_still_needed_make_the_game_void() -> None:
    """Contributions go back to all but the gone ones; what those leave is carried."""
    state = at_bid(
        100, 100, 100, 100, told="0 bid 10, 1 level", blind="on", hands=[*THREE, "7H 9H TH"]
    )
    assert gone(gone(state, 2), 3).ended == "void"
    state = at_bid(100, 100, 100, 100, told="0 bid 10", blind="on", hands=[*THREE, "7H 9H TH"])
    state = gone(state, 1, 2)
    assert (state.ended, state.chips.stacks, state.chips.bank) == (
        "void",
        (100, 90, 90, 100),
        20,
    )
    assert GAME.settle(state) == standing(
        100, 90, 90, 100, carried=20, heirs=(0, 3), opener=0, dealt=1
    )
    assert GAME.describe(state)[-1] == (
        "the game was void, everybody had the chips back but seat 1 and seat 2"
    )
    assert GAME.owed(state) == {}


def test_gone_seats_that_have_given_their_shares_do_no_harm() -> None:
    """Nor any, once all who are in have seen their cards."""
    four = [*THREE, "7H 9H TH"]
    told = "0 bid 10, 1 fold, 2 level"
    state = at_bid(
        100, 100, 100, 100, 100, told=told + ", 3 fold", blind="on", hands=[*four, "8S 9S TS"]
    )
    assert gone(state, 1, 3).ended == ""
    assert gone(state, 0, 1).ended == "void"
    assert gone(state, 0, 4).ended == "alone"
    told = "0 look, 0 bid 10, 1 look, 1 level, 2 look, 2 level, 3 look, 3 level"
    state = at_bid(100, 100, 100, 100, told=told, blind="on", hands=four)
    after = gone(state, 0, 1)
    assert (after.ended, after.turn) == ("", 2)


def test_a_seat_gone_while_another_looks() -> None:
    """Who looks keeps the turn, and bids once its cards are there."""
    looking = game(GAME.apply(at("0 bid 10"), {1: ("look",)}, FACES))
    state = gone(looking, 2)
    assert (state.turn, state.looking, GAME.owed(state)) == (1, frozenset({1}), {})
    state = game(GAME.shown(state, FACES))
    assert GAME.owed(state) == {1: "bid"}
    state = gone(looking, 0, 2)
    assert (state.ended, state.winner) == ("alone", 1)
    assert set(GAME.audience(state)[:9]) == {NOBODY}
    assert GAME.shown(state, FACES) == state


def test_a_seat_gone_while_it_looks_itself() -> None:
    """Its cards are asked for no more."""
    looking = game(GAME.apply(at("0 bid 10"), {1: ("look",)}, FACES))
    state = gone(looking, 1)
    assert GAME.owed(state) == {2: "bid"}
    assert set(GAME.audience(state)[:9]) == {NOBODY}


def test_a_seat_gone_while_all_look_at_the_end() -> None:
    """The tricks begin without it."""
    state = at("0 bid 10, 1 level")
    state = game(GAME.apply(state, {2: ("level",)}, FACES))
    state = gone(state, 0)
    assert (state.looking, state.leader, GAME.owed(state)) == (frozenset({1, 2}), 1, {})
    state = game(GAME.shown(state, FACES))
    assert GAME.owed(state) == {1: "play"}


@pytest.mark.parametrize("seats", [(0,), (2,), (0, 1)])
def test_without_some_lock_the_deal_is_lost(seats: tuple[int, ...]) -> None:
    """By either call: the pack is spent, or one seat is left."""
    state = start(options(**BLIND), standing(50, 50, 50))
    after, outcome = GAME.absent(state, frozenset(seats), {})
    assert outcome is (Outcome.NEW_PACK if len(seats) == 1 else Outcome.GOES_ON)
    assert GAME.over(after)
    assert GAME.locked(state, frozenset(seats)) == after
    assert GAME.locked(after, frozenset(seats)) == after
    assert GAME.locks(after) == {}
    assert set(GAME.audience(after)) == {NOBODY}
