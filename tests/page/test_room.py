"""Windows and the room: what each is sent, when, and that all of them see the same."""

from __future__ import annotations

import dataclasses
import json
import math
import threading
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from engine import MatchEnd
from p2p import events as p2p
from p2p.following import Attendance
from p2p.identity import short_form
from protocol import events as table
from protocol.errors import LocalError
from tests.page.rooms import PLAYERS, FakeBots, FakePeer, Window, agreed, shown
from ui.page import room as rooms

pytestmark = pytest.mark.trio

LOBBY = p2p.LobbyChanged("kitchen", "hazari", (("hands", 1),), 4, PLAYERS[:2])
OVER = table.HandOver(1, (), (("points", (90, 90, 90, 90)),), ("A hand is over.",))
STARTED = table.HandStarted(1, 1, (0, 1, 2, 3))
ENDED = table.MatchOver(MatchEnd(2, "hands", "carl wins"), (("points", (0, 0, 9, 0)),))

SECTIONS = {
    *("me", "games", "network", "lobby", "table", "view", "ask", "result", "standing", "paused"),
    *("waiting", "hands", "fair", "log", "chat", "muted", "spectators"),
}


async def test_first_message_says_everything(tmp_path: Path) -> None:
    """All sections, full, without events; then nothing until something happens."""
    async with shown(tmp_path) as (room, _):
        window = Window(room)
        await window.read()
        (text,) = window.texts
        message = json.loads(text)
        assert message["full"] is True
        assert message["events"] == []
        assert set(message["set"]) >= SECTIONS
        assert window.state["me"]["name"] == "anna"
        assert [one["name"] for one in window.state["games"]] == ["azi", "hazari"]


async def test_later_messages_say_only_what_has_changed(tmp_path: Path) -> None:
    """What happened together comes in one message."""
    async with shown(tmp_path) as (room, peer):
        peer.tell(p2p.PeerLost("ABCDEFGH"))
        window = Window(room)
        await window.read()
        before = len(window.texts)
        peer.tell(LOBBY, p2p.Listening(peer.addresses, 7000))
        await window.read()
        (text,) = window.texts[before:]
        message = json.loads(text)
        assert message["full"] is False
        assert set(message["set"]) == {"lobby", "me"}
        assert message["set"]["me"]["addresses"] == ["127.0.0.1:7000"]
        assert message["set"]["me"]["codes"] == ["AAAA-BBBB"]


async def test_own_short_form_comes_when_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page does not wait for it, and neither do own bots: they join by address until then."""
    may_be_made = threading.Event()

    def made(key: bytes) -> str:
        assert may_be_made.wait(10)
        return short_form(key)

    monkeypatch.setattr(rooms, "short_form", made)
    async with shown(tmp_path, short="") as (room, peer):
        window = Window(room)
        peer.tell(p2p.Listening(peer.addresses, 7000))
        await window.read()
        assert room._way_in() == "127.0.0.1:7000"
        assert window.state["me"]["short"] == ""
        assert window.state["me"]["codes"] == []
        may_be_made.set()
        with trio.fail_after(10):
            while not window.state["me"]["short"]:
                await window.read()
        assert window.state["me"]["short"] == short_form(peer.key)
        assert window.state["me"]["codes"] == ["AAAA-BBBB"]
        assert room._way_in() == "AAAA-BBBB"


async def test_short_form_of_an_own_bot_is_told_later(tmp_path: Path) -> None:
    """At the table that waits and at the one that plays; the others' stay as they are."""
    bot = dataclasses.replace(PLAYERS[1], short="")
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.tell(dataclasses.replace(LOBBY, players=(PLAYERS[0], bot)))
        await window.read()
        assert [one["short"] for one in window.state["lobby"]["players"]] == ["ANNAAAAA", ""]
        peer.tell(p2p.ShortMade(bot.key, PLAYERS[1].short))
        await window.read()
        shorts = [one["short"] for one in window.state["lobby"]["players"]]
        assert shorts == ["ANNAAAAA", "BERTAAAA"]
        peer.tell(dataclasses.replace(agreed(), players=(PLAYERS[0], bot, *PLAYERS[2:4])))
        peer.tell(p2p.ShortMade(bot.key, PLAYERS[1].short))
        await window.read()
        shorts = [one["short"] for one in window.state["table"]["players"]]
        assert shorts == [one.short for one in PLAYERS[:4]]


async def test_two_windows_see_the_same_and_a_new_one_all_of_it(tmp_path: Path) -> None:
    """Whenever they were opened, whatever they had missed."""
    async with shown(tmp_path) as (room, peer):
        one = Window(room)
        await one.read()
        lazy = Window(room)
        seen = []
        for events in ([LOBBY], [agreed()], [STARTED, OVER], [ENDED]):
            peer.tell(*events)
            await one.read()
            late = Window(room)
            await late.read()
            assert late.state == one.state
            assert late.events == []
            seen.append(late)
            late.close()
        await lazy.read()
        assert lazy.state == one.state
        assert [event["kind"] for event in one.events] == [
            *("agreed", "hand_started", "hand_over", "match_over"),
        ]


