"""What somebody meets who has never played here: on a phone, against bots, with a restart."""

from __future__ import annotations

import pytest

from tests.page.browser import PHONE, Party, Player
from tests.page.test_browser_hazari import FRESH, say_up

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def text_of(player: Player, where: str = "body") -> str:
    """What is to be read there, without the signs that isolate names."""
    text = str(player.page.evaluate("(one) => document.querySelector(one).innerText", where))
    return text.replace("\u2068", "").replace("\u2069", "")


def open_dialog(player: Player, name: str) -> str:
    """Opens a part of the page; what is to be read in it."""
    player.page.evaluate("async (name) => (await import('/web/js/app.js')).open(name)", name)
    player.until("document.querySelector('dialog[open]')")
    return text_of(player, "dialog")


def test_hand_against_bots_that_is_left_between_hands(party: Party) -> None:
    """Suggestions leave what lies, a double tap does nothing, and leaving is told as leaving."""
    player = party.player("anna", viewport=PHONE)
    player.do("bots-hazari")
    player.until("s.ask?.kind === 'up' && s.view.hand.length === 13")
    assert "Your turn, " in open_dialog(player, "fair")
    player.page.wait_for_timeout(200)
    player.shot("new-turn")
    player.accessible("a dialog while it is the player's turn")
    player.do("to-turn")
    player.until("!document.querySelector('dialog')")

    slot = player.now("s.view.hand.at(-1)[0]")
    player.card(slot).click(position={"x": 8, "y": 8})
    player.page.locator('[data-tray="1"]').click(position={"x": 8, "y": 8})
    lies = f'document.querySelector(\'[data-tray="1"] [data-slot="{slot}"]\')'
    player.until(lies)
    player.do("hint")
    whole = "document.querySelectorAll('[data-tray] [data-slot]').length === 13"
    asks = "document.querySelector('[data-do=hint-yes]')"
    if player.until(f"{whole} ? 'whole' : {asks} && 'asks'") == "asks":
        player.shot("new-hint-asks")
        player.do("hint-yes")
        player.until(whole)
    else:
        assert player.now(f"Boolean({lies})")
    laid = player.now(
        "[...document.querySelectorAll('[data-tray] [data-slot]')].map((n) => n.dataset.slot)"
    )
    player.card(laid[0]).click(position={"x": 8, "y": 8})
    player.card(laid[-1]).click(position={"x": 8, "y": 8})  # they change places
    player.do("hint")  # nothing is free
    player.until(asks)
    player.shot("new-hint-asks")
    player.accessible("a suggestion that would move cards")
    player.do("hint-no")
    say_up(player)

    player.until("s.view.phase === 'over' && s.view.rounds.length")
    for _ in range(4):
        player.do("step")
    player.page.wait_for_timeout(200)
    player.shot("new-rounds")
    assert player.overflow() <= 0
    assert player.overlong() <= 0
    step = player.page.locator('[data-do="step"]')
    assert step.bounding_box()["width"] > 300
    assert step.evaluate(
        "(node) => [node, ...node.children].every((n) => n.scrollHeight <= n.clientHeight + 1)"
    )
    for _ in range(17):
        player.do("step")
    player.until(FRESH)
    box = player.page.locator('[data-do="next"]').bounding_box()
    player.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    player.until(f"!{FRESH}")
    assert player.now("Boolean(s.paused)")
    player.shot("new-result")
    totals = player.now(
        "s.view.totals.map((n, i) => `${n + s.view.scores[i]} (+${s.view.scores[i]})`)"
    )
    read = " ".join(text_of(player, ".felt").split())
    assert all(total in read for total in totals), (totals, read)

    assert "After this hand" not in open_dialog(player, "menu")
    player.do("sit-leave")
    player.until(
        "app.ui.dialog?.name === 'leaving' && document.querySelector('[data-do=leave-yes]')"
    )
    assert "Leave now" in text_of(player, "dialog")
    player.shot("new-leaving")
    player.do("leave-yes")
    player.until("s.table.left || s.table.stopped || s.table.ended")
    player.page.wait_for_timeout(200)
    assert "You left; the match is over" in text_of(player)
    assert "The table has stopped" not in text_of(player)
    player.shot("new-left")
    assert "You left; the match is over." in open_dialog(player, "log")
    player.press("Escape")
    player.do("lobby")
    player.until("!s.table")
    player.do("open")
    player.until("s.lobby")
    assert "still free" in text_of(player)
    assert "bots are coming" not in text_of(player)


