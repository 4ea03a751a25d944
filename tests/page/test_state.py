"""The sections of the state follow the events of the peer and its table."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from engine import MatchEnd, View, game
from p2p import events as p2p
from p2p.following import Attendance
from protocol import events as table
from protocol.errors import PeerFault
from tests.page.rooms import ADDRESS, PLAYERS, agreed
from tests.protocol.absences import declared, heal, part, wait, went_back
from tests.protocol.once import computed_once
from tests.protocol.tables import Table, make_table
from ui.lines import plain
from ui.page.sections import LOG
from ui.page.state import State

ANNA, BERT, CARL, DORA = PLAYERS[:4]


class Clock:
    """A wall clock that stands still until it is set."""

    now = 1000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the state."""
    return Clock()


@pytest.fixture
def state(clock: Clock) -> State:
    """Anna's state, at no table."""
    return State("anna", ANNA.key, "ANNAAAAA", clock)


def feed(state: State, *events: object) -> Any:
    """Takes events; returns the sections as a window reads them."""
    for event in events:
        if type(event).__module__ == "protocol.events":
            event = p2p.SessionTold(event)  # type: ignore[arg-type]
        state.take(event)  # type: ignore[arg-type]
    return json.loads(json.dumps(state.sections, default=plain))


def views(name: str, seats: int, options: dict[str, Any]) -> list[table.Event]:
    """All that seat 0 was told in a match."""
    made = make_table(2, name, options, seats, "steady")
    with computed_once():
        made.begin()
        made.deliver()
    return made.seats[0].events


@pytest.fixture(scope="module")
def hazari() -> list[table.Event]:
    """A match of Hazari as seat 0 was told of it."""
    return views("hazari", 4, {"hands": 1})


@pytest.fixture(scope="module")
def azi() -> list[table.Event]:
    """Four hands of Azi as seat 0 was told of them."""
    return views("azi", 2, {"hands": 4, "max_bid": 20})


# The network.


def told(who: p2p.PlayerInfo, *offers: p2p.TableOffer) -> p2p.TablesTold:
    """Somebody who is linked tells of all these tables."""
    return p2p.TablesTold(who.short, who.key, offers)


def test_tables_appear_and_vanish(state: State) -> None:
    """What is called out, what is told on a link, and who has gone."""
    offer = p2p.TableOffer("kitchen", "azi", 1, 3)
    found = p2p.PeerFound(BERT.short, "bert", BERT.key, (ADDRESS,), "mdns", (offer,))
    network = feed(state, found)["network"]
    assert network["discovery"] is True
    assert network["since"] == 1_000_000
    assert network["peers"] == [{"short": BERT.short, "name": "bert", "how": "mdns"}]
    (row,) = network["tables"]
    assert row == {
        "table": "kitchen", "game": "azi", "taken": 1, "seats": 3, "short": BERT.short,
        "key": BERT.key.hex(), "opener": "bert", "how": "mdns", "known": False, "goes_on": False,
    }  # fmt: skip
    state.know(frozenset({BERT.key}))
    (row,) = feed(state, found)["network"]["tables"]
    assert row["known"] is True
    attic = p2p.TableOffer("attic", "hazari", 2, 4, CARL.key)
    assert len(feed(state, told(CARL, attic))["network"]["tables"]) == 2
    more = p2p.PeerFound(BERT.short, "bert", BERT.key, (ADDRESS,), "mdns", ())
    (row,) = feed(state, more)["network"]["tables"]
    assert row["table"] == "attic"
    assert row["short"] == CARL.short
    cellar = p2p.TableOffer("cellar", "hazari", 2, 4, CARL.key)
    (row,) = feed(state, told(CARL, cellar))["network"]["tables"]
    assert row["table"] == "cellar"
    assert feed(state, told(CARL))["network"]["tables"] == []
    feed(state, told(CARL, attic))
    gone = p2p.Unlinked(CARL.key, "carl", CARL.short, "cut")
    assert feed(state, gone)["network"]["tables"] == []
    assert feed(state, p2p.PeerLost(BERT.short))["network"]["peers"] == []