async def test_slow_window_costs_no_more_than_the_whole_state(tmp_path: Path) -> None:
    """What waits for it is bounded; then it is told how things stand, and nothing is lost."""
    async with shown(tmp_path) as (room, peer):
        quick, slow = Window(room), Window(room)
        await quick.read()
        await slow.read()
        peer.tell(agreed())
        for step in range(3 * rooms.MOST_WAITING):
            peer.tell(table.Overdue(0, step, "move", (1,), 10.0))
            if step % 100 == 0:
                await quick.read()
        await quick.read()
        assert slow.waiting.full
        assert len(slow.waiting.events) <= rooms.MOST_WAITING
        await slow.read()
        assert slow.state == quick.state
        assert len(slow.texts) == 2
        assert len(quick.state["log"]) <= 300


async def test_many_windows_come_and_go(tmp_path: Path) -> None:
    """A closed window leaves nothing behind."""
    async with shown(tmp_path) as (room, peer):
        windows = [Window(room) for _ in range(50)]
        peer.tell(LOBBY)
        for window in windows:
            await window.read()
            assert window.state["lobby"]["table"] == "kitchen"
            window.close()
        assert room._windows == []
        peer.tell(agreed())
        again = Window(room)
        await again.read()
        assert again.state["table"]["name"] == "kitchen"


# The pause between hands.


async def test_next_hand_waits_until_the_result_was_looked_at(tmp_path: Path) -> None:
    """The seat is told to pause from the start; ``next`` lets the table deal."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.tell(agreed(), STARTED)
        await window.read()
        assert peer.asked == [("pause", True)]
        assert window.state["paused"] is None
        peer.tell(OVER)
        await window.read()
        assert window.state["paused"]["until"] > 0
        assert window.state["result"]["story"] == ["A hand is over."]
        assert window.state["hands"] == [
            {"hand": 1, "standing": [["points", [90, 90, 90, 90]]]},
        ]
        assert (await window.ask("next"))["ok"]
        assert peer.asked == [("pause", True), ("pause", False), ("pause", True)]
        await window.read()
        assert window.state["paused"] is None


async def test_pause_ends_by_itself(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    """Nobody can hold a table up for ever by leaving the result open."""
    async with shown(tmp_path) as (_, peer):
        peer.tell(agreed(), STARTED, OVER)
        await trio.sleep(rooms.LOOK_SECONDS - 1)
        assert peer.asked == [("pause", True)]
        await trio.sleep(2)
        assert peer.asked == [("pause", True), ("pause", False), ("pause", True)]
        peer.tell(table.HandStarted(2, 2, (0, 1, 2, 3)), OVER, table.HandStarted(3, 3, (0, 1)))
        await trio.sleep(rooms.LOOK_SECONDS * 2)
        assert len(peer.asked) == 3


async def test_looking_at_one_result_does_not_shorten_the_next(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """What was left of the time for a result is gone with it."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.tell(agreed(), STARTED, OVER)
        await trio.sleep(1)
        assert (await window.ask("next"))["ok"]
        await trio.sleep(rooms.LOOK_SECONDS - 11)
        peer.tell(table.HandStarted(2, 2, (0, 1, 2, 3)), OVER)
        await trio.sleep(rooms.LOOK_SECONDS - 1)
        assert peer.asked == [("pause", True), ("pause", False), ("pause", True)]
        await window.read()
        assert window.state["paused"] is not None
        await trio.sleep(2)
        assert len(peer.asked) == 5
        await window.read()
        assert window.state["paused"] is None


@pytest.mark.parametrize("end", [ENDED, table.Stopped((3,), "left", "seat 3 has left")])
async def test_no_pause_after_the_end(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, end: table.Event
) -> None:
    """There is no hand to wait for."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.tell(agreed(), STARTED, OVER, end)
        await window.read()
        assert window.state["paused"] is None
        await trio.sleep(rooms.LOOK_SECONDS * 2)
        assert peer.asked == [("pause", True)]


async def test_leaving_between_hands_needs_no_other_word(tmp_path: Path) -> None:
    """Who leaves has seen the result; during a hand the hand is played first."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.tell(agreed(), STARTED)
        await window.read()
        assert (await window.ask("sit", choice="leave"))["ok"]
        await window.read()
        assert (window.state["table"]["sit"], window.state["table"]["going"]) == ("leave", False)
        assert (await window.ask("sit", choice="in"))["ok"]
        peer.tell(OVER)
        await window.read()
        assert (await window.ask("sit", choice="out"))["ok"]
        assert peer.asked[-1] == ("sit", "out")
        assert (await window.ask("sit", choice="leave"))["ok"]
        assert peer.asked[-3:] == [("sit", "leave"), ("pause", False), ("pause", True)]
        await window.read()
        assert window.state["paused"] is None
        assert window.state["table"]["going"] is True


