"""What somebody on the network can fill: each queue, cache and buffer has an end. SECURITY.md."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing

from p2p import events as p2p
from p2p.chat import MAX_REMEMBERED as CHAT_REMEMBERED
from p2p.chat import Chatter, Line
from p2p.chat import make as make_line
from p2p.discovery import TableAd
from p2p.endpoint import Endpoint
from p2p.flood import REMEMBERED, Flood
from p2p.gallery import Gallery
from p2p.guests import MAX_AUTHORS, MAX_SEEN, Guests
from p2p.jobs import InlineJobs, Jobs
from p2p.mesh import Mesh, Up
from p2p.messages import MAX_ONLOOKERS, Ping, TableInfo
from p2p.opener import Opener
from p2p.owner import QUEUE, Owner
from p2p.parts import Parts
from p2p.rounds import Rounds
from p2p.shorts import MAX_REMEMBERED, Shorts
from p2p.statements import Here, Listing, Member
from p2p.statements import make as make_statement
from p2p.store import memory_store
from p2p.transport import Address
from protocol.errors import PeerFault
from protocol.inbox import EARLY_STEPS
from protocol.signing import sign
from protocol.watch import Watcher
from protocol.wire import MAX_BYTES, Value, pack
from tests.fuzz import ground
from tests.fuzz.targets import _seat_key
from tests.protocol.tables import entropy
from ui.page.network import MOST as MOST_SHOWN
from ui.page.network import Network
from ui.page.seated import Seated
from ui.page.sections import Sections

MANY = 2000
"""More than any limit of a number of peers, tables or keys."""

HOSTILE_BYTES = 50_000_000
"""What one hostile peer may make another use."""


def key(number: int) -> bytes:
    """One of many keys."""
    return number.to_bytes(32, "big")


# What is bounded.


def test_flooding_remembers_so_many_envelopes_of_a_key() -> None:
    """And so many in all."""
    flood = Flood()
    for number in range(REMEMBERED + 100):
        flood.arrived(b"a", number.to_bytes(4, "big"))
    assert len(flood._arrived) == REMEMBERED
    assert len(flood._has[b"a"]) == REMEMBERED


def test_a_lobby_remembers_so_many_authors_and_statements() -> None:
    """Whoever speaks in it."""
    guests = Guests(0.0)
    heard = make_statement(ground.ME.signing_key, b"l" * 16, 1, Here(True))
    for number in range(MAX_SEEN + 100):
        one = type(heard)(key(number), heard.lobby, number, heard.said, heard.statement)
        guests.note(one, float(number))
        guests.came_by(one.author, one.author)
    assert len(guests._seen) == MAX_SEEN
    assert {len(guests._counts), len(guests._heard), len(guests._ways)} == {MAX_AUTHORS}


def test_chat_remembers_so_many_links() -> None:
    """Whoever they belong to."""
    chatter = Chatter(ground.ME.signing_key, 0)
    line = make_line(ground.YOU.signing_key, Line(ground.YOU.key, b"l" * 16, 1, "hello"))
    for number in range(CHAT_REMEMBERED + 100):
        chatter.hear(key(number), line, (), (), 0.0)
    assert len(chatter._links) == CHAT_REMEMBERED


@pytest.mark.trio
async def test_so_many_short_forms_are_remembered() -> None:
    """Each takes a tenth of a second to make, so they are."""

    class Quick:
        async def run(self, work: Callable[[], str]) -> str:
            return "QHS7KE8R"

    shorts = Shorts(Quick())  # type: ignore[arg-type]
    for number in range(MAX_REMEMBERED + 100):
        await shorts.of(key(number))
    assert len(shorts._known) == MAX_REMEMBERED


@pytest.mark.trio
async def test_so_many_look_on() -> None:
    """By the links of one member."""
    gallery = Gallery(b"t" * 32, (), None, tuple)  # type: ignore[arg-type]
    taken = [gallery.admit(key(number), "eve") for number in range(MAX_ONLOOKERS + 5)]
    assert taken.count(True) == MAX_ONLOOKERS


# What early entries cost.


def chains(size: int) -> Value:
    """A value of so many bytes on the wire that takes as much memory as it can."""
    chain: Value = ((((),),),)
    return tuple((chain,) * 1000 for _ in range(size // 4000))


def early(step: int) -> bytes:
    """An entry of a liar that cannot be judged yet, as long as it may be."""
    agreement, _ = ground.agreement()
    body = pack((1, agreement.table_id, 1, step, 0, bytes(32), "open", chains(16_000)))
    sealed = pack((body, sign(_seat_key(0), "envelope", body)))  # type: ignore[arg-type]
    assert len(sealed) <= MAX_BYTES
    return sealed


def test_the_early_entries_of_one_seat_take_no_more_than_they_may() -> None:
    """Table lane, the open pack, the two packs beyond it; measured at one lane."""
    watcher = Watcher(ground.agreement()[0])
    watcher.begin(0.0)
    entries = [early(step) for step in range(2, 10)]
    watcher.receive(entries[0], 0.0)
    tracemalloc.start()
    try:
        for entry in entries[1:]:
            watcher.receive(entry, 0.0)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    each = held / (len(entries) - 1)
    assert len(watcher._inbox._early) == len(entries)
    assert 4 * EARLY_STEPS * each < HOSTILE_BYTES


def test_shunned_keys_are_forgotten() -> None:
    """When their ten seconds are over, or there are too many."""

    async def shunned() -> int:
        send, _ = trio.open_memory_channel[Any](0)
        endpoint = Endpoint(ground.ME, None)  # type: ignore[arg-type]
        mesh = Mesh(endpoint, ground.ME.key, send, lambda number: Ping(number, b"", ()))
        for number in range(MANY):
            mesh.drop(key(number), PeerFault("message", "nonsense"))
        return len(mesh._shunned)

    assert trio.run(shunned) < MANY


def test_banned_keys_are_bounded() -> None:
    """Of an opened table."""
    info = TableInfo(b"", b"", "kitchen", "azi", _azi(), 3, 1)
    me = Member(ground.ME.key, "ana")
    opener = Opener(info, me, ground.ME.signing_key, entropy("limits"), 0.0)
    for number in range(300):
        opener._lost(key(number), cheated=True)
    assert len(opener._banned) < 300


def test_signed_agreements_are_bounded() -> None:
    """Those whose last signature never came."""
    you = ground.YOU
    rounds = Rounds(ground.ME.signing_key, entropy("rounds"), True)
    other = Rounds(you.signing_key, entropy("others"), True)
    members = (Member(ground.ME.key, "ana"), Member(you.key, "bo"))
    for number in range(1, 51):
        listing = Listing(number, "kitchen", "azi", _azi(), 2, members)
        for one in (rounds, other):
            one.adopt(listing)
            one.note(you.key, True)
            one.note(ground.ME.key, True)
        for _ in range(3):
            mine, theirs = rounds.speak(), other.speak()
            assert mine is not None
            assert theirs is not None
            other.sealing.take(ground.ME.key, mine)  # type: ignore[union-attr]
            if _ < 2:
                rounds.sealing.take(you.key, theirs)  # type: ignore[union-attr]
    assert len(rounds._signed) < 50


def _azi() -> tuple[tuple[str, int | str], ...]:
    from engine import complete, game

    return tuple(complete(game("azi").options, {}).items())


def test_tables_told_of_by_links_are_bounded() -> None:
    """TABLES replaces what a link said before; of many links some count."""
    network = Network(True, 0.0)
    for number in range(MANY):
        offer = p2p.TableOffer(f"table {number}", "azi", 1, 4, key(number))
        network.take(p2p.TablesTold("QHS7KE8R", key(0), (offer,) * 8))
        network.take(p2p.TablesTold("QHS7KE8R", key(number), (offer,)))
    assert len(network.plain()["tables"]) <= MOST_SHOWN  # type: ignore[arg-type]
    assert len(network._told) <= MOST_SHOWN


def test_peers_that_call_out_are_bounded() -> None:
    """Discovery follows 64 instances."""
    network = Network(True, 0.0)
    offer = p2p.TableOffer(*_fields(TableAd("kitchen", "azi", 1, 4)))
    for number in range(MANY):
        found = p2p.PeerFound(f"{number:08}", "eve", key(number), (), "mdns", (offer,))
        network.take(found)
    assert len(network._found) <= MOST_SHOWN


def _fields(ad: TableAd) -> tuple[str, str, int, int, bytes]:
    return ad.name, ad.game, ad.taken, ad.seats, key(0)


def test_keys_that_were_linked_are_forgotten() -> None:
    """Only those of the table count."""
    shown = Sections(lambda: 0.0)
    seated = Seated(shown, ground.ME.key)
    for number in range(MANY):
        seated.link(key(number), up=True)
        seated.link(key(number), up=False)
    assert len(seated._links) < MANY


def an_owner(jobs: Jobs) -> Owner:
    """All of a peer but its network."""
    parts = Parts(
        identity=ground.ME,
        name="ana",
        owner=b"",
        transport=None,  # type: ignore[arg-type]
        store=memory_store(),
        jobs=jobs,
        entropy=entropy("limits"),
        hosts=lambda: (),
        wall=lambda: 0.0,
    )
    return Owner(parts)


def test_events_that_wait_for_people_are_bounded() -> None:
    """However fast somebody makes things happen."""

    async def waiting() -> int:
        owner = an_owner(InlineJobs())
        for number in range(MANY):
            owner.tell(p2p.PeerLost(str(number)))
        return len(owner.events)

    assert trio.run(waiting) < MANY


class SlowJobs(Jobs):
    """Each job takes what a short form takes, on a clock of its own."""

    async def run(self, work: Callable[[], Any]) -> Any:
        """See ``Jobs.run``."""
        await trio.sleep(0.1)
        return "QHS7KE8R"


def test_strangers_with_new_keys_do_not_hold_up_a_table() -> None:
    """What is asked for behind a queue full of new links is done within a second."""

    async def asked() -> float:
        owner = an_owner(SlowJobs())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(owner._own)
            for number in range(QUEUE // 2):
                await owner._bring.send(Up(key(number), Address("10.0.0.7", 1), "incoming"))
            began = trio.current_time()
            await owner.do(trio.lowlevel.checkpoint)
            nursery.cancel_scope.cancel()
        return trio.current_time() - began

    clock = trio.testing.MockClock(autojump_threshold=0)
    assert trio.run(asked, clock=clock) < 1.0
