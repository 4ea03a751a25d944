"""What an attacker found: one test for each fault. Those marked fail until the fault is mended."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from p2p import events as p2p
from p2p.peer import PeerConfig, open_peer
from p2p.transport import Address
from protocol.errors import LocalError
from tests.p2p.people import LOOPBACK, people
from tests.page.asgi import ask
from tests.page.rooms import ADDRESS, PLAYERS, FakeBots, FakePeer, Window, agreed, shown
from tests.page.test_gate import HOST, TABLE, Entrance, NoHost, on_site
from tests.page.test_hostile import served
from tests.ui.processes import command, running
from ui.page import bots as bots_module
from ui.page import commands
from ui.page.bots import Bots
from ui.page.keep import FILE_NAME, Kept
from ui.page.room import Room
from ui.page.state import State

TERMS = {"table": "kitchen", "game": "azi", "options": {}, "seats": 4}


def told(turn: int, key: bytes) -> p2p.TablesTold:
    """Somebody who is linked tells of as many tables as can be."""
    tables = tuple(p2p.TableOffer(f"table {turn} {n}", "azi", 1, 2, key) for n in range(8))
    return p2p.TablesTold(key.hex()[:8], key, tables)


def waiting(*players: p2p.PlayerInfo, seats: int = 4) -> p2p.LobbyChanged:
    """A table that waits."""
    return p2p.LobbyChanged("kitchen", "hazari", (), seats, players)


# The page against its player.


@pytest.mark.trio
async def test_leave_at_a_table_that_plays_keeps_the_bots(tmp_path: Path) -> None:
    """A window that still shows the lobby gives up waiting just when the game has begun."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = Window(room)
        peer.tell(agreed())
        await window.read()
        await window.ask("leave")
        assert bots.gone == 0


@pytest.mark.trio
async def test_back_to_the_lobby_keeps_bots_of_a_table_that_waits(tmp_path: Path) -> None:
    """A second window still shows an old result, and its player presses "back to the lobby"."""
    bots = FakeBots()
    async with shown(tmp_path, bots=bots) as (room, peer):
        window = Window(room)
        await window.ask("open", **TERMS)
        peer.tell(waiting(PLAYERS[0]))
        await window.read()
        await window.ask("bot")
        await window.ask("lobby")
        assert bots.added
        assert bots.gone == 0


