"""What was signed makes a player sit down, for a while, and not against its will. SPEC 11.7."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest
import trio
import trio.lowlevel

from p2p.database import Pledge
from p2p.events import Agreed, LookedInVain, Looking, PeerEvent
from p2p.finder import Offer
from p2p.handle import Peer, run_peer
from p2p.identity import Identity
from p2p.jobs import InlineJobs
from p2p.messages import Agreed as AgreedMessage
from p2p.messages import Message, Statement, Tables
from p2p.outputs import Promise
from p2p.parts import Parts
from p2p.recall import LOOK_SECONDS, PLEDGE_SECONDS
from p2p.statements import Here, Refuse, make, read
from p2p.store import Store, memory_store
from protocol.errors import LocalError
from protocol.signing import public_bytes
from tests.p2p.lobby_room import hash_stream, terms
from tests.p2p.test_recall import LOBBY, NUMBER, pledged
from tests.protocol.once import computed_once
from tests.protocol.tables import make_table
from tests.sim import determinism
from tests.sim.network import Network, SimTransport

WALL = 2_000
"""Seconds of Unix time at which the program is started."""

TABLE = make_table(0, "azi", seats=2)
OWN, OTHER = (public_bytes(key) for key in TABLE.keys)

Story = Callable[["Alone"], Awaitable[None]]


class Alone:
    """A peer without links that has signed; what others say is put into its owner's hands."""

    def __init__(self, peer: Peer, store: Store) -> None:
        self.peer = peer
        self.store = store
        self.told: list[PeerEvent] = []
        self.posted: list[Message] = []
        vars(peer._owner._mesh)["post"] = lambda keys, message: self.posted.append(message)

    async def comes(self, message: Message) -> None:
        """Something comes by the link with the other player."""
        await self.peer._owner.do(lambda: self.peer._owner._got(OTHER, message))

    async def agreement_comes(self) -> int:
        """The whole agreement comes by it; how often this peer has sat down until now."""
        await self.comes(AgreedMessage(TABLE.sealed))
        await trio.lowlevel.checkpoint()
        return self.heard(Agreed)

    def heard(self, kind: type) -> int:
        """How often it was told something of a kind."""
        return sum(isinstance(event, kind) for event in self.told)

    async def listen(self) -> None:
        """Reads all that it is told."""
        async for event in self.peer.events:
            self.told.append(event)


def alone(story: Story, made: int = WALL - 1, pledge: Pledge | None = None) -> Store:
    """A program that is started with a pledge on its disk; the story happens to it."""
    store = memory_store()

    async def main() -> None:
        await store.pledge(replace(pledge or pledged(TABLE), made=made))
        parts = Parts(
            Identity(TABLE.keys[0], OWN),
            "anna",
            b"",
            SimTransport(Network(0.01), "10.0.0.1", 7_000),
            store,
            InlineJobs(),
            hash_stream("alone"),
            lambda: ["10.0.0.1"],
            lambda: WALL + trio.current_time(),
            shorts=False,
        )
        async with run_peer(parts) as peer, trio.open_nursery() as nursery:
            one = Alone(peer, store)
            nursery.start_soon(one.listen)
            await story(one)
            nursery.cancel_scope.cancel()

    with computed_once():
        determinism.run(1, main)
    return store


def test_it_looks_for_ten_seconds_and_then_waits_for_what_comes_by_itself() -> None:
    """Whoever waits for ``resume`` goes on after that; the agreement counts all the same."""

    async def story(one: Alone) -> None:
        assert await one.peer.resume() is False
        assert trio.current_time() == pytest.approx(LOOK_SECONDS, abs=0.1)
        await trio.sleep(0.1)
        assert (one.heard(Looking), one.heard(LookedInVain)) == (1, 1)
        assert await one.agreement_comes() == 1
        assert await one.agreement_comes() == 1

    store = alone(story)
    assert store._database.pledges() == []
    assert [table.lobby for table in store._database.tables()] == [LOBBY]


def test_agreement_that_comes_in_time_ends_the_looking() -> None:
    """And ``resume`` says that this player has a seat."""

    async def story(one: Alone) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one.agreement_comes)
            assert await one.peer.resume() is True
        assert trio.current_time() < 1
        assert one.heard(LookedInVain) == 0

    alone(story)


@pytest.mark.parametrize(("age", "sits"), [(PLEDGE_SECONDS - 1, 1), (PLEDGE_SECONDS, 0)])
def test_what_was_signed_too_long_ago_counts_no_more(age: int, sits: int) -> None:
    """People may have forgotten it."""

    async def story(one: Alone) -> None:
        assert one.peer._owner.pledges.looks_for(LOBBY) is bool(sits)
        assert await one.agreement_comes() == sits

    alone(story, WALL - age)


def test_program_that_runs_on_forgets_it_too() -> None:
    """The time counts from the signing, whenever it was started."""

    async def story(one: Alone) -> None:
        await trio.sleep(PLEDGE_SECONDS)
        assert await one.agreement_comes() == 0

    alone(story)


