"""What a game tells the table: who may see what, who must choose, and what follows.

A game is a set of pure functions over a frozen public state, which holds only what everybody may
know. Cards are *slots*, positions in the shuffled pack; the protocol turns a slot into a face when
the rules say that somebody may see it. A new game is one folder in ``engine/`` whose package
defines ``GAME``; nothing else changes.

The driver asks in this order after every change, and does the first thing that is due:
``locks`` (seal the own shares), ``audience`` (publish the shares that others may have), ``owed``
(choices), and when nothing is due the hand is over (``over``). Between hands, once it is known who
wants to play on, it asks for an ``interlude``, then whether the ``match`` has ended, then who is
``dealt_in``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias

from engine.options import Option, Options

Seat: TypeAlias = int
"""A place at the table, 0 to 5, clockwise; fixed by the agreement."""

Slot: TypeAlias = int
"""A position in the shuffled pack, from 0."""

Card: TypeAlias = str
"""Rank then suit: ``AS``, ``TH``, ``2C``."""

Plain: TypeAlias = "int | str | tuple[Plain, ...]"
"""Nested tuples of integers (0 to 2^63 - 1) and short texts, not deeper than six: the only shape
of moves and of hashed state."""

Move: TypeAlias = tuple[Plain, ...]
"""A choice as plain values; the first item is its kind, for instance ``("up", (0, 1, 2), ...)``."""

Draw: TypeAlias = Callable[[int], int]
"""``draw(n)`` is a uniform integer in 0 ... n-1; handed in, so that a bot is repeatable."""


class IllegalMove(Exception):
    """The rules forbid a move. ``rule`` is a short fixed code, the text is for people."""

    def __init__(self, rule: str, text: str, seat: Seat | None = None) -> None:
        super().__init__(text)
        self.rule = rule
        self.text = text
        self.seat = seat


class StandingError(ValueError):
    """Plain values that are no standing which the game can have between hands; one sentence."""


class State:
    """Base of a game's frozen public state of one hand."""

    __slots__ = ()


class Standing:
    """Base of what a game carries from hand to hand: scores or stacks, dealer, hands played."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may see the face of one slot. It only ever widens."""

    seats: frozenset[Seat] = frozenset()
    public: bool = False

    def includes(self, seat: Seat) -> bool:
        """Whether this seat may see the slot."""
        return self.public or seat in self.seats

    def includes_others(self, seat: Seat) -> bool:
        """Whether anybody but this seat may see the slot, so that its share is due."""
        return self.public or bool(self.seats - {seat})


NOBODY = Audience()
EVERYBODY = Audience(public=True)


@dataclass(frozen=True, slots=True)
class Claim:
    """``None of these hidden slots holds one of these cards``; proved by the protocol."""

    slots: tuple[Slot, ...]
    forbidden: tuple[Card, ...]


GRACE = "grace"
"""What ``Game.clock`` is asked for besides the kinds of choices."""


class Outcome(Enum):
    """What follows when seats are gone."""

    GOES_ON = "goes on"
    WAITS = "waits"
    NEW_PACK = "new pack"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Choice:
    """One kind of thing a seat may do now.

    ``moves`` lists the moves where they can be listed. Else they are ``(kind, n)`` with an
    ``amount`` of (least n, most n, step), or of free form; ``form`` says the shape then, for a
    program that plays by JSON lines.
    """

    kind: str
    text: str
    moves: tuple[Move, ...] = ()
    form: str = ""
    amount: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class View:
    """All that one seat (or, with ``seat`` None, a spectator) may know. Games extend it.

    ``owes`` is the kind of choice this seat owes now, or None. ``hand`` pairs each own slot whose
    face this seat knows with its card, ascending by slot.
    """

    game: str
    seat: Seat | None
    owes: str | None
    hand: tuple[tuple[Slot, Card], ...]


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """How a match ended. ``rule`` is a short fixed code.

    ``winner`` None: the seats in ``shared`` won together, or, if there are none, nobody did.
    """

    winner: Seat | None
    rule: str
    text: str
    shared: tuple[Seat, ...] = ()


Strategy: TypeAlias = Callable[[View, Draw], Move]
"""A bot: sees one seat's view only, answers with a legal move."""