@pytest.mark.trio
async def test_move_that_does_not_say_which_choice_it_answers_is_refused(tmp_path: Path) -> None:
    """An old window, or one that has lost track, cannot act by chance."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        peer.tell(agreed())
        await window.read()
        answer = await window.ask("move", move=["fold"])
        assert not answer["ok"]
        assert ("move", ("fold",)) not in peer.asked


@pytest.mark.trio
async def test_two_renames_at_once_are_both_answered_soon(tmp_path: Path) -> None:
    """Two windows, or a double click on a slow machine."""
    async with trio.open_nursery() as nursery:
        room_box: list[Any] = []

        async def peers() -> None:
            room = Room(Kept(tmp_path), FakeBots())  # type: ignore[arg-type]
            room_box.append(room)
            name = "anna"
            while True:
                peer = FakePeer()
                name = await room.show(peer, State(name, peer.key, "ANNAAAAA"))  # type: ignore[arg-type]
                await trio.sleep(0.05)

        nursery.start_soon(peers)
        await trio.sleep(0.05)
        (room,) = room_box
        start = trio.current_time()
        async with trio.open_nursery() as both:
            for name in ("berta", "carla"):
                both.start_soon(functools.partial(Window(room).ask, "rename", name=name))
        nursery.cancel_scope.cancel()
        assert trio.current_time() - start < 2


@pytest.mark.trio
async def test_no_new_name_while_a_left_table_is_taken_up_again(tmp_path: Path) -> None:
    """Resuming is asked for once, of the peer that is there at the start."""
    async with shown(tmp_path) as (room, _):
        room.state.put("resuming", True)
        with trio.move_on_after(1):
            assert not (await Window(room).ask("rename", name="berta"))["ok"]
            return
        pytest.fail("the peer was ended")


# Other people.


@pytest.mark.trio
async def test_stranger_cannot_fill_the_list_of_tables(tmp_path: Path) -> None:
    """Each message tells of up to eight tables; names of earlier ones must not pile up."""
    async with shown(tmp_path) as (room, peer):
        window = Window(room)
        for turn in range(300):
            peer.tell(told(turn, b"k" * 32))
            await trio.testing.wait_all_tasks_blocked()
        await window.read()
        assert len(window.state["network"]["tables"]) == 8
        for turn in range(300):
            peer.tell(told(turn, turn.to_bytes(32)))
        await window.read()
        assert len(window.state["network"]["tables"]) == 64


@pytest.mark.trio
async def test_bot_is_ours_only_if_we_started_it(tmp_path: Path) -> None:
    """Anybody can write our key into the field of the owner; it must not look like our own bot,
    and the words of the table code are to be compared then.
    """
    own = FakePeer()
    claims = p2p.PlayerInfo(PLAYERS[1].key, "Ben", "BENAAAAA", "ANNAAAAA", ready=True)
    async with shown(tmp_path, own) as (room, peer):
        window = Window(room)
        peer.tell(waiting(PLAYERS[0], claims))
        await window.read()
        (row,) = (one for one in window.state["lobby"]["players"] if one["name"] == "Ben")
        assert row["mine"] is False
        peer.tell(agreed())
        await window.read()
        assert [one["mine"] for one in window.state["table"]["players"]] == [False] * 4
        room.bots.keys.add(PLAYERS[1].key)  # a process of ours says that this is its key
        room._bot_came(PLAYERS[1].key)
        await window.read()
        mine = [one["mine"] for one in window.state["table"]["players"]]
        assert mine == [False, True, False, False]
        assert peer.vouched == [PLAYERS[1].key]


@pytest.mark.trio
async def test_table_that_was_clicked_is_the_one_that_is_joined(tmp_path: Path) -> None:
    """Two tables of one name: that of a friend, and that of somebody who has seen the name."""
    async with people(tmp_path, "mallory", "anna") as (mallory, anna):
        config = PeerConfig(tmp_path / "bert", "bert", LOOPBACK, discovery=False)
        async with open_peer(config) as peer, shown(tmp_path / "bert", peer) as (room, _):
            for other in (mallory, anna):
                await other.peer.open_table("kitchen", "azi", {}, 3)
                place = [Address(LOOPBACK, other.peer.port)]
                await peer._owner._mesh.connect(place, other.peer.key, "address")
            window = Window(room)
            await window.read()
            with trio.fail_after(5):
                while len(window.state["network"]["tables"]) < 2:
                    await trio.sleep(0.05)
                    await window.read()
            await window.ask("join", table="kitchen", key=anna.peer.key.hex())
            with trio.move_on_after(3):
                while not window.state["lobby"]:
                    await trio.sleep(0.05)
                    await window.read()
            assert window.state["lobby"]["players"][0]["name"] == "anna"


# Freezing and exhausting.


@pytest.mark.trio
async def test_suggestions_are_worked_out_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many windows ask at once: 40 threads of arithmetic hold up the event loop for 0.3 s."""
    at_work: list[int] = [0, 0]

    def suggest(view: object, lying: object) -> dict[str, object]:
        at_work[0] += 1
        at_work[1] = max(at_work)
        time.sleep(0.05)
        at_work[0] -= 1
        return {}

    monkeypatch.setattr(commands, "suggest", suggest)
    async with shown(tmp_path) as (room, _), trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(Window(room).ask, "suggest")
    assert at_work[1] <= 2


