"""Plays any game on the contract with open cards; knows no game.

Cryptography is played by a set for every slot: the seats whose share of it is out. A face is
public when all shares are out, and known to a seat when all but its own are. A lock of a seat that
is gone opens slot by slot, by a part from each other seat of the hand. So a game that asks for a
share that nobody can give, or looks at a face that is not open, is found out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

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


Falls = Callable[[Step], frozenset[Seat]]
"""Which seats fall silent at a step, where a plan by numbers will not do."""


@dataclass
class Due:
    """What a seat owes at SHARES: slots, and parts of locks as (seat that is gone, slot)."""

    slots: list[Slot] = field(default_factory=list)
    parts: list[tuple[Seat, Slot]] = field(default_factory=list)


@dataclass
class Table:
    """One hand in play. ``deck`` is the card of every slot, known to the driver alone.

    An interlude is played like a hand, with an empty deck.
    """

    game: Game
    options: Options
    seats: tuple[Seat, ...]
    deck: Sequence[Card]
    state: State
    choose: Choose
    silent: Silent | Falls = field(default_factory=dict)
    shares: dict[Slot, set[Seat]] = field(default_factory=dict)
    sealed: dict[Seat, tuple[Slot, ...]] = field(default_factory=dict)
    parts: set[tuple[Seat, Seat, Slot]] = field(default_factory=set)
    gone: set[Seat] = field(default_factory=set)
    moves: list[tuple[Seat, Move]] = field(default_factory=list)
    outcome: Outcome = Outcome.GOES_ON
    times_shown: int = 0

    def __post_init__(self) -> None:
        """No share is out yet, in a hand that has not begun."""
        if not self.shares:
            self.shares = {slot: set() for slot in range(len(self.deck))}

    @property
    def is_interlude(self) -> bool:
        """Whether there are no cards, only choices between hands."""
        return not self.deck

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
        number = 1
        while self.outcome is Outcome.GOES_ON:
            assert len(self.game.audience(self.state)) == len(self.deck), "an audience per slot"
            if self.game.over(self.state):
                assert not self.game.owed(self.state), "a choice is due and the hand is over"
                break
            kind, owing = self.next_step()
            step = Step(number, kind, owing, ())
            step.silent = tuple(sorted(self._falls_silent(step) & set(owing)))
            yield step
            self.carry_out(kind, owing, frozenset(step.silent))
            number += 1
        yield Step(number, "over", (), ())

    def finish(self) -> Table:
        """The hand at its end, with nobody watching."""
        for _ in self.play():
            pass
        return self

    def copy(self) -> Table:
        """The same hand, to be played on in another way."""
        return replace(
            self,
            shares={slot: set(given) for slot, given in self.shares.items()},
            sealed=dict(self.sealed),
            parts=set(self.parts),
            gone=set(self.gone),
            moves=list(self.moves),
        )

    def due(self) -> dict[Seat, Due]:
        """What each seat that has not gone owes at SHARES."""
        due: dict[Seat, Due] = {}
        for slot, audience in enumerate(self.game.audience(self.state)):
            for seat in self.seats:
                if not audience.includes_others(seat) or seat in self.shares[slot]:
                    continue
                if seat not in self.gone:
                    due.setdefault(seat, Due()).slots.append(slot)
                    continue
                assert slot in self.sealed.get(seat, ()), "a share nobody can give"
                for other in set(self.seats) - {seat}:
                    if (other, seat, slot) not in self.parts:
                        assert other not in self.gone, "a lock needs all the other seats"
                        due.setdefault(other, Due()).parts.append((seat, slot))
        return due

    def next_step(self) -> tuple[str, tuple[Seat, ...]]:
        """The kind of the next step and who owes it: the first thing that is due."""
        locks = self.game.locks(self.state)
        due = self.due()
        owed = self.game.owed(self.state)
        kind, owing = "choice", tuple(sorted(owed))
        if locks:
            kind, owing = "lock", tuple(sorted(locks))
        elif due:
            kind, owing = "shares", tuple(sorted(due))
        assert owing, "nothing is due and the hand is not over"
        assert not set(owing) & self.gone, "a seat that has gone is asked for something"
        return kind, owing

    def _falls_silent(self, step: Step) -> frozenset[Seat]:
        if callable(self.silent):
            return self.silent(step)
        fallen = [seats for number, seats in self.silent.items() if number <= step.number]
        return frozenset().union(*fallen)

    def carry_out(self, kind: str, owing: tuple[Seat, ...], silent: frozenset[Seat]) -> None:
        """Lays down what is given; then the rules hear who is gone, and go on."""
        giving = [seat for seat in owing if seat not in silent]
        entries: dict[Seat, Move] = {}
        if kind == "lock":
            self.sealed |= {seat: self.game.locks(self.state)[seat] for seat in giving}
        elif kind == "shares":
            self._give(giving)
        else:
            entries = self._choices(giving)
        self.gone |= silent
        if silent:
            state, self.outcome = self.game.absent(self.state, silent, self.public())
            self._to(state, widens=False)
        if self.outcome is not Outcome.GOES_ON or self.game.over(self.state):
            return
        if kind == "lock":
            self._to(self.game.locked(self.state, silent))
        elif kind == "choice" and entries:
            self._to(self.game.apply(self.state, entries, self.public()))
        elif kind == "shares" and not self.due():
            self.times_shown += 1
            self._to(self.game.shown(self.state, self.public()))

    def _give(self, giving: Sequence[Seat]) -> None:
        """Shares come out; a share that is sealed does when all others have given their part."""
        due = self.due()
        for seat in giving:
            for slot in due[seat].slots:
                self.shares[slot].add(seat)
            self.parts |= {(seat, gone, slot) for gone, slot in due[seat].parts}
        for gone in self.gone:
            for slot in self.sealed.get(gone, ()):
                if all((other, gone, slot) in self.parts for other in set(self.seats) - {gone}):
                    self.shares[slot].add(gone)

    def _choices(self, giving: Sequence[Seat]) -> dict[Seat, Move]:
        """The moves of these seats, judged as their peers judge them."""
        entries = {seat: self.choose(seat, self.view(seat)) for seat in giving}
        audience = self.game.audience(self.state)
        before = self.public()
        for seat, move in entries.items():
            self.moves.append((seat, move))
            slots = self.game.needs(self.state, seat, move)
            assert list(slots) == sorted(set(slots)), "slots ascend"
            for slot in slots:
                assert seat not in self.shares[slot], "a share that is out already"
                self.shares[slot].add(seat)
            after = self.public()
            for slot in slots:
                own = audience[slot].includes(seat)
                assert own == (slot in after), "own slots open with a move, and no others"
            faces = before | {slot: after[slot] for slot in slots if slot in after}
            for claim in self.game.claims(self.state, seat, move, faces):
                assert all(audience[slot].includes(seat) for slot in claim.slots), "own slots"
                assert not set(claim.slots) & set(faces), "a claim is about hidden slots"
                held = {self.deck[slot] for slot in claim.slots}
                assert not held & set(claim.forbidden), "a claim that is not true"
        return entries

    def _to(self, state: State, widens: bool = True) -> None:
        """The next state; who may see a slot never becomes fewer, but by an absence."""
        if widens:
            pairs = zip(self.game.audience(self.state), self.game.audience(state), strict=True)
            for old, new in pairs:
                assert all(new.includes(seat) for seat in self.seats if old.includes(seat))
                assert new.public or not old.public
        self.state = state


@dataclass
class Match:
    """Hands one after the other, and what is settled between them, as the table lane has it.

    ``decks`` and ``coins`` are drawn from for each hand dealt. ``sit``, ``late_at_ready`` and
    ``silent`` are asked by hand number, counted from 1 and one more with each hand dealt: who wants
    to play it, who of those is lost before its READY closes, and who falls silent in it; an
    interlude is asked with the number of the hand that is to follow, made negative.
    """

    game: Game
    options: Options
    members: int
    decks: Iterator[Sequence[Card]]
    choose: Choose
    standing: Standing
    coins: Callable[[int], int] = lambda number: 0
    sit: Callable[[int], frozenset[Seat]] | None = None
    late_at_ready: Callable[[int], frozenset[Seat]] = lambda number: frozenset()
    silent: Callable[[int], Silent | Falls] = lambda number: {}
    number: int = 0
    present: frozenset[Seat] = frozenset()
    end: MatchEnd | None = None

    def play(self) -> Iterator[Table]:
        """Every hand and interlude, to be played by who asked; what is not is played by itself.

        Stops when the match has ended (``end``) or those who are present cannot play on.
        """
        spent = False
        while True:
            if not spent:
                everybody = frozenset(range(self.members))
                self.end = self.game.match(self.options, self.standing, everybody)
                if self.end is not None:
                    return
                self.present = everybody if self.sit is None else self.sit(self.number + 1)
            yield from self._between()
            self.end = self.game.match(self.options, self.standing, self.present)
            lost = self.late_at_ready(self.number + 1) & self.present
            if lost and self.end is None and self._dealt_in():
                self.present -= lost
                yield from self._between()
                self.end = self.game.match(self.options, self.standing, self.present)
            seats = self._dealt_in()
            if self.end is not None or not seats:
                return
            self.number += 1
            coin = self.coins(self.number)
            state = self.game.start(self.options, seats, self.standing, coin)
            deck = next(self.decks)
            plan = self.silent(self.number)
            hand = Table(self.game, self.options, seats, deck, state, self.choose, plan)
            yield from self._played(hand)
            spent = hand.outcome is Outcome.NEW_PACK
            if not spent and hand.outcome is not Outcome.GOES_ON:
                return

    def finish(self) -> tuple[MatchEnd | None, Standing]:
        """The match with nobody watching: its end, and the last standing."""
        for _ in self.play():
            pass
        return self.end, self.standing

    def _dealt_in(self) -> tuple[Seat, ...]:
        return self.game.dealt_in(self.options, self.standing, self.present)

    def _between(self) -> Iterator[Table]:
        state = self.game.interlude(self.options, self.standing, self.present)
        if state is not None:
            plan = self.silent(-self.number - 1)
            seats = tuple(sorted(self.present))
            yield from self._played(
                Table(self.game, self.options, seats, (), state, self.choose, plan)
            )

    def _played(self, table: Table) -> Iterator[Table]:
        """The table played, its standing taken over, and who went away in it absent."""
        yield table
        table.finish()
        self.present -= table.gone
        if table.outcome in (Outcome.GOES_ON, Outcome.NEW_PACK):
            self.standing = self.game.settle(table.state)


def play_hand(
    game: Game,
    options: Options,
    standing: Standing,
    deck: Sequence[Card],
    choose: Choose,
    coin: int = 0,
    silent: Silent | Falls | None = None,
    present: frozenset[Seat] | None = None,
) -> Table:
    """One hand played to its end; all seats that a table can have are present by default."""
    there = frozenset(range(max(game.seats))) if present is None else present
    seats = game.dealt_in(options, standing, there)
    state = game.start(options, seats, standing, coin)
    return Table(game, options, seats, deck, state, choose, silent or {}).finish()


def play_match(
    game: Game,
    options: Options,
    decks: Iterator[Sequence[Card]],
    choose: Choose,
    standing: Standing,
) -> tuple[MatchEnd, Standing]:
    """Hands until the match ends, everybody present."""
    end, last = Match(game, options, max(game.seats), decks, choose, standing).finish()
    assert end is not None, "the table stopped before the end of the match"
    return end, last
