"""Somebody looks on in virtual time: found by discovery, in the middle, and when members crash."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from p2p.events import SpectatorsChanged, Watching
from protocol.events import HandOver, MatchOver, ViewChanged
from protocol.verifier import verify
from tests.sim import determinism
from tests.sim.network import Air, Network
from tests.sim.table import GUEST, NAMES, World, agreed_at

HANDS = 5


async def until(holds: Callable[[], bool]) -> None:
    """Waits, in virtual time, until something is so."""
    with trio.fail_after(600):
        while True:
            if holds():
                return
            await trio.sleep(0.05)


async def watched(seed: str, story: Callable[[World], Awaitable[None]]) -> World:
    """A match at which a guest looks on, from the middle of it; the story happens meanwhile."""
    world = World(seed, Network(0.01), Air(0.01))
    async with trio.open_nursery() as nursery:
        for name in (*NAMES, GUEST):
            await nursery.start(world.live, name)
        await world.gather(HANDS)
        await until(lambda: all(told(world, name, ViewChanged) for name in NAMES))
        await world.players[GUEST].peer.watch()
        await until(lambda: bool(told(world, GUEST, ViewChanged)))
        await story(world)
        await world.finish()
        world._leave.set()
    return world


def told(world: World, name: str, kind: type) -> list[object]:
    """What a player was told of a kind by the table."""
    events = world.players[name].session_events if name in world.players else []
    return [event for event in events if isinstance(event, kind)]


def assert_seen_to_the_end(world: World) -> None:
    """The guest has seen what the players have seen, and has the very record."""
    guest = world.players[GUEST]
    assert guest.faults == []
    assert guest.time_of(Watching) > agreed_at(world.players["anna"])
    assert told(world, GUEST, MatchOver) == told(world, "bert", MatchOver)
    hands = told(world, GUEST, HandOver)
    assert hands
    assert hands == told(world, "bert", HandOver)[-len(hands) :]

    async def records() -> set[bytes]:
        return {await player.peer.record() for player in world.players.values()}

    (record,) = trio.run(records)
    assert verify(record).verdict == "complete"


def test_guest_finds_the_table_and_sees_it_to_the_end() -> None:
    """By discovery alone, without a name; all members are told who it is."""

    async def nothing(world: World) -> None:
        pass

    world = determinism.run(1, lambda: watched("guest", nothing))
    assert_seen_to_the_end(world)
    for name in NAMES:
        events = [event for _, event in world.players[name].told]
        (changed,) = [event for event in events if isinstance(event, SpectatorsChanged)]
        assert [player.name for player in changed.players] == [GUEST]


def test_guest_goes_on_by_another_member_when_one_crashes() -> None:
    """The one that it listens to is killed and comes back; nothing is missed."""

    async def crash(world: World) -> None:
        onlooker = world.players[GUEST].peer._owner.tables.onlooker
        assert onlooker is not None
        keys = {world.players[name].peer.key: name for name in NAMES}
        before = keys[onlooker._contact]
        world.crash(before, 8.0)
        world.network.cut("10.0.0.5", f"10.0.0.{NAMES.index(before) + 1}")
        await until(lambda: keys[onlooker._contact] != before)

    world = determinism.run(2, lambda: watched("crash", crash))
    assert_seen_to_the_end(world)
