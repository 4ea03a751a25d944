"""The table lane: the steps between hands and of each hand. SPEC 7.

A state is a frozen value with the two functions that every lane has: ``read`` judges one entry,
``close`` takes all entries of a step. The game's own rules stay behind the engine's contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

from engine import IllegalMove, MatchEnd, Move, Outcome, Plain, Slot, Standing
from protocol.agreement import Agreement
from protocol.envelope import MAX_LANE
from protocol.errors import LocalError, PeerFault
from protocol.group import Point
from protocol.hand import Due, Hand
from protocol.hashing import digest
from protocol.pack import Pack
from protocol.proofs import Pending, lock, shares
from protocol.proofs.lock import Lock
from protocol.proofs.shares import ShareProof
from protocol.wire import Value, fields, integer, octets, pack

Stage: TypeAlias = Literal["ready", "shares", "move", "lock", "result", "sit", "over"]

SIT_CHOICES = ("in", "out", "leave")


@dataclass(frozen=True, slots=True)
class Ready:
    """A READY entry: it only confirms what the record fixes."""


@dataclass(frozen=True, slots=True)
class Shares:
    """A SHARES entry: the points for what its seat owed."""

    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A MOVE entry: the move and the shares that open its slots."""

    move: Move
    slots: tuple[Slot, ...]
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A RESULT entry."""


@dataclass(frozen=True, slots=True)
class Sits:
    """A SIT entry: what its seat does about the next hand."""

    choice: str


Entry: TypeAlias = "Ready | Shares | Moved | Lock | Confirmed | Sits"


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the table lane is over. ``end`` for a match that ended by its rules."""

    end: MatchEnd | None
    seats: tuple[int, ...]
    code: str
    text: str


