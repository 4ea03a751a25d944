"""Looking on: real peers on loopback; who comes late, sees what is public, and keeps the record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine import View
from p2p.events import Agreed, FaultSeen, Refused, SpectatorsChanged, Watching
from p2p.finder import Offer
from p2p.messages import MAX_ONLOOKERS, Entries, EnvelopeMessage, Have, Onlookers
from p2p.onlooker import Onlooker
from protocol.envelope import TABLE_LANE
from protocol.errors import LocalError
from protocol.events import HandOver, HandStarted, MatchOver, SitSaid, StepClosed, ViewChanged
from protocol.verifier import verify
from tests.p2p.people import LOOPBACK, Told, a_table, people, seat_of

pytestmark = [pytest.mark.trio, pytest.mark.slow]


def assert_nothing_private(told: Told) -> None:
    """Each view is one without a seat, and has no face that is not public."""
    views = [event for event in told.of(ViewChanged) if isinstance(event, ViewChanged)]
    assert views
    for event in views:
        view: View = event.view
        assert view.seat is None
        assert view.hand == ()


async def test_who_comes_in_the_middle_of_a_hand_follows_it_to_the_end(tmp_path: Path) -> None:
    """It catches up, sees what is public, and its record is the members', byte for byte."""
    async with a_table(tmp_path) as seats, people(tmp_path, "eve") as (eve,):
        for seat in seats[1:]:
            seat.hold = True
        await seats[1].until(lambda: all(seat.asked for seat in seats[1:]))
        waiting = ("move", tuple(sorted(map(seat_of, seats[1:]))))
        await seats[0].until(lambda: seats[1].peer.waiting() == waiting)
        await eve.peer.watch("kitchen", (LOOPBACK, seats[1].peer.port))
        await eve.until_told(ViewChanged)
        (watching,) = eve.of(Watching)
        (agreed,) = seats[0].of(Agreed)
        assert isinstance(watching, Watching)
        assert isinstance(agreed, Agreed)
        assert (watching.table_id, watching.players) == (agreed.table_id, agreed.players)
        assert (watching.code, watching.options) == (agreed.code, agreed.options)
        # The next pack may still be in the making.
        assert not any(step.lane == TABLE_LANE for step in eve.of(StepClosed))  # type: ignore[attr-defined]
        await eve.until(lambda: eve.peer.waiting() == waiting)
        with pytest.raises(LocalError, match="looks on"):
            await eve.peer.join("kitchen", (LOOPBACK, seats[0].peer.port))
        await seats[0].until(lambda: bool(seats[0].of(SpectatorsChanged)))
        for seat in seats[:2]:
            (changed,) = seat.of(SpectatorsChanged)
            assert isinstance(changed, SpectatorsChanged)
            assert [player.name for player in changed.players] == ["eve"]
        for seat in seats[1:]:
            seat.hold = False
            await seat.play()
        await eve.until_told(MatchOver)
        for seat in seats:
            await seat.until_told(MatchOver)
        assert eve.of(HandOver) == seats[0].of(HandOver)
        assert eve.of(MatchOver) == seats[0].of(MatchOver)
        assert eve.of(StepClosed)
        assert_nothing_private(eve)
        record = await eve.peer.record()
        assert verify(record).verdict == "complete"
        assert {await seat.peer.record() for seat in seats} == {record}
        assert await eve.peer.resume() is False


async def test_tables_that_cannot_be_looked_on_at_say_so(tmp_path: Path) -> None:
    """One that waits, one that is not there, one for the invited only, the own one."""
    async with people(tmp_path, "anna", "bert", "carl") as (anna, bert, carl):
        await anna.peer.open_table("kitchen", "azi", {}, 2)
        await carl.peer.watch("kitchen", (LOOPBACK, anna.peer.port))
        await carl.until(lambda: len(carl.of(Refused)) == 1)
        await carl.peer.watch("attic", (LOOPBACK, anna.peer.port))
        await carl.until(lambda: len(carl.of(Refused)) == 2)
        with pytest.raises(LocalError, match="waits at a table"):
            await anna.peer.watch(None, (LOOPBACK, bert.peer.port))
        await bert.peer.join("kitchen", (LOOPBACK, anna.peer.port))
        await bert.until_told(Agreed)
        await carl.peer.watch(None, (LOOPBACK, anna.peer.port))
        await carl.until_told(Watching)
        await carl.peer.unwatch()
        assert await carl.peer.resume() is False  # there is no seat to go on with
        codes = [event.code for event in carl.of(Refused) if isinstance(event, Refused)]
        assert codes == ["waiting", "no-such-table"]
        await anna.until(lambda: len(anna.of(SpectatorsChanged)) == 2)
        assert anna.of(SpectatorsChanged)[1] == SpectatorsChanged(())


