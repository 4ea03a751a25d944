"""Every state that a small table of Azi can come to has a next step, and loses no chip.

All bids, looks, folds and absences at every step are tried, hand after hand, with few chips and
few packs; the tricks play themselves. A standing is looked at once, however it was come to.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations

import pytest

from engine import Card, Move, Options, Outcome, Seat, State, complete
from engine.azi import GAME
from engine.azi.interlude import Interlude
from engine.azi.standing import AziStanding
from engine.azi.state import AziState
from tests.engine.driver import Table


def subsets(seats: Sequence[Seat], least: int = 0) -> Iterator[frozenset[Seat]]:
    """All sets of these seats with so many at least."""
    sizes = range(least, len(seats) + 1)
    return map(frozenset, chain.from_iterable(combinations(seats, size) for size in sizes))


@dataclass
class Search:
    """All that can follow from a standing. ``packs`` are the decks that may come."""

    options: Options
    standing: AziStanding
    packs: Sequence[Sequence[Card]]
    deep: int = 0
    states: int = 0
    hands: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    met: set[object] = field(default_factory=set)
    waiting: deque[AziStanding] = field(default_factory=deque)

    def run(self) -> Search:
        """Everything; raises AssertionError at a state without a next step."""
        self.seats = tuple(range(len(self.standing.stacks)))
        self.chips = sum(self.standing.stacks) + self.standing.carried
        self.come_to(self.standing)
        while self.waiting:
            standing = self.waiting.popleft()
            for present in subsets(self.seats):
                self.between(standing, present)
        return self

    def first_time(self, *key: object) -> bool:
        """Whether this has not been met before."""
        known = key in self.met
        self.met.add(key)
        return not known

    def come_to(self, standing: AziStanding) -> None:
        """A standing after a hand: the match ends, or goes on from it."""
        assert sum(standing.stacks) + standing.carried == self.chips
        assert min(standing.stacks) >= 0 <= standing.carried
        end = GAME.match(self.options, standing, frozenset(self.seats))
        if end is not None:
            self.ends[f"match {end.rule}"] += 1
        elif self.first_time("standing", self.plain(standing)):
            self.waiting.append(standing)

    def plain(self, standing: AziStanding) -> AziStanding:
        """The standing without what only counts hands, where nothing hangs on it."""
        played = standing.played if self.options["hands"] else 0
        return replace(standing, dealt=0, played=played)

    def between(self, standing: AziStanding, present: frozenset[Seat]) -> None:
        """Whatever is settled with these seats present, and then the deal."""
        if not self.first_time("between", self.plain(standing), present):
            return
        state = GAME.interlude(self.options, standing, present)
        if state is None:
            self.ready(standing, present)
            return
        table = self.table(tuple(sorted(present)), (), state)
        for end in self.all_ends(table):
            self.ready(self.settled(end), present - end.gone)

    def table(self, seats: tuple[Seat, ...], pack: Sequence[Card], state: State) -> Table:
        """A hand, or an interlude, at its beginning; what is chosen in it is said later."""
        return Table(GAME, self.options, seats, pack, state, lambda seat, view: ())

    def settled(self, table: Table) -> AziStanding:
        """The standing after a hand or an interlude."""
        standing = GAME.settle(table.state)
        assert isinstance(standing, AziStanding)
        return standing

    def ready(self, standing: AziStanding, present: frozenset[Seat]) -> None:
        """The match ends, or a hand is dealt, or one of its seats is lost before that."""
        if not self.first_time("ready", self.plain(standing), present):
            return
        end = GAME.match(self.options, standing, present)
        if end is not None:
            self.ends[f"match {end.rule}"] += 1
            assert end.winner is not None or len(end.shared) > 1
            return
        seats = GAME.dealt_in(self.options, standing, present)
        assert len(seats) >= 2, "no match end, and nobody is dealt in"
        for seat in seats:
            self.between(standing, present - {seat})
        if self.deep and standing.dealt >= self.deep:
            return
        coins = range(len(seats)) if standing.winner is None else range(1)
        for coin in coins:
            for pack in self.packs:
                state = GAME.start(self.options, seats, standing, coin)
                table = self.table(seats, pack, state)
                for hand in self.all_ends(table):
                    self.hands += 1
                    after = self.settled(hand)
                    assert isinstance(hand.state, AziState)
                    self.ends[hand.state.ended] += 1
                    if hand.outcome is Outcome.NEW_PACK:
                        self.between(after, present - hand.gone)
                    else:
                        self.come_to(after)

    def all_ends(self, start: Table) -> Iterator[Table]:
        """The hand played in every way; ways that meet are followed once."""
        met: set[object] = set()
        tables = [start]
        while tables:
            table = tables.pop()
            if table.outcome is not Outcome.GOES_ON or GAME.over(table.state):
                yield table
                continue
            key = (self.without_log(table.state), len(table.parts))
            if key in met:
                continue
            met.add(key)
            self.states += 1
            tables += self.ways_on(table)

    @staticmethod
    def without_log(state: object) -> object:
        """The state without its log, which nothing hangs on."""
        assert isinstance(state, AziState | Interlude)
        return replace(state, actions=())

    def ways_on(self, table: Table) -> Iterator[Table]:
        """The hand after each way of taking the next step."""
        kind, owing = table.next_step()
        together = kind == "choice" and len(owing) > 1
        late = {seat: GAME.late(table.view(seat)) for seat in owing} if together else {}
        for silent in subsets(owing, least=1):
            if len(silent) in (1, 2, len(owing)):
                yield self.way(table, kind, owing, silent, late)
        if kind != "choice" or together:
            yield self.way(table, kind, owing, frozenset(), late)
            return
        (seat,) = owing
        for move in self.choices(table, seat):
            yield self.way(table, kind, owing, frozenset(), {seat: move})

    @staticmethod
    def choices(table: Table, seat: Seat) -> list[Move]:
        """All that a seat may do in its turn; in the tricks only its lowest card."""
        view = table.view(seat)
        late = GAME.late(view)
        if view.owes == "play":
            return [late]
        moves: list[Move] = [late]
        for choice in GAME.legal(view):
            moves += choice.moves
            if choice.amount is not None:
                least, most, step = choice.amount
                assert 0 < least <= most
                assert step > 0
                moves += [(choice.kind, total) for total in range(least, most + 1, step)]
        assert len(moves) > 1, "nothing but to be late"
        return sorted(set(moves), key=str)

    @staticmethod
    def way(
        table: Table,
        kind: str,
        owing: tuple[Seat, ...],
        silent: frozenset[Seat],
        moves: dict[Seat, Move],
    ) -> Table:
        """A copy of the hand in which the step is taken so."""
        after = table.copy()
        after.choose = lambda seat, view: moves[seat]
        after.carry_out(kind, owing, silent)
        return after


def search(
    stacks: Sequence[int], seeds: Sequence[int], deep: int, given: Mapping[str, int | str]
) -> Search:
    """The search from these stacks, with these packs, so many hands deep; 0: to every end."""
    small: dict[str, int | str] = {"stack": 6, "ante": 1, "min_bid": 1, "raise_step": 1}
    options = complete(GAME.options, small | dict(given))
    return Search(options, AziStanding(tuple(stacks)), [deck(seed) for seed in seeds], deep).run()


def deck(seed: int) -> tuple[Card, ...]:
    """A pack in some order, the same for the same seed."""
    cards = list(GAME.pack(complete(GAME.options, {})))
    random.Random(seed).shuffle(cards)
    return tuple(cards)


BLIND: Mapping[str, int | str] = {"blind": "on", "min_bid": 2, "raise_step": 2}
AZI = 6
"""The seed of a pack with which three seats come to an azi."""

SMALL: list[tuple[tuple[int, ...], tuple[int, ...], int, Mapping[str, int | str]]] = [
    ((3, 3), (1, 2), 0, {}),
    ((3, 3), (4,), 0, {"callers_may_reraise": "on", "short_stack": "pro_rata"}),
    ((4, 2), (1,), 0, {"max_bid": 1, "ante": 0}),
    ((3, 2), (1,), 0, BLIND),
    ((1, 1, 1), (AZI,), 0, {}),
    ((1, 1, 2), (AZI,), 2, {"azi_entry": "half_pot"}),
    ((1, 1, 2), (AZI,), 1, {"azi_entry": "trick_takers_only", "ante": 0}),
    ((2, 1, 2), (AZI,), 1, {"cards": 4, "hands": 2}),
    ((1, 2, 2), (AZI,), 1, {**BLIND, "trump_from": "dealers_last_card"}),
    ((1, 1, 2, 1), (3,), 1, {"azi_entry": "half_pot"}),
]


QUICK = (2, 6)
"""Places in SMALL that the quick loop looks at: one without blind bids, one with an azi."""


@pytest.mark.parametrize(
    ("stacks", "seeds", "deep", "given"),
    [
        pytest.param(*one, marks=() if place in QUICK else pytest.mark.slow)
        for place, one in enumerate(SMALL)
    ],
)
def test_every_state_of_a_small_table_has_a_next_step(
    stacks: tuple[int, ...], seeds: tuple[int, ...], deep: int, given: Mapping[str, int | str]
) -> None:
    """From these stacks, whoever sits out, is lost before a deal, or falls silent at any step."""
    found = search(stacks, seeds, deep, given)
    assert found.states > 50
    assert min(found.ends[end] for end in ("alone", "void", "match few", "match chips")) > 0
    assert found.ends["won"] + found.ends["azi"] > 0
