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
from protocol.evidence import MOST_SHOWN
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
async def test_who_goes_on_beyond_the_end_is_shown_what_it_rests_on() -> None:
    """It stands on another version of an entry; a few times, and not who only lacks the end."""
    table, store = make_table(), memory_store()
    name, keys = table.agreement.table_id, [public_bytes(key) for key in table.keys]
    await store.open_table(name, table.sealed, 1, 1_000)
    for lane, step in ((0, 1), (0, 2), (1, 6), (2, 1), (3, 1)):
        await store.carry_out(name, [Persist(lane, step, 2, b"%d %d" % (lane, step))])
    await store.finish_table(name)
    stored = await store.newest()
    assert stored is not None
    posted: list[Message] = []
    mesh = SimpleNamespace(waiting_bytes=lambda key: 0, post=lambda keys, what: posted.append(what))
    keeper = Keeper(stored, mesh, store)  # type: ignore[arg-type]

    async def told(*lanes: LanePosition) -> set[bytes]:
        posted.clear()
        await keeper.received(keys[0], Have(name, lanes))
        return {
            one for entries in posted if isinstance(entries, Entries) for one in entries.envelopes
        }

    lacks = LanePosition(0, 2, ()), LanePosition(2, 1, ()), LanePosition(3, 1, ())
    beyond = LanePosition(0, 4, ()), LanePosition(2, 3, ()), LanePosition(3, 1, ())
    for _ in range(MOST_SHOWN):
        assert await told(*lacks) == {b"0 2", b"2 1", b"3 1"}
        assert await told(*beyond) == {b"0 2", b"2 1", b"3 1"}
    assert await told(*lacks) == {b"0 2", b"2 1", b"3 1"}
    assert await told(*beyond) == {b"3 1"}


@pytest.mark.slow
@pytest.mark.trio
async def test_people_are_not_told_of_it(tmp_path: Path) -> None:
    """It is served by a program that is free for another table, and no more once that begins."""
    async with a_table(tmp_path) as seats:
        for seat in seats:
            await seat.until_told(MatchOver)
    async with people(tmp_path, "anna", "bert", strategy="random") as (anna, bert):
        kept = anna.peer._owner.tables.keeper
        assert kept is not None
        assert kept.keys == seats_of(seats)
        assert await anna.peer.resume() is False
        assert anna.peer._owner.tables.table is None
        await anna.peer.open_table("kitchen", "azi", {}, 2)
        await bert.peer.join("kitchen", Address(LOOPBACK, anna.peer.port))
        await anna.until(lambda: anna.peer._owner.tables.seat is not None)
        assert anna.peer._owner.tables.keeper is None


def seats_of(seats: list[Told]) -> tuple[bytes, ...]:
    """The keys at a table, by seat."""
    seat = seats[0].peer._owner.tables.seat
    assert seat is not None
    return seat.agreement.keys
