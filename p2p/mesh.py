"""All links of this peer: one per key, made again when it breaks. SPEC 11.8.

Both sides may dial. Of two live links with one key the one dialled by the smaller key stays; a new
one by the same dialler replaces its old one. So both sides keep the same link without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import trio

from p2p import codec
from p2p.budget import Budget, Budgets, put
from p2p.endpoint import Endpoint
from p2p.events import How
from p2p.frames import LinkDown
from p2p.interfaces import is_loopback
from p2p.link import Link
from p2p.livelink import BYE_SECONDS, LiveLink
from p2p.messages import MAX_ADDRESSES, Bye, Message, Ping, Tables
from p2p.shorts import Shorts
from p2p.transport import Address, network_of
from protocol.errors import PeerFault
from protocol.wire import pack

MAX_LINKS = 32
"""Links with strangers end here; keys of the own table always get one."""

MAX_OF_A_PLACE = 8
"""Of these, by one IPv4 address or IPv6 /64. Not on loopback, where all peers of a machine are."""

NEW_A_SECOND = 4.0
NEW_BURST = 32.0
PLACE_A_SECOND = 1.0
PLACE_BURST = 8.0
"""Links with keys that are not known here, in all and from one place: each costs a short form."""

MAX_PLACES = 256
MAX_SHUNNED = 256
MAX_TRIED = 256
"""Places, keys and addresses that are remembered."""

TARGETS_A_SECOND = 4.0
TARGETS_BURST = 24.0
"""New addresses that are dialled because others have told of them."""

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
    short: str = ""
    """The short form of the key; empty if it is not known yet."""


@dataclass(frozen=True, slots=True)
class Named:
    """The short form of a linked key that had none yet; the other fields as those of ``Up``."""

    key: bytes
    address: Address
    how: How
    short: str


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


MeshEvent: TypeAlias = Up | Named | Down | Got | Broke


@dataclass(slots=True)
class _Wanted:
    """A key to be linked with, its addresses (those that worked first), and who dials it."""

    addresses: list[Address]
    scope: trio.CancelScope
    fresh: bool = False
    told: str = ""


class Mesh:
    """The links. Events go to ``sink`` in order; everything else may be called at once.

    ``ping`` gives the ping with a number, and so where this peer stands. ``shorts``: makes short
    forms, in the task of the link; that of a stranger when it is its turn. Nothing waits for them
    but ``Named``. ``is_friend``: whether a key is known, and so neither a stranger nor to make room
    for one. ``may_dial``: whether an address that others have told of may be dialled.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        own_key: bytes,
        sink: trio.MemorySendChannel[MeshEvent],
        ping: Callable[[int], Ping],
        shorts: Shorts | None = None,
        is_friend: Callable[[bytes], bool] = lambda key: False,
        may_dial: Callable[[Address], bool] = lambda address: True,
    ) -> None:
        self._endpoint = endpoint
        self._shorts = shorts
        self._is_friend = is_friend
        self._may_dial = may_dial
        self._new = Budget(NEW_A_SECOND, NEW_BURST)
        self._new_of_place = Budgets(PLACE_A_SECOND, PLACE_BURST, MAX_PLACES)
        self._targets = Budget(TARGETS_A_SECOND, TARGETS_BURST)
        self._tried: dict[Address, None] = {}
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

    def learn(self, key: bytes, addresses: Iterable[Address], proved: bool = False) -> None:
        """More addresses of a wanted key, newest first; for others they are passed over.

        Those that nobody should be made to dial are passed over too, unless ``proved``.
        """
        wanted = self._wanted.get(key)
        if wanted is None:
            return
        news = [address for address in addresses if proved or self._may_dial(address)]
        known = list(dict.fromkeys([*news, *wanted.addresses]))[:MAX_ADDRESSES]
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

    def dialled_at(self, key: bytes) -> tuple[Address, ...]:
        """The address at which the key that is linked was dialled; none if it has dialled."""
        live = self._live.get(key)
        return (live.link.remote,) if live is not None and live.link.dialled else ()

    def waiting_bytes(self, key: bytes) -> int:
        """The bytes that wait to be sent to a key."""
        link = self._live.get(key)
        return 0 if link is None else link.waiting_bytes

    def drop(self, key: bytes, fault: PeerFault) -> None:
        """Closes the link with a key that broke the protocol; it is shunned for a while."""
        self._shun(key)
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
        live.incoming = how == "incoming"
        if not self._register(live):
            await link.aclose()
            return
        fault: PeerFault | None = None
        told = trio.Event()

        async def tell() -> None:
            short = "" if self._shorts is None else self._shorts.known(key) or ""
            await self._sink.send(Up(key, link.remote, how, short))
            told.set()
            if not short:
                await self._name(live, how)

        async def take(message: Message) -> None:
            await told.wait()
            live.spoke = live.spoke or _says_something(message)
            await self._sink.send(Got(key, message))

        try:
            async with trio.open_nursery() as nursery:
                # The link must not be silent while this peer is busy, and nothing but people waits
                # for a short form, which takes seconds on a busy machine.
                nursery.start_soon(tell)
                fault = await live.run(take)
                nursery.cancel_scope.cancel()
        finally:
            last = self._live.get(key) is live
            if last:
                del self._live[key]
            self._note_change()
        if fault is not None:
            self._shun(key)
            await self._sink.send(Broke(key, fault))
        if last:
            await self._sink.send(Down(key, live.reason))

    async def _name(self, live: LiveLink, how: How) -> None:
        if self._shorts is not None:
            key, remote = live.link.key, live.link.remote
            make = self._shorts.of_stranger if self._is_stranger(live) else self._shorts.of
            await self._sink.send(Named(key, remote, how, await make(key)))

    def _shun(self, key: bytes) -> None:
        put(self._shunned, key, trio.current_time() + SHUNNED_SECONDS, MAX_SHUNNED)

    def _register(self, new: LiveLink) -> bool:
        """Makes a link the one with its key, unless the one that is there is to stay."""
        key = new.link.key
        if trio.current_time() < self._shunned.get(key, -1.0):
            return False
        old = self._live.get(key)
        if self._is_stranger(new) and self._comes_too_fast(new):
            return False
        if old is None:
            if self._is_stranger(new) and not self._has_room(new):
                return False
        elif self._dialler(new) > self._dialler(old):
            return False
        else:
            old.end("a newer link took its place")
        self._live[key] = new
        self._note_change()
        return True

    # Strangers: whoever comes by itself, and is neither at a table of ours nor known from one.

    def _is_stranger(self, live: LiveLink) -> bool:
        key = live.link.key
        return live.incoming and key not in self._wanted and not self._is_friend(key)

    def _comes_too_fast(self, new: LiveLink) -> bool:
        """Whether strangers come more often than they may, those of this place or all of them."""
        now, host = trio.current_time(), new.link.remote.host
        if is_loopback(host):
            return False
        return not (self._new_of_place.spend(network_of(host), now) and self._new.spend(now))

    def _has_room(self, new: LiveLink) -> bool:
        """Whether a stranger gets a link; another one may have to go for it."""
        host = new.link.remote.host
        place = network_of(host)
        linked = [live for live in self._live.values() if not live.reason]
        strangers = [live for live in linked if self._is_stranger(live)]
        counts = Counter(network_of(live.link.remote.host) for live in strangers)
        if counts[place] >= MAX_OF_A_PLACE and not is_loopback(host):
            return False
        if len(linked) < MAX_LINKS:
            return True
        # Who has said nothing goes first, then one of a crowd, each time the one that came first.
        crowd = max(counts.values(), default=0)
        for live in sorted(strangers, key=lambda live: live.spoke):
            of_crowd = counts[network_of(live.link.remote.host)] == crowd > counts[place] + 1
            if not live.spoke or of_crowd:
                live.end("its place was needed", Bye("closed", "there are too many links"))
                return True
        return False

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
        addresses = [address for address in wanted.addresses if self._is_target(address)]
        try:
            await self.connect(addresses, key, "member")
        except LinkDown:
            return
        except PeerFault as fault:
            if fault.code != wanted.told:
                wanted.told = fault.code
                await self._sink.send(Broke(key, fault))

    def _is_target(self, address: Address) -> bool:
        """Whether an address may be dialled now: nobody makes us knock at every door around."""
        if address not in self._tried and not self._targets.spend(trio.current_time()):
            return False
        put(self._tried, address, None, MAX_TRIED)
        return True

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._changed.wait()

    def _note_change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def _says_something(message: Message) -> bool:
    """Whether a message is more than what every link carries by itself."""
    return not isinstance(message, Ping) and message != Tables(())
