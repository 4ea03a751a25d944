"""Nothing is gained by silence or a lie, at any step of both games, but what SPEC 13 lists.

All cards are known here, and what the others will do; alone, with one ally, and two that go
together. ``AZI_AT_MOST`` has each kind of case that is worth anything, with the bound that SPEC 13
gives. FACEDOWN_SOAK=20 tries twenty times as many games.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import pytest

from engine import Card, Move, Outcome, Seat, State, complete
from engine.azi import GAME as AZI
from engine.azi.bidding import bidder
from engine.azi.money import Chips
from engine.azi.standing import AziStanding
from engine.azi.state import AziState
from engine.hazari import GAME as HAZARI
from engine.hazari.division import Division, fallback, own_slots
from engine.hazari.moves import UP
from engine.hazari.search import best_division
from engine.hazari.state import HazariStanding, HazariState
from protocol.events import HandOver, HandStarted
from protocol.session import Session
from tests.engine import hands
from tests.engine.driver import Table
from tests.protocol.absences import events, silence, wait
from tests.protocol.azi_verdicts import stacks_of
from tests.protocol.tables import make_table
from tests.protocol.worth import (
    GOES_ON,
    Habit,
    Silence,
    World,
    dealt_world,
    silences,
    some_world,
)

SOAK = int(os.environ.get("FACEDOWN_SOAK", "1"))

# Azi, step by step.

TABLES: dict[str, tuple[int, int, dict[str, int | str]]] = {
    "three": (3, 8, {}),
    "four": (4, 3, {}),
    "three, of four cards": (3, 2, {"cards": 4, "max_bid": 10}),
    "four, of four cards": (4, 1, {"cards": 4, "max_bid": 10}),
    "three, blind": (3, 3, {"blind": "on"}),
    "four, blind": (4, 2, {"blind": "on"}),
}
"""Seats, games in the usual run, options."""

Bound = Callable[[Silence], Fraction]


def nothing(one: Silence) -> Fraction:
    """Silence is no better than the best that could be said."""
    return Fraction(0)


def dealt_again(one: Silence) -> Fraction:
    """What is left of the price of a new deal: SPEC 13 says what it costs.

    Ante and penalty are just what an equal part of the new bank is worth to the ally, so that both
    have lost two antes, as if they had folded. What they may gain is that neither has to open now,
    and the part of the penalty that is beyond the chips of the one that goes.
    """
    state, (seat,) = one.state, one.silent
    each = -(-state.chips.bank // (len(state.seats) - 2))
    spared = sum(one.fee(ally) for ally in one.openers)
    return spared + max(Fraction(0), Fraction(each - state.chips.stacks[seat]))


def the_bank(one: Silence) -> Fraction:
    """No more than there is to win: SPEC 13, one spares the other a card and gives up the game."""
    return Fraction(one.bank)


def own_part(one: Silence) -> Fraction:
    """What may come back of the own stake, or an equal part of the bank of an azi among two."""
    paid = sum(one.state.chips.contributions[seat] for seat in one.allies)
    return max(Fraction(paid), Fraction(one.bank, 2) * len(one.allies))


def own_stakes(one: Silence) -> Fraction:
    """What the allies have paid, and what was carried before, is played for again."""
    chips = one.state.chips
    return Fraction(chips.carried + sum(chips.contributions[seat] for seat in one.allies))


def late_fees(one: Silence) -> Fraction:
    """Of each seat that has gone, the least bid."""
    seats = len(one.state.gone) + len(one.silent)
    return Fraction(seats * one.state.rules.min_bid)


AZI_AT_MOST: dict[tuple[str, str, str], Bound] = {
    ("lock", "with an ally", "spent"): dealt_again,
    ("deal", "with an ally", "spent"): dealt_again,
    ("discard", "with an ally", GOES_ON): the_bank,
    ("look", "with an ally", GOES_ON): the_bank,
    ("play", "with an ally", GOES_ON): the_bank,
    ("look", "with an ally", "alone"): the_bank,
    ("play", "with an ally", "alone"): the_bank,
    **{
        (step, who, GOES_ON): own_part
        for step in ("discard", "look", "play")
        for who in ("alone", "the second", "both")
    },
    **{
        (step, who, "void"): own_stakes
        for step in ("bid", "look", "play")
        for who in ("alone", "with an ally", "the second", "both")
    },
    **{(step, "both", "alone"): late_fees for step in ("lock", "deal", "discard", "look")},
    ("bid", "with an ally", "alone"): late_fees,
    ("bid", "the second", "alone"): late_fees,
}
"""What silence can be worth by step, who is silent, what becomes of the game: all else nothing."""


def judged(table: str) -> Iterator[tuple[Silence, Fraction, Fraction]]:
    """Silence at every step of a table's games: what it is worth, and what it may be worth."""
    seats, games, given = TABLES[table]
    for seed in range(games * SOAK):
        world = some_world(seed, seats, **given)
        draw = random.Random(seed)
        gone = {draw.randint(2, 8): draw.randrange(seats)} if seed % 3 == 2 else {}
        for one in silences(world, gone):
            bound = AZI_AT_MOST.get((one.step, one.who, one.follows), nothing)
            yield one, one.worth(), bound(one)


