"""Hazari on the contract: a hand from the deal to the standing after it."""

from __future__ import annotations

import pytest

from engine import EVERYBODY, Audience, IllegalMove, Move, Outcome, Seat, State, View
from engine.contract import Standing
from engine.hazari import GAME
from engine.hazari.division import fallback, own_slots
from engine.hazari.state import HazariStanding, HazariState
from engine.hazari.view import HazariView
from tests.engine.driver import Table, play_hand
from tests.engine.hands import (
    ALL,
    NO_RUN,
    SIX_PAIRS,
    deck,
    deck_with,
    fallback_move,
    foul_move,
    options,
)

SEATS = (0, 1, 2, 3)
OPENING = GAME.opening(options(), 4)


def at_up(**given: int | str) -> State:
    """A state in which all seats owe a division."""
    chosen = options(**given)
    return GAME.shown(GAME.start(chosen, SEATS, OPENING, 0), {})


def sees(pack: tuple[str, ...], seat: Seat, state: State) -> HazariView:
    """What a seat sees before the show."""
    view = GAME.view(state, seat, {slot: pack[slot] for slot in own_slots(seat)})
    assert isinstance(view, HazariView)
    return view


def divisions(pack: tuple[str, ...], state: State) -> dict[Seat, Move]:
    """The fallback divisions of all seats."""
    return {seat: GAME.late(sees(pack, seat, state)) for seat in SEATS}


def hand_of(table: Table) -> HazariState:
    """The state of a table, as Hazari's own."""
    assert isinstance(table.state, HazariState)
    return table.state


def test_a_table_has_four_seats() -> None:
    """Nothing else can be opened."""
    assert GAME.seats == (4,)
    with pytest.raises(ValueError, match="four seats, not 3"):
        GAME.opening(options(), 3)


def test_the_table_waits_until_all_four_are_there() -> None:
    """No hand is dealt to fewer."""
    assert GAME.dealt_in(options(), OPENING, ALL) == SEATS
    for seat in SEATS:
        assert GAME.dealt_in(options(), OPENING, ALL - {seat}) == ()


@pytest.mark.parametrize("coin", [0, 1, 2, 3, 4, 2**256 - 1])
def test_the_coin_chooses_the_first_dealer_and_only_the_first(coin: int) -> None:
    """Later the deal passes to the right, whatever the coin of the pack."""
    state = GAME.start(options(), SEATS, OPENING, coin)
    view = GAME.view(state, None, {})
    assert isinstance(view, HazariView)
    assert (view.dealer, view.leader) == (coin % 4, (coin - 1) % 4)
    later = GAME.start(options(), SEATS, HazariStanding(dealer=2, dealt=1, played=1), coin)
    view = GAME.view(later, None, {})
    assert isinstance(view, HazariView)
    assert (view.dealer, view.hand_number) == (2, 2)


