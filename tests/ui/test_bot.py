"""The headless peer from sitting down to its end, against a peer that says what a test wants."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import trio
import trio.testing

from engine import MatchEnd, Move, game
from p2p import events as p2p
from p2p.database import NO_SEAT, StoredTable
from p2p.following import Attendance
from p2p.trouble import Trouble
from protocol import events as table
from protocol.errors import LocalError, PeerFault
from protocol.events import YourMove
from tests.protocol.tables import make_table
from ui import bot, catalogue, exits
from ui.bot import Bot
from ui.exits import Exit
from ui.lines import Lines
from ui.settings import Settings
from ui.trouble import Verdict, judge

PLAYERS = tuple(
    p2p.PlayerInfo(bytes([seat]) * 32, name, "ABCDEFGH") for seat, name in enumerate("ABCD")
)
AGREED = p2p.Agreed(b"\7" * 32, 1, PLAYERS)
LOBBY = p2p.LobbyChanged("kitchen", "hazari", (), 4, PLAYERS[:2])
STEP = p2p.SessionTold(table.StepClosed(0, 1, "ready", (0, 1, 2, 3), (), b"\0" * 32, 600))
OVER = p2p.SessionTold(
    table.MatchOver(MatchEnd(2, "target", "seat 2 wins the match with 1000 points"), ())
)


def stopped(*seats: int) -> p2p.SessionTold:
    """The table stopped because of these seats."""
    return p2p.SessionTold(table.Stopped(seats, "left", "seat 3 has left"))


class FakePeer:
    """Says what is put into it; keeps what it is asked for."""

    def __init__(self, events: Sequence[p2p.PeerEvent], resumes: bool = False) -> None:
        self.key = bytes(32)
        self.asked: list[tuple[object, ...]] = []
        self.moves: list[Move] = []
        self.moved = trio.Event()
        self.resumes = resumes
        self.refusal: LocalError | None = None
        self.looks = 0
        self.stored: list[StoredTable] = []
        self.there = Attendance()
        self.send, self._receive = trio.open_memory_channel[p2p.PeerEvent](math.inf)
        for event in events:
            self.send.send_nowait(event)

    @property
    def events(self) -> AsyncIterator[p2p.PeerEvent]:
        """See ``Peer.events``."""
        return self._receive

    async def resume(self) -> bool:
        """See ``Peer.resume``."""
        return self.resumes

    async def open_table(
        self, table: str, game: str, options: dict[str, int | str], seats: int, invite: bool
    ) -> None:
        """See ``Peer.open_table``."""
        self.asked.append(("open", table, game, options["hands"], seats, invite))

    def invites(self) -> tuple[str, ...]:
        """See ``Peer.invites``."""
        return ("AAAA-BBBB",)

    async def join(
        self,
        table: str | None,
        address: tuple[str, int] | None,
        game: str | None,
        code: str | None,
    ) -> None:
        """See ``Peer.join``."""
        self.asked.append(("join", table, code if address is None else address, game))
        if self.refusal is not None:
            raise self.refusal

    async def move(self, move: Move) -> None:
        """See ``Peer.move``."""
        self.moves.append(move)
        self.moved.set()

    async def late(self) -> None:
        """See ``Peer.late``."""
        self.asked.append(("late",))

    async def sit(self, choice: str) -> None:
        """See ``Peer.sit``."""
        self.asked.append(("sit", choice))

    async def depart(self) -> None:
        """See ``Peer.depart``."""
        self.asked.append(("depart",))

    async def miss(self, seat: int) -> None:
        """See ``Peer.miss``."""
        self.asked.append(("miss", seat))

    def attendance(self) -> Attendance:
        """See ``Peer.attendance``."""
        return self.there

    def lacking_end(self) -> tuple[int, ...]:
        """See ``Peer.lacking_end``; one look less each time."""
        self.looks -= 1
        return (2,) if self.looks >= 0 else ()

    async def tables(self) -> list[StoredTable]:
        """See ``Peer.tables``."""
        return self.stored

    async def record_of(self, table: bytes) -> bytes:
        """See ``Peer.record_of``."""
        return b"the record" if table == AGREED.table_id else b"of another table"


@pytest.fixture
def asked(tmp_path: Path) -> Settings:
    """A bot that joins the kitchen table."""
    return Settings(
        table="kitchen",
        opens=False,
        join=None,
        game="hazari",
        options=catalogue.read_options(game("hazari"), []),
        seats=4,
        strategy="random",
        program=False,
        name="A",
        data=tmp_path,
        interface=None,
        port=0,
        discovery=True,
        save=None,
        give_up=None,
        linger=False,
    )


@pytest.fixture(autouse=True)
def quick_short_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short form of a key takes a tenth of a second; nothing here depends on it."""
    monkeypatch.setattr(bot, "short_form", lambda key: "ABCDEFGH")
    monkeypatch.setattr(bot, "LAST_WORDS", 0.0)


