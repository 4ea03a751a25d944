"""``facedown demo``: separate bot processes on this machine find each other, play, and are checked.

All that it says of the game comes from the JSON lines of the bots and from the record they leave.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import trio

from ui import exits, verify
from ui.catalogue import find_game, read_options, read_seats
from ui.children import Child, Line, started, where_we_are
from ui.exits import Exit
from ui.progress import Commentary
from ui.settings import USUAL_GAME, read_save
from ui.signals import obeyed
from ui.trouble import say as complain
from ui.witness import Witness
from ui.wording import count

NAMES = ("Anna", "Ben", "Cleo", "Dan", "Eva", "Finn")

LOOPBACK = "127.0.0.1"

PATIENCE = 60
"""Seconds without any progress at the table after which a bot gives up."""

FINDING = 10.0
"""Seconds after the match until everybody must have found everybody by mDNS."""


HANDS: Final[Mapping[str, int]] = MappingProxyType({"azi": 10})
"""Hands of a demo if nothing is said, of games whose whole match may last too long for one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played, and where the record goes."""

    game: str
    options: tuple[str, ...]
    seats: int
    save: Path


def run(
    game: str | None,
    seats: int | None,
    hands: int | None,
    options: Sequence[str],
    save: Path | None,
) -> int:
    """The command; returns the exit code."""
    game = USUAL_GAME if game is None else game
    found = find_game(game)
    if hands is None and not any(option.startswith("hands=") for option in options):
        hands = HANDS.get(game)
    if hands is not None:
        options = (*options, f"hands={hands}")
    read_options(found, options)
    default = Path(time.strftime("demo-%Y%m%d-%H%M%S.facedown"))
    plan = Plan(game, tuple(options), read_seats(found, seats), read_save(save or default))
    folder = Path(tempfile.mkdtemp(prefix="facedown-demo-"))
    demo = Demo(plan, folder)
    try:
        trio.run(demo.play)
    finally:
        if not demo.crashed:
            shutil.rmtree(folder, ignore_errors=True)
    data = demo.record
    plan.save.write_bytes(data)
    tell("verifying the record, as `facedown verify` does:")
    report = verify.tell(data, lambda text: tell(f"    {text}"), brief=True)
    passed = True
    for holds, text in demo.checks(report.verdict == "complete"):
        tell(f"{'ok   ' if holds else 'FAILED'} {text}")
        passed = passed and holds
    tell(f"the record is in {plan.save}; every step of it: facedown verify {plan.save}")
    if not passed:
        raise Exit(exits.UNSOUND, "a check of the demo failed.")
    return exits.DONE


def tell(text: str) -> None:
    """A line of progress."""
    print(text, flush=True)


class Demo:
    """One match between processes in one folder. ``crashed``: the folder holds their reports."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.crashed = False
        self._plan = plan
        self._folder = folder
        self._witnesses = [Witness(name) for name in NAMES[: plan.seats]]
        self._commentary = Commentary(self._witnesses, tell)
        self._start = time.monotonic()
        self._changed = trio.Event()
        self._records: list[bytes] = []

    @property
    def record(self) -> bytes:
        """The record of the first process."""
        return self._records[0]

    async def play(self) -> None:
        """Starts all, follows them to their end, and reads their records; raises Exit."""
        plan = self._plan
        tell(f"starting {plan.seats} players, each a process of its own, on {LOOPBACK} only")
        commands = [self._command(number) for number in range(plan.seats)]
        environment = {"FACEDOWN_INTERFACE": LOOPBACK, **where_we_are()}
        async with (
            obeyed(),
            started(commands, environment, self._heard, self._ended) as children,
        ):
            await self._until(lambda one: one.saved, children)
            with trio.move_on_after(FINDING):
                await self._until(self._has_found_all, children)
            for child in children:
                await child.let_go()
            await self._until(lambda one: one.code is not None, children)
        files = [self._record_file(number) for number in range(plan.seats)]
        self._records = [file.read_bytes() for file in files]

    def checks(self, verified: bool) -> Iterator[tuple[bool, str]]:
        """What must hold at the end, each with its sentence."""
        all_of = self._witnesses
        others = len(all_of) - 1
        yield (
            all(self._has_found_all(one) for one in all_of),
            f"every process found the {count(others, 'other')} by mDNS",
        )
        # A pack that no hand takes any more may be finished for some only.
        dealt = all_of[0].dealt
        agreed = all(one.dealt == dealt for one in all_of)
        yield agreed and all(one.vouches() for one in all_of), self._proofs(dealt)
        same = all(record == self.record for record in self._records)
        size = f"{len(self.record)} bytes"
        yield same, f"all {len(self._records)} records are byte for byte the same ({size})"
        yield not any(one.faults for one in all_of), "nobody saw anybody break the protocol"
        yield verified, "the record is sound and complete"
        yield self._pace()

    def _proofs(self, dealt: Mapping[int, tuple[int, tuple[int, ...]]]) -> str:
        packs = f"each of the {count(len(dealt), 'pack')} that were dealt"
        if all(len(seats) == len(self._witnesses) for _, seats in dealt.values()):
            return f"every process checked {count(len(self._witnesses) - 1, 'proof')} of {packs}"
        return f"every process, dealt in or not, checked all proofs but its own of {packs}"

    def _has_found_all(self, one: Witness) -> bool:
        others = {other.short for other in self._witnesses if other is not one}
        return "" not in others and others <= set(one.found)

    def _pace(self) -> tuple[bool, str]:
        first = self._witnesses[0]
        if first.agreed is None or first.over is None or not first.hands:
            return False, "the match was played to its end"
        seconds = first.over - first.agreed
        each = f"{seconds / first.hands:.2f} s a hand"
        return True, f"{count(first.hands, 'hand')} in {seconds:.1f} s: {each}, shuffling included"

    def _command(self, number: int) -> list[str]:
        plan, name = self._plan, self._witnesses[number].name
        table = f"demo {self._folder.name.removeprefix('facedown-demo-')}"
        command = ["bot", "--name", name, "--table", table, "--game", plan.game]
        command += ["--data", str(self._folder / name), "--save", str(self._record_file(number))]
        command += ["--interface", LOOPBACK, "--linger", "--give-up", str(PATIENCE)]
        if number == 0:
            command += ["--open", "--seats", str(plan.seats)]
            command += [f"--option={option}" for option in plan.options]
        return command

    def _record_file(self, number: int) -> Path:
        return self._folder / f"{self._witnesses[number].name}.facedown"

    def _heard(self, number: int, line: Line) -> None:
        now = time.monotonic() - self._start
        self._witnesses[number].hear(line, now)
        self._commentary.hear(number, line, now)
        self._wake()

    def _ended(self, number: int, code: int) -> None:
        self._witnesses[number].code = code
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def _until(self, done: Callable[[Witness], bool], children: Sequence[Child]) -> None:
        """Waits until all processes are so far; raises Exit if one has ended otherwise."""
        while True:
            for number, one in enumerate(self._witnesses):
                if one.code is not None and (one.code != exits.DONE or not done(one)):
                    raise self._failed(number, one.code, children)
            if all(done(one) for one in self._witnesses):
                return
            await self._changed.wait()

    def _failed(self, number: int, code: int, children: Sequence[Child]) -> Exit:
        name = self._witnesses[number].name
        self.crashed = any(one.code == exits.INTERNAL for one in self._witnesses)
        complain(f"{name}'s process ended with code {code}; its last words:")
        for words in children[number].words:
            complain(f"    {words}")
        why = self._witnesses[number].reason or exits.MEANINGS.get(code, "killed by somebody")
        known = code if code in exits.MEANINGS and code != exits.DONE else exits.UNSOUND
        return Exit(known, f"the demo failed: {name}: {why}")
