"""Sitting out, coming back, leaving, winning together: lines of another program, and exit codes."""

from __future__ import annotations

import dataclasses
import json

import pytest
import trio

from engine import MatchEnd
from p2p import events as p2p
from protocol import events as table
from protocol.errors import LocalError, PeerFault
from protocol.events import Left, YourMove
from protocol.session import Session
from tests.protocol.tables import Seated, entropy, make_table
from tests.ui.test_bot import AGREED, FakePeer, asked, play, quick_short_form, stopped
from tests.ui.test_moves import Play, Table, legal, line_of
from ui import exits
from ui.bot import Bot
from ui.lines import Lines
from ui.moves import Program
from ui.settings import Settings

__all__ = ["asked", "quick_short_form"]

LEFT = p2p.SessionTold(table.Left())


@pytest.mark.parametrize("choice", ["in", "out", "leave"])
def test_a_choice_is_taken_and_confirmed(your_move: YourMove, choice: str) -> None:
    """Also while a move is owed, which stays open."""
    program = Play(your_move)
    (line,) = program.run(json.dumps({"sit": choice}).encode())
    assert (line["event"], line["choice"]) == ("sit", choice)
    assert program.table.sits == [choice]
    assert program.program.sitting == choice
    assert program.table.asked is your_move


@pytest.mark.parametrize("said", ["maybe", "", 1, None, ["out"], {"out": 1}, True])
def test_what_is_no_choice_is_refused_by_its_own_rule(your_move: YourMove, said: object) -> None:
    """It says what may be said, and asks for the move that is still owed."""
    program = Play(your_move)
    refused, again = program.run(json.dumps({"sit": said}).encode())
    assert (refused["event"], refused["rule"]) == ("refused", "sit")
    assert refused["reason"] == '"sit" is followed by one of "in", "out", "leave"'
    assert again["event"] == "your_move"
    assert program.table.sits == []
    assert program.program.sitting == "in"


def test_a_line_says_one_thing(your_move: YourMove) -> None:
    """A move and a choice in one line are neither."""
    both = json.dumps({"sit": "out", "move": list(legal(your_move))}).encode()
    refused, again = Play(your_move).run(both)
    assert refused["rule"] == "line"
    assert "with one key" in str(refused["reason"])
    assert again["event"] == "your_move"


def test_a_move_may_follow_the_choice(your_move: YourMove) -> None:
    """The hand in play goes on."""
    program = Play(your_move)
    lines = program.run(b'{"sit": "leave"}', line_of(legal(your_move)))
    assert [line["event"] for line in lines] == ["sit"]
    assert program.table.moves == [legal(your_move)]


def test_without_a_seat_a_choice_is_refused(your_move: YourMove) -> None:
    """With the words of the peer, and nothing to ask for."""

    class Nowhere(Table):
        async def sit(self, choice: str) -> None:
            raise LocalError("This peer is at no table.")

    out: list[str] = []
    program = Program(Nowhere(your_move), Lines(out.append))
    trio.run(program.said, b'{"sit": "out"}')
    (line,) = map(json.loads, out)
    assert program.sitting == "in"
    assert (line["event"], line["rule"]) == ("refused", "sit")
    assert line["reason"] == "This peer is at no table."


def sitting(asked: Settings, choice: str, *events: p2p.PeerEvent) -> tuple[int, str]:
    """How a bot ends whose program has made this choice before all else."""
    peer = FakePeer([AGREED, *events])
    bot = Bot(dataclasses.replace(asked, program=True), peer, Lines(lambda line: None))

    async def main() -> tuple[int, str]:
        assert bot._program is not None
        await bot._program.said(json.dumps({"sit": choice}).encode())
        with trio.fail_after(30):
            end = await bot.play()
        return end.code, end.text

    result = trio.run(main)
    assert ("sit", choice) in peer.asked
    return result


