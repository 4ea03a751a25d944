"""Seats that are gone: the rule at each phase, and that nobody gains by silence."""

from __future__ import annotations

import pytest

from engine import Outcome
from engine.azi import GAME
from engine.azi.standing import AziStanding
from engine.azi.state import DEAL, AziState
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
BIDS = "0 bid 10, 1 level, 2 level"


def gone(state: AziState, *seats: int) -> AziState:
    """The state when these seats have gone at once, and the game goes on or is over."""
    after, outcome = GAME.absent(state, frozenset(seats), {})
    assert outcome is Outcome.GOES_ON
    return same_chips(state, game(after))


def same_chips(state: AziState, after: AziState) -> AziState:
    """The later state; no chip has come or gone."""
    whole = sum(state.before.stacks) + state.before.carried
    assert sum(after.chips.stacks) + after.chips.bank == whole
    return after


def lost_deal(before: AziStanding, *seats: int, **given: int | str) -> AziStanding:
    """The standing after a deal that is spent by these seats."""
    state = start(options(**given), before)
    after, outcome = GAME.absent(state, frozenset(seats), {})
    assert outcome is Outcome.NEW_PACK
    same_chips(state, game(after))
    assert GAME.owed(after) == {}
    settled = GAME.settle(after)
    assert isinstance(settled, AziStanding)
    return settled


@pytest.mark.parametrize(("n", "penalty"), [(3, 30), (4, 20), (5, 17), (6, 15)])
def test_at_the_deal_the_pack_is_spent_and_who_is_gone_pays(n: int, penalty: int) -> None:
    """Its ante, and a part of the bank besides, rounded up; the others have their antes back."""
    after = lost_deal(standing(*[100] * n), 1)
    assert after.stacks == (100, 90 - penalty, *[100] * (n - 2))
    assert (after.carried, after.entry) == (10 + penalty, "again")
    assert after.heirs == tuple(seat for seat in range(n) if seat != 1)
    assert (after.opener, after.winner, after.dealt, after.played) == (0, None, 1, 0)


def test_it_pays_no_more_than_it_has() -> None:
    """And each of several pays for itself."""
    after = lost_deal(standing(100, 15, 100, 100, 100), 1, 3)
    assert (after.stacks, after.carried) == ((100, 0, 100, 73, 100), 42)
    assert after.heirs == (0, 2, 4)


def test_the_same_game_is_dealt_again_to_those_who_are_left() -> None:
    """They pay their antes again; entry and opener follow from the same winner."""
    before = standing(100, 100, 100, 100, winner=2, carried=7)
    after = lost_deal(before, 0)
    assert (after.winner, after.carried, after.opener) == (2, 7 + 10 + 24, 3)
    again = start(options(), after)
    assert (again.seats, again.opener, again.chips.bank) == ((1, 2, 3), 3, 41 + 30)


def test_a_free_game_stays_free_when_it_is_dealt_again() -> None:
    """Buyers are heirs now like the trick takers."""
    before = standing(
        50, 50, 50, 50, carried=60, entry="azi", heirs=(0, 1, 2), entered=(3,), azi_bank=40,
        opener=1, free=True,
    )  # fmt: skip
    after = lost_deal(before, 1, azi_entry="half_pot")
    assert (after.stacks, after.carried) == ((50, 20, 50, 50), 90)
    assert (after.heirs, after.entered, after.free, after.opener) == ((0, 2, 3), (), True, 0)
    again = start(options(azi_entry="half_pot"), after)
    assert (again.seats, again.chips.bank) == ((0, 2, 3), 90)


def test_one_left_at_the_deal_takes_the_bank() -> None:
    """Of two, or when all others go at once."""
    state = gone(start(options(), standing(100, 100)), 1)
    assert (state.ended, state.payouts) == ("alone", ((0, 20),))
    assert GAME.settle(state) == standing(110, 90, winner=0, dealt=1, played=1)
    assert gone(start(options(), standing(100, 100, 100)), 1, 2).payouts == ((0, 30),)


