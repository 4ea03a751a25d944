"""One link at work: a bounded queue out, a reader, and pings that tell if it lives. SPEC 11.8.

A dead link swallows bytes for many seconds without an error, and a slow reader would let the queue
grow; neither is waited for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

import trio

from p2p import codec
from p2p.frames import LinkDown
from p2p.link import Link
from p2p.messages import MAX_BYE, Bye, Message, Ping, Pong
from protocol.errors import PeerFault
from protocol.wire import Value

PING_SECONDS = 2.0

DEAD_SECONDS = 6.0
"""Silence after which a link is dead: three pings were not answered."""

QUEUE_BYTES = 4 * 1024 * 1024
"""What may wait to be sent: some portions of catching up, and more than a whole hand."""

QUEUE_MESSAGES = 4096

BYE_SECONDS = 0.3
"""How long a link that is closed may take to say why, and to empty its queue."""


class LiveLink:
    """A link with its queue. ``run`` owns it; all else may be called from any task, and at once."""

    def __init__(self, link: Link, ping: Callable[[int], Ping]) -> None:
        self.link = link
        self.reason = ""
        self.incoming = False
        """Whether the other side came by itself."""
        self.spoke = False
        """Whether anything has come by it that somebody has a reason to say."""
        self._ping = ping
        self._queue: deque[tuple[Value, int]] = deque()
        self._size = 0
        self._more = trio.Event()
        self._scope = trio.CancelScope()
        self._bye: Bye | None = None
        self._closing = False

    @property
    def waiting_bytes(self) -> int:
        """The bytes that wait to be sent."""
        return self._size

    def put(self, value: Value, size: int) -> None:
        """Queues a value of ``size`` bytes; the link ends if the peer does not keep up."""
        if self._size + size > QUEUE_BYTES or len(self._queue) >= QUEUE_MESSAGES:
            self.end("it reads too slowly")
            return
        self._queue.append((value, size))
        self._size += size
        self._more.set()

    def say(self, message: Message) -> None:
        """Queues a small message."""
        self.put(codec.to_wire(message), 64)

    def end(self, reason: str, bye: Bye | None = None) -> None:
        """Ends the link now; what waits in the queue is lost, but ``bye`` is tried."""
        if not self.reason:
            self.reason = reason
            self._bye = bye
        self._scope.cancel()

    def finish(self, bye: Bye) -> None:
        """Ends the link when the queue is empty, or after ``BYE_SECONDS``."""
        self._bye = self._bye or bye
        self._closing = True
        self._scope.deadline = trio.current_time() + BYE_SECONDS
        self._more.set()

    async def run(self, take: Callable[[Message], Awaitable[None]]) -> PeerFault | None:
        """Works until the link ends; then closes it and ``reason`` says why, in words for people.

        ``take`` gets every message but pongs and the last. Returns the fault that ended the link
        if the peer is to blame.
        """
        fault: PeerFault | None = None
        async with self.link:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._write)
                    nursery.start_soon(self._keep_asking)
                    try:
                        await self._read(take)
                    except PeerFault as caught:
                        fault = caught
                        self.end(fault.text, Bye("fault", _cut(str(fault))))
                    self._scope.cancel()
            if self._bye is not None:
                with trio.move_on_after(BYE_SECONDS, shield=True), suppress(LinkDown):
                    await self.link.send(codec.to_wire(self._bye))
        self.reason = self.reason or self.link.ending or "the link was closed"
        return fault

    async def _read(self, take: Callable[[Message], Awaitable[None]]) -> None:
        while (value := await self._next()) is not None:
            message = codec.from_wire(value)
            if isinstance(message, Bye):
                self.end(message.text)
                return
            if isinstance(message, Ping):
                self.say(Pong(message.number))
            if not isinstance(message, Pong):
                await take(message)

    async def _next(self) -> Value | None:
        """The next value; None at the end. Only waiting for the peer counts as its silence."""
        with trio.move_on_after(DEAD_SECONDS):
            try:
                return await anext(self.link)
            except StopAsyncIteration:
                self.end(self.link.ending)
                return None
        self.end(f"no answer for {DEAD_SECONDS:g} s")
        return None

    async def _write(self) -> None:
        while True:
            while self._queue:
                value, size = self._queue.popleft()
                try:
                    await self.link.send(value)
                except LinkDown as down:
                    self.end(str(down))
                    return
                self._size -= size
            if self._closing:
                self.end(self._bye.text if self._bye else "", self._bye)
                return
            self._more = trio.Event()
            await self._more.wait()

    async def _keep_asking(self) -> None:
        number = 0
        while True:
            number += 1
            ping = self._ping(number)
            self.put(codec.to_wire(ping), 64 + 16 * len(ping.positions))
            await trio.sleep(PING_SECONDS)


def _cut(text: str) -> str:
    """A text that fits into a BYE."""
    plain = "".join(sign for sign in text if sign.isprintable())
    return plain.encode()[:MAX_BYE].decode(errors="ignore") or "a fault"
