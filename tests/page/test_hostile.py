"""Commands as no page of ours would send them: each is answered, and the room goes on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from p2p.events import Agreed, ChatSaid
from p2p.peer import PeerConfig, open_peer
from protocol import events as table
from tests.p2p.people import LOOPBACK, people
from tests.page.rooms import FakeBots, Window, agreed, shown
from tests.page.socket_client import Client, Refused, connected
from tests.page.test_gate import Entrance
from ui.page import commands
from ui.page.commands import COMMANDS
from ui.page.gate import proof, window_key
from ui.page.room import Room
from ui.page.serving import listen, serve
from ui.page.site import MOST_MESSAGE, site

TERMS = {"table": "kitchen", "game": "azi", "options": {}, "seats": 2}

HONEST: dict[str, list[dict[str, Any]]] = {
    "open": [TERMS, {**TERMS, "invite": True}],
    "join": [
        {"table": "kitchen", "key": "ab" * 32},
        {"typed": "127.0.0.1:1"},
        {"typed": "AAAA-BBBB"},
    ],
    "watch": [{"table": "kitchen", "key": "ab" * 32}, {"address": "127.0.0.1:1"}],
    "go_on": [{}, {"key": "ab" * 32}],
    "ready": [{"ready": True}],
    "leave": [{}],
    "remove": [{"key": "ab" * 32}],
    "bot": [{}],
    "rename": [{"name": "berta"}],
    "move": [{"move": ["bid", 20], "ask": 1}],
    "next": [{}],
    "weigh": [{"groups": [[1], [2], [3], [4]]}, {"cards": [["AS", "KS", "QS"]]}],
    "suggest": [{}],
    "sit": [{"choice": "out"}],
    "miss": [{"seat": 2}],
    "depart": [{}],
    "lobby": [{}],
    "say": [{"text": "hello"}],
    "mute": [{"short": "ABCDEFGH", "on": True}],
    "tables": [{}],
    "verify": [{"table": "ab" * 32}],
    "replay": [{"table": "ab" * 32}, {"table": "ab" * 32, "hand": 1}],
}
"""Every command with all of its fields."""


def deep(levels: int) -> Any:
    """A list in a list, and so on."""
    found: Any = []
    for _ in range(levels):
        found = [found]
    return found


ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**63, 10**30, 1.5, 1e300),
    *("", " ", "x", "x" * 600, "x" * 5000, "\0", "\n", "\u202e", "\ud800", "é" * 200, "😀" * 100),
    *(":", "1:0", "[::1]:0", "127.0.0.1:99999", "127.0.0.1:1\n", ".", "a.b", "AAAA-BBBB-CCCC"),
    *("hazari", "azi", "in", "leave", "../..", "<script>", "ab" * 32, "AB" * 32, " " * 64),
    *([], [[]], [None], [""], [1], ["up"], ["up", 1.5], ["bid", -1], ["bid", True], ["bid", 2**70]),
    *(["play", "AS"], ["play", [[[[[[[[1]]]]]]]]], ["up", *[[0] * 100] * 100], deep(500)),
    *([[], [], [], []], [["AS"] * 4], [["XX"]], [[1], [1], [1], [1]], [[{}]], [["AS", []]]),
    *({}, {"a": 1}, {"hands": -1}, {"hands": "many"}, {"hands": [1]}, {"hands": True}, {"": {}}),
]
"""What may stand in a field."""


def every_way() -> list[tuple[str, dict[str, Any]]]:
    """Each command with each of its fields missing or odd, and with fields of others."""
    found = []
    for do, ways in HONEST.items():
        for fields in ways:
            found.append((do, {**fields, "more": {"x": [1]}, "id2": None}))
            for name in fields:
                found.append((do, {k: v for k, v in fields.items() if k != name}))
                found += [(do, {**fields, name: odd}) for odd in ODD]
    return found


def test_table_has_every_command() -> None:
    """A new command belongs here."""
    assert set(HONEST) == set(COMMANDS)


async def try_every_way(window: Window, only: set[str] | None = None) -> set[str]:
    """Every command is answered in good form; returns the rules by which some were refused."""
    rules = set()
    for do, fields in every_way():
        if only is not None and do not in only:
            continue
        answer = await window.ask(do, **fields)
        if answer["ok"]:
            assert set(answer) == {"reply", "ok", "value"}, (do, fields)
        else:
            assert set(answer) == {"reply", "ok", "rule", "text"}, (do, fields)
            assert isinstance(answer["rule"], str)
            assert 0 < len(answer["text"]) < 7000
            rules.add(answer["rule"])
    return rules


@asynccontextmanager
async def room_of(peer: Any, folder: Path) -> AsyncIterator[tuple[Room, Window]]:
    """A room around a real peer; new names are taken without a restart."""
    async with shown(folder, peer, FakeBots()) as (room, _):

        async def rename(name: str) -> None:
            assert 0 < len(name.encode()) <= 80
            names.append(name)

        names: list[str] = []
        room.rename = rename  # type: ignore[method-assign]
        window = Window(room)
        await window.read()
        yield room, window
        window.close()


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that nobody calls out are given up at once."""
    monkeypatch.setattr(commands, "FINDING_SECONDS", 0.0)


