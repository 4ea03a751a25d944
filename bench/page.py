"""How long from a click on a card until it lies on all tables, in windows of separate peers.

    python -m bench.page [--seats N] [--hands N] [--game NAME] [--kill]

Starts as many ``facedown play`` as there are seats, on loopback only, each with a window of its own
in one headless chromium (extra ``browser``), and plays by clicks. Every window notes when a card is
in its page, by the calendar clock, which all share; the time of a play is from the click until the
last window has drawn it. A card is only clicked while no pack is in the making, since that takes
both cores for a while; people are slower than the packs too. With --kill one window is reloaded and
one peer killed and started again on the way; what is measured then says little.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

try:
    from playwright.sync_api import Error as PlaywrightError
    from playwright.sync_api import sync_playwright
except ModuleNotFoundError:
    sync_playwright = None  # type: ignore[assignment]

NAMES = ("Anna", "Ben", "Cleo", "Dan", "Eva", "Finn")

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
)

PATIENCE = 60.0
"""Seconds without anything to do after which it is given up."""

ASK_SECONDS = 0.05
"""Seconds between two questions whether a window has drawn a card: it notes by itself when it has,
and to ask takes the processor from what is measured."""

GOAL = 100.0
"""Milliseconds from the click to the card on all tables, median."""

_WATCH = """() => {
  window.drawn = {};
  window.clicked = 0;
  const now = () => performance.timeOrigin + performance.now();
  addEventListener("click", () => { window.clicked = now(); }, true);
  new MutationObserver(() => {
    for (const node of document.querySelectorAll(".azi-trick [data-fly]")) {
      window.drawn[node.dataset.fly] ??= now();
    }
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true });
}"""

_STATE = """async () => {
  const { app } = await import("/web/js/app.js");
  const { table, lobby, ask, paused, view } = app.state;
  return {
    over: Boolean(table?.ended || table?.stopped), ended: table?.ended ?? null,
    seated: Boolean(table),
    players: lobby?.players.length ?? 0, hand: table?.hand ?? 0, kind: ask?.kind ?? null,
    paused: Boolean(paused), number: view?.hand_number ?? 0, own: view?.seat ?? null,
    resting: Boolean(app.state.fair?.packs.some((pack) => !pack.hand && pack.head)),
    standing: app.state.standing, linked: app.linked, id: table?.id ?? "",
  };
}"""

_SEND = """async ([what, fields]) => {
  const { app } = await import("/web/js/app.js");
  return app.send(what, fields).then(() => "", (refused) => refused.text || refused.rule);
}"""


class Player:
    """A peer as a process, and its window."""

    def __init__(self, browser: Any, folder: Path, name: str) -> None:
        self._folder = folder
        self.name = name
        self._start()
        self.window = browser.new_context(viewport={"width": 900, "height": 700}).new_page()
        self.window.goto(self._address)
        self.window.evaluate(_WATCH)

    def _start(self) -> None:
        arguments = [
            "--no-open",
            "--no-discovery",
            "--name",
            self.name,
            "--data",
            str(self._folder),
        ]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ui", "play", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "FACEDOWN_INTERFACE": "127.0.0.1"},
        )
        assert self._process.stdout is not None
        self._address = self._process.stdout.readline().strip()
        if not self._address:
            raise SystemExit(f"facedown play did not start for {self.name}")

    def state(self) -> dict[str, Any]:
        """What its window knows."""
        found = self.window.evaluate(_STATE)
        assert isinstance(found, dict)
        return found

    def until(self, name: str, wanted: object) -> None:
        """Waits until a field of the state has this value."""
        end = time.monotonic() + PATIENCE
        while self.state()[name] != wanted:
            if time.monotonic() > end:
                raise SystemExit(f"{self.name}: {name} never was {wanted}")
            time.sleep(0.02)

    def send(self, what: str, **fields: object) -> None:
        """A command of its window."""
        refusal = self.window.evaluate(_SEND, [what, fields])
        if refusal:
            raise SystemExit(f"{self.name}: {what}: {refusal}")

    def click(self, *names: str) -> str:
        """Clicks the first of these buttons that is there; returns its name, or an empty text."""
        for name in names:
            button = self.window.locator(f'[data-do="{name}"]:visible').first
            try:
                if not button.count():
                    continue
                if button.get_attribute("aria-disabled", timeout=500) == "true":
                    continue
                button.click(timeout=500)
            except PlaywrightError:
                continue  # it has gone, or is not to be pressed now
            return name
        return ""

    def reload(self) -> None:
        """Loads the page again."""
        self.window.reload()
        self.window.evaluate(_WATCH)

    def restart(self) -> None:
        """Kills the peer and starts it again; its window finds it by itself."""
        self._process.kill()
        self._process.wait()
        self._start()

    def close(self) -> None:
        """Ends the peer."""
        self._process.terminate()
        self._process.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays and prints; 1 if the goal was missed, 2 without a browser."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--hands", type=int, default=10, help="0: the whole match")
    parser.add_argument("--game", default="azi", choices=["azi", "hazari"])
    parser.add_argument("--kill", action="store_true", help="reload one window, kill one peer")
    parser.add_argument("--save", type=Path, help="write all records into this folder")
    asked = parser.parse_args(arguments)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or sync_playwright is None:
        print("bench.page needs chromium and the extra: pip install '.[browser]'")
        return 2
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="facedown-bench-")))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        stack.callback(browser.close)
        players = []
        for name in NAMES[: asked.seats]:
            players.append(Player(browser, folder / name, name))
            stack.callback(players[-1].close)
        begin(players, asked.game, asked.hands)
        times = play(players, asked.game, asked.kill)
        if asked.save:
            save(players, asked.save)
    if not times:
        return 0
    median = statistics.median(times)
    print(f"click to the card on all tables: {len(times)} plays, median {median:.0f} ms, ", end="")
    print(f"90 of 100 within {sorted(times)[len(times) * 9 // 10]:.0f} ms, goal {GOAL:.0f} ms")
    return int(median > GOAL)


def begin(players: Sequence[Player], game: str, hands: int) -> None:
    """One opens a table, the others join by address, all are ready."""
    first, *others = players
    seats = len(players)
    first.send("open", table="bench", game=game, options={"hands": hands}, seats=seats)
    first.until("players", 1)
    address = first.window.evaluate(
        "async () => (await import('/web/js/app.js')).app.state.me.addresses[0]"
    )
    for number, player in enumerate(others, start=2):
        player.send("join", typed=address)
        first.until("players", number)
    for player in players:
        player.send("ready", ready=True)
    for player in players:
        player.until("seated", True)


def play(players: Sequence[Player], game: str, kill: bool) -> list[float]:
    """Plays by clicks to the end of the match; the milliseconds that each play of a card took."""
    times: list[float] = []
    moved = time.monotonic()
    todo = ["kill", "reload"] if kill else []
    while True:
        states = [player.state() for player in players]
        if all(state["over"] for state in states):
            for player, state in zip(players, states, strict=True):
                print(f"{player.name}: {state['ended'] and state['ended']['text']}")
            same = all(state["standing"] == states[0]["standing"] for state in states)
            print(f"hands: {states[0]['hand']}; same standing for all: {same}")
            print(states[0]["standing"])
            return times
        if todo and states[0]["hand"] >= 2 and states[0]["kind"]:
            what = todo.pop()
            print(f"hand {states[0]['hand']}: {what}")
            players[1].reload() if what == "reload" else players[2].restart()
            continue
        for player, state in zip(players, states, strict=True):
            if act(player, state, players, game, times):
                moved = time.monotonic()
        if time.monotonic() - moved > PATIENCE:
            raise SystemExit(f"nothing goes on: {states}")


def act(
    player: Player,
    state: dict[str, Any],
    players: Sequence[Player],
    game: str,
    times: list[float],
) -> bool:
    """Does what is due at one seat; whether it did anything."""
    if state["paused"]:
        return bool(player.click("next", "skip"))
    if game == "hazari" and state["kind"] == "up":
        return bool(player.click("up", "hint"))
    if state["kind"] == "play":
        if not all(one.state()["resting"] for one in players):
            return False
        card = player.window.locator('[data-do="play"]:visible').first
        code = card.get_attribute("data-card") or card.locator("[data-card]").first.get_attribute(
            "data-card"
        )
        card.click()
        name = f"card-{state['number']}-{code}"
        times.append(lies(players, name) - float(player.window.evaluate("window.clicked")))
        return True
    if state["kind"]:
        return bool(player.click("bid", "level", "raise", "discard", "buy", "look", "fold"))
    return False


def lies(players: Sequence[Player], name: str) -> float:
    """When the last window has drawn the card, in milliseconds of the calendar clock."""
    end = time.monotonic() + PATIENCE
    found: list[float] = []
    for player in players:
        while (seen := player.window.evaluate("(name) => window.drawn[name]", name)) is None:
            if time.monotonic() > end:
                raise SystemExit(f"{player.name} never saw {name}")
            time.sleep(ASK_SECONDS)
        found.append(float(seen))
    return max(found)


def save(players: Sequence[Player], folder: Path) -> None:
    """Writes the record of every seat."""
    folder.mkdir(parents=True, exist_ok=True)
    for player in players:
        where = f"/record/{player.state()['id']}.facedown"
        text = player.window.evaluate(
            "async (where) => Array.from(new Uint8Array(await (await fetch(where)).arrayBuffer()))",
            where,
        )
        (folder / f"{player.name}.facedown").write_bytes(bytes(text))


if __name__ == "__main__":
    raise SystemExit(main())