class Game(Protocol):
    """The contract; see the module's first lines. Every function is pure."""

    @property
    def name(self) -> str:
        """The name in the agreement and on the command line: that of the game's folder."""

    @property
    def title(self) -> str:
        """The name for people."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The allowed numbers of seats at the table."""

    @property
    def options(self) -> tuple[Option, ...]:
        """All options, in the order in which they are shown."""

    @property
    def strategies(self) -> Mapping[str, Strategy]:
        """The bots by name."""

    def pack(self, options: Options) -> tuple[Card, ...]:
        """The cards of the pack in their fixed order; its length is the number of slots."""

    def opening(self, options: Options, seats: int) -> Standing:
        """The standing before the first hand of a table with so many seats."""

    def dealt_in(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> tuple[Seat, ...]:
        """The seats of the next hand, ascending; empty if the present ones cannot play."""

    def interlude(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> State | None:
        """What is to be chosen or settled between hands, now that ``present`` want to play on.

        None: nothing. Else a state without cards (its audience is empty), played like a hand by
        ``owed``, ``needs``, ``apply``, ``absent`` and ``view``; once it is ``over``, and it may be
        so at once, ``settle`` gives the standing that counts.
        """

    def start(
        self, options: Options, seats: tuple[Seat, ...], standing: Standing, coin: int
    ) -> State:
        """A new hand. ``coin`` is a uniform 256-bit integer made jointly by all seats."""

    def audience(self, state: State) -> tuple[Audience, ...]:
        """For every slot of the pack who may see it."""

    def locks(self, state: State) -> Mapping[Seat, tuple[Slot, ...]]:
        """Slots whose own share each seat must seal to the others before anything else.

        Only when nothing is left to hide from all the others together (or, for cards that are
        withheld by rule, with the deal).
        """

    def locked(self, state: State, absent: frozenset[Seat]) -> State:
        """The state once the locks that were due are there, but for those of ``absent``.

        ``absent`` may name seats again that the function of that name was told of. Too few locks
        may end the hand: ask ``over``.
        """

    def owed(self, state: State) -> Mapping[Seat, str]:
        """Which seats owe a choice now, and of which kind."""

    def needs(self, state: State, seat: Seat, move: Move) -> tuple[Slot, ...]:
        """The slots of which the mover gives its own share with this move, ascending.

        Own cards open to all by it; for a slot of another seat, which that seat alone still
        covers, it is a share that would be due later and could not be asked for then.
        Raises IllegalMove with the rule that forbids the move (shape, turn, all that can be
        judged before the slots are open). The move comes from the network: check every type.
        """

    def claims(
        self, state: State, seat: Seat, move: Move, faces: Mapping[Slot, Card]
    ) -> tuple[Claim, ...]:
        """What must be proved with this move, now that its slots are open.

        ``faces``: all public faces, the move's own included. A claim is about own slots that are
        hidden; one whose face is public is judged here. Raises IllegalMove where only the faces
        show that the move is forbidden.
        """

    def apply(
        self, state: State, entries: Mapping[Seat, Move], faces: Mapping[Slot, Card]
    ) -> State:
        """One whole step: the choices of all seats that owed one and are not gone."""

    def shown(self, state: State, faces: Mapping[Slot, Card]) -> State:
        """The state once the shares that the audience asked for are there."""

    def absent(
        self, state: State, seats: frozenset[Seat], faces: Mapping[Slot, Card]
    ) -> tuple[State, Outcome]:
        """The state when these seats have gone for the rest of the hand, and what follows.

        For a seat that goes after its entry the step is closed first. GOES_ON: ask ``over``, the
        hand may have ended by it. After another outcome the hand is played no further: neither
        ``apply`` nor ``locked`` is called. NEW_PACK: the pack is spent; ``settle`` gives the
        standing from which those who are left are dealt in again, without this hand's RESULT.
        A slot that nobody can open any more may leave the audience again; nothing else ever does.
        """

    def over(self, state: State) -> bool:
        """Whether the hand is over; then ``settle`` may be called."""

    def settle(self, state: State) -> Standing:
        """What is carried to the next hand."""

    def match(
        self,
        options: Options,
        standing: Standing,
        present: frozenset[Seat],
        barred: frozenset[Seat] = frozenset(),
    ) -> MatchEnd | None:
        """The end of the match if it has come, with the seats that still want to play.

        ``barred``: seats that were caught breaking the rules; they cannot win.
        """

    def clock(self, options: Options, kind: str) -> int:
        """Seconds a person has for a choice of this kind; 0: no clock.

        For ``GRACE``: how long a seat whose computer cannot be reached is waited for beyond its
        clock, before the others declare it gone; 0: the game does not say.
        """

    def view(
        self,
        state: State,
        seat: Seat | None,
        faces: Mapping[Slot, Card],
    ) -> View:
        """What this seat may know; ``faces``: the public ones and those of its own slots."""

    def legal(self, view: View) -> tuple[Choice, ...]:
        """What this seat may do now; empty if it owes nothing."""

    def objection(self, view: View, move: Move) -> IllegalMove | None:
        """Why the own program refuses this move, or None; stricter than ``needs``."""

    def late(self, view: View) -> Move:
        """What the own program does when the clock runs out."""

    def plain(self, state: State) -> Plain:
        """The whole public state as plain values, for the RESULT hash and the playthroughs."""

    def plain_standing(self, standing: Standing) -> Plain:
        """The standing, whole, as plain values: ``(("points", (…)), …)``, for people and hashes."""

    def restored(self, options: Options, seats: int, plain: object) -> Standing:
        """The standing between hands of which ``plain_standing`` gives these plain values.

        Raises StandingError for what no match of so many seats with these options can come to, as
        far as the values show it. They come from the network: check every type. A standing at
        which the match is over is one too.
        """

    def describe(self, state: State) -> tuple[str, ...]:
        """What happened in a finished hand, in short sentences in order (``seat 2`` for names)."""
