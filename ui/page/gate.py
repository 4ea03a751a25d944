"""Who may talk to the page's server: this computer's browser, by a one-time address, nobody else.

Every page that a browser shows may send requests to loopback, and so may other users of this
computer. So each request must name our host exactly, come from our own page, and carry a secret
that only the address printed at the start gives away, once.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST: Final = "127.0.0.1"

TOKEN_BYTES: Final = 24

_GONE: Final = (
    "This address has been used already, or is not the one that facedown play printed last.\n"
    "It opens the page once. In the window where facedown play runs there is a fresh one.\n"
)
_STRANGER: Final = (
    "This page belongs to the browser that opened it first.\n"
    "In the window where facedown play runs there is an address for another one.\n"
)
_ELSEWHERE: Final = (
    "This request does not come from the page of Facedown; it was not carried out.\n"
)


class Gate:
    """Lets requests through to ``app`` that carry the cookie; hands it out for a one-time token.

    ``key``: the secret of this data folder, of which the cookie's value is made. ``fresh`` is told
    each new address; the first one is told at once.
    """

    def __init__(self, app: ASGIApp, port: int, key: bytes, fresh: Callable[[str], None]) -> None:
        self._app = app
        self._origin = f"http://{HOST}:{port}"
        self._host = f"{HOST}:{port}"
        # Cookies are not separated by port: two peers on one machine would overwrite each other's.
        self._cookie = f"facedown_{port}"
        self._value = hmac.digest(key, f"page {port}".encode(), "sha256").hex()
        self._fresh = fresh
        self._token = ""
        self._headers = _headers(self._origin)
        self._renew()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, as ASGI has it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, self._dressed(send))
        elif scope["type"] == "http":
            await refusal(scope, receive, self._dressed(send))
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """What to answer instead of passing the request on; None: it may pass."""
        if headers.getlist("host") != [self._host]:
            return PlainTextResponse(f"Open {self._origin} instead.\n", 421)
        origins = headers.getlist("origin")
        from_page = {"same-origin", "none"}.issuperset(headers.getlist("sec-fetch-site"))
        if not {self._origin}.issuperset(origins) or not from_page:
            return PlainTextResponse(_ELSEWHERE, 403)
        websocket = scope["type"] == "websocket"
        if websocket and not origins:  # every browser sends it
            return PlainTextResponse(_ELSEWHERE, 403)
        if not websocket and scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse(_ELSEWHERE, 405)
        token = QueryParams(scope["query_string"]).get("token")
        entering = not websocket and scope["path"] == "/" and token is not None
        if self._is_known(headers):
            return RedirectResponse("/", 303) if entering else None
        if not entering or token is None:
            return PlainTextResponse(_STRANGER, 403)
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return PlainTextResponse(_GONE, 403)
        self._renew()
        response = RedirectResponse("/", 303)
        response.set_cookie(self._cookie, self._value, httponly=True, samesite="strict", path="/")
        return response

    def _is_known(self, headers: Headers) -> bool:
        # Split by hand: other programs on loopback send odd cookies along, at which
        # http.cookies would give up all of them.
        pairs = [pair.strip() for line in headers.getlist("cookie") for pair in line.split(";")]
        wanted = f"{self._cookie}={self._value}".encode()
        return any(hmac.compare_digest(pair.encode(), wanted) for pair in pairs)

    def _renew(self) -> None:
        self._token = secrets.token_urlsafe(TOKEN_BYTES)
        self._fresh(f"{self._origin}/?token={self._token}")

    def _dressed(self, send: Send) -> Send:
        """Puts the headers of every answer on it."""

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        return dressed


def _headers(origin: str) -> dict[str, str]:
    socket = origin.replace("http", "ws", 1)
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        # Not every browser takes 'self' for the socket too.
        "connect-src": f"'self' {socket}",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
    }
    return {
        "content-security-policy": "; ".join(f"{name} {what}" for name, what in policy.items()),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cache-control": "no-store",
    }
