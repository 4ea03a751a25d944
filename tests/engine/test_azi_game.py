"""Azi on the contract: the table, what a view tells, clocks, and mistakes of a caller."""

from __future__ import annotations

import pytest

from engine import Audience, State, View
from engine.azi import GAME
from engine.azi.bots import STRATEGIES
from engine.contract import Standing
from tests.engine.azi_hands import (
    THREE,
    at_bid,
    dealt,
    deck,
    moved,
    options,
    standing,
    start,
    view,
)

FACES = deck(THREE)


def test_a_table_has_two_to_six_seats_with_equal_stacks() -> None:
    """Nothing else can be opened."""
    assert GAME.seats == (2, 3, 4, 5, 6)
    for seats in GAME.seats:
        assert GAME.opening(options(stack=70), seats) == standing(*[70] * seats)
    for seats in (0, 1, 7):
        with pytest.raises(ValueError, match=f"two to six seats, not {seats}"):
            GAME.opening(options(), seats)


@pytest.mark.parametrize("left_out", "SHDC")
def test_the_pack_leaves_one_suit_out(left_out: str) -> None:
    """27 cards, one slot each."""
    chosen = options(left_out_suit=left_out)
    pack = GAME.pack(chosen)
    assert len(set(pack)) == len(pack) == 27
    assert not any(card[1] == left_out for card in pack)
    state = GAME.start(chosen, (0, 1), GAME.opening(chosen, 2), 0)
    assert len(GAME.audience(state)) == 27


@pytest.mark.parametrize(("cards", "slots"), [(3, 3), (4, 4)])
def test_at_the_deal_each_seat_may_see_its_own_cards_and_all_the_turned_up_one(
    cards: int, slots: int
) -> None:
    """Nothing is owed or sealed; the rest of the pack is nobody's."""
    state = start(options(cards=cards), standing(50, 50, 50, 50), (0, 2, 3))
    own = [Audience(frozenset({seat})) for seat in (0, 2, 3) for _ in range(slots)]
    rest = [Audience()] * (26 - len(own))
    assert GAME.audience(state) == (*own, Audience(public=True), *rest)
    assert (GAME.owed(state), GAME.locks(state), GAME.over(state)) == ({}, {}, False)


@pytest.mark.parametrize("seats", range(2, 7))
def test_the_dealers_last_card_is_turned_up_where_the_table_says_so(seats: int) -> None:
    """The dealer is the last seat before the opener, at any size of the table."""
    chosen = options(trump_from="dealers_last_card", cards=4)
    state = start(chosen, standing(*[50] * seats, winner=0))
    assert (state.opener, state.dealer) == (1, 0)
    who = GAME.audience(state)
    assert [slot for slot, one in enumerate(who) if one.public] == [3]
    assert all(one.public or one.seats for one in who[: 4 * seats])
    assert not any(one.public or one.seats for one in who[4 * seats :])


@pytest.mark.parametrize("kind", ["discard", "bid", "play", "buy"])
def test_every_choice_has_the_same_clock(kind: str) -> None:
    """Option turn_seconds; nothing else has one."""
    assert GAME.clock(options(), kind) == 30
    assert GAME.clock(options(turn_seconds=0), kind) == 0
    assert GAME.clock(options(), "sit") == 0


