"""Bidding for the lead: who speaks when, what may be said, what it costs, and who leads then."""

from __future__ import annotations

import pytest

from engine import IllegalMove
from engine.azi import GAME
from engine.azi.state import BIDDING, PLAYING, AziState
from tests.engine.azi_hands import (
    THREE,
    at_bid,
    dealt,
    deck,
    options,
    refused,
    standing,
    start,
    view,
)

FACES = deck(THREE)


def may(state: AziState) -> list[str]:
    """What the seat whose turn it is may do; a bid by its least and most."""
    found = []
    for choice in GAME.legal(view(state, state.turn)):
        amount = choice.amount
        found.append(choice.kind if amount is None else f"bid {amount[0]} to {amount[1]}")
    return found


@pytest.mark.parametrize(
    ("seats", "winner", "coin", "opener", "dealer"),
    [
        ((0, 1, 2, 3), 2, 0, 3, 2),
        ((0, 1, 2, 3), 3, 1, 0, 3),
        ((0, 1, 3), 1, 0, 3, 1),
        ((0, 2), 1, 0, 2, 0),
        ((0, 2), 0, 0, 2, 0),
        ((1, 2, 3), None, 0, 1, 3),
        ((1, 2, 3), None, 2**256 - 1, 1, 3),
        ((1, 2, 3), None, 4, 2, 1),
    ],
)
def test_who_opens(
    seats: tuple[int, ...], winner: int | None, coin: int, opener: int, dealer: int
) -> None:
    """The next seat dealt in after the last winner, who may be missing; else the coin's."""
    state = start(options(), standing(50, 50, 50, 50, winner=winner), seats, coin)
    assert (state.opener, state.dealer) == (opener, dealer)


def test_everybody_dealt_in_pays_the_ante() -> None:
    """Or what is left, where an heir has less; nothing in a free game."""
    state = start(options(), standing(50, 50, 50, 50, carried=7), (0, 1, 3))
    assert (state.chips.stacks, state.chips.contributions) == ((40, 40, 50, 40), (10, 10, 0, 10))
    assert (state.chips.bank, state.chips.carried) == (37, 7)
    poor = start(options(), standing(50, 3, 0, entry="azi", heirs=(0, 1, 2), carried=9))
    assert poor.chips.contributions == (10, 3, 0)
    free = start(options(), standing(50, 3, entry="azi", heirs=(0, 1), carried=9, free=True))
    assert free.chips.contributions == (0, 0)


def test_the_opener_must_bid() -> None:
    """At least the least bid; it may neither fold nor level, nor be late on purpose."""
    state = at_bid(50, 50, 50)
    assert (state.phase, state.turn, may(state)) == (BIDDING, 0, ["bid 10 to 40"])
    assert [refused(state, told, FACES) for told in ("0 fold", "0 level", "0 bid 9")] == [
        "bid.open",
        "bid.open",
        "bid.low",
    ]
    objection = GAME.objection(view(state, 0), ("late",))
    assert objection is not None
    assert (objection.rule, objection.text) == ("late", "the opener must bid")
    assert GAME.late(view(state, 0)) == ("late",)


def test_bids_are_levels_on_top_of_the_ante() -> None:
    """A higher bid costs the difference to the own level."""
    state = at_bid(50, 50, told="0 bid 10, 1 bid 15, 0 bid 17")
    assert (state.levels, state.chips.contributions) == ((17, 15), (27, 25))
    assert (state.highest, state.highest_bidder, state.turn) == (17, 0, 1)


def test_who_levels_pays_what_is_missing_and_gives_up_the_lead() -> None:
    """And then may only level or fold."""
    state = at_bid(50, 50, 50, told="0 bid 10, 1 level, 2 bid 20, 0 bid 30")
    assert (state.chips.stacks, state.turn) == ((10, 30, 20), 1)
    assert state.yielded == {1}
    assert may(state) == ["level", "fold"]
    assert refused(state, "1 bid 31", FACES) == "bid.lead"
    assert GAME.late(view(state, 1)) == ("fold",)


def test_who_has_levelled_may_bid_where_the_table_says_so() -> None:
    """Option callers_may_reraise."""
    told = "0 bid 10, 1 level, 2 bid 20, 0 bid 30"
    assert may(at_bid(50, 50, 50, told=told, callers_may_reraise="on")) == [
        "bid 31 to 40",
        "level",
        "fold",
    ]


def test_a_seat_makes_at_most_three_bids() -> None:
    """Levelling and folding are always possible; only bids count."""
    told = "0 bid 10, 1 bid 11, 0 bid 12, 1 bid 13, 0 bid 14, 1 bid 15"
    state = at_bid(50, 50, told=told)
    assert (state.bids_made, may(state)) == ((3, 3), ["level", "fold"])
    assert refused(state, "0 bid 16", FACES) == "bid.limit"


