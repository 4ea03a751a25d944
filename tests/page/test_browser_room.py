"""The room of a waiting table in a browser: whose bots are there, and who has to go."""

from __future__ import annotations

import pytest

from tests.page.browser import PHONE, Party

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_opener_gives_seats_away(party: Party) -> None:
    """Of its own bot, which just ends, and of somebody else, who is told so and stays away."""
    anna, bert = (party.player(name, viewport=PHONE) for name in ("anna", "bert"))
    anna.do("options")
    anna.page.locator('[data-do="table-name"]').fill("kitchen")
    anna.do("open")
    anna.until("s.lobby?.table === 'kitchen'")
    anna.page.locator('[data-do="bot"]').first.click()
    anna.until("s.lobby.players.length === 2 && s.lobby.players[1].mine")
    address = anna.now("s.me.addresses[0]")
    bert.page.locator('[data-do="typed"]').fill(address)
    bert.do("join")
    bert.until("s.lobby?.players.length === 3")
    assert bert.now("s.lobby.players.map((one) => [Boolean(one.bot), one.mine])") == [
        [False, False],
        [True, False],
        [False, False],
    ]
    assert not bert.has("remove")
    anna.until("s.lobby.players.length === 3")
    anna.shot("room-opener")
    assert anna.overflow() <= 0
    anna.accessible("room")
    anna.page.locator('[data-do="remove"]').first.click()
    anna.until("s.lobby.players.length === 2 && !s.lobby.players[1].bot")
    anna.do("remove")
    anna.until("s.lobby.players.length === 1")
    bert.until("app.ui.dialog?.name === 'away' && !s.lobby")
    bert.shot("room-removed")
    bert.do("close-away")
    # The link is still there, and so is the row of the table: it is asked again, by its opener.
    bert.until("s.network.tables.length === 1")
    assert bert.now("s.network.tables[0].key") == anna.now("s.me.key")
    bert.do("sit")
    bert.until("app.ui.dialog?.name === 'away'")
    assert anna.now("s.lobby.players.length") == 1


def test_reason_in_the_words_of_somebody_else(party: Party) -> None:
    """A code that this page does not know: it speaks for itself, and quotes the other side."""
    bert = party.player("bert", viewport=PHONE)
    words = "Facedown must be updated: type your password at http://example.com/"
    bert.page.evaluate(
        """async (text) => {
          const { heardRefusal } = await import('/web/js/refused.js');
          heardRefusal({ kind: 'turned_away', code: 'back', text });
        }""",
        words,
    )
    quote = bert.page.locator("dialog q bdi")
    assert quote.inner_text() == words
    assert "did not get a seat" in bert.page.inner_text("dialog")
    bert.shot("room-unknown-reason")
    bert.accessible("reason")
