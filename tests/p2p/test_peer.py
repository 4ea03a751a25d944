"""A peer in life: real sockets on loopback, a real store; how it starts, refuses and closes."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio

from p2p.events import Agreed, Linked, Listening, LobbyChanged, PeerEvent, Refused
from p2p.peer import Peer, PeerConfig, open_peer
from p2p.trouble import Trouble
from protocol.errors import LocalError

pytestmark = [pytest.mark.trio, pytest.mark.slow]

LOOPBACK = "127.0.0.1"


def config(folder: Path, name: str, port: int = 0) -> PeerConfig:
    """A peer on loopback without discovery."""
    return PeerConfig(folder / name, name, LOOPBACK, port, discovery=False)


@asynccontextmanager
async def peers(folder: Path, *names: str) -> AsyncIterator[list[Peer]]:
    """Several peers, each with a data folder of its own."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(open_peer(config(folder, name))) for name in names]


async def told(peer: Peer, kind: type[PeerEvent]) -> PeerEvent:
    """The next event of a kind; the ones before it are passed over."""
    with trio.fail_after(20):
        async for event in peer.events:
            if isinstance(event, kind):
                return event
    raise AssertionError("the events have ended")


@pytest.mark.alone
async def test_listens_and_closes_within_a_second(tmp_path: Path) -> None:
    """A started peer says where it can be reached; leaving takes less than a second."""
    async with open_peer(config(tmp_path, "anna")) as peer:
        event = await told(peer, Listening)
        assert isinstance(event, Listening)
        assert [a.host for a in event.addresses] == [LOOPBACK]
        assert event.port == peer.port == event.addresses[0].port
        start = trio.current_time()
    assert trio.current_time() - start < 1


@pytest.mark.alone
async def test_four_agree_over_real_links(tmp_path: Path) -> None:
    """A table opened here is joined by address, by name or as the only one, and all agree."""
    async with peers(tmp_path, "anna", "bert", "carl", "dora") as (anna, *others):
        await anna.open_table("kitchen", "hazari", {"hands": 1}, 4)
        for peer, name in zip(others, ("kitchen", None, "kitchen"), strict=True):
            await peer.join(name, (LOOPBACK, anna.port))
        agreed = [await told(peer, Agreed) for peer in (anna, *others)]
        ids = {event.table_id for event in agreed if isinstance(event, Agreed)}
        seats = [event.seat for event in agreed if isinstance(event, Agreed)]
        assert len(ids) == 1
        assert sorted(seats) == [0, 1, 2, 3]
        with pytest.raises(LocalError, match="plays at a table already"):
            await anna.open_table("other", "hazari", {}, 4)
        start = trio.current_time()
    assert trio.current_time() - start < 4  # four peers, one after the other


async def test_join_tells_what_is_wrong(tmp_path: Path) -> None:
    """No such table, nobody there, the own address: each is told in its own way."""
    async with peers(tmp_path, "anna", "bert") as (anna, bert):
        await anna.open_table("kitchen", "hazari", {}, 4)
        await bert.join("attic", (LOOPBACK, anna.port))
        refused = await told(bert, Refused)
        assert isinstance(refused, Refused)
        assert refused.code == "no-such-table"
        with socket.socket() as unused:
            unused.bind((LOOPBACK, 0))
            with pytest.raises(LocalError, match="nobody answers at"):
                await bert.join(None, unused.getsockname())
        with pytest.raises(LocalError, match="our own key"):
            await bert.join(None, (LOOPBACK, bert.port))
        await bert.join(None, (LOOPBACK, anna.port))
        changed = await told(bert, LobbyChanged)
        assert isinstance(changed, LobbyChanged)
        assert [player.name for player in changed.players] == ["anna", "bert"]
        with pytest.raises(LocalError, match="waits at a table already"):
            await bert.open_table("attic", "hazari", {}, 4)


