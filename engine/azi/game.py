"""Azi on the contract between a game and the table. Each function says one thing of a state.

Rules: the Azi section of SPEC.md, which marks what is our own choice. A state is a game, or
between games an interlude, which has no cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from engine.azi import choices, ending, interlude, leaving, steps, telling
from engine.azi import state as game
from engine.azi import view as views
from engine.azi.bots import STRATEGIES
from engine.azi.interlude import Interlude
from engine.azi.moves import CHOICES
from engine.azi.options import OPTIONS, number, rules
from engine.azi.pack import MAX_SEATS, cards_without
from engine.azi.restoring import restored
from engine.azi.standing import AziStanding, ended, players
from engine.azi.state import AziState
from engine.azi.view import AziView
from engine.contract import (
    GRACE,
    Audience,
    Card,
    Choice,
    Claim,
    IllegalMove,
    MatchEnd,
    Move,
    Outcome,
    Plain,
    Seat,
    Slot,
    Standing,
    StandingError,
    State,
    Strategy,
    View,
)
from engine.options import Option, Options


@dataclass(frozen=True, slots=True)
class Azi:
    """The game object; has no state of its own."""

    name: str = "azi"
    title: str = "Azi"
    seats: tuple[int, ...] = tuple(range(2, MAX_SEATS + 1))
    options: tuple[Option, ...] = OPTIONS
    strategies: Mapping[str, Strategy] = field(default_factory=lambda: MappingProxyType(STRATEGIES))

    def pack(self, options: Options) -> tuple[Card, ...]:
        """The 27 cards of three suits, first in the total order first."""
        return cards_without(rules(options).left_out)

    def opening(self, options: Options, seats: int) -> Standing:
        """Everybody has the same stack; raises ValueError but for two to six seats."""
        if seats not in self.seats:
            raise ValueError(f"Azi has two to six seats, not {seats}")
        return AziStanding((rules(options).stack,) * seats)

    def dealt_in(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> tuple[Seat, ...]:
        """The present seats that can play the next game, if they are two at least."""
        seats = players(rules(options), _standing(standing), present)
        return seats if len(seats) > 1 else ()

    def interlude(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> State | None:
        """Who buys in after an azi, and who gets a carried bank that is not played for."""
        return interlude.begin(rules(options), _standing(standing), present)

    def start(
        self, options: Options, seats: tuple[Seat, ...], standing: Standing, coin: int
    ) -> State:
        """A new game, antes paid; the coin counts only where nobody has won yet."""
        return game.begin(rules(options), seats, _standing(standing), coin)

    def audience(self, state: State) -> tuple[Audience, ...]:
        """Each seat sees its own, with blind bids once it has looked; played cards are for all."""
        now = _state(state)
        return () if isinstance(now, Interlude) else game.audience(now)

    def locks(self, state: State) -> Mapping[Seat, tuple[Slot, ...]]:
        """Before a deal with blind bids, all others' cards, which are dealt only at a look."""
        now = _state(state)
        return {} if isinstance(now, Interlude) else game.locks(now)

    def locked(self, state: State, absent: frozenset[Seat]) -> State:
        """The deal goes on; without some seat's lock it cannot, and the game is over.

        Raises ValueError if no locks are due.
        """
        after, _ = leaving.leave(_game(state), absent)
        if after.phase == game.OVER:
            return after
        if not game.locks(after):
            raise ValueError("no locks are due")
        return replace(after, sealed=True)

    def owed(self, state: State) -> Mapping[Seat, str]:
        """The discards of all at once, else one seat's bid, card or answer whether it buys in."""
        return _state(state).owing

    def needs(self, state: State, seat: Seat, move: Move) -> tuple[Slot, ...]:
        """The card that is played; of a seat that folds blind cards' shares; raises IllegalMove."""
        return steps.needs(_state(state), seat, move)

    def claims(
        self, state: State, seat: Seat, move: Move, faces: Mapping[Slot, Card]
    ) -> tuple[Claim, ...]:
        """That a seat which does not follow, or does not trump, could not; raises IllegalMove."""
        return steps.claims(_state(state), seat, move, faces)

    def apply(
        self, state: State, entries: Mapping[Seat, Move], faces: Mapping[Slot, Card]
    ) -> State:
        """One step; without entries, where the one whose turn it was has gone, nothing changes."""
        return steps.chosen(_state(state), entries, faces)

    def shown(self, state: State, faces: Mapping[Slot, Card]) -> State:
        """After the deal discards or bids; after a look the own bid, after the last one tricks."""
        now = _state(state)
        return now if isinstance(now, Interlude) else steps.dealt(now, faces)

    def absent(
        self, state: State, seats: frozenset[Seat], faces: Mapping[Slot, Card]
    ) -> tuple[State, Outcome]:
        """A new pack at the deal; later the seats fold, which may end the game or make it void."""
        now = _state(state)
        if isinstance(now, Interlude):
            return interlude.leave(now, seats), Outcome.GOES_ON
        return leaving.leave(now, seats)

    def over(self, state: State) -> bool:
        """Whether the game is won, azi, void or spent, or everybody has been asked."""
        now = _state(state)
        return now.over if isinstance(now, Interlude) else now.phase == game.OVER

    def settle(self, state: State) -> Standing:
        """Stacks, bank, and who may play on; raises ValueError before the end."""
        now = _state(state)
        if not isinstance(now, Interlude):
            return ending.settle(now)
        if not now.over:
            raise ValueError("seats are still to be asked whether they buy in")
        return now.standing

    def match(
        self,
        options: Options,
        standing: Standing,
        present: frozenset[Seat],
        barred: frozenset[Seat] = frozenset(),
    ) -> MatchEnd | None:
        """The largest stack wins, where one has all, the games are played, or too few play on."""
        now, rule = _standing(standing), rules(options)
        settled = interlude.begin(rule, now, present) is None
        return ended(rule, now, present, barred, settled)

    def clock(self, options: Options, kind: str) -> int:
        """The seconds for each choice, 0: no clock; and those of ``GRACE``."""
        if kind == GRACE:
            return number(options, "grace_seconds")
        return number(options, "turn_seconds") if kind in CHOICES else 0

    def view(self, state: State, seat: Seat | None, faces: Mapping[Slot, Card]) -> AziView:
        """What this seat, or a spectator, may know."""
        now = _state(state)
        if isinstance(now, Interlude):
            return views.of_interlude(now, seat)
        return views.of_game(now, seat, faces)

    def legal(self, view: View) -> tuple[Choice, ...]:
        """What this seat may do now; empty if it owes nothing."""
        return choices.legal(_view(view))

    def objection(self, view: View, move: Move) -> IllegalMove | None:
        """All that others could refuse, what only the own hand shows, and being late on purpose."""
        return choices.objection(_view(view), move)

    def late(self, view: View) -> Move:
        """The lowest card that may go, folding, or not buying in."""
        return choices.late(_view(view))

    def plain(self, state: State) -> Plain:
        """The public state as pairs of name and value; SPEC has the layout."""
        now = _state(state)
        if isinstance(now, Interlude):
            return telling.plain_interlude(now)
        return telling.plain_state(now)

    def plain_standing(self, standing: Standing) -> Plain:
        """The standing as pairs of name and value; SPEC has the layout."""
        return telling.plain_standing(_standing(standing))

    def restored(self, options: Options, seats: int, plain: object) -> Standing:
        """The standing that such pairs stand for; raises StandingError."""
        if seats not in self.seats:
            raise StandingError(f"Azi has two to six seats, not {seats}")
        return restored(rules(options), seats, plain)

    def describe(self, state: State) -> tuple[str, ...]:
        """The game in short sentences."""
        now = _state(state)
        if isinstance(now, Interlude):
            return telling.story_of_interlude(now)
        return telling.story(now)


def _state(state: State) -> AziState | Interlude:
    if not isinstance(state, AziState | Interlude):
        raise TypeError(f"not a state of Azi: {type(state).__name__}")
    return state


def _game(state: State) -> AziState:
    if not isinstance(state, AziState):
        raise TypeError(f"not a game of Azi: {type(state).__name__}")
    return state


def _standing(standing: Standing) -> AziStanding:
    if not isinstance(standing, AziStanding):
        raise TypeError(f"not a standing of Azi: {type(standing).__name__}")
    return standing


def _view(view: View) -> AziView:
    if not isinstance(view, AziView):
        raise TypeError(f"not a view of Azi: {type(view).__name__}")
    return view