@dataclass(frozen=True)
class TableState:
    """The table as everybody sees it. ``hand_number`` counts from 1, ``next_pack`` likewise."""

    agreement: Agreement
    standing: Standing
    stage: Stage
    present: frozenset[int]
    hand_number: int = 1
    next_pack: int = 1
    pack: Pack | None = None
    hand: Hand | None = None
    out: frozenset[int] = frozenset()
    ending: Ending | None = None

    @property
    def kind(self) -> str:
        """The kind of entry that is due."""
        return self.stage

    @property
    def dealt_in(self) -> tuple[int, ...]:
        """The seats of the next hand."""
        return self.agreement.game.dealt_in(self.agreement.options, self.standing, self.present)

    @property
    def playing(self) -> Hand:
        """The hand in play; raises LocalError between hands."""
        if self.hand is None:
            raise LocalError("no hand is being played")
        return self.hand

    @cached_property
    def owed(self) -> tuple[int, ...]:
        """The seats that owe an entry now; none while the next pack is not finished."""
        if self.stage == "ready":
            return self.dealt_in if self.pack is not None else ()
        if self.stage == "shares":
            return tuple(self.playing.all_due())
        if self.stage == "move":
            return tuple(sorted(self.playing.game.owed(self.playing.state)))
        if self.stage == "lock":
            return tuple(self.playing.locks_due())
        if self.stage == "result":
            return tuple(s for s in self.playing.seats if s not in self.playing.gone)
        if self.stage == "sit":
            return tuple(sorted(self.present - self.out))
        return ()

    @cached_property
    def result(self) -> bytes:
        """The hash that RESULT confirms: of the public state and of what follows from it."""
        hand = self.playing
        settled = hand.game.settle(hand.state)
        public = pack((wire(hand.game.plain(hand.state)), wire(hand.game.plain_standing(settled))))
        return digest("result", self.agreement.table_id, self.hand_number, public)

    def with_pack(self, finished: Pack) -> TableState:
        """The state once the pack that READY waits for is finished."""
        return replace(self, pack=finished)

    def read(self, seat: int, payload: tuple[Value, ...]) -> tuple[Entry, tuple[Pending, ...]]:
        """An entry of this step and what must be checked of it; raises PeerFault."""
        if self.stage == "ready":
            return self._read_ready(payload), ()
        if self.stage == "shares":
            return self._read_shares(seat, payload)
        if self.stage == "move":
            return self._read_move(seat, payload)
        if self.stage == "lock":
            return self._read_lock(seat, payload)
        if self.stage == "result":
            if octets(fields(payload, 1, "a RESULT")[0], 32, "a result") != self.result:
                raise PeerFault("result", "a result that does not follow from the record")
            return Confirmed(), ()
        (choice,) = fields(payload, 1, "a SIT")
        if choice not in SIT_CHOICES:
            raise PeerFault("sit", "a SIT that is neither in, out nor leave")
        return Sits(str(choice)), ()

    def _read_ready(self, payload: tuple[Value, ...]) -> Ready:
        assert self.pack is not None
        number, head = fields(payload, 2, "a READY")
        number = integer(number, 1, MAX_LANE, "a pack's number")
        if number != self.pack.plan.number or octets(head, 32, "a head") != self.pack.head:
            raise PeerFault("ready.pack", "a READY for another pack than the next finished one")
        return Ready()

    def _read_shares(
        self, seat: int, payload: tuple[Value, ...]
    ) -> tuple[Shares, tuple[Pending, ...]]:
        hand = self.playing
        due = hand.due(seat)
        given, proof = shares.from_wire(payload, len(due))
        return Shares(given), (_true_shares(hand, seat, due, given, proof),)

    def _read_move(
        self, seat: int, payload: tuple[Value, ...]
    ) -> tuple[Moved, tuple[Pending, ...]]:
        hand = self.playing
        choice, opening, claims = fields(payload, 3, "a MOVE")
        move = plain_move(choice)
        try:
            slots = hand.game.needs(hand.state, seat, move)
            due = Due(slots)
            pending: tuple[Pending, ...] = ()
            points: tuple[Point, ...] = ()
            faces = dict(hand.faces)
            if slots:
                points, proof = shares.from_wire(opening, len(slots))
                faces = dict(hand.with_shares(seat, due, points).uncovered().faces)
                pending = (_true_shares(hand, seat, due, points, proof),)
            else:
                fields(opening, 0, "the opening of a MOVE that opens nothing")
            claimed = hand.game.claims(hand.state, seat, move, faces)
        except IllegalMove as illegal:
            raise PeerFault(f"rule.{illegal.rule}", illegal.text) from None
        fields(claims, len(claimed), "the claims of a MOVE")
        return Moved(move, slots, points), pending

    def _read_lock(self, seat: int, payload: tuple[Value, ...]) -> tuple[Lock, tuple[Pending, ...]]:
        hand = self.playing
        due = Due(hand.locks_due()[seat])
        given = Lock.from_wire(payload, len(due))
        return given, (
            partial(
                lock.statement,
                hand.pack.plan.ctx,
                seat,
                hand.pack.keys[seat],
                hand.lock_key(seat),
                hand.bases(due),
                given,
            ),
        )

    def close(self, entries: Mapping[int, Entry | None]) -> TableState:
        """The state after a step. An entry of None is a seat that is gone from this step on."""
        gone = frozenset(seat for seat, entry in entries.items() if entry is None)
        state = replace(self, out=self.out | gone)
        if self.stage == "ready":
            return state._close_ready(gone)
        if self.stage == "result":
            return state._close_result()
        if self.stage == "sit":
            return state._close_sit(entries)
        return state._close_hand(entries, gone)

    def _close_ready(self, gone: frozenset[int]) -> TableState:
        if gone or self.pack is None:
            return self._stopped(gone, "gone", "a seat is gone before the deal")
        game = self.agreement.game
        state = game.start(self.agreement.options, self.dealt_in, self.standing, self.pack.coin)
        hand = Hand(game, self.pack, state)
        return replace(self, hand=hand, pack=None, next_pack=self.next_pack + 1)._next_stage()

    def _close_hand(self, entries: Mapping[int, Entry | None], gone: frozenset[int]) -> TableState:
        """A step of the hand: shares and locks are laid down, then the rules go on."""
        hand = self.playing
        dues = hand.all_due() if self.stage == "shares" else {}
        locks = hand.locks_due()
        for seat, entry in entries.items():
            if isinstance(entry, Shares):
                hand = hand.with_shares(seat, dues[seat], entry.points)
            elif isinstance(entry, Moved):
                hand = hand.with_shares(seat, Due(entry.slots), entry.points)
            elif isinstance(entry, Lock):
                hand = hand.with_lock(seat, locks[seat], entry)
        hand = hand.with_gone(gone).uncovered()
        game, rules = hand.game, hand.state
        if gone:
            rules, outcome = game.absent(rules, gone, hand.faces)
            if outcome is not Outcome.GOES_ON:
                return replace(self, hand=replace(hand, state=rules))._stopped(
                    gone, "gone", f"the hand cannot go on without a seat ({outcome.value})"
                )
        if self.stage == "move":
            moves = {s: entry.move for s, entry in entries.items() if isinstance(entry, Moved)}
            rules = game.apply(rules, moves, hand.faces)
        elif self.stage == "lock":
            rules = game.locked(rules, gone)
        hand = replace(hand, state=rules)
        if self.stage == "shares" and not hand.all_due():
            hand = replace(hand, state=game.shown(rules, hand.faces))
        return replace(self, hand=hand)._next_stage()

    def _next_stage(self) -> TableState:
        """What the contract asks for next; the order is part of it."""
        hand = self.playing
        if hand.game.over(hand.state):
            return replace(self, stage="result")
        if hand.locks_due():
            return replace(self, stage="lock")
        if hand.all_due():
            return replace(self, stage="shares")
        if hand.game.owed(hand.state):
            return replace(self, stage="move")
        raise LocalError(f"{hand.game.name} has no next step")

    def _close_result(self) -> TableState:
        hand = self.playing
        standing = hand.game.settle(hand.state)
        end = hand.game.match(self.agreement.options, standing, self.present)
        if end is not None:
            return replace(
                self, standing=standing, stage="over", ending=Ending(end, (), end.rule, end.text)
            )
        return replace(self, standing=standing, stage="sit", hand_number=self.hand_number + 1)

    def _close_sit(self, entries: Mapping[int, Entry | None]) -> TableState:
        sits = {s: entry.choice for s, entry in entries.items() if isinstance(entry, Sits)}
        left = tuple(seat for seat, choice in sorted(sits.items()) if choice == "leave")
        present = frozenset(seat for seat, choice in sits.items() if choice == "in")
        state = replace(self, hand=None, present=present, out=self.out | frozenset(left))
        game = self.agreement.game
        end = game.match(self.agreement.options, self.standing, present)
        missing = frozenset(range(len(self.agreement.keys))) - present
        if end is not None:
            seats = tuple(sorted(missing))
            return replace(state, stage="over", ending=Ending(end, seats, end.rule, end.text))
        if not state.dealt_in:
            return state._stopped(missing, "left", "those who are left are too few to play on")
        return replace(state, stage="ready")

    def _stopped(self, seats: frozenset[int], code: str, text: str) -> TableState:
        return replace(self, stage="over", ending=Ending(None, tuple(sorted(seats)), code, text))

    def without(self, seats: frozenset[int], code: str, text: str) -> TableState:
        """The table stopped because these seats made it impossible to go on."""
        return replace(self, out=self.out | seats)._stopped(seats, code, text)