QUICK = ("three, of four cards", "three, blind")


@pytest.mark.parametrize(
    "table",
    [pytest.param(one, marks=() if one in QUICK else pytest.mark.slow) for one in TABLES],
)
def test_in_azi_silence_and_lies_are_worth_no_more_than_this(table: str) -> None:
    """Every step of some games, each seat that owes something, alone and with each other one.

    A lie is never worth more than silence: the liar is out for good besides.
    """
    steps: set[str] = set()
    for one, worth, bound in judged(table):
        steps.add(one.step)
        told = (one.step, one.who, one.follows, one.allies, one.silent, one.state)
        assert worth <= bound, told
        assert one.worth(lies=True) <= worth, told
    given = TABLES[table][2]
    more = {"lock", "look"} if "blind" in given else {"discard"} if "cards" in given else set()
    assert steps == {"deal", "bid", "play"} | more


@pytest.mark.parametrize("table", TABLES)
def test_the_steps_are_those_of_the_table_lane(table: str) -> None:
    """Who owes what, as a driver finds it that keeps account of every single share."""
    seats, games, given = TABLES[table]
    kinds = {"lock": "lock", "deal": "shares", "look": "shares"}
    for seed in range(4 * games):
        world = some_world(seed, seats, **given)
        draw = random.Random(seed)
        falls = draw.randint(2, 8), draw.randrange(seats)
        driven = driven_by_habit(world, *falls)
        found = world.course({falls[0]: falls[1]})
        steps = [(state, *world.due(state)) for state in found]
        assert driven == [(state, kinds.get(step, "choice"), owing) for state, step, owing in steps]


def driven_by_habit(
    world: World, number: int, falls: Seat
) -> list[tuple[State, str, tuple[Seat, ...]]]:
    """The steps of a game, but that in which a seat goes: state, kind and who owes."""
    game = Table(
        AZI,
        world.options,
        world.start.seats,
        world.deck,
        world.start,
        lambda seat, view: world.usual(azi(game.state), seat),
        lambda step: frozenset({falls} if step.number == number else ()),
    )
    return [
        (game.state, step.kind, step.owing)
        for step in game.play()
        if step.kind != "over" and not step.silent
    ]


def azi(state: State) -> AziState:
    """The state as Azi's own."""
    assert isinstance(state, AziState)
    return state


@pytest.mark.parametrize(
    ("seats", "carried", "min_bid", "goes", "price"),
    [
        (4, 0, 10, 1, 10 + 20),  # the figures of SPEC 13
        (4, 100, 10, 1, 10 + 70),
        (3, 0, 10, 1, 10 + 30),
        (3, 0, 60, 0, 10 + 60),  # it was to open, and that is more
        (4, 0, 10, 0, 10 + 20),
    ],
)
def test_the_price_of_a_new_deal_is_that_of_the_specification(
    seats: int, carried: int, min_bid: int, goes: Seat, price: int
) -> None:
    """Who spoils it has lost so much, and is not dealt in again: more than by folding, or late.

    With an ally, who plays for an equal part of the new bank, it has no more than if both fold.
    """
    options = complete(AZI.options, {"min_bid": min_bid})
    standing = AziStanding((1000,) * seats, carried=carried)
    start = azi(AZI.start(options, tuple(range(seats)), standing, 0))
    world = World(start, AZI.pack(options), (Habit("level", False, "low"),) * seats, options)
    (spent,) = world.without(start, (goes,))
    assert spent.ended == "spent"
    assert world.chips(spent, (goes,)) == 1000 - price
    assert price >= 10 + (min_bid if goes == start.opener else 0)
    assert world.chips(spent, (goes, seats - 1)) <= 2 * (1000 - 10)


