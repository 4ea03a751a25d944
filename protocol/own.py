"""What one seat does itself: its secrets, its shares, its cards, the payloads it owes. SPEC 7."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from engine import Card, Claim, Move, Slot, View
from protocol import packmaker
from protocol.ballot import Question
from protocol.clocks import NO_PERSON_SECONDS, PERSON_SECONDS, SIT_SECONDS
from protocol.entries import allowed_cards, allowed_points, own_cover, wire
from protocol.envelope import TABLE_LANE
from protocol.errors import RefusedMove
from protocol.group import Point, compress_all, secret_times
from protocol.hand import Due, Hand
from protocol.history import History
from protocol.lane import Lane
from protocol.pack import PackPlan, PackState
from protocol.packmaker import SEED_BYTES, PackSecrets
from protocol.proofs import claim, lock, shares
from protocol.table import TableState
from protocol.votes import Back
from protocol.wire import Value

Payload: TypeAlias = tuple[Value, ...]
Work: TypeAlias = Callable[[], Payload]


class OwnPart:
    """The secrets of one seat and what follows from them."""

    def __init__(
        self,
        history: History,
        seat: int,
        entropy: Callable[[int], bytes],
        stored: dict[str, bytes],
    ) -> None:
        self._history = history
        self._seat = seat
        self._entropy = entropy
        self._stored = stored
        self._packs: dict[int, PackSecrets] = {}
        self._proofs: dict[int, Payload | None] = {}
        self._faces: dict[tuple[int, Slot], Card] = {}
        self._words: dict[int, Back] = {}
        self._useless: dict[int, int] = {}
        self.sitting = "in"

    def new_secrets(self, lane: Lane) -> Iterator[tuple[str, bytes]]:
        """Draws what the lane needs before this seat may speak in it; to be put on disk."""
        state = lane.rules
        if not isinstance(state, PackState) or state.stage != "commit":
            return
        name = secret_name(lane.number)
        if self._seat in lane.missing and name not in self._stored:
            self._stored[name] = self._entropy(SEED_BYTES)
            yield name, self._stored[name]

    def _secrets(self, plan: PackPlan) -> PackSecrets | None:
        """The secrets of a pack; None if they are lost or were deleted after the hand."""
        known = self._packs.get(plan.number)
        seed = self._stored.get(secret_name(plan.number))
        if known is None and seed is not None:
            known = self._packs[plan.number] = PackSecrets(plan, self._seat, seed)
        return known

    def clock(self, lane: Lane) -> float:
        """The seconds that the lane's open step may take."""
        state = lane.rules
        if not isinstance(state, TableState) or state.stage != "move":
            return SIT_SECONDS if lane.kind == "sit" else NO_PERSON_SECONDS
        hand = state.playing
        kinds = set(hand.game.owed(hand.state).values())
        options = state.agreement.options
        return max(hand.game.clock(options, kind) or PERSON_SECONDS for kind in kinds)

    def has_clock(self) -> bool:
        """Whether this seat's open choice has a clock after which the program moves by itself."""
        hand = self._history.table.playing
        kind = hand.game.owed(hand.state).get(self._seat, "")
        return hand.game.clock(self._history.agreement.options, kind) > 0

    def work(self, lane: Lane) -> Work | None:
        """How to compute the payload that this seat owes without a choice; None: not yet."""
        state = lane.rules
        if isinstance(state, PackState):
            return self._pack_work(lane, state)
        if state.stage == "ready" and state.pack is not None:
            return partial(_just, (state.pack.plan.number, state.pack.head))
        if state.stage == "result":
            return partial(_just, (state.result,))
        if state.stage == "sit":
            return partial(_just, (self.sitting, self._backs(state)))
        if state.stage == "back":
            return partial(_just, ())
        secrets = self._secrets(state.playing.pack.plan)
        if secrets is None:
            return None
        fresh = self._entropy(32)
        if state.stage == "shares":
            due = state.playing.due(self._seat)
            return partial(_shares, secrets, state.playing.bases(due), fresh)
        slots = state.playing.locks_due()[self._seat]
        Q = state.playing.lock_key(self._seat)
        return partial(_lock, secrets, Q, state.playing.bases(Due(slots)), fresh)

    def is_mute(self, question: Question) -> bool:
        """Whether this seat has lost what it needs to write the entry in question, for good."""
        lane = self._history.lanes.get(question.lane)
        if lane is None or (lane.step, lane.head) != (question.step, question.head):
            return False
        state = lane.rules
        if isinstance(state, PackState):
            return state.stage != "commit" and self._secrets(state.plan) is None
        if state.stage not in ("shares", "lock", "move") or state.playing.is_interlude:
            return False
        if self._secrets(state.playing.pack.plan) is not None:
            return False
        return state.stage != "move" or not self._may_be_late()

    def _may_be_late(self) -> bool:
        """Whether the own program can make its late move: if it opens nothing, it can."""
        view = self.view()
        try:
            return (
                view is not None and self.move(self._history.agreement.game.late(view)) is not None
            )
        except RefusedMove:
            return False

    def note_back(self, back: Back) -> bool:
        """A seat that is away says that it is back: False if it has said so for that hand."""
        known = self._words.get(back.seat)
        if known is not None and known.hand >= back.hand:
            return False
        self._words[back.seat] = back
        return True

    def _backs(self, state: TableState) -> tuple[bytes, ...]:
        """What the seats say that may return by the SIT that is due, ascending."""
        words = sorted(self._words.items())
        return tuple(back.data for _, back in words if state.can_return(back))

    def went_back(self, began: bool) -> None:
        """The table is back at an earlier step: packs that opened later are no more.

        Another pack will have the number of such a one, and must not have its secrets: of these
        something has been said already. Not so while the own entries are read back from disk.
        """
        newest = self._history.newest
        if began:
            late = [name for name in self._stored if int(name.partition("/")[2]) > newest]
            for name in late:
                del self._stored[name]
        self._packs = {n: one for n, one in self._packs.items() if n <= newest}
        self._proofs = {
            n: proof for n, proof in self._proofs.items() if n <= newest and proof is not None
        }
        self._faces = {place: card for place, card in self._faces.items() if place[0] <= newest}

    def _pack_work(self, lane: Lane, state: PackState) -> Work | None:
        secrets = self._secrets(state.plan)
        if secrets is None:
            return None
        if state.stage == "prove" and lane.number in self._proofs:
            proof = self._proofs[lane.number]
            return None if proof is None else partial(_just, proof)
        return partial(packmaker.contribute, state, secrets, self._entropy(32))

    def proof_ahead(self, lane: Lane) -> Work | None:
        """The shuffle proof, as soon as this seat has mixed and while others still do."""
        state = lane.rules
        if not isinstance(state, PackState) or state.stage != "mix":
            return None
        mixed = self._seat in state.plan.seats[: state.turn]
        secrets = self._secrets(state.plan)
        if not mixed or secrets is None or lane.number in self._proofs:
            return None
        self._proofs[lane.number] = None
        return partial(packmaker.prove, state, secrets, self._entropy(32))

    def keep_proof(self, lane: Lane, result: object) -> None:
        """Files a proof that was computed ahead, if its lane is still the same."""
        assert isinstance(result, tuple)
        if self._history.lanes.get(lane.number) is lane:
            self._proofs[lane.number] = result

    def move(self, move: Move) -> Work:
        """How to compute the payload of a choice.

        Raises IllegalMove if the rules forbid it, RefusedMove if the pack's secrets are lost.
        """
        hand = self._history.table.playing
        slots = hand.game.needs(hand.state, self._seat, move)
        own = {slot: self._own_face(hand, slot) for slot in slots}
        known = {slot: card for slot, card in own.items() if card is not None}
        claimed = hand.game.claims(hand.state, self._seat, move, {**hand.faces, **known})
        if not slots and not claimed:
            return partial(_just, (wire(move), (), ()))
        secrets = self._secrets(hand.pack.plan)
        if secrets is None:
            raise RefusedMove("secrets", "the secrets of this pack are lost, no card can be opened")
        proofs = tuple(self._proofs_of(hand, secrets, one) for one in claimed)
        bases = hand.bases(Due(slots))
        return partial(_opening, secrets, wire(move), bases, self._entropy(32), proofs)

    def _proofs_of(self, hand: Hand, secrets: PackSecrets, one: Claim) -> tuple[Work, ...]:
        """How to prove one claim, slot by slot; raises RefusedMove if the own cards deny it."""
        cards, allowed = allowed_cards(hand, one), allowed_points(hand, one)
        works: list[Work] = []
        for slot in one.slots:
            card = self._own_face(hand, slot)
            if card not in cards:
                raise RefusedMove("claim", "this hand holds a card that the move would deny")
            A, Q = hand.pack.deck.first[slot], own_cover(hand, self._seat, slot)
            fresh = self._entropy(32)
            works.append(partial(_claim, secrets, slot, A, Q, allowed, cards.index(card), fresh))
        return tuple(works)

    def view(self) -> View | None:
        """What this seat may know of the hand in play; None between hands."""
        hand = self._history.table.hand
        if hand is None:
            return None
        faces = dict(hand.faces)
        if self._seat in hand.seats:
            for slot, audience in enumerate(hand.audience):
                if slot not in faces and audience.includes(self._seat):
                    card = self._own_face(hand, slot)
                    if card is not None:
                        faces[slot] = card
        return hand.game.view(hand.state, self._seat, faces)

    def _own_face(self, hand: Hand, slot: Slot) -> Card | None:
        """The face of a slot that this seat alone can open; None while shares are missing."""
        plan = hand.pack.plan
        place = (plan.number, slot)
        if place in self._faces:
            return self._faces[place]
        secrets = self._secrets(plan)
        others = [seat for seat in hand.seats if seat != self._seat]
        if secrets is None or any((seat, slot) not in hand.shares for seat in others):
            return None
        own = secret_times(secrets.x, hand.pack.deck.first[slot])
        self._faces[place] = hand.face(slot, {self._seat: own})
        return self._faces[place]

    def tidy(self) -> list[str]:
        """The names of secrets that are of no more use, now deleted here too.

        A pack's are of none once RESULT has closed, or its hand was dealt again, or it will not be
        dealt. They are kept until all have signed a later step: before that the others may vote
        away what made them useless.
        """
        history = self._history
        over = history.table.stage == "over" or self._seat in history.table.out
        numbers = [int(name.partition("/")[2]) for name in self._stored]
        useless = [n for n in numbers if over or not history.is_of_use(n)]
        step = history.lanes[TABLE_LANE].step
        self._useless = {number: self._useless.get(number, step) for number in useless}
        old = [n for n, since in self._useless.items() if over or history.past.anchor >= since]
        for number in old:
            self._packs.pop(number, None)
            self._proofs.pop(number, None)
            self._stored.pop(secret_name(number), None)
        self._faces = {k: card for k, card in self._faces.items() if k[0] not in old}
        return [secret_name(number) for number in old]