def play(
    asked: Settings, *events: p2p.PeerEvent, peer: FakePeer | None = None
) -> tuple[Exit, list[dict[str, object]]]:
    """How it ends, and the lines that were printed."""
    out: list[str] = []
    used = peer or FakePeer(events)
    clock = trio.testing.MockClock(autojump_threshold=0.2)

    async def main() -> Exit:
        with trio.fail_after(1000):
            return await Bot(asked, used, Lines(out.append)).play()

    end = trio.run(main, clock=clock)
    return end, [json.loads(line) for line in out]


def failure(asked: Settings, *events: p2p.PeerEvent, peer: FakePeer | None = None) -> Verdict:
    """What is told of the error that it ends with."""
    with pytest.raises(ExceptionGroup) as caught:
        play(asked, *events, peer=peer)
    return judge(caught.value)


def test_a_match_that_is_over_ends_well(asked: Settings) -> None:
    """Code 0, and the winner by name."""
    end, lines = play(asked, LOBBY, AGREED, STEP, OVER)
    assert (end.code, end.text) == (exits.DONE, "C wins the match with 1000 points")
    assert [line["event"] for line in lines] == ["lobby", "agreed", "step", "match_over"]


def test_it_joins_opens_or_resumes(asked: Settings) -> None:
    """Whatever it was asked for; an unfinished table comes first."""
    peer = FakePeer([AGREED, OVER])
    play(asked, peer=peer)
    assert peer.asked == [("join", "kitchen", None, "hazari")]
    peer = FakePeer([AGREED, OVER])
    play(dataclasses.replace(asked, table=None, join=("1.2.3.4", 5)), peer=peer)
    assert peer.asked == [("join", None, ("1.2.3.4", 5), "hazari")]
    peer = FakePeer([AGREED, OVER])
    play(dataclasses.replace(asked, opens=True), peer=peer)
    assert peer.asked == [("open", "kitchen", "hazari", 0, 4, False)]
    peer = FakePeer([AGREED, OVER])
    _, lines = play(dataclasses.replace(asked, opens=True, invite=True), peer=peer)
    assert peer.asked == [("open", "kitchen", "hazari", 0, 4, True)]
    assert [line["codes"] for line in lines if line["event"] == "invites"] == [["AAAA-BBBB"]]
    peer = FakePeer([AGREED, OVER])
    play(dataclasses.replace(asked, table=None, code="CODE"), peer=peer)
    assert peer.asked == [("join", None, "CODE", "hazari")]
    resumed = p2p.Resumed(AGREED.table_id, 1, PLAYERS)
    peer = FakePeer([resumed, OVER], resumes=True)
    _, lines = play(asked, peer=peer)
    assert peer.asked == []
    assert lines[0]["event"] == "resumed"


def test_without_a_table_and_without_one_to_resume_it_says_so(asked: Settings) -> None:
    """Wrong usage."""
    verdict = failure(dataclasses.replace(asked, table=None))
    assert verdict.code == exits.USAGE
    assert "--table" in verdict.text


@pytest.mark.parametrize("code", ["full", "version", "no-such-table", "playing"])
def test_a_refusal_ends_it(asked: Settings, code: str) -> None:
    """Code 8 with the words of the table."""
    end, lines = play(asked, p2p.Refused(code, "because of this"))
    assert (end.code, end.text) == (exits.REFUSED, "because of this")
    assert lines == [{"event": "turned_away", "t": lines[0]["t"], "code": code,
                      "text": "because of this"}]  # fmt: skip


def test_nobody_at_the_address_counts_as_refused(asked: Settings) -> None:
    """Code 8: there is no such table at that address."""
    peer = FakePeer([])
    peer.refusal = LocalError("There is no link with 1.2.3.4:5.")
    end, _ = play(asked, peer=peer)
    assert (end.code, end.text) == (exits.REFUSED, "There is no link with 1.2.3.4:5")


def test_another_game_than_asked_for_is_refused(asked: Settings) -> None:
    """By this program itself."""
    end, _ = play(asked, dataclasses.replace(LOBBY, game="azi"))
    assert end.code == exits.REFUSED
    assert "azi is played" in end.text


def test_a_stopped_table_names_who_stopped_it(asked: Settings) -> None:
    """Code 4."""
    end, _ = play(asked, AGREED, stopped(3))
    assert end.code == exits.STOPPED
    assert end.text == "the table was stopped by D: D has left [left]"


