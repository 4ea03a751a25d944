"""The page in a real browser: chromium, peers as processes, and windows that forgive nothing.

A window fails its test for any error in its console, any request that fails or that goes anywhere
but to its own peer, and whatever the page's policy stops.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.ui.processes import Running, command

REQUIRED = "FACEDOWN_REQUIRE_BROWSER"
SHOTS = "FACEDOWN_SHOTS"

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
]

PHONE = {"width": 360, "height": 640}
DESK = {"width": 1280, "height": 800}

LANGUAGES = ("en", "ar", "bg", "sl")

SEEN = ("en", "ar")
"""Languages in which a page is checked for who sees or hears it with difficulty: one of each
direction. What is written there is all that differs in the others."""

PATIENCE = 30.0
"""Seconds that anything may take; far more than it does."""

_UNTIL = """async ([milliseconds]) => {
  const { app } = await import("/web/js/app.js");
  const end = performance.now() + milliseconds;
  for (;;) {
    const s = app.state;
    const found = (() => { try { return CONDITION; } catch { return false; } })();
    if (found) return found;
    if (performance.now() > end) return null;
    await new Promise((done) => setTimeout(done, 15));
  }
}"""

_NOW = """async () => {
  const { app } = await import("/web/js/app.js");
  const s = app.state;
  return EXPRESSION;
}"""

_GONE = re.compile("WebSocket connection to|ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET")
"""What a console says while the peer is not there."""


def lack() -> str:
    """What is missing for these tests, or empty."""
    for module in ("playwright", "axe_playwright_python"):
        if importlib.util.find_spec(module) is None:
            return f"the package {module} is missing (pip install '.[browser]')"
    return "" if browser_path() else "there is no chromium here"


def browser_path() -> str | None:
    """The browser to be driven."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, headless."""
    missing = lack()
    if missing and os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{REQUIRED}=1, but {missing}")
    if missing:
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        yield found
        found.close()


_NAMED = """() => document.body.textContent + [...document.querySelectorAll("*")].flatMap(
  (node) => [...node.attributes].filter(({ name }) => name !== "d").map((one) => `\\n${one.value}`)
)"""
"""All texts and attributes of the page, but for the lines that pictures are drawn with."""

_CARD = re.compile(r"(?<![\w-])[2-9TJQKA][SHDC](?![\w-])")


