"""The stage for cheats at Azi: tables that are played again from any point, with a lie in place.

A table's course follows from its setting alone: seats, options, seed and how each seat plays. So
what was played once honestly is fed to new sessions up to a point, as to restarted peers, and from
there one of them lies. All else is the same, and what comes out differs by the lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property

from engine import Card, Move, Slot, View
from engine.azi.state import AziState
from protocol.effects import ForgetSecret, Job, Persist
from protocol.envelope import Envelope, open_envelope
from protocol.errors import PeerFault
from protocol.events import HandOver, MatchOver
from protocol.group import Point, secret_times
from protocol.hand import Hand
from protocol.history import History
from protocol.lane import Lane
from protocol.own import secret_name
from protocol.packmaker import PackSecrets
from protocol.proofs import Pending, judge
from protocol.proofs.shares import uncover
from protocol.record import read_objects
from protocol.session import Session
from protocol.table import TableState
from protocol.verifier import Report, verify
from tests.protocol.azi_ways import WAYS, as_azi
from tests.protocol.forger import Alter, Place
from tests.protocol.liar import Liar
from tests.protocol.tables import Seated, Table, entropy, make_table

PACKS = range(1, 40)
"""The packs whose seeds are laid down beforehand: more than any table here needs."""

Option = int | str


@dataclass(frozen=True)
class Setting:
    """A table of Azi and how its seats play: ``ways`` by seat, the last one for all others."""

    seats: int
    ways: tuple[str, ...] = ("calm",)
    seed: int = 0
    options: tuple[tuple[str, Option], ...] = ()

    @cached_property
    def play(self) -> Callable[[int, View], Move]:
        """How every seat plays."""
        ways = [WAYS[self.ways[min(seat, len(self.ways) - 1)]] for seat in range(self.seats)]
        return lambda seat, view: ways[seat](as_azi(view))

    def pack_seed(self, seat: int, number: int) -> bytes:
        """What all secrets of a seat in a pack follow from."""
        return entropy("azi pack", self.seed, self.seats, seat, number)(32)


def setting(seats: int, *ways: str, seed: int = 0, **options: Option) -> Setting:
    """A setting; one hand if the options do not say otherwise."""
    return Setting(seats, ways or ("calm",), seed, tuple({"hands": 1, **options}.items()))


@dataclass(frozen=True)
class Told:
    """A lie: at this place this seat says something else. ``stray``: though it owes nothing."""

    place: Place
    alter: Alter
    stray: bool = False

    @property
    def seat(self) -> int:
        """Whose lie it is."""
        return self.place[2]


@dataclass
class Moment:
    """A seat is about to say something: the lane as it was then, and all that is known besides."""

    course: Course
    lane: Lane
    envelope: Envelope

    @property
    def place(self) -> Place:
        """Where it is in the record."""
        return (self.envelope.lane, self.envelope.step, self.envelope.seat)

    @property
    def seat(self) -> int:
        """Whose moment it is."""
        return self.envelope.seat

    @property
    def table(self) -> TableState:
        """The table before the step."""
        assert isinstance(self.lane.rules, TableState)
        return self.lane.rules

    @property
    def hand(self) -> Hand:
        """The hand before the step."""
        return self.table.playing

    @property
    def azi(self) -> AziState:
        """The game before the step."""
        assert isinstance(self.hand.state, AziState)
        return self.hand.state

    @property
    def phase(self) -> str:
        """The phase of the game; empty between games and in packs."""
        rules = self.lane.rules
        hand = rules.hand if isinstance(rules, TableState) else None
        state = None if hand is None else hand.state
        return state.phase if isinstance(state, AziState) and self.kind != "sit" else ""

    @property
    def kind(self) -> str:
        """The kind of entry that was said."""
        return self.envelope.kind

    @property
    def move(self) -> tuple[object, ...]:
        """The move that was made; empty where it was no move."""
        if self.kind != "move":
            return ()
        choice = self.envelope.payload[0]
        assert isinstance(choice, tuple)
        return choice

    @cached_property
    def cards(self) -> dict[Slot, Card]:
        """The cards that the seat has left."""
        faces = self.course.faces(self.hand)
        return {slot: faces[slot] for slot in self.azi.unplayed(self.seat)}


@dataclass
class Course:
    """A table that has been played to where nobody says anything more."""

    setting: Setting
    told: tuple[Told, ...]
    table: Table

    @property
    def liars(self) -> tuple[int, ...]:
        """The seats that lied."""
        return tuple(sorted({one.seat for one in self.told}))

    @property
    def honest(self) -> tuple[int, ...]:
        """All others."""
        return tuple(seat for seat in range(self.setting.seats) if seat not in self.liars)

    @cached_property
    def record(self) -> bytes:
        """The one record of all honest seats."""
        records = {self.table.record(seat) for seat in self.honest}
        assert len(records) == 1, "the honest seats have different records"
        return records.pop()

    @cached_property
    def report(self) -> Report:
        """What an outsider finds."""
        return verify(self.record)

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """All entries in the record's order, each with the lane as it was."""
        return tuple(
            Moment(self, lane, envelope)
            for lane, entries in steps_of(self.table, self.record)
            for envelope in entries
        )

    def faces(self, hand: Hand) -> dict[Slot, Card]:
        """All cards of a hand, which nobody at the table knows."""
        return all_faces(self.setting, hand)

    def events(self, kind: type) -> list[object]:
        """What all honest seats were told of this kind, and told alike."""
        told = {
            tuple(event for event in self.table.seats[seat].events if isinstance(event, kind))
            for seat in self.honest
        }
        assert len(told) == 1, "the honest seats were told different things"
        return list(told.pop())

    @property
    def hands(self) -> list[HandOver]:
        """The hands as they ended."""
        return [event for event in self.events(HandOver) if isinstance(event, HandOver)]

    @property
    def match(self) -> MatchOver:
        """How the match ended."""
        (over,) = self.events(MatchOver)
        assert isinstance(over, MatchOver)
        return over