async def test_nobody_listens_to_who_looks_on(tmp_path: Path) -> None:
    """What it says of entries is dropped, not blamed; who does not look on gets no entries."""
    async with people(tmp_path, "anna", "bert", "eve", "finn") as (anna, bert, eve, finn):
        await anna.peer.open_table("kitchen", "azi", {}, 2)
        await bert.peer.join("kitchen", (LOOPBACK, anna.peer.port))
        await bert.until_told(Agreed)
        await eve.peer.watch(None, (LOOPBACK, anna.peer.port))
        await eve.until_told(ViewChanged)
        seat = anna.peer._owner.tables.seat
        assert seat is not None
        table = seat.agreement.table_id
        for message in (
            EnvelopeMessage(table, b"nonsense"),
            Entries(table, (b"nonsense",), 0),
            Onlookers(table, ((finn.peer.key, "somebody"),)),
        ):
            eve.peer._owner._mesh.post((anna.peer.key,), message)
        await finn.peer.watch("attic", (LOOPBACK, anna.peer.port))
        await finn.until_told(Refused)
        seat.gallery.asked(finn.peer.key, Have(table, ()))
        await anna.until(lambda: anna.of(SpectatorsChanged) != [])
        await eve.peer.unwatch()
        await anna.until(lambda: len(anna.of(SpectatorsChanged)) == 2)
        assert anna.of(FaultSeen) == []
        assert finn.of(Watching) == []
        assert seat.gallery.due == float("inf")
        assert eve.peer.key in anna.peer._owner._mesh.linked


async def test_table_of_the_invited_is_not_shown(tmp_path: Path) -> None:
    """It is told to nobody, and who knows its lobby's id is refused all the same."""
    async with people(tmp_path, "anna", "bert", "carl") as (anna, bert, carl):
        await anna.peer.open_table("kitchen", "azi", {}, 2, invite=True)
        code = next(c for c in anna.peer.invites())
        await bert.peer.join(code=code)
        await bert.until_told(Agreed)
        await carl.peer.watch("kitchen", (LOOPBACK, anna.peer.port))
        await carl.until(lambda: len(carl.of(Refused)) == 1)
        lobby = anna.peer._owner.reception.lobby
        assert lobby is not None
        offer = Offer(anna.peer.key, lobby.info)
        await carl.peer._owner.do(lambda: carl.peer._owner.watch(offer))
        await carl.until(lambda: len(carl.of(Refused)) == 2)
        codes = [event.code for event in carl.of(Refused) if isinstance(event, Refused)]
        assert codes == ["no-such-table", "no-such-table"]


async def at_a_table_of_three(players: list[Told], **options: int) -> bytes:
    """The players sit down; the table's id."""
    anna, *others = players
    await anna.peer.open_table("kitchen", "azi", {"max_bid": 10, **options}, 3)
    for other in others:
        await other.peer.join("kitchen", (LOOPBACK, anna.peer.port))
    for player in players:
        await player.until_told(Agreed)
    (agreed,) = anna.of(Agreed)
    assert isinstance(agreed, Agreed)
    return agreed.table_id


def onlooker_of(told: Told) -> Onlooker:
    """How a peer looks on."""
    onlooker = told.peer._owner.tables.onlooker
    assert onlooker is not None
    return onlooker


async def listens_to_another(told: Told, before: Told) -> bytes:
    """Waits until another member than this one has answered; its key."""
    onlooker = onlooker_of(told)
    await told.until(lambda: onlooker._contact != before.peer.key)
    await told.until(lambda: onlooker._next_at == float("inf"))
    return onlooker._contact


async def test_another_member_is_asked_when_one_is_gone(tmp_path: Path) -> None:
    """The one that it listens to closes its program."""
    async with people(tmp_path, "anna", "bert", "eve") as (*others, eve):
        async with people(tmp_path, "carl") as (carl,):
            await at_a_table_of_three([*others, carl])
            await eve.peer.watch("kitchen", (LOOPBACK, carl.peer.port))
            await eve.until_told(ViewChanged)
        contact = await listens_to_another(eve, carl)
        assert contact in [other.peer.key for other in others]