@pytest.mark.parametrize(
    ("bid", "rule"),
    [
        (0, "bid.low"),
        (20, "bid.low"),
        (21, "bid.step"),
        (24, "bid.step"),
        (25, ""),
        (30, ""),
        (31, "bid.max"),
        (10**9, "bid.max"),
    ],
)
def test_a_bid_is_higher_by_the_step_and_within_the_limit(bid: int, rule: str) -> None:
    """Each with its own reason."""
    state = at_bid(50, 50, told="0 bid 20", raise_step=5, max_bid=30)
    assert refused(state, f"1 bid {bid}", FACES) == rule
    assert may(state) == ["bid 25 to 30", "level", "fold"]


def test_the_first_bid_need_not_keep_the_step() -> None:
    """There is nothing to be higher than."""
    assert may(at_bid(50, 50, raise_step=30)) == ["bid 10 to 40"]


@pytest.mark.parametrize(("stack", "most"), [(30, 20), (35, 25)])
def test_nobody_bids_more_than_there_is(stack: int, most: int) -> None:
    """The level that all chips reach."""
    state = at_bid(90, stack, told="0 bid 10")
    assert may(state)[0] == f"bid 11 to {most}"
    assert refused(state, f"1 bid {most + 1}", FACES) == "bid.chips"


def test_who_cannot_bid_higher_may_still_level() -> None:
    """With all that is left."""
    state = at_bid(90, 25, told="0 bid 40")
    assert may(state) == ["level", "fold"]
    level = next(choice for choice in GAME.legal(view(state, 1)) if choice.kind == "level")
    assert level.text == "level with all that is left, for 15"


def test_the_highest_bidder_leads() -> None:
    """Once all who are in have answered."""
    state = at_bid(50, 50, 50, told="0 bid 10, 1 bid 20, 2 level, 0 level")
    assert (state.phase, state.leader, state.turn, state.chips.bank) == (PLAYING, 1, 1, 90)


def test_one_seat_left_in_takes_the_whole_bank_unseen() -> None:
    """The carried one too; no card is shown, and it counts as the winner."""
    state = at_bid(50, 50, 50, told="0 bid 10, 1 bid 20, 2 fold, 0 fold")
    assert (state.ended, state.winner, state.payouts) == ("alone", 1, ((1, 60),))
    assert (state.chips.stacks, state.chips.bank) == ((30, 80, 40), 0)
    assert sum(audience.public for audience in GAME.audience(state)) == 1
    assert GAME.settle(state) == standing(30, 80, 40, winner=1, dealt=1, played=1)


def test_a_short_seat_goes_in_with_what_is_left_and_cannot_lead() -> None:
    """It stays in, and is asked no more."""
    state = at_bid(90, 25, 90, told="0 bid 40, 1 level, 2 bid 50, 0 level")
    assert (state.phase, state.leader) == (PLAYING, 2)
    assert (state.chips.stacks[1], state.levels) == (0, (50, 15, 50))
    assert [state.is_short(seat) for seat in (0, 1, 2)] == [False, True, False]
    assert view(state, None).short == (1,)
    assert dict(view(state, None).returns) == {0: 145, 1: 75, 2: 145}


def test_an_all_in_that_is_the_highest_bid_is_not_short() -> None:
    """Until somebody goes higher."""
    told = "0 bid 10, 1 bid 15"
    state = at_bid(90, 25, 90, told=told + ", 2 level, 0 level")
    assert (state.leader, state.is_short(1), state.chips.bank) == (1, False, 75)
    state = at_bid(90, 25, 90, told=told + ", 2 bid 16, 0 level")
    assert (state.phase, state.leader, state.is_short(1)) == (PLAYING, 2, True)


def test_an_opener_with_less_than_the_least_bid_goes_in_and_the_next_one_opens() -> None:
    """By itself: that is no choice and no bid; who has no chips at all is passed over."""
    state = at_bid(15, 10, 60, 60)
    assert (state.turn, state.highest, state.levels) == (2, 0, (5, 0, 0, 0))
    assert state.actions == ((0, "all_in", 5),)
    state = at_bid(15, 10, 60, 60, told="2 bid 10, 3 level")
    assert (state.phase, state.leader, view(state, None).short) == (PLAYING, 2, (0, 1))


def test_where_nobody_can_open_the_first_seat_in_leads() -> None:
    """Clockwise from the opener; the largest level is not short."""
    state = at_bid(13, 15, 10, 15, coin=2)
    assert (state.phase, state.leader, state.turn) == (PLAYING, 2, 2)
    assert (state.levels, state.chips.stacks) == ((3, 5, 0, 5), (0, 0, 0, 0))
    assert view(state, None).short == (0, 2)