def test_a_view_tells_how_the_game_stands() -> None:
    """To a seat what it may know, to a spectator all but that."""
    state = moved(
        dealt(start(options(hands=9), standing(50, 50, 30, winner=2, dealt=4, played=3)), FACES),
        "0 bid 10, 1 bid 25, 2 level, 0 level, 1 play 8H, 2 play AH, 0 play 6H, 2 play 6S",
        FACES,
    )
    seen = view(state, 0, FACES)
    assert (seen.game, seen.seat, seen.owes, seen.phase) == ("azi", 0, "play", "play")
    assert seen.hand == ((0, "AS"), (1, "7D"))
    assert (seen.hand_number, seen.hands, seen.hands_played) == (5, 9, 3)
    assert (seen.dealer, seen.opener, seen.turn, seen.leader) == (2, 0, 0, 2)
    assert (seen.trump, seen.turned_up, seen.six_on_stage) == ("H", "QH", False)
    assert (seen.stacks, seen.bank, seen.carried) == ((15, 15, 0), 100, 0)
    assert (seen.contributions, seen.levels, seen.bids_made) == (
        (35, 35, 30),
        (25, 25, 20),
        (1, 1, 0),
    )
    assert (seen.highest, seen.highest_bidder, seen.yielded) == (25, 1, (0, 2))
    assert (seen.inside, seen.folded, seen.gone, seen.looked) == ((0, 1, 2), (), (), ())
    assert seen.trick == ((2, "6S"),)
    assert seen.tricks == ((1, ((1, "8H"), (2, "AH"), (0, "6H")), 2),)
    assert seen.unplayed == ((0, 1), (3, 4), (7,))
    assert (seen.short, seen.returns) == ((2,), ((0, 100), (1, 100), (2, 90)))
    assert seen.pack == GAME.pack(options())
    spectator = view(state, None, FACES)
    assert (spectator.seat, spectator.owes, spectator.hand) == (None, None, ())
    assert spectator.tricks == seen.tricks


def test_a_seat_that_is_not_dealt_in_sees_what_a_spectator_sees() -> None:
    """It has no slots."""
    state = dealt(start(options(), standing(50, 5, 50, 50)), FACES)
    seen = view(state, 1, FACES)
    assert (seen.seats, seen.hand, seen.owes, GAME.legal(seen)) == ((0, 2, 3), (), None, ())
    assert seen.unplayed == ((0, 1, 2), (3, 4, 5), (6, 7, 8))


def test_what_is_legal_is_said_for_people_and_programs() -> None:
    """An amount has its bounds and its form."""
    (bid,) = GAME.legal(view(at_bid(50, 50), 0))
    assert (bid.kind, bid.moves, bid.amount) == ("bid", (), (10, 40, 1))
    assert (bid.text, bid.form) == ("bid 10 to 40", '["bid", total]')
    bid, level, fold = GAME.legal(view(at_bid(50, 50, told="0 bid 10"), 1))
    assert bid.text == "bid 11 to 40"
    assert (level.text, level.moves) == ("level the bid, for 10", (("level",),))
    assert (fold.text, fold.moves) == ("fold: be out of this game", (("fold",),))


def test_a_bot_that_plays_at_random_chooses_each_legal_move() -> None:
    """And is asked only where a choice is due."""
    bot = STRATEGIES["random"]
    seen = view(at_bid(20, 20, 20, told="0 bid 10"), 1)
    found = {bot(seen, lambda n, k=k: k % n) for k in range(6)}  # type: ignore[misc]
    assert found <= {("bid", 11), ("level",), ("fold",)}
    with pytest.raises(ValueError, match="only for"):
        bot(view(at_bid(20, 20), 1), lambda n: 0)


def test_what_is_not_azis_is_refused() -> None:
    """A mistake of the caller."""
    with pytest.raises(TypeError, match="not a state of Azi: State"):
        GAME.owed(State())
    with pytest.raises(TypeError, match="not a standing of Azi: Standing"):
        GAME.plain_standing(Standing())
    with pytest.raises(TypeError, match="not a view of Azi: View"):
        GAME.legal(View("azi", 0, None, ()))


def test_a_standing_is_plain_values_in_a_fixed_order() -> None:
    """What may be missing is a tuple of none or one."""
    one = standing(
        50, 40, carried=9, winner=1, entry="azi", heirs=(0,), entered=(1,), azi_bank=8, opener=0,
        free=True, dealt=3, played=2,
    )  # fmt: skip
    assert GAME.plain_standing(one) == (
        ("stacks", (50, 40)),
        ("carried", 9),
        ("winner", (1,)),
        ("entry", "azi"),
        ("heirs", (0,)),
        ("entered", (1,)),
        ("azi_bank", 8),
        ("opener", (0,)),
        ("free", 1),
        ("dealt", 3),
        ("played", 2),
    )
    plain = GAME.plain_standing(standing(1, 1))
    assert isinstance(plain, tuple)
    assert ("winner", ()) in plain