async def assert_works(room: Room) -> None:
    """A new window is told everything, and commands are carried out."""
    window = Window(room)
    await window.read()
    assert window.state["me"]["name"]
    assert (await window.ask("mute", short="ABCDEFGH", on=True))["ok"]
    await window.read()
    assert "ABCDEFGH" in window.state["muted"]
    window.close()


@pytest.mark.trio
async def test_at_no_table(tmp_path: Path) -> None:
    """Whatever a real peer would say to it."""
    config = PeerConfig(tmp_path, "anna", LOOPBACK, discovery=False)
    async with open_peer(config) as peer, room_of(peer, tmp_path) as (room, window):
        for do in HONEST:
            rules = await try_every_way(window, {do})
            assert rules or do in ("leave", "lobby", "next", "tables"), do
            if do in ("open", "join"):
                await window.ask("leave")
        await assert_works(room)


@pytest.mark.trio
async def test_while_waiting_for_players(tmp_path: Path) -> None:
    """The table that was opened is still there in the end."""
    config = PeerConfig(tmp_path, "anna", LOOPBACK, discovery=False)
    async with open_peer(config) as peer, room_of(peer, tmp_path) as (room, window):
        assert (await window.ask("open", **TERMS))["ok"]
        await window.read()
        await try_every_way(window, set(HONEST) - {"leave"})
        await window.read()
        assert window.state["lobby"]["table"] == "kitchen"
        await assert_works(room)
        await try_every_way(window, {"leave"})
        await window.read()
        assert window.state["lobby"] is None


@pytest.mark.trio
@pytest.mark.slow
async def test_in_the_middle_of_a_hand(tmp_path: Path) -> None:
    """No odd command is a move; the honest one still is."""
    async with people(tmp_path, "bert", strategy="steady") as (bert,):
        config = PeerConfig(tmp_path / "anna", "anna", LOOPBACK, discovery=False)
        async with open_peer(config) as peer, room_of(peer, tmp_path) as (room, window):
            assert (await window.ask("open", **TERMS))["ok"]
            await bert.peer.join("kitchen", (LOOPBACK, peer.port))
            await bert.until_told(Agreed)
            with trio.fail_after(30):
                while not window.state.get("ask"):
                    await trio.sleep(0.02)
                    await window.read()
            before = window.state["view"]
            await try_every_way(window, set(HONEST) - {"move", "sit", "depart", "verify", "replay"})
            strange = [["bid", -1], ["bid", True], ["bid", 2**70], ["play", "AS"], deep(500), [1]]
            for move in strange:
                number = window.state["ask"]["n"]
                assert not (await window.ask("move", move=move, ask=number))["ok"]
            await window.read()
            assert window.state["view"] == before
            assert window.state["ask"] is not None
            assert (await window.ask("lobby"))["rule"] == "page.playing"
            (choice, *_) = window.state["ask"]["choices"]
            move = choice["moves"][0] if choice["moves"] else [choice["kind"], choice["amount"][0]]
            assert (await window.ask("move", move=move, ask=window.state["ask"]["n"]))["ok"]
            await assert_works(room)


ODD_COMMANDS = [
    *("", " ", "x", "{", "null", "[]", "7", '"do"', "NaN", "{}", '{"id":1}', '{"do":"next"}'),
    *('{"id":"1","do":"next"}', '{"id":1.5,"do":"next"}', '{"id":true,"do":"next"}'),
    *('{"id":null,"do":"next"}', '{"id":1,"do":7}', '{"id":1,"do":["next"]}', '{"id":1e999}'),
    *('{"id":1,"do":"__class__"}', '{"id":1,"do":"Next"}', '{"id":1,"do":"\\ud800"}'),
    *("[" * 8000, '{"a":' * 3000, '{"id":1,"do":"next",' + '"a":' + "9" * 5000 + "}"),
]
"""Texts that are no command at all."""


