"""Ports, addresses and interfaces of this machine."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass

import pytest
import trio

from p2p import interfaces
from p2p.frames import LinkDown
from p2p.transport import Address, Connection, TcpTransport, _open_listeners, read_address
from protocol.errors import LocalError

LOOPBACK = "127.0.0.1"


@pytest.mark.trio
async def test_a_port_in_use_is_told_in_a_sentence() -> None:
    """No traceback, and what to do."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]

        async def never(connection: Connection) -> None:
            raise AssertionError

        with pytest.raises(LocalError, match=f"Port {port} is in use by another program"):
            await TcpTransport(LOOPBACK, port).listen(never)


@pytest.mark.trio
async def test_ipv4_and_ipv6_share_one_port() -> None:
    """Also when any free port will do; a machine without IPv6 does with IPv4."""
    listeners = await _open_listeners((LOOPBACK, "::1"), 0) if has_ipv6() else []
    ports = {listener.socket.getsockname()[1] for listener in listeners}
    for listener in listeners:
        await listener.aclose()
    if not listeners:
        pytest.skip("this machine has no IPv6 on loopback")
    assert len(listeners) == 2
    assert len(ports) == 1


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.168.1.20:7421", Address("192.168.1.20", 7421)),
        (" table.local:1 ", Address("table.local", 1)),
        ("[fe80::1%eth0]:65535", Address("fe80::1%eth0", 65535)),
    ],
)
def test_addresses_are_read_as_people_type_them(text: str, address: Address) -> None:
    """And written so that they can be read again."""
    assert read_address(text) == address
    assert read_address(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", "host", "host:", ":80", "host:0", "host:65536", "host:-1", "host:٣", "a b:80"),
        *("a\n:80", "host:" + "9" * 5000, "x" * 254 + ":80"),
    ],
)
def test_what_is_no_address_is_told(text: str) -> None:
    """With an example of one."""
    with pytest.raises(LocalError, match="it should look like"):
        read_address(text)


def test_a_chosen_interface_is_the_only_one() -> None:
    """By its address or by its name; what the machine does not have is told."""
    assert interfaces.local_addresses(LOOPBACK) == (LOOPBACK,)
    assert interfaces.source_address(LOOPBACK, "127.0.0.9") == LOOPBACK
    assert interfaces.source_address(LOOPBACK, "somewhere") == LOOPBACK
    assert interfaces.source_address(LOOPBACK, "::1") is None
    with pytest.raises(LocalError, match=r"no network interface 'nonsense9'\. It has: "):
        interfaces.local_addresses("nonsense9")


def test_interfaces_are_chosen_by_option_or_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option wins."""
    monkeypatch.setenv("FACEDOWN_INTERFACE", "eth7")
    assert interfaces.chosen() == "eth7"
    assert interfaces.chosen("wlan0") == "wlan0"
    monkeypatch.setenv("FACEDOWN_INTERFACE", "")
    assert interfaces.chosen() is None


@dataclass
class FakeIp:
    ip: str | tuple[str, int, int]


@dataclass
class FakeAdapter:
    nice_name: str
    ips: list[FakeIp]


def test_without_a_choice_loopback_counts_only_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPv4 first, each once, no link-local IPv6."""
    loopback = FakeAdapter("lo", [FakeIp(LOOPBACK), FakeIp(("::1", 0, 0))])
    ethernet = FakeAdapter(
        "eth0",
        [
            FakeIp(("2001:db8::5", 0, 0)),
            FakeIp(("fe80::5", 0, 2)),
            FakeIp("192.168.1.5"),
            FakeIp("192.168.1.5"),
        ],
    )
    monkeypatch.setattr("ifaddr.get_adapters", lambda: [loopback, ethernet])
    assert interfaces.local_addresses(None) == ("192.168.1.5", "2001:db8::5")
    assert interfaces.local_addresses("eth0") == ("192.168.1.5", "2001:db8::5")
    assert interfaces.local_addresses("192.168.1.5") == ("192.168.1.5",)
    assert interfaces.local_addresses("lo") == (LOOPBACK, "::1")
    monkeypatch.setattr("ifaddr.get_adapters", lambda: [loopback])
    assert interfaces.local_addresses(None) == (LOOPBACK, "::1")


@pytest.mark.trio
async def test_an_address_beyond_the_chosen_interface_is_not_dialled() -> None:
    """Nothing leaves by another one."""
    with pytest.raises(LinkDown, match="cannot be reached by the chosen interface"):
        await TcpTransport(LOOPBACK).dial(Address("::1", 9))


@pytest.mark.trio
async def test_a_new_address_of_the_chosen_interface_is_listened_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A router gives others: who looks for this peer there must find it, at the same port."""
    addresses = [LOOPBACK]

    def now(choice: str | None) -> tuple[str, ...]:
        if not addresses:
            raise LocalError("the interface is gone")
        return tuple(addresses)

    monkeypatch.setattr(interfaces, "local_addresses", now)
    monkeypatch.setattr("p2p.transport.ADDRESS_POLL", 0.01)
    arrived: list[str] = []

    async def note(connection: Connection) -> None:
        arrived.append(connection.remote.host)

    async with trio.open_nursery() as nursery:
        port = await nursery.start(TcpTransport("eth0").listen, note)
        addresses.clear()
        await trio.sleep(0.05)
        addresses.append("127.0.0.2")
        with trio.fail_after(5):
            while not arrived:
                with suppress(LinkDown):
                    connection = await TcpTransport().dial(Address("127.0.0.2", port))
                    await trio.aclose_forcefully(connection.stream)
                await trio.sleep(0.02)
        nursery.cancel_scope.cancel()
    assert arrived


@pytest.mark.trio
@pytest.mark.parametrize("typed", ["localhost", LOOPBACK])
async def test_of_what_was_typed_the_address_that_was_found_is_kept(typed: str) -> None:
    """It is told to others, and written down; in both places a name could not be read."""

    async def answer(connection: Connection) -> None:
        with suppress(LinkDown, trio.BrokenResourceError):
            await connection.stream.receive_some(1)

    async with trio.open_nursery() as nursery:
        port = await nursery.start(TcpTransport(LOOPBACK).listen, answer)
        with trio.fail_after(5):
            connection = await TcpTransport().dial(Address(typed, port))
        await trio.aclose_forcefully(connection.stream)
        nursery.cancel_scope.cancel()
    assert connection.remote == Address(LOOPBACK, port)
