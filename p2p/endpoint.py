"""From streams to links: who listens and dials, within limits of time and number. SPEC 11.2.

The one thing above that needs to be known here is which addresses belong to people we know.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import trio

from p2p.frames import FrameStream, LinkDown
from p2p.gate import Gate
from p2p.handshake import shake_hands
from p2p.identity import Identity
from p2p.link import Link
from p2p.transport import Address, Connection, Transport
from protocol.errors import PeerFault

HANDSHAKE_TIME = 5.0
"""Seconds from the connection to the proof of the key, TLS included."""

CONNECT_TIME = 5.0
"""Seconds for TCP and TLS to one address."""

RACE_DELAY = 0.25
"""Seconds before the next address is tried beside the ones before (RFC 8305)."""

RACE_HANDSHAKE_TIME = 2.0
"""Seconds for AUTH at one of several addresses, so that a silent one cannot hold up the rest."""

MOST_ADDRESSES = 8
"""Addresses of one peer that are tried; a machine with more has some that are not for us."""

Trouble: TypeAlias = PeerFault | LinkDown
Report: TypeAlias = Callable[[Address, Trouble], None]

_log = logging.getLogger("facedown.link")


def log_trouble(address: Address, trouble: Trouble) -> None:
    """The report that is made if nobody else wants to hear of failed links."""
    _log.info("no link with %s: %s", address, trouble)


class Endpoint:
    """Our own end of all links."""

    def __init__(
        self,
        identity: Identity,
        transport: Transport,
        *,
        is_known: Callable[[str], bool] = lambda host: False,
        report: Report = log_trouble,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._identity = identity
        self._transport = transport
        self._gate = Gate(is_known)
        self._report = report
        self._entropy = entropy

    async def serve(
        self,
        handle: Callable[[Link], Awaitable[None]],
        *,
        task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Run ``handle`` for each link that arrives and proves its key, until cancelled.

        Start it by ``await nursery.start(endpoint.serve, handle)``, which gives the port. A link
        is closed when its handler returns. PeerFault and LinkDown, raised before AUTH or by the
        handler, end that one link and are reported. Raises LocalError if it cannot listen.
        """

        async def welcome(connection: Connection) -> None:
            try:
                with self._gate.admit(connection.remote.host) as admitted:
                    if not admitted:
                        raise LinkDown("too many links that have not proved a key")
                    link = await self._prove(connection, HANDSHAKE_TIME, dialled=False)
                async with link:
                    await handle(link)
            except (PeerFault, LinkDown) as trouble:
                self._report(connection.remote, trouble)

        await self._transport.listen(welcome, task_status=task_status)

    async def dial(self, addresses: Sequence[Address], expected: bytes | None = None) -> Link:
        """A link to one peer by the first of its addresses that works; the caller closes it.

        Connections race, each ``RACE_DELAY`` after the one before or when that fails; proofs are
        made one after the other, so that the peer never sees two links of us. ``expected``: the
        key the peer must have. At most ``MOST_ADDRESSES`` are tried, each once.

        Raises PeerFault if somebody answered but was refused (the first such), else LinkDown.
        """
        race = _Race(self, list(dict.fromkeys(addresses))[:MOST_ADDRESSES], expected)
        return await race.run()

    async def _connect(self, address: Address) -> Connection:
        """A connection within ``CONNECT_TIME``; raises LinkDown."""
        try:
            with trio.fail_after(CONNECT_TIME):
                return await self._transport.dial(address)
        except trio.TooSlowError:
            raise LinkDown(f"nobody answers at {address}") from None

    async def _prove(
        self,
        connection: Connection,
        seconds: float,
        *,
        dialled: bool,
        expected: bytes | None = None,
    ) -> Link:
        """The link, proved within some seconds; closes the connection when it raises."""
        frames = FrameStream(connection.stream)
        try:
            with trio.fail_after(seconds):
                hello = await shake_hands(
                    frames,
                    self._identity,
                    dialled=dialled,
                    certificate_hash=connection.certificate_hash,
                    expected=expected,
                    entropy=self._entropy,
                )
        except trio.TooSlowError:
            await trio.aclose_forcefully(connection.stream)
            raise LinkDown(f"no proof of a key within {seconds:g} s") from None
        except PeerFault:
            # Kindly: the other side is to read why, as far as it can see that for itself.
            with trio.move_on_after(1, shield=True):
                await frames.aclose()
            raise
        except BaseException:
            await trio.aclose_forcefully(connection.stream)
            raise
        return Link(
            frames,
            key=hello.key,
            software=hello.software,
            remote=connection.remote,
            dialled=dialled,
        )


class _Race:
    """One peer, several addresses, one link. RFC 8305 in the small."""

    def __init__(
        self, endpoint: Endpoint, addresses: Sequence[Address], expected: bytes | None
    ) -> None:
        self._endpoint = endpoint
        self._addresses = addresses
        self._expected = expected
        self._seconds = HANDSHAKE_TIME if len(addresses) == 1 else RACE_HANDSHAKE_TIME
        self._proving = trio.Lock()
        self._troubles: list[Trouble] = []
        self._link: Link | None = None

    async def run(self) -> Link:
        """The link of the first that connects and proves the key; raises as ``dial`` says."""
        try:
            async with trio.open_nursery() as nursery:
                for address in self._addresses:
                    failed = trio.Event()
                    nursery.start_soon(self._try, address, failed, nursery.cancel_scope)
                    with trio.move_on_after(RACE_DELAY):
                        await failed.wait()
        except BaseException:
            if self._link is not None:
                await trio.aclose_forcefully(self._link)
            raise
        if self._link is None:
            raise self._worst()
        return self._link

    async def _try(self, address: Address, failed: trio.Event, everybody: trio.CancelScope) -> None:
        link: Link | None = None
        try:
            connection = await self._endpoint._connect(address)
            try:
                async with self._proving:
                    self._link = link = await self._endpoint._prove(
                        connection, self._seconds, dialled=True, expected=self._expected
                    )
                    everybody.cancel()
            finally:
                if link is None:
                    await trio.aclose_forcefully(connection.stream)
        except (PeerFault, LinkDown) as trouble:
            self._troubles.append(trouble)
            failed.set()

    def _worst(self) -> Trouble:
        """What to tell: who answered and was refused says more than who did not answer."""
        for trouble in self._troubles:
            if isinstance(trouble, PeerFault):
                return trouble
        return LinkDown("; ".join(dict.fromkeys(map(str, self._troubles))) or "no address is known")
