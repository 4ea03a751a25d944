"""What holds of every hand, with any cards, any seats gone and anything from the network.

Invariants: a scored hand shares out exactly 360; every card is in exactly one place; no public
value tells a hidden card; a state is never changed; a move is refused by IllegalMove or accepted
all the way.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import IllegalMove, Move, Outcome, Plain, Seat, View
from engine.cards import FULL_PACK, is_card
from engine.hazari import GAME
from engine.hazari.division import faces_of, order_fault, own_slots
from engine.hazari.moves import REFUSALS, UP
from engine.hazari.state import HazariState
from tests.engine.driver import Table
from tests.engine.hands import deck, foul_move, options
from tests.engine.test_hazari import OPENING, SEATS, at_up, divisions, hand_of, sees

SEEDS = st.integers(0, 2**32)
CHOICES = st.sampled_from(["fallback", "foul", "random", "dismiss"])
SILENT = st.dictionaries(
    st.integers(1, 5), st.frozensets(st.sampled_from(SEATS), max_size=2), max_size=2
)
GIVEN = st.fixed_dictionaries(
    {},
    optional={
        "dismissal": st.sampled_from(["off", "no_run", "six_pairs", "both"]),
        "foul_scores_zero": st.sampled_from(["on", "off"]),
    },
)


def by_chance(seed: int, view: View) -> Move:
    """Any thirteen slots in any groups: well formed, mostly out of order."""
    own = list(own_slots(view.seat or 0))
    shuffled = [own[FULL_PACK.index(card)] for card in deck(seed) if FULL_PACK.index(card) < 13]
    cuts = (shuffled[0:3], shuffled[3:6], shuffled[6:9], shuffled[9:13])
    return (UP, *(tuple(sorted(cut)) for cut in cuts))


def words(plain: Plain) -> set[str]:
    """All texts in a plain value."""
    if isinstance(plain, tuple):
        return {word for item in plain for word in words(item)}
    return {plain} if isinstance(plain, str) else set()


def items(plain: Plain) -> tuple[Plain, ...]:
    """The items of a plain value that is a tuple."""
    assert isinstance(plain, tuple)
    return plain


def check_observables(table: Table) -> None:
    """Calls everything that only looks; none changes the state or tells a hidden card."""
    state = hand_of(table)
    before, key = repr(state), hash(state)
    public = set(table.public().values())
    # Once three hands are open the fourth is known to everybody: it is what is left.
    known = set(FULL_PACK) if len(public) >= 39 and state.shown else public
    assert {word for word in words(GAME.plain(state)) if is_card(word)} <= known
    assert {card for line in GAME.describe(state) for card in line.split() if is_card(card)} <= (
        known
    )
    for seat in (None, *SEATS):
        view = table.view(seat)
        own = {table.deck[slot] for slot in own_slots(seat)} if seat is not None else set()
        assert {card for card in FULL_PACK if f"'{card}'" in repr(view)} <= known | own
        for choice in GAME.legal(view):
            for move in choice.moves:
                assert GAME.objection(view, move) is None
        if view.owes:
            assert GAME.objection(view, GAME.late(view)) is None
    assert json.loads(json.dumps(GAME.plain(state))) is not None
    assert repr(state) == before
    assert hash(state) == key


@pytest.mark.slow
@settings(max_examples=120)
@given(SEEDS, GIVEN, st.tuples(CHOICES, CHOICES, CHOICES, CHOICES), SILENT, st.integers(0, 3))
def test_any_hand_comes_to_an_end_that_adds_up(
    seed: int,
    given_options: dict[str, str],
    kinds: tuple[str, ...],
    silent: dict[int, frozenset[Seat]],
    coin: int,
) -> None:
    """Played, cancelled, void or waiting: points, cards and the next deal are as they must be."""

    def choose(seat: Seat, view: View) -> Move:
        may = {choice.kind for choice in GAME.legal(view)}
        if kinds[seat] == "foul":
            return foul_move(view)
        if kinds[seat] == "random":
            return by_chance(seed + seat, view)
        if kinds[seat] == "dismiss" and "dismiss" in may:
            return ("dismiss",)
        return GAME.late(view)

    chosen = options(**given_options)
    state = GAME.start(chosen, SEATS, OPENING, coin)
    table = Table(GAME, chosen, SEATS, deck(seed), state, choose, silent)
    for _ in table.play():
        check_observables(table)
    end = hand_of(table)
    if table.outcome is Outcome.WAITS:
        assert not GAME.over(end)
        return
    assert GAME.over(end)
    assert (table.outcome is Outcome.VOID) <= end.void
    assert ("dealer", ((coin - 1) % 4,)) in items(GAME.plain_standing(GAME.settle(end)))
    assert (end.shown is not None) + bool(end.dismissed) + end.void == 1
    check_show(table, end)


def check_show(table: Table, end: HazariState) -> None:
    """Of a scored hand: 360 points, each card once and with its owner, every division legal."""
    if end.shown is None:
        return
    assert sum(end.shown.scores) == 360
    assert all(points % 5 == 0 for points in end.shown.scores)
    for seat, division in enumerate(end.shown.divisions):
        held = {table.deck[slot] for slot in own_slots(seat)}
        assert sorted(card for group in division for card in group) == sorted(held)
        assert order_fault(division) is None
        said = end.arranged[seat]
        if seat not in end.shown.replaced:
            assert said is not None
            assert faces_of(said, dict(enumerate(table.deck))) == division
    for one in end.shown.rounds:
        assert sorted(one.order) == [0, 1, 2, 3]
    assert end.shown.foul <= end.shown.replaced


ANYTHING = st.recursive(
    st.one_of(
        st.integers(-2, 60),
        st.integers(),
        st.booleans(),
        st.none(),
        st.text(max_size=4),
        st.binary(max_size=4),
        st.floats(),
        st.sampled_from(["up", "dismiss"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.lists(inner, max_size=5).map(tuple)),
    max_leaves=20,
)
NEAR = st.tuples(
    st.sampled_from(["up", "dismiss", "UP"]),
    *(
        st.lists(st.integers(-1, 14), min_size=size - 1, max_size=size + 1).map(tuple)
        for size in (3, 3, 3, 4)
    ),
)


@st.composite
def spoiled(draw: st.DrawFn) -> object:
    """A good division in which one thing is put in the place of another."""
    move: list[object] = list(divisions(deck(1), at_up())[0])
    place = draw(st.integers(0, 4))
    group = move[place]
    if isinstance(group, tuple) and draw(st.booleans()):
        spot = draw(st.integers(0, len(group) - 1))
        move[place] = (*group[:spot], draw(ANYTHING), *group[spot + 1 :])
    else:
        move[place] = draw(ANYTHING)
    return tuple(move)


@pytest.mark.slow
@settings(max_examples=400)
@given(
    st.one_of(ANYTHING, NEAR, spoiled(), st.just(("dismiss",))),
    st.integers(-1, 5),
    st.sampled_from(["off", "no_run", "both"]),
    SEEDS,
)
def test_whatever_comes_from_the_network_is_refused_or_accepted_for_good(
    move: object, seat: int, dismissal: str, seed: int
) -> None:
    """``needs`` and ``claims`` raise IllegalMove with a listed code, or ``apply`` takes it."""
    state = at_up(dismissal=dismissal)
    pack = deck(seed)
    before = repr(state)
    moves = divisions(pack, state)
    refused: IllegalMove | None = None
    slots: tuple[int, ...] = ()
    try:
        slots = GAME.needs(state, seat, move)  # type: ignore[arg-type]
        faces = {slot: pack[slot] for slot in slots}
        assert GAME.claims(state, seat, move, faces) == ()  # type: ignore[arg-type]
    except IllegalMove as illegal:
        refused = illegal
    if refused is None:
        assert slots in ((), own_slots(seat))
        after = GAME.apply(state, {**moves, seat: move}, faces)  # type: ignore[dict-item]
        assert GAME.over(after) == bool(slots)
    else:
        assert refused.rule in REFUSALS
        assert (refused.seat, bool(refused.text)) == (seat, True)
    if seat in SEATS:
        objection = GAME.objection(sees(pack, seat, state), move)  # type: ignore[arg-type]
        assert objection is None or objection.rule in REFUSALS
    assert repr(state) == before


@given(SEEDS, st.sampled_from(SEATS))
def test_the_own_program_refuses_just_the_divisions_that_would_be_foul(
    seed: int, seat: Seat
) -> None:
    """What it lets pass is never replaced at the show, what it refuses always is."""
    state = at_up()
    pack = deck(seed)
    view = sees(pack, seat, state)
    move = by_chance(seed, view)
    objection = GAME.objection(view, move)
    moves = {**divisions(pack, state), seat: move}
    faces = dict(enumerate(pack))
    end = GAME.shown(GAME.locked(GAME.apply(state, moves, {}), frozenset()), faces)
    assert isinstance(end, HazariState)
    assert end.shown is not None
    assert end.shown.foul == (set() if objection is None else {seat})
    if objection is not None:
        assert objection.rule == "up.order"