def test_a_late_opener_pays_the_least_bid_and_is_out() -> None:
    """The next seat opens, and need not answer what was paid."""
    state = at_bid(50, 50, 50, told="0 late")
    assert (state.turn, state.highest) == (1, 0)
    assert state.folded == {0}
    assert (state.chips.contributions, state.levels) == ((20, 10, 10), (0, 0, 0))
    assert may(state) == ["bid 10 to 40"]
    state = at_bid(50, 50, 50, told="0 late, 1 late")
    assert (state.ended, state.payouts) == ("alone", ((2, 50),))


def test_only_an_opener_can_be_late_in_that_way() -> None:
    """Later who is late folds."""
    assert refused(at_bid(50, 50, 50, told="0 bid 10"), "1 late", FACES) == "late"
    assert refused(at_bid(50, 50, 50), "1 late", FACES) == "turn"


def test_a_short_opener_that_is_late_never_is() -> None:
    """It has gone in with all it has."""
    state = at_bid(15, 50, 50)
    assert refused(state, "0 late", FACES) == "turn"


@pytest.mark.parametrize(
    "move",
    [
        (),
        ("bid",),
        ("bid", True),
        ("bid", 10.0),
        ("bid", "10"),
        ("bid", -1),
        ("bid", 2**63),
        ("bid", 10, 10),
        ("bid", (10,)),
        ("BID", 10),
        ("fold", 0),
        ("level", 10),
        ("late", 10),
        (b"fold",),
        (None,),
        ["fold"],
        "fold",
        None,
        7,
    ],
)
def test_what_is_no_move_at_all_is_refused(move: object) -> None:
    """By all, with the code for it, and by the own program likewise."""
    state = at_bid(50, 50)
    with pytest.raises(IllegalMove) as refusal:
        GAME.needs(state, 0, move)  # type: ignore[arg-type]
    assert (refusal.value.rule, refusal.value.seat) == ("shape", 0)
    objection = GAME.objection(view(state, 0), move)  # type: ignore[arg-type]
    assert objection is not None
    assert objection.rule == "shape"


@pytest.mark.parametrize("told", ["1 bid 10", "1 fold", "5 bid 10", "0 play AS", "0 discard AS"])
def test_what_is_not_due_is_refused(told: str) -> None:
    """Another seat's turn, a seat that there is not, another kind of choice."""
    assert refused(at_bid(50, 50), told, FACES) == "turn"


def test_a_bid_opens_no_card_and_proves_nothing() -> None:
    """Nor does a fold without blind bids."""
    state = at_bid(50, 50, 50, told="0 bid 10")
    for move in (("bid", 20), ("level",), ("fold",)):
        assert GAME.needs(state, 1, move) == ()
        assert GAME.claims(state, 1, move, FACES) == ()


def test_discards_come_all_at_once_before_the_first_bid() -> None:
    """One of four each; the turned-up card stays in the dealer's hand."""
    chosen = options(cards=4, trump_from="dealers_last_card")
    hands = ("AS KS QS JS", "AD KD QD JD", "6H 7H 8H 9H")
    faces = deck(hands, "9H", 4)
    state = dealt(start(chosen, standing(50, 50, 50)), faces)
    assert GAME.owed(state) == dict.fromkeys((0, 1, 2), "discard")
    assert refused(state, "2 discard 9H", faces) == "discard.turned_up"
    assert refused(state, "2 discard JD", faces) == "discard.slot"
    assert refused(state, "2 fold", faces) == "turn"
    seen = view(state, 2, faces)
    (choice,) = GAME.legal(seen)
    assert choice.moves == (("discard", 8), ("discard", 9), ("discard", 10))
    for move in choice.moves:
        assert GAME.objection(seen, move) is None
    assert GAME.late(seen) == ("discard", 8)
    for move, rule in ((("discard", 11), "discard.turned_up"), (("discard", 7), "discard.slot")):
        objection = GAME.objection(seen, move)
        assert objection is not None
        assert objection.rule == rule
    assert GAME.late(view(state, 0, faces)) == ("discard", 3)
    with pytest.raises(ValueError, match=r"no discard of seats \[1\]"):
        GAME.apply(state, {0: ("discard", 0), 2: ("discard", 8)}, faces)
    after = GAME.apply(state, {0: ("discard", 3), 1: ("discard", 4), 2: ("discard", 8)}, faces)
    assert GAME.owed(after) == {0: "bid"}
    own, other = view(after, 0, faces), view(after, 1, faces)
    assert (own.hand, own.discard) == (((0, "AS"), (1, "KS"), (2, "QS")), (3, "JS"))
    assert (other.discarded, other.discard) == ((0, 1, 2), (4, "AD"))
    assert other.unplayed == ((0, 1, 2), (5, 6, 7), (9, 10, 11))
    assert "JS" not in repr(GAME.plain(after))
