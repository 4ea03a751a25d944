"""What hostile people try with a lobby, a table or its onlookers, and how little comes of it."""

from __future__ import annotations

import secrets
import sys
import time
import unicodedata
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from p2p import codec, identity, statements
from p2p.endpoint import Endpoint
from p2p.events import Agreed, FaultSeen, LobbyChanged, Refused, TableOffer, TablesTold
from p2p.frames import LinkDown
from p2p.gallery import Gallery
from p2p.handle import Peer, run_peer
from p2p.jobs import InlineJobs
from p2p.link import Link
from p2p.mesh import TARGETS_BURST
from p2p.messages import LOBBY_ID_BYTES, Members, Message, Pong, Statement, TableInfo, Tables
from p2p.outputs import Phase
from p2p.owner import Owner
from p2p.parts import Parts
from p2p.statements import Commit, Here, Join
from p2p.store import Store, memory_store
from p2p.terms import same_name
from p2p.transport import Address, TcpTransport
from protocol.errors import LocalError, PeerFault
from protocol.plain import is_plain_text
from protocol.wire import text
from tests.p2p.lobby_room import Room, signing_key
from tests.p2p.people import LOOPBACK, Told, people


@pytest.mark.trio
async def test_stranger_who_tells_of_ever_new_tables_is_not_listened_to(tmp_path: Path) -> None:
    """Eight fresh names in each TABLES, as fast as the link carries them: few are told of."""
    async with people(tmp_path, "anna", "mallory") as (anna, mallory):
        mesh = mallory.peer._owner._mesh
        await mesh.connect([Address(LOOPBACK, anna.peer.port)], anna.peer.key, "address")
        await mallory.until(lambda: anna.peer.key in mesh.linked)
        for _ in range(300):
            mesh.post((anna.peer.key,), Tables(tuple(_made_up(mallory) for _ in range(8))))
        await trio.sleep(2)
        told = [event for event in anna.of(TablesTold) if isinstance(event, TablesTold)]
        assert len(told) <= 4
        assert all(len(event.offers) <= 8 for event in told)


def _made_up(told: Told) -> TableInfo:
    lobby = secrets.token_bytes(LOBBY_ID_BYTES)
    return TableInfo(lobby, told.peer.key, secrets.token_hex(20), "azi", (), 2, 1)


@pytest.mark.slow
@pytest.mark.trio
async def test_strangers_who_come_and_go_do_not_hold_up_the_table(tmp_path: Path) -> None:
    """Each new key costs 0.1 s for its short form: the owner's one task does not wait for it."""
    async with people(tmp_path, "anna") as (anna,):
        await anna.peer.open_table("kitchen", "azi", {}, 3)
        await anna.until_told(LobbyChanged)
        for _ in range(40):
            stranger = Endpoint(identity.make(), TcpTransport(LOOPBACK, 0))
            link = await stranger.dial([Address(LOOPBACK, anna.peer.port)])
            await trio.aclose_forcefully(link)
        assert await _seconds_for_an_answer(anna) < 1


@pytest.mark.slow
@pytest.mark.trio
async def test_one_stranger_with_many_keys_does_not_keep_all_others_out(tmp_path: Path) -> None:
    """32 links that only answer pings, of one computer; then a guest (or an own bot) wants in."""
    async with people(tmp_path, "anna", "bert") as (anna, bert), trio.open_nursery() as nursery:
        await anna.peer.open_table("kitchen", "azi", {}, 3)
        await anna.until_told(LobbyChanged)
        mesh = anna.peer._owner._mesh
        for _ in range(32):
            stranger = Endpoint(identity.make(), TcpTransport(LOOPBACK, 0))
            link = await stranger.dial([Address(LOOPBACK, anna.peer.port)])
            nursery.start_soon(_hold, link)
        await anna.until(lambda: len(mesh.linked) >= 32)
        joined = False
        with trio.move_on_after(10), suppress(LocalError):
            await bert.peer.join("kitchen", (LOOPBACK, anna.peer.port))
            await bert.until(lambda: bool(bert.of(LobbyChanged)))
            joined = True
        nursery.cancel_scope.cancel()
    assert joined


async def _hold(link: Link) -> None:
    """Answers pings, and does nothing else."""
    with suppress(LinkDown):
        async with link:
            while True:
                await link.send(codec.to_wire(Pong(0)))
                await trio.sleep(1)


