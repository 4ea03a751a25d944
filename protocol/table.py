"""The table lane: the steps between hands and of each hand. SPEC 7.

A state is a frozen value with the two functions that every lane has: ``read`` judges one entry,
``close`` takes all entries of a step. The game's own rules stay behind the engine's contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

from engine import MatchEnd, Outcome, Standing
from protocol.absence import Absent, absent_in, caught_in
from protocol.agreement import Agreement
from protocol.entries import (
    SIT_CHOICES,
    Confirmed,
    Entry,
    Moved,
    Ready,
    Returned,
    Sits,
    laid_down,
    read_lock,
    read_move,
    read_shares,
    wire,
)
from protocol.envelope import MAX_LANE
from protocol.errors import LocalError, PeerFault
from protocol.hand import Hand
from protocol.hashing import digest
from protocol.pack import Pack, no_pack
from protocol.proofs import Pending
from protocol.votes import Back, open_word
from protocol.wire import Value, fields, integer, octets, pack

Stage: TypeAlias = Literal["ready", "shares", "move", "lock", "result", "sit", "back", "over"]


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the table lane is over. ``end`` for a match that ended by its rules.

    ``left``: of one that did not, the standing from which another table may go on, and the number
    of the next hand there.
    """

    end: MatchEnd | None
    seats: tuple[int, ...]
    code: str
    text: str
    left: tuple[Standing, int] | None = None


