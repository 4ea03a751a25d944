"""The guard itself: what would leave loopback is stopped and remembered."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator

import pytest

from tests.network_guard import Guard, LeftLoopback, install

GROUP = socket.inet_aton("224.0.0.251")
ELSEWHERE = socket.inet_aton("192.0.2.7")


@pytest.fixture
def guard() -> Iterator[Guard]:
    """A guard of this test's own, so that what it stops does not fail the suite."""
    own = Guard()
    with pytest.MonkeyPatch.context() as patch:
        install(patch, own)
        yield own


def udp() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def join(interface: bytes) -> Callable[[socket.socket], object]:
    return lambda sock: sock.setsockopt(
        socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, GROUP + interface
    )


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(join(ELSEWHERE), id="joins elsewhere"),
        pytest.param(join(bytes(4)), id="joins on any interface"),
        pytest.param(lambda sock: sock.connect(("192.0.2.7", 9)), id="connects"),
        pytest.param(lambda sock: sock.connect_ex(("192.0.2.7", 9)), id="connects quietly"),
        pytest.param(lambda sock: sock.sendto(b"x", ("192.0.2.7", 9)), id="sends"),
        pytest.param(lambda sock: sock.sendto(b"x", 0, ("192.0.2.7", 9)), id="sends with flags"),
        pytest.param(lambda sock: sock.sendto(b"x", ("224.0.0.251", 5353)), id="multicasts"),
        pytest.param(lambda sock: sock.connect(("example.org", 9)), id="a name"),
    ],
)
def test_what_leaves_loopback_is_stopped(
    guard: Guard, act: Callable[[socket.socket], object]
) -> None:
    """Before the system is asked, and it stays remembered."""
    with udp() as sock, pytest.raises(LeftLoopback):
        act(sock)
    assert len(guard.stopped) == 1


def test_ipv6_groups_are_for_the_loopback_interface(guard: Guard) -> None:
    """By its index; zero would be any."""
    group = socket.inet_pton(socket.AF_INET6, "ff02::fb")
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock, pytest.raises(LeftLoopback):
        sock.setsockopt(socket.IPPROTO_IPV6, 20, group + struct.pack("@I", 0))
    assert guard.stopped == ["joins an IPv6 group on interface 0"]


def test_loopback_is_free(guard: Guard) -> None:
    """Groups too, when loopback carries them."""
    loopback = socket.inet_aton("127.0.0.1")
    with udp() as sock:
        join(loopback)(sock)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, loopback)
        sock.sendto(b"x", ("224.0.0.251", 9))
        sock.sendto(b"x", ("127.0.0.1", 9))
        sock.connect(("127.0.0.1", 9))
    assert guard.stopped == []
