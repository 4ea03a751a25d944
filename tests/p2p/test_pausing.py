"""The pause between hands, at real peers: people look at a result as long as they like."""

from __future__ import annotations

from pathlib import Path

import pytest

from p2p.events import Agreed
from protocol.events import HandOver, HandStarted, MatchOver, SitSaid
from tests.p2p.people import LOOPBACK, people, seat_of

pytestmark = [pytest.mark.trio, pytest.mark.slow]


async def test_next_hand_waits_for_who_looks_at_the_last(tmp_path: Path) -> None:
    """Asked for before the table begins, it holds the second hand back until it is over."""
    async with people(tmp_path, "anna", "bert", strategy="random") as (anna, bert):
        await bert.peer.pause(True)
        assert anna.peer.waiting() is None
        await anna.peer.open_table("kitchen", "azi", {"hands": 2, "max_bid": 10}, 2)
        await bert.peer.join("kitchen", (LOOPBACK, anna.peer.port))
        await bert.until_told(Agreed)
        await anna.until_told(HandOver)
        await anna.until(lambda: anna.peer.waiting() == ("sit", (seat_of(bert),)))
        assert anna.of(SitSaid) == []
        assert len(anna.of(HandStarted)) == 1
        await bert.peer.pause(False)
        for one in (anna, bert):
            await one.until_told(MatchOver)
            assert one.of(SitSaid)[0] == SitSaid(((0, "in"), (1, "in")))
            assert one.peer.waiting() is None