@dataclass(frozen=True)
class TableState:
    """The table as everybody sees it. ``hand_number`` counts from 1, or from that of the origin.

    ``present``: the seats that want to play the next hand, and have not gone. ``out``: those that
    have left or were caught, for good; ``caught``: those of them that may not win any more.
    ``away``: those that were declared gone and have not come back; ``voting``: those that have a
    vote about that, the same from one SIT to the next (5.6).
    ``spent``: a hand that ended just now without a RESULT, because its pack was lost; its seats are
    dealt in again. ``settled``: an interlude that is over just now.
    """

    agreement: Agreement
    standing: Standing
    stage: Stage
    present: frozenset[int]
    voting: frozenset[int]
    hand_number: int = 1
    pack: Pack | None = None
    hand: Hand | None = None
    spent: Hand | None = None
    settled: Hand | None = None
    out: frozenset[int] = frozenset()
    caught: frozenset[int] = frozenset()
    away: frozenset[int] = frozenset()
    ending: Ending | None = None

    @property
    def kind(self) -> str:
        """The kind of entry that is due."""
        return self.stage

    @property
    def members(self) -> frozenset[int]:
        """The seats that have not left for good, playing or not, there or away."""
        return frozenset(range(len(self.agreement.keys))) - self.out

    @property
    def awaited(self) -> frozenset[int]:
        """The seats that are away and without which no hand can be dealt."""
        return self.away & self.members

    @cached_property
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
            # All that vote, not those dealt in alone: so nobody can be declared gone any more in a
            # step that lies before the first share of a card.
            there = self.voting - self.out - self.away
            return tuple(sorted(there)) if self.pack is not None else ()
        if self.stage == "shares":
            return tuple(self.playing.all_due())
        if self.stage == "move":
            return tuple(sorted(self.playing.game.owed(self.playing.state)))
        if self.stage == "lock":
            return tuple(self.playing.locks_due())
        if self.stage == "result":
            return tuple(s for s in self.playing.seats if s not in self.playing.gone)
        if self.stage == "sit":
            return tuple(sorted(self.members - self.away))
        if self.stage == "back":
            return tuple(sorted(self.awaited))
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
            return read_shares(self.playing, seat, payload)
        if self.stage == "move":
            return read_move(self.playing, seat, payload)
        if self.stage == "lock":
            return read_lock(self.playing, seat, payload)
        if self.stage == "result":
            if octets(fields(payload, 1, "a RESULT")[0], 32, "a result") != self.result:
                raise PeerFault("result", "a result that does not follow from the record")
            return Confirmed(), ()
        if self.stage == "back":
            fields(payload, 0, "a BACK")
            return Returned(), ()
        return self._read_sit(payload), ()

    def _read_sit(self, payload: tuple[Value, ...]) -> Sits:
        choice, words = fields(payload, 2, "a SIT")
        if choice not in SIT_CHOICES:
            raise PeerFault("sit", "a SIT that is neither in, out nor leave")
        if not isinstance(words, tuple):
            raise PeerFault("encoding", "who is back must be an array")
        backs = [self._read_back(word) for word in words]
        seats = [seat for seat, _ in backs]
        if seats != sorted(set(seats)):
            raise PeerFault("sit", "seats that are back must be ascending")
        return Sits(str(choice), tuple(backs))

    def _read_back(self, word: Value) -> tuple[int, str]:
        """What a seat that is away says of its return; only of the hand that comes next."""
        try:
            back = open_word(word, self.agreement) if isinstance(word, bytes) else None
        except PeerFault as fault:
            raise PeerFault("sit", f"who is back is not well said: {fault.text}") from None
        if not isinstance(back, Back) or not self.can_return(back):
            raise PeerFault("sit", "a SIT that lets a seat return which has not said so")
        return back.seat, back.choice

    def can_return(self, back: Back) -> bool:
        """Whether the next SIT, or this one, may let a seat return that says this."""
        return back.seat in self.awaited and back.hand == self.sit_hand

    @property
    def sit_hand(self) -> int:
        """The number of the hand that the next SIT, or the one that is due, is about."""
        return self.hand_number if self.stage == "sit" else self.hand_number + 1

    def _read_ready(self, payload: tuple[Value, ...]) -> Ready:
        assert self.pack is not None
        number, head = fields(payload, 2, "a READY")
        number = integer(number, 1, MAX_LANE, "a pack's number")
        if number != self.pack.plan.number or octets(head, 32, "a head") != self.pack.head:
            raise PeerFault("ready.pack", "a READY for another pack than the next finished one")
        return Ready()

    def close(self, entries: Mapping[int, Entry | Absent | None]) -> TableState:
        """The state after a step. Seats without an entry are gone from this step on.

        Those whose entry is invalid for good; those that were declared absent are away.
        """
        caught, away = caught_in(entries), absent_in(entries)
        state = replace(
            self,
            out=self.out | caught,
            caught=self.caught | caught,
            away=self.away | away,
            present=self.present - caught - away,
            spent=None,
            settled=None,
        )
        if self.stage == "ready":
            return state._close_ready(caught | away)
        if self.stage == "result":
            return state._close_result()
        if self.stage == "sit":
            return state._close_sit(entries)
        if self.stage == "back":
            return state._close_back(entries)
        return state._close_hand(entries, caught | away)

    def _close_ready(self, gone: frozenset[int]) -> TableState:
        assert self.pack is not None
        gone &= frozenset(self.pack.plan.seats)
        if gone:
            # Nobody has seen a card of the pack, and no ante is paid before this step closes.
            return replace(self, pack=None)._between(gone, "gone", "a seat is gone before the deal")
        game = self.agreement.game
        seats = self.pack.plan.seats
        state = game.start(self.agreement.options, seats, self.standing, self.pack.coin)
        return replace(self, hand=Hand(game, self.pack, state), pack=None)._next_stage()

    def _close_hand(
        self, entries: Mapping[int, Entry | Absent | None], gone: frozenset[int]
    ) -> TableState:
        """A step of the hand: shares and locks are laid down, then the rules go on."""
        hand = laid_down(self.playing, self.stage, entries).with_gone(gone).uncovered()
        game, rules = hand.game, hand.state
        if gone:
            rules, outcome = game.absent(rules, gone, hand.faces)
            hand = replace(hand, state=rules)
            if outcome is Outcome.NEW_PACK:
                return self._deal_again(hand, gone)
            if outcome is not Outcome.GOES_ON:
                text = f"the hand cannot go on without a seat ({outcome.value})"
                return replace(self, hand=hand)._stopped(gone, self._code(gone, "gone"), text)
        if not game.over(rules):
            if self.stage == "move":
                moves = {s: entry.move for s, entry in entries.items() if isinstance(entry, Moved)}
                rules = game.apply(rules, moves, hand.faces)
            elif self.stage == "lock":
                rules = game.locked(rules, gone)
            hand = replace(hand, state=rules)
            if self.stage == "shares" and not hand.all_due():
                hand = replace(hand, state=game.shown(rules, hand.faces))
        return replace(self, hand=hand)._next_stage()

    def _deal_again(self, hand: Hand, gone: frozenset[int]) -> TableState:
        """The hand's pack is spent: those who are left are dealt another one, without a RESULT."""
        state = replace(
            self,
            standing=hand.game.settle(hand.state),
            hand=None,
            spent=hand,
            hand_number=self.hand_number + 1,
        )
        return state._between(gone, "gone", "a seat is gone at the deal")

    def _next_stage(self) -> TableState:
        """What the contract asks for next; the order is part of it."""
        hand = self.playing
        if hand.game.over(hand.state):
            return self._after_interlude() if hand.is_interlude else self._over()
        if hand.locks_due():
            return replace(self, stage="lock")
        if hand.all_due():
            return replace(self, stage="shares")
        if hand.game.owed(hand.state):
            return replace(self, stage="move")
        raise LocalError(f"{hand.game.name} has no next step")

    def _over(self) -> TableState:
        """The hand is over: RESULT, unless nobody is left to confirm it."""
        hand = self.playing
        if hand.gone >= frozenset(hand.seats):
            code = self._code(hand.gone, "gone")
            return self._stopped(hand.gone, code, "nobody is left of the hand")
        return replace(self, stage="result")

    def _close_result(self) -> TableState:
        hand = self.playing
        standing = hand.game.settle(hand.state)
        end = hand.game.match(self.agreement.options, standing, self.members, self.caught)
        if end is not None:
            return replace(self, standing=standing)._ended(end, ())
        state = replace(self, standing=standing, stage="sit", hand_number=self.hand_number + 1)
        if state.owed:
            return state
        text = "all players are away"
        return replace(state, hand=None)._between(self.members, "gone", text)

    def _close_sit(self, entries: Mapping[int, Entry | Absent | None]) -> TableState:
        """Who plays on, and who is back: a seat is, if any other holds its word for it."""
        sits = {seat: entry for seat, entry in entries.items() if isinstance(entry, Sits)}
        said = {seat: choice for entry in sits.values() for seat, choice in entry.backs}
        backs = frozenset(said)
        said |= {seat: entry.choice for seat, entry in sits.items()}
        left = frozenset(seat for seat, choice in said.items() if choice == "leave")
        present = frozenset(seat for seat, choice in said.items() if choice == "in")
        state = replace(
            self,
            hand=None,
            present=present,
            out=self.out | left,
            away=self.away - backs,
            voting=frozenset(said) - left,
        )
        missing = frozenset(range(len(self.agreement.keys))) - present
        return state._between(missing, "left", "those who are left are too few to play on")

    def _close_back(self, entries: Mapping[int, Entry | Absent | None]) -> TableState:
        """Whom the table waited for is back; without any of them the match ends."""
        backs = frozenset(s for s, entry in entries.items() if isinstance(entry, Returned))
        state = replace(
            self,
            away=self.away - backs,
            present=self.present | backs,
            voting=self.voting | backs,
        )
        lost = frozenset(entries) - backs
        text = "the table cannot go on without a seat that stays away"
        if lost:
            return state._stopped(lost, state._code(lost, "gone"), text)
        return state._between(lost, "left", text)

    def _code(self, lost: frozenset[int], code: str) -> str:
        """The code of an end for want of these seats: one by itself where nobody is to blame."""
        return "absent" if lost & self.away and not lost & self.out else code

    def _between(self, lost: frozenset[int], code: str, text: str) -> TableState:
        """Towards READY, now that it is known who is there: first what the rules want settled.

        ``lost``, ``code`` and ``text`` say why, should those who are left be too few.
        """
        game = self.agreement.game
        if len(self.present) < 2 and self._could_wait():
            return replace(self, stage="back", pack=None)  # one alone settles nothing
        between = game.interlude(self.agreement.options, self.standing, self.present)
        if between is None:
            return self._to_ready(lost, code, text)
        seats = tuple(sorted(self.present))
        hand = Hand(game, no_pack(self.agreement.table_id, seats), between)
        return replace(self, hand=hand)._next_stage()

    def _after_interlude(self) -> TableState:
        hand = self.playing
        standing = hand.game.settle(hand.state)
        state = replace(self, standing=standing, hand=None, settled=hand)
        missing = frozenset(range(len(self.agreement.keys))) - self.present
        return state._to_ready(missing, "left", "those who are left are too few to play on")

    def _to_ready(self, lost: frozenset[int], code: str, text: str) -> TableState:
        game, options = self.agreement.game, self.agreement.options
        end = game.match(options, self.standing, self.present, self.caught)
        if end is None and self.dealt_in:
            return replace(self, stage="ready", pack=None)
        if self._could_wait():
            return replace(self, stage="back", pack=None)
        if end is not None:
            return self._ended(end, tuple(sorted(lost)))
        return self._stopped(lost, self._code(lost, code), text)

    def _could_wait(self) -> bool:
        """Whether it goes on if those come back that were declared gone."""
        game, options = self.agreement.game, self.agreement.options
        all_back = self.present | self.awaited
        return (
            all_back != self.present
            and game.match(options, self.standing, all_back, self.caught) is None
            and bool(game.dealt_in(options, self.standing, all_back))
        )

    def _ended(self, end: MatchEnd, seats: tuple[int, ...]) -> TableState:
        return replace(self, stage="over", ending=Ending(end, seats, end.rule, end.text))

    def _stopped(self, seats: frozenset[int], code: str, text: str) -> TableState:
        ending = Ending(None, tuple(sorted(seats)), code, text, self.left)
        return replace(self, stage="over", ending=ending)

    @property
    def left(self) -> tuple[Standing, int]:
        """The standing that would be left if the table stopped here, and the next hand's number.

        A hand counts once its rules have ended it; one that is not over counts for nothing, nor
        does an interlude.
        """
        if self.ending is not None and self.ending.left is not None:
            return self.ending.left
        hand = self.hand
        if self.stage not in ("shares", "lock", "move", "result") or hand is None:
            return self.standing, self.hand_number
        if hand.is_interlude or not hand.game.over(hand.state):
            return self.standing, self.hand_number
        return hand.game.settle(hand.state), self.hand_number + 1

    def stopped_by(self, seats: frozenset[int], code: str, text: str) -> TableState:
        """The table stopped because these seats made it impossible to go on."""
        return replace(self, out=self.out | seats)._stopped(seats, code, text)

    def spoiled_by(self, guilty: frozenset[int], away: frozenset[int]) -> TableState:
        """READY's pack could not be made: the others go on if they can.

        Who spoiled it is out; who was declared gone in it is away.
        """
        state = replace(
            self,
            out=self.out | guilty,
            caught=self.caught | guilty,
            away=self.away | away,
            present=self.present - guilty - away,
        )
        return state._between(guilty | away, "gone", "the pack could not be made")


def first_state(agreement: Agreement) -> TableState:
    """The table when the agreement is signed; where it goes on, what is due between hands first."""
    seats = frozenset(range(len(agreement.keys)))
    state = TableState(
        agreement, agreement.standing, "ready", seats, seats, hand_number=agreement.first_hand
    )
    if agreement.roster.origin is None:
        return state
    return state._between(frozenset(), "left", "those who are left are too few to play on")
