"""Own bots that fill seats of a table: each a process of its own, a full peer, labelled as ours.

They join by address, which takes no discovery; and they end when this program does, in any case.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import trio

from ui.children import Child, Line, started, where_we_are

NAMES = ("Anna", "Ben", "Cleo", "Dan", "Eva", "Finn")
"""What bots are called; the word "bot" goes with it."""


class Bots:
    """The bots of one peer. ``run`` must be running for any of them to live.

    ``folder``: each bot keeps key and tables in a folder of its own below it. ``owner``: the key of
    whose bots they are.
    """

    def __init__(self, folder: Path, owner: bytes) -> None:
        self._folder = folder
        self._owner = owner
        self._address: Callable[[], str] = lambda: ""
        self._failed: Callable[[str], None] = lambda words: None
        self._nursery: trio.Nursery | None = None
        self._scopes: dict[int, trio.CancelScope] = {}
        self._coming: set[int] = set()

    @property
    def coming(self) -> int:
        """Bots that were started and do not sit at the table yet."""
        return len(self._coming)

    def serve(self, address: Callable[[], str], failed: Callable[[str], None]) -> None:
        """``address``: where bots find their peer. ``failed``: told the last words of one that
        ended with an error."""
        self._address, self._failed = address, failed

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keeps the bots until cancelled; then ends them all."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await trio.sleep_forever()

    async def add(self, table: str) -> None:
        """Starts one more bot, which asks for a seat at this table."""
        number = next(n for n in range(1, 100) if n not in self._scopes)
        folder = self._folder / str(number)
        # A fresh player: what an earlier one may have left unfinished is none of its business.
        await trio.to_thread.run_sync(_fresh, folder)
        self._start(number, ["--table", table, "--join", self._address()])

    def resume(self) -> None:
        """Starts those again that were at a table which is not over."""
        if not self._folder.is_dir():
            return
        for folder in sorted(self._folder.iterdir()):
            if folder.name.isdecimal() and int(folder.name) not in self._scopes:
                self._start(int(folder.name), ["--join", self._address()])

    async def let_go(self) -> None:
        """Ends all bots: the table that they were for is done with."""
        for scope in list(self._scopes.values()):
            scope.cancel()

    def _start(self, number: int, arguments: list[str]) -> None:
        assert self._nursery is not None
        self._coming.add(number)
        scope = self._scopes[number] = trio.CancelScope()
        command = [
            *("bot", "--linger", "--no-discovery"),
            *("--name", NAMES[(number - 1) % len(NAMES)], "--owner", self._owner.hex()),
            *("--data", str(self._folder / str(number))),
            *arguments,
        ]
        self._nursery.start_soon(self._keep, number, command, scope)

    async def _keep(self, number: int, command: list[str], scope: trio.CancelScope) -> None:
        children: list[Child] = []
        over = trio.Event()

        def heard(_: int, line: Line) -> None:
            if line.get("event") in ("lobby", "agreed", "resumed", "ended"):
                self._coming.discard(number)

        def ended(_: int, code: int) -> None:
            over.set()
            if code > 0:
                self._failed(children[0].words[-1] if children and children[0].words else "")

        with scope:
            async with started([command], where_we_are(), heard, ended) as children:
                await over.wait()
        self._coming.discard(number)
        self._scopes.pop(number, None)


def _fresh(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
