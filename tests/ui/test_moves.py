"""Another program chooses the moves; whatever it says, the own rules judge it."""

from __future__ import annotations

import json

import pytest
import trio
import trio.testing

from engine import IllegalMove, Move, View, game
from protocol.errors import LocalError, RefusedMove
from protocol.events import YourMove
from tests.protocol.tables import drawer, make_table
from ui.lines import Lines
from ui.moves import MOST_LINE, Program, Strategist, read_line, read_move


class Table:
    """Takes moves as a session does: judged by the rules, one at a time."""

    def __init__(self, asked: YourMove) -> None:
        self.asked: YourMove | None = asked
        self.moves: list[Move] = []
        self.sits: list[str] = []
        self.missed: list[int] = []
        self.departed = False

    async def move(self, move: Move) -> None:
        """See ``Peer.move``."""
        await trio.lowlevel.checkpoint()
        if self.asked is None:
            raise RefusedMove("turn", "it is not your move now")
        view = self.asked.view
        objection = game(view.game).objection(view, move)
        if objection is not None:
            raise RefusedMove(objection.rule, objection.text)
        self.moves.append(move)
        self.asked = None

    async def late(self) -> None:
        """See ``Peer.late``."""
        if self.asked is not None:
            self.moves.append(legal(self.asked))
            self.asked = None

    async def sit(self, choice: str) -> None:
        """See ``Peer.sit``."""
        self.sits.append(choice)

    async def depart(self) -> None:
        """See ``Peer.depart``."""
        self.departed = True

    async def miss(self, seat: int) -> None:
        """See ``Peer.miss``."""
        if seat != 2:
            raise LocalError("The table does not wait for this player.")
        self.missed.append(seat)


class Play:
    """A program's side of a table: lines in, events out."""

    def __init__(self, asked: YourMove) -> None:
        self.asked = asked
        self.out: list[str] = []
        self.table = Table(asked)
        self.program = Program(self.table, Lines(self.out.append))

    def run(self, *said: bytes, closed: bool = False) -> list[dict[str, object]]:
        """What is printed after the program was asked and has said this."""

        async def main() -> None:
            await self.program.asked(self.asked)
            for line in said:
                await self.program.said(line)
            if closed:
                await self.program.ended()

        trio.run(main)
        return [json.loads(line) for line in self.out]


@pytest.fixture
def play(your_move: YourMove) -> Play:
    """A fresh table at which a move is due."""
    return Play(your_move)


def legal(asked: YourMove) -> Move:
    """A legal move of the position."""
    return game(asked.view.game).late(asked.view)


def line_of(move: object) -> bytes:
    """A move as another program writes it."""
    return json.dumps({"move": move}).encode()


def test_a_legal_move_is_made(play: Play, your_move: YourMove) -> None:
    """Arrays become tuples, and nothing is printed: the move is told when all have moved."""
    assert play.run(line_of(legal(your_move))) == []
    assert play.table.moves == [legal(your_move)]


