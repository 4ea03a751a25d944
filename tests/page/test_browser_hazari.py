"""A whole match of Hazari in four windows of four peers: by click, tap, drag and keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.page.browser import PHONE, Party, Player

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES = (3, 3, 3, 4)

TRAYS = (
    "[...document.querySelectorAll('[data-tray]')]"
    ".map((tray) => tray.querySelectorAll('[data-slot]').length)"
)

ASKS = "document.querySelector('[data-do=hint-yes]')"
FRESH = "document.querySelector('[data-fresh]')"


def tray_of(player: Player, number: int) -> Any:
    """A tray, from 0."""
    return player.page.locator(f'[data-tray="{number}"]')


def say_up(player: Player) -> None:
    """Puts the trays in order by the offered repair, and says up."""
    up = "document.querySelector('[data-do=up]:not([aria-disabled])')"
    fault = "document.querySelector('.judge.wrong')"
    for _ in range(24):
        now = player.until(f"!s.ask ? 'said' : {up} ? 'right' : {fault} && 'wrong'")
        if now == "said":
            return
        if now == "right":
            # The judgement of the last card may still be on its way, and forbid it.
            player.page.locator('[data-do="up"]:visible').first.click(force=True)
            player.page.wait_for_timeout(200)
            continue
        said = player.page.locator(".judge").inner_text()
        player.do("repair")
        player.until(f"{up} || document.querySelector('.judge').innerText !== {said!r}")
    raise AssertionError("the trays were never put in order")


def by_hint(player: Player) -> None:
    """One button fills the trays, and one takes that back."""
    player.do("hint")
    wait_for_trays(player, list(SIZES))
    player.do("undo")
    wait_for_trays(player, [0, 0, 0, 0])
    player.do("hint")
    wait_for_trays(player, list(SIZES))
    say_up(player)


def wait_for_trays(player: Player, wanted: list[int]) -> None:
    """Until so many cards lie there."""
    player.until(f"JSON.stringify({TRAYS}) === '{str(wanted).replace(' ', '')}'")


def by_taps(player: Player) -> None:
    """Cards are tapped, then a tray; a reload in the middle loses nothing."""
    slots = [slot for slot, _ in player.now("s.view.hand")]
    view = player.now("s.view")
    for number, size in enumerate(SIZES):
        for slot in slots[:size]:
            player.card(slot).click(position={"x": 8, "y": 8})
        del slots[:size]
        tray_of(player, number).click(position={"x": 8, "y": 8})
        wait_for_trays(player, [*SIZES[: number + 1], *[0] * (3 - number)])
        if number == 1:
            player.page.reload()
            player.there().until("s.ask")
            assert player.now("s.view") == view
            wait_for_trays(player, [3, 3, 0, 0])
    say_up(player)


def by_drags(player: Player) -> None:
    """Cards are dragged into the trays."""
    slots = [slot for slot, _ in player.now("s.view.hand")]
    mouse = player.page.mouse
    count = [0, 0, 0, 0]
    for number, size in enumerate(SIZES):
        for slot in slots[:size]:
            card = player.card(slot).bounding_box()
            tray = tray_of(player, number).bounding_box()
            mouse.move(card["x"] + 8, card["y"] + 8)
            mouse.down()
            mouse.move(card["x"] + 20, card["y"] - 20)
            mouse.move(tray["x"] + tray["width"] / 2, tray["y"] + tray["height"] - 8)
            mouse.up()
            count[number] += 1
            wait_for_trays(player, count)
            player.page.wait_for_timeout(80)
        del slots[:size]
    say_up(player)


def by_keys(player: Player) -> None:
    """Arrows, digits and letters only."""
    player.page.locator("[data-hand] [data-slot]").first.focus()
    for number, size in enumerate(SIZES):
        for _ in range(size):
            player.press(str(number + 1))
        wait_for_trays(player, [*SIZES[: number + 1], *[0] * (3 - number)])
    player.press("z")
    wait_for_trays(player, [3, 3, 3, 3])
    player.press("z", "h")
    filled = f"JSON.stringify({TRAYS}) === '[3,3,3,4]'"
    if player.until(f"{filled} ? 'filled' : app.state.ask && {ASKS} && 'asks'") == "asks":
        player.page.locator('[data-do="hint-yes"]').focus()
        player.until(f"!{FRESH}")
        player.press("Enter")
    wait_for_trays(player, list(SIZES))
    player.page.wait_for_timeout(150)
    player.press("u")
    player.until("!s.ask")


def play_out(player: Player, how: str) -> None:
    """The four rounds, each step by click or by key, or past them at once."""
    player.until("s.view.phase === 'over' && s.view.rounds.length")
    if how == "skip":
        player.do("skip")
    elif how == "click":
        for _ in range(21):
            player.do("step")
    else:
        player.page.evaluate("() => document.activeElement?.blur()")
        player.press(*[" "] * 21)
    player.until("document.querySelector('.result')")


def test_match_in_four_windows(party: Party) -> None:
    """They open and join by the page, arrange in four ways, see the same result, and leave."""
    party.table("hazari", ["anna", "bert", "carl", "dora"], 1, {"arrange_seconds": "0"})
    anna, bert, carl, dora = party.players
    codes = {tuple(player.until("s.table.code")) for player in party.players}
    assert len(codes) == 1
    for player in party.players:
        player.until("s.ask?.kind === 'up' && s.view.hand.length === 13")
        assert player.page.title().startswith("●")
        hand = {card for _, card in player.now("s.view.hand")}
        assert player.named() == player.sent() == hand  # no other card, not even unseen
    second = party.tab(anna.peer, anna.page.context)
    second.page.goto(anna.peer.origin)
    second.there().until("s.ask")
    assert second.now("s.view") == anna.now("s.view")
    anna.page.bring_to_front()
    dora.page.set_viewport_size(PHONE)
    by_hint(anna)
    second.until("!s.ask")
    by_taps(bert)
    by_drags(carl)
    by_keys(dora)
    ways = {anna: "click", bert: "skip", carl: "click", dora: "keys"}
    for player, how in ways.items():
        player.shot(f"hazari-rounds-{player.peer.name}")
        if player is bert:
            bert.until("document.querySelector('[data-do=skip]')")
            bert.accessible("rounds")
        play_out(player, how)
        player.until("s.table.ended")
        player.shot(f"hazari-result-{player.peer.name}")
    for player in (anna, dora):
        player.accessible("result")
        assert player.overflow() <= 0
    scores = [player.now("s.view.scores") for player in (*ways, second)]
    assert len({tuple(score) for score in scores}) == 1
    assert sum(scores[0]) == 360
    assert all(player.now("s.fair.checked") for player in ways)
    with anna.page.expect_download() as download:
        anna.do("save")
    record = download.value.path()
    assert record.stat().st_size > 10_000
    from protocol.verifier import verify

    assert verify(record.read_bytes()).verdict == "complete"
    for player in ways:
        player.do("lobby")
        player.until("!s.table")
    second.until("!s.table")
