"""The page's server: its files, the one connection of each window, the records to save."""

from __future__ import annotations

import hmac
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from typing import Final, Protocol

import trio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from protocol.errors import LocalError

TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}
"""The kinds of files that the page is made of; nothing else is served."""

_NAME: Final = re.compile(rf"([\w-]{{1,40}}/){{0,3}}[\w-]{{1,40}}\.({'|'.join(TYPES)})", re.ASCII)
"""How files of the page are called; whatever leads out of the folder looks different."""

NONCE_BYTES: Final = 16

PROOF_SECONDS: Final = 10.0
"""How long a window may take to prove that it may come in."""

STRANGER: Final = 4403
"""The code with which the connection of one that cannot is closed."""

MOST_MESSAGE: Final = 16 * 1024
"""Bytes of a command; the longest honest one is a chat line."""

Window = Callable[[], Awaitable[str]]


class Host(Protocol):
    """What the site serves windows from: ``ui.page.room``."""

    def window(self) -> Window:
        """A new window: each call of what this returns waits for the next message to it."""

    def forget(self, window: Window) -> None:
        """A window is closed."""

    async def obey(self, command: str) -> str:
        """Carries out a command of a window; returns the answer to it. Never raises."""

    async def record(self, table: str) -> bytes:
        """The record file of a table by its id in hexadecimal; raises LocalError."""


def site(host: Host, proof: Callable[[str], str]) -> Starlette:
    """The application; the gate goes in front of it. ``proof``: what a window that may come in
    answers to a nonce."""

    async def start(request: Request) -> Response:
        return _file("index.html")

    async def file(request: Request) -> Response:
        return _file(request.path_params["path"])

    async def record(request: Request) -> Response:
        table = request.path_params["table"]
        if not re.fullmatch("[0-9a-f]{64}", table):
            raise HTTPException(404)
        try:
            data = await host.record(table)
        except LocalError as error:
            raise HTTPException(404, str(error)) from None
        name = f"{time.strftime('facedown-%Y-%m-%d')}-{table[:8]}.facedown"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(data, media_type="application/octet-stream", headers=headers)

    async def window(socket: WebSocket) -> None:
        await socket.accept()
        async with trio.open_nursery() as nursery:
            with suppress(WebSocketDisconnect, RuntimeError):
                if await _proves(socket, proof):
                    await _serve(socket, host, nursery)
                else:
                    await socket.close(STRANGER)
            nursery.cancel_scope.cancel()

    return Starlette(
        routes=[
            Route("/", start),
            # Records are as good as random: nothing is won by compressing them.
            Route(
                "/web/{path:path}",
                file,
                # Quickly rather than well: the game waits while a page is fetched.
                middleware=[Middleware(GZipMiddleware, minimum_size=1000, compresslevel=1)],
            ),
            Route("/record/{table:str}.facedown", record),
            WebSocketRoute("/ws", window),
        ],
    )


async def _proves(socket: WebSocket, proof: Callable[[str], str]) -> bool:
    """Whether a window holds the window key."""
    nonce = secrets.token_hex(NONCE_BYTES)
    await socket.send_text(json.dumps({"nonce": nonce}))
    with trio.move_on_after(PROOF_SECONDS):
        said = await socket.receive()
        text = said.get("text")
        return isinstance(text, str) and hmac.compare_digest(text.encode(), proof(nonce).encode())
    return False


async def _serve(socket: WebSocket, host: Host, nursery: trio.Nursery) -> None:
    """Tells a window what happens and carries out its commands, one after the other."""
    sending = trio.Lock()

    async def send(text: str) -> None:
        async with sending:
            await socket.send_text(text)

    async def tell(next_message: Window) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await send(await next_message())

    window = host.window()
    nursery.start_soon(tell, window)
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            command = message.get("text")
            if not isinstance(command, str):  # bytes, which no page of ours sends
                await socket.close(1003)
                return
            if len(command) > MOST_MESSAGE:
                await socket.close(1009)
                return
            await send(await host.obey(command))
    finally:
        host.forget(window)


def _file(path: str) -> Response:
    """A file of the page, by its path below ``ui/web``; raises HTTPException."""
    if not _NAME.fullmatch(path):
        raise HTTPException(404)
    found = files("ui").joinpath("web", *path.split("/"))
    if not found.is_file():
        raise HTTPException(404)
    return Response(found.read_bytes(), media_type=TYPES[path.rpartition(".")[2]])
