"""A game that has no page of its own is played at the plain table, by what is legal alone."""

from __future__ import annotations

import time

import pytest

from tests.page.browser import Party, Player

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NO_PAGE_OF_ITS_OWN = 'import { plain } from "../plain.js"; export const azi = () => plain();'


def act(player: Player) -> None:
    """Presses the first button that does what is owed."""
    before = player.now("s.ask.n")
    for name in ("play", "level", "bid"):
        if player.has(name):
            player.do(name)
            break
    else:
        player.page.locator(".actions button:visible").first.click()
    player.until(f"s.ask?.n !== {before} || s.paused")


def test_game_without_a_page_is_played_to_its_end(party: Party) -> None:
    """Bids, cards and the end of a match of Azi, by a page that knows nothing of Azi."""
    options = ("--game", "azi", "--bots", "1", "--option", "hands=1")
    player = party.window(party.peer("anna", *options))
    player.page.route(
        "**/azi/table.js",
        lambda route: route.fulfill(body=NO_PAGE_OF_ITS_OWN, content_type="text/javascript"),
    )
    player.open()
    deadline = time.monotonic() + 30
    while not player.now("Boolean(s.table?.ended)") and time.monotonic() < deadline:
        if player.now("Boolean(s.ask)"):
            act(player)
        elif player.now("Boolean(s.paused)"):
            player.do("next")
            player.until("!s.paused")
        time.sleep(0.05)
    player.until("s.table.ended")
    player.accessible("plain table")
    assert player.page.locator(".ending:visible").count()
