"""Little: a game of six cards for chips, for tests. Two to four seats, one hidden card each.

Everybody dealt in pays one chip, and one card is turned up. In turn, from the seat that the coin
chooses, each seat shows its card, denies it (it stays hidden, with a proof that it is not of the
suit of the turned-up card), or folds. The highest shown card takes the pot; if none is shown it
stays for the next hand. A seat that is gone keeps its card to itself; if it goes at the deal, that
is dealt again.
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

CARDS = ("AS", "AH", "KS", "KH", "QS", "QH")
"""The highest first."""

SHOW: Move = ("show",)
DENY: Move = ("deny",)
FOLD: Move = ("fold",)
MOVES = (SHOW, DENY, FOLD)

STACK = 9


@dataclass(frozen=True, slots=True)
class Purse(Standing):
    """Chips by seat, what lies in the pot, and how many hands were played of how many."""

    stacks: tuple[int, ...]
    pot: int
    played: int
    hands: int


@dataclass(frozen=True, slots=True)
class Hand(State):
    """One hand. ``order``: the seats in turn; ``up``: the turned-up card once it is there."""

    purse: Purse
    order: tuple[Seat, ...]
    phase: str = "deal"
    up: Card = ""
    said: tuple[tuple[Seat, Move], ...] = ()
    gone: frozenset[Seat] = frozenset()
    shown: tuple[tuple[Seat, Card], ...] = ()

    @property
    def block(self) -> dict[Slot, Seat]:
        """The seat of each dealt slot; the turned-up card comes after them."""
        return dict(enumerate(sorted(self.order)))

    def slot(self, seat: Seat) -> Slot:
        """The slot of a seat's card."""
        return sorted(self.order).index(seat)

    def going_on(self) -> Hand:
        """The hand is over once all who are not gone have spoken."""
        done = {seat for seat, _ in self.said} | self.gone
        over = self.phase == "turns" and done >= set(self.order)
        return replace(self, phase="over") if over else self


