"""Whole tables of sessions in one process, without sockets: the ground of the protocol's tests."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine import Draw, Move, View
from protocol.agreement import Agreement, Player, new_roster
from protocol.effects import (
    Effect,
    Fault,
    ForgetSecret,
    Job,
    Persist,
    PersistSecret,
    PersistVote,
    Send,
    SendVote,
    Tell,
)
from protocol.envelope import entry_hash
from protocol.errors import PeerFault
from protocol.events import Event, YourMove
from protocol.record import arrange
from protocol.session import Session
from protocol.signing import public_bytes
from protocol.wire import fields, unpack


def entropy(*seed: object) -> Callable[[int], bytes]:
    """A hash stream: bytes that look random and are the same for the same seed."""
    state = hashlib.shake_256(repr(seed).encode())
    known, taken = b"", 0

    def draw(count: int) -> bytes:
        nonlocal known, taken
        taken += count
        if taken > len(known):
            known = state.digest(2 * taken)
        return known[taken - count : taken]

    return draw


def drawer(*seed: object) -> Draw:
    """A bot's source of choices, repeatable by seed."""
    source = entropy("draw", *seed)
    return lambda n: int.from_bytes(source(16), "big") % n


def player_key(seed: object, index: int) -> Ed25519PrivateKey:
    """The identity key of a test player."""
    return Ed25519PrivateKey.from_private_bytes(entropy("key", seed, index)(32))


@dataclass
class Seated:
    """One seat's session with all that its driver would keep.

    ``entries``: the first of each place; ``written``: entries and votes in the order of writing.
    """

    session: Session
    entries: dict[tuple[int, int, int], bytes] = field(default_factory=dict)
    secrets: dict[str, bytes] = field(default_factory=dict)
    sent: list[bytes] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    faults: list[PeerFault] = field(default_factory=list)
    written: list[Persist | PersistVote] = field(default_factory=list)


@dataclass
class Table:
    """All seats of a table, joined by queues. ``tamper`` may change or drop what a seat sends."""

    agreement: Agreement
    keys: tuple[Ed25519PrivateKey, ...]
    sealed: bytes
    seats: list[Seated]
    play: Callable[[int, View], Move]
    tamper: Callable[[int, int, bytes], list[bytes]] = lambda source, target, data: [data]
    queue: deque[tuple[int, int, bytes]] = field(default_factory=deque)
    votes: deque[tuple[int, int, SendVote]] = field(default_factory=deque)
    cut: Callable[[int, int], bool] = lambda source, target: False
    """Whether what a seat says about silent ones does not reach another one."""
    now: float = 0.0
    jobs: deque[tuple[int, Job]] | None = None
    """Jobs that wait for ``deliver_in_any_order``; None: they are done on the spot."""
    watch: Callable[[int, Effect], None] = lambda seat, effect: None
    """Told of every effect before it is carried out."""

    def run(self, effects: list[Effect], seat: int) -> None:
        """Carries out a seat's effects, jobs in line."""
        mine = self.seats[seat]
        for effect in effects:
            self.watch(seat, effect)
            match effect:
                case Persist(lane, step, author, data):
                    mine.entries.setdefault((lane, step, author), data)
                    mine.written.append(effect)
                case PersistVote():
                    mine.written.append(effect)
                case SendVote():
                    others = (other for other in range(len(self.seats)) if other != seat)
                    self.votes.extend((seat, other, effect) for other in others)
                case PersistSecret(name, value):
                    mine.secrets[name] = value
                case ForgetSecret(name):
                    mine.secrets.pop(name, None)
                case Send(data):
                    if data not in mine.sent:
                        mine.sent.append(data)
                        for other in range(len(self.seats)):
                            if other != seat:
                                self.queue.append((seat, other, data))
                case Job() if self.jobs is not None:
                    self.jobs.append((seat, effect))
                case Job(number, _, work):
                    self.run(mine.session.done(number, work(), self.now), seat)
                case Tell(event):
                    mine.events.append(event)
                    if isinstance(event, YourMove):
                        move = self.play(seat, event.view)
                        self.run(mine.session.move(move, self.now), seat)
                case Fault(fault):
                    mine.faults.append(fault)

    def begin(self) -> None:
        """All seats start."""
        for seat, seated in enumerate(self.seats):
            self.run(seated.session.begin(self.now), seat)

    def deliver(self, steps: int | None = None) -> None:
        """Delivers what was sent, in order, until nothing is left or so many were delivered."""
        while self.queue and (steps is None or steps > 0):
            source, target, data = self.queue.popleft()
            for part in self.tamper(source, target, data):
                self.run(self.seats[target].session.receive(part, self.now), target)
            steps = None if steps is None else steps - 1
            self.deliver_votes()

    def deliver_votes(self) -> None:
        """Delivers what was said about silent seats, in order, until nothing is left."""
        while self.votes:
            source, target, said = self.votes.popleft()
            if not self.cut(source, target):
                session = self.seats[target].session
                self.run(session.receive_vote(said.vote, said.entry, self.now), target)

    def deliver_in_any_order(self, draw: Draw, in_order: bool = True, twice: int = 0) -> None:
        """Delivers all that is sent, and does all jobs, in an order that ``draw`` chooses.

        ``in_order``: what one seat sends to another arrives in order. One of ``twice`` messages
        arrives again (0: none; 1 would never end).
        """
        self.jobs = deque() if self.jobs is None else self.jobs
        while self.queue or self.jobs:
            place = draw(len(self.queue) + len(self.jobs))
            if place >= len(self.queue):
                self.jobs.rotate(len(self.queue) - place)
                seat, job = self.jobs.popleft()
                self.run(self.seats[seat].session.done(job.number, job.run(), self.now), seat)
                continue
            source, target, _ = self.queue[place]
            if in_order:
                place = [one[:2] for one in self.queue].index((source, target))
            data = self.queue[place][2]
            if not twice or draw(twice):
                del self.queue[place]
            for part in self.tamper(source, target, data):
                self.run(self.seats[target].session.receive(part, self.now), target)

    def record(self, seat: int) -> bytes:
        """The record file as this seat has it."""
        return record_of(self.sealed, self.seats[seat].written)


