"""Hazari on the contract between a game and the table. Each function says one thing of a state.

Rules: the Hazari section of SPEC.md, which marks what is our own choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.cards import FULL_PACK
from engine.contract import (
    EVERYBODY,
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
from engine.hazari import state as hand
from engine.hazari.bots import STRATEGIES
from engine.hazari.dismissal import because, reason, wanted
from engine.hazari.division import (
    faces_of,
    fallback_by_slots,
    fault_text,
    order_fault,
    own_slots,
)
from engine.hazari.moves import DISMISS, UP, parse, refusal
from engine.hazari.options import OPTIONS, number, rules
from engine.hazari.rounds import SEATS
from engine.hazari.state import ALL_SEATS, HazariStanding, HazariState
from engine.hazari.telling import plain_standing, plain_state, restored, story
from engine.hazari.view import HazariView
from engine.options import Option, Options

UP_FORM = '["up", [s, s, s], [s, s, s], [s, s, s], [s, s, s, s]]: own slots, ascending in a group'


@dataclass(frozen=True, slots=True)
class Hazari:
    """The game object; has no state of its own."""

    name: str = "hazari"
    title: str = "Hazari"
    seats: tuple[int, ...] = (SEATS,)
    options: tuple[Option, ...] = OPTIONS
    strategies: Mapping[str, Strategy] = field(default_factory=lambda: MappingProxyType(STRATEGIES))

    def pack(self, options: Options) -> tuple[Card, ...]:
        """The 52 cards, first in the total order first."""
        return FULL_PACK

    def opening(self, options: Options, seats: int) -> Standing:
        """Nobody has points, and the coin will choose the dealer; raises ValueError but for 4."""
        if seats not in self.seats:
            raise ValueError(f"Hazari has four seats, not {seats}")
        return HazariStanding()

    def dealt_in(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> tuple[Seat, ...]:
        """All four or nobody: the table waits for who is not there."""
        return ALL_SEATS if present >= frozenset(ALL_SEATS) else ()

    def interlude(
        self, options: Options, standing: Standing, present: frozenset[Seat]
    ) -> State | None:
        """Never anything."""
        return None

    def start(
        self, options: Options, seats: tuple[Seat, ...], standing: Standing, coin: int
    ) -> State:
        """A new hand at the deal; the coin counts only where nobody has dealt yet."""
        return hand.begin(rules(options), _standing(standing), coin)

    def audience(self, state: State) -> tuple[Audience, ...]:
        """Each seat sees its own; a dismissed hand and, at the show, every hand is for all.

        A seat whose cards cannot be opened is not asked for at the show. A void hand asks for
        nothing more.
        """
        now = _state(state)
        public = {one.seat for one in now.dismissed}
        if now.phase == hand.SHOW or now.shown:
            public = set(ALL_SEATS) - now.hidden
        return tuple(
            EVERYBODY if seat in public else Audience(frozenset({seat}))
            for seat in ALL_SEATS
            for _ in own_slots(seat)
        )

    def locks(self, state: State) -> Mapping[Seat, tuple[Slot, ...]]:
        """At the lock, the own thirteen slots of every seat that has not gone."""
        now = _state(state)
        if now.phase != hand.LOCK:
            return {}
        return {seat: own_slots(seat) for seat in ALL_SEATS if seat not in now.gone}

    def locked(self, state: State, absent: frozenset[Seat]) -> State:
        """The show; a seat without its lock gets the fallback division, by elimination."""
        return hand.lock(_state(state), absent)

    def owed(self, state: State) -> Mapping[Seat, str]:
        """At "up" every seat that has not gone owes a choice; never later."""
        return dict.fromkeys(_state(state).owing, UP)

    def needs(self, state: State, seat: Seat, move: Move) -> tuple[Slot, ...]:
        """A dismissal opens the own thirteen slots, a division none; raises IllegalMove."""
        return own_slots(seat) if hand.check_move(_state(state), seat, move) is None else ()

    def claims(
        self, state: State, seat: Seat, move: Move, faces: Mapping[Slot, Card]
    ) -> tuple[Claim, ...]:
        """Never anything to prove; raises IllegalMove for a dismissal that its cards forbid."""
        now = _state(state)
        if hand.check_move(now, seat, move) is None:
            hand.check_dismissal(now, seat, faces)
        return ()

    def apply(
        self, state: State, entries: Mapping[Seat, Move], faces: Mapping[Slot, Card]
    ) -> State:
        """Divisions lead to the lock, one dismissal cancels the hand; raises IllegalMove."""
        return hand.arrange(_state(state), entries, faces)

    def shown(self, state: State, faces: Mapping[Slot, Card]) -> State:
        """After the deal: "up". After the show: the four rounds, and the hand is over."""
        now = _state(state)
        return hand.dealt(now) if now.phase == hand.DEAL else hand.show(now, faces)

    def absent(
        self, state: State, seats: frozenset[Seat], faces: Mapping[Slot, Card]
    ) -> tuple[State, Outcome]:
        """Waits at the deal, goes on without one seat later, void without two hands' cards.

        For a seat that goes after its entry or lock the driver first closes that step.
        """
        return hand.leave(_state(state), seats, faces)

    def over(self, state: State) -> bool:
        """Whether the hand is scored, cancelled or void."""
        return _state(state).phase == hand.OVER

    def settle(self, state: State) -> Standing:
        """Points added, the deal passed on; raises ValueError if the hand is not over."""
        return hand.carry(_state(state))

    def match(
        self,
        options: Options,
        standing: Standing,
        present: frozenset[Seat],
        barred: frozenset[Seat] = frozenset(),
    ) -> MatchEnd | None:
        """The highest total wins at the target, or after ``hands`` hands; a tie plays on.

        Where ``hands`` is set the target does not count (ours). Of seats that may not win the
        total counts for nothing but the target (ours).
        """
        now, rule = _standing(standing), rules(options)
        if now.broken:
            return MatchEnd(None, "broken", "two seats left one hand: the match has no winner")
        highest = max(now.totals)
        due = now.played >= rule.hands if rule.hands else highest >= rule.target
        most = max((now.totals[seat] for seat in ALL_SEATS if seat not in barred), default=-1)
        leaders = [s for s in ALL_SEATS if now.totals[s] == most and s not in barred]
        if not due or len(leaders) != 1:
            return None
        winner = leaders[0]
        text = f"seat {winner} wins the match with {most} points"
        return MatchEnd(winner, "hands" if rule.hands else "target", text)

    def clock(self, options: Options, kind: str) -> int:
        """The seconds to arrange, 0: no clock; and those of ``GRACE``."""
        if kind == GRACE:
            return number(options, "grace_seconds")
        return number(options, "arrange_seconds") if kind == UP else 0

    def view(self, state: State, seat: Seat | None, faces: Mapping[Slot, Card]) -> HazariView:
        """What this seat, or a spectator, may know; only own slots are looked up in ``faces``."""
        now = _state(state)
        own = () if seat is None else own_slots(seat)
        shown = now.shown
        return HazariView(
            game=self.name,
            seat=seat,
            owes=UP if seat in now.owing else None,
            hand=tuple((slot, faces[slot]) for slot in own if slot in faces),
            phase=now.phase,
            hand_number=now.before.dealt + 1,
            dealer=now.dealer,
            leader=now.leader,
            totals=now.before.totals,
            target=now.rules.target,
            hands=now.rules.hands,
            hands_played=now.before.played,
            hints=now.rules.hints,
            dismissal=now.rules.dismissal,
            foul_scores_zero=now.rules.foul_scores_zero,
            owing=now.owing,
            gone=tuple(sorted(now.gone)),
            arranged=now.arranged,
            dismissed=now.dismissed,
            void=now.void,
            divisions=shown.divisions if shown else (),
            replaced=tuple(sorted(shown.replaced)) if shown else (),
            foul=tuple(sorted(shown.foul)) if shown else (),
            rounds=shown.rounds if shown else (),
            scores=shown.scores if shown else (),
        )

    def legal(self, view: View) -> tuple[Choice, ...]:
        """ "Up" with a division of one's own, and a dismissal where the own cards allow it."""
        now = _view(view)
        if now.owes is None:
            return ()
        up = Choice(UP, "say up with the cards in groups of 3, 3, 3 and 4", form=UP_FORM)
        cards = tuple(card for _, card in now.hand)
        found = reason(cards, now.dismissal)
        if found is None:
            return (up,)
        text = f"show the hand and cancel it: it {because(found)}"
        return (up, Choice(DISMISS, text, moves=((DISMISS,),)))

    def objection(self, view: View, move: Move) -> IllegalMove | None:
        """All that others could refuse, and the order of the groups, which only the owner sees."""
        now = _view(view)
        if now.owes is None or now.seat is None:
            return refusal("turn", "no choice is due now", now.seat)
        faces = dict(now.hand)
        try:
            division = parse(move, now.seat, now.dismissal)
        except IllegalMove as illegal:
            return illegal
        if division is None:
            if reason(tuple(faces.values()), now.dismissal) is None:
                text = f"a hand may be dismissed if it {wanted(now.dismissal)}"
                return refusal("dismissal.hand", text, now.seat)
            return None
        groups = faces_of(division, faces)
        fault = order_fault(groups)
        if fault is None:
            return None
        return refusal("up.order", fault_text(groups, fault), now.seat)

    def late(self, view: View) -> Move:
        """The fallback division of the own cards; ``view`` is of a seat that owes "up"."""
        return (UP, *fallback_by_slots(dict(view.hand)))

    def plain(self, state: State) -> Plain:
        """The public state as pairs of name and value; SPEC has the layout."""
        return plain_state(_state(state))

    def plain_standing(self, standing: Standing) -> Plain:
        """The standing as pairs of name and value; SPEC has the layout."""
        return plain_standing(_standing(standing))

    def restored(self, options: Options, seats: int, plain: object) -> Standing:
        """The standing that such pairs stand for; raises StandingError."""
        if seats not in self.seats:
            raise StandingError(f"Hazari has four seats, not {seats}")
        return restored(plain)

    def describe(self, state: State) -> tuple[str, ...]:
        """The hand in short sentences."""
        return story(_state(state))


def _state(state: State) -> HazariState:
    if not isinstance(state, HazariState):
        raise TypeError(f"not a state of Hazari: {type(state).__name__}")
    return state


def _standing(standing: Standing) -> HazariStanding:
    if not isinstance(standing, HazariStanding):
        raise TypeError(f"not a standing of Hazari: {type(standing).__name__}")
    return standing


def _view(view: View) -> HazariView:
    if not isinstance(view, HazariView):
        raise TypeError(f"not a view of Hazari: {type(view).__name__}")
    return view
