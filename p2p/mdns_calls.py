"""The blocking side of multicast DNS: what is done in zeroconf's threads, or in a worker's.

Nothing here waits for Trio, and nothing of Trio's is touched but by ``run_sync_soon``.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TypeAlias

import trio
import zeroconf

MOST_NOTES = 128
"""Instances with news that wait to be looked at; what is beyond is not noticed."""

RESOLVE_TIME = 2.0
"""Seconds for an instance to say where it is."""

_Interfaces: TypeAlias = list[str | int | tuple[tuple[str, int, int], int]]
"""zeroconf's own type; here always IPv4 addresses."""


class Notes(zeroconf.ServiceListener):
    """What the browser's thread noticed, until Trio takes it: per instance the last word."""

    def __init__(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._lock = threading.Lock()
        self._notes: dict[str, bool] = {}
        self._more = trio.Event()

    def add_service(self, zc: zeroconf.Zeroconf, type_: str, name: str) -> None:
        """Called in the browser's thread."""
        self._note(name, True)

    def update_service(self, zc: zeroconf.Zeroconf, type_: str, name: str) -> None:
        """Called in the browser's thread."""
        self._note(name, True)

    def remove_service(self, zc: zeroconf.Zeroconf, type_: str, name: str) -> None:
        """Called in the browser's thread."""
        self._note(name, False)

    def _note(self, name: str, there: bool) -> None:
        with self._lock:
            if name not in self._notes and len(self._notes) >= MOST_NOTES:
                return
            self._notes[name] = there
        try:
            self._token.run_sync_soon(self._wake, idempotent=True)
        except trio.RunFinishedError:
            return  # the program ends; nobody wants to know any more

    def _wake(self) -> None:
        self._more.set()

    async def take(self) -> tuple[str, bool]:
        """An instance and whether it is there; waits for the next note. One task at a time."""
        while True:
            with self._lock:
                if self._notes:
                    name = next(iter(self._notes))
                    return name, self._notes.pop(name)
                self._more = trio.Event()
            await self._more.wait()


def for_multicast(addresses: Sequence[str]) -> _Interfaces:
    """The IPv4 addresses; raises OSError if there is none.

    IPv4 alone carries mDNS here: it is on every local network, and zeroconf's dual mode is not
    on every system. IPv6 addresses are announced all the same.
    """
    found: _Interfaces = [a for a in addresses if ":" not in a]
    if not found:
        raise OSError("the interface has no IPv4 address")
    return found


def start(addresses: _Interfaces) -> zeroconf.Zeroconf:
    """Open the sockets and start the thread; raises OSError or zeroconf.Error."""
    return zeroconf.Zeroconf(
        interfaces=addresses, ip_version=zeroconf.IPVersion.V4Only, use_asyncio=False
    )


def browse(zc: zeroconf.Zeroconf, service_type: str, notes: Notes) -> zeroconf.ServiceBrowser:
    """Start to look for instances, in a thread that leaves notes."""
    return zeroconf.ServiceBrowser(zc, service_type, listener=notes)


def register(zc: zeroconf.Zeroconf, info: zeroconf.ServiceInfo) -> None:
    """Claim the name (which may get a number) and call it out: 1.6 s; raises zeroconf.Error."""
    zc.register_service(info, allow_name_change=True)


def resolve(zc: zeroconf.Zeroconf, service_type: str, name: str) -> zeroconf.ServiceInfo | None:
    """What an instance says, or None if it does not answer or its name is no name."""
    try:
        return zc.get_service_info(service_type, name, timeout=int(RESOLVE_TIME * 1000))
    except zeroconf.Error:
        return None


def close(zc: zeroconf.Zeroconf, browser: zeroconf.ServiceBrowser | None) -> None:
    """Say goodbye and end the threads, the browser's first."""
    try:
        if browser is not None:
            browser.cancel()
    finally:
        zc.close()