def test_program_that_is_started_again_in_a_hand(party: Party) -> None:
    """The page says so while it goes back, and never that the pack in play is in the making."""
    peer = party.peer("anna", "--game", "azi", "--bots", "2")
    player = party.window(peer, viewport=PHONE).open()
    player.until("s.ask && s.view?.hand.length")
    hand = player.now("s.table.hand")
    with player.without_peer():
        peer.kill()
        player.until("!app.linked")
        peer.again()
        found = player.until(
            "app.linked && (s.resuming ? 'resuming' : s.table?.resumed && 'there')"
        )
    if found == "resuming":
        player.shot("new-back")
        assert "Taking you back" in text_of(player) or player.now("Boolean(s.table)")
        assert not player.has("bots-azi")
    player.until("s.table?.resumed && s.view", 60)
    assert player.now("s.table.hand") == hand
    text = open_dialog(player, "fair")
    player.shot("new-fair")
    assert "checked before this program was started again" in text
    assert "being made" not in text
    player.do("verify")
    player.until("s.archive?.checks[s.table.id]?.state === 'done'", 60)
    player.page.wait_for_timeout(200)
    inside = """(node) => {
      const box = node.getBoundingClientRect();
      return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
    }"""
    assert player.page.locator(".record-verdict .verdict").evaluate(inside)
    player.shot("new-verdict")
    progress = """async () => {
      const { progress } = await import("/web/js/fair/pack.js");
      const step = { kind: "mix", seats: [1], head: "", bytes: 1, gone: [] };
      return progress({ pack: 2, seats: [], steps: [step], checked: [], head: "" },
        { players: [0, 1, 2] }).map((row) => [row.secret, row.shuffle, row.proof].join(" "));
    }"""
    told = player.page.evaluate(progress)  # of a pack of which the first steps are not told
    assert told == ["done done later", "done done later", "done now later"]
    player.press("Escape")
    player.until("!app.ui.dialog")
    assert "before the restart are not kept" in open_dialog(player, "chat")
    player.shot("new-chat")
    player.press("Escape")
    player.until("!app.ui.dialog")


def test_silence_of_one_of_two_is_no_countdown(party: Party) -> None:
    """Neither time nor vote can end it, so neither is told; who is linked again is back."""
    peer = party.peer("anna", "--game", "azi", "--bots", "1", "--seats", "2")
    player = party.window(peer, viewport=PHONE).open()
    player.until("s.ask && s.view?.hand.length")
    put = """async ([link, log]) => {
      const { app } = await import("/web/js/app.js");
      const own = app.state.table.seat;
      const other = 1 - own;
      const now = Date.now();
      app.state.ask = null;
      app.state.view = { ...app.state.view, owing: [other] };
      app.state.waiting = { kind: "move", seats: [other], since: now, overdue: null, voters: [0, 1],
        calls: [[other, now + 59000]], votes: [{ seat: other, gone: 1, here: 0, needed: 2 }] };
      const players = app.state.table.players.map((one, i) =>
        ({ ...one, link: i === other ? link : "linked" }));
      app.state.table = { ...app.state.table, players };
      app.state.log = [...app.state.log, ...log.map((one, i) => ({ n: 9000 + i, at: 1, ...one,
        seats: one.seats.map((n) => n ? other : own) }))];
      app.redraw();
    }"""
    player.page.evaluate(put, ["lost", []])
    player.page.wait_for_timeout(100)
    text = text_of(player)
    player.shot("new-two")
    assert "Voting" not in text
    assert "offline, " not in text
    assert "Only 1 of 2 players is here" in text
    lines = [
        {"kind": "came_back", "seats": [0]},
        {"kind": "came_back", "seats": [0, 1]},
        {"kind": "overdue", "seats": [0], "seconds": 30},
    ]
    player.page.evaluate(put, ["back", lines])
    player.page.wait_for_timeout(100)
    player.shot("new-back-tag")
    assert "back next hand" in text_of(player)
    assert "Voting" not in text_of(player)
    name = player.now("s.table.players[1 - s.table.seat].name")
    text = open_dialog(player, "log")
    assert "You are back." in text
    assert f"You are back. {name} is back." in text
    assert "You took longer than 30 s." in text