def test_an_illegal_move_is_refused_by_its_rule_and_asked_for_again(
    play: Play, your_move: YourMove
) -> None:
    """Groups out of order: the rule's code, the reason, and the same question once more."""
    kind, *groups = legal(your_move)
    wrong = (kind, groups[2], groups[1], groups[0], groups[3])
    refused, again = play.run(line_of(wrong))
    assert refused["event"] == "refused"
    assert refused["rule"] == "up.order"
    assert "outranks" in str(refused["reason"])
    assert again["event"] == "your_move"
    assert again["choices"]
    assert play.table.moves == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"up", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 60000, "no JSON"),
        (b'{"move": ' + b"[" * 400 + b"]" * 400 + b"}", "opens with its kind"),
        (b'{"move": ["up", ' + b"[" * 900 + b"]" * 900 + b"]}", ""),
        (b'{"move": ["up", ' + b"9" * 5000 + b"]}", "no JSON"),
        (b"[]", "an object with one key"),
        (b'{"move": ["up"], "hurry": 1}', "an object with one key"),
        (b'{"move": []}', "opens with its kind"),
        (b'{"move": [1]}', "opens with its kind"),
        (b'{"move": "up"}', "opens with its kind"),
        (b'{"move": ["up", 1.0]}', "whole numbers"),
        (b'{"move": ["up", true]}', "whole numbers"),
        (b'{"move": ["up", null]}', "whole numbers"),
        (b'{"move": ["up", {"a": 1}]}', "whole numbers"),
        (b'{"move": ["up", NaN]}', "whole numbers"),
        (b" " * (MOST_LINE + 1), f"more than {MOST_LINE} bytes"),
    ],
)
def test_what_cannot_be_read_is_refused_and_asked_for_again(
    play: Play, line: bytes, reason: str
) -> None:
    """Any bytes at all."""
    refused, again = play.run(line)
    assert refused["event"] == "refused"
    assert refused["rule"] in ("line", "up.shape")
    assert reason in str(refused["reason"])
    assert again["event"] == "your_move"


@pytest.mark.parametrize("move", [["up"], ["down", 1], ["up", 1, 2, 3, 4], ["dismiss"], ["up", []]])
def test_what_is_no_move_of_the_game_is_judged_by_the_game(play: Play, move: object) -> None:
    """Its own codes are passed on."""
    refused, again = play.run(line_of(move))
    assert str(refused["rule"]).partition(".")[0] in ("up", "dismissal")
    assert again["event"] == "your_move"


def test_a_second_try_may_be_right(play: Play, your_move: YourMove) -> None:
    """Refusals cost nothing."""
    kinds = [line["event"] for line in play.run(b"?", line_of(legal(your_move)))]
    assert kinds == ["refused", "your_move"]
    assert play.table.moves == [legal(your_move)]


def test_a_move_out_of_turn_is_refused_and_not_asked_for(play: Play, your_move: YourMove) -> None:
    """There is nothing to ask."""
    move = line_of(legal(your_move))
    (refused,) = play.run(move, move)
    assert (refused["event"], refused["rule"]) == ("refused", "turn")


def test_when_the_program_goes_the_late_move_is_made(play: Play, your_move: YourMove) -> None:
    """At once, for the open question."""
    assert [line["event"] for line in play.run(closed=True)] == ["stdin_closed"]
    assert play.table.moves == [legal(your_move)]


def test_when_the_program_has_gone_every_question_is_answered_late(your_move: YourMove) -> None:
    """And for all that follow."""
    play = Play(your_move)

    async def main() -> None:
        assert not play.program.alone
        await play.program.ended()
        assert play.program.alone
        await play.program.asked(your_move)

    trio.run(main)
    assert play.table.moves == [legal(your_move)]


def test_when_the_program_goes_after_its_move_nothing_more_is_made(
    play: Play, your_move: YourMove
) -> None:
    """Its move counts."""
    lines = play.run(line_of(legal(your_move)), closed=True)
    assert [line["event"] for line in lines] == ["stdin_closed"]
    assert len(play.table.moves) == 1


def test_a_question_that_comes_while_a_move_is_made_stays_open(your_move: YourMove) -> None:
    """The answer to the one before must not close it."""
    out: list[str] = []

    class Asking(Table):
        async def move(self, move: Move) -> None:
            self.moves.append(move)
            if len(self.moves) == 1:
                await program.asked(YourMove("up", your_move.view, 5))

    program = Program(Asking(your_move), Lines(out.append))

    async def main() -> None:
        await program.asked(your_move)
        await program.said(line_of(legal(your_move)))
        await program.said(b"?")

    trio.run(main)
    assert [json.loads(line)["event"] for line in out] == ["refused", "your_move"]
    assert json.loads(out[1])["seconds"] == 5


@pytest.mark.parametrize("strategy", ["random", "steady"])
def test_a_strategy_makes_its_move(strategy: str, your_move: YourMove) -> None:
    """A legal one."""
    table = Table(your_move)
    trio.run(Strategist(strategy, table).asked, your_move)
    assert len(table.moves) == 1


