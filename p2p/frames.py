"""Frames: four bytes of length, big-endian, then exactly one canonical msgpack object. SPEC 11.2.

Works over any Trio stream: TLS, plain memory, a simulated network. A frame that is longer than the
state of the link allows is refused by its length, before a byte of it is read.
"""

from __future__ import annotations

import trio

from protocol.errors import LocalError, PeerFault
from protocol.wire import Value, pack, unpack

HEADER_BYTES = 4

FRAME_LIMIT = 32 * 1024
"""Bytes of one frame after AUTH: an envelope of at most 16 KiB and what is wrapped around it."""

_CHUNK = 64 * 1024
"""The most that is taken from the stream at once."""


class LinkDown(Exception):
    """There is no link, or none any more: closed, cut, or nobody answered. Nobody's fault.

    The text says what happened, in words for people.
    """


class FrameStream:
    """Values over a byte stream.

    One task may send while another receives; several may send (whole frames, one after the other);
    one task at a time receives. ``limit`` is the longest frame that is accepted, in bytes without
    the header; set it when the state of the link changes. Owns the stream: ``aclose`` closes it.
    """

    def __init__(self, stream: trio.abc.Stream, limit: int = FRAME_LIMIT) -> None:
        self.limit = limit
        self._stream = stream
        self._buffer = bytearray()
        self._send_lock = trio.Lock()
        self._whole = True

    async def send(self, value: Value) -> None:
        """Send a value; see ``send_packed``. Raises LocalError for what is no value."""
        await self.send_packed(pack(value))

    async def send_packed(self, payload: bytes) -> None:
        """Send one object that is packed already; waits while the peer does not read.

        Raises LinkDown if the link is gone. If it is cancelled half-way the frame is cut for good,
        and all later sends raise LinkDown.
        """
        if len(payload) > FRAME_LIMIT:
            raise LocalError(f"a frame of {len(payload)} bytes, at most {FRAME_LIMIT} are allowed")
        async with self._send_lock:
            if not self._whole:
                raise LinkDown("the link broke while something was being sent")
            self._whole = False
            try:
                await self._stream.send_all(len(payload).to_bytes(HEADER_BYTES, "big") + payload)
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LinkDown("the link is gone") from error
            self._whole = True

    async def receive(self) -> Value:
        """The next value; raises PeerFault ``frame`` or ``encoding``, or LinkDown at the end."""
        return unpack(await self.receive_packed(), self.limit)

    async def receive_packed(self) -> bytes:
        """The next object as bytes that are not unpacked yet; raises like ``receive``.

        Nothing is lost if it is cancelled: what has arrived is kept for the next call.
        """
        await self._fill(HEADER_BYTES)
        length = int.from_bytes(self._buffer[:HEADER_BYTES], "big")
        if not 0 < length <= self.limit:
            raise PeerFault("frame", f"a frame of {length} bytes, at most {self.limit} are allowed")
        end = HEADER_BYTES + length
        await self._fill(end)
        payload = bytes(self._buffer[HEADER_BYTES:end])
        del self._buffer[:end]
        return payload

    async def _fill(self, count: int) -> None:
        """Read until ``count`` bytes of the frame are here, and never beyond the frame."""
        while len(self._buffer) < count:
            try:
                data = await self._stream.receive_some(min(count - len(self._buffer), _CHUNK))
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LinkDown("the link is gone") from error
            if not data:
                cut = "in the middle of a frame" if self._buffer else "by the other side"
                raise LinkDown(f"the link was closed {cut}")
            self._buffer += data

    async def aclose(self) -> None:
        """Close the stream; may be called again, and wakes a receiver with LinkDown."""
        await self._stream.aclose()
