"""What silence, or a lie, would have been worth to a seat or to two that are allies.

Everything is known here: all cards, and what the others will do, who keep to their habits. At a
step in which a seat owes something two things are compared: what the allies have together when it
says nothing and they do the best that is left to them, and what they have by the best that they
could have said. Azi is reckoned in chips. Chips that are carried to the next game count in equal
parts for those who will be dealt in to it, as its cards are not dealt yet.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

from engine import Card, Move, Options, Seat, complete
from engine.azi import GAME
from engine.azi.bidding import bidder
from engine.azi.moves import BID, DISCARD, FOLD, LATE, LEVEL, LOOK, PLAY
from engine.azi.pack import clockwise, lowest, playable, winning
from engine.azi.standing import AziStanding
from engine.azi.state import (
    ALONE,
    BIDDING,
    DEAL,
    DISCARDING,
    OVER,
    SPENT,
    VOID,
    AziState,
)
from engine.cards import rank_value, suit

Allies = tuple[Seat, ...]

DRAW = "look"
"""The step in which shares are due for seats that have looked, in the bidding or after it."""

GOES_ON = "goes on"
"""Nobody has the bank at once by it, but for the last trick that may end by it."""


@dataclass(frozen=True)
class Habit:
    """What a seat does that is no ally: how it bids, whether it bids blind, how it plays."""

    bids: str  # "fold", "level" or "raise"
    blind: bool
    plays: str  # "high", "low" or "sharp"


@dataclass
class World:
    """One game of Azi with open cards, from its deal on."""

    start: AziState
    deck: tuple[Card, ...]
    habits: tuple[Habit, ...]
    options: Options
    known: dict[tuple[object, ...], Fraction] = field(default_factory=dict)

    @property
    def faces(self) -> dict[int, Card]:
        """The card of every slot."""
        return dict(enumerate(self.deck))

    # What is due, and what follows.

    def due(self, state: AziState) -> tuple[str, tuple[Seat, ...]]:
        """The kind of the next step and who owes it, as the table lane has it."""
        there = tuple(seat for seat in state.seats if seat not in state.gone)
        if state.phase == OVER:
            return OVER, ()
        if GAME.locks(state):
            return "lock", there
        if state.phase == DEAL:
            return DEAL, there
        if state.looking:
            if state.gone - state.given:  # everybody opens their locks
                return DRAW, there
            own = state.looking if len(state.looking) == 1 else frozenset()
            return DRAW, tuple(seat for seat in there if seat not in own | state.given)
        return state.phase, tuple(sorted(state.owing))

    def after(self, state: AziState, entries: dict[Seat, Move]) -> AziState:
        """The state when a step has closed in which all gave what they owed."""
        if state.phase == OVER:
            return state
        if GAME.locks(state):
            return _azi(GAME.locked(state, frozenset()))
        if state.phase == DEAL or state.looking:
            return _azi(GAME.shown(state, self.faces))
        return _azi(GAME.apply(state, entries, self.faces))

    def without(self, state: AziState, silent: Allies, allies: Allies = ()) -> Iterator[AziState]:
        """The states when these seats were silent in a step: one for each choice of allies."""
        kind, owing = self.due(state)
        gone, _ = GAME.absent(state, frozenset(silent), self.faces)
        left = _azi(gone)
        others = [seat for seat in owing if seat not in silent]
        locked = kind == DRAW and left.looking and not left.given.issuperset(silent)
        if left.phase == OVER or not others or locked:
            yield left
            return
        for entries in self.entries(state, others, allies):
            yield self.after(left, entries)

    def entries(
        self, state: AziState, owing: list[Seat], allies: Allies
    ) -> Iterator[dict[Seat, Move]]:
        """What these seats may say together: of allies all that makes a difference."""
        kind, _ = self.due(state)
        if kind in ("lock", DEAL, DRAW):
            yield {}
            return
        said = [
            self.choices(state, seat) if seat in allies else [self.usual(state, seat)]
            for seat in owing
        ]
        for moves in product(*said):
            yield dict(zip(owing, moves, strict=True))

    # What seats say.

    def choices(self, state: AziState, seat: Seat) -> list[Move]:
        """All that a seat may say, to fold first; of bids those in steps of ``raise_step``."""
        if state.phase == DISCARDING:
            slots = [k for k in state.unplayed(seat) if k != state.turned_up_slot]
            return [(DISCARD, slot) for slot in slots]
        if state.phase != BIDDING:
            return [(PLAY, slot) for slot in self.hand(state, seat, may=True)]
        who = bidder(state, seat)
        moves: list[Move] = [(LATE,)] if who.opens else [(FOLD,), (LEVEL,)]
        if who.bids:
            least, most, _ = who.bids
            moves += [(BID, total) for total in range(least, most + 1, state.rules.raise_step)]
        if who.blind:
            moves.append((LOOK,))
        return moves

    def hand(self, state: AziState, seat: Seat, may: bool = False) -> list[int]:
        """The slots that a seat holds; those only that it may play now."""
        slots = state.unplayed(seat)
        if not may or not state.trick:
            return list(slots)
        held = {self.deck[slot]: slot for slot in slots}
        legal = playable(held, suit(state.trick[0].card), state.trump)
        return [held[card] for card in legal]

    def usual(self, state: AziState, seat: Seat) -> Move:
        """What a seat says by its habit."""
        habit = self.habits[seat]
        if state.phase == DISCARDING:
            slots = [k for k in state.unplayed(seat) if k != state.turned_up_slot]
            card = lowest([self.deck[slot] for slot in slots], state.trump)
            return (DISCARD, self.deck.index(card))
        if state.phase != BIDDING:
            return (PLAY, self.card(state, seat, habit.plays))
        who = bidder(state, seat)
        if who.blind and not habit.blind:
            return (LOOK,)
        if who.bids and (who.opens or habit.bids == "raise"):
            return (BID, who.bids[0])
        if who.opens:
            return (LATE,)
        return (FOLD,) if habit.bids == "fold" else (LEVEL,)

    def card(self, state: AziState, seat: Seat, plays: str) -> int:
        """The card by a habit: the highest, the lowest, or the lowest that wins so far."""
        slots = self.hand(state, seat, may=True)

        def height(slot: int) -> tuple[bool, int]:
            card = self.deck[slot]
            return suit(card) == state.trump, rank_value(card)

        ordered = sorted(slots, key=height)
        if plays == "high" or (plays == "sharp" and not state.trick):
            return ordered[-1]
        if plays == "sharp":
            played = [one.card for one in state.trick]
            for slot in ordered:
                cards = (*played, self.deck[slot])
                if winning(cards, state.trump, state.six_on_stage) == len(played):
                    return slot
        return ordered[0]

    # What it is worth.

    def course(self, silent: dict[int, Seat]) -> Iterator[AziState]:
        """The game by everybody's habits, a state for each step; some go at a step from 1."""
        state, number = self.start, 0
        while True:
            number += 1
            kind, owing = self.due(state)
            if kind == OVER:
                return
            goes = silent.get(number)
            if goes in owing and goes is not None:
                (state,) = self.without(state, (goes,))
            else:
                yield state
                (entries,) = self.entries(state, list(owing), ())
                state = self.after(state, entries)

    def chips(self, state: AziState, allies: Allies, out: Allies = ()) -> Fraction:
        """What the allies have when a game is over: chips, and a part of what is carried.

        ``out``: seats that play no more games, having lied.
        """
        standing = GAME.settle(state)
        present = frozenset(range(len(state.before.stacks))) - frozenset(out)
        between = GAME.interlude(self.options, standing, present)
        while between is not None:
            owed = GAME.owed(between)
            if not owed:
                standing = GAME.settle(between)
                break
            between = GAME.apply(between, dict.fromkeys(owed, ("pass",)), {})
        assert isinstance(standing, AziStanding)
        players = GAME.dealt_in(self.options, standing, present)
        own = Fraction(sum(standing.stacks[seat] for seat in allies))
        if standing.carried and players:
            part = len(set(players) & set(allies) - set(out))
            own += Fraction(standing.carried * part, len(players))
        return own

    def best(self, state: AziState, allies: Allies, out: Allies = ()) -> Fraction:
        """The most that the allies have by what they say, if none of them is silent any more."""
        key = (allies, out, *_essence(state))
        if key not in self.known:
            self.known[key] = (
                self.chips(state, allies, out)
                if state.phase == OVER
                else max(self.best(one, allies, out) for one in self._followers(state, allies))
            )
        return self.known[key]

    def reaches(self, state: AziState, allies: Allies, target: Fraction) -> bool:
        """Whether the allies can have so much without silence; tries to fold first."""
        key = (allies, (), *_essence(state))
        if key in self.known:
            return self.known[key] >= target
        if state.phase == OVER:
            return self.chips(state, allies) >= target
        return any(self.reaches(after, allies, target) for after in self._followers(state, allies))

    def worth(
        self, state: AziState, allies: Allies, silent: Allies, lies: bool = False
    ) -> Fraction:
        """What it is worth that some allies are silent now, beyond the best honest way.

        0 stands for no gain.
        """
        out = silent if lies else ()
        has = max(self.best(left, allies, out) for left in self.without(state, silent, allies))
        if self.reaches(state, allies, has):
            return Fraction(0)
        return has - self.best(state, allies)

    def _followers(self, state: AziState, allies: Allies) -> Iterator[AziState]:
        kind, owing = self.due(state)
        if kind != OVER:
            for entries in self.entries(state, list(owing), allies):
                yield self.after(state, entries)


