"""``facedown play``: a peer, its page on loopback, and the browser that shows it."""

from __future__ import annotations

import os
import socket
import webbrowser
from contextlib import suppress
from functools import partial
from typing import Final

import trio

from p2p.peer import PeerConfig, open_peer
from ui import exits
from ui.page.bots import Bots
from ui.page.gate import Gate, proof, window_key
from ui.page.keep import Kept
from ui.page.room import Room
from ui.page.serving import listen, serve
from ui.page.site import site
from ui.page.state import State
from ui.settings import PlaySettings
from ui.signals import obeyed
from ui.trouble import say

KEY_BYTES: Final = 32


def run(settings: PlaySettings) -> int:
    """The command; runs until it is interrupted."""
    trio.run(_run, settings)
    return exits.DONE


async def _run(settings: PlaySettings) -> None:
    kept = Kept(settings.data)
    name = settings.name or kept.text("name") or settings.usual_name
    room: Room | None = None
    async with obeyed(), trio.open_nursery() as nursery:
        while True:  # once for each name that the player takes
            config = PeerConfig(
                settings.data,
                name,
                interface=settings.interface,
                port=settings.port or _if_free(kept.number("port")),
                discovery=settings.discovery,
                ready=False,
            )
            async with open_peer(config) as peer:
                kept.put(name=name, port=peer.port)
                state = State(name, peer.key, looks=settings.discovery)
                if room is None:
                    bots = Bots(settings.data / "bots", peer.key)
                    room = Room(kept, bots)
                    await nursery.start(bots.run)
                    await nursery.start(_serve, settings, kept, room)
                    nursery.start_soon(_begin, settings, room)
                name = await room.show(peer, state)


async def _begin(settings: PlaySettings, room: Room) -> None:
    """Goes on at the table that was left; else opens the one that was asked for."""
    if await room.resume():
        return
    if settings.bots:
        await room.open_with_bots(
            settings.table, settings.game, settings.options, settings.seats, settings.bots
        )


async def _serve(
    settings: PlaySettings,
    kept: Kept,
    room: Room,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serves the page until cancelled; raises Trouble if its port cannot be had."""
    with listen(settings.page_port, kept.number("page_port")) as listener:
        port = listener.getsockname()[1]
        kept.put(page_port=port)
        key = kept.secret(KEY_BYTES)
        addresses = Addresses()
        inside = site(room, partial(proof, window_key(key, port), port))
        gate = Gate(inside, port, key, addresses.fresh)
        task_status.started()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, gate, listener)
            if settings.opens:
                # A browser in the foreground keeps its thread until it ends.
                await trio.to_thread.run_sync(_open, addresses.first, abandon_on_cancel=True)


class Addresses:
    """Tells people the page's one-time addresses. ``first``: the first of them."""

    def __init__(self) -> None:
        self.first = ""

    def fresh(self, address: str) -> None:
        """A new address, which works once."""
        if self.first:
            say(f"facedown: to open the page in another browser: {address}")
            return
        self.first = address
        # A program that started this one may wait for just this line.
        print(address, flush=True)
        say("facedown: the page is at the address above; Ctrl-C ends the game's program.")


def _open(address: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(address)


def _if_free(port: int) -> int:
    """The port if nobody listens there now, else 0."""
    with socket.socket() as probe:
        try:
            if os.name == "posix":  # what is left of old links does not keep us from listening
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("", port))
        except OSError:
            return 0
    return port
