"""What must hold after every event of a run, whatever goes wrong and whoever lies.

It sees all bytes on the network, all writes of all disks, and every step that closes in any
program. The first violation ends the run; nothing is raised into the programs that are watched.

1. Honest programs close a step after one head with the same entries, but for seats that were
   declared gone; no question about a seat is settled in two ways (but see ``Expectation.forks``).
   They go back behind no step that all voting seats have signed.
2. An honest key signs one entry for a place and a head, and no two votes that contradict each
   other, in all its lives. Entries and votes are on disk before they are sent, and so is what they
   rest on: the secret of a COMMIT, the entry that is voted for, the certificate of a stand.
3. In an honest program's memory there is no face, and no full set of shares for one, that the rules
   do not show to its seat; a card lies on one slot, and a slot shows one card.
4. Chips and points are conserved.
5. Faults, closed links and stopped tables are laid to liars alone.
6. What is kept of votes has bounds. A step rests on entries that are on the own disk alone.
7. When it has been calm for a while, fewer liars than half shut nobody honest out, and who was away
   and is here again is let back at SIT.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from p2p import codec
from p2p.events import FaultSeen
from p2p.messages import Bye, Entries, EnvelopeMessage, Message, VoteMessage
from protocol.absence import ABSENT, absent_in
from protocol.absence import GONE as GONE_HASH
from protocol.agreement import Agreement, read_agreement
from protocol.ballot import GONE, Question, Vote, contradiction
from protocol.envelope import TABLE_LANE, Envelope, open_envelope
from protocol.errors import PeerFault
from protocol.events import CameBack, DeclaredGone, Stopped, WentBack
from protocol.follower import Follower
from protocol.hand import Hand
from protocol.history import Closed, History
from protocol.lane import Lane
from protocol.own import secret_name
from protocol.polls import EARLY_VOTES, ROUNDS_AHEAD
from protocol.table import TableState
from protocol.votes import Word, open_word
from protocol.wire import unpack
from tests.sim.conserved import lost
from tests.sim.network import Pipe

if TYPE_CHECKING:
    from tests.sim.machine import Machine
    from tests.sim.world import World

HEADER = 4

READ = (b"envelop", b"entries", b"bye", b"vote")
"""Beginnings of the messages that are looked into; whatever else is malformed is told by a BYE."""

CALM_SECONDS = 100.0
"""Seconds after the last fault in which all have found together, and what was silent before has
been voted about."""

HANDSHAKE = 2
"""Frames of a link before its messages."""

PackName = tuple[bytes, int, bytes]
"""Table, number, the last head of its lane."""

Place = tuple[bytes, int, int, int, bytes]
"""Table, lane, step, seat, head."""

Step = tuple[bytes, int, int, bytes]
"""Table, lane, step, head."""

Thought = tuple[Step, dict[int, bytes]] | tuple[Question, bytes]
"""A step that was closed, with what stands for each seat; or how a question was settled."""


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
    the players that it has heard a fault of. ``forked``: honest ones closed a step on two heads,
    or settled a question in two ways. ``voted``: somebody has voted about a silent seat.
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
        self.voted = False
        self._steps: dict[Step, dict[int, tuple[bytes, str]]] = {}
        self._thoughts: dict[str, list[Thought]] = {}
        self._unwritten: dict[str, list[tuple[str, dict[int, bytes]]]] = {}
        self._words: dict[bytes, Word | None] = {}
        self._votes: dict[tuple[Question, int], list[Vote]] = {}
        self._settled: dict[Question, tuple[bytes, str]] = {}
        self._polled: set[tuple[str, Question]] = set()
        self._anchors: dict[tuple[str, int], int] = {}
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
            case VoteMessage(table, vote, entry):
                self._sent_vote(source, table, vote, entry, True)
            case Entries(table, envelopes, _, votes):
                for vote, entry in votes:
                    self._sent_vote(source, table, vote, entry, False)
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
        if data not in source.store.on_disk:
            place = f"lane {entry.lane}, step {entry.step}"
            self.fail(f"{source.name} sends its {entry.kind} ({place}), which is not on its disk")
        secret = secret_name(entry.lane)
        over = source.session is None or source.session.history.newest > entry.lane
        if entry.kind == "commit" and secret not in source.store.kept and not over:
            # Of a table that has just been stopped no secret is kept, whatever is still being sent.
            finished = not source.session.history.is_of_use(entry.lane)  # type: ignore[union-attr]
            stopped = source.session.over  # type: ignore[union-attr]
            if not finished and not stopped:
                self.fail(f"{source.name} sends COMMIT {entry.lane}, its secret is not on disk")

    def _sent_vote(
        self, source: Machine, table: bytes, data: bytes, entry: bytes, first: bool
    ) -> None:
        """An honest program sends a vote; ``first``: by itself, not because somebody asks."""
        if entry:
            self._sent(source, table, entry)
        vote = self._word(table, data)
        if vote is None:
            self.fail(f"{source.name} passes on what is no vote of this table")
        if not isinstance(vote, Vote):
            return
        self.voted = True
        if data not in source.store.on_disk:
            self.fail(f"{source.name} sends a {vote.kind} that is not on its disk")
        if self._agreements[table].keys[vote.seat] != source.key:
            return
        self.seen["votes and stands of honest seats"] += 1
        self.seen[f"round {vote.round}"] += 1
        if vote.kind == "vote" and vote.value != GONE and vote.value not in source.store.hashes:
            self.fail(f"{source.name} votes for an entry that is not on its disk")
        session = source.session
        itself = vote.question.about == vote.seat and vote.kind == "vote"
        if itself and (vote.round, vote.value) == (1, GONE):
            self.fail(f"{source.name} calls itself gone, though no secret of it was ever lost")
        if vote.kind == "stand" and first and session is not None:
            question = vote.question
            lane = session.history.place(question.lane, question.step, question.head)
            if lane is None:
                return
            votes = [self._word(table, one) for one in source.store.on_disk if one in self._words]
            certified = {
                one.seat
                for one in votes
                if isinstance(one, Vote)
                and (one.question, one.kind) == (question, "vote")
                and (one.round, one.value) == (vote.round, vote.value)
            }
            if len(certified) <= len(session.history.voters(lane)) // 2:
                self.fail(f"{source.name} stands by what {certified} voted for: too few on disk")

    def _word(self, table: bytes, data: bytes) -> Word | None:
        """A vote that was seen somewhere; an honest key contradicts itself in none."""
        if data in self._words:
            return self._words[data]
        agreement = self._agreement(table)
        if agreement is None:
            return None
        try:
            word = open_word(data, agreement)
        except PeerFault:
            self._words[data] = None
            return None
        self._words[data] = word
        signer = self._world.of_key(agreement.keys[word.seat])
        if isinstance(word, Vote) and signer is not None and signer.honest:
            before = self._votes.setdefault((word.question, word.seat), [])
            for other in before:
                code = contradiction(word, other)
                if code is not None:
                    text = f"has signed {code}: {_short(other)} and {_short(word)}"
                    self.fail(f"{signer.name}, who is honest, {text}")
            before.append(word)
        return word

    # Disks.

    def wrote(self, machine: Machine, changes: tuple[object, ...]) -> None:
        """A machine has written something; its own entries and those of other honest ones count."""
        self.events += 1
        self._world.log(f"{machine.name} wrote {len(changes)}")
        self._acts(machine)
        for place, hashes in self._unwritten.pop(machine.name, ()):
            for seat, value in hashes.items():
                if value not in (GONE_HASH, ABSENT) and value not in machine.store.hashes:
                    text = f"closes {place} on an entry of {self.name_of(seat)} that is not on disk"
                    if machine.honest:
                        self.fail(f"{machine.name} {text}")
        session = machine.session
        for change in changes:
            envelope = getattr(change, "envelope", None)
            if session is not None and isinstance(envelope, bytes):
                self._open(session.agreement.table_id, envelope)
            vote = getattr(change, "vote", None)
            if session is not None and isinstance(vote, bytes):
                self._word(session.agreement.table_id, vote)

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
            place = (table, found.lane, found.step, found.seat, found.head)
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

    def closed(self, machine: Machine, history: History, closed: Closed, lane: Lane) -> None:
        """A step has closed in a program; ``lane``: as it was just before."""
        self.events += 1
        place = f"lane {closed.lane}, step {closed.step} ({closed.kind})"
        gone = sorted(absent_in(closed.entries))
        told = f" without {', '.join(map(self.name_of, gone))}" if gone else ""
        self._world.log(f"{machine.name} closes {place}{told}", lane.next_head)
        if not machine.honest:
            return
        table = history.agreement.table_id
        # Until it has written or said something more this is a thought: it may die before.
        thought = (table, closed.lane, closed.step, lane.head), dict(lane.hashes)
        self._thoughts.setdefault(machine.name, []).append(thought)
        self._unwritten.setdefault(machine.name, []).append((place, dict(lane.hashes)))
        if closed.lane != TABLE_LANE:
            return
        self._anchor(machine, closed)
        if closed.kind == "sit" and machine.session is not None and machine.session._began:
            self._lets_back(machine, closed)
        trouble = lost(history.table)
        if trouble:
            self.fail(f"{machine.name}, {place}: {trouble}")
        hand = history.table.hand
        if hand is not None and not hand.is_interlude:
            self._seen(machine, table, hand)

    def _anchor(self, machine: Machine, closed: Closed) -> None:
        """A step that all voting seats have signed: nobody goes back behind it any more."""
        before = closed.before
        assert isinstance(before, TableState)
        gone = before.away | absent_in(closed.entries)
        if not before.voting - before.out - gone <= closed.entries.keys():
            return
        liars = [s for s in before.voting - gone if not self._world.named(self.name_of(s)).honest]
        if 2 * (len(liars) + len(before.voting & gone)) > len(before.voting):
            return
        self._anchors[machine.name, TABLE_LANE] = closed.step
        if before.pack is not None:
            self._anchors[machine.name, before.pack.plan.number] = closed.step

    def _lets_back(self, machine: Machine, closed: Closed) -> None:
        """A SIT has closed: nobody who is here stays away."""
        assert isinstance(closed.before, TableState)
        assert isinstance(closed.after, TableState)
        for seat in closed.before.awaited & closed.after.away:
            player = self._world.named(self.name_of(seat))
            plan = self._world.plan
            stays = player.name not in plan.leaves and player.name not in plan.departs
            if player.honest and self._is_calm() and stays:
                self.fail(f"{machine.name} lets {player.name} not back at step {closed.step}")

    def _is_calm(self) -> bool:
        """Whether nothing has failed for long, and more than half are honest."""
        world = self._world
        since = trio.current_time() - world.nemesis.calm_since
        return since > CALM_SECONDS and 2 * len(world.honest) > len(world.seats)

    def goes_back(self, machine: Machine, lane: int, step: int) -> None:
        """A program goes back to a step of a lane."""
        self._world.log(f"{machine.name} goes back to lane {lane}, step {step}")
        anchor = self._anchors.get((machine.name, lane))
        if machine.honest and anchor is not None and (lane != TABLE_LANE or step < anchor):
            text = f"goes back to lane {lane}, step {step}, behind step {anchor} of all"
            self.fail(f"{machine.name} {text}")

    def polled(self, machine: Machine, follower: Follower) -> None:
        """A program has looked whether anything is settled; one that looks on may be the first."""
        if not machine.honest or machine.session not in (None, follower):
            return
        kept = 0
        for question, ballot in follower._polls:
            kept += len(ballot.all())
            most = len(ballot.voters) * (2 * (ballot.newest + ROUNDS_AHEAD) + 2)
            if len(ballot.all()) > most:
                self.fail(f"{machine.name} keeps {len(ballot.all())} votes about {question}")
            if (machine.name, question) in self._polled:
                continue
            value = ballot.settled(follower._held(question))
            if value is not None:
                self._polled.add((machine.name, question))
                self._thoughts.setdefault(machine.name, []).append((question, value))
        early = follower._polls._early.values()
        if follower._began and any(len(votes) > EARLY_VOTES for votes in early):
            self.fail(f"{machine.name} keeps more than {EARLY_VOTES} early votes of one seat")

    def forget(self, machine: Machine) -> None:
        """A machine has died, and with it what it had thought but not written."""
        self._thoughts.pop(machine.name, None)
        self._unwritten.pop(machine.name, None)
        self._polled = {one for one in self._polled if one[0] != machine.name}
        for lane in [lane for name, lane in self._anchors if name == machine.name]:
            del self._anchors[machine.name, lane]

    def _acts(self, machine: Machine) -> None:
        """A machine acts on what it thought: from now on that counts."""
        for about, what in self._thoughts.pop(machine.name, ()):
            if isinstance(about, Question):
                assert isinstance(what, bytes)
                self._has_settled(machine, about, what)
            else:
                assert isinstance(what, dict)
                self._has_closed(machine, about, what)

    def _has_settled(self, machine: Machine, question: Question, value: bytes) -> None:
        word = "gone" if value == GONE else "here"
        place = f"{self.name_of(question.about)} in lane {question.lane}, step {question.step}"
        if question not in self._settled:
            self._world.log(f"settled: {place} {word}", question.head)
            self.seen[f"settled: {word}"] += 1
            about = self._world.named(self.name_of(question.about))
            stays = about.honest and about.name not in self._world.plan.departs
            if value == GONE and stays and self._is_calm():
                self.fail(f"{place}: declared {word}, though nothing has failed")
        known, first = self._settled.setdefault(question, (value, machine.name))
        if known != value:
            self._forked(f"{machine.name} settles {place} as {word}, {first} does not")

    def _has_closed(self, machine: Machine, step: Step, hashes: dict[int, bytes]) -> None:
        _, lane, number, head = step
        known = self._steps.setdefault(step, {})
        for seat, value in hashes.items():
            place = f"lane {lane}, step {number} with {self.name_of(seat)}"
            if value == GONE_HASH:
                settled, _ = self._settled.get(Question(lane, number, head, seat), (None, ""))
                if settled != GONE:
                    self._forked(f"{machine.name} closes {place} gone, which is not settled")
                continue
            before, first = known.setdefault(seat, (value, machine.name))
            if before != value:
                self._forked(f"{machine.name} and {first} close {place} on different entries")

    def _forked(self, text: str) -> None:
        self.forked = True
        if not self._world.expected.forks:
            self.fail(text)

    def _seen(self, machine: Machine, table: bytes, hand: Hand) -> None:
        """What the hand shows by the rules, and what the program knows of it."""
        number = hand.pack.plan.number
        shown = self._shown.setdefault((table, number, hand.pack.head), Shown())
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
            case DeclaredGone() | WentBack() | CameBack():
                self.seen[type(event).__name__] += 1
            case Stopped(seats, code, text):
                self.seen[f"stopped: {code}"] += 1
                guilty = [self.name_of(seat) for seat in seats]
                expected = self._world.expected
                may = all(expected.may_stop(name, code) for name in guilty)
                if not may and not expected.may_end_without(guilty, code):
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
        elif fault.code == "head" and (expected.forks or self.voted):
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


def _short(vote: Vote) -> str:
    value = vote.value.hex()[:6] or "gone"
    question = vote.question
    place = f"{question.lane}/{question.step}/{question.head.hex()[:4]}/{question.about}"
    return f"{vote.kind} {vote.round} for {value} on {vote.basis} about {place}"
