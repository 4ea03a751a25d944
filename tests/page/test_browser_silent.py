"""What the page says of silent seats, and what can be done about them, in every language."""

from __future__ import annotations

import json
import re

import pytest

from tests.page.browser import LANGUAGES, PHONE, SEEN, Party, Player

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NAMES = re.compile(r"\b[a-z]+(?:\.[a-z_]+)+\b|\{\w+[,}]")
"""What a message that is missing, or was not filled in, looks like."""

_PUT = """async ([changes, links]) => {
  const { app } = await import("/web/js/app.js");
  const { table } = app.state;
  const players = table.players.map((one, seat) => ({ ...one, link: links[seat] ?? "linked" }));
  const log = [...app.state.log, ...(changes.log ?? [])];
  Object.assign(app.state, { ...changes, log, table: { ...table, players } });
  app.redraw();
  await new Promise((done) => setTimeout(done, 50));
  return document.body.innerText;
}"""


def put(player: Player, links: dict[int, str], **changes: object) -> str:
    """Shows such sections; returns all that is to be read then."""
    text = str(player.page.evaluate(_PUT, [changes, links]))
    assert NAMES.findall(text) == []
    assert player.overflow() <= 0
    return text


def waiting(player: Player, kind: str, seats: list[int], **more: object) -> dict[str, object]:
    """The section for such a wait, that began just now."""
    now = int(player.page.evaluate("() => Date.now()"))
    section = {"kind": kind, "seats": seats, "since": now, "overdue": None, "votes": []}
    calls = [[seat, now + 40_500] for seat in seats]
    return {**section, "voters": [0, 1, 2, 3], "calls": calls, **more}


def test_silence_is_explained_and_can_be_ended(party: Party) -> None:
    """Whom it is about, what comes of it and when; where people must ask, there is a button."""
    peer = party.peer("anna", "--game", "hazari", "--bots", "3")
    for language in LANGUAGES:
        player = party.window(peer, json.dumps({"lang": language}), viewport=PHONE).open()
        show_silence(player, language)
        player.page.context.close()


def show_silence(player: Player, language: str) -> None:
    """All that there is to say, in one language; nothing of it is said to the peer."""
    player.until("s.ask && s.waiting?.seats.length === 1")  # the bots have chosen: all is still
    player.until("document.querySelector('[data-slot]')")
    own = player.now("s.table.seat")
    one, two, three = (seat for seat in range(4) if seat != own)
    name = player.now(f"s.table.players[{one}].name")
    gone = {
        "n": 10_001, "at": 1_800_000_000, "kind": "gone", "seat": one, "by": [own, two, three],
        "of": 4, "due": "move", "pack": False,
    }  # fmt: skip
    lines = [
        gone,
        {**gone, "n": 10_002, "seat": own, "by": [one, two, three]},
        {"n": 10_003, "at": 1_800_000_000, "kind": "went_back", "seat": one},
        {"n": 10_004, "at": 1_800_000_000, "kind": "came_back", "seats": [one, two]},
    ]
    absent = [{"seat": one, "by": [own, two], "lane": 0, "step": 7, "hand": 1}]
    over = player.now("s.view")
    over = {**over, "phase": "lock"}
    calm = {"ask": None, "view": over}

    silent = waiting(player, "move", [one])
    text = put(player, {one: "lost"}, waiting=silent, **calm)
    assert name in text
    assert re.search(r"\b(39|40|41)\b", text)
    player.shot(f"silent-{language}")
    put(player, {}, waiting={**silent, "overdue": 30.0}, **calm)
    text = put(
        player, {one: "lost", two: "lost"}, waiting=waiting(player, "move", [one, two]), **calm
    )
    few = text
    votes = [{"seat": one, "gone": 2, "here": 0, "needed": 3}]
    text = put(player, {one: "lost"}, waiting={**silent, "votes": votes}, **calm)
    put(player, {one: "away"}, waiting=None, log=lines, **calm)
    put(player, {own: "away"}, waiting=None, **calm)
    player.shot(f"away-{language}")
    if language == "en":
        assert "Only 2 of 4 players are here" in few
        assert f"is {name} gone? 2 of 3 needed" in text.replace("\u2068", "").replace("\u2069", "")
    assert not player.has("miss")

    asked = waiting(player, "back", [one], calls=[[one, None]])
    put(player, {one: "away"}, waiting=asked, **calm)
    player.shot(f"back-{language}")
    if language in SEEN:
        player.accessible("waiting for a seat that is away")
    player.do("miss")
    assert NAMES.findall(player.page.evaluate("() => document.body.innerText")) == []
    if language in SEEN:
        player.accessible("ending the match without a seat")
    player.do("miss-no")

    fair = {**player.now("s.fair"), "absent": absent}
    put(player, {one: "away"}, waiting=asked, fair=fair, **calm)
    for dialog in ("log", "fair", "help"):
        show = "async (name) => (await import('/web/js/app.js')).open(name)"
        player.page.evaluate(show, dialog)
        player.page.wait_for_timeout(150)
        shown = player.page.evaluate("() => document.querySelector('dialog').innerText")
        assert NAMES.findall(shown) == [], dialog
        assert name in shown or dialog == "help"
        player.shot(f"{dialog}-absent-{language}")
        player.page.keyboard.press("Escape")
