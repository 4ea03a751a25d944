"""Short forms are true where they are shown, and nobody waits for one that nobody compares."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from p2p import shorts
from p2p.events import Agreed, LobbyChanged, NewKeyForName, ShortMade
from p2p.identity import short_form
from p2p.jobs import InlineJobs
from p2p.peer import PeerConfig, open_peer
from p2p.seating import Seating
from p2p.shorts import MAX_VOUCHED, VOUCHED_SECONDS, Shorts
from protocol.agreement import Player
from protocol.errors import LocalError
from tests.p2p.people import LOOPBACK, Told

pytestmark = pytest.mark.trio

A, B = bytes([1]) * 32, bytes([2]) * 32


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The keys whose short forms were worked out."""
    found: list[bytes] = []

    def quick(key: bytes) -> str:
        found.append(key)
        return f"SHORT{key[0]:03}"

    monkeypatch.setattr(shorts, "short_form", quick)
    return found


@asynccontextmanager
async def running(told: Callable[[bytes, str], None]) -> AsyncIterator[Shorts]:
    """Short forms, made without threads."""
    found = Shorts(InlineJobs(), made=told)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(found.run)
        yield found
        nursery.cancel_scope.cancel()


async def test_nothing_waits_for_a_key_that_was_vouched_for(
    made: list[bytes], autojump_clock: trio.testing.MockClock
) -> None:
    """It is empty until it comes, is told then, and is not forgotten for strangers."""
    told: list[tuple[bytes, str]] = []
    async with running(lambda *what: told.append(what)) as found:
        found.vouch(A)
        assert await found.of(A) == found.known(A) == await found.of_stranger(A) == ""
        found.keep([A])
        assert await found.of(B) == "SHORT002"
        assert made == [B]
        await trio.sleep(VOUCHED_SECONDS + 1)
        assert made == [B, A]
        assert told == [(A, "SHORT001")]
        assert found.known(A) == "SHORT001"
        for stranger in range(3, 303):
            await found.of(stranger.to_bytes(32, "big"))
        assert found.known(A) == "SHORT001"
        found.vouch(A)
        await trio.sleep(VOUCHED_SECONDS + 1)
        assert made.count(A) == 1


async def test_not_too_many_are_vouched_for(
    made: list[bytes], autojump_clock: trio.testing.MockClock
) -> None:
    """The oldest are like all others then."""
    async with running(lambda key, short: None) as found:
        for n in range(MAX_VOUCHED + 1):
            found.vouch(n.to_bytes(32, "big"))
        assert found.known(bytes(32)) is None
        assert found.known((1).to_bytes(32, "big")) == ""


async def test_where_nobody_is_shown_any_none_is_made(made: list[bytes]) -> None:
    """Unless something depends on it."""
    found = Shorts(InlineJobs(), shown=False)
    assert await found.of(A) == await found.of_stranger(A) == found.known(A) == ""
    assert made == []
    assert await found.proved(A) == "SHORT001"
    assert found.known(A) == ""


@pytest.mark.slow
async def test_bot_knows_its_owner_by_the_whole_key(tmp_path: Path) -> None:
    """It joins by an invite code, and works nothing out; a stranger's code leads nowhere still."""
    config = PeerConfig(tmp_path / "anna", "anna", LOOPBACK, discovery=False)
    async with open_peer(config) as anna, trio.open_nursery() as nursery:
        owner = Told(anna)
        nursery.start_soon(owner.run)
        await anna.open_table("kitchen", "azi", {}, 2, True)
        (code,) = anna.invites()
        bare = replace(config, data=tmp_path / "bot", name="bot", owner=anna.key, shorts=False)
        async with open_peer(bare) as peer:
            bot = Told(peer)
            nursery.start_soon(bot.run)
            anna.vouch(peer.key)
            await peer.join(code=code)
            await bot.until(lambda: bool(bot.of(Agreed)))
            (agreed,) = bot.of(Agreed)
            assert [one.short for one in agreed.players] == ["", ""]  # type: ignore[attr-defined]
            listed: Any = owner.of(LobbyChanged)[-1]
            assert [one.short for one in listed.players] == [short_form(anna.key), ""]
            await owner.until(lambda: bool(owner.of(ShortMade)))
            assert owner.of(ShortMade) == [ShortMade(peer.key, short_form(peer.key))]
        nursery.cancel_scope.cancel()


async def meets(seating: Seating, player: Player) -> None:
    """A player is at a table for the first time."""
    await seating._warn(player, await seating._pin(player, ()))


async def test_nobody_is_warned_of_the_new_key_of_an_own_bot(tmp_path: Path) -> None:
    """It has one in each game. Of anybody else with its name people are told."""
    config = PeerConfig(tmp_path, "anna", LOOPBACK, discovery=False)
    async with open_peer(config) as anna, trio.open_nursery() as nursery:
        told = Told(anna)
        nursery.start_soon(told.run)
        seating = anna._owner.tables._seating
        await meets(seating, Player(A, "Ben", anna.key))
        anna.vouch(B)
        await meets(seating, Player(B, "Ben", anna.key))
        await trio.testing.wait_all_tasks_blocked()
        assert told.of(NewKeyForName) == []
        await meets(seating, Player(bytes([3]) * 32, "Ben", anna.key))
        await told.until(lambda: bool(told.of(NewKeyForName)))
        nursery.cancel_scope.cancel()


async def test_bot_is_not_led_to_somebody_else(tmp_path: Path) -> None:
    """Whoever answers at the address of a code must have its key, or be the bot's owner."""
    config = PeerConfig(tmp_path / "anna", "anna", LOOPBACK, discovery=False)
    async with open_peer(config) as anna:
        (code,) = anna.invites()
        port = anna.port
    async with open_peer(replace(config, data=tmp_path / "mallory", port=port)) as mallory:
        await mallory.open_table("kitchen", "azi", {}, 2)
        bare = replace(config, data=tmp_path / "bot", name="bot", owner=anna.key, shorts=False)
        async with open_peer(bare) as bot:
            with pytest.raises(LocalError, match="Somebody else answers"):
                await bot.join(code=code)
