"""A window's connection over a real socket, with everything that a browser would not do."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Message,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)

from tests.page.asgi import Header
from ui.page.gate import proof, window_key


class Refused(Exception):
    """The server does not open the connection; ``status``."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


class Client:
    """One connection. ``closed``: the code with which the other side closed it."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.closed: int | None = None
        self._wire = WSConnection(ConnectionType.CLIENT)
        self._held = ""
        self._texts: list[str] = []

    async def open(self, port: int, headers: list[Header]) -> None:
        """Says hello; raises Refused."""
        extra = [(name.encode(), value.encode()) for name, value in headers]
        hello = Request(host=f"127.0.0.1:{port}", target="/ws", extra_headers=extra)
        await self.stream.send_all(self._wire.send(hello))
        opened = False
        while not opened:
            for event in await self._events():
                if isinstance(event, RejectConnection):
                    raise Refused(event.status_code)
                opened = opened or isinstance(event, AcceptConnection)
                await self._take(event)  # the first message may come with the answer

    async def prove(self, port: int, key: bytes) -> None:
        """Answers the nonce as a window that holds the key does."""
        nonce = (await self.hear())["nonce"]
        await self.say(proof(window_key(key, port), port, nonce))

    async def say(self, data: Any) -> None:
        """Sends text, bytes, or anything else as JSON."""
        event: Message
        if isinstance(data, bytes):
            event = BytesMessage(data=data)
        else:
            event = TextMessage(data=data if isinstance(data, str) else json.dumps(data))
        await self.stream.send_all(self._wire.send(event))

    async def hear(self) -> Any:
        """The next message; None when the connection is closed."""
        with trio.fail_after(5):
            while not self._texts and self.closed is None:
                await self._read()
        return json.loads(self._texts.pop(0)) if self._texts else None

    async def reply(self, number: int) -> Any:
        """The answer to a command; updates are passed over."""
        while (said := await self.hear()) is not None:
            if said.get("reply") == number:
                return said
        return None

    async def _read(self) -> None:
        for event in await self._events():
            await self._take(event)

    async def _take(self, event: object) -> None:
        if isinstance(event, TextMessage):
            self._held += event.data
            if event.message_finished:
                self._texts.append(self._held)
                self._held = ""
        elif isinstance(event, CloseConnection):
            self.closed = event.code
        elif isinstance(event, Ping):
            await self.stream.send_all(self._wire.send(event.response()))

    async def _events(self) -> list[object]:
        data = await self.stream.receive_some(65536)
        if not data:
            self.closed = self.closed or 1006
            return []
        self._wire.receive_data(data)
        return list(self._wire.events())


@asynccontextmanager
async def connecting(
    port: int, cookie: Header, origin: str | None = None, read_buffer: int | None = None
) -> AsyncIterator[Client]:
    """A connection of our own page, or of another ``origin``, that has proved nothing yet; raises
    Refused."""
    sock = trio.socket.socket()
    if read_buffer is not None:
        sock.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, read_buffer)
    await sock.connect(("127.0.0.1", port))
    async with trio.SocketStream(sock) as stream:
        client = Client(stream)
        await client.open(port, [cookie, ("Origin", origin or f"http://127.0.0.1:{port}")])
        yield client


@asynccontextmanager
async def connected(
    port: int,
    cookie: Header,
    origin: str | None = None,
    read_buffer: int | None = None,
    key: bytes = b"k" * 32,
) -> AsyncIterator[Client]:
    """The same once it has proved that it holds the window key."""
    async with connecting(port, cookie, origin, read_buffer) as client:
        await client.prove(port, key)
        yield client
