"""Every screen of the page once: no error, light, reachable for all, in every language."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.page.browser import DESK, LANGUAGES, PHONE, Party, Player

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MOST_BYTES = 400_000
THEMES = ("auto", "night", "paper", "auto")


def assert_words(player: Player) -> None:
    """No name of a message is to be seen in place of it."""
    text = player.page.evaluate("() => document.body.innerText")
    assert re.findall(r"\b[a-z]+(?:\.[a-z]+)+\b", text) == []


def test_first_view_in_every_language(party: Party) -> None:
    """It is light, asks nobody else, and fits a small phone; the one-time address is gone."""
    peer = party.peer("anna")
    for language in LANGUAGES:
        player = party.window(peer, f'{{"lang":"{language}"}}', viewport=PHONE)
        sizes: dict[str, int] = {}

        def count(response: Any, sizes: dict[str, int] = sizes) -> None:
            if response.status == 200:
                sizes[response.url] = len(response.body())

        player.page.on("response", count)
        player.open()
        player.page.wait_for_load_state("networkidle")
        assert player.page.url == f"{peer.origin}/"
        player.shot(f"lobby-{language}")
        assert player.overflow() <= 0
        root = player.page.locator("html")
        assert root.get_attribute("lang") == language
        assert root.get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
        assert player.page.title() == "Facedown"
        assert_words(player)
        assert 20_000 < sum(sizes.values()) < MOST_BYTES, (language, sum(sizes.values()))
        for dialog in ("help", "settings"):
            open_dialog(player, dialog)
            player.shot(f"{dialog}-{language}")
            assert player.overflow() <= 0
            assert_words(player)
            close_dialog(player)
        player.page.context.close()


def test_lobby_and_dialogs(party: Party) -> None:
    """Everything that can be opened before a game, for somebody who hears it or uses keys."""
    player = party.player("anna")
    player.accessible("lobby")
    for dialog in ("help", "settings", "history"):
        open_dialog(player, dialog)
        player.shot(f"dialog-{dialog}")
        player.accessible(dialog)
        assert player.overflow() <= 0
        close_dialog(player)
    for theme in ("night", "paper"):
        player.wear("en", theme)
        player.accessible(f"lobby {theme}")
        open_dialog(player, "settings")
        player.accessible(f"settings {theme}")
        close_dialog(player)
    player.do("open")
    player.until("s.lobby")
    player.shot("waiting")
    player.accessible("waiting room")
    player.do("leave")
    player.until("!s.lobby")


def test_two_peers_in_one_browser(party: Party) -> None:
    """They do not disturb each other, and a one-time address that was used leads nowhere."""
    anna, bert = party.peer("anna"), party.peer("bert")
    one = party.window(anna).open()
    other = party.tab(bert, one.page.context).open()
    for player in (one, other):
        player.page.bring_to_front()
        player.page.reload()
        assert player.there().now("s.me.name") == player.peer.name
    cookies = one.page.context.cookies()
    assert len({cookie["name"] for cookie in cookies}) == 2
    assert all(cookie["httpOnly"] and cookie["sameSite"] == "Strict" for cookie in cookies)
    assert one.page.evaluate("() => document.cookie") == ""
    stranger = party.window(anna)
    assert stranger.page.goto(anna.address).status == 403
    assert "fresh one" in stranger.page.inner_text("body")
    stranger.problems.clear()


def open_dialog(player: Player, name: str) -> None:
    """By its button."""
    player.do(name)
    player.until(f"app.ui.dialog?.name === '{name}' && document.querySelector('dialog[open]')")


def close_dialog(player: Player) -> None:
    """By the key that closes everything."""
    player.press("Escape")
    player.until("!app.ui.dialog && !document.querySelector('dialog')")


@pytest.mark.parametrize("game", ["hazari", "azi"])
def test_table_with_bots(party: Party, game: str) -> None:
    """One click from the lobby; then the table in all sizes, themes and languages."""
    player = party.player("anna")
    player.do(f"bots-{game}")
    player.until("s.table && s.ask && s.view?.hand.length")
    for size, name in ((DESK, "desk"), (PHONE, "phone")):
        player.page.set_viewport_size(size)
        player.page.wait_for_timeout(250)
        player.shot(f"{game}-{name}")
        assert player.overflow() <= 0, name
        assert player.overlong() <= 0, name
        if size == PHONE:  # there is less room for the same
            player.accessible(f"{game} {name}")
    for dialog in ("fair", "menu") if game == "azi" else ():  # they are the same in both
        open_dialog(player, dialog)
        player.shot(f"{game}-{dialog}")
        player.accessible(f"{game} {dialog}")
        close_dialog(player)
    for language, theme in zip(LANGUAGES, THEMES, strict=True):
        player.wear(language, theme)
        player.until("s.view?.hand.length")
        player.page.wait_for_timeout(100)
        player.shot(f"{game}-{language}-{theme}")
        assert player.overflow() <= 0, language
        assert player.overlong() <= 0, language
        assert_words(player)
        if theme != "auto":
            player.accessible(f"{game} {language} {theme}")
