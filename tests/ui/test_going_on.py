"""A headless peer whose table has stopped: it waits for one that goes on, and sits down there."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence

import pytest
import trio
import trio.testing

from p2p import events as p2p
from protocol import events as table
from protocol.agreement import Player
from protocol.errors import LocalError
from protocol.going_on import StoppedTable, stopped
from tests.protocol.stopping import stopped_state
from tests.protocol.tables import player_key
from tests.ui import test_bot
from tests.ui.test_bot import FakePeer, asked, quick_short_form  # noqa: F401
from ui import exits
from ui.bot import Bot
from ui.exits import Exit
from ui.lines import Lines
from ui.settings import Settings

KEYS = tuple(player_key("bots", seat).public_key().public_bytes_raw() for seat in range(4))
LEFT = stopped(stopped_state([Player(key, f"player {key[0]}") for key in KEYS], KEYS[3]))
STOP = p2p.SessionTold(table.Stopped((3,), "left", "seat 3 has left"))
OFFER = p2p.TableOffer("kitchen", "hazari", 2, 4, KEYS[0], LEFT.origin.table)
TOLD = p2p.TablesTold("ABCDEFGH", KEYS[0], (OFFER,))


class Peer(FakePeer):
    """A peer that knows of a table that stopped."""

    def __init__(self, events: Sequence[p2p.PeerEvent], resumes: bool = False) -> None:
        super().__init__(events, resumes)
        self.left: StoppedTable | None = LEFT
        self.answers: list[p2p.PeerEvent] = []

    async def stopped(self) -> StoppedTable | None:
        """See ``Peer.stopped``."""
        return self.left

    async def go_on(self) -> None:
        """See ``Peer.go_on``."""
        self.asked.append(("go on",))
        if self.refusal is not None:
            raise self.refusal

    async def join(self, *terms: object) -> None:  # type: ignore[override]
        """See ``Peer.join``; the opener is the last of the terms."""
        self.asked.append(("join", *terms))
        for event in self.answers if len(terms) > 4 else ():
            self.send.send_nowait(event)


def run(
    settings: Settings, peer: Peer, story: Callable[[Peer], None] | None = None
) -> tuple[Exit, list[dict[str, object]]]:
    """The bot to its end, in virtual time; ``story`` after two seconds. Its lines too."""
    lines: list[str] = []

    async def main() -> Exit:
        async with trio.open_nursery() as nursery:

            async def later() -> None:
                await trio.sleep(2)
                if story is not None:
                    story(peer)

            nursery.start_soon(later)
            return await Bot(settings, peer, Lines(lines.append)).play()

    end = trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    return end, [json.loads(line) for line in lines]


@pytest.fixture
def waits(asked: Settings) -> Settings:  # noqa: F811
    """A bot that waits for a minute after its table has stopped."""
    return dataclasses.replace(asked, go_on=60.0)


def kinds(lines: list[dict[str, object]]) -> list[object]:
    """The kinds of lines."""
    return [line["event"] for line in lines]


def test_it_sits_down_where_one_of_the_others_goes_on(waits: Settings) -> None:
    """Told after the end; the match at the second table ends as any other."""
    peer = Peer([test_bot.AGREED, STOP])
    peer.answers = [test_bot.LOBBY, test_bot.AGREED, test_bot.OVER]
    end, lines = run(waits, peer, lambda peer: peer.send.send_nowait(TOLD))
    assert end.code == exits.DONE
    assert peer.asked[-1] == ("join", "kitchen", None, "hazari", None, KEYS[0])
    assert kinds(lines).count("agreed") == 2
    (may,) = (line for line in lines if line["event"] == "may_go_on")
    assert (may["table_id"], may["hand"]) == (LEFT.origin.table.hex(), 3)
    assert may["seats"] == sorted(LEFT.vacant)


def test_what_was_told_before_the_end_counts_too(waits: Settings) -> None:
    """The opener may have been quicker to see it."""
    peer = Peer([test_bot.AGREED, TOLD, STOP])
    peer.answers = [test_bot.AGREED, test_bot.OVER]
    assert run(waits, peer)[0].code == exits.DONE


@pytest.mark.parametrize(
    "offer",
    [
        dataclasses.replace(OFFER, origin=b""),
        dataclasses.replace(OFFER, origin=bytes(32)),
        dataclasses.replace(OFFER, opener=bytes(32)),
        dataclasses.replace(OFFER, taken=4),
    ],
    ids=["another table", "from another table", "a stranger's", "a full one"],
)
def test_other_tables_are_passed_by(waits: Settings, offer: p2p.TableOffer) -> None:
    """It gives up after a minute, with the code of the table that stopped."""
    peer = Peer([test_bot.AGREED, STOP, p2p.TablesTold("ABCDEFGH", KEYS[0], (offer,))])
    assert run(waits, peer)[0].code == exits.STOPPED
    assert len(peer.asked) == 1


def test_who_is_refused_there_waits_for_another_one(waits: Settings) -> None:
    """And gives up after a minute."""
    peer = Peer([test_bot.AGREED, STOP])
    peer.answers = [p2p.Refused("full", "all seats are taken")]
    end, _ = run(waits, peer, lambda peer: peer.send.send_nowait(TOLD))
    assert end.code == exits.STOPPED
    assert [one[0] for one in peer.asked] == ["join", "join"]


def test_a_table_that_others_made_up_does_not_keep_it_from_the_real_one(waits: Settings) -> None:
    """A stranger told of one before, in the name of somebody who has opened none."""
    false = dataclasses.replace(OFFER, table="trap", opener=KEYS[2])
    trap = p2p.TablesTold("HGFEDCBA", b"s" * 32, (false,))
    peer = Peer([test_bot.AGREED, trap, TOLD, STOP])
    peer.answers = [p2p.Refused("no-such-table", "there is no such table here any more")]
    assert run(waits, peer)[0].code == exits.STOPPED
    assert [one[1] for one in peer.asked[1:]] == ["kitchen", "trap"]


def test_one_match_only(asked: Settings) -> None:  # noqa: F811
    """``--go-on 0``: the end of the table is the end."""
    peer = Peer([test_bot.AGREED, STOP, TOLD])
    end, lines = run(asked, peer)
    assert (end.code, len(peer.asked)) == (exits.STOPPED, 1)
    assert "may_go_on" not in kinds(lines)


def test_who_stopped_the_table_does_not_wait(waits: Settings) -> None:
    """Its own seat is the one that was missing."""
    own = p2p.SessionTold(table.Stopped((1,), "gone", "a seat is gone"))
    end, lines = run(waits, Peer([test_bot.AGREED, own, TOLD]))
    assert end.code == exits.OWN_FAULT
    assert "may_go_on" not in kinds(lines)


def test_after_a_match_that_ended_nobody_waits(waits: Settings) -> None:
    """Nothing goes on from it."""
    end, lines = run(waits, Peer([test_bot.AGREED, test_bot.OVER, TOLD]))
    assert end.code == exits.DONE
    assert "may_go_on" not in kinds(lines)


def test_started_again_it_waits_for_the_others(waits: Settings) -> None:
    """Its table had stopped already; nobody says which table it should join."""
    file = waits.data / "game.facedown"
    settings = dataclasses.replace(waits, table=None, save=file)
    peer = Peer([TOLD])
    peer.stored = [test_bot.stored()]
    peer.answers = [test_bot.AGREED, test_bot.OVER]
    assert run(settings, peer)[0].code == exits.DONE
    file.unlink()
    in_vain = Peer([])
    in_vain.stored = [test_bot.stored()]
    end, lines = run(settings, in_vain)
    assert end.code == exits.STOPPED
    assert end.text == 'table "test table" stopped before, and nobody goes on from it'
    assert kinds(lines) == ["saved", "may_go_on"]
    assert file.read_bytes() == b"the record"


def test_a_table_that_has_not_stopped_after_all_is_played_on(waits: Settings) -> None:
    """The others had voted otherwise: it goes back, and the match ends as any other."""
    peer = Peer([test_bot.AGREED, STOP])

    def story(peer: Peer) -> None:
        for event in (p2p.SessionTold(table.WentBack(0, 3, 2)), test_bot.OVER):
            peer.send.send_nowait(event)

    assert run(waits, peer, story)[0].code == exits.DONE
    back = p2p.SessionTold(table.WentBack(0, 3, 2))
    peer = Peer([test_bot.AGREED, STOP, back, test_bot.OVER])  # before it has seen that it stopped
    assert run(waits, peer)[0].code == exits.DONE
    peer = Peer([test_bot.AGREED, STOP, back])
    assert run(waits, peer, lambda peer: peer.send.send_nowait(test_bot.OVER))[0].code == exits.DONE


def test_each_table_has_a_record_of_its_own(waits: Settings) -> None:
    """That of a table that goes on has the number of its first hand behind the name."""
    settings = dataclasses.replace(waits, save=waits.data / "game.facedown")
    peer = Peer([test_bot.AGREED, STOP, TOLD])
    again = dataclasses.replace(test_bot.AGREED, origin=LEFT.origin)
    peer.answers = [again, test_bot.OVER]
    _, lines = run(settings, peer)
    names = [str(line["file"]).rpartition("/")[2] for line in lines if line["event"] == "saved"]
    assert names == ["game.facedown", "game-3.facedown"]
    assert all((waits.data / name).read_bytes() == b"the record" for name in names)


# Programs.


async def said(peer: Peer, line: bytes) -> list[dict[str, object]]:
    """What a program is told when it says something."""
    from ui.moves import Program

    lines: list[str] = []
    await Program(peer, Lines(lines.append)).said(line)
    return [json.loads(line) for line in lines]


@pytest.mark.trio
async def test_a_program_may_open_the_table_that_goes_on() -> None:
    """It is confirmed; what comes of it is told as of any table."""
    peer = Peer([])
    assert kinds(await said(peer, b'{"go_on": true}')) == ["go_on"]
    assert peer.asked == [("go on",)]
    peer.refusal = LocalError("That table is not over.")
    (refused,) = await said(peer, b'{"go_on": true}')
    assert (refused["event"], refused["rule"]) == ("refused", "go_on")
    (refused,) = await said(peer, b'{"go_on": 1}')
    assert (refused["event"], refused["rule"]) == ("refused", "go_on")