class Peer:
    """A ``facedown play`` of its own; started again it goes on where it was."""

    def __init__(self, folder: Path, name: str, *more: str) -> None:
        self._command = command(
            *("play", "--no-open", "--no-discovery", "--name", name, "--data", str(folder))
        )
        self.name = name
        self.running = Running([*self._command, *more])
        self._used: set[str] = set()

    @cached_property
    def address(self) -> str:
        """The page's first address, when it has been told."""
        return self.running.until(lambda line: line.startswith("http://"), PATIENCE).strip()

    @property
    def origin(self) -> str:
        """Where its page is."""
        return self.address.partition("/?")[0]

    def kill(self) -> None:
        """As if the computer was switched off."""
        self.running.kill()

    def again(self) -> None:
        """Starts it again with the same folder."""
        self.running.end()
        self.running = Running(self._command)
        del self.address

    def way_in(self) -> str:
        """An address that was not used yet: the first one, then those that are told later."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            told = [self.address, *re.findall(r"http://\S+", "".join(self.running.words))]
            fresh = [address for address in told if address not in self._used]
            if fresh:
                self._used.add(fresh[0])
                return fresh[0]
            time.sleep(0.02)
        raise AssertionError("no fresh address was told")

    def end(self) -> None:
        """Ends it."""
        if self.running.process.poll() is None:
            self.running.process.terminate()
            self.running.process.wait(PATIENCE)
        self.running.end()


class Player:
    """A person at a window. ``problems``: what has gone wrong in it, in words; ``frames``: what
    its peer has sent to it."""

    def __init__(self, page: Any, peer: Peer) -> None:
        self.page = page
        self.peer = peer
        self.problems: list[str] = []
        self.frames: list[str] = []
        self.peer_is_gone = False
        page.set_default_timeout(PATIENCE * 1000)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("response", self._response)
        page.on("websocket", lambda socket: socket.on("framereceived", self._frame))

    # What goes wrong.

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning", "assert"):
            if self.peer_is_gone and _GONE.search(message.text):
                return
            self.problems.append(f"{message.type}: {message.text} {message.location.get('url')}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((f"{self.peer.origin}/", "blob:null")):
            self.problems.append(f"a request to {request.url}")

    def _failed(self, request: Any) -> None:
        if not self.peer_is_gone:
            self.problems.append(f"failed: {request.url} {request.failure}")

    def _response(self, response: Any) -> None:
        if response.status >= 400:
            self.problems.append(f"{response.status}: {response.url}")

    def _frame(self, data: Any) -> None:
        self.frames.append(data if isinstance(data, str) else data.decode())

    def named(self) -> set[str]:
        """Every card that is named in the page's texts and attributes."""
        return set(_CARD.findall(self.page.evaluate(_NAMED)))

    def sent(self) -> set[str]:
        """Every card that was named in what the peer has sent so far."""
        return {card for frame in self.frames for card in _CARD.findall(frame)}

    # What a person does.

    def open(self) -> Player:
        """Opens the page by a one-time address and waits until it knows its peer."""
        self.page.goto(self.peer.way_in())
        return self.there()

    def there(self) -> Player:
        """Waits until the page knows its peer."""
        self.until("s.me && app.linked")
        return self

    def until(self, condition: str, seconds: float = PATIENCE) -> Any:
        """Waits until a condition on ``s``, the state, or ``app`` holds; returns its value."""
        script = _UNTIL.replace("CONDITION", condition)
        found = self.page.evaluate(script, [seconds * 1000])
        if found is None:
            raise AssertionError(f"{self.peer.name}: never {condition}; {self.told()}")
        return found

    def now(self, expression: str) -> Any:
        """The value of an expression in ``s`` and ``app``."""
        return self.page.evaluate(_NOW.replace("EXPRESSION", expression))

    def told(self) -> str:
        """What a failing test says of this window."""
        text = self.page.evaluate("() => document.body.innerText.slice(0, 600)")
        return f"problems {self.problems}; the page: {text!r}"

    def do(self, name: str) -> None:
        """Clicks the button of this name, once it takes clicks: js/fresh.js."""
        self.page.locator(f'[data-do="{name}"]:visible:not([data-fresh])').first.click()

    def card(self, slot: int) -> Any:
        """The own card in this slot."""
        return self.page.locator(f'[data-slot="{slot}"]:visible').first

    def has(self, name: str) -> bool:
        """Whether there is such a button to be seen."""
        return bool(self.page.locator(f'[data-do="{name}"]:visible').count())

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def accessible(self, what: str) -> None:
        """axe-core finds nothing here that is serious."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        serious = [
            (one["id"], [node["html"][:160] for node in one["nodes"][:4]])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], what

    def wear(self, lang: str, theme: str) -> None:
        """Another language and theme, by what the browser keeps."""
        kept = f'JSON.stringify({{ lang: "{lang}", theme: "{theme}" }})'
        self.page.evaluate(f"() => localStorage.setItem('facedown', {kept})")
        self.page.reload()
        self.there()

    def shot(self, name: str) -> None:
        """A picture for people who look at such, if they have asked for it."""
        folder = os.environ.get(SHOTS)
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"))

    def overflow(self) -> int:
        """Pixels by which the page is wider than its window."""
        return int(
            self.page.evaluate(
                "() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
            )
        )

    def overlong(self) -> int:
        """Pixels by which the page is longer than its window."""
        return int(
            self.page.evaluate("() => document.scrollingElement.scrollHeight - window.innerHeight")
        )

    @contextmanager
    def without_peer(self) -> Iterator[None]:
        """While the block runs the peer may be gone, and the console may say so."""
        self.peer_is_gone = True
        yield
        self.peer_is_gone = False


class Party:
    """Peers and windows of one test, all ended with it."""

    def __init__(self, chromium: Any, folder: Path) -> None:
        self._chromium = chromium
        self._folder = folder
        self._stack = ExitStack()
        self.players: list[Player] = []

    def peer(self, name: str, *more: str) -> Peer:
        """Starts a peer."""
        peer = Peer(self._folder / name, name, *more)
        self._stack.callback(peer.end)
        return peer

    def window(self, peer: Peer, prefs: str = "", **options: Any) -> Player:
        """A browser of its own, without the page yet; ``prefs``: what it remembers, as JSON.

        It wants less motion, unless it is asked for: drawing that without a GPU takes its time.
        """
        options.setdefault("viewport", DESK)
        options.setdefault("locale", "en-GB")
        options.setdefault("reduced_motion", "reduce")
        context = self._chromium.new_context(**options)
        self._stack.callback(context.close)
        if prefs:
            context.add_init_script(
                f"if (!localStorage.facedown) localStorage.facedown = {prefs!r};"
            )
        return self.tab(peer, context)

    def tab(self, peer: Peer, context: Any) -> Player:
        """One more window of a browser."""
        player = Player(context.new_page(), peer)
        self.players.append(player)
        return player

    def player(self, name: str, *more: str, **options: Any) -> Player:
        """A peer with a window that shows its page."""
        return self.window(self.peer(name, *more), **options).open()

    def table(self, game: str, names: list[str], hands: int, options: dict[str, str]) -> None:
        """Opens a table by the page's form; the others join by the address that they are told.

        The last one of them wants all motion.
        """
        peers = [self.peer(name) for name in names]
        motions = [*["reduce"] * (len(names) - 1), "no-preference"]
        pairs = zip(peers, motions, strict=True)
        opener, *others = [self.window(peer, reduced_motion=how).open() for peer, how in pairs]
        page = opener.page
        page.locator(f'[data-do="game-{game}"]').check(force=True)
        if game != "hazari":
            page.locator(f'[data-do="seats-{len(names)}"]').check(force=True)
        opener.do("options")
        for name, value in {"hands": str(hands), **options}.items():
            field = page.locator(f'[data-do="option-{name}"]')
            if field.evaluate("(node) => node.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        page.locator('[data-do="table-name"]').fill("kitchen")
        opener.do("open")
        opener.until("s.lobby?.table === 'kitchen'")
        address = opener.now("s.me.addresses[0]")
        for number, other in enumerate(others):
            other.page.locator('[data-do="typed"]').fill(address)
            if number % 2:
                other.press("Enter")
            else:
                other.do("join")
        for player in (*others, opener):
            player.until(f"s.lobby?.players.length === {len(names)}")
            player.do("ready")
        for player in self.players:
            player.until("s.table")

    def check(self) -> None:
        """Nothing has gone wrong in any window."""
        assert [(one.peer.name, one.problems) for one in self.players if one.problems] == []

    def close(self) -> None:
        """Ends all."""
        self._stack.close()


@pytest.fixture
def party(chromium: Any, tmp_path: Path) -> Iterator[Party]:
    """Peers and windows; at the end of the test nothing may have gone wrong in any of them."""
    found = Party(chromium, tmp_path)
    try:
        yield found
        found.check()
    finally:
        found.close()