@pytest.mark.trio
async def test_cookies_of_other_programs_do_not_lock_us_out(tmp_path: Path) -> None:
    """Cookies are not separated by port: whatever is served on 127.0.0.1 can set hundreds."""
    async with shown(tmp_path) as (room, _), served(room) as (port, (_, cookie)):
        others = "; ".join(f"other{n}={'x' * 1000}" for n in range(150))
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        async with stream:
            head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {others}; {cookie}\r\n\r\n"
            await stream.send_all(head.encode())
            with trio.fail_after(5):
                answer = await stream.receive_some(4096)
        assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.trio
async def test_bots_asked_for_at_once_get_folders_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two windows ask for one at the same moment."""
    begun: list[int] = []
    bots = Bots(tmp_path, b"k" * 32)
    monkeypatch.setattr(bots, "_start", lambda number, arguments: begun.append(number))
    bots.serve(lambda: str(ADDRESS), lambda words: None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bots.add, "kitchen")
        nursery.start_soon(bots.add, "kitchen")
    assert len(set(begun)) == 2


@pytest.mark.trio
async def test_bot_that_cannot_be_started_does_not_end_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No process or file can be had just now (EAGAIN, EMFILE): that is said, the game goes on."""

    def started(*_: object) -> Any:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(bots_module, "started", started)
    failures: list[str] = []
    bots = Bots(tmp_path, b"k" * 32)
    bots.serve(lambda: str(ADDRESS), failures.append)
    async with trio.open_nursery() as nursery:
        await nursery.start(bots.run)
        await bots.add("kitchen")
        await trio.sleep(0.05)
        assert len(failures) == 1
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_error_of_the_disk_in_a_command_is_an_answer(tmp_path: Path) -> None:
    """A full disk or a folder that cannot be made: the window is told so."""

    class NoRoom(FakeBots):
        async def add(self, table: str) -> None:
            raise OSError(28, "No space left on device")

    async with shown(tmp_path, bots=NoRoom()) as (room, peer):
        window = Window(room)
        peer.tell(waiting(PLAYERS[0]))
        await window.read()
        assert not (await window.ask("bot"))["ok"]


@pytest.mark.trio
async def test_unknown_tables_leave_nothing_behind(tmp_path: Path) -> None:
    """Checks and replays of tables that there are none of."""

    class Nothing(FakePeer):
        async def record_of(self, table: bytes) -> bytes:
            raise LocalError("There is no record of this table here.")

    async with shown(tmp_path, Nothing()) as (room, _):
        window = Window(room)
        for number in range(100):
            for do in ("verify", "replay"):
                await window.ask(do, table=f"{number:064x}")
            await trio.testing.wait_all_tasks_blocked()
        await window.read()
        archive = window.state.get("archive", {"checks": {}, "replays": {}})
        assert len(archive["checks"]) + len(archive["replays"]) <= 16


@pytest.mark.trio
async def test_record_is_not_compressed_on_the_event_loop() -> None:
    """It is as good as random; a long table's takes 100 ms and more, and everything waits."""
    entrance = Entrance()
    headers = [HOST, await entrance.enter(), ("Accept-Encoding", "gzip")]
    answer = await ask(entrance.gate, "/web/js/app.js", headers)
    assert answer.one("content-encoding") == "gzip"

    class Big(NoHost):
        async def record(self, table: str) -> bytes:
            return os.urandom(50_000)

    big = Entrance(app=on_site(Big()))
    cookie = await big.enter()
    answer = await ask(big.gate, f"/record/{TABLE}.facedown", [HOST, cookie, headers[-1]])
    assert answer.all("content-encoding") == []


# The gate.


async def _no_token_used(entrance: Entrance, headers: list[tuple[str, str]], method: str) -> None:
    before = entrance.way_in
    answer = await ask(entrance.gate, before, [HOST, *headers], method)
    assert answer.all("set-cookie") == []
    assert entrance.way_in == before


