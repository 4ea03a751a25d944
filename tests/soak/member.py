"""A peer of a soak: a real process, its data folder, and all that it says in all its runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeAlias

from tests.ui.processes import command, environment

Line: TypeAlias = Mapping[str, Any]

SITS = ("agreed", "resumed")


@dataclass(frozen=True, slots=True)
class Said:
    """One line of a member's output; ``line`` None: that run has ended, and all of it was read."""

    member: Member
    run: int
    line: Line | None
    at: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class Run:
    """One process. ``lines``: what it has said."""

    process: subprocess.Popen[bytes]
    number: int
    lines: list[Line] = field(default_factory=list)
    reader: threading.Thread | None = None
    read: bool = False
    killed: bool = False

    def event(self, *kinds: str) -> Line | None:
        """The last line of one of these kinds."""
        return next((one for one in reversed(self.lines) if one["event"] in kinds), None)


class Member:
    """``way``: how to sit down, for as long as no table is agreed. ``inside``: a command before.
    ``lingers``: whether it stays after the match until it is let go.

    ``bare``: arguments that every run has. Times of ``killed`` and of the last start are kept.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        said: SimpleQueue[Said],
        bare: Sequence[str] = (),
        inside: Sequence[str] = (),
        interface: str | None = "127.0.0.1",
    ) -> None:
        self.name = name
        self.folder = folder
        self.data = folder / name
        self.record = folder / f"{name}.facedown"
        self.way: Sequence[str] = ()
        self.bare = list(bare)
        self.inside = list(inside)
        self.runs: list[Run] = []
        self.lingers = True
        self._said = said
        self._environment = environment()
        self._environment.pop("FACEDOWN_INTERFACE")
        if interface is not None:
            self._environment["FACEDOWN_INTERFACE"] = interface

    @property
    def run(self) -> Run:
        """The last one."""
        return self.runs[-1]

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return bool(self.runs) and self.run.process.poll() is None

    @property
    def seated(self) -> bool:
        """Whether it has ever told that its table is agreed: then it is on its disk."""
        return any(run.event(*SITS) for run in self.runs)

    @property
    def over(self) -> bool:
        """Whether its match is over and its record saved, be it by a run that found it over."""
        return (self.alive or not self.lingers) and self.run.event("saved") is not None

    def start(self) -> None:
        """Starts it, with its data folder; how to sit down is only said while that is needed."""
        number = len(self.runs)
        way = () if self.seated else self.way
        arguments = command(
            *("bot", "--name", self.name, "--data", str(self.data), "--save", str(self.record)),
            *("--go-on", "0"),
            *("--strategy", "random", *self.bare, *way),
            *(("--linger",) if self.lingers else ()),
        )
        with self._file(number, "err").open("wb") as words:
            process = subprocess.Popen(
                [*self.inside, *arguments],
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
            )
        run = Run(process, number)
        self.runs.append(run)
        run.reader = threading.Thread(target=self._read, args=(run,), daemon=True)
        run.reader.start()

    def _file(self, number: int, kind: str) -> Path:
        return self.folder / f"{self.name}.{number}.{kind}"

    def _read(self, run: Run) -> None:
        assert run.process.stdout is not None
        with self._file(run.number, "out").open("wb") as copy, run.process.stdout:
            for raw in run.process.stdout:
                copy.write(raw)
                copy.flush()
                with suppress(ValueError):  # a line that SIGKILL has cut
                    line = json.loads(raw)
                    run.lines.append(line)
                    self._said.put(Said(self, run.number, line))
        run.process.wait()
        run.read = True
        self._said.put(Said(self, run.number, None))

    def kill(self) -> None:
        """SIGKILL."""
        self.run.killed = True
        self.run.process.kill()
        self.run.process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Any other signal."""
        self.run.process.send_signal(number)

    def let_go(self) -> None:
        """Closes its standard input: it may end."""
        assert self.run.process.stdin is not None
        with suppress(OSError):
            self.run.process.stdin.close()

    def end(self) -> None:
        """Ends it by force, wherever it is."""
        for run in self.runs:
            if run.process.poll() is None:
                run.process.kill()  # also one that is stopped
                run.process.wait()
            if run.process.stdin is not None:
                with suppress(OSError):
                    run.process.stdin.close()
            if run.reader is not None:
                run.reader.join(5)

    def words(self) -> str:
        """All that its runs have said for people."""
        return "".join(
            self._file(run.number, "err").read_text(errors="replace") for run in self.runs
        )

    def told(self, *kinds: str) -> list[Line]:
        """All lines of these kinds in all runs."""
        return [line for run in self.runs for line in run.lines if line["event"] in kinds]


def free_port() -> int:
    """A port of loopback that nobody has just now."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_root() -> bool:
    """Whether mounts and namespaces may be made."""
    return os.name == "posix" and os.geteuid() == 0