@pytest.mark.parametrize(
    "events",
    [
        (stopped(1),),
        (p2p.FaultSeen(PeerFault("proof.shares", "false", 1, 0, 2), "B"), stopped(1)),
        (p2p.FaultSeen(PeerFault("proof.shares", "false", 1, 0, 2), "B"), stopped()),
    ],
)
def test_a_table_that_stopped_because_of_this_peer_has_a_code_of_its_own(
    asked: Settings, events: tuple[p2p.PeerEvent, ...]
) -> None:
    """Code 5: the own entry was refused, or the own seat is named."""
    end, _ = play(asked, AGREED, *events)
    assert end.code == exits.OWN_FAULT


def test_a_fault_of_another_is_not_ours(asked: Settings) -> None:
    """Code 4, whoever is to blame."""
    fault = p2p.FaultSeen(PeerFault("proof.shares", "false", 3, 0, 2), "D")
    end, lines = play(asked, AGREED, fault, stopped(3))
    assert end.code == exits.STOPPED
    assert lines[1]["player"] == "D"


def test_a_match_without_winner_counts_as_stopped(asked: Settings) -> None:
    """Two events say it: that it is over, and why."""
    over = p2p.SessionTold(table.MatchOver(MatchEnd(None, "broken", "no winner"), ()))
    end, lines = play(asked, AGREED, over, stopped())
    assert end.code == exits.STOPPED
    assert [line["event"] for line in lines][-2:] == ["match_over", "stopped"]


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ((), "the table was not found"),
        ((LOBBY,), 'at table "kitchen" 2 of 4 seats are taken'),
        ((LOBBY, AGREED), "nothing has come from the others"),
        (
            (AGREED, p2p.SessionTold(table.Overdue(0, 3, "move", (0, 3), 10.0))),
            "nothing has come from A and D",
        ),
    ],
)
def test_it_gives_up_and_says_what_it_waited_for(
    asked: Settings, events: tuple[p2p.PeerEvent, ...], words: str
) -> None:
    """Code 6."""
    end, _ = play(dataclasses.replace(asked, give_up=5.0), *events)
    assert end.code == exits.GAVE_UP
    assert end.text == f"gave up after 5 s: {words}"


def test_whatever_happens_at_the_table_starts_the_waiting_anew(asked: Settings) -> None:
    """It gives up 5 seconds after the last step, not after the first."""
    peer = FakePeer([LOBBY])
    patient = dataclasses.replace(asked, give_up=5.0)

    async def slowly() -> float:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(Bot(patient, peer, Lines(lambda line: None)).play)
            for event in (AGREED, STEP, STEP):
                await trio.sleep(4)
                peer.send.send_nowait(event)
        return trio.current_time()

    clock = trio.testing.MockClock(autojump_threshold=0.2)
    start = clock.current_time()
    assert trio.run(slowly, clock=clock) - start == pytest.approx(17, abs=0.5)


def test_the_record_is_written_at_the_end(asked: Settings, tmp_path: Path) -> None:
    """Whole, with nothing else left beside it."""
    file = tmp_path / "x.facedown"
    _, lines = play(dataclasses.replace(asked, save=file), AGREED, OVER)
    assert file.read_bytes() == b"the record"
    assert lines[-1]["event"] == "saved"
    assert (lines[-1]["file"], lines[-1]["bytes"]) == (str(file), 10)
    assert list(tmp_path.iterdir()) == [file]


def test_without_a_table_there_is_no_record(asked: Settings, tmp_path: Path) -> None:
    """And no empty file."""
    file = tmp_path / "x.facedown"
    play(dataclasses.replace(asked, save=file), p2p.Refused("full", "full"))
    assert not file.exists()


def test_a_record_that_cannot_be_written_is_told(asked: Settings, tmp_path: Path) -> None:
    """The folder may have gone meanwhile."""
    verdict = failure(dataclasses.replace(asked, save=tmp_path / "gone" / "x"), AGREED, OVER)
    assert verdict.code == exits.CANNOT_START
    assert "could not be written" in verdict.text


def test_the_strategy_answers(asked: Settings, your_move: YourMove) -> None:
    """Every question once."""
    peer = FakePeer([AGREED, p2p.SessionTold(your_move)])
    out: list[str] = []

    async def main() -> None:
        with trio.fail_after(30):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(Bot(asked, peer, Lines(out.append)).play)
                await peer.moved.wait()
                peer.send.send_nowait(OVER)

    trio.run(main)
    assert len(peer.moves) == 1
    assert game("hazari").objection(your_move.view, peer.moves[0]) is None