@pytest.mark.trio
async def test_asking_for_the_head_uses_no_address_up() -> None:
    """Programs that look at links before people open them ask so."""
    await _no_token_used(Entrance(), [], "HEAD")


@pytest.mark.trio
@pytest.mark.parametrize("purpose", ["prefetch", "prefetch;prerender"])
async def test_what_is_fetched_in_advance_is_refused(purpose: str) -> None:
    """Chromium says "Sec-Fetch-Site: none" when *another page* has it prefetch ours (speculation
    rules); only Sec-Purpose and Referer tell.
    """
    entrance = Entrance()
    early = [("Sec-Fetch-Site", "none"), ("Sec-Purpose", purpose)]
    await _no_token_used(entrance, early, "GET")
    cookie = await entrance.enter()
    assert (await ask(entrance.gate, "/", [HOST, cookie, *early])).status >= 400


@pytest.mark.trio
async def test_request_with_the_referrer_of_another_page_is_refused() -> None:
    """As Origin: when present it must be ours."""
    entrance = Entrance()
    headers = [HOST, await entrance.enter(), ("Referer", "http://127.0.0.1:9/"),
               ("Sec-Fetch-Site", "none")]  # fmt: skip
    assert (await ask(entrance.gate, "/", headers)).status == 403


# The program.


def play(folder: Path, *more: str) -> list[str]:
    """The command with a data folder of its own and without mDNS."""
    return command("play", "--no-discovery", "--data", str(folder), *more)


def kept(folder: Path, text: str) -> Path:
    """A data folder with this in its file."""
    folder.mkdir(mode=0o700)
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000], ids=["lists", "objects"])
def test_damaged_file_of_the_page_is_passed_over(tmp_path: Path, text: str) -> None:
    """Too deep for the reader."""
    assert Kept(kept(tmp_path / "data", text)).text("name") is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a\nb", "x" * 5000, "\u202eanna"])
def test_kept_name_that_cannot_be_used_is_passed_over(tmp_path: Path, name: str) -> None:
    """The player did not type it now, and would not know where to look."""
    folder = kept(tmp_path / "data", json.dumps({"name": name}))
    with running(play(folder, "--no-open")) as (process,):
        assert process.until(lambda line: True, 20).startswith("http://127.0.0.1:")


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A text browser: in the foreground. It writes down what it is given."""
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/arguments"\nexec sleep 4\n')
    script.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{script} %s")
    return tmp_path / "arguments"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_browser_in_the_foreground_does_not_stop_the_program(tmp_path: Path, browser: Path) -> None:
    """lynx, w3m, firefox without remote control: webbrowser.open waits for them."""
    with running(play(tmp_path / "data")) as (process,):
        address = process.until(lambda line: True, 20).strip()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        start = time.monotonic()
        with pytest.raises(urllib.error.HTTPError, match="403"):  # no cookie, but an answer
            opener.open(address.partition("?")[0], timeout=3)
        assert time.monotonic() - start < 2


@pytest.mark.trio
async def test_invite_code_is_in_no_list_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Own bots come in by the code that opens an invite table; other users can read arguments."""
    commands: list[Any] = []
    environments: list[Any] = []

    def started(given: Any, environment: Any, *_: object) -> Any:
        commands.extend(given)
        environments.append(environment)
        raise RuntimeError

    monkeypatch.setattr(bots_module, "started", started)
    bots = Bots(tmp_path, b"k" * 32)
    bots.serve(lambda: "BSEC-RETC-ODE", lambda words: None)
    with suppress(BaseException):
        async with trio.open_nursery() as nursery:
            await nursery.start(bots.run)
            await bots.add("kitchen")
            await trio.sleep(0.05)
            nursery.cancel_scope.cancel()
    assert commands
    assert "BSEC-RETC-ODE" not in [argument for one in commands for argument in one]
    assert environments[0]["FACEDOWN_JOIN"] == "BSEC-RETC-ODE"
