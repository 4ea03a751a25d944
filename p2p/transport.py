"""How byte streams to other peers come about: TCP with TLS inside, or a network that is simulated.

A transport knows nothing of keys and people. It yields streams that nobody has proved anything on,
and beside each the hash of the listener's certificate, which the handshake binds.
"""

from __future__ import annotations

import errno
import ipaddress
import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import trio

from p2p import interfaces, tls
from p2p.frames import LinkDown
from protocol.errors import LocalError

ADDRESS_POLL = 5.0
"""Seconds between two looks at the addresses of a chosen interface."""

BACKLOG = 32
"""Links that the system keeps waiting for us; the gate of the endpoint is what really counts."""

SENT_UNANSWERED = 6_000
"""Milliseconds after which the system gives up a link whose bytes are not acknowledged."""

_PORT_TRIES = 16


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """Where a peer listens: a numeric address (or a name that somebody typed) and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read_address(text: str) -> Address:
    """An address as people type it, ``host:port`` or ``[IPv6]:port``; raises LocalError."""
    host, colon, port = text.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    # The digits are counted first: of "0" and a hundred more a few would look like a port.
    good_port = port.isascii() and port.isdecimal() and len(port) < 6 and 0 < int(port) < 65536
    # What is longer than a name of the DNS, or holds a space, would only confuse the resolver.
    if not colon or not host or len(host) > 253 or not host.isprintable() or " " in host:
        good_port = False
    if not good_port:
        raise LocalError(f"{text!r} is no address: it should look like 192.168.1.20:7421")
    return Address(host, int(port))


@dataclass(frozen=True, slots=True)
class Connection:
    """A stream to somebody who has proved nothing yet; whoever holds it must close it."""

    stream: trio.abc.Stream
    certificate_hash: bytes
    remote: Address


Handler: TypeAlias = Callable[[Connection], Awaitable[None]]


class Transport(ABC):
    """A way to reach peers and be reached."""

    @abstractmethod
    async def listen(
        self, handler: Handler, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Run the handler for each arriving connection, in a task of its own, until cancelled.

        Start it by ``await nursery.start(transport.listen, handler)``, which gives the port.
        The connection is closed when its handler is done. Raises LocalError if it cannot listen.
        """

    @abstractmethod
    async def dial(self, address: Address) -> Connection:
        """A connection to this address; raises LinkDown. Takes any time: give it a timeout."""


