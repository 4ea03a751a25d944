"""The door: how many may stand there, and for whom places are kept."""

from __future__ import annotations

import pytest

from p2p.frames import LinkDown
from p2p.gate import MOST_OF_ONE_PLACE, Gate
from p2p.transport import network_of

LOOPBACK = "127.0.0.1"


def admitted(gate: Gate, hosts: list[str]) -> list[bool]:
    """Who gets in when all stay."""
    holds = [gate.admit(host) for host in hosts]
    answers = [hold.__enter__() for hold in holds]
    for hold in holds:
        hold.__exit__(None, None, None)
    return answers


def test_half_of_the_places_are_kept_for_people_we_know() -> None:
    """Strangers fill four; members and pinned peers find the others free."""
    gate = Gate(lambda host: host.startswith("10."))
    strangers = [f"192.168.1.{number}" for number in range(1, 7)]
    known = [f"10.0.0.{number}" for number in range(1, 7)]
    assert admitted(gate, strangers + known) == [True] * 4 + [False] * 2 + [True] * 4 + [False] * 2
    assert admitted(gate, known) == [True] * 6, "all places are free again"


def test_one_place_has_two() -> None:
    """Known or not: two links a machine are enough."""
    assert MOST_OF_ONE_PLACE == 2
    assert admitted(Gate(lambda host: True), ["10.0.0.1"] * 3) == [True, True, False]
    assert admitted(Gate(lambda host: True), ["10.0.0.1", "10.0.0.2"] * 2) == [True] * 4


def test_an_ipv6_network_is_one_place() -> None:
    """Its owner has 2^64 addresses to come from."""
    gate = Gate(lambda host: True)
    same = ["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:0:5::"]
    assert admitted(gate, [*same, "2001:db8:0:1::1"]) == [True, True, False, True]


def test_all_peers_of_one_machine_may_use_loopback() -> None:
    """Six peers at one table on one machine dial each other at once."""
    assert admitted(Gate(lambda host: True), [LOOPBACK] * 9) == [True] * 8 + [False]


def test_a_place_is_free_again_after_a_failure() -> None:
    """However the handshake ended."""
    gate = Gate(lambda host: False)
    for _ in range(10):
        with pytest.raises(LinkDown):
            fail_inside(gate)


def fail_inside(gate: Gate) -> None:
    with gate.admit("10.0.0.1") as entered:
        assert entered
        raise LinkDown("failed")


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("somewhere", "somewhere"),
    ],
)
def test_what_counts_as_one_place(host: str, place: str) -> None:
    """An IPv4 address, or 64 bits of IPv6."""
    assert network_of(host) == place