def test_no_table_is_listed_twice(state: State) -> None:
    """What the opener says on a link counts more than what it calls out, and that more than what
    others say of its table."""
    called = p2p.TableOffer("kitchen", "azi", 2, 4)
    by_carl = p2p.TableOffer("kitchen", "azi", 4, 4, BERT.key)
    found = p2p.PeerFound(BERT.short, "bert", BERT.key, (ADDRESS,), "mdns", (called,))
    (row,) = feed(state, told(CARL, by_carl))["network"]["tables"]
    assert (row["taken"], row["key"], row["short"]) == (4, BERT.key.hex(), "")
    (row,) = feed(state, found)["network"]["tables"]
    assert (row["taken"], row["opener"], row["how"]) == (2, "bert", "mdns")
    by_bert = p2p.TableOffer("kitchen", "azi", 3, 4, BERT.key, bytes(32))
    (row,) = feed(state, told(BERT, by_bert))["network"]["tables"]
    assert (row["taken"], row["opener"], row["how"]) == (3, "bert", "mdns")
    assert row["goes_on"] is True


def test_tables_of_one_name_are_told_apart(state: State) -> None:
    """By who has opened them."""
    mine = p2p.TableOffer("kitchen", "azi", 1, 4, CARL.key)
    other = p2p.TableOffer("kitchen", "azi", 1, 4, BERT.key)
    rows = feed(state, told(CARL, mine), told(BERT, other))["network"]["tables"]
    assert {row["key"] for row in rows} == {BERT.key.hex(), CARL.key.hex()}


def test_discovery_that_does_not_work_is_told(state: State) -> None:
    """With the reason, for the checklist."""
    network = feed(state, p2p.DiscoveryOff("multicast is blocked here"))["network"]
    assert (network["discovery"], network["reason"]) == (False, "multicast is blocked here")


# Waiting at a table.


def test_lobby_shows_who_sits_there(state: State) -> None:
    """Who opened it, who is ready, who is whose bot."""
    bot = p2p.PlayerInfo(b"b" * 32, "Ben", "BENAAAAA", owner=ANNA.short, ready=True)
    options = (("hands", 1),)
    lobby = feed(state, p2p.LobbyChanged("kitchen", "hazari", options, 4, (ANNA, bot)))["lobby"]
    assert lobby["opener"] is True
    assert lobby["options"] == {"hands": 1}
    assert [(one["name"], one["own"], one["bot"]) for one in lobby["players"]] == [
        ("anna", True, ""),
        ("Ben", False, ANNA.short),
    ]
    lobby = feed(state, p2p.LobbyChanged("kitchen", "hazari", options, 4, (BERT, ANNA)))["lobby"]
    assert lobby["opener"] is False


def test_refusal_ends_the_waiting(state: State) -> None:
    """And is told once, with its code."""
    sections = feed(
        state,
        p2p.LobbyChanged("kitchen", "hazari", (), 4, (BERT, ANNA)),
        p2p.Refused("removed", "the opener has removed you"),
    )
    assert sections["lobby"] is None
    assert state.happened == [
        {"kind": "turned_away", "code": "removed", "text": "the opener has removed you"}
    ]


# At the table.


@pytest.mark.parametrize("kind", [p2p.Agreed, p2p.Resumed])
def test_table_is_there_once_it_is_agreed(state: State, kind: type) -> None:
    """With the seat, the code, and everybody's link."""
    lobby = p2p.LobbyChanged("kitchen", "hazari", (), 4, (ANNA,))
    linked = p2p.Linked(BERT.key, "bert", BERT.short, ADDRESS, "mdns")
    sections = feed(state, lobby, linked, agreed(kind=kind))
    assert sections["lobby"] is None
    held = sections["table"]
    assert held["id"] == "07" * 32
    assert (held["name"], held["title"], held["seat"], held["hand"]) == ("kitchen", "Hazari", 0, 0)
    assert held["code"] == ["green", "boat", "quiet", "lemon"]
    assert held["options"]["hands"] == 0
    links = [one["link"] for one in held["players"]]
    assert links == ["linked", "linked", "relayed", "relayed"]
    assert sections["fair"]["cards"] == 52
    assert len(sections["fair"]["orders"]) == 68
    assert [line["kind"] for line in sections["log"]] == [
        "agreed" if kind is p2p.Agreed else "resumed"
    ]