@pytest.mark.parametrize(
    ("n", "min_bid", "lost"), [(3, 10, 40), (3, 60, 70), (6, 10, 25), (6, 60, 70), (6, 95, 100)]
)
def test_who_is_to_open_loses_by_the_deal_at_least_what_a_late_opener_loses(
    n: int, min_bid: int, lost: int
) -> None:
    """The greater of both; else it would rather go before than after the cards are there."""
    after = lost_deal(standing(*[100] * n), 0, min_bid=min_bid)
    assert (after.stacks, after.carried) == ((100 - lost, *[100] * (n - 1)), lost)
    blind = lost_deal(standing(*[100] * n), 0, min_bid=2 * min_bid, stack=200, blind="on")
    assert blind.stacks == after.stacks


def test_with_two_seats_an_opener_that_goes_at_the_deal_pays_the_other() -> None:
    """As if it were late; and so does the next one, when the opening has come to it."""
    assert gone(start(options(), standing(100, 100)), 0).payouts == ((1, 30),)
    assert gone(start(options(), standing(100, 100, 100)), 0, 1).payouts == ((2, 50),)
    assert gone(start(options(), standing(100, 100, 100)), 0, 2).payouts == ((1, 40),)
    after = lost_deal(standing(*[100] * 4), 0, 1, min_bid=60)
    assert (after.stacks, after.carried) == ((30, 30, 100, 100), 140)


def test_all_gone_at_once_have_their_chips_back() -> None:
    """The game is void, and a bank that was carried still is."""
    state = gone(start(options(), standing(100, 100, 100, carried=5)), 0, 1, 2)
    assert (state.ended, state.chips.stacks, state.chips.bank) == ("void", (100, 100, 100), 5)
    after = GAME.settle(state)
    assert after == standing(100, 100, 100, carried=5, opener=0, dealt=1)
    assert start(options(), after).chips.bank == 35
    assert GAME.describe(state)[-1] == "the game was void, everybody had the chips back"


def test_a_spent_deal_is_told() -> None:
    """Who lost what, and who is dealt in again."""
    state, _ = GAME.absent(start(options(), standing(100, 100, 100)), frozenset({1}), {})
    assert GAME.describe(state) == (
        "seat 0, seat 1 and seat 2 were dealt in, seat 0 opened",
        "seat 1 went away",
        "seat 1 lost its ante and 30 more, the cards could not be dealt",
        "the cards are dealt again to seat 0 and seat 2",
    )
    assert view(state, 0).ended == "spent"


def test_a_seat_gone_at_the_discards_has_folded() -> None:
    """The step of the others goes on."""
    hands = ("AS KS QS JS", "AD KD QD JD", "6S 7S 8S 9S")
    faces = deck(hands, "9H", 4)
    state = dealt(start(options(cards=4), standing(100, 100, 100)), faces)
    after = gone(state, 1)
    assert (GAME.owed(after), after.turn) == (dict.fromkeys((0, 2), "discard"), None)
    after = moved(after, "0 discard JS, 2 discard 9S", faces)
    assert (after.turn, after.chips.bank) == (0, 30)
    assert gone(state, 1, 2).payouts == ((0, 30),)
    assert gone(state, 0, 1).payouts == ((2, 50),)


def test_who_is_to_open_and_goes_during_the_discards_pays_for_it() -> None:
    """Else it would leave with bad cards, rather than bid."""
    hands = ("AS KS QS JS", "AD KD QD JD", "6S 7S 8S 9S")
    faces = deck(hands, "9H", 4)
    state = dealt(start(options(cards=4), standing(100, 100, 100)), faces)
    after = gone(state, 0)
    assert (after.chips.contributions, after.actions) == (
        (20, 10, 10),
        ((0, "gone", 0), (0, "late", 10)),
    )
    after = moved(after, "1 discard JD, 2 discard 9S", faces)
    assert after.turn == 1


def test_who_is_gone_when_the_opening_comes_to_it_pays_as_well() -> None:
    """It would have had to open."""
    hands = ("AS KS QS JS", "AD KD QD JD", "6S 7S 8S 9S", "7D 8D 9D TD")
    faces = deck(hands, "9H", 4)
    state = dealt(start(options(cards=4), standing(100, 15, 100, 100)), faces)
    after = gone(state, 1)
    assert after.chips.contributions == (10, 10, 10, 10)
    after = moved(after, "0 discard JS, 2 discard 9S, 3 discard 7D, 0 late", faces)
    assert (after.chips.contributions, after.turn) == ((20, 15, 10, 10), 2)
    after = moved(after, "2 bid 10", faces)
    assert gone(after, 0).chips.contributions == after.chips.contributions


