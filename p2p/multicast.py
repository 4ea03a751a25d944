"""Discovery by multicast DNS: zeroconf, which runs in threads of its own, tamed for Trio.

Every call of zeroconf blocks, so all go to worker threads; its callbacks only leave a note. A
call takes two seconds at most and is waited for, so that none is under way at the closing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import trio
import zeroconf

from p2p import mdns_calls
from p2p.discovery import (
    SERVICE_TYPE,
    Discovery,
    Event,
    Found,
    Lost,
    Sighting,
    TableAd,
    Unavailable,
    instance_label,
    read_sighting,
    write_txt,
)
from p2p.identity import short_form
from p2p.interfaces import is_loopback, local_addresses
from protocol.errors import LocalError, PeerFault

MOST_PEERS = 64
"""Instances that are followed; a room has fewer, and a flood of invented ones ends here."""

POLL = 5.0
"""Seconds between looks at the interfaces; a change counts when two looks agree on it."""

RETRY = 30.0
"""Seconds until a start that failed is tried again, or sooner if the interfaces change."""

ANNOUNCE_GAP = 1.0
"""Seconds between announcements; mDNS allows one a second (RFC 6762 6)."""

CLOSE_TIME = 3.0
"""Seconds for the goodbye; a network that takes longer does not hear it."""

_RESOLVERS = 4
_EVENTS = 64


@asynccontextmanager
async def open_multicast(
    choice: str | None,
    name: str,
    key: bytes,
    port: int,
    *,
    tables: Sequence[TableAd] = (),
    service_type: str = SERVICE_TYPE,
    poll: float = POLL,
) -> AsyncIterator[Discovery]:
    """Discovery while the block runs: finds others, and tells them of us at ``port``.

    With port 0 it only looks: nobody is told of us.

    ``choice`` as for ``interfaces.local_addresses``. A network that does not let us is an event
    (``Unavailable``), not an error. Raises LocalError for a name that others would refuse.
    """
    short = await trio.to_thread.run_sync(short_form, key)
    discovery = _Multicast(choice, name, key, short, port, service_type, poll)
    discovery.announce(tables)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(discovery.run)
        try:
            yield discovery
        finally:
            nursery.cancel_scope.cancel()


class _Multicast(Discovery):
    """The lasting part: what we say, who was found, and one session of zeroconf after another."""

    def __init__(
        self,
        choice: str | None,
        name: str,
        key: bytes,
        short: str,
        port: int,
        service_type: str,
        poll: float,
    ) -> None:
        self._choice = choice
        self._name = name
        self._key = key
        self._short = short
        self._port = port
        self._type = service_type
        self._poll = poll
        self._off = ""
        self._instance = f"{instance_label(name, short)}.{service_type}"
        self._txt = write_txt(name, key, short, ())
        self._addresses: tuple[str, ...] = ()
        self._changed = trio.Event()
        self._sightings: dict[str, Sighting] = {}
        self._lookups: dict[str, object] = {}
        self._send, self._receive = trio.open_memory_channel[Event](_EVENTS)

    @property
    def events(self) -> trio.MemoryReceiveChannel[Event]:
        """See ``Discovery.events``."""
        return self._receive

    def announce(self, tables: Sequence[TableAd]) -> None:
        """See ``Discovery.announce``."""
        self._txt = write_txt(self._name, self._key, self._short, tables)
        self._changed.set()

    async def run(self) -> None:
        """Discover until cancelled; what the network refuses is told and tried again."""
        while True:
            try:
                self._addresses = await trio.to_thread.run_sync(local_addresses, self._choice)
                await self._session()
            except* (OSError, zeroconf.Error, LocalError) as troubles:
                reason = _reason(troubles)
            if reason != self._off:  # not at every try again
                self._off = reason
                await self._send.send(Unavailable(reason))
            for name in list(self._sightings):
                await self._lose(name)
            with trio.move_on_after(RETRY):
                await self._interfaces_changed()

    async def _session(self) -> None:
        """One life of zeroconf; raises what ended it, from here or in a group."""
        zc = await trio.to_thread.run_sync(
            mdns_calls.start, mdns_calls.for_multicast(self._addresses)
        )
        browser = None
        self._off = ""
        try:
            notes = mdns_calls.Notes()
            browser = await trio.to_thread.run_sync(mdns_calls.browse, zc, self._type, notes)
            async with trio.open_nursery() as nursery:
                if self._port:
                    nursery.start_soon(self._call_out, zc)
                nursery.start_soon(self._follow, zc, notes)
                nursery.start_soon(self._keep_up, zc)
        finally:
            with trio.move_on_after(CLOSE_TIME, shield=True):
                await trio.to_thread.run_sync(mdns_calls.close, zc, browser, abandon_on_cancel=True)

    async def _call_out(self, zc: zeroconf.Zeroconf) -> None:
        """Register, then announce what changes, at most once in ``ANNOUNCE_GAP``."""
        self._changed = trio.Event()
        info = self._info()
        await trio.to_thread.run_sync(mdns_calls.register, zc, info, abandon_on_cancel=True)
        self._instance = info.name  # it may have got a number
        while True:
            await self._changed.wait()
            await trio.sleep(ANNOUNCE_GAP)
            self._changed = trio.Event()
            await trio.to_thread.run_sync(zc.update_service, self._info())

    def _info(self) -> zeroconf.ServiceInfo:
        return zeroconf.ServiceInfo(
            self._type,
            self._instance,
            port=self._port,
            properties=dict(self._txt),
            server=f"facedown-{self._key.hex()[:12]}.local.",
            parsed_addresses=list(self._addresses),
        )

    async def _follow(self, zc: zeroconf.Zeroconf, notes: mdns_calls.Notes) -> None:
        """Turn the browser's notes into events; a few instances are looked up at a time."""
        free = trio.Semaphore(_RESOLVERS)
        async with trio.open_nursery() as nursery:
            while True:
                name, there = await notes.take()
                if not there:
                    await self._lose(name)
                else:  # our own among them; the key will tell, the name may be another's until then
                    await free.acquire()
                    nursery.start_soon(self._look_up, zc, name, free)

    async def _look_up(self, zc: zeroconf.Zeroconf, name: str, free: trio.Semaphore) -> None:
        """Ask what an instance says; the answer counts unless there is newer news of it."""
        mark = self._lookups[name] = object()
        try:
            info = await trio.to_thread.run_sync(mdns_calls.resolve, zc, self._type, name)
            if self._lookups.get(name) is not mark:
                return
            del self._lookups[name]
            sighting = None if info is None else self._read(info)
            if sighting is None or sighting.key == self._key:
                await self._lose(name)
            elif self._sightings.get(name) != sighting and self._has_room(name):
                self._sightings[name] = sighting
                await self._send.send(Found(sighting))
        finally:
            free.release()

    def _has_room(self, name: str) -> bool:
        return name in self._sightings or len(self._sightings) < MOST_PEERS

    async def _lose(self, name: str) -> None:
        self._lookups.pop(name, None)
        if self._sightings.pop(name, None) is not None:
            await self._send.send(Lost(name))

    def _read(self, info: zeroconf.ServiceInfo) -> Sighting | None:
        try:
            return read_sighting(
                info.name,
                info.properties,
                info.parsed_scoped_addresses(),
                info.port,
                on_loopback=all(map(is_loopback, self._addresses)),
            )
        except PeerFault:
            return None  # nonsense is as good as silence: there is nobody to tell

    async def _keep_up(self, zc: zeroconf.Zeroconf) -> None:
        """Follow the machine through sleep, DHCP and VPNs, which leave zeroconf deaf."""
        while True:
            await self._interfaces_changed()
            await trio.to_thread.run_sync(
                zc.update_interfaces, mdns_calls.for_multicast(self._addresses)
            )
            self._changed.set()

    def _look(self) -> tuple[str, ...]:
        """The addresses of now; none while the chosen interface is gone."""
        try:
            return local_addresses(self._choice)
        except LocalError:
            return ()

    async def _interfaces_changed(self) -> None:
        """Return when the addresses are others, and were the same at two looks."""
        seen = self._addresses
        while True:
            await trio.sleep(self._poll)
            now = await trio.to_thread.run_sync(self._look)
            if now == seen != self._addresses:
                self._addresses = now
                return
            seen = now


def _reason(troubles: BaseExceptionGroup[Exception]) -> str:
    """The first trouble in words for people."""
    trouble: BaseException = troubles
    while isinstance(trouble, BaseExceptionGroup):
        trouble = trouble.exceptions[0]
    text = getattr(trouble, "strerror", None) or str(trouble) or type(trouble).__name__
    return (
        f"Finding others on the network is off ({text}). An address or an invite code still works."
    )