def test_at_the_deal_each_seat_may_see_its_own_thirteen() -> None:
    """Nothing is owed, sealed or public."""
    state = GAME.start(options(), SEATS, OPENING, 0)
    assert GAME.audience(state) == tuple(Audience(frozenset({slot // 13})) for slot in range(52))
    assert (GAME.owed(state), GAME.locks(state), GAME.over(state)) == ({}, {}, False)
    assert GAME.clock(options(), "up") == 120
    assert GAME.clock(options(arrange_seconds=0), "up") == 0
    assert GAME.clock(options(), "sit") == 0


def test_after_up_all_owe_a_lock_of_their_own_thirteen() -> None:
    """Nobody has a choice left, and still nothing is public."""
    state = at_up()
    assert GAME.owed(state) == dict.fromkeys(SEATS, "up")
    after = GAME.apply(state, divisions(deck(1), state), {})
    assert GAME.owed(after) == {}
    assert GAME.locks(after) == {seat: own_slots(seat) for seat in SEATS}
    assert GAME.audience(after) == GAME.audience(state)
    assert GAME.locks(GAME.locked(after, frozenset())) == {}
    assert GAME.audience(GAME.locked(after, frozenset())) == (EVERYBODY,) * 52


def test_a_division_opens_no_card_and_proves_nothing() -> None:
    """What is said with it is slots alone."""
    state = at_up()
    move = divisions(deck(1), state)[2]
    assert GAME.needs(state, 2, move) == ()
    assert GAME.claims(state, 2, move, {}) == ()


@pytest.mark.parametrize("seat", [-1, 4, 10**9])
def test_a_seat_that_owes_nothing_may_not_move(seat: int) -> None:
    """Nor one that is none."""
    with pytest.raises(IllegalMove) as refused:
        GAME.needs(at_up(), seat, ("dismiss",))
    assert refused.value.rule == "turn"


def test_nobody_may_move_before_or_after_up() -> None:
    """At the deal, and when the step has closed."""
    before = GAME.start(options(), SEATS, OPENING, 0)
    state = GAME.shown(before, {})
    moves = divisions(deck(1), state)
    for other in (before, GAME.apply(state, moves, {})):
        with pytest.raises(IllegalMove) as refused:
            GAME.needs(other, 1, moves[1])
        assert refused.value.rule == "turn"


def test_a_step_without_all_its_entries_is_a_mistake_of_the_caller() -> None:
    """A seat that is gone is named by ``absent`` first."""
    state = at_up()
    moves = divisions(deck(1), state)
    del moves[2]
    with pytest.raises(ValueError, match=r"no entry of seats \[2\]"):
        GAME.apply(state, moves, {})


def test_calls_out_of_order_are_mistakes_of_the_caller() -> None:
    """A lock at the deal, a show before the lock, a standing before the end."""
    state = GAME.start(options(), SEATS, OPENING, 0)
    with pytest.raises(ValueError, match="at deal, not at lock"):
        GAME.locked(state, frozenset())
    with pytest.raises(ValueError, match="at up, not at show"):
        GAME.shown(at_up(), {})
    with pytest.raises(ValueError, match="at up, not at over"):
        GAME.settle(at_up())


def test_values_of_another_game_are_refused() -> None:
    """A state, a standing and a view must be Hazari's."""
    with pytest.raises(TypeError, match="not a state of Hazari"):
        GAME.plain(State())
    with pytest.raises(TypeError, match="not a standing of Hazari"):
        GAME.plain_standing(Standing())
    with pytest.raises(TypeError, match="not a view of Hazari"):
        GAME.legal(View("other", 0, None, ()))


def test_the_own_program_says_which_group_outranks_which() -> None:
    """Stricter than what the others can see: they see slots alone."""
    state = at_up()
    view = sees(deck(10), 0, state)
    foul = foul_move(view)
    objection = GAME.objection(view, foul)
    assert objection is not None
    assert (objection.rule, objection.seat) == ("up.order", 0)
    assert objection.text.startswith("group 2 outranks group 1 (")
    assert GAME.needs(state, 0, foul) == ()
    assert GAME.objection(view, GAME.late(view)) is None


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (("up",), "up.shape"),
        (("up", (0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11, 13)), "up.slots"),
        (("dismiss",), "dismissal.off"),
    ],
)
def test_the_own_program_refuses_what_the_others_would(move: Move, rule: str) -> None:
    """Before anything is sent."""
    objection = GAME.objection(sees(deck(1), 0, at_up()), move)
    assert objection is not None
    assert objection.rule == rule


def test_a_spectator_and_a_seat_that_owes_nothing_have_no_move() -> None:
    """``legal`` is empty and every move is refused."""
    state = at_up()
    move = divisions(deck(1), state)[0]
    sealed = GAME.apply(state, divisions(deck(1), state), {})
    for view in (GAME.view(state, None, {}), GAME.view(sealed, 0, dict(enumerate(deck(1))))):
        assert GAME.legal(view) == ()
        objection = GAME.objection(view, move)
        assert objection is not None
        assert objection.rule == "turn"


def test_a_foul_division_is_replaced_by_the_fallback() -> None:
    """The seat plays on as if it had been late, unless the option says otherwise."""

    def choose(seat: Seat, view: View) -> Move:
        return foul_move(view) if seat == 0 else fallback_move(seat, view)

    pack = deck(10)
    honest = hand_of(play_hand(GAME, options(), OPENING, pack, fallback_move)).shown
    foul = hand_of(play_hand(GAME, options(), OPENING, pack, choose)).shown
    below = hand_of(play_hand(GAME, options(foul_scores_zero="on"), OPENING, pack, choose)).shown
    assert honest is not None
    assert foul is not None
    assert below is not None
    assert foul.divisions == below.divisions == honest.divisions
    assert foul.foul == foul.replaced == {0}
    assert not honest.foul
    assert foul.scores == honest.scores
    assert below.scores[0] == 0
    assert sum(below.scores) == 360


@pytest.mark.parametrize(
    ("option", "hand", "may"),
    [
        ("off", NO_RUN, False),
        ("no_run", NO_RUN, True),
        ("no_run", SIX_PAIRS, False),
        ("six_pairs", SIX_PAIRS, True),
        ("six_pairs", NO_RUN, False),
        ("both", NO_RUN, True),
        ("both", SIX_PAIRS, True),
    ],
)
def test_a_dismissal_is_offered_where_option_and_hand_allow_it(
    option: str, hand: tuple[str, ...], may: bool
) -> None:
    """Only the owner sees that before the cards are open."""
    view = sees(deck_with(2, hand), 2, at_up(dismissal=option))
    kinds = [choice.kind for choice in GAME.legal(view)]
    assert kinds == (["up", "dismiss"] if may else ["up"])
    assert (GAME.objection(view, ("dismiss",)) is None) == may


def test_a_dismissal_that_the_cards_do_not_allow_is_refused_when_they_open() -> None:
    """By the rule on its face, naming the seat, in ``claims`` and in ``apply`` alike."""
    state = at_up(dismissal="six_pairs")
    pack = deck_with(2, NO_RUN)
    faces = {slot: pack[slot] for slot in own_slots(2)}
    assert GAME.needs(state, 2, ("dismiss",)) == own_slots(2)
    with pytest.raises(IllegalMove) as refused:
        GAME.claims(state, 2, ("dismiss",), faces)
    assert (refused.value.rule, refused.value.seat) == ("dismissal.hand", 2)
    moves: dict[Seat, Move] = {**divisions(pack, state), 2: ("dismiss",)}
    with pytest.raises(IllegalMove, match="it holds at least six pairs"):
        GAME.apply(state, moves, faces)


@pytest.mark.parametrize("seats", [{1}, {1, 3}])
def test_a_dismissal_cancels_the_hand(seats: set[Seat]) -> None:
    """Nobody scores, only the hands that were shown are public, and the deal passes on."""
    rest = [card for card in deck(1) if card not in NO_RUN]
    twin = tuple(card for card in rest if card[0] in "AKJT874")[:13]  # no Q, 9, 6, 5, 3 or 2
    others = [card for card in rest if card not in twin]
    pack = (*others[:13], *NO_RUN, *others[13:], *twin)
    chosen = options(dismissal="no_run")

    def choose(seat: Seat, view: View) -> Move:
        return ("dismiss",) if seat in seats else fallback_move(seat, view)

    table = play_hand(GAME, chosen, OPENING, pack, choose)
    assert table.outcome is Outcome.GOES_ON
    assert set(table.public()) == {slot for seat in seats for slot in own_slots(seat)}
    assert [one.seat for one in hand_of(table).dismissed] == sorted(seats)
    assert GAME.settle(table.state) == HazariStanding(dealer=3, dealt=1, played=0)


def test_a_view_holds_only_the_own_slots_of_the_faces_it_is_given() -> None:
    """Whatever a caller hands in, no other seat's card gets into the hand."""
    pack = deck(1)
    view = GAME.view(at_up(), 2, dict(enumerate(pack)))
    assert view.hand == tuple((slot, pack[slot]) for slot in own_slots(2))
    assert GAME.view(at_up(), None, dict(enumerate(pack))).hand == ()


def test_the_fallback_is_what_the_own_program_does_when_late() -> None:
    """By slots, ascending in each group."""
    pack = deck(1)
    kind, *groups = GAME.late(sees(pack, 3, at_up()))
    cards = []
    for group in groups:
        assert isinstance(group, tuple)
        slots = [slot for slot in group if isinstance(slot, int)]
        assert slots == sorted(slots)
        cards.append({pack[slot] for slot in slots})
    assert kind == "up"
    assert cards == [set(group) for group in fallback(pack[39:])]
