"""Votes by way of a driver: written first, given to all at once, taken once, read back in order."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import cast

import pytest
import trio
import trio.testing

from p2p.asking import Asking, is_back
from p2p.database import Change
from p2p.flood import Flood
from p2p.following import Around
from p2p.jobs import InlineJobs
from p2p.mesh import Mesh
from p2p.messages import (
    ALL_SENT,
    MORE_FOLLOWS,
    Entries,
    EnvelopeMessage,
    Have,
    LanePosition,
    Message,
    Ping,
    VoteMessage,
)
from p2p.relay import RELAY_SECONDS
from p2p.seat import SeatDriver
from p2p.shorts import Shorts
from p2p.store import Store, memory_store
from p2p.watching import WatchDriver
from protocol.agreement import Agreement
from protocol.effects import Effect, Fault, Job, Persist, PersistVote, Send, SendVote
from protocol.errors import LocalError, PeerFault
from protocol.session import Session

TABLE = b"t" * 32
KEYS = tuple(bytes([seat]) * 32 for seat in range(4))
ANNA, BERT, CARL, DORA = KEYS
EVE = b"e" * 32

VOTE = b"vote"
STAND = b"stand"
ENTRY = b"entry"


@dataclass
class Person:
    """A player of the table, who has a name."""

    name: str


@dataclass
class Paper:
    """As much of an agreement as a driver asks for."""

    table_id: bytes = TABLE
    keys: tuple[bytes, ...] = KEYS
    players: tuple[Person, ...] = tuple(map(Person, ("anna", "bert", "carl", "dora")))


@dataclass
class Ended:
    """What a table is like at its end, or before."""

    stage: str = "move"
    ending: None = None
    hand: None = None


@dataclass
class Told:
    """As much of a history."""

    table: Ended = field(default_factory=Ended)


class Stub:
    """A session that notes what it is given, and asks for what it is told to ask for."""

    def __init__(self) -> None:
        self.agreement = Paper()
        self.history = Told()
        self.seat = 0
        self.over = False
        self.deadline = None
        self.view = None
        self.at = {0: 1}
        self.given: list[tuple[object, ...]] = []
        self.effects: dict[bytes, list[Effect]] = {}
        self.moves_to: dict[bytes, dict[int, int]] = {}
        self.kept: tuple[tuple[bytes, bytes], ...] = ()

    def positions(self) -> dict[int, int]:
        """See ``Follower.positions``."""
        return dict(self.at)

    def missing(self) -> dict[int, tuple[int, ...]]:
        """See ``Follower.missing``."""
        return {0: (3,)}

    def votes(self) -> tuple[tuple[bytes, bytes], ...]:
        """See ``Follower.votes``."""
        return self.kept

    def begin(self, now: float) -> list[Effect]:
        """See ``Follower.begin``."""
        self.given.append(("begin",))
        return []

    def receive(self, data: bytes, now: float) -> list[Effect]:
        """See ``Follower.receive``."""
        return self._given(data, ("entry", data))

    def receive_vote(self, data: bytes, entry: bytes, now: float) -> list[Effect]:
        """See ``Follower.receive_vote``."""
        return self._given(data, ("vote", data, entry))

    def done(self, number: int, result: object, now: float) -> list[Effect]:
        """See ``Follower.done``."""
        self.given.append(("done", number))
        return []

    def heard(self, seats: Collection[int], now: float) -> list[Effect]:
        """See ``Session.heard``."""
        self.given.append(("heard", *sorted(seats)))
        return self.effects.pop(b"heard", [])

    def patience(self) -> dict[int, float]:
        """See ``Session.patience``."""
        return {2: trio.current_time() + 5, 3: float("inf")}

    def miss(self, seat: int, now: float) -> list[Effect]:
        """See ``Session.miss``."""
        self.given.append(("miss", seat))
        return [SendVote(b"gone")]

    def _given(self, data: bytes, note: tuple[object, ...]) -> list[Effect]:
        self.given.append(note)
        self.at = self.moves_to.get(data, self.at)
        return self.effects.pop(data, [])


@dataclass
class Room:
    """Links and a store around a stub; ``posted`` has what was sent, ``stored`` what was known."""

    stub: Stub = field(default_factory=Stub)
    linked: tuple[bytes, ...] = (BERT, CARL, DORA)
    posted: list[tuple[bytes, Message]] = field(default_factory=list)
    stored: list[list[bytes]] = field(default_factory=list)
    dropped: list[bytes] = field(default_factory=list)
    waiting: dict[bytes, int] = field(default_factory=dict)
    store: Store = field(default_factory=memory_store)

    def post(self, keys: Iterable[bytes], message: Message) -> None:
        """See ``Mesh.post``."""
        for key in keys:
            self.posted.append((key, message))
            database = self.store._database
            self.stored.append([row.data for row in database.written(TABLE, (0, 0))])

    def waiting_bytes(self, key: bytes) -> int:
        """See ``Mesh.waiting_bytes``."""
        return self.waiting.get(key, 0)

    def drop(self, key: bytes, fault: PeerFault) -> None:
        """See ``Mesh.drop``."""
        self.dropped.append(key)

    def known(self) -> dict[bytes, tuple[()]]:
        """See ``Mesh.known``."""
        return {}

    def around(self) -> Around:
        """What the driver works with."""
        jobs = InlineJobs()
        return Around(
            cast(Mesh, self),
            self.store,
            jobs,
            Shorts(jobs),
            lambda table, job: None,
            lambda event: None,
            tuple,
        )

    async def seat(self) -> SeatDriver:
        """A driver that takes part."""
        await self.store.open_table(TABLE, b"sealed", 0, 1)
        driver = SeatDriver(cast(Session, self.stub), self.around())
        await driver.begin()
        await driver.tick()
        self.stub.given.clear()
        return driver

    def got(self, kind: type[Message]) -> list[tuple[bytes, Message]]:
        """Who was sent what of a kind."""
        return [(key, message) for key, message in self.posted if isinstance(message, kind)]


# Flooding.


@pytest.mark.trio
async def test_vote_is_on_disk_before_it_is_given_to_all_at_once() -> None:
    """With the entry that it is for, which is on disk before it; nobody gets it twice."""
    room = Room()
    driver = await room.seat()
    room.stub.effects[ENTRY] = [Persist(0, 1, 3, ENTRY)]
    room.stub.effects[VOTE] = [
        Persist(0, 1, 3, ENTRY),
        PersistVote(0, 1, 3, VOTE),
        SendVote(VOTE, ENTRY),
        SendVote(VOTE, ENTRY),
    ]
    await driver.received(BERT, VoteMessage(TABLE, VOTE, ENTRY))
    passed = VoteMessage(TABLE, VOTE, ENTRY)
    assert room.posted == [(CARL, passed), (DORA, passed)]
    assert room.stored == [[ENTRY, VOTE]] * 2
    await driver.received(CARL, VoteMessage(TABLE, VOTE, ENTRY))
    assert room.stub.given == [("vote", VOTE, ENTRY)]


@pytest.mark.trio
async def test_entry_is_not_lost_when_its_vote_came_without_it() -> None:
    """The second copy of a vote counts if it brings what the first one lacked, and is passed on."""
    room = Room()
    driver = await room.seat()
    room.stub.effects[VOTE] = [SendVote(VOTE)]
    await driver.received(BERT, VoteMessage(TABLE, VOTE))
    room.stub.effects[VOTE] = [SendVote(VOTE, ENTRY)]
    await driver.received(CARL, VoteMessage(TABLE, VOTE, ENTRY))
    await driver.received(CARL, VoteMessage(TABLE, VOTE, ENTRY))
    await driver.received(DORA, VoteMessage(TABLE, VOTE))
    assert room.stub.given == [("vote", VOTE, b""), ("vote", VOTE, ENTRY)]
    bare, full = VoteMessage(TABLE, VOTE), VoteMessage(TABLE, VOTE, ENTRY)
    assert room.posted == [(CARL, bare), (DORA, bare), (BERT, full), (DORA, full)]


@pytest.mark.trio
async def test_who_looks_on_gets_votes_too_if_it_reads() -> None:
    """After the members; what it says itself is not listened to."""
    room = Room()
    driver = await room.seat()
    driver.gallery.admit(EVE, "eve")
    driver.gallery.admit(b"f" * 32, "finn")
    room.waiting[b"f" * 32] = 10**9
    room.stub.effects[VOTE] = [SendVote(VOTE)]
    await driver.received(BERT, VoteMessage(TABLE, VOTE))
    assert [key for key, _ in room.got(VoteMessage)] == [CARL, DORA, EVE]
    await driver.received(EVE, VoteMessage(TABLE, STAND))
    await driver.received(BERT, VoteMessage(b"o" * 32, STAND))
    assert room.stub.given == [("vote", VOTE, b"")]


@pytest.mark.trio
async def test_link_that_brings_a_false_vote_is_closed() -> None:
    """A fault without a seat is the link's; one that a seat has signed is not."""
    room = Room()
    driver = await room.seat()
    room.stub.effects[STAND] = [Fault(PeerFault("vote.twice", "two votes").at(2, 0, 1))]
    await driver.received(BERT, VoteMessage(TABLE, STAND))
    assert room.dropped == []
    room.stub.effects[VOTE] = [Fault(PeerFault("signature", "a vote that is not signed"))]
    await driver.received(BERT, VoteMessage(TABLE, VOTE))
    assert room.dropped == [BERT]