@pytest.mark.trio
async def test_what_is_no_command_is_answered(tmp_path: Path) -> None:
    """However broken it is."""
    async with shown(tmp_path) as (room, peer):
        for text in ODD_COMMANDS:
            answer = json.loads(await room.obey(text))
            assert answer["ok"] is False, text
            assert answer["rule"].startswith("page.")
        assert peer.asked == [("pause", True)]
        await assert_works(room)


# Over a real socket.


@asynccontextmanager
async def served(room: Room) -> AsyncIterator[tuple[int, Any]]:
    """The room's page, with the cookie to get in."""
    with listen(0, 0) as listener:
        port = listener.getsockname()[1]
        entrance = Entrance(port, app=site(room, partial(proof, window_key(b"k" * 32, port), port)))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, entrance.gate, listener)
            yield entrance.port, await entrance.enter()
            nursery.cancel_scope.cancel()


async def next_full(client: Client) -> Any:
    """The message that a window begins with."""
    said = await client.hear()
    assert said["full"] is True
    return said["set"]


@pytest.mark.trio
async def test_window_of_another_page_is_refused(tmp_path: Path) -> None:
    """By its origin; without the cookie too."""
    async with shown(tmp_path) as (room, _), served(room) as (port, cookie):
        for origin, key in (
            ("https://evil.example", cookie),
            (f"http://localhost:{port}", cookie),
            ("null", cookie),
            (None, ("Cookie", "facedown=x")),
        ):
            with pytest.raises(Refused, match="403"):
                async with connected(port, key, origin):
                    pass
        assert room._windows == []
        async with connected(port, cookie) as client:
            assert (await next_full(client))["me"]["name"] == "anna"


@pytest.mark.trio
async def test_odd_messages_end_their_own_window_only(tmp_path: Path) -> None:
    """Bytes, and more than any command has; broken commands are answered."""
    async with shown(tmp_path) as (room, _), served(room) as (port, cookie):
        async with connected(port, cookie) as other:
            await next_full(other)
            for odd, code in (
                (b"\0\1", 1003),
                (b'{"id":1,"do":"next"}', 1003),
                ("x" * (MOST_MESSAGE + 1), 1009),
                (f'{{"id":1,"do":"next","x":"{"é" * MOST_MESSAGE}"}}', 1009),
                ("x" * 200_000, 1009),
            ):
                async with connected(port, cookie) as client:
                    await next_full(client)
                    await client.say(odd)
                    while await client.hear() is not None:
                        pass
                    assert client.closed == code
            for text in ODD_COMMANDS:
                await other.say(text)
                while "reply" not in (said := await other.hear()):
                    pass
                assert said["ok"] is False
            await other.say({"id": 5, "do": "mute", "short": "ABCDEFGH", "on": True})
            assert (await other.reply(5))["ok"]
        await trio.testing.wait_all_tasks_blocked(0.02)
        assert room._windows == []


@pytest.mark.trio
async def test_window_that_reads_nothing_holds_nobody_up(tmp_path: Path) -> None:
    """What is for it piles up nowhere, and when it reads again it knows all."""
    async with (
        shown(tmp_path) as (room, peer),
        served(room) as (port, cookie),
        connected(port, cookie, read_buffer=4096) as slow,
    ):
        await next_full(slow)
        peer.tell(agreed(), *(table.Overdue(0, 0, "move", (1,), 10.0) for _ in range(300)))
        for step in range(400):
            peer.tell(ChatSaid(b"k" * 32, "bert", "BERT", f"{step:0400}", own=False))
            await trio.testing.wait_all_tasks_blocked()
        (window,) = room._windows
        assert len(window.events) > 10  # its connection is full: they wait here, up to a limit
        async with connected(port, cookie) as quick:
            whole = await next_full(quick)
            await quick.say({"id": 9, "do": "sit", "choice": "in"})
            assert (await quick.reply(9))["ok"]
        with trio.fail_after(5):
            while True:
                said = await slow.hear()
                if said["set"].get("chat") == whole["chat"]:
                    break


@pytest.mark.trio
async def test_commands_that_are_not_waited_for_are_all_answered(tmp_path: Path) -> None:
    """One after the other, in order."""
    async with (
        shown(tmp_path) as (room, _),
        served(room) as (port, cookie),
        connected(port, cookie) as client,
    ):
        await next_full(client)
        for number in range(300):
            await client.say({"id": number, "do": "sit", "choice": "in"})
        replies = []
        while len(replies) < 300:
            said = await client.hear()
            if "reply" in said:
                replies.append(said["reply"])
        assert replies == list(range(300))
