"""What waits for people: everything in order, and where nobody reads what counts, with an end."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from engine import View
from p2p.events import (
    ChatSaid,
    FaultSeen,
    Linked,
    LobbyChanged,
    Missed,
    PeerEvent,
    PeerFound,
    PeerLost,
    SessionTold,
    TablesTold,
    Unlinked,
)
from p2p.news import MOST, ROOM, News
from p2p.transport import Address
from protocol.errors import PeerFault
from protocol.events import HandStarted, ViewChanged

PLACE = Address("10.0.0.7", 7000)
ANNA, EVE = b"a" * 32, b"e" * 32


def key(number: int) -> bytes:
    """One of many keys."""
    return number.to_bytes(32, "big")


def link(who: bytes) -> PeerEvent:
    """Somebody is linked."""
    return Linked(who, "", "", PLACE, "incoming")


def cut(who: bytes) -> PeerEvent:
    """Somebody is linked no more."""
    return Unlinked(who, "", "", "gone")


def hand(number: int) -> PeerEvent:
    """A hand begins."""
    return SessionTold(HandStarted(number, number, (0, 1)))


def drained(news: News) -> list[PeerEvent]:
    """All that waits."""
    return [news.receive_nowait() for _ in range(len(news))]


def crowd(news: News, count: int) -> None:
    """Strangers come and go."""
    for number in range(count):
        news.put(PeerLost(f"crowd {number}"))


def test_everything_is_told_in_order_to_who_reads() -> None:
    """Also what has been overtaken meanwhile."""
    news = News()
    told = [link(EVE), cut(EVE), link(EVE), PeerLost("e"), PeerLost("e"), hand(1)] * 40
    for event in told:
        news.put(event)
    assert len(told) < ROOM
    assert drained(news) == told
    with pytest.raises(trio.WouldBlock):
        news.receive_nowait()


@pytest.mark.trio
async def test_who_waits_is_told_at_once() -> None:
    """And nothing is lost by somebody who waits no more."""
    news = News()
    found: list[PeerEvent] = []

    async def read() -> None:
        async for event in news:
            found.append(event)

    async with trio.open_nursery() as nursery:
        with trio.move_on_after(0):
            await news.receive()
        nursery.start_soon(read)
        await trio.testing.wait_all_tasks_blocked()
        news.put(hand(1))
        news.put(hand(2))
        await trio.testing.wait_all_tasks_blocked()
        assert found == [hand(1), hand(2)]
        nursery.cancel_scope.cancel()


def test_what_is_overtaken_goes_and_what_happened_at_the_table_stays() -> None:
    """Nobody has read for long: the last word about each thing is there, in order."""
    news = News()
    tables = TablesTold("e", EVE, ())
    found = PeerFound("f", "eve", EVE, (), "mdns", ())
    lobby = [LobbyChanged("kitchen", "azi", (), seats, ()) for seats in (2, 3)]
    fault = FaultSeen(PeerFault("proof.shares", "false").at(1, 0, 2), "eve")
    views = [SessionTold(ViewChanged(_view(number))) for number in range(2)]
    for event in (
        *(lobby[0], link(EVE), tables, cut(EVE), link(EVE), found, hand(1), views[0], fault),
        *(lobby[1], PeerLost("f"), hand(2), fault, views[1]),
    ):
        news.put(event)
    crowd(news, ROOM)
    left = [event for event in drained(news) if event not in crowd_of(ROOM)]
    assert left == [
        *(cut(EVE), link(EVE), hand(1), fault, lobby[1], PeerLost("f"), hand(2), views[1]),
    ]


def crowd_of(count: int) -> list[PeerEvent]:
    """What ``crowd`` puts."""
    return [PeerLost(f"crowd {number}") for number in range(count)]


def _view(number: int) -> View:
    return number  # type: ignore[return-value]


def test_strangers_push_out_strangers_only() -> None:
    """However many they are: links of players, faults at the table and hands are told."""
    news = News(is_at_table=lambda who: who == ANNA)
    fault = FaultSeen(PeerFault("rule.suit", "no").at(1, 0, 2), "eve")
    own = [link(ANNA), hand(1), fault, cut(ANNA)]
    for event in own:
        news.put(event)
    for number in range(5000):
        news.put(link(key(number)))
        news.put(cut(key(number)))
        news.put(FaultSeen(PeerFault(f"code {number}", "nonsense"), ""))
        news.put(ChatSaid(EVE, "eve", "", f"line {number}", False))
    left = drained(news)
    assert len(left) <= len(own) + sum(MOST.values()) + ROOM
    # Anna was linked and is not any more: that alone is what still counts.
    assert [event for event in left if event in own] == own[1:]
    assert ChatSaid(EVE, "eve", "", "line 4999", False) in left


def test_what_is_left_out_of_a_table_is_counted() -> None:
    """The newest hands are told, and how many events were not."""
    news = News()
    for number in range(3 * MOST["table"]):
        news.put(hand(number))
    first, *rest = drained(news)
    assert isinstance(first, Missed)
    assert rest == [hand(number) for number in range(first.count, 3 * MOST["table"])]
    assert len(rest) <= MOST["table"] + ROOM
