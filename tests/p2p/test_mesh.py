"""The mesh: one link per key, made again when it breaks, never at the mercy of a peer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
import trio

from p2p import codec, identity
from p2p.asking import ASK_SECONDS, STUCK_SECONDS, Asking, is_ahead
from p2p.endpoint import Endpoint
from p2p.flood import REMEMBERED, Flood
from p2p.frames import LinkDown
from p2p.identity import Identity
from p2p.jobs import Jobs
from p2p.link import Link
from p2p.livelink import DEAD_SECONDS, QUEUE_BYTES
from p2p.mesh import MAX_LINKS, SHUNNED_SECONDS, Broke, Down, Got, Mesh, MeshEvent, Named, Up
from p2p.messages import Bye, EnvelopeMessage, Knock, Members, Message, Ping, Pong, Tables
from p2p.shorts import Shorts
from p2p.transport import Address
from protocol.errors import PeerFault
from protocol.wire import Value
from tests.p2p.lobby_room import hash_stream
from tests.sim import determinism
from tests.sim.network import Network, SimTransport

DELAY = 0.01
TABLE = b"t" * 32


def someone(name: str) -> Identity:
    """An identity that is the same in each run."""
    return identity.make(hash_stream(name)(32))


ANNA, BERT = sorted((someone("anna"), someone("bert")), key=lambda who: who.key)
"""Anna has the smaller key."""


def host(who: Identity) -> str:
    """The address of somebody's computer."""
    return f"10.{who.key[0]}.{who.key[1]}.{who.key[2]}"


def address(who: Identity) -> Address:
    """Where somebody listens."""
    return Address(host(who), 7_000)


@dataclass
class Node:
    """A mesh, and everything that it told."""

    who: Identity
    mesh: Mesh
    told: list[tuple[float, MeshEvent]] = field(default_factory=list)

    def times(self, kind: type[MeshEvent]) -> list[float]:
        """When events of a kind came."""
        return [time for time, event in self.told if isinstance(event, kind)]

    @property
    def messages(self) -> list[Message]:
        """The messages that came, without pings."""
        got = [event.message for _, event in self.told if isinstance(event, Got)]
        return [message for message in got if not isinstance(message, Ping)]

    @property
    def faults(self) -> list[str]:
        """The codes of faults that were told."""
        return [event.fault.code for _, event in self.told if isinstance(event, Broke)]


@asynccontextmanager
async def node(network: Network, who: Identity, reads: bool = True) -> AsyncIterator[Node]:
    """A mesh on the network; ``reads``: somebody takes its events."""
    send, receive = trio.open_memory_channel[MeshEvent](8)
    endpoint = Endpoint(
        who, SimTransport(network, host(who), 7_000), entropy=hash_stream(who.key.hex())
    )
    mesh = Mesh(endpoint, who.key, send, lambda number: Ping(number, b"", ()))
    made = Node(who, mesh)

    async def take() -> None:
        async for event in receive:
            made.told.append((trio.current_time(), event))

    async with trio.open_nursery() as nursery:
        await nursery.start(mesh.run)
        if reads:
            nursery.start_soon(take)
        yield made
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def raw_link(network: Network, who: Identity, target: Identity) -> AsyncIterator[Link]:
    """A link that somebody dials and then uses in any way."""
    name = f"{who.key.hex()} raw"
    endpoint = Endpoint(who, SimTransport(network, host(who)), entropy=hash_stream(name))
    async with await endpoint.dial([address(target)], target.key) as link:
        yield link


def simulated(story: Callable[[Network], Awaitable[None]]) -> None:
    """Runs a story in virtual time."""

    async def main() -> None:
        with trio.fail_after(600):
            await story(Network(DELAY))

    determinism.run(1, main)


def test_two_that_dial_each_other_keep_one_link() -> None:
    """The link that the smaller key dialled stays, on both sides, and messages pass."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, node(network, BERT) as bert:
            # Both dial at once, without the head start.
            async with trio.open_nursery() as nursery:
                nursery.start_soon(anna.mesh.connect, [address(BERT)], BERT.key, "member")
                nursery.start_soon(bert.mesh.connect, [address(ANNA)], ANNA.key, "member")
            await trio.sleep(1)
            assert anna.mesh.linked == (BERT.key,)
            assert bert.mesh.linked == (ANNA.key,)
            assert anna.mesh._live[BERT.key].link.dialled
            assert not bert.mesh._live[ANNA.key].link.dialled
            anna.mesh.post([BERT.key], Tables(()))
            bert.mesh.post([ANNA.key], Tables(()))
            await trio.sleep(1)
            assert (anna.messages, bert.messages) == ([Tables(())], [Tables(())])
            assert anna.times(Down) == bert.times(Down) == []

    simulated(story)


def test_new_link_by_the_same_dialler_replaces_its_old_one() -> None:
    """Who comes back does not have to wait until its old link is found dead."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, raw_link(network, BERT, ANNA) as old:
            await trio.sleep(1)
            network_of_old = anna.mesh._live[BERT.key].link
            async with raw_link(network, BERT, ANNA):
                await trio.sleep(1)
                assert anna.mesh._live[BERT.key].link is not network_of_old
                assert [value async for value in old][-1] is not None
                assert anna.mesh.linked == (BERT.key,)
                assert len(anna.times(Up)) == 2
                assert anna.times(Down) == []

    simulated(story)