CHEAP = {"stack": 90, "ante": 10, "min_bid": 10, "raise_step": 10, "max_bid": 30}
"""A table at which there are few bids to be thought of: 10, 20 and 30."""


def some_world(seed: int, seats: int, **given: int | str) -> World:
    """A game by a seed: cards, stacks, what is carried, options, habits."""
    draw = random.Random(f"worth {seed} {seats} {sorted(given.items())}")
    chosen = {
        "azi_entry": draw.choice(("all_ante", "all_ante", "half_pot", "trick_takers_only")),
        "short_stack": draw.choice(("matched", "pro_rata")),
        "trump_from": draw.choice(("stock", "dealers_last_card")),
    }
    options = complete(GAME.options, {**CHEAP, **chosen, **given})
    deck = list(GAME.pack(options))
    draw.shuffle(deck)
    stacks = tuple(draw.choice((10, 14, 30, 60, 90)) for _ in range(seats))
    winner = draw.choice((None, *range(seats)))
    standing = AziStanding(stacks, carried=draw.choice((0, 0, 25)), winner=winner)
    if draw.random() < 0.2:  # the bank of an azi, for which these seats play without an ante
        standing = replace(
            standing, carried=45, azi_bank=45, entry="azi", heirs=tuple(range(seats)), free=True
        )
    habits = tuple(
        Habit(
            draw.choice(("fold", "level", "level", "raise")),
            draw.random() < 0.6,
            draw.choice(("high", "low", "sharp", "sharp")),
        )
        for _ in range(seats)
    )
    return world(options, standing, deck, habits, draw.randrange(seats))


