"""How much memory one headless peer takes through a match, at its peak (Linux: VmHWM).

Four bot processes play on loopback; each is asked when the match is over, before it ends. The
limit is 90 MB a process.
"""

from __future__ import annotations

import argparse
import re
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import trio

from ui import exits
from ui.children import Child, Line, started, where_we_are
from ui.witness import Witness

LIMIT = 90
"""Megabytes (of 10^6 bytes)."""

SECONDS = 300
LOOPBACK = "127.0.0.1"
NAMES = ("Anna", "Ben", "Cleo", "Dan")


def peak(process: int) -> float:
    """The most memory that a process has had so far, in megabytes; raises OSError."""
    status = Path(f"/proc/{process}/status").read_text()
    match = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    if match is None:
        raise OSError("this system does not tell the peak of a process's memory")
    return int(match[1]) * 1024 / 1e6


async def match(folder: Path, hands: int) -> list[tuple[str, float, int]]:
    """Name, peak and hands played of each process; raises TooSlowError."""
    witnesses = [Witness(name) for name in NAMES]
    changed = trio.Event()

    def heard(number: int, line: Line) -> None:
        witnesses[number].hear(line, 0.0)
        changed.set()

    def ended(number: int, code: int) -> None:
        if code != exits.DONE:
            raise RuntimeError(f"{NAMES[number]} ended with code {code}")

    environment = {"FACEDOWN_INTERFACE": LOOPBACK, **where_we_are()}
    with trio.fail_after(SECONDS):
        async with started(commands(folder, hands), environment, heard, ended) as children:
            while not all(one.saved for one in witnesses):
                await changed.wait()
                changed = trio.Event()
            return await peaks(children, witnesses)


async def peaks(
    children: Sequence[Child], witnesses: Sequence[Witness]
) -> list[tuple[str, float, int]]:
    """Asks for the peaks, then lets all go."""
    found = [
        (witness.name, peak(child.process.pid), witness.hands)
        for witness, child in zip(witnesses, children, strict=True)
    ]
    for child in children:
        await child.let_go()
    for child in children:
        await child.process.wait()
    return found


def commands(folder: Path, hands: int) -> list[list[str]]:
    """The command line of each process."""
    table = f"memory {secrets.token_hex(3)}"
    rows = []
    for number, name in enumerate(NAMES):
        row = ["bot", "--name", name, "--table", table, "--linger", "--give-up", "60"]
        row += ["--data", str(folder / name), "--save", str(folder / f"{name}.facedown")]
        if number == 0:
            row += ["--open", "--option", f"hands={hands}"]
        rows.append(row)
    return rows


def main() -> int:
    """Prints all peaks; 1 if one is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=10, help="hands of the match (default: 10)")
    hands = parser.parse_args().hands
    with tempfile.TemporaryDirectory(prefix="facedown-") as folder:
        found = trio.run(match, Path(folder), hands)
    for name, megabytes, played in found:
        print(f"{name:<6} {megabytes:5.1f} MB at the peak of {played} hands")
    highest = max(megabytes for _, megabytes, _ in found)
    print(f"limit {LIMIT} MB: {'kept' if highest <= LIMIT else 'exceeded'}")
    return highest > LIMIT


if __name__ == "__main__":
    sys.exit(main())
