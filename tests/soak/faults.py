"""Scenarios on loopback: stopped processes, full disks, a taken port, who comes too late."""

from __future__ import annotations

import resource
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from tests.soak.chance import MIDDLE, NONE, SHORT, Chance, Kill, plan
from tests.soak.judge import judged
from tests.soak.match import Table, Violation, decided, play, seated
from tests.soak.member import Line, Member, is_root
from ui import exits

Scenario: TypeAlias = Callable[[Path], str]
"""Plays in a folder, raises Violation, returns in words what was seen."""


@contextmanager
def playing(
    folder: Path, game: str = "azi", options: Sequence[str] = ("hands=4",), seats: int = 4
) -> Iterator[Table]:
    """A table at which the first hand has begun; at the end it is played to its end and judged."""
    folder.mkdir(exist_ok=True)
    with seated(Table(folder, seats)) as table:
        table.sit_down(game, options)
        table.until_told("hand_started", 90)
        yield table
        well(table)


def well(table: Table) -> None:
    """The match ends, and all that must hold then holds."""
    table.touched = time.monotonic()
    table.finish()
    if wrong := judged(table.members):
        raise Violation("\n  ".join(wrong))


def seat_of(member: Member) -> int:
    """Where it sits."""
    seat = member.told("agreed", "resumed")[0]["seat"]
    assert isinstance(seat, int)
    return seat


def clock(game: str) -> str:
    """The shortest clock for a choice, as an option."""
    return "turn_seconds=5" if game == "azi" else "arrange_seconds=5"


def about(seat: int) -> Callable[[Line], bool]:
    """Whether a line is about this seat."""
    return lambda line: bool(line["seat"] == seat)


def stop(folder: Path) -> str:
    """SIGSTOP and SIGCONT within every clock: one, two and all, a few times."""
    chance = Chance("stop")
    times = 0
    for game, options in (("azi", ("hands=6",)), ("hazari", ("hands=2",))):
        with playing(folder / game, game, options) as table:
            for count in (1, 2, 4, 1, 3):
                if any(member.over for member in table.members):
                    break
                victims = sorted(table.members, key=lambda _: chance.below(1000))[:count]
                for victim in victims:
                    victim.signal(signal.SIGSTOP)
                table.quiet(chance.within((0.5, 9.0)))
                for victim in victims:
                    victim.signal(signal.SIGCONT)
                times += count
                table.quiet(chance.within((0.0, 2.0)))
    return f"{times} times a peer was stopped for some seconds"


def sleep(folder: Path) -> str:
    """One is stopped for longer than its clock and grace: it is declared gone, and comes back."""
    seen = []
    for game, hands in (("azi", 5), ("hazari", 3)):
        options = (f"hands={hands}", "grace_seconds=5", clock(game))
        with playing(folder / game, game, options) as table:
            table.until_told("move", 60)
            sleeper, *awake = table.members[::-1]
            seat = seat_of(sleeper)
            sleeper.signal(signal.SIGSTOP)
            start = time.monotonic()
            try:
                table.until_told("gone", 90, awake, about(seat))
            except Violation:
                sleeper.signal(signal.SIGCONT)
                raise
            gone = time.monotonic() - start
            table.quiet(15)
            sleeper.signal(signal.SIGCONT)
            start = time.monotonic()
        seen.append(f"{game}: gone after {gone:.0f} s, over {time.monotonic() - start:.0f} s later")
    return ", ".join(seen)


def deep_sleep(folder: Path) -> str:
    """The same with the usual grace of a minute, and with two of five stopped."""
    options = ("hands=5",)
    with playing(folder / "azi", "azi", options, 5) as table:
        table.until_told("move", 60)
        *awake, one, two = table.members
        seats = {seat_of(one), seat_of(two)}
        for member in (one, two):
            member.signal(signal.SIGSTOP)
        start = time.monotonic()
        try:
            for seat in seats:
                table.until_told("gone", 200, awake, about(seat))
        finally:
            for member in (one, two):
                member.signal(signal.SIGCONT)
        gone = time.monotonic() - start
    return f"two of five gone after {gone:.0f} s"