def test_without_the_penalty_a_new_deal_would_be_found_to_be_worth_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So these bounds can be broken."""
    forfeited = Chips.forfeited
    monkeypatch.setattr(Chips, "forfeited", lambda self, seat, more=0: forfeited(self, seat))
    assert {one.step for one, worth, bound in judged("three") if worth > bound} == {"deal"}


# Azi, between the games.


def standings() -> Iterator[tuple[World, AziStanding]]:
    """What games of all kinds have left, and deals that were spoilt."""
    for seed in range(12 * SOAK):
        world = some_world(seed, 3 + seed % 2)
        *_, last = world.course({})
        _, owing = world.due(last)
        (entries,) = world.entries(last, list(owing), ())
        for end in (world.after(last, entries), *world.without(world.start, (0,))):
            settled = AZI.settle(end)
            assert isinstance(settled, AziStanding)
            yield world, settled


def test_who_is_silent_when_asked_to_buy_in_has_passed() -> None:
    """Chips, bank and who plays for it are the same; by a lie it is out besides."""
    asked = 0
    for first in range(4):
        options = complete(AZI.options, {"azi_entry": "half_pot"})
        standing = AziStanding(
            (40, 50, 60, 70), 35, None, "azi", (first,), azi_bank=35, opener=first, free=True
        )
        state = AZI.interlude(options, standing, frozenset(range(4)))
        while state is not None and AZI.owed(state):
            ((seat, _),) = AZI.owed(state).items()
            silent, outcome = AZI.absent(state, frozenset({seat}), {})
            passed = AZI.apply(state, {seat: ("pass",)}, {})
            assert outcome is Outcome.GOES_ON
            assert AZI.owed(silent) == AZI.owed(passed)
            if not AZI.owed(silent):
                assert AZI.settle(silent) == AZI.settle(passed)
            asked += 1
            state = AZI.apply(state, {seat: ("buy",) if seat % 2 else ("pass",)}, {})
    assert asked == 12


def test_who_is_silent_at_ready_has_sat_out() -> None:
    """It spares itself the ante and the opening, as by saying ``out`` at SIT.

    By SPEC 13 the coin may be known, and so that it is to open; it has seen no card, as no share is
    out. With an ally it has no more either: what is carried both of them would have played for.
    """
    for world, standing in standings():
        rules = world.start.rules
        everybody = frozenset(range(len(standing.stacks)))
        players = AZI.dealt_in(world.options, standing, everybody)
        for seat in players:
            without = between(world, standing, everybody - {seat})
            assert without.stacks[seat] == standing.stacks[seat]
            game = azi(AZI.start(world.options, players, standing, 0))
            late = game.chips.stacks[seat] - bidder(game, seat).late_fee
            assert standing.stacks[seat] - late <= rules.ante + rules.min_bid
            for ally in players:
                if ally != seat:
                    has = part(world, standing, everybody, (seat, ally))
                    assert part(world, without, everybody - {seat}, (seat, ally)) <= has


def between(world: World, standing: AziStanding, present: frozenset[Seat]) -> AziStanding:
    """The standing once all that are asked to buy in have passed."""
    state = AZI.interlude(world.options, standing, present)
    while state is not None and AZI.owed(state):
        state = AZI.apply(state, dict.fromkeys(AZI.owed(state), ("pass",)), {})
    settled = standing if state is None else AZI.settle(state)
    assert isinstance(settled, AziStanding)
    return settled


def part(
    world: World, standing: AziStanding, present: frozenset[Seat], allies: tuple[Seat, ...]
) -> Fraction:
    """The chips of allies before a game, with an equal part of what is carried to it."""
    after = between(world, standing, present)
    own = Fraction(sum(after.stacks[seat] for seat in allies))
    players = AZI.dealt_in(world.options, after, present)
    if players:
        own += Fraction(after.carried * len(set(players) & set(allies)), len(players))
    return own


@pytest.mark.slow
@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("kind", ["commit", "open", "mix", "prove", "ready", "result", "sit"])
def test_at_the_other_steps_of_azi_nobody_wins_or_loses_a_chip_by_silence(kind: str) -> None:
    """The silent seat has what it had, to the end, as if it had sat out; nor does it stop others.

    In a pack nobody has seen a card; at RESULT and SIT the game is over.
    """
    table = make_table("worth", "azi", {"hands": 2}, 4)
    silence(table, {2}, lambda e: e.kind == kind)
    table.begin()
    table.deliver()
    wait(table, alive=(0, 1, 3))
    overs = [one for one in events(table, 0, HandOver) if isinstance(one, HandOver)]
    stacks = [stacks_of(over.standing)[2] for over in overs]
    played = kind in ("result", "sit")
    assert stacks[0] == 1000 or played
    assert stacks == [stacks[0]] * 2
    starts = [one for one in events(table, 0, HandStarted) if isinstance(one, HandStarted)]
    assert [2 in one.seats for one in starts] == [played, False]
    session: Session = table.seats[0].session
    assert session.over


# Hazari.

SEATS = (0, 1, 2, 3)


class Hand:
    """One hand of Hazari with open cards; a division of each seat, by a seed."""

    def __init__(
        self, seed: int, divisions: Callable[[Hand, Seat], Division], **given: int | str
    ) -> None:
        self.deck = hands.deck(seed)
        self.draw = random.Random(seed)
        self.options = hands.options(**given)
        self.faces = dict(enumerate(self.deck))
        start = HAZARI.start(self.options, SEATS, HazariStanding(), seed)
        self.up = HAZARI.shown(start, {})
        self.said = {seat: self.move(seat, divisions(self, seat)) for seat in SEATS}

    def cards(self, seat: Seat) -> tuple[Card, ...]:
        """The thirteen cards of a seat."""
        return tuple(self.deck[slot] for slot in own_slots(seat))

    def move(self, seat: Seat, division: Division) -> Move:
        """Up with a division by cards."""
        slot = {self.deck[k]: k for k in own_slots(seat)}
        return (UP, *(tuple(sorted(slot[card] for card in group)) for group in division))

    def end(
        self, at: str = "", silent: Sequence[Seat] = (), fall_back: bool = False
    ) -> HazariState:
        """The hand at its end, these seats silent at a step, or saying up with the fallback."""
        seats = frozenset(silent)
        state, said = self.up, dict(self.said)
        if fall_back:
            said |= {seat: self.move(seat, fallback(self.cards(seat))) for seat in seats}
        if at == "up":
            state, _ = HAZARI.absent(state, seats, {})
            said = {seat: move for seat, move in said.items() if seat not in seats}
        if not HAZARI.over(state):
            state = HAZARI.apply(state, said, {})
        if at == "lock":
            state, _ = HAZARI.absent(state, seats, {})
        if not HAZARI.over(state):
            state = HAZARI.locked(state, seats if at == "lock" else frozenset())
        if at == "show":
            state, _ = HAZARI.absent(state, seats, {})
        if not HAZARI.over(state):
            state = HAZARI.shown(state, self.faces)
        assert isinstance(state, HazariState)
        return state

    def points(self, end: HazariState, allies: Sequence[Seat]) -> int:
        """What the allies have more than the others by this hand."""
        scores = end.shown.scores if end.shown else (0, 0, 0, 0)
        return 2 * sum(scores[seat] for seat in allies) - sum(scores)


def by_chance(hand: Hand, seat: Seat) -> Division:
    """Any division of the cards, mostly out of order."""
    cards = list(hand.cards(seat))
    hand.draw.shuffle(cards)
    return (tuple(cards[:3]), tuple(cards[3:6]), tuple(cards[6:9]), tuple(cards[9:]))


def with_most_points(hand: Hand, seat: Seat) -> Division:
    """What a good player says up with."""
    return best_division(hand.cards(seat), "points")


@pytest.mark.parametrize("given", [{}, {"foul_scores_zero": "on"}], ids=["", "foul scores zero"])
def test_in_hazari_silence_at_up_is_the_fallback_said(given: dict[str, str]) -> None:
    """So it is worth nothing, whatever an ally says: who is silent could have said that itself.

    At the show silence changes nothing at all. That is so for every seat and thus for every two.
    """
    for seed in range(6 * SOAK):
        hand = Hand(seed, by_chance, **given)
        honest = hand.end()
        for seat in SEATS:
            said = hand.end(silent=(seat,), fall_back=True)
            for allies in ((seat,), *((seat, ally) for ally in SEATS if ally != seat)):
                silent = hand.end("up", (seat,))
                assert hand.points(silent, allies) == hand.points(said, allies)
                shown = hand.end("show", (seat,))
                assert hand.points(shown, allies) == hand.points(honest, allies)


def test_a_liar_of_hazari_cannot_win_the_match() -> None:
    """For the hand a lie is silence; who was silent may still win."""
    options = hands.options(hands=1)
    standing = HazariStanding((200, 100, 60, 0), 0, 1, 1)
    end = HAZARI.match(options, standing, hands.ALL)
    barred = HAZARI.match(options, standing, hands.ALL, frozenset({0}))
    assert end is not None
    assert barred is not None
    assert (end.winner, barred.winner) == (0, 1)


def test_the_silence_of_two_at_hazari_scores_nothing_for_anybody() -> None:
    """Nor is there a second try: the match has no winner then. So it never wins anything."""
    for at in ("up", "lock", "show"):
        for two in combinations(SEATS, 2):
            end = Hand(sum(two), by_chance).end(at, two)
            assert end.void
            standing = HAZARI.settle(end)
            assert isinstance(standing, HazariStanding)
            assert (standing.totals, standing.broken) == ((0, 0, 0, 0), True)
            over = HAZARI.match(hands.options(), standing, hands.ALL)
            assert over is not None
            assert (over.winner, over.rule) == (None, "broken")


# What silence is worth in some pinned cases that SPEC 13 lists.

SHARP = Habit("level", False, "sharp")
RAISES = Habit("raise", False, "sharp")
BLIND = Habit("level", True, "sharp")
THREE = (90, 90, 90)
FOUR = (90, 90, 90, 90)


def most(
    world: World,
    step: str,
    allies: tuple[Seat, ...],
    silent: tuple[Seat, ...],
    gone: dict[int, Seat] | None = None,
) -> Fraction:
    """The most that silence at this step is worth to these allies in this game."""
    wanted = (step, allies, silent)
    found = [
        one.worth() for one in silences(world, gone) if (one.step, one.allies, one.silent) == wanted
    ]
    assert found
    return max(found)


ALONE_IN_THE_TRICKS = {
    # Seat 2 has one trick and must lead 9S or 6S, by which seat 1 takes the other two. If it is
    # gone seat 0 leads, it is an azi, and 60 chips are carried: a third of them for who is back.
    "azi for a win of another": (
        20,
        2,
        dealt_world(THREE, ("8S KD KH", "AS QS TS", "AH 9S 6S"), "6H", SHARP),
    ),
    # Likewise with the last card: seat 1 must lead 8S, which gives seat 3 its second trick.
    "with the last card": (
        20,
        1,
        dealt_world(FOUR, ("6D 7S 7D", "8D 8S QH", "TS 9D AD", "JH QS QD"), "8H", SHARP),
    ),
    # Seat 1 must lead, and seat 0 wins all of 94. If it is gone seat 2, which is short, wins 42,
    # and 26 of the 40 that seat 1 has paid go back to it; after a lie, too.
    "a short winner": (
        26,
        1,
        dealt_world(
            (90, 90, 14),
            ("9H AD KD", "6D JH QD", "KS AS 7H"),
            "TH",
            RAISES,
            azi_entry="trick_takers_only",
        ),
    ),
}

FOUR_BLIND = dealt_world(
    FOUR, ("KS TD JH", "9D KD AS", "QH 7S 8H", "8S 7D 6H"), "KH", BLIND, blind="on"
)
"""All bid blind and level, 60 chips are in the bank, and all look."""

POOR_OPENER = dealt_world((19, 90, 90), ("AD AH KS", "7S KH 9S", "JS 6S TS"), "8H", SHARP)
"""Seat 0 can pay the ante and 9 chips, which is no bid; seat 1 would have to open."""

ONE_WAS_GONE = dealt_world(
    THREE, ("7H TH KD JH", "8H 7S JS 9H", "TS QD 8D 6D"), "9D", SHARP, cards=4
)
"""Seat 1 is silent at the discards; then seat 0 is to open, and seat 1 would be the next."""


@pytest.mark.parametrize("case", ALONE_IN_THE_TRICKS)
def test_what_silence_is_worth_alone_in_the_tricks(case: str) -> None:
    """So many chips, and no more."""
    chips, seat, world = ALONE_IN_THE_TRICKS[case]
    assert most(world, "play", (seat,), (seat,)) == chips


def test_what_the_other_cases_are_worth() -> None:
    """The same for the cases below."""
    assert most(FOUR_BLIND, "look", (0, 1), (0, 1)) == 15
    assert most(FOUR_BLIND, "look", (1,), (1,), {3: 0}) == Fraction(15, 2)
    assert most(POOR_OPENER, "deal", (1, 2), (1, 2)) == 9
    assert most(ONE_WAS_GONE, "bid", (0, 2), (0,), {2: 1}) == 10
    assert with_lock_and_without() == (155, 265)


def with_lock_and_without() -> tuple[int, int]:
    """The points of seat 2 in one hand with its lock, and if it is silent there."""
    hand = Hand(46, with_most_points)
    given, silent = hand.end().shown, hand.end("lock", (2,)).shown
    assert given is not None
    assert silent is not None
    return given.scores[2], silent.scores[2]
