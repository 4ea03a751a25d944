"""Those who look on: few, answered in turn and not too fast, and told of to people with a pause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

import pytest
import trio
import trio.testing

from p2p.catchup import PORTION_BYTES
from p2p.events import PeerEvent, SpectatorsChanged
from p2p.following import Around
from p2p.gallery import (
    ANSWER_BYTES,
    ANSWER_GAP,
    LEFT,
    NAME_GAP,
    NAME_LOOK,
    OTHERS_GAP,
    OWN_GAP,
    Gallery,
)
from p2p.jobs import InlineJobs
from p2p.mesh import Mesh
from p2p.messages import ALL_SENT, MAX_ONLOOKERS, Entries, Have, LanePosition, Message, Onlookers
from p2p.shorts import Shorts
from p2p.store import Store

pytestmark = pytest.mark.trio

TABLE = b"t" * 32
MEMBERS = (b"m" * 32, b"n" * 32)
HAVE = Have(TABLE, (LanePosition(0, 1),))
ANSWER = Entries(TABLE, (b"entry",), ALL_SENT)


@dataclass
class Room:
    """A gallery with links, store and people that only note what they are given."""

    posted: list[tuple[bytes, Message]] = field(default_factory=list)
    events: list[PeerEvent] = field(default_factory=list)
    waiting: dict[bytes, int] = field(default_factory=dict)
    answered: int = 0
    answers: list[Entries] = field(default_factory=list)
    shorts: Shorts = field(init=False)

    def post(self, keys: Iterable[bytes], message: Message) -> None:
        """See ``Mesh.post``."""
        self.posted += [(key, message) for key in keys]

    def waiting_bytes(self, key: bytes) -> int:
        """See ``Mesh.waiting_bytes``."""
        return self.waiting.get(key, 0)

    async def answer(self, have: Have, kept: object) -> list[Entries]:
        """See ``Store.answer``."""
        self.answered += 1
        return [self.answers.pop(0) if self.answers else ANSWER]

    def gallery(self) -> Gallery:
        """A gallery at a table of two other members."""
        mesh, store, jobs = cast(Mesh, self), cast(Store, self), InlineJobs()
        shorts = self.shorts = Shorts(jobs)
        shorts._known = {key: f"{key[0]:08}" for key in map(guest, range(100))}
        around = Around(
            mesh, store, jobs, shorts, lambda table, job: None, self.events.append, tuple
        )
        return Gallery(TABLE, MEMBERS, around, tuple)

    def names(self) -> list[list[str]]:
        """The names in what people were told."""
        told = [event for event in self.events if isinstance(event, SpectatorsChanged)]
        return [[player.name for player in event.players] for event in told]


def guest(number: int) -> bytes:
    """The key of a guest."""
    return bytes([number]) * 32


def big_answer() -> Entries:
    """As long as four portions, half of it votes with their entries."""
    half = 2 * PORTION_BYTES
    return Entries(TABLE, (bytes(half),), ALL_SENT, ((bytes(half // 2), bytes(half // 2)),))


async def pass_time(gallery: Gallery, seconds: float) -> None:
    """Ticks whenever the gallery wants it."""
    until = trio.current_time() + seconds
    while gallery.due <= until:
        await trio.sleep_until(gallery.due)
        await gallery.tick(trio.current_time())
    await trio.sleep_until(until)


async def test_sixteen_have_a_place(autojump_clock: trio.testing.MockClock) -> None:
    """The next one gets a place when somebody goes."""
    gallery = Room().gallery()
    assert all(gallery.admit(guest(n), f"guest {n}") for n in range(MAX_ONLOOKERS))
    assert not gallery.admit(guest(50), "late")
    gallery.unlinked(guest(3))
    assert gallery.admit(guest(50), "late")
    assert guest(3) not in gallery


async def test_long_answers_take_longer(autojump_clock: trio.testing.MockClock) -> None:
    """Votes may come with an answer that are more than a portion: all of it is counted."""
    room = Room(answers=[big_answer(), ANSWER])
    gallery = room.gallery()
    for number in range(3):
        gallery.admit(guest(number), "guest")
        gallery.asked(guest(number), HAVE)
    began = trio.current_time()
    times: list[float] = []
    while gallery.due < float("inf"):
        await trio.sleep_until(gallery.due)
        await gallery.tick(trio.current_time())
        if room.answered > len(times):
            times.append(round(trio.current_time() - began, 3))
    assert times == [0.0, 4 * ANSWER_GAP, 5 * ANSWER_GAP]


async def test_who_asks_most_is_not_answered_most(autojump_clock: trio.testing.MockClock) -> None:
    """One question of each waits; they are answered in turn, all together at a bounded pace."""
    room = Room()
    gallery = room.gallery()
    gallery.admit(guest(0), "greedy")
    gallery.admit(guest(1), "modest")
    gallery.asked(guest(9), HAVE)
    for _ in range(100):
        gallery.asked(guest(0), HAVE)
    gallery.asked(guest(1), HAVE)
    for _ in range(10):
        gallery.asked(guest(0), HAVE)
        await pass_time(gallery, ANSWER_GAP)
    answers = [key for key, message in room.posted if message == ANSWER]
    assert answers[:3] == [guest(0), guest(1), guest(0)]
    assert set(answers) == {guest(0), guest(1)}
    assert room.answered <= 11


async def test_who_does_not_read_is_sent_no_more(autojump_clock: trio.testing.MockClock) -> None:
    """Neither entries nor answers, until what waits has become less."""
    room = Room()
    gallery = room.gallery()
    gallery.admit(guest(0), "slow")
    assert gallery.readers == (guest(0),)
    room.waiting[guest(0)] = ANSWER_BYTES
    assert gallery.readers == ()
    gallery.asked(guest(0), HAVE)
    await pass_time(gallery, 1)
    assert room.answered == 0


async def test_people_are_told_with_a_pause(autojump_clock: trio.testing.MockClock) -> None:
    """Coming and going at once is told as one; members are told of those who are here."""
    room = Room()
    gallery = room.gallery()
    gallery.admit(guest(0), "eve")
    await pass_time(gallery, OWN_GAP / 2)
    for number in range(1, 6):
        gallery.admit(guest(number), f"guest {number}")
        gallery.leave(guest(number))
    gallery.admit(guest(6), "finn")
    await pass_time(gallery, OWN_GAP)
    assert room.names() == [["eve"], ["eve", "finn"]]
    told = Onlookers(TABLE, ((guest(0), "eve"), (guest(6), "finn")))
    assert room.posted[-2:] == [(member, told) for member in MEMBERS]


async def test_what_members_tell_is_taken_slowly(autojump_clock: trio.testing.MockClock) -> None:
    """A member that makes up guests all the time cannot make this peer tell of them all."""
    room = Room()
    gallery = room.gallery()
    for number in range(30):
        gallery.told(MEMBERS[0], ((guest(number), f"guest {number}"),))
        await pass_time(gallery, 1)
    assert len(room.names()) <= 30 / OTHERS_GAP + 1
    gallery.unlinked(MEMBERS[0])
    await pass_time(gallery, OTHERS_GAP)
    assert room.names()[-1] == []


async def test_leaving_the_table_sends_them_elsewhere(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """They are told, and have no place here any more."""
    room = Room()
    gallery = room.gallery()
    gallery.admit(guest(0), "eve")
    gallery.close()
    assert room.posted == [(guest(0), LEFT)]
    assert gallery.keys == ()


async def test_made_up_keys_cost_one_short_form_a_second(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Each is told of when its short form is known; nothing else waits for all of them."""
    room = Room()
    gallery = room.gallery()
    names = ["guest 200", "guest 201", "guest 202"]
    gallery.told(MEMBERS[0], tuple((guest(int(name[-3:])), name) for name in names))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.shorts.run)
        await pass_time(gallery, 2 * NAME_GAP + 2 * NAME_LOOK)
        nursery.cancel_scope.cancel()
    assert room.names() == [names[:1], names[:2], names]
    assert gallery.due == float("inf")
