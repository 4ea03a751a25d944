"""Serving the page: a socket on loopback, and Hypercorn's Trio worker on it."""

from __future__ import annotations

import logging
import socket
from typing import Any, cast

import trio
from hypercorn.config import Config
from hypercorn.trio import serve as hypercorn_serve
from starlette.types import ASGIApp

from p2p.trouble import Trouble
from ui.page.gate import HOST

BACKLOG = 64

BEAT_SECONDS = 20
"""How often a window is asked whether it is still there."""


def listen(wanted: int, last: int) -> socket.socket:
    """A socket on loopback: at the port that is ``wanted``, or if that is 0 at the ``last`` one, so
    that windows find their peer again, or at any. Raises Trouble."""
    for port in (wanted,) if wanted else (last, 0):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows lets others listen there too
                found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind((HOST, port))
            found.listen(BACKLOG)
        except OSError as error:
            found.close()
            why = error.strerror or str(error)
        else:
            found.set_inheritable(False)
            return found
    raise Trouble("port", f"the page cannot be served at {HOST}:{wanted}: {why}")


async def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serves until cancelled."""
    # With too many open files Trio waits and tries again: nothing that a player can act on.
    logging.getLogger("trio.serve_listeners").setLevel(logging.CRITICAL + 1)
    config = Config()
    config.bind = [f"fd://{listener.dup().detach()}"]  # whose end Hypercorn sees to itself
    config.accesslog = config.errorlog = None
    config.include_server_header = False
    config.h11_max_incomplete_size = 512 * 1024  # cookies of whatever else is served on 127.0.0.1
    config.keep_alive_timeout = 60
    config.websocket_max_message_size = 64 * 1024
    config.websocket_ping_interval = BEAT_SECONDS
    await hypercorn_serve(cast(Any, app), config, shutdown_trigger=trio.sleep_forever)