def test_a_strategy_that_the_clock_has_overtaken_is_no_trouble(your_move: YourMove) -> None:
    """The own program has moved meanwhile."""
    table = Table(your_move)
    table.asked = None
    trio.run(Strategist("random", table).asked, your_move)
    assert table.moves == []


def test_a_strategy_that_breaks_the_rules_is_our_fault(your_move: YourMove) -> None:
    """It is not hidden."""

    class Strict(Table):
        async def move(self, move: Move) -> None:
            raise RefusedMove("up.order", "wrong")

    with pytest.raises(LocalError, match="wrong"):
        trio.run(Strategist("random", Strict(your_move)).asked, your_move)


def test_read_move_gives_exactly_the_plain_values() -> None:
    """Tuples all the way down, text and numbers as they are."""
    key, said = read_line(b'{"move": ["bid", 5, [1, ["x"]]]}')
    assert (key, read_move(said)) == ("move", ("bid", 5, (1, ("x",))))
    with pytest.raises(IllegalMove):
        read_line(b"{}")


def test_a_move_of_another_kind_than_is_due_is_asked_for_again() -> None:
    """A program that waits to be asked again would wait for ever."""
    table = make_table("kinds", "azi", {"cards": 4, "hands": 1}, seats=2)
    seen: list[RefusedMove] = []

    def play(seat: int, view: View) -> Move:
        if view.owes == "discard":
            with pytest.raises(RefusedMove) as refused:
                table.seats[seat].session.move(("fold",), table.now)
            seen.append(refused.value)
        return table.agreement.game.strategies["random"](view, drawer("kinds"))

    table.play = play
    table.begin()
    table.deliver()
    assert [one.rule for one in seen] == ["kind", "kind"]
    assert table.seats[0].session.over


def test_program_will_wait_no_longer(your_move: YourMove) -> None:
    """For a seat that is waited for; anything else is refused, and the open choice asked again."""
    play = Play(your_move)
    told = play.run(b'{"miss": 2}', b'{"miss": 1}', b'{"miss": "2"}', b'{"miss": 6}')
    assert play.table.missed == [2]
    assert [one["seat"] for one in told if one["event"] == "miss"] == [2]
    assert [one["rule"] for one in told if one["event"] == "refused"] == ["miss"] * 3


def test_program_leaves_at_once(your_move: YourMove) -> None:
    """By a line that says when; the peer tells what comes of it."""
    play = Play(your_move)
    told = play.run(b'{"leave": true}', b'{"leave": "later"}')
    assert [one["rule"] for one in told if one["event"] == "refused"] == ["leave"] * 2
    assert not play.table.departed
    told = play.run(b'{"leave": "now"}')
    assert play.table.departed
    assert play.program.sitting == "leave"


def test_move_during_a_vote_is_asked_for_again_a_moment_later(your_move: YourMove) -> None:
    """A program is told so; a strategy just tries again."""

    class Voting(Table):
        refused = 0

        async def move(self, move: Move) -> None:
            if self.refused < 2:
                self.refused += 1
                raise RefusedMove("vote", "the players settle first whether a silent one is gone")
            await super().move(move)

    async def program(clock: trio.testing.MockClock) -> None:
        out: list[str] = []
        table = Voting(your_move)
        player = Program(table, Lines(out.append))
        await player.asked(your_move)
        move = json.dumps({"move": legal(your_move)}).encode()
        await player.said(move)
        assert [json.loads(line)["event"] for line in out] == ["refused", "your_move"]
        await player.said(move)
        await player.said(move)
        assert table.moves == [legal(your_move)]
        other = Voting(your_move)
        await Strategist(None, other).asked(your_move)
        assert other.refused == 2
        assert len(other.moves) == 1

    clock = trio.testing.MockClock(autojump_threshold=0)
    trio.run(program, clock, clock=clock)
