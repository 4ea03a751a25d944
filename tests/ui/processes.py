"""Whole processes of ``facedown``: on loopback, in fresh folders, never left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue

ENVIRONMENT = {"FACEDOWN_INTERFACE": "127.0.0.1", "PYTHONPATH": str(Path(__file__).parents[2])}

Line = Mapping[str, object]

PATIENCE = 60.0
"""Seconds after which a process that says nothing new, or does not end, has failed."""


def environment() -> dict[str, str]:
    """What every process gets."""
    return {**os.environ, **ENVIRONMENT}


def command(*arguments: str) -> list[str]:
    """The command line of ``facedown`` with these arguments."""
    return [sys.executable, "-P", "-m", "ui", *arguments]


def bot(folder: Path, name: str, *more: str) -> list[str]:
    """A bot with a data folder and a record of its own; it plays at random, and without mDNS."""
    data, record = folder / name, folder / f"{name}.facedown"
    return command(
        *("bot", "--name", name, "--data", str(data), "--save", str(record)),
        *("--no-discovery", "--strategy", "random", *more),
    )


def finished(*arguments: str, timeout: float = PATIENCE) -> subprocess.CompletedProcess[str]:
    """A process that ends by itself."""
    return subprocess.run(
        command(*arguments),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )


class Running:
    """A process that is being read: its lines of stdout, as text."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            arguments,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self.words: list[str] = []
        self._queue: Queue[str] = Queue()
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._listen, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            self._queue.put(line)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.words.extend(self.process.stderr)

    def until(self, wanted: Callable[[str], bool], seconds: float = PATIENCE) -> str:
        """The first line that is wanted, of those not looked at yet."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._queue.get(timeout=min(left, 0.2))
            except Empty:
                if self.process.poll() is not None and self._queue.empty():
                    break
                continue
            if wanted(line):
                return line
        raise AssertionError(f"it never said that; but: {self.said[-5:]} {self.words[-5:]}")

    def event(self, kind: str, seconds: float = PATIENCE, **fields: object) -> Line:
        """The next JSON line of a kind, with these fields."""

        def wanted(text: str) -> bool:
            if f'"event":"{kind}"' not in text:
                return False
            said: Line = json.loads(text)
            return fields.items() <= said.items()

        line: Line = json.loads(self.until(wanted, seconds))
        return line

    def say(self, text: str) -> None:
        """A line on its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def close_stdin(self) -> None:
        """Nothing more will be said to it."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def kill(self) -> None:
        """SIGKILL, or what comes nearest to it."""
        self.process.kill()
        self.process.wait()

    def wait(self, seconds: float = PATIENCE) -> int:
        """Its exit code, when all that it said has been read."""
        code = self.process.wait(seconds)
        for thread in self._threads:
            thread.join(seconds)
        return code

    def end(self) -> None:
        """Ends it by force if it still runs; closes our ends of its pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:  # what was never read
                continue


@contextmanager
def running(*commands: Sequence[str]) -> Iterator[list[Running]]:
    """Processes that end with the block, whatever happens in it."""
    started: list[Running] = []
    try:
        for arguments in commands:
            started.append(Running(arguments))
        yield started
    finally:
        for process in started:
            process.end()


def children_of(process: int) -> set[int]:
    """The processes that this one has started and that still run (Linux)."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if int(parent) == process and state != "Z":
                found.add(int(entry.name))
    return found


def alive(processes: set[int]) -> set[int]:
    """Those that still run; a zombie that nobody has waited for does not."""
    found = set()
    for process in processes:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            found.add(process)
    return found


def soon_gone(processes: set[int], seconds: float) -> bool:
    """Whether all end within some seconds."""
    deadline = time.monotonic() + seconds
    while alive(processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