@pytest.fixture
def no_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program says no more, and its end stays open."""

    async def silent(self: Bot, program: Program) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(Bot, "_hear", silent)


@pytest.mark.usefixtures("no_stdin")
def test_who_has_left_has_ended_well(asked: Settings) -> None:
    """Code 0, and a line that says so."""
    code, text = sitting(asked, "leave", LEFT)
    assert (code, text) == (exits.DONE, "left the table, which plays on without this seat")
    _, lines = play(asked, AGREED, LEFT)
    assert lines[-1]["event"] == "left"


@pytest.mark.usefixtures("no_stdin")
@pytest.mark.parametrize(
    ("choice", "code"),
    [("leave", exits.DONE), ("out", exits.STOPPED), ("in", exits.OWN_FAULT)],
)
def test_a_table_that_is_stopped_by_leaving(asked: Settings, choice: str, code: int) -> None:
    """In Hazari all four are needed. Whoever asked for it has broken no rule."""
    assert sitting(asked, choice, stopped(1))[0] == code


@pytest.mark.usefixtures("no_stdin")
def test_a_table_that_stops_for_another_reason_is_not_left(asked: Settings) -> None:
    """It was stopped before this seat could leave it."""
    told = p2p.SessionTold(table.Stopped((3,), "equivocation", "two versions"))
    assert sitting(asked, "leave", told)[0] == exits.STOPPED
    fault = p2p.FaultSeen(PeerFault("proof.shares", "false", 1, 0, 2), "B")
    assert sitting(asked, "leave", fault, stopped(1))[0] == exits.OWN_FAULT


def test_who_has_left_while_away_is_told_so() -> None:
    """Killed after it said that it leaves; the others closed the step meanwhile."""
    table = make_table("away", "azi", {"hands": 2}, 3)
    table.seats[2].session.sit("leave")
    table.begin()
    table.deliver()
    entries = table.seats[2].entries
    session = Session(table.agreement, 2, table.keys[2], entropy("again"))
    table.seats[2] = Seated(session)
    for place in sorted(entries, key=lambda place: (place[0] == 0, place)):
        table.run(session.receive(entries[place], 0), 2)
    assert session.over
    assert table.seats[2].events == []
    table.run(session.begin(0), 2)
    assert table.seats[2].events == [Left()]


def test_who_wins_together_has_ended_well(asked: Settings) -> None:
    """Code 0 with both names; the line has the seats."""
    end = MatchEnd(None, "tie", "seat 0 and seat 2 win the match together: 50 chips each", (0, 2))
    done, lines = play(asked, AGREED, p2p.SessionTold(table.MatchOver(end, ())))
    assert (done.code, done.text) == (exits.DONE, "A and C win the match together: 50 chips each")
    assert (lines[-1]["winner"], lines[-1]["shared"]) == (None, [0, 2])


def test_an_address_is_tried_until_it_is_time_to_give_up(asked: Settings) -> None:
    """Code 6, with what was the matter; nobody was asked for less than a second ago."""
    peer = FakePeer([])
    peer.refusal = LocalError("nobody answers at 1.2.3.4:5: connection refused.")
    patient = dataclasses.replace(asked, join=("1.2.3.4", 5), give_up=5.0)
    end, lines = play(patient, peer=peer)
    assert end.code == exits.GAVE_UP
    assert end.text == ("gave up after 5 s: nobody answers at 1.2.3.4:5: connection refused")
    assert lines == []
    assert 4 <= len(peer.asked) <= 6


def test_whoever_comes_late_to_the_address_is_found(asked: Settings) -> None:
    """The third try finds a table."""

    class Late(FakePeer):
        async def join(
            self,
            table: str | None,
            address: tuple[str, int] | None,
            game: str | None,
            code: str | None,
        ) -> None:
            self.asked.append(("join", table, address, game))
            if len(self.asked) < 3:
                raise LocalError("nobody answers.")
            over = MatchEnd(1, "target", "seat 1 wins")
            for event in (AGREED, p2p.SessionTold(table_over(over))):
                self.send.send_nowait(event)

    def table_over(end: MatchEnd) -> table.MatchOver:
        return table.MatchOver(end, ())

    patient = dataclasses.replace(asked, join=("1.2.3.4", 5), give_up=5.0)
    end, _ = play(patient, peer=Late([]))
    assert end.code == exits.DONE


@pytest.mark.parametrize("kind", ["move", "shares", "sit", "ready", "lock", "result", "mix"])
def test_who_is_waited_for_is_told_in_words(
    asked: Settings, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """What is due, not the name of a step."""
    overdue = p2p.SessionTold(table.Overdue(0, 3, kind, (0, 3), 10.0))
    play(dataclasses.replace(asked, give_up=5.0), AGREED, overdue)
    words = capsys.readouterr().err.splitlines()[-1]
    assert words.startswith("waiting for more than 10 s for A and D to ")
    assert "(" not in words