def test_lost_left_and_relayed_are_told_apart(state: State, clock: Clock) -> None:
    """One broken link is not yet a lost player."""

    def links(*events: object) -> list[str]:
        return [one["link"] for one in feed(state, *events)["table"]["players"]]

    up = [p2p.Linked(one.key, one.name, one.short, ADDRESS, "mdns") for one in PLAYERS[1:4]]
    assert links(agreed(), *up) == ["linked"] * 4
    cut = p2p.Unlinked(CARL.key, "carl", CARL.short, "timeout")
    assert links(cut) == ["linked", "linked", "relayed", "linked"]
    assert links(table.Overdue(0, 5, "move", (2, 3), 40.0)) == [
        *("linked", "linked", "lost", "linked"),
    ]
    state.waits(("move", (2,)))
    assert feed(state)["waiting"] == {
        "kind": "move", "seats": [2], "since": 1_000_000, "overdue": 40.0,
        "voters": [], "calls": [], "votes": [],
    }  # fmt: skip
    assert links(up[1]) == ["linked"] * 4
    closed = table.StepClosed(0, 5, "move", (0, 1, 2, 3), (), b"\0" * 32, 100)
    assert links(cut, closed) == ["linked", "linked", "relayed", "linked"]
    said = table.SitSaid(((0, "in"), (1, "out"), (2, "leave"), (3, "in")))
    assert links(said, up[1]) == ["linked", "out", "left", "linked"]
    kinds = [line["kind"] for line in feed(state)["log"]]
    assert kinds == ["agreed", "overdue", "sat_out", "left"]
    back = table.SitSaid(((0, "in"), (1, "in"), (3, "in")))
    assert links(back)[1:3] == ["linked", "left"]


def test_waiting_counts_from_when_it_began(state: State, clock: Clock) -> None:
    """As long as it is for the same step; without a table there is none."""
    state.waits(("move", (1,)))
    assert feed(state)["waiting"] is None
    feed(state, agreed())
    state.waits(("move", (1, 2)))
    clock.now += 5
    state.waits(("move", (1, 2)))
    assert feed(state)["waiting"]["since"] == 1_000_000
    state.waits(("move", (1,)))
    assert feed(state)["waiting"]["since"] == 1_000_000
    feed(state, table.StepClosed(0, 5, "move", (1, 2), (), b"\0" * 32, 100))
    state.waits(("move", (1,)))
    assert feed(state)["waiting"]["since"] == 1_005_000
    state.waits(None)
    assert feed(state)["waiting"] is None


def test_who_looks_at_a_result_is_not_blamed(state: State) -> None:
    """Each page may hold the next hand up for longer than the protocol's step takes."""
    feed(state, agreed())
    state.waits(("sit", (1,)))
    sections = feed(state, table.Overdue(0, 9, "sit", (1,), 10.0))
    assert [line["kind"] for line in sections["log"]] == ["agreed"]
    state.waits(("sit", (1,)))
    assert feed(state)["waiting"]["overdue"] is None


def test_chat_of_another_table_is_gone(state: State) -> None:
    """What is said in the lobby goes along to its table, and no further."""
    lobby = p2p.LobbyChanged("kitchen", "hazari", (), 4, (ANNA, BERT))
    said = p2p.ChatSaid(BERT.key, "bert", BERT.short, "hello", False)
    assert len(feed(state, lobby, said, lobby, agreed())["chat"]) == 1
    state.clear_table()
    assert feed(state)["chat"] == []
    assert len(feed(state, said)["chat"]) == 1
    assert feed(state, lobby)["chat"] == []


def test_own_invite_table_says_that_it_is_one(state: State) -> None:
    """Only its opener knows; others see a table like any other."""
    state.invite_only = True
    assert feed(state, p2p.LobbyChanged("a", "azi", (), 4, (ANNA, BERT)))["lobby"]["invite"] is True
    assert (
        feed(state, p2p.LobbyChanged("a", "azi", (), 4, (BERT, ANNA)))["lobby"]["invite"] is False
    )


def test_back_of_the_pack_is_known_again_after_a_restart(
    state: State, hazari: list[table.Event]
) -> None:
    """For the very hand of the very table that it was kept for."""
    feed(state, agreed())
    for event in hazari:
        feed(state, event)
        if isinstance(event, table.HandStarted):
            break
    held = state.back
    assert held == {"table": "07" * 32, "hand": 1, "head": feed(state)["fair"]["packs"][0]["head"]}
    view = next(event for event in hazari if isinstance(event, table.ViewChanged))
    for back, heads in ((held, [held["head"]]), ({**held, "hand": 2}, []), ({}, [])):
        again = State("anna", ANNA.key, "ANNAAAAA", Clock())
        again.know_back(back)
        fair = feed(again, agreed(kind=p2p.Resumed), view)["fair"]
        assert [pack["head"] for pack in fair["packs"]] == heads
        assert (fair["current"], fair["checked"], fair["resumed"]) == (0, False, True)