def test_an_opener_that_is_gone_pays_like_a_late_one() -> None:
    """The least bid, and the next seat opens."""
    state = gone(at_bid(50, 50, 50), 0)
    assert (state.chips.contributions, state.turn, state.highest) == ((20, 10, 10), 1, 0)
    assert gone(at_bid(50, 50), 0).payouts == ((1, 30),)
    assert GAME.apply(state, {}, FACES) == state


def test_who_opens_in_the_place_of_a_poor_seat_pays_as_well() -> None:
    """The opening has come to it; the poor one stays in."""
    state = gone(at_bid(15, 50, 10, 50), 1)
    assert (state.chips.contributions, state.turn, state.opened) == ((15, 20, 10, 10), 3, 3)
    assert gone(state, 3).chips.contributions == (15, 20, 10, 20)


def test_later_in_the_bidding_who_is_gone_has_folded() -> None:
    """The bid stays to be answered; the next seat in leads, if it was the highest."""
    state = gone(at_bid(50, 50, 50, told="0 bid 10"), 1)
    assert (state.turn, state.chips.contributions) == (2, (20, 10, 10))
    state = moved(gone(at_bid(50, 50, 50, told="0 bid 10, 1 bid 20, 2 level"), 0), "", FACES)
    assert (state.leader, state.turn) == (1, 1)
    state = at_bid(50, 50, 50, told="0 bid 10, 1 bid 20")
    after, _ = GAME.absent(state, frozenset({1}), {})
    assert game(after).turn == 2
    after = moved(game(after), "2 level, 0 level", FACES)
    assert (after.leader, after.chips.contributions) == (2, (30, 30, 30))


def test_a_gone_seat_owes_nothing_and_may_do_nothing() -> None:
    """It sees what a folded one sees."""
    state = gone(at_bid(50, 50, 50, told="0 bid 10"), 1)
    assert refused(state, "1 level", FACES) == "turn"
    seen = view(state, 1, FACES)
    assert (seen.owes, seen.gone, seen.folded, seen.inside) == (None, (1,), (1,), (0, 2))
    assert GAME.legal(seen) == ()


def test_a_seat_gone_in_the_tricks_is_skipped_and_its_cards_stand() -> None:
    """They can win; the next seat still in leads then, and the tricks stay taken."""
    state = at_bid(50, 50, 50, told=BIDS + ", 0 play AS")
    state = moved(gone(state, 0), "1 play 7S, 2 play 6S", FACES)
    assert (state.tricks[0].winner, state.leader, state.turn) == (0, 1, 1)
    state = moved(state, "1 play AD, 2 play 8D, 1 play 8H, 2 play AH", FACES)
    assert (state.ended, state.heirs) == ("azi", (1, 2))


def test_a_seat_gone_in_its_turn_ends_the_trick_if_it_was_the_last() -> None:
    """All others have played."""
    state = gone(at_bid(50, 50, 50, told=BIDS + ", 0 play AS, 1 play 7S"), 2)
    assert (len(state.tricks), state.turn) == (1, 0)
    state = moved(state, "0 play 7D, 1 play AD, 1 play 8H, 0 play 6H", FACES)
    assert (state.ended, state.winner, state.payouts) == ("won", 1, ((1, 60),))


def test_who_would_lead_and_is_gone_is_replaced_by_the_next_seat_in() -> None:
    """Before the first card, and later."""
    assert gone(at_bid(50, 50, 50, told=BIDS), 0).turn == 1
    state = at_bid(50, 50, 50, told=BIDS + ", 0 play 7D, 1 play AD, 2 play 8D")
    assert gone(state, 1).turn == 2


def test_one_left_in_the_tricks_takes_the_bank_at_once() -> None:
    """Whoever has which tricks, short or not."""
    state = at_bid(90, 90, 25, told="0 bid 40, 1 level, 2 level, 0 play AS, 1 play 7S, 2 play 6S")
    assert state.is_short(2)
    state = gone(state, 0, 1)
    assert (state.ended, state.payouts) == ("alone", ((2, 125),))


def test_two_tricks_of_a_gone_seat_win_nothing() -> None:
    """The others play on for an azi, at which it is no trick taker."""
    hands = ("AS KS 6H", "7S 8S 8H", "6S 9S AH")
    faces = deck(hands)
    told = BIDS + ", 0 play AS, 1 play 7S, 2 play 6S, 0 play KS"
    state = at_bid(50, 50, 50, told=told, hands=hands)
    state = moved(gone(state, 0), "1 play 8S, 2 play 9S", faces)
    assert ([trick.winner for trick in state.tricks], state.turn) == ([0, 0], 1)
    state = moved(state, "1 play 8H, 2 play AH", faces)
    assert (state.ended, state.heirs) == ("azi", (2,))