@pytest.mark.trio
async def test_member_who_is_ever_somebody_else_s_bot_does_not_hold_up_the_table(
    tmp_path: Path,
) -> None:
    """JOIN again and again, each time with another owner whose short form takes 0.1 s to make."""
    async with people(tmp_path, "anna", "mallory") as (anna, mallory):
        await anna.peer.open_table("kitchen", "azi", {}, 3)
        await mallory.peer.join("kitchen", (LOOPBACK, anna.peer.port))
        await mallory.until_told(LobbyChanged)
        lobby, desk = mallory.peer._owner.reception.lobby, mallory.peer._owner
        assert lobby is not None
        count = int(time.time() * 1000) + 10**6
        for turn in range(60):
            said = Join("azi", "mallory", identity.make().key, (), b"")
            key = desk.parts.identity.signing_key
            made = statements.make(key, lobby.info.lobby, count + turn, said)
            desk._mesh.post((anna.peer.key,), made.statement)
        await trio.sleep(0.3)
        assert await _seconds_for_an_answer(anna) < 1


async def _seconds_for_an_answer(told: Told) -> float:
    start = trio.current_time()
    with trio.move_on_after(20):
        await told.peer.ready(False)
    return trio.current_time() - start


@pytest.mark.slow
@pytest.mark.trio
async def test_member_who_cannot_make_up_its_mind_is_not_told_of_each_time(tmp_path: Path) -> None:
    """Ready, not ready, ready, some hundred times a second: most of it is dropped."""
    async with people(tmp_path, "anna", "mallory") as (anna, mallory):
        await anna.peer.open_table("kitchen", "azi", {}, 3)
        await mallory.peer.join("kitchen", (LOOPBACK, anna.peer.port))
        await mallory.until_told(LobbyChanged)
        lobby = mallory.peer._owner.reception.lobby
        assert lobby is not None
        before = len(anna.of(LobbyChanged))
        key = mallory.peer._owner.parts.identity.signing_key
        count = int(time.time() * 1000) + 10**6
        for turn in range(500):
            said = statements.make(key, lobby.info.lobby, count + turn, Here(turn % 2 == 0))
            mallory.peer._owner._mesh.post((anna.peer.key,), said.statement)
        await trio.sleep(3)
        assert len(anna.of(LobbyChanged)) - before <= 60


def test_wrong_tokens_of_one_do_not_shut_the_door_on_others() -> None:
    """Somebody without a code guesses ten times a second; the invited guest asks as it does."""
    room = Room()
    anna = room.opener("anna", invite=True)
    bert = room.joiner("bert", "anna", token=anna.lobby.door.token)
    for count in range(1, 80):
        wrong = Join("hazari", "aaron", b"", (), secrets.token_bytes(5))
        made = statements.make(signing_key("aaron"), anna.lobby.info.lobby, count, wrong)
        heard = statements.read(made.statement)
        anna.lobby.received(room.id("aaron"), heard, room.now)  # before what bert says
        room.settle()
        room.now += 0.1
        room._carry_out(bert, bert.lobby.tick(room.now))
    assert bert.lobby.phase is Phase.SEATED


def test_who_holds_up_the_signing_again_and_again_gets_no_more_seat() -> None:
    """It is ready, never signs, loses the seat after ten seconds, and asks again."""
    room = Room()

    def commits_of_mallory(source: str, target: str, message: Message) -> bool:
        if source != "mallory" or not isinstance(message, Statement):
            return False
        return isinstance(statements.read(message).said, Commit)

    room.drops = commits_of_mallory
    anna = room.opener("anna")
    for name in ("bert", "carl"):
        room.joiner(name, "anna")
    seats = 0
    for _ in range(5):
        mallory = room.joiner("mallory", "anna")
        room.settle()
        seats += mallory.lobby.phase is Phase.SEATED
        room.wait(14)
        room.cut("mallory", "anna")
        room.vanish("mallory")
        room.wait(1)
    assert anna.agreements == []
    assert seats <= 2


@pytest.mark.parametrize(
    "other",
    ["anna\u200d", "an\u200cna", "anna\ufe0f", "anna\u034f", "anna\u3164", "anna\u2800",
     "anna\u115f", "anna ", " anna"],
)  # fmt: skip
def test_names_that_look_the_same_are_the_same(other: str) -> None:
    """Signs that nobody sees do not make another name."""
    assert not is_plain_text(other) or same_name("anna", other)


@pytest.mark.parametrize("name", ["\u200d", "\u3164", "\u2800", " ", "\u00a0\u00a0", "\ufe0f"])
def test_name_that_nobody_sees_is_none(name: str) -> None:
    """There must be something to read."""
    with pytest.raises(PeerFault):
        text(name, 40, "a name")


def test_text_is_no_heap_of_accents() -> None:
    """Some twenty marks on one letter reach over the lines above and below."""
    assert not is_plain_text("a" + "\u0301" * 19)