def test_who_was_declared_gone_is_known_after_a_restart(state: State) -> None:
    """At the very table, and only what has the right form: it comes from a file."""
    feed(state, agreed(), table.DeclaredGone(0, 9, 3, (0, 1, 2)))
    kept = json.loads(json.dumps(state.gone))
    told = [{"seat": 3, "by": [0, 1, 2], "lane": 0, "step": 9, "hand": 0}]
    assert kept == {"table": "07" * 32, "absent": told}
    wrong: list[object] = [{**told[0], "by": ["x"]}, {**told[0], "seat": -1}, {"seat": 1}, 7]
    for gone, absent in (
        (kept, told),
        ({**kept, "absent": [*told, *wrong]}, told),
        ({**kept, "table": "08" * 32}, []),
        ({**kept, "absent": "all"}, []),
        ({}, []),
    ):
        again = State("anna", ANNA.key, "ANNAAAAA", Clock())
        again.know_gone(gone)
        assert feed(again, agreed(kind=p2p.Resumed))["fair"]["absent"] == absent
    feed(state, table.WentBack(0, 9, 3))
    assert state.gone["absent"] == []


def test_who_has_left_at_once_was_not_silent(state: State) -> None:
    """The others count its silence, as the rules say; its own windows say what it was."""
    gone = table.DeclaredGone(0, 9, 0, (1, 2, 3))
    found = feed(state, agreed(), table.Left(), gone)
    assert [line["kind"] for line in found["log"]] == ["agreed", "left"]
    assert found["table"]["left"]
    found = feed(state, agreed(), table.SitSaid(((0, "leave"), (1, "in"))), table.Left())
    assert [line["kind"] for line in found["log"]] == ["agreed", "left"]
    found = feed(state, agreed(), gone)
    assert [line["kind"] for line in found["log"]] == ["agreed", "gone"]


def test_who_was_declared_gone_and_has_come_back_is_not_shown_as_away(state: State) -> None:
    """Linked again, but only dealt in with the next hand."""

    def link(*events: object) -> object:
        return feed(state, *events)["table"]["players"][3]["link"]

    up = p2p.Linked(DORA.key, "dora", DORA.short, ADDRESS, "mdns")
    cut = p2p.Unlinked(DORA.key, "dora", DORA.short, "timeout")
    assert link(agreed(), up, table.DeclaredGone(0, 9, 3, (0, 1, 2))) == "away"  # silent, not cut
    assert link(cut) == "away"
    assert link(up) == "back"
    assert link(cut) == "away"
    assert link(up, table.CameBack((3,))) == "linked"
    assert link(table.DeclaredGone(0, 20, 3, (0, 1, 2))) == "away"


def test_hand_of_hazari_from_deal_to_result(state: State, hazari: list[table.Event]) -> None:
    """View, choice, result and score sheet, each when it is due."""
    feed(state, agreed())
    seen = []
    for event in hazari:
        sections = feed(state, event)
        if isinstance(event, table.YourMove):
            assert sections["ask"]["kind"] == "up"
            assert sections["ask"]["barred"] == []
            assert len(sections["view"]["hand"]) == 13
            seen.append("ask")
        elif isinstance(event, table.HandOver):
            assert sections["ask"] is None
            assert sections["result"]["hand"] == 1
            assert sections["result"]["view"] == sections["view"]
            assert sections["result"]["view"]["scores"]
            assert sections["hands"] == [
                {"hand": 1, "standing": sections["result"]["standing"]},
            ]
            seen.append("result")
        elif isinstance(event, table.MatchOver):
            assert sections["table"]["ended"]["rule"]
            assert sections["standing"] == sections["table"]["ended"]["standing"]
            seen.append("end")
    assert seen == ["ask", "result", "end"]
    fair = feed(state)["fair"]
    assert fair["checked"] is True
    assert fair["current"] == fair["packs"][0]["pack"] == 1
    assert len(fair["packs"][0]["head"]) == 64
    assert [seat for seat, _ in fair["packs"][0]["checked"]] == [1, 2, 3]


