"""A table that has stopped, as windows see it: who may go on, who does so, with what it begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from p2p import events as p2p
from protocol import events as table
from protocol.agreement import Player
from protocol.errors import LocalError
from protocol.going_on import StoppedTable, stopped
from tests.page.rooms import PLAYERS, FakeBots, FakePeer, Window, agreed, shown
from tests.protocol.stopping import stopped_state
from tests.protocol.tables import player_key

pytestmark = pytest.mark.trio

STOP = table.Stopped((3,), "left", "seat 3 has left")


def seats() -> tuple[p2p.PlayerInfo, ...]:
    """Four players with real keys; the first is the one who looks."""
    keys = [player_key("page", seat).public_key().public_bytes_raw() for seat in range(4)]
    infos = zip(PLAYERS, keys, strict=False)
    return tuple(p2p.PlayerInfo(key, one.name, one.short, ready=True) for one, key in infos)


FOUR = seats()
NEW = p2p.PlayerInfo(player_key("page", 9).public_key().public_bytes_raw(), "zoe", "ZOEAAAAA")
LEFT: StoppedTable = stopped(
    stopped_state([Player(one.key, one.name) for one in FOUR], FOUR[3].key)
)
BY_SEAT = LEFT.origin.keys
OWN = FOUR[0]


async def stops(room: Any, peer: FakePeer) -> Window:
    """A window that has seen the table stop."""
    window = Window(room)
    peer.left = LEFT
    peer.tell(agreed(), STOP)
    await window.read()
    await trio.testing.wait_all_tasks_blocked()
    await window.read()
    return window


def offer(
    opener: p2p.PlayerInfo, origin: bytes = LEFT.origin.table, taken: int = 1
) -> p2p.TablesTold:
    """Somebody tells of a table."""
    one = p2p.TableOffer("kitchen", "hazari", taken, 4, opener.key, origin)
    return p2p.TablesTold(opener.short, opener.key, (one,))


async def test_windows_hear_that_others_may_go_on(tmp_path: Path) -> None:
    """From what, with which scores, and whose seat may be taken."""
    async with shown(tmp_path) as (room, peer):
        window = await stops(room, peer)
        again = window.state["again"]
        vacant = BY_SEAT.index(FOUR[3].key)
        assert (again["table"], again["hand"]) == (LEFT.origin.table.hex(), 3)
        assert (again["vacant"], again["most_new"]) == ([vacant], 1)
        assert (again["offers"], again["full"]) == ([], [])
        assert again["names"][vacant] == FOUR[3].name
        assert dict(again["standing"])["points"] == [100, 95, 85, 80]


async def test_a_match_that_has_ended_offers_nothing(tmp_path: Path) -> None:
    """Nor does a table that goes on by itself after all."""
    async with shown(tmp_path) as (room, peer):
        window = await stops(room, peer)
        peer.tell(table.WentBack(0, 3, 2))
        await window.read()
        assert window.state["again"] is None
        peer.left = None
        peer.tell(STOP)
        await window.read()
        assert window.state["again"] is None


async def test_who_goes_on_is_told_by_its_own_link_alone(tmp_path: Path) -> None:
    """Not what somebody else says of it, not other tables, not those of strangers."""
    async with shown(tmp_path) as (room, peer):
        window = await stops(room, peer)
        lie = p2p.TableOffer("kitchen", "hazari", 1, 4, FOUR[1].key, LEFT.origin.table)
        peer.tell(
            p2p.TablesTold(FOUR[2].short, FOUR[2].key, (lie,)),
            offer(NEW),
        )
        await window.read()
        assert window.state["again"]["offers"] == []
        peer.tell(offer(FOUR[1]), offer(FOUR[2], bytes(32)))
        await window.read()
        assert window.state["again"]["offers"] == [{"key": FOUR[1].key.hex(), "name": "bert"}]
        peer.tell(p2p.Unlinked(FOUR[1].key, "bert", FOUR[1].short, "gone"))
        await window.read()
        assert window.state["again"]["offers"] == []


async def test_who_is_too_late_hears_that_the_others_have_gone_on(tmp_path: Path) -> None:
    """A table without a free seat is no offer; others may still be wanted at another one."""
    async with shown(tmp_path) as (room, peer):
        window = await stops(room, peer)
        peer.tell(offer(FOUR[1], taken=4), offer(NEW, taken=4))
        await window.read()
        assert (window.state["again"]["offers"], window.state["again"]["full"]) == ([], ["bert"])


async def test_a_table_that_was_signed_before_is_looked_for(tmp_path: Path) -> None:
    """Windows say so; if it begins, own bots that sit there are started too."""
    bots = FakeBots()
    looking = p2p.Looking("kitchen", ("bert", "carl"), 10.0)
    async with shown(tmp_path, bots=bots, wall=lambda: 1_000.0) as (room, peer):
        window = Window(room)
        await window.read()
        assert window.state["looking"] is None
        peer.tell(looking)
        await window.read()
        assert window.state["looking"] == {
            "table": "kitchen", "names": ["bert", "carl"], "until": 1_010_000,
        }  # fmt: skip
        peer.tell(p2p.LookedInVain("kitchen"))
        await window.read()
        assert window.state["looking"] is None
        assert window.events[-1] == {"kind": "looked_in_vain", "table": "kitchen"}
        peer.tell(looking, lobby(OWN))  # something else is done meanwhile
        await window.read()
        assert window.state["looking"] is None
        peer.tell(looking, agreed())
        await window.read()
        assert window.state["looking"] is None
        assert bots.back == [frozenset(one.key for one in PLAYERS[:4])]
        peer.tell(agreed())
        await window.read()
        assert len(bots.back) == 1


async def test_going_on_keeps_the_own_bots(tmp_path: Path) -> None:
    """They have seats there; the table that stopped is not shown any more."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = await stops(room, peer)
        assert (await window.ask("go_on"))["ok"]
        assert peer.asked[-1] == ("go on",)
        assert bots.back == [frozenset(BY_SEAT)]
        assert bots.gone == 0
        await window.read()
        assert window.state["table"] is None