def test_an_azi_without_a_trick_taker_still_in_leaves_the_bank_to_those_who_are() -> None:
    """Else nobody could play for it where the trick takers alone may."""
    hands = ("AS 7D 9S", "7S AD TS", "8S 8D AH", "6S 6D 6H", "KS KD KH")
    faces = deck(hands)
    told = "0 bid 10, 1 level, 2 level, 3 level, 4 level"
    state = at_bid(50, 50, 50, 50, 50, told=told, hands=hands)
    state = gone(moved(state, "0 play AS", faces), 0)
    state = moved(state, "1 play 7S, 2 play 8S, 3 play 6S, 4 play KS, 1 play AD", faces)
    state = moved(gone(state, 1), "2 play 8D, 3 play 6D, 4 play KD, 2 play AH", faces)
    state = moved(gone(state, 2), "3 play 6H, 4 play KH", faces)
    assert [trick.winner for trick in state.tricks] == [0, 1, 2]
    assert (state.ended, state.heirs, state.chips.bank) == ("azi", (3, 4), 100)


def test_all_who_are_in_gone_at_once_make_the_game_void() -> None:
    """What they paid is left to the one who has folded, and is there."""
    state = gone(at_bid(50, 50, 50, told="0 bid 10, 1 fold, 2 level"), 0, 2)
    assert (state.ended, state.chips.stacks, state.chips.carried) == ("void", (30, 50, 30), 40)
    assert GAME.settle(state) == standing(30, 50, 30, carried=40, heirs=(1,), opener=0, dealt=1)


def test_stakes_go_back_if_all_are_gone() -> None:
    """There is nobody left to whom they could go."""
    state = gone(at_bid(50, 50, 50, told="0 bid 10, 1 fold, 2 level"), 0, 1, 2)
    assert (state.ended, state.chips.stacks, state.chips.bank) == ("void", (50, 50, 50), 0)


def test_a_void_game_after_an_azi_leaves_things_as_they_were() -> None:
    """The same seats may play for the bank."""
    before = standing(
        50, 50, 50, 50, carried=60, entry="azi", heirs=(0, 1, 2), entered=(3,), azi_bank=40,
        opener=1, free=True, winner=2, dealt=3, played=3,
    )  # fmt: skip
    state = dealt(start(options(azi_entry="half_pot"), before), deck([*THREE, "7H 9H TH"]))
    state = gone(moved(state, "3 bid 10", FACES), 0, 1, 2, 3)
    after = GAME.settle(state)
    assert after == standing(
        50, 50, 50, 50, carried=60, entry="azi", heirs=(0, 1, 2), entered=(3,), azi_bank=40,
        opener=1, free=True, winner=2, dealt=4, played=3,
    )  # fmt: skip


def test_seats_may_go_one_after_the_other_or_be_named_again() -> None:
    """The second time changes nothing; a seat that is not in the hand neither."""
    state = at_bid(50, 50, 50, told=BIDS)
    both, _ = GAME.absent(state, frozenset({0, 1}), {})
    one = gone(state, 1)
    assert GAME.absent(one, frozenset({1}), {}) == (one, Outcome.GOES_ON)
    assert game(GAME.absent(one, frozenset({0, 1}), {})[0]).payouts == game(both).payouts
    assert GAME.absent(state, frozenset({4}), {}) == (state, Outcome.GOES_ON)
    assert GAME.absent(both, frozenset({2}), {}) == (both, Outcome.GOES_ON)


def test_a_folded_seat_may_go_without_any_consequence() -> None:
    """It owes nothing any more."""
    state = at_bid(50, 50, 50, told="0 bid 10, 1 fold")
    after = gone(state, 1)
    assert (after.turn, after.chips, after.inside) == (2, state.chips, (0, 2))


def test_the_deal_asks_for_nothing_more_once_it_is_lost() -> None:
    """Nobody could give it."""
    state = start(options(), standing(50, 50, 50))
    assert state.phase == DEAL
    lost, _ = GAME.absent(state, frozenset({0}), {})
    assert not any(one.public or one.seats for one in GAME.audience(lost))