@pytest.mark.trio
async def test_who_looks_on_is_welcomed_once_in_a_while_only() -> None:
    """WATCH is 60 bytes; the agreement and all addresses, which answer it, are kilobytes."""
    posted: list[Message] = []

    async def sealed(table: bytes) -> bytes:
        return bytes(2000)

    mesh = SimpleNamespace(waiting_bytes=lambda key: 0, post=lambda keys, what: posted.append(what))
    around = SimpleNamespace(mesh=mesh, store=SimpleNamespace(sealed=sealed))
    gallery = Gallery(b"t" * 32, (), around, tuple)  # type: ignore[arg-type]
    assert gallery.admit(b"k" * 32, "eve")
    for _ in range(100):
        await gallery.welcome(b"k" * 32, Members(b"t" * 32, ()))
    assert len(posted) <= 20


# A table is that of whoever has opened it.


def told_of(who: Told, count: int) -> bool:
    """Whether somebody was told so often of tables by links."""
    return len(who.of(TablesTold)) == count


@pytest.mark.trio
async def test_table_that_is_meant_is_joined_and_no_other_of_its_name(tmp_path: Path) -> None:
    """Two tables are called kitchen; the one of mallory is told of first."""
    async with people(tmp_path, "anna", "bert", "mallory") as (anna, bert, mallory):
        for other in (mallory, anna):
            await other.peer.open_table("kitchen", "azi", {}, 2)
        mesh = bert.peer._owner._mesh
        for number, other in enumerate((mallory, anna), 1):
            await mesh.connect([Address(LOOPBACK, other.peer.port)], other.peer.key, "address")
            await bert.until(partial(told_of, bert, number))
        told = [event for event in bert.of(TablesTold) if isinstance(event, TablesTold)]
        assert [event.key for event in told] == [mallory.peer.key, anna.peer.key]
        assert told[1].offers == (TableOffer("kitchen", "azi", 1, 2, anna.peer.key),)
        with trio.fail_after(10):
            await bert.peer.join("kitchen", opener=anna.peer.key)
        await bert.until_told(Agreed)
        await anna.until_told(Agreed)
        assert not mallory.of(Agreed)


@pytest.mark.trio
async def test_short_form_says_whose_table_is_meant(tmp_path: Path) -> None:
    """It is that of the key which is proved on the link."""
    async with people(tmp_path, "anna", "bert", "mallory") as (anna, bert, mallory):
        for other in (mallory, anna):
            await other.peer.open_table("kitchen", "azi", {}, 2)
            address = Address(LOOPBACK, other.peer.port)
            await bert.peer._owner._mesh.connect([address], other.peer.key, "address")
        await bert.until(lambda: len(bert.of(TablesTold)) == 2)
        with trio.move_on_after(0.5):
            await bert.peer.join("kitchen", short="QHS7KE8R")
            raise AssertionError("nobody has this short form")
        with trio.fail_after(10):
            await bert.peer.join("kitchen", short=identity.short_form(anna.peer.key))
        await bert.until_told(Agreed)
        await anna.until_told(Agreed)


# A seat is given away.


@pytest.mark.trio
async def test_who_is_never_ready_is_removed_and_comes_no_more(tmp_path: Path) -> None:
    """By the opener alone, who keeps its own seat."""
    async with people(tmp_path, "anna", "mallory") as (anna, mallory):
        with pytest.raises(LocalError):
            await anna.peer.remove(mallory.peer.key)
        await anna.peer.open_table("kitchen", "azi", {}, 3)
        address = (LOOPBACK, anna.peer.port)
        await mallory.peer.join("kitchen", address)
        await mallory.until_told(LobbyChanged)
        for told, key in ((mallory, anna.peer.key), (anna, anna.peer.key), (anna, bytes(32))):
            with pytest.raises(LocalError):
                await told.peer.remove(key)
        await anna.peer.remove(mallory.peer.key)
        await mallory.until(lambda: len(mallory.of(Refused)) == 1)
        await mallory.peer.join("kitchen", address)
        await mallory.until(lambda: len(mallory.of(Refused)) == 2)
        codes = [event.code for event in mallory.of(Refused) if isinstance(event, Refused)]
        assert codes == ["removed", "removed"]
        last = anna.of(LobbyChanged)[-1]
        assert isinstance(last, LobbyChanged)
        assert [player.key for player in last.players] == [anna.peer.key]


# Links.