def mounted(folder: Path, size: str) -> None:
    """A small file system of its own."""
    folder.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "none", str(folder)], check=True
    )


def full(folder: Path) -> str:
    """The disk of one is full in the middle of a match; there is room again, it goes on."""
    if not is_root() or shutil.which("mount") is None:
        return "skipped: a small file system needs root"
    folder.mkdir(exist_ok=True)
    table = Table(folder, 4)
    victim = table.members[2]
    mounted(victim.data, "420k")
    try:
        with seated(table):
            table.allowed = frozenset([exits.CANNOT_START])
            table.sit_down("azi", ("hands=6",))
            table.until(lambda: not victim.alive and victim.run.read, 120, "its disk is full")
            words = victim.words()
            code = victim.run.process.returncode
            if code != exits.CANNOT_START or "full" not in words:
                raise Violation(f"a full disk ended it with {code}: {words[-400:]}")
            seen = victim.seated
            # Started while there is no room it says so again.
            victim.start()
            table.until(lambda: not victim.alive and victim.run.read, 60, "still full")
            if victim.run.process.returncode != exits.CANNOT_START:
                raise Violation(f"it ended with {victim.run.process.returncode}: {victim.words()}")
            room = ["mount", "-o", "remount,size=20M", str(victim.data)]
            subprocess.run(room, check=True)
            victim.start()
            well(table)
            last = words.strip().splitlines()[-1]
            shutil.copytree(victim.data, folder / "after")
    finally:
        subprocess.run(["umount", str(victim.data)], check=True)
    return f"it said {last!r} ({'while it played' if seen else 'before it played'})"


def file_size(folder: Path) -> str:
    """The same by RLIMIT_FSIZE: the system refuses to let a file grow."""
    with playing(folder, "azi", ("hands=5",)) as table:
        table.allowed = frozenset([exits.CANNOT_START])
        victim = table.members[1]
        size = max(file.stat().st_size for file in victim.data.iterdir())
        limit = (size + 20_000, size + 20_000)
        if not hasattr(resource, "prlimit"):
            return "skipped: there is no prlimit"
        resource.prlimit(victim.run.process.pid, resource.RLIMIT_FSIZE, limit)
        table.until(lambda: not victim.alive and victim.run.read, 90, "its file cannot grow")
        code, words = victim.run.process.returncode, victim.words()
        if code != exits.CANNOT_START:
            raise Violation(f"it ended with {code}: {words[-500:]}")
        victim.start()
    return f"it said {words.strip().splitlines()[-1]!r}"


def port(folder: Path) -> str:
    """The port of a killed one is taken when it comes back, and free later."""
    with playing(folder) as table:
        table.allowed = frozenset([exits.CANNOT_START])
        victim = table.members[0]
        number = int(victim.bare[victim.bare.index("--port") + 1])
        victim.kill()
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", number))
            taken.listen()
            victim.start()
            table.until(lambda: not victim.alive and victim.run.read, 60, "its port is taken")
            code, words = victim.run.process.returncode, victim.words()
            if code != exits.CANNOT_START or f"Port {number} is in use" not in words:
                raise Violation(f"it ended with {code}: {words[-400:]}")
        victim.start()
        table.until(lambda: victim.run.event("resumed") is not None, 60, "it goes on")
        victim.kill()
        # On any other port it finds the others, and they it: it dials.
        victim.bare[victim.bare.index("--port") + 1] = "0"
        victim.start()
    return "told, and gone on; also on another port"


def late(folder: Path) -> str:
    """One is killed as the match ends, and is back when the others have all gone.

    Either it has not said its RESULT, and the others wait for it until they have voted; or it has,
    and may lack theirs. Then it cannot end by itself, and gives up.
    """
    seen = Counter(_late(folder / str(number), number) for number in range(7))
    return ", ".join(f"{count} times: {how}" for how, count in seen.items())


