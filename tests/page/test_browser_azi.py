"""Azi in windows of three peers: by clicks and by keys, and one peer is killed in the middle."""

from __future__ import annotations

import time

import pytest

from tests.page.browser import PHONE, Party, Player

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def bid(player: Player, kinds: list[str]) -> None:
    """Levels where that can be done, else opens with the least amount, which takes two steps."""
    if "level" in kinds:
        player.do("level")
    elif "bid" in kinds:
        if not player.has("bid"):
            player.do("raise")
        player.do("bid")
    else:
        player.do(kinds[0])


def card(player: Player, kind: str, by_keys: bool) -> None:
    """Plays or discards the last card that may be; a barred one says why."""
    ask, view = player.now("s.ask"), player.now("s.view")
    barred = [slot for slot, _, _ in ask["barred"]]
    if barred:
        player.page.evaluate("() => { document.getElementById('live').textContent = ''; }")
        player.card(barred[0]).press("Enter")
        player.until("document.getElementById('live').textContent")
        assert player.now("s.ask.kind") == kind
    (choice,) = [one for one in ask["choices"] if one["kind"] == kind]
    slot = choice["moves"][-1][1]
    if by_keys:
        place = [held for held, _ in view["hand"]].index(slot)
        player.press(str(place + 1))
    else:
        player.card(slot).click()


def act(player: Player, by_keys: bool) -> bool:
    """Does what is owed at this window, if anything is; whether there was something."""
    ask = player.now("s.ask && { kind: s.ask.kind, kinds: s.ask.choices.map((c) => c.kind) }")
    if ask:
        before = player.now("s.ask.until + '/' + s.view.hand.length + '/' + s.ask.kind")
        if ask["kind"] in ("play", "discard"):
            card(player, ask["kind"], by_keys)
        elif ask["kind"] == "buy":
            player.do("pass")
        else:
            bid(player, ask["kinds"])
        player.until(
            f"!s.ask || (s.ask.until + '/' + s.view.hand.length + '/' + s.ask.kind) !== '{before}'"
        )
        return True
    if player.now("Boolean(s.paused)") and player.has("next"):
        if by_keys:
            player.page.locator('[data-do="next"]:visible').press("Enter")
        else:
            player.do("next")
        player.until("!s.paused")
        return True
    return False


def play(party: Party, until: str, seconds: float = 40.0) -> None:
    """Everybody does what is owed, until a condition holds in all windows."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done = [bool(player.now(until)) for player in party.players]
        if all(done):
            return
        acted = [act(player, n % 2 == 1) for n, player in enumerate(party.players)]
        if not any(acted):
            time.sleep(0.03)
    told = [(player.peer.name, player.told()) for player in party.players]
    raise AssertionError(f"never {until}: {told}")


def test_match_in_three_windows_with_one_peer_killed(party: Party) -> None:
    """Its window says so, connects again by itself, and the game goes on to its end."""
    party.table("azi", ["anna", "bert", "carl"], 2, {"max_bid": "20", "turn_seconds": "0"})
    anna, bert, carl = party.players
    bert.page.set_viewport_size(PHONE)
    for player in party.players:
        player.until("s.view?.hand.length && s.view.turned_up")
        hand = {code for _, code in player.now("s.view.hand")}
        assert player.named() == hand | {player.now("s.view.turned_up")}
    play(party, "s.view?.phase === 'play' || s.table.hand > 1 || s.result")
    for player in (bert, carl):
        player.accessible("play")
    before = carl.now("[s.view.hand_number, s.view.hand, s.table.code]")
    with carl.without_peer():
        carl.page.evaluate("import('/web/js/app.js').then((m) => { m.app.state.old = true; })")
        carl.peer.kill()
        carl.until("!app.linked")
        assert carl.page.locator('[role="alert"]:visible').count()
        carl.shot("azi-cut")
        carl.peer.again()
        carl.until("app.linked && !s.old && s.table && s.view")
    assert carl.now("[s.view.hand_number, s.view.hand, s.table.code]") == before
    anna.page.reload()
    anna.there().until("s.table && s.view")
    play(party, "Boolean(s.table.ended)")
    for player in party.players:
        player.shot(f"azi-end-{player.peer.name}")
        player.accessible("end")
        assert player.overflow() <= 0
    ends = [
        player.now("[s.table.ended.winner, s.table.ended.standing]") for player in party.players
    ]
    assert ends[0] == ends[1] == ends[2]
    for player in party.players:
        player.do("lobby")
        player.until("!s.table")