class TcpTransport(Transport):
    """TCP and TLS 1.3 on all interfaces or on the one that was chosen. Port 0 takes a free one."""

    def __init__(self, choice: str | None = None, port: int = 0) -> None:
        self._choice = choice
        self._port = port
        self._server = tls.server_side()
        self._client = tls.client_context()

    async def listen(
        self, handler: Handler, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """See ``Transport.listen``."""

        async def accepted(stream: trio.SocketStream) -> None:
            try:
                remote = stream.socket.getpeername()
            except OSError:  # gone before we looked
                await trio.aclose_forcefully(stream)
                return
            _give_up_early(stream)
            wrapped = self._server.wrap(stream)
            address = Address(remote[0], remote[1])
            try:
                await handler(Connection(wrapped, self._server.certificate_hash, address))
            finally:
                await trio.aclose_forcefully(wrapped)

        listeners = await _open_listeners(self._hosts(), self._port)
        port: int = listeners[0].socket.getsockname()[1]
        async with trio.open_nursery() as nursery:
            await nursery.start(trio.serve_listeners, accepted, listeners)
            task_status.started(port)
            if self._choice is not None:
                hosts = {listener.socket.getsockname()[0] for listener in listeners}
                await self._follow_addresses(nursery, accepted, port, hosts)

    async def _follow_addresses(
        self,
        nursery: trio.Nursery,
        accepted: Callable[[trio.SocketStream], Awaitable[None]],
        port: int,
        hosts: set[str],
    ) -> None:
        """Listens at each new address that the chosen interface gets: a router may give others.

        Those that it had stay open: it may have them again.
        """
        while True:
            await trio.sleep(ADDRESS_POLL)
            try:
                now = await trio.to_thread.run_sync(self._hosts)
                fresh = [host for host in now if host not in hosts]
                if not fresh:
                    continue
                listeners = await _open_listeners(fresh, port)
            except LocalError:
                continue  # no address for now, or one that cannot be used yet
            hosts.update(fresh)
            nursery.start_soon(trio.serve_listeners, accepted, listeners)

    async def dial(self, address: Address) -> Connection:
        """See ``Transport.dial``."""
        source = self._source(address)
        try:
            stream = await trio.open_tcp_stream(address.host, address.port, local_address=source)
            if _names_no_computer(address.host):
                # Where it was found: that can be told to others, and written down (SPEC 11.5).
                address = Address(*stream.socket.getpeername()[:2])
        except (OSError, ValueError) as error:
            raise LinkDown(f"nobody answers at {address}: {_reason(error)}") from error
        _give_up_early(stream)
        wrapped, certificate_hash = await tls.wrap_client(stream, self._client)
        return Connection(wrapped, certificate_hash, address)

    def _source(self, address: Address) -> str | None:
        if self._choice is None:
            return None
        try:
            source = interfaces.source_address(self._choice, address.host)
        except LocalError as error:  # the interface is gone for now
            raise LinkDown(str(error)) from error
        if source is None:
            raise LinkDown(f"{address} cannot be reached by the chosen interface")
        return source

    def _hosts(self) -> Sequence[str]:
        return (
            ("0.0.0.0", "::") if self._choice is None else interfaces.local_addresses(self._choice)
        )


async def _open_listeners(hosts: Sequence[str], port: int) -> list[trio.SocketListener]:
    """One listener per host, all at the same port; raises LocalError in words for people."""
    tries = _PORT_TRIES if port == 0 else 1
    while True:
        tries -= 1
        listeners: list[trio.SocketListener] = []
        wanted = port
        try:
            for host in hosts:
                try:
                    listeners += await trio.open_tcp_listeners(wanted, host=host, backlog=BACKLOG)
                except OSError as error:
                    # A machine without IPv6 is no trouble as long as IPv4 works.
                    if not listeners or host != "::" or error.errno == errno.EADDRINUSE:
                        raise
                    continue
                wanted = listeners[0].socket.getsockname()[1]
        except OSError as error:
            for listener in listeners:
                await trio.aclose_forcefully(listener)
            if error.errno != errno.EADDRINUSE or tries <= 0:
                raise LocalError(_cannot_listen(wanted, error)) from error
            continue  # the free port of IPv4 was taken for IPv6: draw another one
        return listeners


def _cannot_listen(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use by another program. Choose another one with --port."
    if error.errno == errno.EACCES:
        return f"Port {port} may not be used here. Choose one above 1023 with --port."
    return f"It is not possible to listen at port {port}: {error.strerror or error}"


def _give_up_early(stream: trio.SocketStream) -> None:
    """Let a dead link fail by itself where the system can do that (Linux); Trio sets NODELAY."""
    timeout: int | None = getattr(trio.socket, "TCP_USER_TIMEOUT", None)
    if timeout is not None:
        stream.setsockopt(trio.socket.IPPROTO_TCP, timeout, SENT_UNANSWERED)


def _names_no_computer(host: str) -> bool:
    """Whether a host that was typed means nothing elsewhere: a name, or the unspecified address."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return True


def _reason(error: BaseException) -> str:
    """The system's own word for it; Trio wraps the errors of several attempts."""
    inner = error.__cause__ if error.__cause__ is not None else error
    if isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[0]
    number = getattr(inner, "errno", None)  # Trio's own text names the address once more
    return (os.strerror(number) if number else str(inner)).lower()


def network_of(host: str) -> str:
    """What counts as one place for limits: an IPv4 address, an IPv6 network of 64 bits."""
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        return host
    if parsed.version == 4:
        return str(parsed)
    return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