def test_hands_of_azi(state: State, azi: list[table.Event]) -> None:
    """Each choice with what may be done, and why not the rest."""
    feed(state, agreed("azi", 2))
    barred = 0
    for event in azi:
        sections = feed(state, event)
        if isinstance(event, table.YourMove):
            ask = sections["ask"]
            assert ask["choices"]
            rules = game("azi")
            for slot, rule, text in ask["barred"]:
                objection = rules.objection(event.view, (event.kind, slot))
                assert objection is not None
                assert (objection.rule, objection.text) == (rule, text)
                barred += 1
        elif isinstance(event, table.HandStarted):
            assert sections["result"] is None
            assert sections["table"]["hand"] == event.hand
        elif isinstance(event, table.HandOver):
            assert sections["result"]["story"] == list(event.story)
    assert [row["hand"] for row in feed(state)["hands"]] == [1, 2, 3, 4]
    assert barred > 0


def test_clock_of_a_choice_is_told_as_time(state: State, hazari: list[table.Event]) -> None:
    """So that a window that comes later shows what is left; 0 seconds are no clock."""
    view: View = next(event.view for event in hazari if isinstance(event, table.YourMove))
    feed(state, agreed())
    assert feed(state, table.YourMove("up", view, 120))["ask"]["until"] == 1_120_000
    assert feed(state, table.YourMove("up", view, 0))["ask"]["until"] is None
    state.answered()
    assert feed(state)["ask"] is None


def test_end_without_winner_and_table_that_stops(state: State) -> None:
    """Why it stopped, and because of whom."""
    end = MatchEnd(None, "broken", "no winner")
    stop = table.Stopped((3,), "proof.shares", "the shares are wrong")
    fault = p2p.FaultSeen(PeerFault("proof.shares", "false", 3, 0, 2), "dora")
    sections = feed(state, agreed(), fault, table.MatchOver(end, ()), stop)
    assert sections["table"]["stopped"] == {
        "seats": [3], "code": "proof.shares", "text": "the shares are wrong",
    }  # fmt: skip
    assert sections["fair"]["faults"] == [
        {"seat": 3, "name": "dora", "code": "proof.shares", "text": "false"}
    ]
    assert sections["ask"] is None
    assert feed(state, table.Left())["table"]["left"] is True


def test_log_and_chat_are_bounded_and_numbered(state: State) -> None:
    """The newest lines stay; no number comes twice."""
    feed(state, agreed())
    for step in range(LOG + 50):
        feed(state, table.Overdue(0, step, "move", (1,), 10.0))
    said = p2p.ChatSaid(BERT.key, "bert", BERT.short, "<b>hello</b>", False)
    sections = feed(state, *[said] * 250)
    numbers = [line["n"] for line in sections["log"]]
    assert len(numbers) == len(set(numbers)) == LOG
    assert numbers == sorted(numbers)
    assert len(sections["chat"]) == 200
    assert sections["chat"][-1]["text"] == "<b>hello</b>"


def test_another_table_begins_with_nothing_of_the_last(
    state: State, hazari: list[table.Event]
) -> None:
    """Neither log nor score, nor who had left there."""
    feed(state, agreed(), *hazari, table.SitSaid(((0, "in"), (1, "leave"))))
    sections = feed(state, agreed("azi", 3))
    for section in ("view", "ask", "result", "standing", "paused"):
        assert sections[section] is None
    assert sections["hands"] == []
    assert len(sections["log"]) == 1
    assert sections["fair"]["packs"] == []
    assert [one["link"] for one in sections["table"]["players"]] == ["linked", "relayed", "relayed"]
    state.clear_table()
    assert feed(state)["table"] is None


def test_nothing_counts_as_changed_that_is_the_same(state: State) -> None:
    """Windows are not told things twice."""
    feed(state, agreed(), p2p.Listening((ADDRESS,), 1))
    state.changed = set()
    feed(state, p2p.Listening((ADDRESS,), 1))
    state.put("lobby", None)
    state.waits(None)
    assert state.changed == set()


# Silent seats.


