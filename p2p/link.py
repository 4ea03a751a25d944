"""A link: a stream on which both sides have proved their keys, and that carries values."""

from __future__ import annotations

import trio

from p2p.frames import FRAME_LIMIT, FrameStream, LinkDown
from p2p.transport import Address
from protocol.wire import Value

CLOSING_TIME = 1.0
"""Seconds that a peer gets to take our goodbye before the stream is cut."""


class Link(trio.abc.AsyncResource):
    """An authenticated link to the owner of ``key``; close it, or use it as a context manager.

    Several tasks may send; one may iterate over what arrives. ``dialled`` says whether this side
    dialled. ``remote`` is the address that was dialled, or the one that dialled us (whose port is
    not one to dial back). ``software`` is what the peer says it runs, plain text.
    """

    def __init__(
        self, frames: FrameStream, *, key: bytes, software: str, remote: Address, dialled: bool
    ) -> None:
        self.key = key
        self.software = software
        self.remote = remote
        self.dialled = dialled
        self.ending = ""
        """Why iteration ended, in words for people; empty while the link lives."""
        self._frames = frames
        self.limit = FRAME_LIMIT

    @property
    def limit(self) -> int:
        """The longest frame that is accepted, in bytes; to be set by what the peer may say now."""
        return self._frames.limit

    @limit.setter
    def limit(self, count: int) -> None:
        self._frames.limit = count

    async def send(self, value: Value) -> None:
        """Send a value; waits as long as the peer does not read, so give it a timeout.

        Raises LinkDown if the link is gone, LocalError for what is no value or is too long. After
        a send that was cancelled half-way the link is of no use any more.
        """
        await self._frames.send(value)

    def __aiter__(self) -> Link:
        return self

    async def __anext__(self) -> Value:
        """The next value; the end of the link ends the iteration and sets ``ending``.

        Raises PeerFault ``frame`` or ``encoding`` for bytes that are no value: close the link then.
        """
        try:
            return await self._frames.receive()
        except LinkDown as down:
            self.ending = str(down)
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Close the link within ``CLOSING_TIME``, whatever the peer does; may be called again."""
        with trio.move_on_after(CLOSING_TIME):
            await self._frames.aclose()
