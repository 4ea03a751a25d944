"""Who may talk to the page's server: this computer's browser, by a one-time address, nobody else.

Every page that a browser shows may send requests to loopback, and so may other users of this
computer. So each request must name our host exactly, come from our own page, and carry a cookie
that only the address printed at the start gives away, once.

A cookie alone would not do: browsers do not separate cookies by port, so whatever else is served on
127.0.0.1 is sent ours too. What happens at the table goes only to windows that prove that they hold
the window key besides (``proof``). It comes in the address once, behind the ``#`` which is not sent
anywhere, and is kept by the browser for this port alone.
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


def window_key(key: bytes, port: int) -> str:
    """The window key of a data folder's secret, for the page at this port."""
    return hmac.digest(key, f"window {port}".encode(), "sha256").hex()


def proof(window: str, port: int, nonce: str) -> str:
    """What a window answers to a nonce: HMAC-SHA256 under the window key, in hexadecimal.

    The port is in it, so that who sits at another port can do nothing with an answer.
    """
    said = f"facedown window {port} {nonce}"
    return hmac.digest(bytes.fromhex(window), said.encode(), "sha256").hex()


class Gate:
    """Lets requests through to ``app`` that carry the cookie; hands it out for a one-time token.

    ``key``: the secret of this data folder, of which cookie and window key are made. ``fresh`` is
    told each new address; the first one is told at once.
    """

    def __init__(self, app: ASGIApp, port: int, key: bytes, fresh: Callable[[str], None]) -> None:
        self._app = app
        self._origin = f"http://{HOST}:{port}"
        self._host = f"{HOST}:{port}"
        # Cookies are not separated by port: two peers on one machine would overwrite each other's.
        self._cookie = f"facedown_{port}"
        self._value = hmac.digest(key, f"page {port}".encode(), "sha256").hex()
        self._inside = f"/#{window_key(key, port)}"
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
        # Any page may have ours fetched in advance, which looks as if a person asked for it.
        early = headers.get("sec-purpose") or headers.get("purpose") or headers.get("x-moz")
        referers = headers.getlist("referer")
        if early or not all(one.startswith(f"{self._origin}/") for one in referers):
            return PlainTextResponse(_ELSEWHERE, 403)
        websocket = scope["type"] == "websocket"
        if websocket and not origins:  # every browser sends it
            return PlainTextResponse(_ELSEWHERE, 403)
        if not websocket and scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse(_ELSEWHERE, 405)
        token = QueryParams(scope["query_string"]).get("token")
        if websocket or scope["path"] != "/" or token is None:
            return None if self._is_known(headers) else PlainTextResponse(_STRANGER, 403)
        if scope["method"] != "GET":  # whoever asks for the head only does not come in
            return PlainTextResponse(_ELSEWHERE, 405)
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            if self._is_known(headers):  # the address was opened once more
                return RedirectResponse("/", 303)
            return PlainTextResponse(_GONE, 403)
        self._renew()
        response = RedirectResponse(self._inside, 303)
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
