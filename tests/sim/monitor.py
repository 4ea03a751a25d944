"""What must hold after every event of a run, whatever goes wrong and whoever lies.

It sees all bytes on the network, all writes of all disks, and every step that closes in any
program. The first violation ends the run; nothing is raised into the programs that are watched.

1. Honest programs close every step on one head (but see ``Expectation.forks``).
2. An honest key signs one entry for a place, in all its lives; it is on disk before it is sent,
   and so is the secret that a COMMIT rests on.
3. In an honest program's memory there is no face, and no full set of shares for one, that the rules
   do not show to its seat; a card lies on one slot, and a slot shows one card.
4. Chips and points are conserved.
5. Faults, closed links and stopped tables are laid to liars alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from p2p import codec
from p2p.events import FaultSeen
from p2p.messages import Bye, Entries, EnvelopeMessage, Message
from protocol.agreement import Agreement, read_agreement
from protocol.envelope import TABLE_LANE, Envelope, open_envelope
from protocol.errors import PeerFault
from protocol.events import Stopped
from protocol.hand import Hand
from protocol.history import Closed, History
from protocol.own import secret_name
from protocol.wire import unpack
from tests.sim.conserved import lost
from tests.sim.network import Pipe

if TYPE_CHECKING:
    from tests.sim.machine import Machine
    from tests.sim.world import World

HEADER = 4

READ = (b"envelop", b"entries", b"bye")
"""Beginnings of the messages that are looked into; whatever else is malformed is told by a BYE."""

HANDSHAKE = 2
"""Frames of a link before its messages."""

PackName = tuple[bytes, int]
Place = tuple[bytes, int, int, int]
"""Table, lane, step, seat."""


@dataclass(slots=True)
class Shown:
    """What the rules have shown of a pack so far, and to whom; and the faces that were seen."""

    public: set[int] = field(default_factory=set)
    private: dict[int, set[int]] = field(default_factory=dict)
    faces: dict[int, str] = field(default_factory=dict)

    def may_see(self, seat: int | None, slot: int) -> bool:
        """Whether a seat (or, None, everybody) has been allowed to see a slot."""
        return slot in self.public or (seat is not None and slot in self.private.get(seat, ()))


class Monitor:
    """Watches one world. ``violation``: the first, or empty.

    ``seen``: how often each kind of fault, stop and failure was told; ``named``: by honest player,
    the players that it has heard a fault of. ``forked``: honest ones closed a step on two heads.
    """

    def __init__(self, world: World) -> None:
        self.violation = ""
        self.events = 0
        self.seen: Counter[str] = Counter()
        self.named: dict[str, set[str]] = {}
        self.forked = False
        self._world = world
        self._frames: dict[Pipe, int] = {}
        self._agreements: dict[bytes, Agreement] = {}
        self._opened: dict[bytes, Envelope | None] = {}
        self._signed: dict[Place, bytes] = {}
        self._heads: dict[tuple[bytes, int, int], tuple[bytes, str]] = {}
        self._thoughts: dict[str, list[tuple[bytes, int, int, bytes]]] = {}
        self._shown: dict[PackName, Shown] = {}

    def fail(self, text: str) -> None:
        """Something must not have happened."""
        if not self.violation:
            self.violation = text
            self._world.log(f"VIOLATION: {text}")
            self._world.stop()

    # The network.

    def heard(self, pipe: Pipe, data: bytes) -> None:
        """A piece of bytes is put on the network. What honest programs send is read."""
        world = self._world
        self.events += 1
        if world.playing:
            world.nemesis.tick()
        number = self._frames[pipe] = self._frames.get(pipe, 0) + 1
        source, target = world.at(pipe.source), world.at(pipe.target)
        who = pipe.source if source is None else source.name
        whom = pipe.target if target is None else target.name
        kind = b"handshake" if number <= HANDSHAKE else data[HEADER + 2 : HEADER + 9]
        world.log(f"{who} > {whom}: {kind!r} {len(data)}", data)
        if source is None or not source.honest or number <= HANDSHAKE:
            return
        self._acts(source)
        if not kind.startswith(READ):
            return
        try:
            message = codec.from_wire(unpack(data[HEADER:], len(data)))
        except PeerFault as fault:
            self.fail(f"{who}, who is honest, sends no message but {data[:80]!r}: {fault}")
            return
        self._said(source, target, message)

    def _said(self, source: Machine, target: Machine | None, message: Message) -> None:
        match message:
            case EnvelopeMessage(table, envelope):
                self._sent(source, table, envelope)
            case Entries(table, envelopes, _):
                for envelope in envelopes:
                    self._sent(source, table, envelope)
            case Bye("fault", text) if target is not None and target.honest:
                self.fail(f"{source.name} closes its link with {target.name}, honest too: {text}")
            case _:
                pass

    def _sent(self, source: Machine, table: bytes, data: bytes) -> None:
        """An honest program sends an envelope."""
        entry = self._open(table, data)
        if entry is None:
            self.fail(f"{source.name} passes on what is no envelope of this table")
            return
        key = self._agreements[table].keys[entry.seat]
        if key != source.key:
            return
        if data not in source.store.written:
            place = f"lane {entry.lane}, step {entry.step}"
            self.fail(f"{source.name} sends its {entry.kind} ({place}), which is not on its disk")
        secret = secret_name(entry.lane)
        over = source.session is None or source.session.history.newest > entry.lane
        if entry.kind == "commit" and secret not in source.store.kept and not over:
            finished = not source.session.history.is_of_use(entry.lane)  # type: ignore[union-attr]
            if not finished and not source.over:
                self.fail(f"{source.name} sends COMMIT {entry.lane}, its secret is not on disk")

    # Disks.

    def wrote(self, machine: Machine, changes: tuple[object, ...]) -> None:
        """A machine has written something; its own entries and those of other honest ones count."""
        self.events += 1
        self._world.log(f"{machine.name} wrote {len(changes)}")
        self._acts(machine)
        session = machine.session
        for change in changes:
            envelope = getattr(change, "envelope", None)
            if session is not None and isinstance(envelope, bytes):
                self._open(session.agreement.table_id, envelope)

    def _open(self, table: bytes, data: bytes) -> Envelope | None:
        """An envelope that was seen somewhere; two of an honest key for one place are too many."""
        if data in self._opened:
            return self._opened[data]
        agreement = self._agreement(table)
        found = None
        if agreement is not None:
            try:
                found = open_envelope(data, agreement)
            except PeerFault:
                found = None
        self._opened[data] = found
        if found is not None and agreement is not None:
            signer = self._world.of_key(agreement.keys[found.seat])
            place = (table, found.lane, found.step, found.seat)
            before = self._signed.setdefault(place, found.body_hash)
            if signer is not None and signer.honest and before != found.body_hash:
                at = f"lane {found.lane}, step {found.step} ({found.kind})"
                self.fail(f"{signer.name}, who is honest, has signed two entries for {at}")
        return found

    def _agreement(self, table: bytes) -> Agreement | None:
        if table not in self._agreements:
            for machine in self._world.machines:
                for stored in machine.store._database.tables():
                    if stored.table == table:
                        self._agreements[table] = read_agreement(stored.sealed)
        return self._agreements.get(table)

    # Steps.

    def closed(self, machine: Machine, history: History, closed: Closed, head: bytes) -> None:
        """A step has closed in a program, on this head."""
        self.events += 1
        place = f"lane {closed.lane}, step {closed.step} ({closed.kind})"
        self._world.log(f"{machine.name} closes {place}", head)
        if not machine.honest:
            return
        table = history.agreement.table_id
        # Until it has written or said something more this is a thought: it may die before.
        self._thoughts.setdefault(machine.name, []).append((table, closed.lane, closed.step, head))
        if closed.lane != TABLE_LANE:
            return
        trouble = lost(history.table)
        if trouble:
            self.fail(f"{machine.name}, {place}: {trouble}")
        hand = history.table.hand
        if hand is not None and not hand.is_interlude:
            self._seen(machine, table, hand)

    def forget(self, machine: Machine) -> None:
        """A machine has died, and with it what it had thought but not written."""
        self._thoughts.pop(machine.name, None)

    def _acts(self, machine: Machine) -> None:
        """A machine acts on what it thought: from now on that counts."""
        for table, lane, step, head in self._thoughts.pop(machine.name, ()):
            known, first = self._heads.setdefault((table, lane, step), (head, machine.name))
            if known == head:
                continue
            self.forked = True
            if not self._world.expected.forks:
                place = f"lane {lane}, step {step}"
                self.fail(f"{machine.name} and {first} close {place} on different heads")

    def _seen(self, machine: Machine, table: bytes, hand: Hand) -> None:
        """What the hand shows by the rules, and what the program knows of it."""
        number = hand.pack.plan.number
        shown = self._shown.setdefault((table, number), Shown())
        for slot, who in enumerate(hand.game.audience(hand.state)):
            if who.public:
                shown.public.add(slot)
            for seat in who.seats:
                shown.private.setdefault(seat, set()).add(slot)
        for slot, card in hand.faces.items():
            self._face(machine, shown, None, slot, card)
        session = machine.session
        if session is None:
            return
        for (pack, slot), card in session._own._faces.items():
            if pack == number:
                self._face(machine, shown, session.seat, slot, card)
        for slot in range(len(hand.pack.plan.cards)):
            lacking = [seat for seat in hand.seats if (seat, slot) not in hand.shares]
            alone = session.seat in hand.seats and lacking == [session.seat]
            reader = session.seat if alone else None
            if (alone or not lacking) and not shown.may_see(reader, slot):
                self.fail(f"{machine.name} has all shares of slot {slot}, which it may not see")

    def _face(self, machine: Machine, shown: Shown, seat: int | None, slot: int, card: str) -> None:
        if not shown.may_see(seat, slot):
            self.fail(f"{machine.name} knows the face of slot {slot}, which it may not see")
        if shown.faces.setdefault(slot, card) != card:
            self.fail(
                f"slot {slot} is {card} for {machine.name} and {shown.faces[slot]} for others"
            )
        if len(set(shown.faces.values())) != len(shown.faces):
            self.fail(f"one card lies on two slots: {shown.faces}")

    # What is told.

    def told(self, machine: Machine, event: object) -> None:
        """A program tells its people something."""
        self.events += 1
        if not machine.honest:
            return
        match event:
            case FaultSeen(fault, player):
                self._fault(machine, fault, player)
            case Stopped(seats, code, text):
                self.seen[f"stopped: {code}"] += 1
                guilty = [self.name_of(seat) for seat in seats]
                if not all(self._world.expected.may_stop(name, code) for name in guilty):
                    self.fail(f"the table of {machine.name} stops by {guilty} ({code}): {text}")
            case _:
                pass

    def _fault(self, machine: Machine, fault: PeerFault, player: str) -> None:
        self._world.log(f"{machine.name} sees a fault of {player!r}: {fault.code} {fault}")
        expected = self._world.expected
        self.seen[fault.code] += 1
        if fault.seat is not None:
            player = self.name_of(fault.seat)
            self.named.setdefault(machine.name, set()).add(player)
        elif fault.code == "head" and expected.forks:
            return
        if player and not expected.guilty(player):
            self.fail(f"{machine.name} lays a fault to {player}, who is honest: {fault.code}")
        elif not expected.faults:
            self.fail(f"{machine.name} sees a fault ({fault.code}) where nobody lies: {fault}")

    def entry(self, data: bytes) -> Envelope | None:
        """An envelope of the table."""
        return self._open(next(iter(self._agreements)), data)

    def name_of(self, seat: int) -> str:
        """The player of a seat."""
        agreement = next(iter(self._agreements.values()))
        return agreement.players[seat].name
