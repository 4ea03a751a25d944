"""Tests stay on loopback: a socket that would leave it is stopped, and fails the suite.

Enabled for all tests by ``from tests.network_guard import network_guard`` in a conftest. It looks
at this process only; programs that tests start are told to stay on loopback by
``FACEDOWN_INTERFACE=127.0.0.1``.
"""

from __future__ import annotations

import _socket
import ipaddress
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest

MULTICAST_V4 = ipaddress.ip_network("224.0.0.0/4")
JOIN_V6 = getattr(socket, "IPV6_JOIN_GROUP", 20)
MULTICAST_IF = getattr(socket, "IP_MULTICAST_IF", 32)
ADD_MEMBERSHIP = getattr(socket, "IP_ADD_MEMBERSHIP", 35)


class LeftLoopback(AssertionError):
    """A test tried to reach the world."""


class Guard:
    """Checks what sockets are about to do, and remembers what was stopped."""

    def __init__(self) -> None:
        self.stopped: list[str] = []

    def stop(self, what: str) -> None:
        """Remember and raise: some callers swallow the error, the memory stays."""
        self.stopped.append(what)
        raise LeftLoopback(what)

    def option(self, level: int, name: int, value: object) -> None:
        """Joining a group is allowed on 127/8 only; IPv6 on the loopback interface only."""
        if level == socket.IPPROTO_IP and name == ADD_MEMBERSHIP:
            assert isinstance(value, bytes)
            if not is_loopback(socket.inet_ntoa(value[4:8])):
                self.stop(f"joins a group on {socket.inet_ntoa(value[4:8])}")
        if level == socket.IPPROTO_IPV6 and name == JOIN_V6:
            assert isinstance(value, bytes)
            (index,) = struct.unpack("@I", value[16:20])
            if index == 0 or socket.if_indextoname(index) not in ("lo", "lo0"):
                self.stop(f"joins an IPv6 group on interface {index}")

    def destination(self, sock: socket.socket, address: object) -> None:
        """Sending and connecting are allowed to loopback, and to groups by way of loopback."""
        if sock.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
            return
        host = str(address[0]).split("%")[0]
        if is_loopback(host):
            return
        if is_multicast_v4(host) and is_loopback(outgoing_interface(sock)):
            return
        self.stop(f"reaches {address}")


def is_loopback(host: str) -> bool:
    """Whether a numeric address, or localhost, is on loopback."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_multicast_v4(host: str) -> bool:
    """Whether this is a numeric IPv4 group."""
    try:
        return ipaddress.ip_address(host) in MULTICAST_V4
    except ValueError:
        return False


def outgoing_interface(sock: socket.socket) -> str:
    """The address from which a socket sends to groups."""
    if sock.family != socket.AF_INET:
        return ""
    return socket.inet_ntoa(sock.getsockopt(socket.IPPROTO_IP, MULTICAST_IF, 4))


def install(patch: pytest.MonkeyPatch, guard: Guard) -> None:
    """Put the guard before the calls of ``socket.socket`` that could leave loopback.

    They are what Trio and asyncio call too, so that nothing goes round it.
    """

    # Any: these calls have many shapes, and all but what is looked at goes through as it came.
    def setsockopt(self: socket.socket, level: int, name: int, *rest: Any) -> None:
        guard.option(level, name, rest[0])
        _socket.socket.setsockopt(self, level, name, *rest)

    def connect(self: socket.socket, address: Any) -> None:
        guard.destination(self, address)
        _socket.socket.connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        guard.destination(self, address)
        return _socket.socket.connect_ex(self, address)

    def sendto(self: socket.socket, data: bytes, *rest: Any) -> int:
        guard.destination(self, rest[-1])
        return _socket.socket.sendto(self, data, *rest)

    for function in (setsockopt, connect, connect_ex, sendto):
        patch.setattr(socket.socket, function.__name__, function, raising=False)


@pytest.fixture(scope="session", autouse=True)
def network_guard() -> Iterator[Guard]:
    """Guards the whole session, and fails it at its end for what was stopped and swallowed."""
    guard = Guard()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FACEDOWN_INTERFACE", "127.0.0.1")
        install(patch, guard)
        yield guard
    assert guard.stopped == []
