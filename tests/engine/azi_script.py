"""Plays games of Azi as a rule case tells them, and says how things stand at its end.

A case has ``seats``, and may have ``options``, a ``standing`` to begin with (fields of the
standing by name), a ``coin`` and ``deals``, one after the other. A deal may have ``present`` (who
wants to play it; else everybody), ``lost_at_ready``, ``between`` (what is done before it, for
instance ``"3 buy"``), ``hands`` (cards of the seats dealt in, in order; what is not given is dealt
from the rest of the pack), ``turned_up``, and ``moves``. A move is ``"0 bid 10"``,
``"1 play KS"``, ``"2 discard 6H"``, ``"1 look"``; ``"1 gone"`` is a seat that falls silent at the
next step at which it owes anything, which at first is the deal; ``"deal"`` is the deal with nobody
gone; ``"stop"`` ends the case before the next step; a move with ``!`` at the end is not made: the
case ends with how it is refused.

The answer has what ``expect`` asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from engine import Card, IllegalMove, Move, Seat, View, complete
from engine.azi import GAME
from engine.azi.standing import AziStanding
from engine.azi.view import AziView
from tests.engine.driver import Match, Step, Table

Case = Mapping[str, Any]


@dataclass
class Script:
    """One case being played."""

    case: Case
    queue: list[str] = field(default_factory=list)
    left: list[Mapping[str, Any]] = field(default_factory=list)
    moves: list[tuple[Seat, Move]] = field(default_factory=list)
    refused: str = ""
    needed: tuple[int, ...] = ()
    claimed: tuple[str, ...] = ()
    asked: list[Seat] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    due: list[Seat] = field(default_factory=list)

    def __post_init__(self) -> None:
        """The table as it is before the first deal."""
        self.options = complete(GAME.options, self.case.get("options", {}))
        standing = GAME.opening(self.options, self.case["seats"])
        assert isinstance(standing, AziStanding)
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.case.get("standing", {}).items()
        }
        self.left = list(self.case.get("deals", [{}]))
        self.match = Match(
            GAME,
            self.options,
            self.case["seats"],
            self.decks(),
            self.choose,
            replace(standing, **given),
            coins=lambda number: self.case.get("coin", 0),
            sit=lambda number: frozenset(
                self.deal(number).get("present", range(self.case["seats"]))
            ),
            late_at_ready=lambda number: frozenset(self.deal(number).get("lost_at_ready", ())),
            silent=lambda number: self.falls_silent,
        )

    def deal(self, number: int) -> Mapping[str, Any]:
        """The deal of this number, from 1; empty beyond the last."""
        return self.left[number - 1] if number <= len(self.left) else {}

    def decks(self) -> Iterator[Sequence[Card]]:
        """The packs of the deals, and of any that follow."""
        for number in count(1):
            yield self.deck(self.deal(number))

    def deck(self, deal: Mapping[str, Any]) -> Sequence[Card]:
        """The slots of one deal, with the cards that the case gives in their places."""
        size = int(self.options["cards"])
        seats = GAME.dealt_in(self.options, self.match.standing, self.match.present)
        hands = [text.split() for text in deal.get("hands", [])]
        turned = str(deal.get("turned_up", ""))
        given = [card for hand in hands for card in hand]
        rest = [c for c in GAME.pack(self.options) if c not in given and c != turned]
        slots: list[Card] = []
        for place in range(len(seats)):
            hand = hands[place] if place < len(hands) else []
            filled = [*hand, *(rest.pop() for _ in range(size - len(hand)))]
            slots += filled
        if turned and turned not in slots:
            slots.append(turned)
        slots += rest
        assert sorted(slots) == sorted(GAME.pack(self.options)), "a card too many or too few"
        return tuple(slots)

    def falls_silent(self, step: Step) -> frozenset[Seat]:
        """The seats at the head of what is left that are told to be gone, if they owe now."""
        fallen: set[Seat] = set()
        if self.queue and self.queue[0] == "deal":
            self.queue = self.queue[1 if step.kind == "shares" else 0 :]
            return frozenset()
        while self.queue and self.queue[0].endswith(" gone"):
            seat = int(self.queue[0].split()[0])
            if seat not in step.owing:
                break
            fallen.add(seat)
            self.queue.pop(0)
        return frozenset(fallen)

    def choose(self, seat: Seat, view: View) -> Move:
        """The next move of the case; raises AssertionError if it is not this seat's."""
        together = view.owes == "discard"
        own = [at for at, told in enumerate(self.queue) if told.split()[0] == str(seat)]
        assert own, f"seat {seat} owes {view.owes}; left are {self.queue}"
        assert together or own[0] == 0, f"seat {seat} is to act, not {self.queue[0]!r}"
        move = self.move(self.queue.pop(own[0]), self.tables[-1])
        self.moves.append((seat, move))
        return move

    @staticmethod
    def move(told: str, table: Table) -> Move:
        """A told move in the game's own form."""
        _, kind, *rest = told.removesuffix(" !").split()
        if kind in ("play", "discard"):
            return (kind, table.deck.index(rest[0]))
        return (kind, *map(int, rest))

    def run(self) -> Script:
        """Everything that the case tells."""
        for table in self.match.play():
            number = self.match.number + (1 if table.is_interlude else 0)
            if number > len(self.left):
                return self
            told = self.deal(number).get("between" if table.is_interlude else "moves", [])
            self.queue = list(told)
            self.tables.append(table)
            for step in table.play():
                self.due = list(step.owing) if step.kind in ("shares", "lock") else []
                if table.is_interlude and step.kind == "choice":
                    self.asked += step.owing
                if self.stops(table, step):
                    return self
            assert not self.queue, f"the hand is over, and left are {self.queue}"
        return self

    def stops(self, table: Table, step: Step) -> bool:
        """Whether the case ends before this step."""
        if self.queue and self.queue[0] == "stop":
            return not step.silent
        if step.kind != "choice":
            return False
        if not self.queue:
            return not step.silent
        if len(self.queue) == 1 and self.queue[0].endswith("!"):
            self.try_move(table, self.queue[0])
            return True
        return False

    def try_move(self, table: Table, told: str) -> None:
        """How a move is refused: by the others, by the proof it needs, or by the own program."""
        seat = int(told.split()[0])
        move = self.move(told, table)
        try:
            self.needed = GAME.needs(table.state, seat, move)
            faces = table.public() | {
                k: table.deck[k]
                for k in self.needed
                if GAME.audience(table.state)[k].includes(seat)
            }
            claims = GAME.claims(table.state, seat, move, faces)
        except IllegalMove as illegal:
            self.refused = illegal.rule
            return
        self.claimed = tuple(
            f"{' '.join(map(str, claim.slots))}: no {self.suits(claim.forbidden)}"
            for claim in claims
        )
        if any(table.deck[k] in claim.forbidden for claim in claims for k in claim.slots):
            self.refused = "a claim that is not true"
            return
        objection = GAME.objection(table.view(seat), move)
        self.refused = "nothing" if objection is None else f"own program: {objection.rule}"

    def suits(self, cards: Sequence[Card]) -> str:
        """The suits of which these are all the cards."""
        found = sorted({card[1] for card in cards})
        assert sorted(cards) == sorted(c for c in GAME.pack(self.options) if c[1] in found)
        return "".join(found)

    def answers(self) -> dict[str, object]:
        """How things stand, for ``expect`` to pick from."""
        standing, end = self.match.standing, self.match.end
        assert isinstance(standing, AziStanding)
        between: dict[str, object] = {
            "asked": self.asked,
            "dealt_in": [list(one.seats) for one in self.tables if not one.is_interlude],
            "openers": [
                one_view.opener
                for one in self.tables
                if not one.is_interlude
                for one_view in (one.view(None),)
                if isinstance(one_view, AziView)
            ],
            "after": {
                name: list(value) if isinstance(value, tuple) else value
                for name in AziStanding.__slots__
                for value in (getattr(standing, name),)
            },
            "end": None if end is None else [end.rule, end.winner, list(end.shared)],
        }
        return {**self.of_hand(self.tables[-1]), **between} if self.tables else between

    def of_hand(self, table: Table) -> dict[str, object]:
        """How the hand stands that was played last."""
        view = table.view(None)
        assert isinstance(view, AziView)
        owed = GAME.owed(table.state)
        turn = next(iter(owed)) if len(owed) == 1 else None
        plain: dict[str, object] = {
            name: list(value) if isinstance(value, tuple) else value
            for name in AziView.__slots__
            for value in (getattr(view, name),)
        }
        return {
            **plain,
            "owed": {str(seat): kind for seat, kind in sorted(owed.items())},
            "turn": turn,
            "may": [] if turn is None else self.may(table, turn),
            "late": None if turn is None else list(GAME.late(table.view(turn))),
            "hand": {str(s): [c for _, c in table.view(s).hand] for s in table.seats},
            "trick_winners": [trick[-1] for trick in view.tricks],
            "refused": self.refused,
            "needs": list(self.needed),
            "claims": list(self.claimed),
            "due": self.due,
            "over": GAME.over(table.state),
            "outcome": table.outcome.value,
        }

    def may(self, table: Table, seat: Seat) -> list[str]:
        """What a seat may do, as texts; a bid by its least, most and step."""
        found = []
        for choice in GAME.legal(table.view(seat)):
            if choice.amount is not None:
                found.append(f"{choice.kind} {choice.amount[0]} to {choice.amount[1]}")
                continue
            for kind, *rest in choice.moves:
                named = [table.deck[k] if kind in ("play", "discard") else str(k) for k in rest]  # type: ignore[index]
                found.append(" ".join((str(kind), *map(str, named))))
        return sorted(found)


def table(case: Case) -> dict[str, object]:
    """How things stand at the end of a case, as far as it asks."""
    answers = Script(case).run().answers()
    expect: Mapping[str, Any] = case["expect"]
    found: dict[str, object] = {}
    for name, wanted in expect.items():
        value = answers[name]
        if isinstance(wanted, dict) and isinstance(value, dict):
            value = {key: value[key] for key in wanted}
        found[name] = value
    return found
