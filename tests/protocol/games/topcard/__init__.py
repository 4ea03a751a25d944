"""Top Card: a game of five cards for tests. It is one folder, and stands for any other game.

Each of two or three seats has one hidden card, one card is turned up, the rest is never seen. In
turn, from the seat that the coin chooses, each seat shows its card or keeps it. Cards that were
kept are then sealed, and shown all together. Who holds the highest card scores a point, but two
if it was shown early.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.contract import (
    EVERYBODY,
    NOBODY,
    Audience,
    Card,
    Choice,
    Claim,
    Draw,
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
from engine.reading import items, number, numbers

CARDS = ("AS", "KS", "QS", "JS", "TS")
"""The highest first."""

SHOW: Move = ("show",)
KEEP: Move = ("keep",)


@dataclass(frozen=True, slots=True)
class Points(Standing):
    """Points by seat, and how many hands were played of how many."""

    points: tuple[int, ...]
    played: int
    hands: int


@dataclass(frozen=True, slots=True)
class Hand(State):
    """One hand. ``phase`` is deal, turns, lock, show or over; ``hidden``: cards nobody can open."""

    before: Points
    order: tuple[Seat, ...]
    phase: str = "deal"
    said: tuple[Move, ...] = ()
    gone: frozenset[Seat] = frozenset()
    hidden: frozenset[Seat] = frozenset()
    locked: frozenset[Seat] = frozenset()
    cards: tuple[tuple[Seat, Card], ...] = ()

    def choice(self, seat: Seat) -> Move:
        """What a seat has said; empty if nothing."""
        return dict(zip(self.order, self.said, strict=False)).get(seat, ())

    @property
    def kept(self) -> tuple[Seat, ...]:
        """The seats that keep their card, ascending."""
        return tuple(seat for seat in sorted(self.order) if self.choice(seat) == KEEP)

    def going_on(self) -> Hand:
        """The phase that follows from what has been said; seats that are gone have no turn."""
        now = self
        while now.phase == "turns" and len(now.said) < len(now.order):
            if now.order[len(now.said)] not in now.gone:
                return now
            now = replace(now, said=(*now.said, ()))
        if now.phase == "turns":
            now = replace(now, phase="lock")
        if now.phase == "lock" and not set(now.kept) - now.gone:
            now = replace(now, phase="show")
        return now


@dataclass(frozen=True, slots=True)
class TopCard:
    """The game object."""

    name: str = "topcard"
    title: str = "Top Card"
    seats: tuple[int, ...] = (2, 3)
    options: tuple[Option, ...] = (
        Option("hands", 1, "1 to 9", "hands of the match", allowed=lambda n: 1 <= n <= 9),
        Option("seconds", 0, "0 to 60", "seconds to think", allowed=lambda n: 0 <= n <= 60),
    )

    @property
    def strategies(self) -> Mapping[str, Strategy]:
        """The bots by name."""
        return {"random": _random, "keep": lambda view, draw: KEEP, "show": lambda view, draw: SHOW}

    def pack(self, options: Options) -> tuple[Card, ...]:
        """Five cards."""
        return CARDS

    def opening(self, options: Options, seats: int) -> Standing:
        """Nobody has points."""
        hands = options["hands"]
        assert isinstance(hands, int)
        return Points((0,) * seats, 0, hands)

    def dealt_in(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> tuple[Seat, ...]:
        """All or nobody."""
        everybody = tuple(range(len(_points(standing).points)))
        return everybody if present == frozenset(everybody) else ()

    def interlude(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> State | None:
        """Never anything."""
        return None

    def start(
        self, options: Options, seats: tuple[Seat, ...], standing: Standing, coin: int
    ) -> State:
        """The coin chooses who begins."""
        first = coin % len(seats)
        return Hand(_points(standing), (*seats[first:], *seats[:first]))

    def audience(self, state: State) -> tuple[Audience, ...]:
        """The own card for each seat, shown ones and the turned-up one for all."""
        now = _hand(state)
        seats = len(now.order)

        def who(slot: Slot) -> Audience:
            if slot > seats:
                return NOBODY
            shown = now.phase in ("show", "over") and slot not in now.hidden
            if slot == seats or shown or now.choice(slot) == SHOW:
                return EVERYBODY
            return Audience(frozenset({slot}))

        return tuple(map(who, range(len(CARDS))))

    def locks(self, state: State) -> Mapping[Seat, tuple[Slot, ...]]:
        """The kept cards, once everybody has spoken."""
        now = _hand(state)
        return {s: (s,) for s in now.kept if s not in now.gone} if now.phase == "lock" else {}

    def locked(self, state: State, absent: frozenset[Seat]) -> State:
        """The show; who has not locked its kept card stays hidden."""
        now = _hand(state)
        there = frozenset(now.kept) - now.gone - absent
        hidden = now.hidden | (frozenset(now.kept) - there)
        return _over_if_open(replace(now, phase="show", locked=there, hidden=hidden))

    def owed(self, state: State) -> Mapping[Seat, str]:
        """The next seat in turn."""
        now = _hand(state)
        return {now.order[len(now.said)]: "turn"} if now.phase == "turns" else {}

    def needs(self, state: State, seat: Seat, move: Move) -> tuple[Slot, ...]:
        """The own slot to show, nothing to keep."""
        if move not in (SHOW, KEEP):
            raise IllegalMove("shape", "a move is to show or to keep", seat)
        if seat not in self.owed(state):
            raise IllegalMove("turn", "it is another seat's turn", seat)
        return (seat,) if move == SHOW else ()

    def claims(
        self, state: State, seat: Seat, move: Move, faces: Mapping[Slot, Card]
    ) -> tuple[Claim, ...]:
        """Nothing to prove, but the lowest card may not be shown."""
        if move == SHOW and faces[seat] == CARDS[-1]:
            raise IllegalMove("lowest", "the lowest card is not shown", seat)
        return ()

    def apply(
        self, state: State, entries: Mapping[Seat, Move], faces: Mapping[Slot, Card]
    ) -> State:
        """The next turn, or the locks, or the show."""
        now = _hand(state)
        for move in entries.values():
            now = replace(now, said=(*now.said, move))
        return _over_if_open(_seen(now.going_on(), faces))

    def shown(self, state: State, faces: Mapping[Slot, Card]) -> State:
        """After the deal the turns begin; after the show the hand is over."""
        now = _hand(state)
        if now.phase == "deal":
            return replace(now, phase="turns").going_on()
        return replace(_seen(now, faces), phase="over")

    def absent(
        self, state: State, seats: frozenset[Seat], faces: Mapping[Slot, Card]
    ) -> tuple[State, Outcome]:
        """A locked card is opened by the others; any other stays hidden, if it is not shown."""
        now = _hand(state)
        gone = now.gone | seats
        now = replace(now, gone=gone)
        if now.phase == "deal":
            return now, Outcome.WAITS
        if len(gone) == len(now.order):
            return now, Outcome.VOID
        openable = now.locked if len(gone) == 1 else frozenset()
        hidden = frozenset(seat for seat in gone if seat not in faces) - openable
        now = replace(now, hidden=now.hidden | hidden)
        return now, Outcome.GOES_ON

    def over(self, state: State) -> bool:
        """Whether the cards are judged."""
        return _hand(state).phase == "over"

    def settle(self, state: State) -> Standing:
        """A point for the highest card, two if it was shown early."""
        now = _hand(state)
        before = now.before
        points = list(before.points)
        if now.cards:
            seat, _ = min(now.cards, key=lambda pair: CARDS.index(pair[1]))
            points[seat] += 2 if now.choice(seat) == SHOW else 1
        return replace(before, points=tuple(points), played=before.played + 1)

    def match(
        self,
        options: Options,
        standing: Standing,
        present: frozenset[Seat],
        barred: frozenset[Seat] = frozenset(),
    ) -> MatchEnd | None:
        """After the last hand; the lowest seat of those with most points wins."""
        now = _points(standing)
        if now.played < now.hands:
            return None
        able = [seat for seat in range(len(now.points)) if seat not in barred]
        winner = max(able, key=lambda seat: now.points[seat])
        return MatchEnd(winner, "hands", f"seat {winner} wins")

    def clock(self, options: Options, kind: str) -> int:
        """The option."""
        seconds = options["seconds"]
        assert isinstance(seconds, int)
        return seconds

    def view(self, state: State, seat: Seat | None, faces: Mapping[Slot, Card]) -> View:
        """The own card."""
        now = _hand(state)
        owes = None if seat is None else self.owed(now).get(seat)
        own = ((seat, faces[seat]),) if seat is not None and seat in faces else ()
        return View(self.name, seat, owes, own)

    def legal(self, view: View) -> tuple[Choice, ...]:
        """To show or to keep."""
        return (Choice("turn", "show or keep", (SHOW, KEEP)),) if view.owes else ()

    def objection(self, view: View, move: Move) -> IllegalMove | None:
        """What others would refuse, and nothing else."""
        if view.owes is None:
            return IllegalMove("turn", "it is another seat's turn", view.seat)
        if move not in (SHOW, KEEP):
            return IllegalMove("shape", "a move is to show or to keep", view.seat)
        if move == SHOW and dict(view.hand).get(view.seat or 0) == CARDS[-1]:
            return IllegalMove("lowest", "the lowest card is not shown", view.seat)
        return None

    def late(self, view: View) -> Move:
        """The card is kept."""
        return KEEP

    def plain(self, state: State) -> Plain:
        """All of the state."""
        now = _hand(state)
        sets = tuple(tuple(sorted(found)) for found in (now.gone, now.hidden, now.locked))
        return (now.phase, now.order, now.said, *sets, now.cards)

    def plain_standing(self, standing: Standing) -> Plain:
        """Points and hands."""
        now = _points(standing)
        return (("points", now.points), ("played", now.played), ("hands", now.hands))

    def restored(self, options: Options, seats: int, plain: object) -> Standing:
        """The standing of such pairs."""
        points, played, hands = items(plain, ("points", "played", "hands"))
        last = options["hands"]
        assert isinstance(last, int)
        if number(hands, 9, "hands") != last:
            raise StandingError("another match")
        found = number(played, last, "played")
        return Points(numbers(points, seats, 2 * found, "points"), found, last)

    def describe(self, state: State) -> tuple[str, ...]:
        """Who held what."""
        return tuple(f"seat {seat} held {card}" for seat, card in _hand(state).cards)


def _over_if_open(now: Hand) -> Hand:
    """Without a kept card that can still be opened there is no show."""
    waiting = set(now.kept) - now.hidden
    return replace(now, phase="over") if now.phase == "show" and not waiting else now


def _seen(now: Hand, faces: Mapping[Slot, Card]) -> Hand:
    """The state with all cards of seats that are open."""
    return replace(now, cards=tuple((s, faces[s]) for s in sorted(now.order) if s in faces))


def _random(view: View, draw: Draw) -> Move:
    lowest = CARDS[-1] in dict(view.hand).values()
    return KEEP if lowest or draw(2) else SHOW


def _points(standing: Standing) -> Points:
    assert isinstance(standing, Points)
    return standing


def _hand(state: State) -> Hand:
    assert isinstance(state, Hand)
    return state


GAME = TopCard()