def test_how_long_a_silent_seat_is_waited_for(state: State, clock: Clock) -> None:
    """When it is called gone, how the vote stands, and that it is away then, until it is back."""
    feed(state, agreed("azi"))
    there = Attendance((0, 1, 2, 3), (), {1: 40.0, 2: float("inf"), 3: 0.0})
    state.waits(("move", (1, 2, 3)), there)
    waiting = feed(state)["waiting"]
    assert waiting["voters"] == [0, 1, 2, 3]
    assert waiting["calls"] == [[1, 1_040_000], [2, None], [3, 0]]
    state.changed.clear()
    clock.now += 0.4
    state.waits(("move", (1, 2, 3)), replace(there, calls={**there.calls, 1: 39.5}))
    assert not state.changed  # the same moment, but for the clocks' grain
    feed(state, table.VoteUnderWay(0, 9, 3, 1, 0, 3))
    state.waits(("move", (1, 2, 3)), there)
    assert feed(state)["waiting"]["votes"] == [{"seat": 3, "gone": 1, "here": 0, "needed": 3}]
    sections = feed(state, table.DeclaredGone(0, 9, 3, (0, 1, 2)))
    assert [one["link"] for one in sections["table"]["players"]][3] == "away"
    line = sections["log"][-1]
    assert (line["kind"], line["seat"], line["by"], line["of"], line["due"], line["pack"]) == (
        *("gone", 3, [0, 1, 2], 4, "move", False),
    )
    assert sections["fair"]["absent"] == [
        {"seat": 3, "by": [0, 1, 2], "lane": 0, "step": 9, "hand": 0}
    ]
    state.waits(("move", (1,)), Attendance((0, 1, 2, 3), (3,), {1: 5.0}))
    assert feed(state)["waiting"]["votes"] == []
    sections = feed(state, table.CameBack((3,)))
    assert [one["link"] for one in sections["table"]["players"]][3] == "relayed"
    assert sections["log"][-1]["kind"] == "came_back"


@pytest.fixture(scope="module")
def undone() -> Table:
    """A match of Azi for four in which seat 1 was cut off, played on by itself, and went back."""
    made = make_table("back", "azi", {"hands": 2}, 4)
    with computed_once():
        made.begin()
        one, other = made.seats[0].session, made.seats[1].session
        while (
            one.waiting != ("move", (1,))
            or other.history.table.stage == "ready"
            or (other.history.lanes[0].step <= one.history.lanes[0].step)
        ):
            made.deliver(1)
        part(made, [{0, 2, 3}, {1}])
        made.deliver()
        wait(made, 200, alive=(0, 2, 3), until=lambda: bool(declared(made, 0)))
        heal(made)
        wait(made, 600)
    assert went_back(made, 1) == 1
    assert all(seated.session.over for seated in made.seats)
    return made


def test_what_has_not_happened_is_not_shown(undone: Table) -> None:
    """Who went back shows in the end what those show who did not, and nothing else on the way."""
    shown = {}
    for seat in (0, 1):
        state = State(PLAYERS[seat].name, PLAYERS[seat].key, "", Clock())
        feed(state, agreed("azi", seat=seat, hands=2))
        for event in undone.seats[seat].events:
            sections = feed(state, event)
            if isinstance(event, table.WentBack):
                assert sections["ask"] is None
                assert sections["log"][-1]["kind"] == "went_back"
        shown[seat] = sections
    for section in ("hands", "standing"):
        assert shown[0][section] == shown[1][section], section
    assert shown[0]["table"]["ended"] == shown[1]["table"]["ended"] is not None
    assert shown[0]["table"]["hand"] == shown[1]["table"]["hand"]
    told = [
        [
            {key: value for key, value in line.items() if key not in ("n", "at")}
            for line in shown[seat]["log"]
            if line["kind"] in ("move", "hand_started", "hand_over", "match_over")
        ]
        for seat in (0, 1)
    ]
    assert told[0] == told[1]
    for pack in shown[1]["fair"]["packs"]:
        (same,) = [one for one in shown[0]["fair"]["packs"] if one["pack"] == pack["pack"]]
        assert (pack["head"], pack["hand"]) == (same["head"], same["hand"])
        # The bytes may differ: an entry that was voted away is kept where it was made.
        assert pack["opened"][0] == same["opened"][0]


def test_a_table_that_ended_here_goes_on_if_the_others_did(state: State) -> None:
    """What stood at the end of the step before is shown again."""
    end = MatchEnd(0, "hands", "seat 0 wins")
    step = table.StepClosed(0, 4, "result", (0, 1, 2, 3), (), b"\1" * 32, 9)
    feed(state, agreed("azi"), step, table.HandOver(1, (), (("stacks", (1, 2)),), ()))
    over = feed(state, table.MatchOver(end, ()), table.Left())
    assert over["table"]["ended"] is not None
    assert len(over["hands"]) == 1
    back = feed(state, table.WentBack(0, 4, 2))
    assert (back["table"]["ended"], back["table"]["left"], back["hands"]) == (None, False, [])
    assert (back["result"], back["standing"]) == (None, None)
    assert [line["kind"] for line in back["log"]] == ["agreed", "went_back"]
