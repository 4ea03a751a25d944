"""What a session tells the people and programs at its seat. All are frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine import Card, MatchEnd, Move, Plain, Slot, View

Hash: TypeAlias = bytes


@dataclass(frozen=True, slots=True)
class StepClosed:
    """Every owed entry of a step is there. ``lane`` 0 is the table, others are packs.

    ``bytes``: those of the step's envelopes together.
    """

    lane: int
    step: int
    kind: str
    seats: tuple[int, ...]
    gone: tuple[int, ...]
    head: Hash
    bytes: int


@dataclass(frozen=True, slots=True)
class ProofChecked:
    """This computer has checked the shuffle proof of another seat.

    ``seconds``: from handing out the work to its result. Proofs that came together are checked
    together, and share that time.
    """

    pack: int
    seat: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PackFinished:
    """A pack is shuffled, and every proof of it is checked here."""

    pack: int
    seats: tuple[int, ...]
    head: bytes


@dataclass(frozen=True, slots=True)
class HandStarted:
    """All seats of the hand stand on the same history; the deal follows."""

    hand: int
    pack: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ViewChanged:
    """What this seat may know has changed."""

    view: View


@dataclass(frozen=True, slots=True)
class YourMove:
    """This seat owes a choice. ``seconds``: until the own program moves by itself (0: never)."""

    kind: str
    view: View
    seconds: int


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A seat has moved; ``opened`` are the slots that opened with it."""

    seat: int
    move: Move
    opened: tuple[tuple[Slot, Card], ...]


@dataclass(frozen=True, slots=True)
class HandOver:
    """A hand is over. ``standing`` is the game's plain standing after it."""

    hand: int
    state: Plain
    standing: Plain
    story: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SitSaid:
    """What the seats have answered between hands: ``in``, ``out`` or ``leave``, by seat.

    A seat whose answer counts as absent is not in it; StepClosed names it as gone.
    """

    choices: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class MatchOver:
    """The match is over; nothing more will be sent."""

    end: MatchEnd
    standing: Plain


@dataclass(frozen=True, slots=True)
class Stopped:
    """The table cannot go on. ``seats``: who stopped it; ``text`` says why, for people."""

    seats: tuple[int, ...]
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Left:
    """This seat has left the table, which plays on without it."""


@dataclass(frozen=True, slots=True)
class Overdue:
    """Seats owe an entry beyond their clock. ``waiting`` seconds were allowed."""

    lane: int
    step: int
    kind: str
    seats: tuple[int, ...]
    waiting: float


@dataclass(frozen=True, slots=True)
class Behind:
    """The others are further than this seat can follow: it lacks entries of this lane."""

    lane: int
    step: int


@dataclass(frozen=True, slots=True)
class VoteUnderWay:
    """The seats vote about a silent one: does the step go on without it?

    ``gone`` and ``here``: how many have spoken for each, in any round; ``needed``: more than half.
    """

    lane: int
    step: int
    seat: int
    gone: int
    here: int
    needed: int


@dataclass(frozen=True, slots=True)
class DeclaredGone:
    """More than half stand by it that a seat is gone: the step closes without its entry.

    ``by``: the seats that stand by it, as far as is known now.
    """

    lane: int
    step: int
    seat: int
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WentBack:
    """The others went on without the entry of a seat, by which a step had closed here.

    So the table stands at that step again, and what came after it here has not happened.
    """

    lane: int
    step: int
    seat: int


@dataclass(frozen=True, slots=True)
class Leaves:
    """A seat says that it leaves at once; the others do not wait for it. A hint: in no record."""

    seat: int


@dataclass(frozen=True, slots=True)
class CameBack:
    """Seats that were away are at the table again."""

    seats: tuple[int, ...]


Event: TypeAlias = (
    StepClosed
    | ProofChecked
    | PackFinished
    | HandStarted
    | ViewChanged
    | YourMove
    | MoveMade
    | HandOver
    | SitSaid
    | MatchOver
    | Stopped
    | Left
    | Overdue
    | VoteUnderWay
    | DeclaredGone
    | WentBack
    | Leaves
    | CameBack
    | Behind
)