def named(plain: object) -> dict[str, object]:
    """A plain state or standing by name."""
    assert isinstance(plain, tuple)
    return dict(plain)


def stacks_after(course: Course, hand: int) -> tuple[int, ...]:
    """The stacks after the hand of this number."""
    (over,) = (one for one in course.hands if one.hand == hand)
    stacks = named(over.standing)["stacks"]
    assert isinstance(stacks, tuple)
    return stacks


def all_faces(where: Setting, hand: Hand) -> dict[Slot, Card]:
    """All cards of a hand, by the secrets of all seats."""
    deck, plan = hand.pack.deck, hand.pack.plan
    secrets = [PackSecrets(plan, s, where.pack_seed(s, plan.number)).x for s in plan.seats]
    faces = {}
    for slot in range(len(plan.cards)):
        point = uncover(deck.second[slot], [secret_times(x, deck.first[slot]) for x in secrets])
        assert point is not None
        faces[slot] = hand.pack.faces[point]
    return faces


def true_share(where: Setting, hand: Hand, seat: int, slot: Slot) -> Point:
    """A seat's share of a slot."""
    plan = hand.pack.plan
    x = PackSecrets(plan, seat, where.pack_seed(seat, plan.number)).x
    return secret_times(x, hand.pack.deck.first[slot])


def steps_of(table: Table, record: bytes) -> Iterator[tuple[Lane, list[Envelope]]]:
    """Every step of a record: the lane before it, and its entries in seat order."""
    history = History(table.agreement)
    _, *objects = read_objects(record)
    left = iter(objects)
    while (number := history.next_lane) is not None:
        lane = history.lanes[number]
        entries = [open_envelope(data, table.agreement) for _, data in zip(lane.owed, left)]  # noqa: B905
        if len(entries) < len(lane.owed):
            return
        yield replace(lane, entries={}, hashes={}), entries
        lay(lane, entries)
        history.close(number)