def test_link_lives_while_a_short_form_is_made() -> None:
    """On a busy machine it takes seconds, for which only the telling of people waits."""

    class SlowJobs(Jobs):
        async def run(self, work: Callable[[], Any]) -> Any:
            await trio.sleep(4 * DEAD_SECONDS)
            return "QHS7KE8R"

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, node(network, BERT) as bert:
            anna.mesh._shorts = Shorts(SlowJobs())
            await anna.mesh.connect([address(BERT)], BERT.key, "address")
            await trio.sleep(1)
            bert.mesh.post([ANNA.key], Tables(()))
            await trio.sleep(3 * DEAD_SECONDS)
            kinds = [type(event) for _, event in anna.told if not is_ping(event)]
            assert kinds == [Up, Got]
            await trio.sleep(3 * DEAD_SECONDS)
            assert len(anna.times(Named)) == 1
            assert bert.times(Down) == []

    simulated(story)


def is_ping(event: MeshEvent) -> bool:
    """Whether it is a ping that came."""
    return isinstance(event, Got) and isinstance(event.message, Ping)


def test_wanted_key_is_linked_and_linked_again() -> None:
    """A link that breaks is made again, and both sides are told."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna:
            anna.mesh.want({BERT.key: [address(BERT)]})
            async with node(network, BERT) as bert:
                await trio.sleep(10)
                assert bert.mesh.linked == (ANNA.key,)
            await trio.sleep(1)
            assert anna.mesh.linked == ()
            async with node(network, BERT) as bert:
                await trio.sleep(10)
                assert bert.mesh.linked == (ANNA.key,)
            assert len(anna.times(Up)) == 2

    simulated(story)


def test_dials_are_at_least_a_second_apart_and_grow_rarer() -> None:
    """A key that cannot be reached is dialled at most once a second, in the end every eight."""

    async def story(network: Network) -> None:
        dials: list[float] = []
        async with node(network, ANNA) as anna:
            dial = SimTransport.dial

            async def count(self: SimTransport, place: Address) -> object:
                dials.append(trio.current_time())
                raise LinkDown("nobody")

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(SimTransport, "dial", count)
                anna.mesh.want({BERT.key: [address(BERT)]})
                await trio.sleep(60)
                # Gossip brings more and more addresses: the pace stays.
                for last in range(100):
                    anna.mesh.learn(BERT.key, [Address(f"10.9.9.{last + 1}", 1)])
                    await trio.sleep(0.1)
            assert SimTransport.dial is dial
        starts = [t for t, before in zip(dials, [-1.0, *dials], strict=False) if t - before > 0.9]
        quiet = [t for t in starts if t <= 60]
        assert [round(t) for t in quiet][:6] == [0, 1, 3, 7, 15, 23]
        busy = [t for t in starts if t > 60]
        assert 2 <= len(busy) <= 11

    simulated(story)


def test_no_more_dials_when_no_longer_wanted() -> None:
    """Keys that do not sit at the table are not dialled any more, nor learned about."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna:
            anna.mesh.want({BERT.key: []})
            anna.mesh.want({})
            anna.mesh.learn(BERT.key, [address(BERT)])
            async with node(network, BERT) as bert:
                await trio.sleep(20)
                assert bert.mesh.linked == ()
            assert anna.mesh.known() == {}

    simulated(story)


