"""A person leaves a table of Hazari in a browser; another one goes on with a bot in that seat."""

from __future__ import annotations

import json

import pytest

from tests.page.browser import LANGUAGES, PHONE, SEEN, Party, Player

pytestmark = [pytest.mark.browser, pytest.mark.slow]

_UP = """async () => {
  const { act, app } = await import("/web/js/app.js");
  const { groups } = await act("suggest", {});
  await act("move", { move: ["up", ...groups] });
  return app.state.table.hand;
}"""


def up(player: Player) -> None:
    """Says up with what the page suggests."""
    player.until("s.ask?.kind === 'up'")
    player.page.evaluate(_UP)


def act(player: Player, what: str, **fields: object) -> None:
    """Does what a button would do, wherever the page shows that one just now."""
    script = "async ([what, fields]) => (await import('/web/js/app.js')).act(what, fields)"
    player.page.evaluate(script, [what, fields])


def left(party: Party) -> tuple[Player, Player]:
    """Anna, with two bots, and bert, who leaves when the first hand of Hazari has been played."""
    anna, bert = (party.player(name, viewport=PHONE) for name in ("anna", "bert"))
    anna.do("options")
    anna.page.locator('[data-do="table-name"]').fill("kitchen")
    anna.do("open")
    anna.until("s.lobby?.table === 'kitchen'")
    bert.page.locator('[data-do="typed"]').fill(anna.now("s.me.addresses[0]"))
    bert.do("join")
    for count in (3, 4):
        anna.page.locator('[data-do="bot"]').first.click()
        anna.until(f"s.lobby.players.length === {count}")
    for player in (anna, bert):
        player.until("s.lobby?.players.length === 4")
        player.do("ready")
    for player in (anna, bert):
        up(player)
    for player in (anna, bert):
        player.until("s.result && s.paused")
    act(bert, "sit", choice="leave")
    act(anna, "next")
    anna.until("s.table.stopped && s.again")
    return anna, bert


def test_a_bot_takes_the_seat_of_who_has_left(party: Party) -> None:
    """The scores of the first hand are there at the new table, and the second hand comes next.

    Whoever goes on has been started again meanwhile.
    """
    anna, bert = left(party)
    points = dict(anna.now("s.again.standing"))["points"]
    bert.until("s.table.stopped && s.again")
    assert anna.has("go-on")
    assert bert.has("go-on")  # to the own seat, if the others come as well
    assert "bert" in anna.page.inner_text("main, .strips")
    anna.shot("again-stopped")
    anna.accessible("a table that stopped")
    assert anna.overflow() <= 0
    names = anna.now("s.again.names")

    with anna.without_peer():  # that the table has stopped is known from the disk then
        anna.peer.kill()
        anna.until("!app.linked")
        anna.peer.again()
        anna.until("app.linked && s.again")
    anna.do("go-on")
    anna.until("s.lobby?.origin && s.lobby.players.length === 3")  # the own bots came by themselves
    assert anna.now("s.lobby.players.filter((one) => one.mine).length") == 2
    anna.shot("again-room")
    anna.accessible("the room of a table that goes on")
    assert anna.overflow() <= 0
    text = anna.page.inner_text("main")
    assert all(f"{one} point" in text for one in points)
    bert.until("s.again.offers.length === 1")
    assert bert.has("go-on-join")
    bert.shot("again-offer")
    anna.page.locator('[data-do="bot"]').first.click()
    anna.until("s.lobby.players.length === 4")
    anna.do("ready")
    anna.until("s.table && s.table.hand === 2")
    now = [one["name"] for one in anna.now("s.table.players")]
    assert [name for name, old in zip(now, names, strict=True) if old != "bert"] == [
        name for name in names if name != "bert"
    ]
    up(anna)
    anna.until("s.result")
    after = dict(anna.now("s.standing"))["points"]
    assert sum(after) == 720
    assert all(old <= new for old, new in zip(points, after, strict=True))


def test_going_on_is_said_in_every_language(party: Party) -> None:
    """The end of a table, the lobby after it, and the room, on a phone; nothing overflows."""
    peer = party.peer("anna")
    for language in LANGUAGES:
        player = party.window(peer, json.dumps({"lang": language}), viewport=PHONE).open()
        show_going_on(player, language)
        player.page.context.close()


def show_going_on(player: Player, language: str) -> None:
    """All that there is to say, in one language."""
    script = """async (changes) => {
      const { app } = await import("/web/js/app.js");
      Object.assign(app.state, changes);
      app.redraw();
      await new Promise((done) => setTimeout(done, 50));
      return document.body.innerText;
    }"""
    names = ["anna", "Bérénice de la Tour <b>", "carl", "dora"]
    again = {
        "table": "07", "name": "kitchen", "game": "hazari", "hand": 3, "seat": 0, "names": names,
        "standing": [["points", [100, 95, 85, 80]]], "vacant": [1], "most_new": 1, "offers": [],
        "full": [],
    }  # fmt: skip
    person = {"key": "a", "name": "anna", "short": "", "bot": "", "own": True, "mine": False}
    lobby = {
        "table": "kitchen", "game": "hazari", "options": {}, "seats": 4, "opener": True,
        "invite": False, "players": [{**person, "ready": False}],
    }  # fmt: skip
    origin = {
        "table": "07", "code": ["a", "b", "c", "d"], "hand": 3,
        "standing": [["stacks", [100, 95, 85, 80]], ["carried", 40]],
        "seats": [
            {"player": 0, "before": "anna", "free": False},
            {"player": None, "before": names[1], "free": True},
            {"player": None, "before": "carl", "free": False},
            {"player": None, "before": "", "free": False},
        ],
    }  # fmt: skip
    looking = {"table": "attic", "names": names[1:], "until": 4_000_000_000_000}
    states = {
        "one": {"again": again, "lobby": None, "looking": looking},
        "few": {"again": {**again, "vacant": [1, 2], "full": [names[1]]}, "lobby": None},
        "offer": {"again": {**again, "offers": [{"key": "a", "name": names[1]}]}, "lobby": None},
        "room": {"again": again, "lobby": {**lobby, "origin": origin}},
    }
    for name, changes in states.items():
        text = player.page.evaluate(script, changes)
        assert "room.again" not in text
        assert "again." not in text
        assert "lobby.sought" not in text
        assert names[1] in text.replace("\u2068", "").replace("\u2069", "")
        assert player.overflow() <= 0, name
        player.shot(f"again-{name}-{language}")
        if language in SEEN:
            player.accessible(f"going on, {name}")