def body_hash_of(data: bytes) -> bytes:
    """The hash by which heads and votes know an envelope."""
    body, _ = fields(unpack(data), 2, "an envelope")
    assert isinstance(body, bytes)
    return entry_hash(body)


def record_of(sealed: bytes, written: Iterable[Persist | PersistVote]) -> bytes:
    """The record file of somebody who has written this down."""
    entries: dict[tuple[int, int], dict[int, list[bytes]]] = {}
    votes: dict[tuple[int, int], list[bytes]] = {}
    for one in written:
        if isinstance(one, PersistVote):
            votes.setdefault((one.lane, one.step), []).append(one.vote)
        else:
            entries.setdefault((one.lane, one.step), {}).setdefault(one.seat, []).append(
                one.envelope
            )
    return arrange(
        sealed,
        lambda lane, step: entries.get((lane, step), {}),
        lambda lane, step: votes.get((lane, step), ()),
    )


def make_agreement(
    keys: tuple[Ed25519PrivateKey, ...], game: str, options: Mapping[str, int | str], seed: object
) -> tuple[Agreement, bytes]:
    """A signed agreement of players with these keys: its value and its sealed bytes."""
    from engine import complete
    from engine import game as named

    players = tuple(Player(public_bytes(key), f"player {i}") for i, key in enumerate(keys))
    completed = complete(named(game).options, options)
    roster = new_roster("test table", game, completed, players)
    agreement = Agreement(roster, tuple(entropy("nonce", seed, i)(32) for i in range(len(keys))))
    return agreement, agreement.sealed(tuple(agreement.signature(key) for key in keys))


def by_strategy(game: str, strategy: str, seed: object) -> Callable[[int, View], Move]:
    """A way to play: every seat by this strategy of the game."""
    from engine import game as named

    choose = named(game).strategies[strategy]
    draw = drawer("strategy", seed)
    return lambda seat, view: choose(view, draw)


def make_table(
    seed: object = 0,
    game: str = "hazari",
    options: Mapping[str, int | str] | None = None,
    seats: int = 4,
    strategy: str = "random",
) -> Table:
    """A table ready to begin."""
    keys = tuple(player_key(seed, index) for index in range(seats))
    agreement, sealed = make_agreement(keys, game, options or {}, seed)
    by_key = {public_bytes(key): key for key in keys}
    ordered = tuple(by_key[key] for key in agreement.keys)
    sessions = [
        Seated(Session(agreement, seat, ordered[seat], entropy("session", seed, seat)))
        for seat in range(seats)
    ]
    return Table(agreement, ordered, sealed, sessions, by_strategy(game, strategy, seed))
