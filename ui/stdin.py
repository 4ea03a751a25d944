"""Standard input in lines, beside everything else that goes on.

It is read by its number, not as ``sys.stdin``: a thread that waits inside that would hold a lock
that the interpreter needs to exit.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import trio

STDIN = 0
CHUNK = 65536


async def chunks(descriptor: int = STDIN) -> AsyncIterator[bytes]:
    """What is read, until the other end is closed; a broken end counts as closed."""
    while True:
        try:
            data = await trio.to_thread.run_sync(os.read, descriptor, CHUNK, abandon_on_cancel=True)
        except OSError:
            return
        if not data:
            return
        yield data


async def lines(most: int, descriptor: int = STDIN) -> AsyncIterator[bytes]:
    """Lines without their ends, empty ones left out. Of a longer one than ``most`` bytes only the
    first ``most + 1`` are kept, so that it can be refused and costs nothing."""
    held = b""
    async for data in chunks(descriptor):
        *whole, rest = data.split(b"\n")
        for piece in whole:
            line = (held + piece)[: most + 1]
            held = b""
            if line.strip():
                yield line
        held = (held + rest)[: most + 1]
    if held.strip():
        yield held


async def closed(descriptor: int = STDIN) -> None:
    """Returns when standard input is closed; what comes before is thrown away."""
    async for _ in chunks(descriptor):
        pass