def test_new_lobby_is_left_for_what_was_signed_before_but_not_when_it_is_about_to_begin() -> None:
    """Then others rely on this player there."""

    async def story(one: Alone) -> None:
        await one.peer.open_table("attic", "azi", {}, 3)
        lobby = one.peer._owner.reception.lobby
        assert lobby is not None
        vars(lobby.rounds)["sealing"] = SimpleNamespace(committed=lambda key: True)
        assert await one.agreement_comes() == 0
        vars(lobby.rounds)["sealing"] = None
        assert await one.agreement_comes() == 1
        assert not one.peer._owner.reception.waiting
        assert one.heard(LookedInVain) == 0

    alone(story)


def test_what_was_signed_in_a_lobby_that_is_left_does_not_come_by_itself_any_more() -> None:
    """Also if the program was started again before, and has it in mind since then."""

    async def story(one: Alone) -> None:
        told = replace(terms(), lobby=LOBBY, opener=OTHER, table="attic")
        await one.peer._owner.do(lambda: one.peer._owner.reception.join(told, OTHER))
        await one.peer.leave()
        assert await one.agreement_comes() == 0

    assert alone(story)._database.tables() == []


def test_seat_that_a_table_has_begun_with_is_not_taken_once_more() -> None:
    """Whoever asks for it by ``resume`` has it: a second one would sign other entries."""

    async def story(one: Alone) -> None:
        owner = one.peer._owner
        assert await one.agreement_comes() == 1
        seat = owner.tables.seat
        assert await one.peer.resume() is True
        assert await owner.do(owner.resume) is seat
        assert owner.tables.seat is seat

    alone(story)


def test_who_was_looking_for_a_table_to_look_on_at_stays_at_the_one_that_has_begun() -> None:
    """All links are for that one."""

    async def story(one: Alone) -> None:
        owner = one.peer._owner
        told = replace(terms(), lobby=b"a" * 16, opener=OTHER, taken=4)
        assert await one.agreement_comes() == 1
        with pytest.raises(LocalError, match="plays at a table"):
            await owner.do(lambda: owner.watch(Offer(OTHER, told)))
        assert owner.tables.onlooker is None

    alone(story)


def test_who_was_looking_for_another_table_does_not_enter_it_any_more() -> None:
    """The table that was signed has begun meanwhile; a lobby beside it would be one too many."""

    async def story(one: Alone) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one.peer.join, "attic")
            await trio.sleep(1)
            assert await one.agreement_comes() == 1
            told = replace(terms(), lobby=b"a" * 16, opener=OTHER, table="attic")
            await one.comes(Tables((told,)))
        assert not one.peer._owner.reception.waiting

    alone(story)


@pytest.mark.parametrize("leaves", [True, False])
def test_who_leaves_a_lobby_strikes_out_what_it_has_signed_there(leaves: bool) -> None:
    """Who only ends the program does not."""

    async def story(one: Alone) -> None:
        await one.peer.open_table("attic", "azi", {}, 3)
        lobby = one.peer._owner.reception.lobby
        assert lobby is not None
        signed = pledged(make_table(5, "azi", seats=2))
        await one.store.pledge(replace(signed, lobby=lobby.info.lobby))
        if leaves:
            await one.peer.leave()

    assert len(alone(story)._database.pledges()) == 1 + (not leaves)


def test_of_all_who_are_looked_for_those_are_kept_who_sign_too() -> None:
    """Where a table goes on there are more, and more than can be read again."""

    async def story(one: Alone) -> None:
        looked_for = {OTHER: (), **{bytes([i]) * 32: () for i in range(6)}}
        lobby = SimpleNamespace(
            info=SimpleNamespace(lobby=b"a" * 16),
            wanted=looked_for,
            door=SimpleNamespace(token=b""),
        )
        promise = Promise(NUMBER, TABLE.agreement)
        await one.peer._owner.pledges.write(lobby, promise)  # type: ignore[arg-type]
        newest = (await one.store.pledges())[0]
        assert newest.members == ((OTHER, ()),)

    alone(story)


def test_whoever_waits_in_that_lobby_is_sent_away_only_when_nothing_is_looked_for() -> None:
    """It may have the signature that is missing."""

    async def story(one: Alone) -> None:
        waits = make(TABLE.keys[1], LOBBY, 1, Here(True)).statement
        await one.comes(waits)
        assert one.posted == []
        await one.peer.resume()
        await one.comes(make(TABLE.keys[1], LOBBY, 2, Here(True)).statement)
        (answer,) = one.posted
        assert isinstance(answer, Statement)
        said = read(answer).said
        assert isinstance(said, Refuse)
        assert said.code == "no-such-table"

    alone(story)


def test_pledge_that_cannot_be_read_is_passed_over() -> None:
    """Of another version, say."""

    async def story(one: Alone) -> None:
        assert await one.peer.resume() is False
        assert trio.current_time() == 0
        assert one.heard(Looking) == 0

    alone(story, pledge=replace(pledged(TABLE), body=b"\x90"))