@dataclass(frozen=True, slots=True)
class LittleView(View):
    """The own card, the turned-up one, and the chips."""

    up: Card
    stacks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Little:
    """The game object."""

    name: str = "little"
    title: str = "Little"
    seats: tuple[int, ...] = (2, 3, 4)
    options: tuple[Option, ...] = (
        Option("hands", 1, "1 to 9", "hands of the match", allowed=lambda n: 1 <= n <= 9),
        Option("seconds", 0, "0 to 60", "seconds to think", allowed=lambda n: 0 <= n <= 60),
    )

    @property
    def strategies(self) -> Mapping[str, Strategy]:
        """The bots by name."""
        return {"random": _random}

    def pack(self, options: Options) -> tuple[Card, ...]:
        """Six cards."""
        return CARDS

    def opening(self, options: Options, seats: int) -> Standing:
        """Nine chips for everybody."""
        hands = options["hands"]
        assert isinstance(hands, int)
        return Purse((STACK,) * seats, 0, 0, hands)

    def dealt_in(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> tuple[Seat, ...]:
        """All who have a chip, if they are two."""
        able = tuple(seat for seat in sorted(present) if _purse(standing).stacks[seat] > 0)
        return able if len(able) > 1 else ()

    def interlude(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> State | None:
        """Never anything."""
        return None

    def start(
        self, options: Options, seats: tuple[Seat, ...], standing: Standing, coin: int
    ) -> State:
        """Everybody pays a chip; the coin chooses who begins."""
        purse = _purse(standing)
        stacks = tuple(n - (seat in seats) for seat, n in enumerate(purse.stacks))
        first = coin % len(seats)
        paid = replace(purse, stacks=stacks, pot=purse.pot + len(seats))
        return Hand(paid, (*seats[first:], *seats[:first]))

    def audience(self, state: State) -> tuple[Audience, ...]:
        """The own card for each seat, what was shown and the turned-up card for all."""
        now = _hand(state)
        said = dict(now.said)

        def who(slot: Slot) -> Audience:
            if slot == len(now.order):
                return EVERYBODY
            seat = now.block.get(slot)
            if seat is None:
                return NOBODY
            return EVERYBODY if said.get(seat) == SHOW else Audience(frozenset({seat}))

        return tuple(map(who, range(len(CARDS))))

    def locks(self, state: State) -> Mapping[Seat, tuple[Slot, ...]]:
        """None."""
        return {}

    def locked(self, state: State, absent: frozenset[Seat]) -> State:
        """Never asked for."""
        return state

    def owed(self, state: State) -> Mapping[Seat, str]:
        """The next seat in turn."""
        now = _hand(state)
        done = {seat for seat, _ in now.said} | now.gone
        waiting = [seat for seat in now.order if seat not in done]
        return {waiting[0]: "turn"} if now.phase == "turns" and waiting else {}

    def needs(self, state: State, seat: Seat, move: Move) -> tuple[Slot, ...]:
        """The own slot to show, else nothing."""
        if move not in MOVES:
            raise IllegalMove("shape", "a move is to show, to deny or to fold", seat)
        if seat not in self.owed(state):
            raise IllegalMove("turn", "it is another seat's turn", seat)
        return (_hand(state).slot(seat),) if move == SHOW else ()

    def claims(
        self, state: State, seat: Seat, move: Move, faces: Mapping[Slot, Card]
    ) -> tuple[Claim, ...]:
        """A denied card is not of the turned-up suit."""
        now = _hand(state)
        if move != DENY:
            return ()
        return (Claim((now.slot(seat),), tuple(c for c in CARDS if c[1] == now.up[1])),)

    def apply(
        self, state: State, entries: Mapping[Seat, Move], faces: Mapping[Slot, Card]
    ) -> State:
        """The next turn, or the end."""
        now = _hand(state)
        now = replace(now, said=(*now.said, *entries.items()))
        shown = tuple((s, faces[now.slot(s)]) for s, move in now.said if move == SHOW)
        return replace(now, shown=shown).going_on()

    def shown(self, state: State, faces: Mapping[Slot, Card]) -> State:
        """After the deal the turns begin."""
        now = _hand(state)
        return replace(now, phase="turns", up=faces[len(now.order)]).going_on()

    def absent(
        self, state: State, seats: frozenset[Seat], faces: Mapping[Slot, Card]
    ) -> tuple[State, Outcome]:
        """At the deal it is dealt again; later the others go on."""
        now = replace(_hand(state), gone=_hand(state).gone | seats)
        if now.phase == "deal":
            return now, Outcome.NEW_PACK
        return now.going_on(), Outcome.GOES_ON

    def over(self, state: State) -> bool:
        """Whether all have spoken."""
        return _hand(state).phase == "over"

    def settle(self, state: State) -> Standing:
        """The pot for the highest card; at a spent deal the chips of those who are left go back."""
        now = _hand(state)
        stacks, pot = list(now.purse.stacks), now.purse.pot
        if now.phase == "deal":
            for seat in set(now.order) - now.gone:
                stacks[seat] += 1
                pot -= 1
            return replace(now.purse, stacks=tuple(stacks), pot=pot)
        shown = [(seat, card) for seat, card in now.shown if seat not in now.gone]
        if shown:
            seat, _ = min(shown, key=lambda pair: CARDS.index(pair[1]))
            stacks[seat] += pot
            pot = 0
        played = now.purse.played + 1
        return replace(now.purse, stacks=tuple(stacks), pot=pot, played=played)

    def match(
        self,
        options: Options,
        standing: Standing,
        present: frozenset[Seat],
        barred: frozenset[Seat] = frozenset(),
    ) -> MatchEnd | None:
        """After the last hand, or when fewer than two can play; most chips win, or nobody."""
        now = _purse(standing)
        over = now.played >= now.hands
        if not over and self.dealt_in(options, standing, present):
            return None
        able = [seat for seat in range(len(now.stacks)) if seat not in barred]
        winner = max(able, key=lambda seat: now.stacks[seat], default=None)
        return MatchEnd(winner, "hands" if over else "few", "most chips win")

    def clock(self, options: Options, kind: str) -> int:
        """The option."""
        seconds = options["seconds"]
        assert isinstance(seconds, int)
        return seconds

    def view(self, state: State, seat: Seat | None, faces: Mapping[Slot, Card]) -> View:
        """The own card."""
        now = _hand(state)
        owes = None if seat is None else self.owed(now).get(seat)
        slot = now.slot(seat) if seat is not None and seat in now.order else None
        own = ((slot, faces[slot]),) if slot is not None and slot in faces else ()
        return LittleView(self.name, seat, owes, own, now.up, now.purse.stacks)

    def legal(self, view: View) -> tuple[Choice, ...]:
        """What the own card allows."""
        return (Choice("turn", "show, deny or fold", _legal(view)),) if view.owes else ()

    def objection(self, view: View, move: Move) -> IllegalMove | None:
        """What others would refuse, and a denial that cannot be proved."""
        if view.owes is None:
            return IllegalMove("turn", "it is another seat's turn", view.seat)
        if move not in MOVES:
            return IllegalMove("shape", "a move is to show, to deny or to fold", view.seat)
        if move not in _legal(view):
            return IllegalMove("deny", "the own card is of the turned-up suit", view.seat)
        return None

    def late(self, view: View) -> Move:
        """A fold."""
        return FOLD

    def plain(self, state: State) -> Plain:
        """All of the state."""
        now = _hand(state)
        gone = tuple(sorted(now.gone))
        return (now.phase, now.order, now.up, now.said, gone, now.shown)

    def plain_standing(self, standing: Standing) -> Plain:
        """Chips and hands."""
        now = _purse(standing)
        return (
            ("stacks", now.stacks),
            ("pot", now.pot),
            ("played", now.played),
            ("hands", now.hands),
        )

    def restored(self, options: Options, seats: int, plain: object) -> Standing:
        """The standing of such pairs."""
        stacks, pot, played, hands = items(plain, ("stacks", "pot", "played", "hands"))
        last, all_chips = options["hands"], seats * STACK
        assert isinstance(last, int)
        chips, left = numbers(stacks, seats, all_chips, "stacks"), number(pot, all_chips, "pot")
        if number(hands, 9, "hands") != last or sum(chips) + left != all_chips:
            raise StandingError("another match")
        return Purse(chips, left, number(played, last, "played"), last)

    def describe(self, state: State) -> tuple[str, ...]:
        """Who showed what."""
        return tuple(f"seat {seat} showed {card}" for seat, card in _hand(state).shown)


def _legal(view: View) -> tuple[Move, ...]:
    assert isinstance(view, LittleView)
    own = dict(view.hand).values()
    return tuple(m for m in MOVES if m != DENY or (own and all(c[1] != view.up[1] for c in own)))


def _random(view: View, draw: Draw) -> Move:
    legal = _legal(view)
    return legal[draw(len(legal))]


def _purse(standing: Standing) -> Purse:
    assert isinstance(standing, Purse)
    return standing


def _hand(state: State) -> Hand:
    assert isinstance(state, Hand)
    return state


GAME = Little()
