"""Who ends a match stays until the others have its end, as far as it can know. SPEC 11.8."""

from __future__ import annotations

from pathlib import Path

import pytest

from p2p.farewell import Farewell
from p2p.messages import Have, LanePosition, Message, Ping, Pong
from protocol.events import MatchOver
from protocol.verifier import verify
from tests.p2p.people import LOOPBACK, Told, people, seat_of

ANNA, BERT, CARL = b"a" * 32, b"b" * 32, b"c" * 32
TABLE = b"t" * 32


def test_what_was_said_last_counts() -> None:
    """By PING or by HAVE; who was started again, and keeps a table that is over, has it all."""
    farewell = Farewell()
    assert farewell.lacking([ANNA, BERT], 7) == (ANNA, BERT)
    farewell.heard(ANNA, Ping(1, TABLE, ((0, 7), (3, 2))))
    farewell.heard(BERT, Have(TABLE, (LanePosition(0, 6), LanePosition(3, 9))))
    farewell.heard(CARL, Ping(1, TABLE, ()))
    farewell.heard(CARL, Pong(4))
    assert farewell.lacking([ANNA, BERT, CARL], 7) == (BERT,)
    farewell.heard(ANNA, Have(TABLE, (LanePosition(0, 1),)))
    farewell.heard(BERT, Ping(2, TABLE, ((0, 7),)))
    assert farewell.lacking([ANNA, BERT, CARL], 7) == (ANNA,)


def deaf_at_the_end(told: Told) -> None:
    """From when the result is due nothing comes to this peer any more."""
    owner = told.peer._owner
    got = owner._got

    async def hears(key: bytes, message: Message) -> None:
        waiting = told.peer.waiting()
        if waiting is None or waiting[0] != "result":
            await got(key, message)

    vars(owner)["_got"] = hears


@pytest.mark.slow
@pytest.mark.trio
async def test_who_was_killed_at_the_end_gets_it_from_those_who_have_stayed(tmp_path: Path) -> None:
    """They know that it lacks the end, linked or not, and when it does not any more."""
    async with people(tmp_path, "anna", "bert", strategy="random") as (anna, bert):
        async with people(tmp_path, "carl", strategy="random") as (carl,):
            await anna.peer.open_table("kitchen", "azi", {"hands": 1, "max_bid": 10}, 3)
            for one in (bert, carl):
                await one.peer.join("kitchen", (LOOPBACK, anna.peer.port))
            deaf_at_the_end(carl)
            for one in (anna, bert):
                await one.until_told(MatchOver)
                await one.until(lambda one=one: one.peer.lacking_end() == (seat_of(carl),))
            assert carl.peer.lacking_end() == ()
        for one in (anna, bert):
            assert one.peer.lacking_end() == (seat_of(carl),)
        async with people(tmp_path, "carl", strategy="random") as (again,):
            assert await again.peer.resume()
            await again.until_told(MatchOver)
            for one in (anna, bert, again):
                await one.until(lambda one=one: one.peer.lacking_end() == ())
            assert verify(await again.peer.record()).verdict == "complete"
        async with people(tmp_path, "carl") as (third,):
            # Started once more it has no table to go on with, and says that it lacks nothing.
            assert not await third.peer.resume()
            for one in (anna, bert, third):
                await one.until(lambda one=one: one.peer.lacking_end() == ())