async def test_leaving_frees_the_seat_and_another_table_can_be_opened(tmp_path: Path) -> None:
    """Who leaves a table that waits is out of its list, and free."""
    async with peers(tmp_path, "anna", "bert") as (anna, bert):
        await anna.open_table("kitchen", "hazari", {}, 4)
        await bert.join(None, (LOOPBACK, anna.port))
        await told(bert, LobbyChanged)
        await bert.leave()
        while True:
            event = await told(anna, LobbyChanged)
            assert isinstance(event, LobbyChanged)
            if len(event.players) == 1 and len(anna.events) == 0:
                break
        await bert.open_table("attic", "hazari", {}, 4)


async def test_closing_opener_closes_its_table(tmp_path: Path) -> None:
    """A program that ends says goodbye: those who waited know at once."""
    async with open_peer(config(tmp_path, "bert")) as bert:
        async with open_peer(config(tmp_path, "anna")) as anna:
            await anna.open_table("kitchen", "hazari", {}, 4)
            await bert.join(None, (LOOPBACK, anna.port))
            await told(bert, LobbyChanged)
        refused = await told(bert, Refused)
        assert isinstance(refused, Refused)
        assert refused.code == "closed"


async def test_what_no_game_has_cannot_be_opened(tmp_path: Path) -> None:
    """Game, options, seats and name are checked before anybody is told."""
    async with open_peer(config(tmp_path, "anna")) as anna:
        for table, game, options, seats in (
            ("kitchen", "whist", {}, 4),
            ("kitchen", "hazari", {"hands": -1}, 4),
            ("kitchen", "hazari", {"speed": 1}, 4),
            ("kitchen", "hazari", {}, 3),
            ("kit\nchen", "hazari", {}, 4),
        ):
            with pytest.raises(LocalError, match="cannot be opened"):
                await anna.open_table(table, game, dict[str, int | str](options), seats)


async def test_calls_out_of_order_are_refused(tmp_path: Path) -> None:
    """Without a table there is no move, no record and nothing to go on with."""
    async with open_peer(config(tmp_path, "anna")) as anna:
        with pytest.raises(LocalError, match="at no table"):
            await anna.move(("dismiss",))
        with pytest.raises(LocalError, match="has not been at a table"):
            await anna.record()
        assert await anna.resume() is False


async def test_troubles_have_a_reason(tmp_path: Path) -> None:
    """Folder in use, port in use, unusable interface: one sentence, and a word for programs."""
    async with open_peer(config(tmp_path, "anna")) as anna:
        with pytest.raises(Trouble) as caught:
            async with open_peer(config(tmp_path, "anna")):
                pass
        assert caught.value.reason == "data-in-use"
        with pytest.raises(Trouble) as caught:
            async with open_peer(config(tmp_path, "bert", anna.port)):
                pass
        assert caught.value.reason == "port-in-use"
        with pytest.raises(Trouble) as caught:
            async with open_peer(PeerConfig(tmp_path / "carl", "carl", "nowhere9")):
                pass
        assert caught.value.reason == "interface"
        with pytest.raises(LocalError, match="name"):
            async with open_peer(config(tmp_path, "do\tra")):
                pass


async def test_error_of_the_block_comes_out_as_it_is(tmp_path: Path) -> None:
    """What the caller's own code raises is not wrapped in a group."""
    with pytest.raises(ZeroDivisionError):
        async with open_peer(config(tmp_path, "anna")):
            raise ZeroDivisionError


async def test_links_are_told_with_names_and_ways(tmp_path: Path) -> None:
    """Both sides hear of a link: who dialled by address says so, the other one was dialled."""
    async with peers(tmp_path, "anna", "bert") as (anna, bert):
        await anna.open_table("kitchen", "hazari", {}, 4)
        await bert.join(None, (LOOPBACK, anna.port))
        one, other = await told(anna, Linked), await told(bert, Linked)
        assert isinstance(one, Linked)
        assert isinstance(other, Linked)
        assert (one.key, one.how) == (bert.key, "incoming")
        assert (other.key, other.how) == (anna.key, "address")
        assert len(other.short) == 8