def _late(folder: Path, number: int) -> str:
    folder.mkdir(parents=True)
    with seated(Table(folder, 4)) as table:
        table.sit_down("azi", ("hands=1", "grace_seconds=2", "turn_seconds=5"))
        victim = table.members[number % 4]
        others = [member for member in table.members if member is not victim]
        decides = 90.0, "the hand is decided"
        table.until(lambda: any(decided(v["view"]) for v in victim.told("view")), *decides)
        time.sleep(0.01 * number)
        victim.kill()
        table.until(lambda: all(member.over for member in others), 60, "the others end")
        table.allowed = frozenset([exits.GAVE_UP, exits.DONE])
        for member in others:
            member.let_go()
        table.quiet(1.0)
        declared = any(member.told("gone") for member in others)
        victim.bare += ["--give-up", "15"]
        victim.start()
        run = victim.run
        table.until(lambda: bool(run.read or run.event("saved")), 60, "the late one ends")
        victim.let_go()
        table.until(lambda: run.read, 20, "it may end")
        how = "declared gone" if declared else "RESULT said"
        return f"{how}, ended with {run.process.returncode}"


def goodbye(folder: Path) -> str:
    """One is killed as the match ends and is back while the others stay: all have it all.

    They end by themselves, at once when it has shown that it has the end, or after their time.
    """
    seen = [_goodbye(folder / str(number), number) for number in range(4)]
    return ", ".join(seen)


def _goodbye(folder: Path, number: int) -> str:
    folder.mkdir(parents=True)
    with seated(Table(folder, 3)) as table:
        for member in table.members:
            member.lingers = False
        table.allowed = frozenset([exits.DONE])
        table.sit_down("azi", ("hands=1", "grace_seconds=60"))
        victim = table.members[number % 3]
        others = [member for member in table.members if member is not victim]
        table.until(lambda: any(decided(v["view"]) for v in victim.told("view")), 90.0, "a result")
        time.sleep(0.01 * number)
        victim.kill()
        table.quiet(3.0)
        victim.start()
        table.until(lambda: all(member.run.read for member in table.members), 60, "all end")
        if wrong := judged(table.members):
            raise Violation("; ".join(wrong))
        stayed = sum(bool(member.told("staying")) for member in others)
        return f"{stayed} of 2 said that they stay"


def signing(folder: Path) -> str:
    """Short matches in which one, two or all are killed just as the table is about to begin."""
    folder.mkdir(parents=True, exist_ok=True)
    looked: Counter[str] = Counter()
    matches = 20
    for number in range(matches):
        chance = Chance("signing", number)
        span = chance.one((NONE, NONE, SHORT, MIDDLE))
        kill = Kill(
            chance.one(("seal", "seal", "lobby")),
            chance.below(3),
            chance.within((0.0, 0.05)),
            chance.one(("one", "two", "all", "again")),
            tuple(chance.within(span) for _ in range(6)),
            chance.within((0.0, 1.5)),
        )
        what = replace(
            plan(1, number, "azi", quick=True),
            seats=chance.one((2, 3, 4)),
            options=("hands=1", "grace_seconds=60"),
            by=chance.one(("ports", "mdns")),
            kills=(kill,),
        )
        place = folder / str(number)
        place.mkdir()
        table, _ = play(what, number, place)
        for member in table.members:
            looked.update(line["event"] for line in member.told("looking", "looked_in_vain"))
    vain = looked["looked_in_vain"]
    return f"{matches} matches; {looked['looking']} looked for the table, {vain} of them in vain"


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "stop": stop,
    "sleep": sleep,
    "deep-sleep": deep_sleep,
    "full": full,
    "file-size": file_size,
    "port": port,
    "late": late,
    "goodbye": goodbye,
    "signing": signing,
}
