"""A whole table of four peers in virtual time: lobby, mesh, sessions, records."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable
from functools import cache

import pytest
import trio

from p2p.events import Linked, PeerEvent, Resumed, SessionTold
from p2p.mesh import Mesh
from p2p.messages import EnvelopeMessage, Message
from protocol.events import HandStarted, MatchOver, StepClosed, Stopped
from protocol.verifier import verify
from tests.sim import determinism
from tests.sim.table import NAMES, Player, World, agreed_at, host, nothing, with_table

DELAY = 0.01

Story = Callable[[World], Awaitable[None]]


def table(seed: str, story: Story = nothing, hands: int = 1) -> World:
    """A table that was played to its end."""
    number = int.from_bytes(seed.encode(), "big") % 2**32
    return determinism.run(number, lambda: with_table(seed, story, delay=DELAY, hands=hands))


@cache
def quiet_table() -> World:
    """A table at which nothing happened but the game."""
    return table("quiet")


def records(world: World) -> list[bytes]:
    """The record of each player."""

    async def read() -> list[bytes]:
        return [await player.peer.record() for player in world.players.values()]

    return trio.run(read)


def assert_sound(world: World) -> None:
    """All ended the match on one history, nobody broke a rule, and the record proves it."""
    players = list(world.players.values())
    for player in players:
        player.time_of(MatchOver)
        assert player.faults == [], player.name
        assert not any(isinstance(event, Stopped) for event in player.session_events)
    assert len({player.head for player in players}) == 1
    for record in set(records(world)):
        report = verify(record)
        assert report.verdict == "complete", report


def trace(world: World) -> list[str]:
    """Everything that was sent and told, in order, with its time."""
    sent = [repr(piece) for piece in world.network.trace]
    told = [repr((player.name, line)) for player in world.players.values() for line in player.told]
    return sent + told


def test_trio_has_what_repeatable_runs_need() -> None:
    """If this fails, Trio has changed: look at tests/sim/determinism.py first."""
    determinism.guard()


def test_match_ends_with_equal_heads_and_sound_records() -> None:
    """Four peers play a hand; all stand on one history and all records verify."""
    world = quiet_table()
    assert_sound(world)
    assert set(world.players) == set(NAMES)


def test_same_seed_same_run() -> None:
    """Every byte on every link, and all that is told, is the same in each run of a seed."""
    assert trace(table("quiet")) == trace(quiet_table())


def test_other_seed_other_run() -> None:
    """Another seed gives other cards and another order of things."""
    other = table("other")
    assert_sound(other)
    assert other.players["anna"].head != quiet_table().players["anna"].head


def test_no_step_waits_for_a_poll_or_a_sleep() -> None:
    """A step takes one delay of a link: what all wait for is sent the moment it can be."""
    world = quiet_table()
    for player in world.players.values():
        closed = [e for e in player.session_events if isinstance(e, StepClosed)]
        steps = sum(1 for event in closed if event.lane in (0, 1))
        took = player.time_of(MatchOver) - agreed_at(player)
        # Two more: whoever has the agreement first waits for the others, and their first entries
        # are passed on by the opener while their own links are not up yet.
        assert steps == 13
        assert took <= (steps + 2) * DELAY + 1e-9, (player.name, took / DELAY)


def test_pack_is_made_while_a_hand_is_played() -> None:
    """The second hand waits for no shuffle: its pack was finished, or nearly, before."""
    world = table("two hands", hands=2)
    assert_sound(world)
    for player in world.players.values():
        starts = [
            time
            for time, event in player.told
            if isinstance(event, SessionTold) and isinstance(event.event, HandStarted)
        ]
        # READY, SHARES, UP, LOCK, SHARES, RESULT, SIT, READY: and at most one more for the pack.
        assert len(starts) == 2
        assert starts[1] - starts[0] <= 9 * DELAY + 1e-9


def test_cut_link_between_two_is_no_trouble() -> None:
    """Two peers that cannot reach each other at all play, because others pass things on."""

    async def cut(world: World) -> None:
        world.network.cut(host("bert"), host("carl"))

    world = table("cut", cut)
    assert_sound(world)
    told = [event for _, event in world.players["bert"].told]
    names = {event.name for event in told if isinstance(event, Linked)}
    assert "carl" not in names


def when(player: Player, wanted: Callable[[object], bool]) -> trio.Event:
    """An event that is set when the player's session tells something."""
    happened = trio.Event()

    def told(event: PeerEvent) -> None:
        if isinstance(event, SessionTold) and wanted(event.event):
            happened.set()

    player.on_told = told
    return happened


