"""All links of this peer: one per key, made again when it breaks. SPEC 11.8.

Both sides may dial. Of two live links with one key the one dialled by the smaller key stays; a new
one by the same dialler replaces its old one. So both sides keep the same link without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import trio

from p2p import codec
from p2p.endpoint import Endpoint
from p2p.events import How
from p2p.frames import LinkDown
from p2p.link import Link
from p2p.livelink import BYE_SECONDS, LiveLink
from p2p.messages import MAX_ADDRESSES, Bye, Message, Ping
from p2p.transport import Address
from protocol.errors import PeerFault
from protocol.wire import pack

MAX_LINKS = 32
"""Links with strangers end here; keys of the own table always get one."""

HEAD_START = 0.5
"""Seconds by which the larger key lets the smaller one dial first, to save a useless link."""

FIRST_PAUSE = 1.0
LAST_PAUSE = 8.0
"""Seconds between two dials of one key: doubled each time, so never more than one a second."""

MAX_DOUBLINGS = 3

SHUNNED_SECONDS = 10.0
"""How long a key that broke the protocol gets no new link."""


@dataclass(frozen=True, slots=True)
class Up:
    """There is a link with this key; also told when a new link takes the place of an old one."""

    key: bytes
    address: Address
    how: How


@dataclass(frozen=True, slots=True)
class Down:
    """There is no link with this key any more."""

    key: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Got:
    """A message, well-formed, by the link with this key."""

    key: bytes
    message: Message


@dataclass(frozen=True, slots=True)
class Broke:
    """Whoever is linked with this key, or was dialled, broke the protocol; the link is closed."""

    key: bytes
    fault: PeerFault


MeshEvent: TypeAlias = Up | Down | Got | Broke


@dataclass(slots=True)
class _Wanted:
    """A key to be linked with, its addresses (those that worked first), and who dials it."""

    addresses: list[Address]
    scope: trio.CancelScope
    fresh: bool = False
    told: str = ""


class Mesh:
    """The links. Events go to ``sink`` in order; everything else may be called at once.

    ``ping`` gives the ping with a number, and so where this peer stands.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        own_key: bytes,
        sink: trio.MemorySendChannel[MeshEvent],
        ping: Callable[[int], Ping],
    ) -> None:
        self._endpoint = endpoint
        self._own_key = own_key
        self._sink = sink
        self._ping = ping
        self._live: dict[bytes, LiveLink] = {}
        self._wanted: dict[bytes, _Wanted] = {}
        self._shunned: dict[bytes, float] = {}
        self._changed = trio.Event()
        self._nursery: trio.Nursery | None = None

    async def run(self, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        """Listens and keeps the links until cancelled; started with the port."""
        async with trio.open_nursery() as self._nursery:
            port = await self._nursery.start(self._endpoint.serve, self._welcome)
            task_status.started(port)

    @property
    def linked(self) -> tuple[bytes, ...]:
        """The keys that are linked now."""
        return tuple(self._live)

    def want(self, members: Mapping[bytes, Iterable[Address]]) -> None:
        """Keep links with these keys from now on, and dial no others.

        Addresses are added to those known; the own key is passed over.
        """
        for key in [key for key in self._wanted if key not in members]:
            self._wanted.pop(key).scope.cancel()
        for key, addresses in members.items():
            if key != self._own_key:
                self._want_one(key)
                self.learn(key, addresses)

    def learn(self, key: bytes, addresses: Iterable[Address]) -> None:
        """More addresses of a wanted key, newest first; for others they are passed over."""
        wanted = self._wanted.get(key)
        if wanted is None:
            return
        known = list(dict.fromkeys([*addresses, *wanted.addresses]))[:MAX_ADDRESSES]
        if known != wanted.addresses:
            wanted.addresses[:] = known
            wanted.fresh = True
            self._note_change()

    def known(self) -> dict[bytes, tuple[Address, ...]]:
        """The addresses of all wanted keys, for telling others."""
        return {key: tuple(wanted.addresses) for key, wanted in self._wanted.items()}

    def post(self, keys: Iterable[bytes], message: Message) -> None:
        """Queues a message for those of the keys that are linked; never waits."""
        links = [link for key in keys if (link := self._live.get(key)) is not None]
        if links:
            value = codec.to_wire(message)
            size = len(pack(value))
            for link in links:
                link.put(value, size)

    def waiting_bytes(self, key: bytes) -> int:
        """The bytes that wait to be sent to a key."""
        link = self._live.get(key)
        return 0 if link is None else link.waiting_bytes

    def drop(self, key: bytes, fault: PeerFault) -> None:
        """Closes the link with a key that broke the protocol; it is shunned for a while."""
        self._shunned[key] = trio.current_time() + SHUNNED_SECONDS
        link = self._live.get(key)
        if link is not None:
            link.end(fault.text, Bye("fault", fault.code))

    async def connect(self, addresses: Sequence[Address], key: bytes | None, how: How) -> bytes:
        """Dials once; the key that is linked then. Raises LinkDown or PeerFault."""
        link = await self._endpoint.dial(addresses, key)
        assert self._nursery is not None
        self._nursery.start_soon(self._work, link, how)
        return link.key

    async def finish(self, text: str) -> None:
        """Says goodbye on all links and gives the queues a moment to empty."""
        for link in self._live.values():
            link.finish(Bye("closed", text))
        with trio.move_on_after(BYE_SECONDS * 2):
            while self._live:
                await self._changed.wait()

    # Links.

    async def _welcome(self, link: Link) -> None:
        await self._work(link, "incoming")

    async def _work(self, link: Link, how: How) -> None:
        """One link from its proof to its end."""
        key = link.key
        live = LiveLink(link, self._ping)
        if not self._register(live):
            await link.aclose()
            return
        fault: PeerFault | None = None
        try:
            await self._sink.send(Up(key, link.remote, how))

            async def take(message: Message) -> None:
                await self._sink.send(Got(key, message))

            fault = await live.run(take)
        finally:
            last = self._live.get(key) is live
            if last:
                del self._live[key]
            self._note_change()
        if fault is not None:
            self._shunned[key] = trio.current_time() + SHUNNED_SECONDS
            await self._sink.send(Broke(key, fault))
        if last:
            await self._sink.send(Down(key, live.reason))

    def _register(self, new: LiveLink) -> bool:
        """Makes a link the one with its key, unless the one that is there is to stay."""
        key = new.link.key
        if trio.current_time() < self._shunned.get(key, -1.0):
            return False
        old = self._live.get(key)
        if old is None:
            if len(self._live) >= MAX_LINKS and key not in self._wanted:
                return False
        elif self._dialler(new) > self._dialler(old):
            return False
        else:
            old.end("a newer link took its place")
        self._live[key] = new
        self._note_change()
        return True

    def _dialler(self, live: LiveLink) -> bytes:
        return self._own_key if live.link.dialled else live.link.key

    # Dialling.

    def _want_one(self, key: bytes) -> None:
        if key in self._wanted or self._nursery is None:
            return
        wanted = self._wanted[key] = _Wanted([], trio.CancelScope())
        self._nursery.start_soon(self._keep, key, wanted)

    async def _keep(self, key: bytes, wanted: _Wanted) -> None:
        """Dials a key whenever it is not linked, with pauses that grow."""
        first = HEAD_START if self._own_key > key else 0.0
        failures = 0
        with wanted.scope:
            while True:
                await self._until(lambda: key not in self._live and bool(wanted.addresses))
                with trio.move_on_after(first):
                    await self._until(lambda: key in self._live)
                if key in self._live:
                    continue
                dialled = trio.current_time()
                wanted.fresh = False
                await self._try(key, wanted)
                # New addresses are tried sooner, but never two dials in one second.
                with trio.move_on_at(dialled + min(FIRST_PAUSE * 2**failures, LAST_PAUSE)):
                    await self._until(lambda: wanted.fresh)
                await trio.sleep_until(dialled + FIRST_PAUSE)
                failures = 0 if key in self._live else min(failures + 1, MAX_DOUBLINGS)

    async def _try(self, key: bytes, wanted: _Wanted) -> None:
        try:
            await self.connect(wanted.addresses, key, "member")
        except LinkDown:
            return
        except PeerFault as fault:
            if fault.code != wanted.told:
                wanted.told = fault.code
                await self._sink.send(Broke(key, fault))

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._changed.wait()

    def _note_change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()
