"""Bots as processes of their own, on loopback, for tests that kill them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 60.0
"""Seconds after which a bot that says nothing new has failed."""


@dataclass
class Bot:
    """One process of ``facedown bot`` and the lines that it has printed."""

    process: subprocess.Popen[str]
    lines: list[dict[str, object]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    readers: list[threading.Thread] = field(default_factory=list)

    def wait_for(self, event: str, **fields: object) -> dict[str, object]:
        """The first line of this kind with these fields; AssertionError if it does not come."""
        deadline = time.monotonic() + PATIENCE
        with self.changed:
            while True:
                for line in self.lines:
                    if line["event"] == event and fields.items() <= line.items():
                        return line
                left = deadline - time.monotonic()
                assert left > 0, self.story()
                assert self.readers[0].is_alive(), self.story()
                self.changed.wait(min(left, 0.2))

    def story(self) -> str:
        """What it said last, for the report of a failure."""
        kinds = [str(line["event"]) for line in self.lines[-15:]]
        return "\n".join([*kinds, *self.errors[-10:]])

    def kill(self) -> None:
        """SIGKILL, or what comes nearest to it."""
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """The exit code, when it has ended by itself."""
        code = self.process.wait(PATIENCE)
        for reader in self.readers:
            reader.join()
        return code

    def read_lines(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            with self.changed:
                self.lines.append(json.loads(text))
                self.changed.notify_all()

    def read_errors(self) -> None:
        assert self.process.stderr is not None
        for text in self.process.stderr:
            self.errors.append(text.rstrip())


@dataclass
class House:
    """A folder with all the bots that were started in a test."""

    folder: Path
    bots: list[Bot] = field(default_factory=list)

    def start(self, name: str, *arguments: str) -> Bot:
        """A bot with a data folder of its own, which it finds again when it is started again."""
        command = [sys.executable, "-P", "-m", "ui", "bot", "--name", name]
        command += ["--data", str(self.folder / name), "--strategy", "random", "--no-discovery"]
        command += ["--save", str(self.record(name)), *arguments]
        environment = {**os.environ, "FACEDOWN_INTERFACE": "127.0.0.1", "PYTHONUTF8": "1"}
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        bot = Bot(process)
        for target in (bot.read_lines, bot.read_errors):
            reader = threading.Thread(target=target)
            reader.start()
            bot.readers.append(reader)
        self.bots.append(bot)
        return bot

    def record(self, name: str) -> Path:
        """Where a bot saves its record."""
        return self.folder / f"{name}.facedown"

    def table(self, hands: int) -> dict[str, Bot]:
        """Four bots at one table; the first one has opened it."""
        opener = self.start(
            "anna", "--open", "--table", "kitchen", "--seats", "4", "--option", f"hands={hands}"
        )
        port = opener.wait_for("listening")["port"]
        opener.wait_for("lobby")
        bots = {"anna": opener}
        for name in ("bert", "carl", "dora"):
            bots[name] = self.start(name, "--join", f"127.0.0.1:{port}")
        return bots


@contextmanager
def house(folder: Path) -> Iterator[House]:
    """Whatever happens, no process is left behind."""
    made = House(folder)
    try:
        yield made
    finally:
        for bot in made.bots:
            with suppress(OSError):
                bot.process.kill()
            bot.process.wait()
            for reader in bot.readers:
                reader.join()
            for stream in (bot.process.stdout, bot.process.stderr):
                if stream is not None:
                    stream.close()
