"""Own bots that fill seats of a table: each a process of its own, a full peer, labelled as ours.

They join by address, which takes no discovery; and they end when this program does, in any case.
Anybody can claim that a bot is ours; ours are those whose process here has said its key.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from p2p.identity import FILE_NAME, load_or_make
from protocol.errors import LocalError
from ui.children import Line, started, where_we_are
from ui.settings import JOIN_VARIABLE

NAMES = ("Anna", "Ben", "Cleo", "Dan", "Eva", "Finn")
"""What bots are called; the word "bot" goes with it."""

MOST: Final = 100
"""There are never so many bots."""


class Bots:
    """The bots of one peer. ``run`` must be running for any of them to live.

    ``folder``: each bot keeps key and tables in a folder of its own below it. ``owner``: the key of
    whose bots they are. ``keys``: those of all bots that were started here.
    """

    def __init__(self, folder: Path, owner: bytes) -> None:
        self._folder = folder
        self._owner = owner
        self._address: Callable[[], str] = lambda: ""
        self._failed: Callable[[str], None] = lambda words: None
        self._came: Callable[[bytes], None] = lambda key: None
        self._nursery: trio.Nursery | None = None
        self._scopes: dict[int, trio.CancelScope] = {}
        self._players: dict[int, bytes] = {}
        self.keys: set[bytes] = set()
        self._coming: set[int] = set()

    @property
    def coming(self) -> int:
        """Bots that were started and do not sit at the table yet."""
        return len(self._coming)

    def serve(
        self,
        address: Callable[[], str],
        failed: Callable[[str], None],
        came: Callable[[bytes], None] = lambda key: None,
    ) -> None:
        """``address``: where bots find their peer. ``failed``: told why one ended with an error.
        ``came``: told of another one in ``keys``."""
        self._address, self._failed, self._came = address, failed, came

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keeps the bots until cancelled; then ends them all."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await trio.sleep_forever()

    async def add(self, table: str) -> None:
        """Starts one more bot, which asks for a seat at this table."""
        number = next((n for n in range(1, MOST) if n not in self._scopes), None)
        if number is None:
            raise LocalError("There are too many bots on this computer.")
        self._reserve(number)
        try:
            # A fresh player: what an earlier one may have left unfinished is none of its business.
            await trio.to_thread.run_sync(_fresh, self._folder / str(number))
            self._start(number, ["--table", table])
        except BaseException:
            self._free(number)
            raise

    def resume(self) -> None:
        """Starts those again that were at a table which is not over."""
        if not self._folder.is_dir():
            return
        for folder in sorted(self._folder.iterdir()):
            if folder.name.isdecimal() and int(folder.name) not in self._scopes:
                self._reserve(int(folder.name))
                self._start(int(folder.name), [])

    async def come_back(self, keys: Container[bytes]) -> None:
        """Starts those of these keys again that do not run: they sit down where their old table
        goes on."""
        for folder in await trio.to_thread.run_sync(_folders, self._folder, keys):
            if int(folder.name) not in self._scopes:
                self._reserve(int(folder.name))
                self._coming.discard(int(folder.name))  # its seat is not one of those to be filled
                self._start(int(folder.name), [])

    async def let_go(
        self, only: Container[bytes] | None = None, but: Container[bytes] = ()
    ) -> None:
        """Ends bots: the table that they were for is done with. ``only`` those with these keys, or
        all but some; one that has not said its key yet sits at no table."""
        for number, scope in list(self._scopes.items()):
            key = self._players.get(number)
            if (only is None or (key is not None and key in only)) and key not in but:
                scope.cancel()

    def _reserve(self, number: int) -> None:
        """At once: two that are asked for at the same moment must not share a folder."""
        self._scopes[number] = trio.CancelScope()
        self._coming.add(number)

    def _free(self, number: int) -> None:
        self._scopes.pop(number, None)
        self._players.pop(number, None)
        self._coming.discard(number)

    def _start(self, number: int, arguments: list[str]) -> None:
        assert self._nursery is not None
        command = [
            *("bot", "--linger", "--no-discovery", "--no-shorts"),
            *("--name", NAMES[(number - 1) % len(NAMES)], "--owner", self._owner.hex()),
            *("--data", str(self._folder / str(number))),
            *arguments,
        ]
        # An invite code among the arguments could be read by every user of this computer.
        environment = {**where_we_are(), JOIN_VARIABLE: self._address()}
        self._nursery.start_soon(self._keep, number, command, environment)

    async def _keep(self, number: int, command: list[str], environment: Mapping[str, str]) -> None:
        over = trio.Event()
        reason = ""

        def heard(_: int, line: Line) -> None:
            nonlocal reason
            if line.get("event") in ("lobby", "agreed", "resumed", "ended"):
                self._coming.discard(number)
            if line.get("event") == "listening":
                self._is(number, line.get("key"))
            if line.get("event") == "ended":
                reason = str(line.get("reason", ""))

        def ended(_: int, code: int) -> None:
            over.set()
            if code > 0:
                self._failed(reason)

        try:
            with self._scopes[number]:
                async with started([command], environment, heard, ended):
                    await over.wait()
        except* OSError as errors:  # no more processes or files can be had just now
            self._failed(_first(errors))
        finally:
            self._free(number)

    def _is(self, number: int, key: object) -> None:
        """A bot has said who it is."""
        with suppress(ValueError, TypeError):
            self._players[number] = found = bytes.fromhex(key)  # type: ignore[arg-type]
            self.keys.add(found)
            self._came(found)


def _first(errors: BaseException) -> str:
    """The words of the first error in a group."""
    while isinstance(errors, BaseExceptionGroup):
        errors = errors.exceptions[0]
    return str(errors)


def _folders(folder: Path, keys: Container[bytes]) -> list[Path]:
    """The folders of bots that have these keys."""
    found = []
    for one in sorted(folder.glob("*")):
        if one.name.isdecimal() and (one / FILE_NAME).is_file():
            with suppress(LocalError):  # it can be read no more, so that bot is gone
                if load_or_make(one).key in keys:
                    found.append(one)
    return found


def _fresh(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700)
