"""A table that is over is served on after a restart, to its players, until another one begins."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from p2p.keeper import Keeper
from p2p.messages import Entries, Have, LanePosition, Message, Ping
from p2p.store import memory_store
from p2p.transport import Address
from protocol.effects import Persist
from protocol.events import MatchOver
from protocol.signing import public_bytes
from tests.p2p.people import LOOPBACK, Told, a_table, people
from tests.protocol.tables import make_table


@pytest.mark.trio
async def test_only_who_had_a_seat_is_answered() -> None:
    """From the disk, and nothing about other tables."""
    table, store = make_table(), memory_store()
    name, keys = table.agreement.table_id, [public_bytes(key) for key in table.keys]
    await store.open_table(name, table.sealed, 1, 1_000)
    await store.carry_out(name, [Persist(0, 1, 1, b"the last entry")])
    await store.finish_table(name)
    stored = await store.newest()
    assert stored is not None
    posted: list[tuple[tuple[bytes, ...], Message]] = []
    mesh = SimpleNamespace(waiting_bytes=lambda key: 0, post=lambda *post: posted.append(post))
    keeper = Keeper(stored, mesh, store)  # type: ignore[arg-type]
    assert keeper.ping(7) == Ping(7, name, ())
    have = Have(name, (LanePosition(0, 1, ()),))
    await keeper.received(b"e" * 32, have)
    await keeper.received(keys[1], have)
    await keeper.received(keys[0], Have(b"o" * 32, have.lanes))
    await keeper.received(keys[0], keeper.ping(1))
    assert posted == []
    await keeper.received(keys[0], have)
    assert posted == [((keys[0],), Entries(name, (b"the last entry",), 0, ()))]


@pytest.mark.trio
async def test_people_are_not_told_of_it(tmp_path: Path) -> None:
    """It is served by a program that is free for another table, and no more once that begins."""
    async with a_table(tmp_path) as seats:
        for seat in seats:
            await seat.until_told(MatchOver)
    async with people(tmp_path, "anna", "bert", strategy="random") as (anna, bert):
        kept = anna.peer._owner._keeper
        assert kept is not None
        assert kept.keys == seats_of(seats)
        assert await anna.peer.resume() is False
        assert anna.peer._owner.table is None
        await anna.peer.open_table("kitchen", "azi", {}, 2)
        await bert.peer.join("kitchen", Address(LOOPBACK, anna.peer.port))
        await anna.until(lambda: anna.peer._owner.seat is not None)
        assert anna.peer._owner._keeper is None


def seats_of(seats: list[Told]) -> tuple[bytes, ...]:
    """The keys at a table, by seat."""
    seat = seats[0].peer._owner.seat
    assert seat is not None
    return seat.agreement.keys
