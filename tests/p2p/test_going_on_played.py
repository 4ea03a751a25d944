"""Real peers go on at a new table when one of them has left: links, disk and cryptography."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
import trio

from engine import Plain
from p2p.events import Agreed, LobbyChanged, Resumed, TablesTold
from p2p.peer import PeerConfig, open_peer
from protocol import going_on
from protocol.errors import LocalError
from protocol.events import HandOver, HandStarted, MatchOver, Stopped
from protocol.verifier import verify
from tests.p2p.people import LOOPBACK, NAMES, Told, people, sit_down

pytestmark = pytest.mark.slow


def standings(told: Told) -> list[Plain]:
    """The standings after each hand that a player has seen finished."""
    return [event.standing for event in told.of(HandOver) if isinstance(event, HandOver)]


def hears_of(told: Told, table: bytes) -> bool:
    """Whether somebody has told this player of a table that goes on from that one."""
    offers = (offer for event in told.of(TablesTold) for offer in event.offers)  # type: ignore[attr-defined]
    return any(offer.origin == table for offer in offers)


async def begin(seats: Sequence[Told], hands: int) -> bytes:
    """A table of Hazari at which the last of the players leaves after one hand; its id."""
    await sit_down(seats, hands)
    await seats[-1].peer.sit("leave")
    for seat in seats[:-1]:
        await seat.until_told(Stopped)
    (agreed,) = seats[0].of(Agreed)
    assert isinstance(agreed, Agreed)
    return agreed.table_id


@pytest.mark.trio
async def test_three_of_four_go_on_with_somebody_new(tmp_path: Path) -> None:
    """The scores of the first hand count in the second one, which ends the match."""
    async with people(tmp_path, *NAMES, "emil", strategy="random") as five:
        seats, emil = five[:4], five[4]
        anna, bert, carl, _ = seats
        table = await begin(seats, hands=2)
        before = await anna.peer.record()
        left = standings(anna)[0]
        await anna.peer.go_on()
        await bert.until(lambda: hears_of(bert, table))
        await bert.peer.join(opener=anna.peer.key)
        await carl.peer.join(opener=anna.peer.key)
        await emil.peer.join("kitchen", (LOOPBACK, anna.peer.port))
        for told in (anna, bert, carl, emil):
            await told.until_told(MatchOver)
        # Who has no seat there is not looked for any more, nor are the others told of it.
        members = {bert.peer.key, carl.peer.key, emil.peer.key}
        assert set(anna.peer._owner._mesh.known()) == members
        (seen,) = emil.of(Agreed)
        assert isinstance(seen, Agreed)
        assert seen.origin is not None
        assert (seen.origin.table, seen.origin.hand, seen.origin.standing) == (table, 2, left)
        first, *_ = emil.of(HandStarted)  # of several after a tie
        assert isinstance(first, HandStarted)
        assert first.hand == 2
        names = [player.name for player in verify(before).agreement.players]  # type: ignore[union-attr]
        now = [player.name for player in seen.players]
        assert now == ["emil" if name == "dora" else name for name in names]
        after = verify(await emil.peer.record())
        assert after.verdict == "complete"
        points = dict(after.standing)["points"]  # type: ignore[arg-type]
        assert sum(points) in range(720, 360 * 20, 360)  # more if there is a tie
        assert all(one >= other for one, other in zip(points, dict(left)["points"], strict=True))  # type: ignore[arg-type]


@pytest.mark.trio
async def test_a_peer_that_was_started_again_goes_on_from_its_store(tmp_path: Path) -> None:
    """What it knows of the table that stopped is on its disk; so is what the others know."""
    async with people(tmp_path, *NAMES, strategy="random") as seats:
        table = await begin(seats, hands=2)
    async with people(tmp_path, *NAMES, strategy="random") as seats:
        anna, bert, carl, dora = seats
        found = await anna.peer.stopped()
        assert isinstance(found, going_on.StoppedTable)
        assert found.origin.table == table
        await anna.peer.go_on()
        for told in (bert, carl, dora):
            await told.peer.join("kitchen", (LOOPBACK, anna.peer.port))
        for told in seats:
            await told.until_told(MatchOver)


@pytest.mark.trio
async def test_a_table_that_goes_on_is_there_again_after_a_restart(tmp_path: Path) -> None:
    """One program ends in the middle of its first hand, which is the second of the match."""
    async with people(tmp_path, *NAMES[:3], strategy="random") as three:
        async with people(tmp_path, NAMES[3], strategy="random") as (dora,):
            table = await begin([*three, dora], hands=2)
            await three[0].peer.go_on()
            dora.hold = True
            for told in (*three[1:], dora):
                await told.until(partial(hears_of, told, table))  # the old one has the same name
                await told.peer.join("kitchen", (LOOPBACK, three[0].peer.port))
            await dora.until(lambda: dora.asked is not None and len(dora.of(HandStarted)) == 2)
        async with people(tmp_path, NAMES[3], strategy="random") as (dora,):
            assert await dora.peer.resume()
            await dora.until_told(MatchOver)
            (resumed,) = dora.of(Resumed)
            assert isinstance(resumed, Resumed)
            assert resumed.origin is not None
            assert verify(await dora.peer.record()).verdict == "complete"


@pytest.mark.trio
async def test_nothing_goes_on_where_nothing_has_stopped(tmp_path: Path) -> None:
    """A peer that was at no table says so, and opens none."""
    async with open_peer(PeerConfig(tmp_path, "anna", LOOPBACK, discovery=False)) as peer:
        assert await peer.stopped() is None
        with pytest.raises(LocalError, match="not been at a table"):
            await peer.go_on()


@pytest.mark.trio
async def test_who_joins_sees_what_the_table_begins_with(tmp_path: Path) -> None:
    """The waiting list tells it before anybody is ready."""
    async with people(tmp_path, *NAMES, "emil", strategy="random") as five:
        seats, emil = five[:4], five[4]
        await begin(seats, hands=2)
        await seats[0].peer.go_on()
        await emil.peer.join("kitchen", (LOOPBACK, seats[0].peer.port))
        await emil.until_told(LobbyChanged)
        event = emil.of(LobbyChanged)[-1]
        assert isinstance(event, LobbyChanged)
        assert event.origin is not None
        assert event.origin.standing == standings(seats[0])[0]
        with trio.move_on_after(0.2):
            await emil.until_told(Agreed)
        assert emil.of(Agreed) == []
