"""Members and strangers that send what they should not: they lose their link, the table goes on."""

from __future__ import annotations

import pytest
import trio

from p2p import codec, identity
from p2p.endpoint import Endpoint
from p2p.events import Unlinked
from p2p.messages import Agreed, Entries, EnvelopeMessage, Have, LanePosition, Message, Statement
from p2p.statements import Join, make
from p2p.transport import Address
from protocol.events import MatchOver, StepClosed
from tests.p2p.lobby_room import hash_stream
from tests.sim.network import SimTransport
from tests.sim.table import World, host
from tests.sim.test_table import assert_sound, table, when


def deal(event: object) -> bool:
    """The deal is done."""
    return isinstance(event, StepClosed) and (event.lane, event.step) == (0, 2)


@pytest.mark.parametrize("kind", ["garbage", "false signature", "garbage in entries"])
def test_member_that_sends_false_envelopes_loses_its_link(kind: str) -> None:
    """What is not well signed blames the link it came by, never a seat; the match ends well."""

    async def lie(world: World) -> None:
        dora, anna = world.players["dora"], world.players["anna"]
        await when(dora, deal).wait()
        seat = dora.peer._owner.tables.seat
        assert seat is not None
        table_id = seat.agreement.table_id
        message: Message = EnvelopeMessage(table_id, b"garbage")
        if kind == "garbage in entries":
            message = Entries(table_id, (b"garbage",), 0)
        if kind == "false signature":
            (entry, *_), _ = await dora.store.portion(table_id, [LanePosition(0, 1, ())])
            message = EnvelopeMessage(table_id, entry.envelope[:-1] + b"?")
        dora.peer._owner._mesh.post([anna.peer.key], message)
        await trio.sleep(1)

    world = table(f"false {kind}", lie)
    for player in world.players.values():
        player.time_of(MatchOver)
    code = "signature" if kind == "false signature" else "encoding"
    assert world.players["anna"].faults == [code]
    assert world.players["bert"].faults == []
    lost = [e.name for _, e in world.players["anna"].told if isinstance(e, Unlinked)]
    assert lost[0] == "dora"
    assert len({player.head for player in world.players.values()}) == 1


def test_strangers_are_not_listened_to() -> None:
    """A key without a seat gets no entries, and what it sends does not reach the session."""
    answers: list[object] = []

    async def intrude(world: World) -> None:
        anna = world.players["anna"]
        await when(anna, deal).wait()
        seat = anna.peer._owner.tables.seat
        lobby = anna.peer._owner.reception.lobby
        assert seat is not None
        assert lobby is not None
        table_id = seat.agreement.table_id
        eve = identity.make(hash_stream("eve")(32))
        endpoint = Endpoint(eve, SimTransport(world.network, "10.0.0.66"), entropy=hash_stream("e"))
        async with await endpoint.dial([Address(host("anna"), 7_000)], anna.peer.key) as link:
            for message in (
                Have(table_id, (LanePosition(0, 1, ()),)),
                EnvelopeMessage(table_id, b"garbage"),
                Entries(table_id, (b"garbage",), 0),
                Agreed(b"garbage"),
            ):
                await link.send(codec.to_wire(message))
            join = make(eve.signing_key, lobby.info.lobby, 1, Join("hazari", "Eve", b"", ()))
            await link.send(codec.to_wire(join.statement))
            with trio.move_on_after(3):
                async for value in link:
                    answers.append(codec.from_wire(value))

    assert_sound(table("stranger", intrude))
    assert not any(isinstance(answer, (Entries, EnvelopeMessage)) for answer in answers)
    # It is told in the lobby's own words that the game has begun.
    assert any(isinstance(answer, Statement) for answer in answers)