async def test_next_said_twice_or_at_no_time_does_no_harm(tmp_path: Path) -> None:
    """Two windows may both press it."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        assert (await window.ask("next"))["reply"] == 1
        peer.tell(agreed(), STARTED, OVER)
        await window.read()
        for _ in range(2):
            assert (await window.ask("next"))["ok"]
        await window.read()
        assert window.state["paused"] is None


# Commands.


async def test_commands_reach_the_peer(tmp_path: Path) -> None:
    """Each with its fields."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = Window(room)
        terms = {"table": "kitchen", "game": "hazari", "options": {"hands": 1}, "seats": 4}
        room.state.put("ask", {"n": 7})
        for do, fields in (
            ("open", terms),
            ("open", {**terms, "invite": True}),
            ("join", {"table": "kitchen", "key": PLAYERS[1].key.hex()}),
            ("join", {"typed": "192.168.1.20:7421"}),
            ("join", {"typed": "AAAA-BBBB"}),
            ("ready", {"ready": True}),
            ("leave", {}),
            ("move", {"move": ["up", [1, 2, 3], [4]], "ask": 7}),
            ("sit", {"choice": "out"}),
            ("say", {"text": "hello"}),
            ("miss", {"seat": 2}),
            ("depart", {}),
        ):
            assert (await window.ask(do, **fields))["ok"], do
        said = [what for what in peer.asked if what[0] != "pause"]
        assert said[0] == ("open", "kitchen", "hazari", {"hands": 1}, 4, False)
        assert said[1] == ("open", "kitchen", "hazari", {"hands": 1}, 4, True)
        assert said[2] == ("join", "kitchen", PLAYERS[1].key)
        assert [str(one) for one in said[3]] == ["join", "None", "192.168.1.20:7421"]
        assert said[4] == ("join", "AAAA-BBBB")
        assert said[5:] == [
            ("ready", True),
            ("leave",),
            ("move", ("up", (1, 2, 3), (4,))),
            ("sit", "out"),
            ("say", "hello"),
            ("miss", 2),
            ("depart",),
        ]
        assert bots.gone == 1
        for seat in (-1, 6, "2", None):
            assert (await window.ask("miss", seat=seat))["rule"] == "page.field"


async def test_window_hears_who_is_there_and_that_the_table_went_back(tmp_path: Path) -> None:
    """How long silent seats are waited for comes with whom the table waits for."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.held = ("back", (2,))
        peer.there = Attendance((0, 1, 2, 3), (2,), {2: math.inf})
        peer.tell(agreed(), STARTED, OVER)
        await window.read()
        assert window.state["paused"] is not None
        assert window.state["waiting"]["calls"] == [[2, None]]
        assert window.state["table"]["players"][2]["link"] == "away"
        peer.tell(table.WentBack(0, 3, 2))
        await window.read()
        assert window.state["paused"] is None
        assert window.state["log"][-1]["kind"] == "went_back"


async def test_refusals_come_with_rule_and_words(tmp_path: Path) -> None:
    """What the peer refuses is an answer, no accident."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.refusal = LocalError("This peer waits at no table.")
        answer = await window.ask("ready", ready=True)
        assert answer == {
            "reply": 1, "ok": False, "rule": "local", "text": "This peer waits at no table.",
        }  # fmt: skip
        assert (await window.ask("move", move=["up"]))["ok"] is False


async def test_bot_is_asked_for_only_where_there_is_a_seat(tmp_path: Path) -> None:
    """Those on their way count."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = Window(room)
        assert (await window.ask("bot"))["rule"] == "page.lobby"
        peer.tell(LOBBY)
        await window.read()
        assert (await window.ask("bot"))["ok"]
        bots.coming = 2
        assert (await window.ask("bot"))["rule"] == "page.full"
        assert bots.added == ["kitchen"]


async def test_leaving_counts_only_once_the_peer_has_left(tmp_path: Path) -> None:
    """All may have signed just now, which no window knows yet: the bots stay then."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = Window(room)
        peer.tell(LOBBY)
        await window.read()
        peer.held = ("ready", (0, 1))
        assert (await window.ask("leave"))["rule"] == "page.playing"
        assert bots.gone == 0
        peer.held = None
        peer.refusal = LocalError("It is too late.")
        assert (await window.ask("leave"))["rule"] == "local"
        assert bots.gone == 0
        peer.refusal = None
        assert (await window.ask("leave"))["ok"]
        assert bots.gone == 1
        await window.read()
        assert window.state["lobby"] is None


