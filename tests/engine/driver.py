"""Plays any game on the contract with open cards; knows no game.

Cryptography is played by a set for every slot: the seats whose share of it is out. A face is
public when all shares are out, and known to a seat when all but its own are. So a game that asks
for a share that nobody can give, or looks at a face that is not open, is found out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine import Card, Game, MatchEnd, Move, Options, Outcome, Seat, Slot, Standing, State, View

Choose = Callable[[Seat, View], Move]
"""What a seat does when it owes a choice."""

Silent = Mapping[int, frozenset[Seat]]
"""Seats that fall silent, by step of the hand from 1: they give nothing at it or later."""


@dataclass
class Step:
    """One step of a hand, as a watcher is told of it before it is carried out."""

    number: int
    kind: str  # "lock", "shares", "choice" or "over"
    owing: tuple[Seat, ...]
    silent: tuple[Seat, ...]


@dataclass
class Table:
    """One hand in play. ``deck`` is the card of every slot, known to the driver alone."""

    game: Game
    options: Options
    seats: tuple[Seat, ...]
    deck: Sequence[Card]
    state: State
    choose: Choose
    silent: Silent = field(default_factory=dict)
    shares: dict[Slot, set[Seat]] = field(default_factory=dict)
    sealed: dict[Seat, tuple[Slot, ...]] = field(default_factory=dict)
    gone: set[Seat] = field(default_factory=set)
    moves: list[tuple[Seat, Move]] = field(default_factory=list)
    outcome: Outcome = Outcome.GOES_ON

    def __post_init__(self) -> None:
        """No share is out yet."""
        self.shares = {slot: set() for slot in range(len(self.deck))}

    def public(self) -> dict[Slot, Card]:
        """The faces that everybody can compute."""
        everybody = set(self.seats)
        return {k: self.deck[k] for k, given in self.shares.items() if given == everybody}

    def known(self, seat: Seat | None) -> dict[Slot, Card]:
        """The public faces and, of a seat, those that only its own share still hides."""
        faces = self.public()
        if seat is not None:
            for slot, audience in enumerate(self.game.audience(self.state)):
                if audience.includes(seat) and self.shares[slot] >= set(self.seats) - {seat}:
                    faces[slot] = self.deck[slot]
        return faces

    def view(self, seat: Seat | None) -> View:
        """What the engine tells this seat."""
        return self.game.view(self.state, seat, self.known(seat))

    def play(self) -> Iterator[Step]:
        """The hand, step by step; yields before each step and once at the end."""
        asked = False
        number = 0
        while self.outcome is Outcome.GOES_ON:
            locks = self.game.locks(self.state)
            due = self._due()
            owed = self.game.owed(self.state)
            if locks:
                kind, owing = "lock", tuple(sorted(locks))
            elif due:
                kind, owing = "shares", tuple(sorted(due))
            elif asked:
                asked = False
                self._to(self.game.shown(self.state, self.public()))
                continue
            elif owed:
                kind, owing = "choice", tuple(sorted(owed))
            else:
                assert self.game.over(self.state), "nothing is due and the hand is not over"
                break
            number += 1
            silent = frozenset(owing) & self.silent.get(number, frozenset())
            assert not set(owing) & self.gone, "a seat that has gone is asked for something"
            yield Step(number, kind, owing, tuple(sorted(silent)))
            if kind == "lock":
                self.gone |= silent
                self.sealed |= {seat: locks[seat] for seat in locks if seat not in silent}
                self._to(self.game.locked(self.state, silent))
            elif kind == "shares":
                asked = True
                for seat in set(owing) - silent:
                    for slot in due[seat]:
                        self.shares[slot].add(seat)
                self._leave(silent)
                self._unlock()
            else:
                self._leave(silent)
                if self.outcome is Outcome.GOES_ON:
                    self._choices(tuple(sorted(self.game.owed(self.state))))
        yield Step(number + 1, "over", (), ())

    def _due(self) -> dict[Seat, list[Slot]]:
        """The slots whose share each present seat owes."""
        due: dict[Seat, list[Slot]] = {}
        for slot, audience in enumerate(self.game.audience(self.state)):
            for seat in self.seats:
                if audience.includes_others(seat) and seat not in self.shares[slot]:
                    assert seat not in self.gone or seat in self.sealed, "a share nobody can give"
                    if seat not in self.gone:
                        due.setdefault(seat, []).append(slot)
        return due

    def _unlock(self) -> None:
        """The others together open the lock of a seat that is gone, where the rules ask for it."""
        audience = self.game.audience(self.state)
        for seat in sorted(self.gone & set(self.sealed)):
            wanted = [k for k in self.sealed[seat] if audience[k].includes_others(seat)]
            missing = [slot for slot in wanted if seat not in self.shares[slot]]
            if missing:
                assert self.gone == {seat}, "a lock needs all the other seats"
                for slot in missing:
                    self.shares[slot].add(seat)

    def _leave(self, silent: frozenset[Seat]) -> None:
        if silent:
            self.gone |= silent
            state, self.outcome = self.game.absent(self.state, silent, self.public())
            self._to(state, widens=False)

    def _choices(self, owing: tuple[Seat, ...]) -> None:
        entries = {seat: self.choose(seat, self.view(seat)) for seat in owing}
        opened = {seat: self.game.needs(self.state, seat, entries[seat]) for seat in owing}
        before = self.public()
        for seat, move in entries.items():
            self.moves.append((seat, move))
            for slot in opened[seat]:
                self.shares[slot].add(seat)
        after = self.public()
        for seat, move in entries.items():
            assert all(slot in after for slot in opened[seat]), "a move opens what others hide"
            faces = before | {slot: after[slot] for slot in opened[seat]}
            for claim in self.game.claims(self.state, seat, move, faces):
                held = {self.deck[slot] for slot in claim.slots}
                assert not held & set(claim.forbidden), "a claim that is not true"
        self._to(self.game.apply(self.state, entries, after))

    def _to(self, state: State, widens: bool = True) -> None:
        """The next state; who may see a slot never becomes fewer, but by an absence."""
        if widens:
            pairs = zip(self.game.audience(self.state), self.game.audience(state), strict=True)
            for old, new in pairs:
                assert all(new.includes(seat) for seat in self.seats if old.includes(seat))
        self.state = state


def play_hand(
    game: Game,
    options: Options,
    standing: Standing,
    deck: Sequence[Card],
    choose: Choose,
    coin: int = 0,
    silent: Silent | None = None,
) -> Table:
    """One hand played to its end; all seats that the opening allows are present."""
    seats = game.dealt_in(options, standing, frozenset(range(max(game.seats))))
    state = game.start(options, seats, standing, coin)
    table = Table(game, options, seats, deck, state, choose, silent or {})
    for _ in table.play():
        pass
    return table


def play_match(
    game: Game,
    options: Options,
    decks: Iterator[Sequence[Card]],
    choose: Choose,
    standing: Standing,
) -> tuple[MatchEnd, Standing]:
    """Hands until the match ends, everybody present."""
    present = frozenset(range(max(game.seats)))
    while True:
        end = game.match(options, standing, present)
        if end is not None:
            return end, standing
        table = play_hand(game, options, standing, next(decks), choose)
        standing = game.settle(table.state)
