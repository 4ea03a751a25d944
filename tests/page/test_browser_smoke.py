"""Every screen of the page once: no error, light, reachable for all, in every language."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.page.browser import DESK, PHONE, Party, Peer, Player

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MOST_BYTES = 400_000
LANGUAGES = ("en", "ar", "bg", "sl")


def assert_accessible(player: Player, what: str) -> None:
    """axe-core finds nothing that is serious."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(player.page)
    serious = [
        (one["id"], one["impact"], [node["html"][:160] for node in one["nodes"][:4]])
        for one in found.response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == [], what


def for_axe(party: Party, peer: Peer) -> Player:
    """A second browser at a peer, in which scripts may be put: only for axe-core."""
    return party.window(peer, bypass_csp=True).open()


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
            player.do(dialog)
            player.until("document.querySelector('dialog[open]')")
            player.shot(f"{dialog}-{language}")
            assert player.overflow() <= 0
            assert_words(player)
            player.press("Escape")
            player.until("!app.ui.dialog")
        player.page.context.close()


def test_lobby_and_dialogs(party: Party) -> None:
    """Everything that can be opened before a game, by somebody who hears it or uses keys."""
    player = party.player("anna")
    axe = for_axe(party, player.peer)
    axe.shot("lobby")
    assert_accessible(axe, "lobby")
    for dialog in ("help", "settings", "history"):
        axe.do(dialog)
        axe.until(f"app.ui.dialog?.name === '{dialog}' && document.querySelector('dialog[open]')")
        axe.shot(f"dialog-{dialog}")
        assert_accessible(axe, dialog)
        assert axe.overflow() <= 0
        axe.press("Escape")
        axe.until("!app.ui.dialog && !document.querySelector('dialog')")
    player.do("open")
    for one in (player, axe):
        one.until("s.lobby")
    axe.shot("waiting")
    assert_accessible(axe, "waiting room")
    player.do("leave")
    axe.until("!s.lobby")


@pytest.mark.parametrize("game", ["hazari", "azi"])
def test_table_with_bots(party: Party, game: str) -> None:
    """One click from the lobby; then the table in all sizes and languages, and its dialogs."""
    player = party.player("anna")
    player.do(f"bots-{game}")
    player.until("s.table && s.ask && s.view?.hand.length")
    axe = for_axe(party, player.peer)
    axe.until("s.ask && s.view?.hand.length")
    for size, name in ((DESK, "desk"), (PHONE, "phone")):
        axe.page.set_viewport_size(size)
        axe.page.wait_for_timeout(300)
        axe.shot(f"{game}-{name}")
        assert axe.overflow() <= 0, name
        assert axe.overlong() <= 0, name
        assert_accessible(axe, f"{game} {name}")
    for dialog in ("fair", "menu"):
        axe.do(dialog)
        axe.until(f"app.ui.dialog?.name === '{dialog}' && document.querySelector('dialog[open]')")
        axe.shot(f"{game}-{dialog}")
        assert_accessible(axe, f"{game} {dialog}")
        axe.press("Escape")
        axe.until("!app.ui.dialog")
    for language in LANGUAGES:
        axe.page.evaluate(
            "(lang) => localStorage.setItem('facedown', JSON.stringify({ lang }))", language
        )
        axe.page.reload()
        axe.there().until("s.view?.hand.length")
        axe.page.wait_for_timeout(100)
        axe.shot(f"{game}-{language}")
        assert axe.overflow() <= 0, language
        assert axe.overlong() <= 0, language
        assert_words(axe)