async def test_only_bots_of_the_table_that_is_left_go_home(tmp_path: Path) -> None:
    """Another window has opened the next table already; or the peer is about to go on at one."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = Window(room)
        peer.tell(agreed(), STARTED, OVER, ENDED, LOBBY)
        await window.read()
        keys = frozenset(one.key for one in PLAYERS[:4])
        assert (await window.ask("leave"))["ok"]
        peer.tell(LOBBY)
        await window.read()
        assert (await window.ask("lobby"))["ok"]
        assert bots.released == [(None, keys), (keys, ())]
        room.state.put("lobby", None)
        room.state.put("resuming", True)
        assert (await window.ask("lobby"))["ok"]
        assert (await window.ask("leave"))["rule"] == "page.playing"
        assert bots.gone == 2


async def test_opener_gives_a_seat_away(tmp_path: Path) -> None:
    """Only the opener, only seats of others; an own bot is just ended."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = Window(room)
        keys = [one.key.hex() for one in PLAYERS]
        assert (await window.ask("remove", key=keys[1]))["rule"] == "page.lobby"
        peer.tell(p2p.LobbyChanged("kitchen", "hazari", (), 4, PLAYERS[1::-1]))
        await window.read()
        assert (await window.ask("remove", key=keys[1]))["rule"] == "page.lobby"
        bots.keys.add(PLAYERS[2].key)
        peer.tell(p2p.LobbyChanged("kitchen", "hazari", (), 4, PLAYERS[:3]))
        await window.read()
        for wrong in (keys[0], keys[3], "", "ab"):
            assert (await window.ask("remove", key=wrong))["rule"] == "page.field"
        assert (await window.ask("remove", key=keys[1]))["ok"]
        assert (await window.ask("remove", key=keys[2]))["ok"]
        assert [what for what in peer.asked if what[0] == "remove"] == [("remove", PLAYERS[1].key)]
        assert bots.released == [((PLAYERS[2].key,), ())]


async def test_table_is_left_for_the_lobby_only_when_it_is_done(tmp_path: Path) -> None:
    """Then nothing of it is left, and the own bots go home."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = Window(room)
        peer.tell(agreed(), STARTED, OVER)
        await window.read()
        assert (await window.ask("lobby"))["rule"] == "page.playing"
        assert (await window.ask("rename", name="berta"))["rule"] == "page.name"
        peer.tell(ENDED)
        await window.read()
        assert (await window.ask("lobby"))["ok"]
        await window.read()
        for section in ("table", "view", "ask", "result", "paused", "waiting", "fair", "standing"):
            assert window.state[section] is None
        assert window.state["log"] == window.state["hands"] == []
        assert bots.gone == 1


async def test_muted_are_remembered(tmp_path: Path) -> None:
    """In the data folder; what a muted one says is kept, and makes no sound."""
    said = p2p.ChatSaid(PLAYERS[1].key, "bert", PLAYERS[1].short, "hello", False)
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        await window.read()
        peer.tell(said)
        await window.read()
        assert [event["kind"] for event in window.events] == ["chat"]
        assert (await window.ask("mute", short=PLAYERS[1].short, on=True))["ok"]
        peer.tell(said)
        await window.read()
        assert window.state["muted"] == [PLAYERS[1].short]
        assert len(window.state["chat"]) == 2
        assert len(window.events) == 1
    async with shown(tmp_path) as (room, _):
        window = Window(room)
        await window.read()
        assert window.state["muted"] == [PLAYERS[1].short]
        assert (await window.ask("mute", short=PLAYERS[1].short, on=False))["ok"]
        await window.read()
        assert window.state["muted"] == []


async def test_new_name_keeps_the_windows(tmp_path: Path) -> None:
    """The peer starts again under it; windows stay open and are told everything anew."""
    names = []

    async def peers(room: rooms.Room) -> None:
        name = "anna"
        for _ in range(3):
            peer = FakePeer()
            name = await room.show(peer, _state(name, peer))  # type: ignore[arg-type]
            names.append(name)

    room = rooms.Room(rooms.Kept(tmp_path), FakeBots())  # type: ignore[attr-defined,arg-type]
    async with trio.open_nursery() as nursery:
        window = Window(room)
        assert (await window.ask("say", text="early"))["rule"] == "local"
        nursery.start_soon(peers, room)
        await window.read()
        assert window.state["me"]["name"] == "anna"
        assert (await window.ask("rename", name="berta"))["ok"]
        await window.read()
        assert window.state["me"]["name"] == "berta"
        assert names == ["berta"]
        nursery.cancel_scope.cancel()


def _state(name: str, peer: FakePeer) -> Any:
    from ui.page.state import State

    return State(name, peer.key, "ANNAAAAA")
