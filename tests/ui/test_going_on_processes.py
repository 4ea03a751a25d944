"""Whole processes: a player leaves, a program goes on, bots come by themselves, and a new one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.hazari.division import fallback_by_slots
from tests.ui.processes import Line, Running, bot, command, finished, running
from ui import exits

pytestmark = pytest.mark.slow


def program(folder: Path, name: str, *more: str) -> list[str]:
    """A player whose moves come from standard input."""
    data, record = folder / name, folder / f"{name}.facedown"
    return command(
        *("bot", "--name", name, "--data", str(data), "--save", str(record), "--stdin"),
        *("--no-discovery", *more),
    )


def up(player: Running) -> None:
    """Says up with the fallback division when it is asked to."""
    said_up(player, player.event("your_move"))


def said_up(player: Running, asked: Line) -> None:
    """Answers such a line."""
    view = asked["view"]
    assert isinstance(view, dict)
    player.say(json.dumps({"move": ["up", *fallback_by_slots(dict(view["hand"]))]}))


def played(player: Running) -> Line:
    """Says up in each hand that there is; the line that ends the match."""
    kinds = ("your_move", "match_over")
    while True:
        line: Line = json.loads(player.until(lambda text: json.loads(text)["event"] in kinds))
        if line["event"] == "match_over":
            return line
        said_up(player, line)


def points(line: Line) -> list[int]:
    """The totals in a standing of Hazari."""
    return dict(line["standing"])["points"]  # type: ignore[call-overload, no-any-return]


def test_three_of_four_go_on_with_a_new_bot(tmp_path: Path) -> None:
    """The opener's program asks for it; all records fit together and end the match."""
    opens = ("--open", "--table", "kitchen", "--option", "hands=2")
    with running(program(tmp_path, "anna", *opens)) as (anna,):
        where = ("--join", f"127.0.0.1:{anna.event('listening')['port']}")
        others = (bot(tmp_path, "ben", *where), bot(tmp_path, "carl", *where))
        with running(*others, program(tmp_path, "dora", *where)) as (ben, carl, dora):
            dora.event("agreed")
            dora.say('{"sit": "leave"}')
            up(anna)
            up(dora)
            left = points(anna.event("hand_over"))
            may = anna.event("may_go_on")
            assert (may["hand"], points(may)) == (2, left)
            assert dora.wait() == exits.DONE
            anna.say('{"go_on": true}')
            anna.event("go_on")
            with running(bot(tmp_path, "emil", *where)) as (emil,):
                agreed = emil.event("agreed")
                origin = agreed["origin"]
                assert isinstance(origin, dict)
                assert (origin["table"], points(origin)) == (may["table_id"], left)
                over = played(anna)
                assert sum(points(over)) in range(720, 360 * 20, 360)  # more if there is a tie
                for process in (anna, ben, carl, emil):
                    assert process.wait() == exits.DONE, process.words
    before, after = (str(tmp_path / name) for name in ("anna.facedown", "anna-2.facedown"))
    for name in ("ben.facedown", "carl.facedown", "dora.facedown"):
        assert (tmp_path / name).read_bytes() == Path(before).read_bytes()
    assert (tmp_path / "emil-2.facedown").read_bytes() == Path(after).read_bytes()
    told = finished("verify", "--brief", before, after)
    assert told.returncode == exits.DONE
    assert told.stdout.splitlines()[-1].startswith("GOES ON AS IT MAY: ")
