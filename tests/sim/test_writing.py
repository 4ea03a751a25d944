"""Write before you speak: nothing leaves a peer that is not on its disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from p2p.database import Change
from p2p.mesh import Mesh
from p2p.messages import EnvelopeMessage, Message
from p2p.store import Store
from p2p.trouble import Trouble
from protocol.effects import Persist
from protocol.envelope import open_envelope
from protocol.events import MatchOver, StepClosed
from tests.sim import determinism
from tests.sim.table import World, nothing, with_table
from tests.sim.test_table import assert_sound, table, when


def test_every_envelope_is_on_disk_before_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """When an entry is given to the mesh, the own store has it, and the secret it rests on."""
    worlds: list[World] = []
    sent: list[tuple[str, bytes]] = []
    late: list[tuple[str, bytes]] = []
    committed: list[bool] = []
    post = Mesh.post

    def checked(self: Mesh, keys: Iterable[bytes], message: Message) -> None:
        if isinstance(message, EnvelopeMessage):
            (player,) = [p for p in worlds[0].players.values() if p.peer._owner._mesh is self]
            stored = {
                one.envelope
                for lane, last in player.store._database.lanes(message.table)
                for one in player.store._database.entries(message.table, lane, 1, last)
            }
            sent.append((player.name, message.envelope))
            if message.envelope not in stored:
                late.append((player.name, message.envelope))
            seat = player.peer._owner.tables.seat
            assert seat is not None
            entry = open_envelope(message.envelope, seat.agreement)
            if entry.kind == "commit" and entry.seat == seat.session.seat:
                secrets = player.store._database.secrets(message.table)
                committed.append(f"pack/{entry.lane}" in secrets)
        post(self, keys, message)

    monkeypatch.setattr(Mesh, "post", checked)
    assert_sound(determinism.run(1, lambda: with_table("writing", nothing, made=worlds.append)))
    assert len(sent) > 100
    assert late == []
    assert len(committed) == 8
    assert all(committed)


def test_full_disk_ends_the_peer_and_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """When an entry cannot be written it is not sent either: the peer stops with one sentence."""
    carry_out = Store.carry_out
    refused: list[bytes] = []
    sent: list[bytes] = []
    post = Mesh.post

    async def full(self: Store, table_id: bytes, changes: Sequence[Change]) -> None:
        if any(isinstance(c, Persist) and (c.lane, c.step) == (0, 3) for c in changes):
            refused.extend(c.envelope for c in changes if isinstance(c, Persist))
            raise Trouble("data-full", "The disk is full.")
        await carry_out(self, table_id, changes)

    def watch(self: Mesh, keys: Iterable[bytes], message: Message) -> None:
        if isinstance(message, EnvelopeMessage):
            sent.append(message.envelope)
        post(self, keys, message)

    monkeypatch.setattr(Store, "carry_out", full)
    monkeypatch.setattr(Mesh, "post", watch)
    with pytest.raises(ExceptionGroup) as caught:
        table("full disk")
    assert caught.group_contains(Trouble, match="The disk is full")
    assert refused
    assert not set(refused) & set(sent)


def test_secrets_are_gone_when_the_match_is_over() -> None:
    """Nothing that could open a card is kept after the hand; the record stays."""
    world = table("secrets")
    for player in world.players.values():
        (stored,) = player.store._database.tables()
        assert stored.finished
        assert player.store._database.secrets(stored.table) == {}


def test_secret_goes_with_its_hand() -> None:
    """In the second hand the first pack's seed is deleted already, the second one's is there."""
    seen: dict[str, set[str]] = {}

    async def look(world: World) -> None:
        def second_deal(event: object) -> bool:
            # SIT is step 7, READY step 8, the second deal step 9.
            return isinstance(event, StepClosed) and (event.lane, event.step) == (0, 9)

        player = world.players["carl"]
        await when(player, second_deal).wait()
        (stored,) = player.store._database.tables()
        seen["carl"] = set(player.store._database.secrets(stored.table))

    world = table("second hand", look, hands=2)
    assert_sound(world)
    assert "pack/2" in seen["carl"]
    assert "pack/1" not in seen["carl"]


@pytest.mark.slow
def test_long_match_is_resumed_in_portions() -> None:
    """A record that is longer than one portion is read back in full after a crash."""

    async def late_crash(world: World) -> None:
        def sixth_deal(event: object) -> bool:
            return isinstance(event, StepClosed) and (event.lane, event.step) == (0, 7 * 6 + 2)

        await when(world.players["bert"], sixth_deal).wait()
        world.crash("bert", 1.0)

    world = table("long", late_crash, hands=7)
    assert_sound(world)
    assert world.players["bert"].time_of(MatchOver) < 60