def lay(lane: Lane, entries: list[Envelope]) -> None:
    """Lays down the entries of a step as an outsider judges them."""
    pending: list[tuple[Envelope, Pending]] = []
    for envelope in entries:
        try:
            entry, claimed = lane.read(envelope)
        except PeerFault:
            lane.put(envelope.seat, None, b"")
            continue
        lane.put(envelope.seat, entry, envelope.body_hash)
        pending += [(envelope, one) for one in claimed]
    for index in judge([one for _, one in pending]):
        lane.put(pending[index][0].seat, None, b"")


def stage(where: Setting, told: tuple[Told, ...] = ()) -> Table:
    """A table of this setting that has not begun; who has something to tell is a liar."""
    table = make_table(where.seed, "azi", dict(where.options), where.seats)
    table.play = where.play
    for seat, key in enumerate(table.keys):
        secrets = {secret_name(n): where.pack_seed(seat, n) for n in PACKS}
        mine = [one for one in told if one.seat == seat]
        kind = Liar if mine else Session
        session = kind(table.agreement, seat, key, entropy("azi", where.seed, seat), secrets)
        if isinstance(session, Liar):
            alters = {one.place: one.alter for one in mine if not one.stray}
            strays = {one.place[:2]: one.alter for one in mine if one.stray}
            session.lie(alters, strays=strays)
        table.seats[seat] = Seated(session, secrets=secrets)
    return table


def feed(table: Table, entries: list[Envelope]) -> None:
    """Entries that all seats have on their disks."""
    for seated in table.seats:
        for envelope in entries:
            effects = seated.session.receive(envelope.data, 0.0)
            while effects:
                match effects.pop(0):
                    case Persist(lane, step, author, data) as entry:
                        seated.entries[lane, step, author] = data
                        seated.written.append(entry)
                    case ForgetSecret(name):
                        seated.secrets.pop(name, None)
                    case Job(number, _, work):
                        effects += seated.session.done(number, work(), 0.0)


@cache
def honest(where: Setting) -> Course:
    """The table as it goes without a lie."""
    table = stage(where)
    table.begin()
    table.deliver()
    return Course(where, (), table)


Deliver = Callable[[Table], None]
"""Brings what was sent to whom it was sent to, until nobody says anything more."""


def with_lies(where: Setting, *told: Told, deliver: Deliver | None = None) -> Course:
    """The table with these lies; played anew from the first one on."""
    table = stage(where, told)
    # What is said out of turn must be there before the seat in turn has spoken.
    feed(table, before(where, min((one.place[0], one.place[1] - one.stray) for one in told)))
    table.begin()
    course = Course(where, told, table)
    if deliver is not None:
        deliver(table)
    elif any(one.stray for one in told):
        liars_first(table, course.liars)
    else:
        table.deliver()
    return course


def before(where: Setting, step: tuple[int, int]) -> list[Envelope]:
    """All honest entries of the record up to a step (lane, step) of the table."""
    found: list[Envelope] = []
    for one in honest(where).moments:
        if one.place[:2] == step:
            return found
        found.append(one.envelope)
    raise LookupError("this table has no such step")


def liars_first(table: Table, liars: tuple[int, ...]) -> None:
    """Liars hear all before anybody else, and what they say overtakes all that was said before.

    They pass nothing on that others have said.
    """
    table.tamper = lambda source, target, data: (
        [] if source in liars and open_envelope(data, table.agreement).seat != source else [data]
    )
    while table.queue:
        by_liar = (i for i in range(len(table.queue))[::-1] if table.queue[i][0] in liars)
        to_liar = (i for i, one in enumerate(table.queue) if one[1] in liars)
        at = next(by_liar, next(to_liar, 0))
        source, target, data = table.queue[at]
        del table.queue[at]
        for part in table.tamper(source, target, data):
            table.run(table.seats[target].session.receive(part, table.now), target)


def moment(
    course: Course, seat: int, wanted: Callable[[Moment], bool], after: Place = (0, 0, 0)
) -> Moment:
    """The first moment of a seat in the table lane that is as wanted; LookupError if none is."""
    for one in course.moments:
        if one.seat == seat and one.place[0] == 0 and one.place > after and wanted(one):
            return one
    raise LookupError("this table has no such moment")
