"""Speaks ASGI to an application: requests as a hostile page could make them, without a socket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message

Header = tuple[str, str]


@dataclass
class Answer:
    """What came back."""

    status: int = 0
    headers: list[Header] = field(default_factory=list)
    body: bytes = b""

    def all(self, name: str) -> list[str]:
        """The values of a header."""
        return [value for found, value in self.headers if found == name]

    def one(self, name: str) -> str:
        """The value of a header that is there once."""
        (value,) = self.all(name)
        return value


def scope_of(kind: str, target: str, headers: Sequence[Header], method: str = "GET") -> Any:
    """An ASGI scope, with the path as Hypercorn would have it."""
    path, _, query = target.partition("?")
    return {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 1),
        "subprotocols": [],
        "extensions": {},
        "state": {},
    }


async def ask(
    app: ASGIApp, target: str, headers: Sequence[Header] = (), method: str = "GET"
) -> Answer:
    """One HTTP request."""
    answer = Answer()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = [(n.decode(), v.decode()) for n, v in message["headers"]]
        else:
            answer.body += message.get("body", b"")

    await app(scope_of("http", target, headers, method), receive, send)
    return answer


async def knock(app: ASGIApp, target: str, headers: Sequence[Header]) -> str:
    """A WebSocket's opening: the type of the first message that is sent back."""
    said: list[Message] = []
    heard: list[Message] = [
        {"type": "websocket.connect"},
        {"type": "websocket.disconnect", "code": 1000},
    ]

    async def receive() -> Message:
        return heard.pop(0)

    async def send(message: Message) -> None:
        said.append(message)

    await app(scope_of("websocket", target, headers), receive, send)
    return str(said[0]["type"])