def secret_name(number: int) -> str:
    """The name under which a pack's seed is stored."""
    return f"pack/{number}"


def _just(payload: Payload) -> Payload:
    return payload


def _shares(secrets: PackSecrets, bases: tuple[Point, ...], fresh: bytes) -> Payload:
    plan = secrets.plan
    points, proof = shares.make(plan.ctx, secrets.seat, secrets.x, secrets.X, bases, fresh)
    return (compress_all(points), *proof.to_wire())


def _opening(
    secrets: PackSecrets,
    move: Value,
    bases: tuple[Point, ...],
    fresh: bytes,
    proofs: tuple[tuple[Work, ...], ...],
) -> Payload:
    claims = tuple(tuple(work() for work in of_slots) for of_slots in proofs)
    return (move, _shares(secrets, bases, fresh) if bases else (), claims)


def _claim(
    secrets: PackSecrets,
    slot: Slot,
    A: Point,
    Q: Point,
    allowed: tuple[Point, ...],
    held: int,
    fresh: bytes,
) -> Payload:
    ctx, seat, x, X = secrets.plan.ctx, secrets.seat, secrets.x, secrets.X
    return claim.make(ctx, seat, slot, x, X, A, Q, allowed, held, fresh).to_wire()


def _lock(secrets: PackSecrets, Q: Point, bases: tuple[Point, ...], fresh: bytes) -> Payload:
    plan = secrets.plan
    made = lock.make(plan.ctx, secrets.seat, secrets.x, secrets.X, Q, bases, fresh)
    return made.to_wire()
