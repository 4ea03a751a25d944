"""Tables at which some seats are silent, cut off or late: the ground of the tests of votes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from protocol.envelope import Envelope, open_envelope
from protocol.events import DeclaredGone, Event, WentBack
from protocol.record import read_objects
from protocol.session import Session
from protocol.verifier import Report, verify
from protocol.votes import parse_absence
from tests.protocol.tables import Table, entropy

LONG = 2_000.0
"""Seconds after which every clock and grace has run out, and rounds of a vote as well."""


def silence(table: Table, seats: Collection[int], when: Callable[[Envelope], bool]) -> None:
    """What these seats say from such an entry of theirs on reaches nobody, nor do others them."""
    mute: set[int] = set()

    def tamper(source: int, target: int, data: bytes) -> list[bytes]:
        envelope = open_envelope(data, table.agreement)
        if source in seats and envelope.seat == source and when(envelope):
            mute.add(source)
        return [] if {source, target} & mute else [data]

    table.tamper = tamper
    table.cut = lambda source, target: bool({source, target} & mute)


def part(table: Table, groups: Iterable[Collection[int]]) -> None:
    """From now on only the seats of one group hear each other."""
    sets = [frozenset(group) for group in groups]

    def hears(source: int, target: int) -> bool:
        return any({source, target} <= group for group in sets)

    table.tamper = lambda source, target, data: [data] if hears(source, target) else []
    table.cut = lambda source, target: not hears(source, target)


def heal(table: Table) -> None:
    """All hear each other again, and are told what they missed, as by HAVE and its answer.

    Until nobody has anything new to say: what was passed over at first may count later.
    """
    table.tamper = lambda source, target, data: [data]
    table.cut = lambda source, target: False
    known = -1
    while known != (known := sum(len(seated.written) for seated in table.seats)):
        for source in range(len(table.seats)):
            for target in range(len(table.seats)):
                if source != target:
                    tell_all(table, source, target)
        table.deliver()
        table.deliver_votes()


def tell_all(table: Table, source: int, target: int) -> None:
    """One seat tells another all that it has written down, votes first."""
    session = table.seats[target].session
    for vote, entry in table.seats[source].session.votes():
        table.run(session.receive_vote(vote, entry, table.now), target)
    for one in list(table.seats[source].written):
        if hasattr(one, "vote"):
            table.run(session.receive_vote(one.vote, b"", table.now), target)
        else:
            table.run(session.receive(one.envelope, table.now), target)


def wait(
    table: Table,
    seconds: float = LONG,
    tick: float = 5.0,
    alive: Collection[int] = (),
    until: Callable[[], bool] = lambda: False,
) -> None:
    """Time passes at these seats (none named: at all), and all that they say is delivered.

    It ends early when ``until`` holds, before the entries are delivered that follow.
    """
    end = table.now + seconds
    while table.now < end:
        table.now += tick
        for seat in alive or range(len(table.seats)):
            table.run(table.seats[seat].session.tick(table.now), seat)
        table.deliver_votes()
        if until():
            return
        table.deliver()
        table.deliver_votes()


def restart(table: Table, seat: int) -> None:
    """A seat's program is killed and started again with what it has written down."""
    old = table.seats[seat]
    session = Session(
        table.agreement, seat, table.keys[seat], entropy("again", seat, table.now), old.secrets
    )
    old.session = session
    for one in list(old.written):
        if hasattr(one, "vote"):
            effects = session.receive_vote(one.vote, b"", table.now)
        else:
            effects = session.receive(one.envelope, table.now)
        for effect in effects:
            if hasattr(effect, "run"):
                session.done(effect.number, effect.run(), table.now)
    table.run(session.begin(table.now), seat)


def events(table: Table, seat: int, *kinds: type) -> list[Event]:
    """What a seat was told of these kinds."""
    return [one for one in table.seats[seat].events if isinstance(one, kinds)]


def declared(table: Table, seat: int) -> list[tuple[int, int, int]]:
    """Lane, step and seat of every seat that this one was told to be gone."""
    told = events(table, seat, DeclaredGone)
    return [(one.lane, one.step, one.seat) for one in told if isinstance(one, DeclaredGone)]


def went_back(table: Table, seat: int) -> int:
    """How often a seat's table went back."""
    return len(events(table, seat, WentBack))


def judged(table: Table, seat: int) -> Report:
    """An outsider's verdict on a seat's record."""
    return verify(table.record(seat))


def alike(table: Table, seats: Iterable[int]) -> bool:
    """Whether the records of these seats are the same, but for who declared somebody gone.

    Any of the voting seats may, and not each hears of each. SPEC 9.1.
    """
    return len({without_names(table.record(seat)) for seat in seats}) == 1


def without_names(record: bytes) -> tuple[bytes, ...]:
    """The objects of a record, with nothing but the place of those who were declared gone."""
    return tuple(b"" if parse_absence(one) else one for one in read_objects(record))