@pytest.mark.parametrize(("lane", "step"), [(1, 2), (1, 4), (0, 1), (0, 2), (0, 4)])
def test_player_that_was_cut_off_catches_up(lane: int, step: int) -> None:
    """A player without any link for a while gets what it missed, and the hand goes on."""

    async def cut_off(world: World) -> None:
        def closed(event: object) -> bool:
            return isinstance(event, StepClosed) and (event.lane, event.step) == (lane, step)

        await when(world.players["dora"], closed).wait()
        for name in NAMES[:3]:
            world.network.cut(host(name), host("dora"))
        await trio.sleep(9)
        assert not world.players["anna"].over.is_set()
        for name in NAMES[:3]:
            world.network.heal(host(name), host("dora"))

    world = table(f"cut off {lane} {step}", cut_off)
    assert_sound(world)
    # Redialled within the longest pause, caught up at once.
    assert world.players["dora"].time_of(MatchOver) < 9 + 10


@pytest.mark.parametrize("seed", range(4))
def test_random_cuts_never_stop_a_table(seed: int) -> None:
    """Links that come and go at random delay a match and do nothing else."""
    chance = random.Random(seed)

    async def storm(world: World) -> None:
        for _ in range(12):
            one, other = chance.sample(NAMES, 2)
            world.network.cut(host(one), host(other))
            await trio.sleep(chance.choice((0.005, 0.02, 0.5, 7.0)))
            if chance.random() < 0.7:
                world.network.heal(host(one), host(other))
        for one in NAMES:
            for other in NAMES:
                world.network.heal(host(one), host(other))

    assert_sound(table(f"storm {seed}", storm, hands=2))


PLACES = [(1, 1), (1, 2), (1, 4), (1, 7), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]


@pytest.mark.parametrize(("lane", "step"), PLACES)
def test_player_that_was_killed_goes_on(lane: int, step: int) -> None:
    """Killed after any step and started again, a peer goes on with the very same cards."""

    async def kill(world: World) -> None:
        def closed(event: object) -> bool:
            return isinstance(event, StepClosed) and (event.lane, event.step) == (lane, step)

        await when(world.players["bert"], closed).wait()
        world.crash("bert", 0.05 if step % 2 else 8.0)

    world = table(f"killed {lane} {step}", kill)
    assert_sound(world)
    bert = world.players["bert"]
    # Linked and caught up at once: neither the wait for others nor a ping has any part in it.
    assert bert.time_of(MatchOver) - bert.time_of(Resumed) < 1.5


def test_lost_entries_come_back_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that has lost the last entries, own ones too, gets them from the others.

    They are taken in portions of one step, each asked for when the one before has been judged;
    before all are there the peer signs nothing, so it cannot contradict itself.
    """
    monkeypatch.setattr("p2p.catchup.STEPS_AHEAD", 1)

    async def lose(world: World) -> None:
        def closed(event: object) -> bool:
            return isinstance(event, StepClosed) and (event.lane, event.step) == (0, 4)

        bert = world.players["bert"]
        await when(bert, closed).wait()
        world.crash("bert", 0.5)
        connection = bert.store._database._connection
        connection.execute("DELETE FROM entries WHERE lane = 0 OR step > 2")

    world = table("lost", lose)
    assert_sound(world)
    bert = world.players["bert"]
    assert bert.time_of(MatchOver) - bert.time_of(Resumed) < 3


def test_ping_shows_who_has_fallen_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries that got lost although no link broke are asked for after a ping or two."""
    post = Mesh.post
    deaf: list[bytes] = []

    def lossy(self: Mesh, keys: Iterable[bytes], message: Message) -> None:
        if isinstance(message, EnvelopeMessage):
            keys = [key for key in keys if key not in deaf]
        post(self, keys, message)

    monkeypatch.setattr(Mesh, "post", lossy)

    async def lose(world: World) -> None:
        def closed(event: object) -> bool:
            return isinstance(event, StepClosed) and (event.lane, event.step) == (1, 2)

        dora = world.players["dora"]
        await when(dora, closed).wait()
        deaf.append(dora.peer.key)
        await trio.sleep(1)
        deaf.clear()

    world = table("deaf", lose)
    assert_sound(world)
    dora = world.players["dora"]
    assert dora.time_of(MatchOver) - agreed_at(dora) < 8


def test_all_players_are_killed_and_go_on() -> None:
    """A power cut for everybody in the middle of a hand costs nothing but time."""

    async def power_cut(world: World) -> None:
        def closed(event: object) -> bool:
            return isinstance(event, StepClosed) and (event.lane, event.step) == (0, 2)

        await when(world.players["bert"], closed).wait()
        for name in NAMES:
            world.crash(name, 1.0)

    assert_sound(table("power cut", power_cut, hands=2))