def dealt_world(
    stacks: tuple[int, ...],
    hands: Sequence[str],
    turned_up: Card,
    habit: Habit,
    **given: int | str,
) -> World:
    """A game with just these cards, of seats with one habit; seat 0 opens."""
    options = complete(GAME.options, {**CHEAP, **given})
    held = [*(card for hand in hands for card in hand.split()), turned_up]
    deck = [*held, *(card for card in GAME.pack(options) if card not in held)]
    return world(options, AziStanding(stacks), deck, (habit,) * len(stacks), 0)


def world(
    options: Options,
    standing: AziStanding,
    deck: Sequence[Card],
    habits: tuple[Habit, ...],
    coin: int,
) -> World:
    """A game of all seats at its deal."""
    seats = tuple(range(len(standing.stacks)))
    return World(_azi(GAME.start(options, seats, standing, coin)), tuple(deck), habits, options)


@dataclass(frozen=True)
class Silence:
    """Allies at a step of a game, and those of them that are silent in it."""

    world: World
    state: AziState
    step: str
    allies: Allies
    silent: Allies

    @property
    def who(self) -> str:
        """Alone, with an ally who stays, the second of two allies, or both at once."""
        if len(self.silent) > 1:
            return "both"
        others = set(self.allies) - set(self.silent)
        if others & self.state.gone:
            return "the second"
        return "with an ally" if others else "alone"

    @property
    def follows(self) -> str:
        """What becomes of the game at once: it is spent, void, one alone is left, or it goes on.

        It goes on as well where the last trick ends by it.
        """
        after, _ = GAME.absent(self.state, frozenset(self.silent), self.world.faces)
        ended = _azi(after).ended
        return ended if ended in (SPENT, VOID, ALONE) else GOES_ON

    @property
    def bank(self) -> int:
        """The most that the bank can come to."""
        state, most = self.state, self.world.start.rules.max_bid
        paid = state.chips.bank
        if state.phase in (DEAL, DISCARDING, BIDDING):
            paid += sum(
                min(state.chips.stacks[seat], max(0, most - state.levels[seat]))
                for seat in state.inside
            )
        return paid

    @property
    def openers(self) -> Allies:
        """Allies that must open, or be late, if nobody does before them who is no ally."""
        found: list[Seat] = []
        for seat in clockwise(self.state.seats, self.state.opener)[self.state.opened :]:
            who = bidder(self.state, seat)
            if self.state.highest or (seat not in self.allies and who.reach >= who.min_bid):
                break
            if seat in self.allies:
                found.append(seat)
        return tuple(found)

    def fee(self, seat: Seat) -> int:
        """What a seat pays if it must open and is late."""
        return bidder(self.state, seat).late_fee

    def worth(self, lies: bool = False) -> Fraction:
        """What it is worth beyond the best honest way, 0 if nothing."""
        return self.world.worth(self.state, self.allies, self.silent, lies)


def silences(world: World, gone: dict[int, Seat] | None = None) -> Iterator[Silence]:
    """At every step of a game by habits: each seat that owes something, alone and with each ally.

    ``gone``: seats that went for good reasons before, by the number of the step.
    """
    for state in world.course(gone or {}):
        step, owing = world.due(state)
        for seat in owing:
            yield Silence(world, state, step, (seat,), (seat,))
            for ally in state.seats:
                if ally != seat:
                    yield Silence(world, state, step, (seat, ally), (seat,))
                if ally > seat and ally in owing:
                    yield Silence(world, state, step, (seat, ally), (seat, ally))


def _azi(state: object) -> AziState:
    assert isinstance(state, AziState)
    return state


def _essence(state: AziState) -> tuple[object, ...]:
    """All of a state that its future hangs on, for one deal."""
    return (
        state.phase,
        state.sealed,
        state.turn,
        state.chips,
        state.levels,
        state.bids_made,
        state.discards,
        state.opened,
        state.highest_bidder,
        state.yielded,
        state.folded,
        state.gone,
        state.given if state.rules.blind else (),
        state.looked,
        state.seen,
        state.leader,
        state.trick,
        tuple((trick.winner, trick.plays) for trick in state.tricks),
        state.ended,
        state.heirs,
    )