async def test_sitting_down_where_somebody_goes_on(tmp_path: Path) -> None:
    """By the key of who has opened it."""
    async with shown(tmp_path) as (room, peer):
        window = await stops(room, peer)
        assert (await window.ask("go_on", key=FOUR[1].key.hex()))["ok"]
        assert peer.asked[-1] == ("join", "kitchen", FOUR[1].key)


async def test_going_on_is_refused_where_there_is_nothing(tmp_path: Path) -> None:
    """No table, one that plays, a peer that says no: the table stays in view then."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        assert (await window.ask("go_on"))["rule"] == "page.again"
        window = await stops(room, peer)
        peer.refusal = LocalError("This peer was caught.")
        assert (await window.ask("go_on"))["rule"] == "local"
        assert window.state["table"] is not None
        peer.refusal = None
        peer.tell(agreed())
        await window.read()
        assert window.state["again"] is None
        assert (await window.ask("go_on"))["rule"] == "page.again"


def lobby(*players: p2p.PlayerInfo) -> p2p.LobbyChanged:
    """A table that goes on, with these players."""
    return p2p.LobbyChanged("kitchen", "hazari", (), 4, players, LEFT.origin)


async def test_the_waiting_page_has_the_seats_of_the_table_before(tmp_path: Path) -> None:
    """Who was there at the own seat; who is new in the one that is free; the others are awaited."""
    async with shown(tmp_path) as (room, peer):
        window = await stops(room, peer)
        peer.tell(lobby(OWN, NEW))
        await window.read()
        origin = window.state["lobby"]["origin"]
        assert (origin["hand"], len(origin["code"])) == (3, 4)
        expected = {OWN.key: 0, FOUR[3].key: 1}
        for seat, one in enumerate(origin["seats"]):
            assert one["player"] == expected.get(BY_SEAT[seat])
            assert one["before"] == LEFT.agreement.players[seat].name
            assert one["free"] is False
        peer.tell(lobby(OWN))
        await window.read()
        free = [one["free"] for one in window.state["lobby"]["origin"]["seats"]]
        assert free == [key == FOUR[3].key for key in BY_SEAT]


async def test_who_was_not_there_sees_scores_and_who_was(tmp_path: Path) -> None:
    """Names of those who are not here yet are not known to it."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.tell(lobby(FOUR[1], OWN))
        await window.read()
        found = window.state["lobby"]["origin"]["seats"]
        assert [one["before"] for one in found] == [""] * 4
        assert {one["player"] for one in found} == {0, 1, None}
        peer.tell(p2p.LobbyChanged("kitchen", "hazari", (), 4, (OWN,)))
        await window.read()
        assert window.state["lobby"]["origin"] is None


async def test_a_table_that_stopped_a_while_ago_is_offered_after_a_restart(tmp_path: Path) -> None:
    """For a day; its record has to be read for that, so not for longer."""
    from p2p.database import StoredTable

    for age, offered in ((60, True), (2 * 86_400, False)):
        async with shown(tmp_path) as (room, peer):
            peer.left = LEFT
            opened = int(room.state.wall()) - age
            row = StoredTable(LEFT.origin.table, b"", 0, opened, True)

            async def tables(row: StoredTable = row) -> list[StoredTable]:
                return [row]

            peer.tables = tables  # type: ignore[method-assign, attr-defined]
            assert await room.resume() is False
            await trio.testing.wait_all_tasks_blocked()
            assert (room.state.sections["again"] is not None) is offered