@pytest.mark.trio
async def test_whoever_says_far_too_much_in_the_lobby_loses_the_link(tmp_path: Path) -> None:
    """More than all players of a full table may say; what is not used is counted as well."""
    async with people(tmp_path, "anna", "mallory") as (anna, mallory):
        mesh = mallory.peer._owner._mesh
        await mesh.connect([Address(LOOPBACK, anna.peer.port)], anna.peer.key, "address")
        await mallory.until(lambda: anna.peer.key in mesh.linked)
        for _ in range(400):
            mesh.post((anna.peer.key,), Tables(()))
        await anna.until_told(FaultSeen)
        await mallory.until(lambda: anna.peer.key not in mesh.linked)


HERE_AND_THERE = [
    ("10.0.0.7", 7421, True),
    ("fd00::7", 7421, True),
    ("10.0.0.7", 22, False),
    ("127.0.0.1", 7421, False),
    ("::1", 7421, False),
    ("::ffff:127.0.0.1", 7421, False),
    ("0.0.0.7", 7421, False),
    ("224.0.0.251", 7421, False),
    ("255.255.255.255", 7421, False),
    ("240.0.0.1", 7421, False),
    ("fe80::7", 7421, False),
    ("ff02::fb", 7421, False),
    ("printer.local", 7421, False),
]


@pytest.mark.parametrize(("host", "port", "good"), HERE_AND_THERE)
def test_nobody_is_made_to_dial_what_is_no_peer(host: str, port: int, good: bool) -> None:
    """By addresses that others tell; on loopback alone, loopback is all there is."""
    for own in ("10.0.0.1", LOOPBACK):
        owner = Owner(parts(own))
        here = own == LOOPBACK and host in ("127.0.0.1", "::1")
        assert trio.run(_answer, owner, Address(host, port)) == (good or here)


async def _answer(owner: Owner, address: Address) -> bool:
    return owner._may_dial(address)


def parts(host: str, store: Store | None = None, wall: float = 0.0) -> Parts:
    """A peer without a network."""
    return Parts(
        identity.make(secrets.token_bytes(32)),
        "anna",
        b"",
        TcpTransport(LOOPBACK, 0),
        store or memory_store(),
        InlineJobs(),
        secrets.token_bytes,
        lambda: (host,),
        lambda: wall,
    )


@pytest.mark.trio
async def test_new_addresses_are_dialled_a_few_at_a_time() -> None:
    """A player who tells of ever new addresses does not make a scanner of us."""
    owner = Owner(parts("10.0.0.1"))
    asked = [owner._mesh._is_target(Address(f"10.0.1.{n}", 7421)) for n in range(200)]
    assert asked.count(True) <= TARGETS_BURST + 1
    assert owner._mesh._is_target(Address("10.0.1.0", 7421))


# A peer that stops, and one that starts again.


@pytest.mark.trio
async def test_who_asks_a_peer_that_stops_is_answered() -> None:
    """What was going on, and whatever comes later."""
    asked, answered = trio.Event(), trio.Event()

    async def wait() -> None:
        asked.set()
        await trio.sleep_forever()

    async def ask(peer: Peer) -> None:
        with pytest.raises(LocalError):
            await peer._owner.do(wait)
        answered.set()

    async with trio.open_nursery() as nursery:
        async with run_peer(parts(LOOPBACK)) as peer:
            nursery.start_soon(ask, peer)
            await asked.wait()
        with trio.fail_after(5):
            await answered.wait()
    with pytest.raises(LocalError):
        await peer.leave()


@pytest.mark.trio
async def test_clock_that_is_set_back_silences_nobody() -> None:
    """Statements and lines count on from what was said before, in this run and the next."""
    store = memory_store()
    counts = []
    for wall in (1_000_000.0, 1_000_005.0, 400_000.0, 400_001.0):
        async with run_peer(parts(LOOPBACK, store, wall)) as peer:
            counts += [peer._owner._stamp() for _ in range(3)]
            counts.append(peer._owner._chatter._count)
    assert counts[:4] == [1_000_000_001, 1_000_000_002, 1_000_000_003, 1_000_000_000]
    starts = counts[3::4]
    assert starts == sorted(set(starts))
    assert starts[2] > 1_000_005_000 + 1_000_000


# Text.


def test_everything_that_is_no_sign_is_refused() -> None:
    """Whatever this interpreter calls control, format or separator; pictures and names are fine."""
    unseen = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    signs = (chr(number) for number in range(sys.maxunicode + 1))
    missed = [s for s in signs if unicodedata.category(s) in unseen and is_plain_text(s)]
    assert set(missed) <= set("\u200c\u200d")
    for good in ("Zoë", "Nguyễn", "\u0646\u0627\u0645\u200c\u0647\u0627", "❤\ufe0f ok"):
        assert text(good, 40, "a name") == good
