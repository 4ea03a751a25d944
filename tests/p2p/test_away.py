"""A player is away while the others settle that it is gone: who catches up, and from what."""

from __future__ import annotations

import pytest
import trio

from p2p.events import SessionTold
from protocol.events import DeclaredGone, MatchOver, StepClosed
from protocol.follower import Follower
from tests.sim.table import Player, World
from tests.sim.test_table import assert_sound, records, table, when


def told(player: Player, kind: type) -> list[float]:
    """When a player was told of a kind of event."""
    return [
        time
        for time, event in player.told
        if isinstance(event, SessionTold) and isinstance(event.event, kind)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["stored and kept", "stored"])
def test_who_was_away_comes_back_to_a_table_that_went_on(
    monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """It follows by votes that are older than the step that all others stand at.

    One of the others is started again meanwhile, and comes by its own votes to where it was.
    """
    if source == "stored":
        monkeypatch.setattr(Follower, "votes", lambda self: ())

    async def story(world: World) -> None:
        def closed(event: object) -> bool:
            return isinstance(event, StepClosed) and (event.lane, event.step) == (0, 4)

        await when(world.players["bert"], closed).wait()
        world.crash("bert", 400)
        await trio.sleep(200)
        world.crash("anna", 5)

    world = table("away 0 4", story, hands=2)
    assert_sound(world)
    assert len(set(records(world))) == 1
    bert, carl = world.players["bert"], world.players["carl"]
    assert told(carl, DeclaredGone)
    assert told(bert, DeclaredGone) == []
    assert told(bert, MatchOver)[0] - 400 < 5
