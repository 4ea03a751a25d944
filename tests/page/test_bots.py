"""Own bots: which process is whose, which of them are ended, and where they are told to go."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from protocol.errors import LocalError
from ui.page import bots as bots_module
from ui.page.bots import Bots

pytestmark = pytest.mark.trio

KEYS = tuple(bytes([number]) * 32 for number in range(6))


class Processes:
    """Stands in for ``ui.children.started``. ``heard``: how each process that runs speaks, by the
    number of its folder; ``ended``: how it ends by itself."""

    def __init__(self) -> None:
        self.heard: dict[int, Callable[[Mapping[str, object]], None]] = {}
        self.ended: dict[int, Callable[[int], None]] = {}

    @asynccontextmanager
    async def __call__(
        self, commands: Sequence[Sequence[str]], environment: object, heard: Any, ended: Any
    ) -> AsyncIterator[list[object]]:
        (command,) = commands
        number = int(Path(command[list(command).index("--data") + 1]).name)
        self.heard[number] = lambda line: heard(0, line)
        self.ended[number] = lambda code: ended(0, code)
        try:
            yield []
        finally:
            del self.heard[number]


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Processes:
    """No real ones."""
    found = Processes()
    monkeypatch.setattr(bots_module, "started", found)
    return found


@asynccontextmanager
async def running(folder: Path, failures: list[str], came: list[bytes]) -> AsyncIterator[Bots]:
    """Bots that can be added."""
    bots = Bots(folder, b"k" * 32)
    bots.serve(lambda: "127.0.0.1:7421", failures.append, came.append)
    async with trio.open_nursery() as nursery:
        await nursery.start(bots.run)
        yield bots
        nursery.cancel_scope.cancel()


async def test_bots_of_one_table_are_ended_and_others_stay(
    tmp_path: Path, processes: Processes
) -> None:
    """By the keys that their processes have said; numbers of those that have ended are free."""
    failures: list[str] = []
    came: list[bytes] = []
    async with running(tmp_path, failures, came) as bots:
        for _ in range(3):
            await bots.add("kitchen")
        await trio.testing.wait_all_tasks_blocked()
        assert bots.coming == 3
        for number in (1, 2):
            processes.heard[number]({"event": "listening", "key": KEYS[number].hex()})
            processes.heard[number]({"event": "lobby"})
        for odd in (None, 7, "xyz", [1]):
            processes.heard[3]({"event": "listening", "key": odd})
        assert bots.keys == {KEYS[1], KEYS[2]}
        assert came == [KEYS[1], KEYS[2]]
        assert bots.coming == 1
        await bots.let_go(only=(KEYS[1], KEYS[5]))
        await trio.testing.wait_all_tasks_blocked()
        assert set(processes.heard) == {2, 3}
        await bots.let_go(but=(KEYS[2],))
        await trio.testing.wait_all_tasks_blocked()
        assert set(processes.heard) == {2}
        assert bots.coming == 0
        await bots.add("kitchen")
        await trio.testing.wait_all_tasks_blocked()
        assert set(processes.heard) == {1, 2}
        await bots.let_go()
        await trio.testing.wait_all_tasks_blocked()
        assert not processes.heard
        assert failures == []


async def test_only_its_own_last_line_says_why_a_bot_failed(
    tmp_path: Path, processes: Processes
) -> None:
    """Other words of its process are never shown: they could hold its cards."""
    failures: list[str] = []
    async with running(tmp_path, failures, []) as bots:
        for line in (
            {"event": "view", "view": {"hand": ["AS"]}},
            {"event": "ended", "reason": "x"},
        ):
            await bots.add("kitchen")
            await trio.testing.wait_all_tasks_blocked()
            processes.heard[1](line)
            processes.ended[1](8)
            await trio.testing.wait_all_tasks_blocked()
            assert bots.coming == 0
        assert failures == ["", "x"]


async def test_bot_that_cannot_be_told_where_to_go_keeps_no_number(
    tmp_path: Path, processes: Processes
) -> None:
    """The command that asked for it is refused, and that is all."""

    def nowhere() -> str:
        raise LocalError("Facedown is just starting.")

    async with running(tmp_path, [], []) as bots:
        bots.serve(nowhere, lambda words: None)
        with pytest.raises(LocalError):
            await bots.add("kitchen")
        assert bots.coming == 0