def test_trouble_of_the_peer_comes_out_as_it_is(asked: Settings) -> None:
    """A full disk is no refusal by the table."""
    peer = FakePeer([])
    peer.refusal = Trouble("data-full", "The disk is full.")
    verdict = failure(asked, peer=peer)
    assert (verdict.code, verdict.text) == (exits.CANNOT_START, "The disk is full.")


@pytest.mark.parametrize(
    ("people", "gone", "calls", "missed"),
    [
        ((0,), 1, float("inf"), True),  # two bots and a person would wait for ever
        ((0, 2), 1, float("inf"), False),  # the other person may want to wait
        ((0, 2), 2, float("inf"), True),
        ((0, 3), 1, float("inf"), True),  # the silent one is not asked
        ((), 1, float("inf"), True),
        ((0,), 0, float("inf"), False),
        ((), 0, float("inf"), False),
        ((0,), 1, 40.0, False),  # the clock sees to it
        ((0,), 1, 0.0, False),  # said already
    ],
)
def test_it_waits_no_longer_than_the_people(
    asked: Settings, people: tuple[int, ...], gone: int, calls: float, missed: bool
) -> None:
    """Where no clock decides it; a bot has no wishes of its own, but a vote."""
    players = [
        dataclasses.replace(one, owner="" if seat in people else "ABCDEFGH")
        for seat, one in enumerate(PLAYERS)
    ]
    vote = p2p.SessionTold(table.VoteUnderWay(0, 9, 3, gone, 0, 2))
    agreed = dataclasses.replace(AGREED, players=tuple(players))
    peer = FakePeer([agreed, vote, OVER])
    peer.there = Attendance((0, 1, 2), (3,), {3: calls})
    play(asked, peer=peer)
    assert (("miss", 3) in peer.asked) is missed


def stored(seat: int = 1, table_id: bytes = AGREED.table_id) -> StoredTable:
    """A table that is over, and was before the program was started."""
    return StoredTable(table_id, make_table().sealed, seat, 1_000, True)


def test_record_that_was_not_saved_before_a_kill_is_saved_at_the_next_start(
    asked: Settings, tmp_path: Path
) -> None:
    """Where no table is named: that of the newest one with a seat."""
    file = tmp_path / "x.facedown"
    peer = FakePeer([])
    peer.stored = [stored(NO_SEAT, b"watched"), stored(), stored(1, b"older")]
    end, lines = play(dataclasses.replace(asked, table=None, save=file), peer=peer)
    assert end.code == exits.DONE
    assert end.text == 'the match at table "test table" was over already; its record is saved'
    assert file.read_bytes() == b"the record"
    assert [line["event"] for line in lines] == ["saved"]


def test_without_a_file_to_save_to_it_says_how(asked: Settings) -> None:
    """Wrong usage still: it was told nothing to do."""
    peer = FakePeer([])
    peer.stored = [stored()]
    verdict = failure(dataclasses.replace(asked, table=None), peer=peer)
    assert verdict.code == exits.USAGE
    assert "--save FILE writes the record of the last match" in verdict.text


def test_it_stays_until_the_others_have_the_end_and_says_why(asked: Settings) -> None:
    """Whoever was killed at the end can get it from nobody else."""
    peer = FakePeer([AGREED, OVER])
    peer.looks = 5
    _, lines = play(asked, peer=peer)
    assert lines[-1] == {"event": "staying", "t": lines[-1]["t"], "seats": [2], "seconds": 20.0}
    assert peer.looks == -1


def test_it_does_not_stay_for_ever(asked: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may come back."""
    monkeypatch.setattr(bot, "LOOK", bot.STAY_SECONDS / 5)
    peer = FakePeer([AGREED, OVER])
    peer.looks = 1000
    play(asked, peer=peer)
    assert peer.looks == 1000 - 1 - bot.STAY_SECONDS / bot.LOOK


def test_who_has_no_seat_does_not_stay(asked: Settings) -> None:
    """It has nothing that anybody needs."""
    peer = FakePeer([p2p.Refused("full", "full")])
    peer.looks = 5
    play(asked, peer=peer)
    assert peer.looks == 5


def test_last_table_that_cannot_be_read_is_told(asked: Settings, tmp_path: Path) -> None:
    """It is damaged, or was played by another version."""
    peer = FakePeer([])
    peer.stored = [dataclasses.replace(stored(), sealed=b"nonsense")]
    verdict = failure(dataclasses.replace(asked, table=None, save=tmp_path / "x"), peer=peer)
    assert verdict.code == exits.CANNOT_START
    assert "cannot be read" in verdict.text
