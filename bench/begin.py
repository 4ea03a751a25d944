"""How long from ``facedown play --bots 3`` to a hand that can be played in the browser.

    python -m bench.begin [--runs N] [--bots N] [--game NAME]

Each run has a fresh data folder and a browser of its own, headless chromium (extra ``browser``),
which is started by the same script right after the command. Time runs from the command until the
window shows a hand and asks for a move. Where there is ``/proc`` the processor seconds until then
are told too, by part: the player with its page, its bots, the browser with the driver of it.
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
from pathlib import Path
from typing import Any

from bench.page import FLAGS

try:
    from playwright.sync_api import sync_playwright
except ModuleNotFoundError:
    sync_playwright = None  # type: ignore[assignment]

LIMIT = 4.0
"""Seconds from the command to a hand that can be played."""

PATIENCE = 30_000
"""Milliseconds after which a run is given up."""

_PLAYABLE = """async (patience) => {
  const { app } = await import("/web/js/app.js");
  const end = performance.now() + patience;
  while (!(app.state.ask && document.querySelector("[data-slot], [data-do=bid]"))) {
    if (performance.now() > end) return false;
    await new Promise((done) => setTimeout(done, 5));
  }
  return true;
}"""


def once(chromium: str, bots: int, game: str) -> tuple[float, dict[str, float]]:
    """One run: its seconds, and processor seconds by part."""
    with tempfile.TemporaryDirectory(prefix="facedown-bench-") as folder:
        began = time.perf_counter()
        play = subprocess.Popen(
            [
                *(sys.executable, "-m", "ui", "play", "--bots", str(bots), "--game", game),
                *("--no-open", "--data", str(Path(folder) / "data")),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "FACEDOWN_INTERFACE": "127.0.0.1"},
        )
        try:
            assert play.stdout is not None
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
                window = browser.new_page(viewport={"width": 1280, "height": 800})
                show(window, play.stdout.readline().strip())
                took = time.perf_counter() - began
                parts = processor_seconds(play.pid)
                browser.close()
            return took, parts
        finally:
            play.terminate()
            play.wait()


def show(window: Any, address: str) -> None:
    """Opens the page and waits until there is a move to be made."""
    window.goto(address, wait_until="commit")
    if not window.evaluate(_PLAYABLE, PATIENCE):
        raise SystemExit(f"no hand within {PATIENCE} ms")


def processor_seconds(player: int) -> dict[str, float]:
    """The processor seconds so far of the player, its bots and all else that we have started."""
    if not Path("/proc/self/stat").exists():
        return {}
    tick = os.sysconf("SC_CLK_TCK")
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        pid = int(stat.parent.name)
        parents[pid] = int(fields[1])
        used[pid] = sum(map(int, fields[11:15])) / tick
    parts = {"player": used.get(player, 0.0), "bots": 0.0, "browser": 0.0}
    for pid, seconds in used.items():
        above = [pid]
        while parents.get(above[-1], 0) > 1:
            above.append(parents[above[-1]])
        if player in above[1:]:
            parts["bots"] += seconds
        elif os.getpid() in above[1:] and pid != player:
            parts["browser"] += seconds
    return parts


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints all runs; 1 if one took longer than the limit, 2 without a browser."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--bots", type=int, default=3)
    parser.add_argument("--game", default="hazari", choices=["azi", "hazari"])
    asked = parser.parse_args(arguments)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or sync_playwright is None:
        print("bench.begin needs chromium and the extra: pip install '.[browser]'")
        return 2
    times = []
    for _ in range(asked.runs):
        took, parts = once(chromium, asked.bots, asked.game)
        times.append(took)
        told = ", ".join(f"{part} {seconds:.2f}" for part, seconds in parts.items())
        print(f"{took:5.2f} s; processor: {sum(parts.values()):.2f} ({told})", flush=True)
    print(f"least {min(times):.2f} s, median {statistics.median(times):.2f} s, ", end="")
    print(f"most {max(times):.2f} s, limit {LIMIT:.1f} s")
    return int(max(times) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