@pytest.mark.trio
async def test_onlooker_keeps_votes_and_gives_them_to_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It needs them for the record."""
    room = Room()
    await room.store.open_table(TABLE, b"sealed", -1, 1)
    monkeypatch.setattr("p2p.watching.Watcher", lambda agreement: room.stub)
    driver = WatchDriver(cast(Agreement, room.stub.agreement), room.around())
    driver.listen(BERT)
    room.posted.clear()
    room.stub.effects[VOTE] = [PersistVote(0, 1, 3, VOTE), SendVote(VOTE)]
    await driver.received(VoteMessage(TABLE, VOTE))
    assert room.posted == []
    assert room.store._database.votes(TABLE, 0, 1, 1)[0].vote == VOTE


# Catching up.


@pytest.mark.trio
async def test_votes_of_an_answer_are_taken_before_its_entries() -> None:
    """Also those that have come before: they may have been too early to be kept."""
    room = Room()
    driver = await room.seat()
    await driver.received(BERT, VoteMessage(TABLE, VOTE))
    await driver.received(
        BERT, Entries(TABLE, (b"one", b"two"), ALL_SENT, ((VOTE, b""), (STAND, ENTRY)))
    )
    assert room.stub.given == [
        ("vote", VOTE, b""),
        ("vote", VOTE, b""),
        ("vote", STAND, ENTRY),
        ("entry", b"one"),
        ("entry", b"two"),
    ]


@pytest.mark.trio
async def test_who_asks_gets_the_votes_that_the_session_keeps() -> None:
    """Members at once, who looks on when its turn comes."""
    room = Room()
    driver = await room.seat()
    room.stub.kept = ((VOTE, ENTRY),)
    driver.gallery.admit(EVE, "eve")
    have = Have(TABLE, (LanePosition(0, 1),))
    await driver.received(BERT, have)
    await driver.received(EVE, have)
    await driver.tick()
    answer = Entries(TABLE, (), ALL_SENT, ((VOTE, ENTRY),))
    assert room.got(Entries) == [(BERT, answer), (EVE, answer)]


@pytest.mark.trio
async def test_answer_by_which_the_table_goes_back_is_not_all(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """It answers where this seat stood before: it asks again, and takes part after that."""
    room = Room()
    await room.store.open_table(TABLE, b"sealed", 0, 1)
    driver = SeatDriver(cast(Session, room.stub), room.around())
    room.stub.at = {0: 9}
    await driver.replay()
    await driver.resume()
    await driver.linked(BERT)
    room.posted.clear()
    room.stub.moves_to = {STAND: {0: 5}, b"five": {0: 9}}
    await driver.received(BERT, Entries(TABLE, (), MORE_FOLLOWS, ((STAND, b""),)))
    assert room.got(Have) == []
    await driver.received(BERT, Entries(TABLE, (b"nine",), ALL_SENT))
    assert room.got(Have) == [(BERT, Have(TABLE, (LanePosition(0, 5, (3,)),)))]
    assert not driver.begun.is_set()
    await driver.received(BERT, Entries(TABLE, (b"five",), ALL_SENT))
    assert driver.begun.is_set()
    assert len(room.got(Have)) == 1


@pytest.mark.trio
async def test_store_is_read_back_in_the_order_of_writing() -> None:
    """A seat that had gone back comes by the same way to where it was; jobs are done at once."""
    room = Room()
    await room.store.open_table(TABLE, b"sealed", 0, 1)
    changes: list[Change] = [
        Persist(0, 1, 0, b"one"),
        Persist(0, 2, 0, b"overtaken"),
        PersistVote(0, 1, 3, VOTE),
        PersistVote(0, 1, 3, STAND),
        Persist(0, 2, 0, b"two"),
        Persist(1, 1, 0, b"other lane"),
    ]
    await room.store.carry_out(TABLE, changes)
    room.stub.effects[b"overtaken"] = [Job(7, "check", lambda: None), Send(b"overtaken")]
    room.stub.effects[STAND] = [SendVote(STAND), PersistVote(0, 1, 3, STAND)]
    driver = SeatDriver(cast(Session, room.stub), room.around())
    await driver.replay()
    assert room.stub.given == [
        ("entry", b"one"),
        ("entry", b"overtaken"),
        ("done", 7),
        ("vote", VOTE, b""),
        ("vote", STAND, b""),
        ("entry", b"two"),
        ("entry", b"other lane"),
    ]
    assert room.posted == []


# Who is heard, and what people ask for.


@pytest.mark.trio
async def test_session_is_told_who_is_linked() -> None:
    """When it takes part, and whenever that changes; not before, and not again and again."""
    room = Room()
    await room.store.open_table(TABLE, b"sealed", 0, 1)
    driver = SeatDriver(cast(Session, room.stub), room.around())
    await driver.tick()
    assert room.stub.given == []
    await driver.begin()
    assert driver.deadline <= trio.current_time()
    await driver.tick()
    await driver.tick()
    assert room.stub.given == [("begin",), ("heard", 1, 2, 3)]
    assert driver.deadline > trio.current_time()
    room.linked = (BERT, EVE)
    driver.unlinked(CARL)
    driver.unlinked(DORA)
    room.stub.effects[b"heard"] = [PersistVote(0, 1, 2, VOTE), SendVote(VOTE)]
    assert driver.deadline <= trio.current_time()
    await driver.tick()
    assert room.stub.given[2:] == [("heard", 1)]
    assert room.stored[-1] == [VOTE]
    room.linked = (BERT, CARL)
    await driver.linked(CARL)
    await driver.tick()
    assert room.stub.given[3:] == [("heard", 1, 2)]


@pytest.mark.trio
async def test_people_ask_for_a_vote() -> None:
    """What the session makes of it is carried out."""
    room = Room()
    driver = await room.seat()
    await driver.miss(3)
    assert room.stub.given == [("miss", 3)]
    for seat in (0, 1, 2):  # not waited for, or by a clock
        with pytest.raises(LocalError):
            await driver.miss(seat)
    assert room.stub.given == [("miss", 3)]
    assert [key for key, _ in room.got(VoteMessage)] == [BERT, CARL, DORA]


@pytest.mark.trio
async def test_table_that_goes_on_after_its_end_is_not_over_on_disk() -> None:
    """A vote can take back the step that ended it, and the table can end again."""
    room = Room()
    driver = await room.seat()
    room.stub.over, room.stub.history.table.stage = True, "over"
    await driver.received(BERT, EnvelopeMessage(TABLE, b"last"))
    assert [table.finished for table in await room.store.tables()] == [True]
    room.stub.over, room.stub.history.table.stage = False, "move"
    await driver.received(BERT, VoteMessage(TABLE, VOTE))
    assert [table.finished for table in await room.store.tables()] == [False]
    room.stub.over, room.stub.history.table.stage = True, "over"
    await driver.received(BERT, VoteMessage(TABLE, STAND))
    assert [table.finished for table in await room.store.tables()] == [True]


# Asking, where positions shrink.


@pytest.mark.parametrize(
    ("before", "now", "back"),
    [
        ({0: 5}, {0: 5}, False),
        ({0: 5}, {0: 6}, False),
        ({0: 5}, {0: 4}, True),
        ({0: 5, 1: 3}, {0: 5, 2: 1}, False),
        ({0: 5, 1: 3}, {0: 6, 1: 2}, True),
        ({0: 5, 2: 1}, {0: 5, 1: 4, 2: 1}, True),
        ({0: 5, 2: 1}, {0: 5, 1: 4}, True),
        ({0: 5, 1: 4}, {0: 5, 1: 4, 2: 1, 3: 1}, False),
    ],
)
def test_going_back_shows_in_positions(
    before: dict[int, int], now: dict[int, int], back: bool
) -> None:
    """A step that had been closed is open again, in a lane that is known or was closed."""
    assert is_back(now, before) is back


@pytest.mark.trio
async def test_who_went_back_asks_the_next_that_pings(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Entries of the open step may have been passed over, and nobody sends them by itself."""
    room = Room()
    driver = await room.seat()
    room.stub.at = {0: 9}
    await driver.received(BERT, EnvelopeMessage(TABLE, b"entry"))
    await trio.sleep(1)
    room.stub.moves_to = {STAND: {0: 5}}
    await driver.received(BERT, VoteMessage(TABLE, STAND))
    assert room.got(Have) == []
    await driver.received(CARL, Ping(1, TABLE, ((0, 5),)))
    await driver.received(DORA, Ping(1, TABLE, ((0, 5),)))
    assert [key for key, _ in room.got(Have)] == [CARL]