def first_state(agreement: Agreement) -> TableState:
    """The table when the agreement is signed."""
    count = len(agreement.keys)
    standing = agreement.game.opening(agreement.options, count)
    return TableState(agreement, standing, "ready", frozenset(range(count)))


def _true_shares(
    hand: Hand, seat: int, due: Due, points: tuple[Point, ...], proof: ShareProof
) -> Pending:
    """What a seat claims that gives shares for what is due."""
    plan, key = hand.pack.plan, hand.pack.keys[seat]
    return partial(shares.statement, plan.ctx, seat, key, hand.bases(due), points, proof)


def wire(plain: Plain) -> Value:
    """A plain value as a wire value: they have the same shape but for bytes."""
    if isinstance(plain, tuple):
        return tuple(wire(item) for item in plain)
    return plain


def plain_move(value: Value) -> Move:
    """A move from the wire; raises PeerFault if it is no non-empty array that opens with a word."""
    if not isinstance(value, tuple) or not value or not isinstance(value[0], str):
        raise PeerFault("encoding", "a move must be an array that opens with its kind")
    return tuple(_plain(item) for item in value)


def _plain(value: Value) -> Plain:
    if isinstance(value, bytes):
        raise PeerFault("encoding", "a move must hold only numbers, words and arrays")
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return value
