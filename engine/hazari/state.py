"""The public state of one hand, the standing between hands, and every way from one to the next.

Phases: ``deal`` (the own thirteen cards come in), ``up`` (all owe a division or a dismissal),
``lock`` (all seal their own shares), ``show`` (all cards open), ``over``. A hand also ends by a
dismissal, or void when the cards of two seats can no longer be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.cards import FULL_PACK, ordered
from engine.contract import Card, Move, Outcome, Seat, Slot, Standing, State
from engine.hazari.dismissal import Dismissal, reason, wanted
from engine.hazari.division import (
    Division,
    SlotDivision,
    faces_of,
    fallback,
    order_fault,
    own_slots,
)
from engine.hazari.moves import parse, refusal
from engine.hazari.options import Rules
from engine.hazari.rounds import SEATS, Round, play, right_of, scores

DEAL: Final = "deal"
UP_PHASE: Final = "up"
LOCK: Final = "lock"
SHOW: Final = "show"
OVER: Final = "over"

ALL_SEATS: Final = tuple(range(SEATS))


@dataclass(frozen=True, slots=True)
class HazariStanding(Standing):
    """What is carried from hand to hand.

    ``totals``: points by seat. ``dealer``: who deals next; None: the coin of the first pack says.
    ``dealt``: hands dealt. ``played``: hands scored; cancelled and void ones are not (ours), so
    nobody shortens a match of so many hands by a dismissal. ``broken``: two seats or more have
    gone in one hand; the match has no winner then, or two allies with bad cards could leave,
    come back and be dealt new ones (ours).
    """

    totals: tuple[int, ...] = (0, 0, 0, 0)
    dealer: Seat | None = None
    dealt: int = 0
    played: int = 0
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """What the show brought: the divisions that count, by seat, and the four rounds.

    ``replaced``: seats for which the fallback stands in; ``foul``: those of them whose own
    division was out of order.
    """

    divisions: tuple[Division, ...]
    replaced: frozenset[Seat]
    foul: frozenset[Seat]
    rounds: tuple[Round, ...]

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of the hand by seat, 360 together."""
        return scores(self.rounds)


@dataclass(frozen=True, slots=True)
class HazariState(State):
    """The public state of one hand. Nothing in it is known to one seat only.

    ``hidden``: the seat (never more than one, or the hand is void) whose cards will not open, so
    that they are known only as what the three others do not hold. ``locked``: seats whose lock
    is there. ``arranged``: what each seat said with "up", by slots.
    """

    rules: Rules
    before: HazariStanding
    dealer: Seat
    phase: str = DEAL
    gone: frozenset[Seat] = frozenset()
    hidden: frozenset[Seat] = frozenset()
    locked: frozenset[Seat] = frozenset()
    arranged: tuple[SlotDivision | None, ...] = (None, None, None, None)
    dismissed: tuple[Dismissal, ...] = ()
    void: bool = False
    shown: Shown | None = None

    @property
    def leader(self) -> Seat:
        """The seat to the dealer's right, which leads the first round."""
        return right_of(self.dealer)

    @property
    def owing(self) -> tuple[Seat, ...]:
        """The seats that owe a division or a dismissal."""
        if self.phase != UP_PHASE:
            return ()
        return tuple(seat for seat in ALL_SEATS if seat not in self.gone)


def begin(rules: Rules, before: HazariStanding, coin: int) -> HazariState:
    """A new hand; the coin chooses the first dealer of a table, as coin mod 4."""
    dealer = coin % SEATS if before.dealer is None else before.dealer
    return HazariState(rules, before, dealer)


def dealt(state: HazariState) -> HazariState:
    """The state once every seat has its cards."""
    _expect(state, DEAL)
    return replace(state, phase=UP_PHASE)


def check_move(state: HazariState, seat: Seat, move: object) -> SlotDivision | None:
    """The move's division, None for a dismissal; raises IllegalMove (turn, shape, slots)."""
    if seat not in state.owing:
        raise refusal("turn", f"seat {seat} owes no choice now", seat)
    return parse(move, seat, state.rules.dismissal)


def check_dismissal(state: HazariState, seat: Seat, faces: Mapping[Slot, Card]) -> Dismissal:
    """The dismissal of this seat, its cards open; raises IllegalMove if they do not allow it."""
    cards = ordered(faces[slot] for slot in own_slots(seat))
    found = reason(cards, state.rules.dismissal)
    if found is None:
        text = f"a hand may be dismissed if it {wanted(state.rules.dismissal)}"
        raise refusal("dismissal.hand", text, seat)
    return Dismissal(seat, found, cards)