@pytest.mark.trio
async def test_who_went_back_passes_on_to_all_again(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """How far a member had shown to have come was on the history that was overtaken."""
    room = Room()
    room.stub.at = {0: 5}
    driver = await room.seat()
    room.stub.effects[b"nine"] = [Persist(0, 9, 3, b"nine"), Send(b"nine", passed_on=True)]
    room.stub.moves_to = {b"nine": {0: 9}, STAND: {0: 5}, b"five": {0: 5}}
    await driver.received(BERT, EnvelopeMessage(TABLE, b"nine"))
    room.stub.effects[b"five"] = [Persist(0, 5, 2, b"five"), Send(b"five", passed_on=True)]
    await driver.received(BERT, VoteMessage(TABLE, STAND))
    await driver.received(BERT, EnvelopeMessage(TABLE, b"five"))
    await trio.sleep(RELAY_SECONDS)
    await driver.tick()
    sent = [key for key, message in room.posted if message == EnvelopeMessage(TABLE, b"five")]
    assert sent == [CARL, DORA]


def test_asking_ends_however_often_the_table_goes_back() -> None:
    """Each question needs that something has moved; who went back asks a key once for it."""
    asking = Asking({0: 1}, 0.0)
    asking.ask(BERT, 0.0)
    asking.moved({0: 9}, 1.0)
    asking.moved({0: 5}, 2.0)
    assert not asking.answered(BERT, more=False)
    assert asking.to_ask_again() == [BERT]
    asking.ask(BERT, 3.0)
    assert asking.to_ask_again() == []
    assert asking.answered(BERT, more=False)
    assert asking.to_ask_again() == []
    assert not asking.answered(BERT, more=True)
    assert asking.to_ask_again() == []
    assert not asking.pinged(BERT, ((0, 5),), False, 99.0)


def test_flood_knows_votes_by_their_bytes() -> None:
    """As envelopes: first copies, and who has which."""
    flood = Flood()
    assert flood.arrived(BERT, VOTE)
    assert not flood.arrived(CARL, VOTE)
    assert flood.targets((BERT, CARL, DORA), VOTE) == (DORA,)
