"""SIGINT and SIGTERM end what runs inside Trio, also where a shell has ignored SIGINT."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from ui.exits import Terminated


@asynccontextmanager
async def obeyed() -> AsyncIterator[None]:
    """While the block runs a signal cancels it and raises KeyboardInterrupt or Terminated."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_obey, signals)
            yield
            nursery.cancel_scope.cancel()


async def _obey(signals: AsyncIterator[int]) -> None:
    async for number in signals:
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise Terminated
