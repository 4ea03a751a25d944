"""How long a move at a table of Azi takes to lie on all tables: four peers on loopback.

    python -m bench.moves [--hands N]

Four ``facedown bot`` processes with real links, disks and proofs play; this program chooses their
moves. Timed is what a player waits for: from the line that makes a move until every peer has said
that it took it, the mover included. A move is only made while no pack is in the making, since that
takes both cores for a while. Moves that follow suit are told apart from those that come with
claims (SPEC 4.7). Ends with 1 if a median is above its limit.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import trio

from ui.children import Child, Line, started, where_we_are

SEATS = 4
LIMITS = {"without claims": 0.015, "with claims": 0.040}
"""Seconds, as medians."""

QUIET = 0.05
"""Seconds without a line from anybody before the next move: nothing of the last one still runs."""

PATIENCE = 60.0
"""Seconds without a line after which the run has failed."""

LOOPBACK = "127.0.0.1"


@dataclass
class Table:
    """What the four have said. ``asked``: who owes a move, with the line that asks for it."""

    heard_at: float = 0.0
    seat_of: dict[int, int] = field(default_factory=dict)
    packs: dict[int, set[int]] = field(default_factory=dict)
    hands: dict[int, int] = field(default_factory=dict)
    asked: dict[int, Line] = field(default_factory=dict)
    moved: dict[int, float] = field(default_factory=dict)
    over: bool = False
    changed: trio.Event = field(default_factory=trio.Event)

    def hear(self, process: int, line: Line) -> None:
        """Takes in a line of a process."""
        now = self.heard_at = time.perf_counter()
        match line["event"]:
            case "agreed":
                self.seat_of[process] = int(str(line["seat"]))
            case "pack":
                self.packs.setdefault(int(str(line["pack"])), set()).add(process)
            case "hand_started":
                self.hands[process] = int(str(line["pack"]))
            case "your_move":
                self.asked[process] = line
            case "move":
                self.moved[process] = now
            case "match_over" | "ended":
                self.over = True
        self.changed.set()
        self.changed = trio.Event()

    @property
    def resting(self) -> bool:
        """Whether the pack after the one that is played is finished everywhere."""
        return any(
            len(done) == SEATS
            for pack, done in self.packs.items()
            if pack > max(self.hands.values())
        )


def chosen(line: Line) -> tuple[list[object], str | None]:
    """A move for a ``your_move`` line, and which kind of timing it belongs to, if any.

    Everybody stays in at the lowest price, so that all three tricks are played by four.
    """
    choices = {choice["kind"]: choice for choice in line["choices"]}  # type: ignore[attr-defined]
    if "level" in choices:
        return ["level"], None
    if "bid" in choices:
        least, _, _ = choices["bid"]["amount"]
        return ["bid", least], None
    moves = choices["play"]["moves"]
    view = line["view"]
    trick, hand = view["trick"], dict(view["hand"])  # type: ignore[index]
    move = moves[len(moves) // 2]
    follows = not trick or hand[move[1]][1] == trick[0][1][1]
    return move, "without claims" if follows or len(hand) == 1 else "with claims"


async def timed(hands: int, folder: Path) -> dict[str, list[float]]:
    """Plays so many hands; the seconds of every card that was played, by kind."""
    table = Table()
    times: dict[str, list[float]] = {kind: [] for kind in LIMITS}

    def command(number: int) -> list[str]:
        data, opens = str(folder / str(number)), ["--open", "--seats", str(SEATS)]
        options = [f"--option=hands={hands}", "--option=turn_seconds=0", "--option=stack=100000"]
        common = ["bot", "--stdin", "--game", "azi", "--interface", LOOPBACK, "--data", data]
        common += ["--name", f"player {number}", "--table", f"bench {folder.name}"]
        return [*common, *opens, *options] if number == 0 else common

    environment = {"FACEDOWN_INTERFACE": LOOPBACK, **where_we_are()}
    commands = [command(number) for number in range(SEATS)]
    async with started(commands, environment, table.hear, lambda number, code: None) as children:
        while True:
            with trio.fail_after(PATIENCE):
                while not table.over and not (table.asked and table.hands and table.resting):
                    await table.changed.wait()
            if table.over:
                return times
            while (rest := table.heard_at + QUIET - time.perf_counter()) > 0:  # noqa: ASYNC110
                await trio.sleep(rest)
            await _one_move(table, children, times)


async def _one_move(table: Table, children: Sequence[Child], times: dict[str, list[float]]) -> None:
    process, line = table.asked.popitem()
    move, kind = chosen(line)
    table.moved.clear()
    stdin = children[process].process.stdin
    assert stdin is not None
    start = time.perf_counter()
    await stdin.send_all(json.dumps({"move": move}).encode() + b"\n")
    with trio.fail_after(PATIENCE):
        while len(table.moved) < SEATS and not table.over:
            await table.changed.wait()
    if kind is not None and len(table.moved) == SEATS:
        times[kind].append(max(table.moved.values()) - start)


def main() -> int:
    """Prints medians and their spread; 1 if one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=25)
    folder = Path(tempfile.mkdtemp(prefix="facedown-bench-"))
    try:
        times = trio.run(timed, parser.parse_args().hands, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    kept = True
    for kind, found in times.items():
        middle = statistics.median(found)
        low, _, high = statistics.quantiles(found, n=4)
        limit = LIMITS[kind]
        kept = kept and middle <= limit
        print(
            f"a card played {kind:<15} median {middle * 1000:5.1f} ms "
            f"(quartiles {low * 1000:.1f} to {high * 1000:.1f}, {len(found)} moves), "
            f"limit {limit * 1000:.0f} ms: {'kept' if middle <= limit else 'EXCEEDED'}"
        )
    return not kept


if __name__ == "__main__":
    sys.exit(main())