async def test_another_member_is_asked_when_one_talks_nonsense(tmp_path: Path) -> None:
    """It loses its link, as it would with a member, and is named as nobody's seat."""
    async with people(tmp_path, "anna", "bert", "carl", "eve") as (*players, eve):
        table = await at_a_table_of_three(players)
        carl = players[2]
        await eve.peer.watch("kitchen", (LOOPBACK, carl.peer.port))
        await eve.until_told(ViewChanged)
        nonsense = EnvelopeMessage(table, b"nonsense")
        carl.peer._owner._mesh.post((eve.peer.key,), nonsense)
        assert await listens_to_another(eve, carl) != carl.peer.key
        (fault,) = eve.of(FaultSeen)
        assert isinstance(fault, FaultSeen)
        assert fault.fault.seat is None


async def test_another_member_is_asked_when_one_has_left_the_table(tmp_path: Path) -> None:
    """Those who stay play on, and who looks on sees it to the end; it may also look away once."""
    names = ("anna", "bert", "carl", "eve")
    async with people(tmp_path, *names, strategy="random") as (*players, eve):
        anna, bert, carl = players
        await carl.peer.pause(True)
        await at_a_table_of_three(players, hands=3)
        await carl.peer.sit("leave")
        await eve.peer.watch("kitchen", (LOOPBACK, anna.peer.port))
        await eve.until_told(Watching)
        await eve.peer.unwatch()
        await eve.peer.watch("kitchen", (LOOPBACK, carl.peer.port))
        await eve.until(lambda: len(eve.of(Watching)) == 2)
        await eve.until(lambda: eve.peer.waiting() == ("sit", (seat_of(carl),)))
        await carl.peer.pause(False)
        await eve.until_told(MatchOver)
        assert len(eve.of(HandStarted)) >= 2
        (gone,) = [event for event in eve.of(SitSaid) if (seat_of(carl), "leave") in choices(event)]
        assert gone == eve.of(SitSaid)[0]
        for one in (anna, bert):
            await one.until_told(MatchOver)
            assert await one.peer.record() == await eve.peer.record()
        assert onlooker_of(eve).over


def choices(event: object) -> tuple[tuple[int, str], ...]:
    """What was answered between hands."""
    assert isinstance(event, SitSaid)
    return event.choices


async def test_the_seventeenth_is_refused(tmp_path: Path) -> None:
    """At most 16 look on by the links of one member; another one may have places."""
    async with people(tmp_path, "anna", "bert", "carl") as (anna, bert, carl):
        await anna.peer.open_table("kitchen", "azi", {}, 2)
        await bert.peer.join("kitchen", (LOOPBACK, anna.peer.port))
        await anna.until_told(Agreed)
        await bert.until_told(Agreed)
        seat = anna.peer._owner.tables.seat
        assert seat is not None
        for number in range(MAX_ONLOOKERS):
            assert seat.gallery.admit(bytes([number]) * 32, f"guest {number}")
        await carl.peer.watch("kitchen", (LOOPBACK, anna.peer.port))
        await carl.until_told(Refused)
        (refused,) = carl.of(Refused)
        assert isinstance(refused, Refused)
        assert refused.code == "crowded"
        await carl.peer.watch("kitchen", (LOOPBACK, bert.peer.port))
        await carl.until_told(Watching)


@pytest.mark.parametrize("invite", [False, True], ids=["open", "invite"])
async def test_a_member_that_was_started_again_shows_its_table(
    tmp_path: Path, invite: bool
) -> None:
    """It tells of it as of any that plays; a table of the invited it does not show, as before."""
    async with people(tmp_path, "bert", "carl") as (bert, carl):
        async with people(tmp_path, "anna") as (anna,):
            await anna.peer.open_table("kitchen", "azi", {}, 2, invite=invite)
            code = anna.peer.invites()[0]
            where = {"code": code} if invite else {"address": (LOOPBACK, anna.peer.port)}
            await bert.peer.join("kitchen", **where)  # type: ignore[arg-type]
            await bert.until_told(Agreed)
            await anna.until_told(Agreed)
            lobby = anna.peer._owner.reception.lobby
            assert lobby is not None
        async with people(tmp_path, "anna") as (again,):
            assert await again.peer.resume()
            offers = again.peer._owner.reception.told
            assert offers == (() if invite else (replace(lobby.info, taken=2),))
            await carl.peer.watch("kitchen", (LOOPBACK, again.peer.port))
            if not invite:
                await carl.until_told(ViewChanged)
                return
            await carl.until_told(Refused)
            offer = Offer(again.peer.key, lobby.info)
            await carl.peer._owner.do(lambda: carl.peer._owner.watch(offer))
            await carl.until(lambda: len(carl.of(Refused)) == 2)
            codes = [event.code for event in carl.of(Refused) if isinstance(event, Refused)]
            assert codes == ["no-such-table", "no-such-table"]