def test_silent_link_is_dead_after_six_seconds() -> None:
    """A pulled cable is found out by pings, on both sides; an idle link lives on."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, node(network, BERT) as bert:
            await anna.mesh.connect([address(BERT)], BERT.key, "member")
            await trio.sleep(100)
            assert anna.mesh.linked == (BERT.key,)
            start = trio.current_time()
            network.cut(host(ANNA), host(BERT))
            await trio.sleep(20)
            for one in (anna, bert):
                (died,) = one.times(Down)
                assert DEAD_SECONDS - 2.5 <= died - start <= DEAD_SECONDS + 0.5

    simulated(story)


def test_slow_reader_is_dropped() -> None:
    """What waits for a peer that reads nothing is bounded; then the link goes."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, raw_link(network, BERT, ANNA):
            await trio.sleep(0.1)
            message = EnvelopeMessage(TABLE, b"e" * 16_000)
            most = 0
            for _ in range(QUEUE_BYTES // 16_000 + 30):
                anna.mesh.post([BERT.key], message)
                most = max(most, anna.mesh.waiting_bytes(BERT.key))
            assert QUEUE_BYTES - 20_000 <= most <= QUEUE_BYTES
            await trio.sleep(1)
            assert not anna.mesh.linked
            reasons = [e.reason for _, e in anna.told if isinstance(e, Down)]
            assert reasons == ["it reads too slowly"]

    simulated(story)


@pytest.mark.parametrize(
    "value",
    [("unknown", 1), b"bytes", ("ping", 1, b"x", ()), ("entries", TABLE, (b"",), 0)],
    ids=repr,
)
def test_malformed_message_closes_the_link_with_a_fault(value: Value) -> None:
    """Nonsense ends the link it came by, names the key, and keeps it away for a while."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna:
            async with raw_link(network, BERT, ANNA) as link:
                await link.send(codec.to_wire(Pong(1)))
                await link.send(value)
                said = [codec.from_wire(value) async for value in link]
                assert isinstance(said[-1], Bye)
                assert said[-1].code == "fault"
            assert len(anna.faults) == 1
            assert anna.faults[0] in ("message", "encoding")
            assert len(anna.times(Down)) == 1
            async with raw_link(network, BERT, ANNA) as link:
                await trio.sleep(1)
                assert BERT.key not in anna.mesh.linked
            await trio.sleep(SHUNNED_SECONDS)
            async with raw_link(network, BERT, ANNA):
                await trio.sleep(1)
                assert anna.mesh.linked == (BERT.key,)

    simulated(story)


def test_dropped_key_is_told_why() -> None:
    """The owner's verdict on a peer's bytes closes the link and says the code."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, raw_link(network, BERT, ANNA) as link:
            await trio.sleep(0.1)
            anna.mesh.drop(BERT.key, PeerFault("signature", "not signed"))
            said = [codec.from_wire(value) async for value in link]
            assert said[-1] == Bye("fault", "signature")
            await trio.sleep(1)
            assert anna.mesh.linked == ()

    simulated(story)


def test_busy_owner_is_no_silence_of_the_peer() -> None:
    """When nobody takes the messages for a while, links stay: only waiting for bytes counts."""

    async def story(network: Network) -> None:
        async with node(network, ANNA, reads=False) as anna, node(network, BERT) as bert:
            await bert.mesh.connect([address(ANNA)], ANNA.key, "member")
            for _ in range(40):
                bert.mesh.post([ANNA.key], Members(TABLE, ()))
                await trio.sleep(0.5)
            assert anna.mesh.linked == (BERT.key,)
            assert bert.mesh.linked == (ANNA.key,)

    simulated(story)


def test_strangers_do_not_keep_out_members() -> None:
    """Beyond a number of links only keys of the own table get one."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, trio.open_nursery() as nursery:

            async def visit(name: str) -> None:
                with suppress(LinkDown):
                    async with raw_link(network, someone(name), ANNA) as link:
                        await link.send(codec.to_wire(Knock(b"token")))
                        async for _ in link:
                            await link.send(codec.to_wire(Pong(1)))

            for number in range(MAX_LINKS + 4):
                nursery.start_soon(visit, f"stranger {number}")
                await trio.sleep(0.2)
            assert len(anna.mesh.linked) == MAX_LINKS
            anna.mesh.want({BERT.key: []})
            async with raw_link(network, BERT, ANNA):
                await trio.sleep(0.2)
                assert BERT.key in anna.mesh.linked
            nursery.cancel_scope.cancel()

    simulated(story)


def test_strangers_who_say_nothing_make_room_for_others() -> None:
    """Who came first goes first; a guest who has something to say stays."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, trio.open_nursery() as nursery:

            async def visit(name: str, speaks: bool) -> None:
                with suppress(LinkDown):
                    async with raw_link(network, someone(name), ANNA) as link:
                        if speaks:
                            await link.send(codec.to_wire(Knock(b"token")))
                        async for _ in link:
                            await link.send(codec.to_wire(Pong(1)))

            for number in range(MAX_LINKS + 8):
                nursery.start_soon(visit, f"stranger {number}", number == 0)
                await trio.sleep(0.3)
            linked = anna.mesh.linked
            gone = [n for n in range(MAX_LINKS + 8) if someone(f"stranger {n}").key not in linked]
            assert gone == list(range(1, 9))
            nursery.cancel_scope.cancel()

    simulated(story)


def test_finish_says_goodbye_and_empties_the_queues() -> None:
    """What was posted before the end still arrives, then the reason; all within a second."""

    async def story(network: Network) -> None:
        async with node(network, ANNA) as anna, node(network, BERT) as bert:
            await anna.mesh.connect([address(BERT)], BERT.key, "member")
            await trio.sleep(1)
            for _ in range(50):
                anna.mesh.post([BERT.key], EnvelopeMessage(TABLE, b"e" * 1_000))
            start = trio.current_time()
            await anna.mesh.finish("enough")
            assert trio.current_time() - start <= 1.0
            await trio.sleep(1)
            assert len(bert.messages) == 50
            assert [e.reason for _, e in bert.told if isinstance(e, Down)] == ["enough"]

    simulated(story)


def test_flood_sends_once_to_each_and_not_back() -> None:
    """Who has sent an envelope, or was sent it, is not sent it again; a new link starts afresh."""
    flood = Flood()
    assert flood.arrived(b"a", b"envelope")
    assert not flood.arrived(b"b", b"envelope")
    assert flood.targets((b"a", b"b", b"c", b"d"), b"envelope") == (b"c", b"d")
    assert flood.targets((b"a", b"b", b"c", b"d"), b"envelope") == ()
    flood.relinked(b"c")
    assert flood.targets((b"a", b"b", b"c", b"d"), b"envelope") == (b"c",)


def test_flood_has_a_bounded_memory() -> None:
    """However many envelopes come, only the last ones are remembered."""
    flood = Flood()
    for number in range(REMEMBERED + 100):
        flood.arrived(b"a", b"%d" % number)
    assert len(flood._arrived) == REMEMBERED
    assert len(flood._has[b"a"]) == REMEMBERED
    assert flood.arrived(b"a", b"0")
    assert not flood.arrived(b"a", b"%d" % REMEMBERED)


@pytest.mark.parametrize(
    ("theirs", "ours", "ahead"),
    [
        (((0, 3), (1, 2)), {0: 3, 1: 2}, False),
        (((0, 4), (1, 2)), {0: 3, 1: 2}, True),
        (((0, 3), (1, 3)), {0: 3, 1: 2}, True),
        (((0, 3),), {0: 3, 1: 7}, False),
        (((0, 3), (2, 1)), {0: 3, 1: 7}, True),
        (((0, 3), (2, 1)), {0: 3}, True),
        (((0, 3), (1, 5)), {0: 3, 2: 1}, False),
        ((), {0: 1}, False),
    ],
)
def test_who_is_ahead(
    theirs: tuple[tuple[int, int], ...], ours: dict[int, int], ahead: bool
) -> None:
    """A ping shows whether somebody has closed a step that is open here."""
    assert is_ahead(theirs, ours) is ahead


def test_asking_has_a_pace() -> None:
    """Who is ahead is asked, not more often than every so many seconds; who is stuck asks."""
    asking = Asking({0: 1}, 0.0)
    assert asking.pinged(b"a", ((0, 2),), False, 1.0)
    asking.ask(b"a", 1.0)
    assert not asking.pinged(b"a", ((0, 2),), False, 1.0 + ASK_SECONDS / 2)
    assert asking.pinged(b"a", ((0, 2),), False, 1.0 + ASK_SECONDS)
    assert not asking.pinged(b"a", ((0, 1),), True, 1.0 + ASK_SECONDS)
    assert asking.pinged(b"a", ((0, 1),), True, 1.0 + STUCK_SECONDS)
    assert not asking.pinged(b"a", ((0, 1),), False, 1.0 + STUCK_SECONDS)
    asking.behind()
    assert asking.pinged(b"a", ((0, 1),), False, 1.0 + STUCK_SECONDS)


def test_asking_again_follows_progress_only() -> None:
    """Who has more is asked again when what it sent has led on, and not before."""
    asking = Asking({0: 1}, 0.0)
    asking.ask(b"a", 0.5)
    assert not asking.answered(b"a", more=True)
    assert asking.to_ask_again() == []
    asking.moved({0: 2}, 1.0)
    assert asking.to_ask_again() == [b"a"]
    asking.ask(b"a", 1.0)
    assert asking.to_ask_again() == []