def arrange(
    state: HazariState, entries: Mapping[Seat, Move], faces: Mapping[Slot, Card]
) -> HazariState:
    """The state after "up"; raises IllegalMove, and ValueError if a seat that owes is missing."""
    moves = {seat: check_move(state, seat, entries[seat]) for seat in sorted(entries)}
    missing = [seat for seat in state.owing if seat not in moves]
    if missing:
        raise ValueError(f"no entry of seats {missing}")
    arranged = tuple(moves.get(seat) for seat in ALL_SEATS)
    dismissed = tuple(
        check_dismissal(state, seat, faces) for seat, division in moves.items() if division is None
    )
    phase = OVER if dismissed else LOCK
    return replace(state, arranged=arranged, dismissed=dismissed, phase=phase)


def lock(state: HazariState, absent: frozenset[Seat]) -> HazariState:
    """The state once the locks are there, but for those of ``absent`` and of gone seats."""
    _expect(state, LOCK)
    gone = state.gone | absent
    present = frozenset(ALL_SEATS) - gone
    return _hide(replace(state, gone=gone, locked=present, phase=SHOW), gone)


def show(state: HazariState, faces: Mapping[Slot, Card]) -> HazariState:
    """The state once all cards are open that can be: divisions judged, rounds played.

    The cards of a hidden seat are those that nobody else holds; which of its slots has which is
    not known and not needed.
    """
    _expect(state, SHOW)
    hands = {
        seat: tuple(faces[slot] for slot in own_slots(seat))
        for seat in ALL_SEATS
        if seat not in state.hidden
    }
    seen = frozenset(card for hand in hands.values() for card in hand)
    for seat in state.hidden:
        hands[seat] = tuple(card for card in FULL_PACK if card not in seen)
    divisions: list[Division] = []
    replaced: set[Seat] = set()
    foul: set[Seat] = set()
    for seat in ALL_SEATS:
        said = state.arranged[seat]
        own = None if said is None or seat in state.hidden else faces_of(said, faces)
        if own is not None and order_fault(own) is not None:
            foul.add(seat)
            own = None
        if own is None:
            replaced.add(seat)
            own = fallback(hands[seat])
        divisions.append(own)
    below = foul if state.rules.foul_scores_zero else set()
    rounds = play(tuple(divisions), state.dealer, below)
    shown = Shown(tuple(divisions), frozenset(replaced), frozenset(foul), rounds)
    return replace(state, shown=shown, phase=OVER)


def leave(
    state: HazariState, seats: frozenset[Seat], faces: Mapping[Slot, Card]
) -> tuple[HazariState, Outcome]:
    """The state when these seats have gone, and what follows.

    At the deal the table waits with the same pack: a fresh one would be a second try. Later one
    seat's cards can be missing: a lock that is there is opened by the three others, else the
    cards follow from theirs. A lock is sealed to all the other seats together, so it is of no use
    once a second seat has gone. When the cards of two seats are missing the hand is void.
    """
    if state.phase == OVER:
        return state, Outcome.GOES_ON
    if state.phase == DEAL:
        return state, Outcome.WAITS
    gone = state.gone | seats
    missing = frozenset(seat for seat in gone if any(slot not in faces for slot in own_slots(seat)))
    openable = state.locked if len(gone) == 1 else frozenset()
    after = _hide(replace(state, gone=gone), missing - openable)
    return after, Outcome.VOID if after.void else Outcome.GOES_ON


def _hide(state: HazariState, hidden: frozenset[Seat]) -> HazariState:
    """The cards of these seats will not open; void if that leaves more than one hand unknown."""
    if len(hidden) > 1:
        return replace(state, hidden=hidden, void=True, phase=OVER)
    return replace(state, hidden=hidden)


def carry(state: HazariState) -> HazariStanding:
    """The standing after a finished hand; the deal passes to the dealer's right in any case."""
    _expect(state, OVER)
    before = state.before
    points = state.shown.scores if state.shown else (0, 0, 0, 0)
    return HazariStanding(
        totals=tuple(total + more for total, more in zip(before.totals, points, strict=True)),
        dealer=right_of(state.dealer),
        dealt=before.dealt + 1,
        played=before.played + (1 if state.shown else 0),
        broken=before.broken or state.void,
    )


def _expect(state: HazariState, phase: str) -> None:
    if state.phase != phase:
        raise ValueError(f"the hand is at {state.phase}, not at {phase}")
