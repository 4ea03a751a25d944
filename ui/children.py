"""Bot processes of the demo: read line by line while they run, and never left behind.

Each holds the other end of a pipe as its standard input, so that it ends (``--linger``) even if
this process is killed. Each has a session of its own, so that Ctrl-C reaches only this process,
which then ends them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import trio

PATIENCE = 1.4
"""Seconds from SIGTERM until a process is killed; a bot needs 0.4, and 1.1 while it is calling out
its name for the first time."""

KEPT_WORDS = 12
"""Lines for people that are kept of each process, to be shown if it fails."""

Line: TypeAlias = Mapping[str, object]
"""One line of a bot: an object with ``event``, ``t`` and the fields of its kind."""

Heard: TypeAlias = Callable[[int, Line], None]
"""Told of each line, with the number of the process it came from."""


@dataclass(slots=True)
class Child:
    """One bot process. ``words`` are its last lines on stderr."""

    process: trio.Process
    words: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_WORDS))

    async def let_go(self) -> None:
        """Closes its standard input: it may end now."""
        assert self.process.stdin is not None
        await self.process.stdin.aclose()


@asynccontextmanager
async def started(
    commands: Sequence[Sequence[str]],
    environment: Mapping[str, str],
    heard: Heard,
    ended: Callable[[int, int], None],
) -> AsyncIterator[list[Child]]:
    """Runs ``facedown`` with each of these arguments while the block runs; then ends them all.

    ``ended`` is told the number and the exit code of each process whose output has been heard to
    its end. Leaving the block takes PATIENCE at most, whatever the processes do.
    """
    children: list[Child] = []
    async with trio.open_nursery() as nursery:
        try:
            for number, arguments in enumerate(commands):
                child = Child(await _start(arguments, environment))
                children.append(child)
                nursery.start_soon(_follow, number, child, heard, ended)
            yield children
        finally:
            with trio.CancelScope(shield=True):
                await _end([child.process for child in children])
        nursery.cancel_scope.cancel()


def where_we_are() -> Mapping[str, str]:
    """What the environment must say so that a child runs this very program, installed or not."""
    home = Path(__file__).resolve().parent.parent
    if home in {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}:
        return {}
    rest = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(home), rest] if rest else [str(home)])}


async def _start(arguments: Sequence[str], environment: Mapping[str, str]) -> trio.Process:
    return await trio.lowlevel.open_process(
        # -P: the folder that the user happens to be in is no place for packages.
        [sys.executable, "-P", "-m", "ui", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, **environment},
    )


async def _end(processes: Sequence[trio.Process]) -> None:
    for process in processes:
        process.terminate()
    with trio.move_on_after(PATIENCE):
        for process in processes:
            await process.wait()
    for process in processes:
        process.kill()
        await process.wait()


async def _follow(
    number: int, child: Child, heard: Heard, ended: Callable[[int, int], None]
) -> None:
    """Hears a process to its end."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_hear, number, child.process.stdout, heard)
        nursery.start_soon(_listen, child)
    ended(number, await child.process.wait())


async def _hear(number: int, stdout: trio.abc.ReceiveStream | None, heard: Heard) -> None:
    async for text in _lines(stdout):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            line = None
        # A line that was cut off is passed over: it may hold what only that player may know.
        if isinstance(line, dict):
            heard(number, line)


async def _listen(child: Child) -> None:
    async for text in _lines(child.process.stderr):
        child.words.append(text)


async def _lines(stream: trio.abc.ReceiveStream | None) -> AsyncIterator[str]:
    assert stream is not None
    held = b""
    async for data in stream:
        *whole, held = (held + data).split(b"\n")
        for line in whole:
            yield line.decode(errors="replace")
    if held:
        yield held.decode(errors="replace")
