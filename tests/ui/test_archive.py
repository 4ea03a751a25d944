"""Past tables: their records are checked and played over beside the game, for the page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
import trio

from engine import game
from engine.azi.view import AziView
from engine.hazari.view import HazariView
from p2p.database import StoredTable
from p2p.handle import Peer
from protocol.errors import LocalError
from protocol.record import MAGIC, read_objects, write_record
from protocol.verifier import CheckedStep
from protocol.votes import absence_object, parse_absence
from tests.protocol.once import computed_once
from tests.protocol.tables import Table, make_table
from ui.lines import plain
from ui.page.archive import Archive, verify
from ui.page.commands import BadCommand, carry_out, read
from ui.page.keep import Kept
from ui.page.replay import walk
from ui.page.room import Room
from ui.page.state import State


@pytest.fixture(scope="module")
def azi() -> Table:
    """Three games of Azi by three bots."""
    table = make_table("archive", "azi", {"hands": 3}, 3, strategy="steady")
    with computed_once():
        table.begin()
        table.deliver()
    return table


# The verdict.


def test_a_good_record_is_complete(record: bytes) -> None:
    """With the counts of all that was looked at; every step is told on the way."""
    steps: list[CheckedStep] = []
    with computed_once():
        found = verify(record, steps.append)
    assert (found["verdict"], found["fault"], found["caught"]) == ("complete", None, [])
    counts = cast(dict[str, int], found["counts"])
    assert counts["entries"] == len(list(read_objects(record))) - 1
    assert counts["hands"] == 1
    assert counts["proofs"] > 0
    assert found["bytes"] == len(record)
    assert steps


def test_a_cut_record_is_sound_so_far(record: bytes) -> None:
    """Cut between entries nothing is wrong with it."""
    sealed, *envelopes = read_objects(record)
    with computed_once():
        assert verify(write_record(sealed, envelopes[:-3]))["verdict"] == "so far"
        assert verify(record[:-1])["verdict"] == "unreadable"


def test_a_damaged_record_is_unsound_and_says_where(record: bytes, played: Table) -> None:
    """Whose entry it is, by name."""
    sealed, *envelopes = read_objects(record)
    changed = bytearray(envelopes[2])
    changed[-1] ^= 1
    with computed_once():
        found = verify(write_record(sealed, [*envelopes[:2], bytes(changed), *envelopes[3:]]))
    assert found["verdict"] == "unsound"
    fault = cast(dict[str, object], found["fault"])
    assert (fault["code"], fault["seat"], fault["lane"]) == ("signature", 2, 1)
    assert fault["name"] == played.agreement.players[2].name


# Playing over.


def test_a_hand_of_hazari_can_be_played_over(record: bytes) -> None:
    """Deal, divisions by slots only, show with rounds; the story; the end."""
    with computed_once():
        replay = walk(record)
    assert replay.faults == []
    hand = replay.hands[0]
    assert [frame["kind"] for frame in hand.frames] == ["shares", "move", "lock", "shares"]
    views = [cast(HazariView, frame["view"]) for frame in hand.frames]
    assert all(view.seat is None and view.hand == () for view in views)
    assert not any(view.divisions for view in views[:-1])
    assert len(views[-1].rounds) == 4
    moves = cast(list[dict[str, object]], hand.frames[1]["moves"])
    assert [move["seat"] for move in moves] == [0, 1, 2, 3]
    assert hand.story[0].endswith("led")
    assert len(hand.head) == 64  # the back of its cards
    result = replay.result()
    assert result is not None
    assert (result["rule"], result["hands"]) == ("hands", len(replay.hands))


@pytest.mark.slow
def test_games_of_azi_can_be_played_over(azi: Table) -> None:
    """Every bid and card is a frame; the last one of each game has its end."""
    with computed_once():
        replay = walk(azi.record(0))
    assert [hand.hand for hand in replay.hands] == [1, 2, 3]
    for hand in replay.hands:
        views = [frame["view"] for frame in hand.frames if frame["view"] is not None]
        assert all(isinstance(view, AziView) and view.seat is None for view in views)
        assert cast(AziView, views[-1]).ended
        assert hand.over
        assert hand.story
    outline = replay.outline()
    assert [one["frames"] for one in cast(list[dict[str, int]], outline["hands"])] == [
        len(hand.frames) for hand in replay.hands
    ]


def test_no_frame_shows_a_card_before_all_may_see_it(azi: Table) -> None:
    """What a frame tells of faces has been opened to everybody by then."""
    with computed_once():
        replay = walk(azi.record(0))
    pack = set(game("azi").pack(azi.agreement.options))
    for hand in replay.hands:
        opened: set[str] = set()
        for frame in hand.frames:
            for move in cast(list[dict[str, object]], frame["moves"]):
                opened |= {card for _, card in cast(tuple[tuple[int, str], ...], move["opened"])}
            view = cast(AziView | None, frame["view"])
            if view is None:
                continue
            assert view.discard is None
            told = json.loads(json.dumps(plain(view), default=plain))
            del told["pack"]
            assert _cards(told, pack) <= opened | {view.turned_up}


def _cards(value: object, pack: set[str]) -> set[str]:
    """All cards that are named anywhere."""
    if isinstance(value, str):
        return {value} & pack
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {card for one in inside for card in _cards(one, pack)}


def test_who_was_declared_gone_is_in_the_verdict_and_in_the_frames(silent: Table) -> None:
    """A record with an absence is sound, and can be played over to its end."""
    record = silent.record(0)
    with computed_once():
        found = verify(record)
        replay = walk(record)
    assert (found["verdict"], found["fault"]) == ("complete", None)
    names = [player.name for player in silent.agreement.players]
    (absent,) = cast(list[dict[str, object]], found["absent"])
    assert (absent["seat"], absent["by"], absent["lane"]) == (2, (0, 1), 0)
    assert found["names"] == names
    assert replay.result() is not None
    frames = [frame for hand in replay.hands for frame in hand.frames if frame["absent"]]
    assert [frame["absent"] for frame in frames] == [[{"seat": 2, "by": (0, 1)}]]
    assert frames[0]["view"] is not None
    assert replay.faults == []


def test_an_absence_that_does_not_hold_ends_the_replay(silent: Table) -> None:
    """As does everything else that does not fit."""
    sealed, *objects = read_objects(silent.record(0))
    place = next(n for n, one in enumerate(objects) if parse_absence(one))
    stands = parse_absence(objects[place])
    assert stands is not None
    for wrong in (stands[:1], tuple(reversed(stands)), (b"x", *stands[1:])):
        bad = write_record(sealed, [*objects[:place], absence_object(wrong), *objects[place + 1 :]])
        with computed_once():
            replay = walk(bad)
        assert replay.result() is None
        assert replay.faults
        assert replay.hands


def test_a_record_that_is_cut_ends_where_it_ends(azi: Table) -> None:
    """The last hand is there as far as it came, and nothing is said of an end."""
    sealed, *envelopes = read_objects(azi.record(0))
    with computed_once():
        replay = walk(write_record(sealed, envelopes[:-4]))
    assert replay.result() is None
    assert not replay.hands[-1].over


def test_a_damaged_record_is_walked_as_far_as_it_holds(azi: Table) -> None:
    """Faults are kept; nothing is raised."""
    sealed, *envelopes = read_objects(azi.record(0))
    changed = bytearray(envelopes[30])
    changed[-1] ^= 1
    with computed_once():
        replay = walk(write_record(sealed, [*envelopes[:30], bytes(changed), *envelopes[31:]]))
    assert replay.faults
    assert replay.result() is None


@pytest.mark.parametrize("data", [b"", b"hello", MAGIC, MAGIC + b"\0\0", bytes(100)])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    """By words, not by a traceback."""
    with pytest.raises(LocalError, match="cannot be read"):
        walk(data)


# The archive of a room.


class FakePeer:
    """A peer that has been at these tables."""

    def __init__(self, *tables: Table) -> None:
        self.tables_seen = tables
        self.asked = 0

    async def tables(self) -> list[StoredTable]:
        """The newest first."""
        return [
            StoredTable(one.agreement.table_id, one.sealed, 0, 1_700_000_000 - i, True)
            for i, one in enumerate(self.tables_seen)
        ]

    async def record_of(self, table: bytes) -> bytes:
        """As ``Peer``."""
        self.asked += 1
        for one in self.tables_seen:
            if one.agreement.table_id == table:
                return one.record(0)
        raise LocalError("there is no such table in the store")


class FakeRoom:
    """As much of a room as an archive uses."""

    def __init__(self, folder: Path, nursery: trio.Nursery, peer: FakePeer) -> None:
        self.kept = Kept(folder)
        self.peer = cast(Peer, peer)
        self.state = State("Ann", bytes(32), "aaaa")
        self.archive = Archive(cast(Room, self))
        self.published = trio.Event()
        self._nursery = nursery

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """As ``Room``."""
        self._nursery.start_soon(work)

    def publish(self) -> None:
        """As ``Room``."""
        self.published.set()
        self.published = trio.Event()

    async def obey(self, **command: object) -> object:
        """Carries out a command of a window."""
        asked = read(json.dumps({"id": 1, **command}))
        return await carry_out(cast(Room, self), asked)

    def section(self, name: str) -> dict[str, dict[str, object]]:
        """A part of what windows see."""
        archive = cast(dict[str, dict[str, dict[str, object]]], self.state.sections["archive"])
        return archive[name]


@asynccontextmanager
async def room(folder: Path, *tables: Table) -> AsyncIterator[FakeRoom]:
    """A room of a peer that has been at these tables."""
    with computed_once():
        async with trio.open_nursery() as nursery:
            yield FakeRoom(folder, nursery, FakePeer(*tables))


async def finished(where: FakeRoom, name: str, table: str) -> dict[str, object]:
    """What a piece of work has come to."""
    with trio.fail_after(20):
        while where.section(name)[table]["state"] == "running":
            await where.published.wait()
    return where.section(name)[table]


@pytest.mark.trio
async def test_past_tables_are_listed_with_their_results(
    tmp_path: Path, azi: Table, played: Table
) -> None:
    """Results are looked up once, and remembered from one run to the next."""
    ids = [one.agreement.table_id.hex() for one in (azi, played)]
    async with room(tmp_path, azi, played) as here:
        rows = cast(list[dict[str, object]], await here.obey(do="tables"))
        assert [row["table"] for row in rows] == ids
        assert [row["game"] for row in rows] == ["azi", "hazari"]
        assert [row["result"] for row in rows] == [None, None]
        players = cast(list[dict[str, object]], rows[0]["players"])
        assert [one["name"] for one in players] == [one.name for one in azi.agreement.players]
        with trio.fail_after(20):
            while len(here.kept.mapping("results")) < 2:
                await here.published.wait()
    async with room(tmp_path, azi, played) as again:
        rows = cast(list[dict[str, object]], await again.obey(do="tables"))
        result = cast(dict[str, object], rows[1]["result"])
        assert (result["rule"], result["stopped"]) == ("hands", False)
        assert cast(FakePeer, again.peer).asked == 0


@pytest.mark.trio
async def test_a_table_is_played_over(tmp_path: Path, azi: Table) -> None:
    """First it is read, then each hand is there on request."""
    table = azi.agreement.table_id.hex()
    async with room(tmp_path, azi) as here:
        with pytest.raises(LocalError, match="not been read"):
            await here.obey(do="replay", table=table, hand=1)
        assert await here.obey(do="replay", table=table) is None
        found = await finished(here, "replays", table)
        hands = cast(list[dict[str, object]], found["hands"])
        assert [one["hand"] for one in hands] == [1, 2, 3]
        frames = cast(list[object], await here.obey(do="replay", table=table, hand=2))
        assert len(frames) == hands[1]["frames"]
        with pytest.raises(LocalError, match="no such hand"):
            await here.obey(do="replay", table=table, hand=4)


@pytest.mark.trio
async def test_a_table_is_verified(tmp_path: Path, azi: Table) -> None:
    """The command returns at once; the verdict comes into the section."""
    table = azi.agreement.table_id.hex()
    async with room(tmp_path, azi) as here:
        await here.obey(do="verify", table=table)
        assert here.section("checks")[table]["state"] == "running"
        await here.obey(do="verify", table=table)  # is being done
        found = await finished(here, "checks", table)
        assert (found["state"], found["verdict"]) == ("done", "complete")
        assert cast(FakePeer, here.peer).asked == 1


@pytest.mark.trio
async def test_a_table_that_is_not_there_fails_in_words(tmp_path: Path) -> None:
    """And nothing else comes of it."""
    async with room(tmp_path) as here:
        for command, name in (("verify", "checks"), ("replay", "replays")):
            await here.obey(do=command, table="00" * 32)
            found = await finished(here, name, "00" * 32)
            assert found == {"state": "failed", "text": "there is no such table in the store"}


@pytest.mark.trio
async def test_a_check_ends_with_the_room(tmp_path: Path, azi: Table) -> None:
    """A peer that stops does not wait for it."""
    async with room(tmp_path, azi) as here:
        await here.obey(do="verify", table=azi.agreement.table_id.hex())
        await trio.sleep(0.02)
        here._nursery.cancel_scope.cancel()
    assert here.archive.checks == {}  # it can be asked for again


HOSTILE: list[object] = [
    None,
    "",
    1,
    True,
    [],
    {},
    "zz" * 32,
    "00" * 31,
    "00" * 33,
    " " + "00" * 32,
    "0" * 64000,
]


@pytest.mark.parametrize("table", HOSTILE, ids=lambda one: repr(one)[:12])
@pytest.mark.parametrize("command", ["verify", "replay"])
@pytest.mark.trio
async def test_what_names_no_table_is_refused(tmp_path: Path, command: str, table: object) -> None:
    """By the code for a wrong field."""
    async with room(tmp_path) as here:
        with pytest.raises(BadCommand) as bad:
            await here.obey(do=command, table=table)
    assert bad.value.rule == "page.field"


@pytest.mark.parametrize("hand", [0, -1, 1.5, "1", True, [], 2**40])
@pytest.mark.trio
async def test_what_is_no_hand_is_refused(tmp_path: Path, hand: object) -> None:
    """By the same."""
    async with room(tmp_path) as here:
        with pytest.raises(BadCommand) as bad:
            await here.obey(do="replay", table="00" * 32, hand=hand)
    assert bad.value.rule == "page.field"
