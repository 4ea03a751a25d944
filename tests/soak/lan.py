"""Networks of a soak's own: hosts and switches in network namespaces, joined by veth pairs.

Needs Linux, root and ``ip``. Nothing leaves the namespaces, and they go with the block.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from tests.soak.member import is_root


def missing() -> str | None:
    """What this machine lacks for networks of their own, in words."""
    if not sys.platform.startswith("linux") or not is_root():
        return "network namespaces need Linux and root"
    if shutil.which("ip") is None:
        return "there is no ip (iproute2)"
    probe = f"fdprobe{secrets.token_hex(3)}"
    for command in (
        f"netns add {probe}",
        f"-n {probe} link add br0 type bridge",
        f"-n {probe} link add p type veth peer name q",
    ):
        made = subprocess.run(["ip", *command.split()], capture_output=True, text=True)
        if made.returncode != 0:
            subprocess.run(["ip", "netns", "del", probe], capture_output=True)
            return f"no networks can be made here: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


class Lan:
    """So many hosts, each with an interface ``fd0`` (``fd1``, ...) on each of some networks.

    Network n is 10.(77+n).0.0/24 and fd00:(77+n)::/64, host i has the address i + 1 there. Every
    network has two switches: all hosts are at the first one, until they are moved. Without
    ``multicast`` a switch passes none on, as many access points; those that are ``isolated`` reach
    all others, and not each other.
    """

    def __init__(
        self,
        hosts: int,
        networks: int = 1,
        v4: bool = True,
        v6: bool = False,
        multicast: bool = True,
        isolated: Collection[int] = (),
    ) -> None:
        self.count = hosts
        self.networks = networks
        self.v4, self.v6, self.multicast = v4, v6, multicast
        self.isolated = isolated
        name = secrets.token_hex(3)
        self.switch = f"fds{name}"
        self.hosts = [f"fdh{name}{i}" for i in range(hosts)]

    def inside(self, host: int) -> list[str]:
        """The beginning of a command that runs on a host."""
        return ["ip", "netns", "exec", self.hosts[host]]

    @staticmethod
    def v4_address(host: int, network: int = 0) -> str:
        """The IPv4 address that a host has at first."""
        return f"10.{77 + network}.0.{host + 1}"

    @staticmethod
    def v6_address(host: int, network: int = 0) -> str:
        """The IPv6 address that a host has."""
        return f"fd00:{77 + network}::{host + 1}"

    def make(self) -> None:
        """Everything that is named above."""
        ip("netns", "add", self.switch)
        for network in range(self.networks):
            for number in range(2):
                bridge = f"br{network}{number}"
                self._on_switch("link", "add", bridge, "type", "bridge", "mcast_snooping", "0")
                self._on_switch("link", "set", bridge, "up")
        for host, name in enumerate(self.hosts):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
            for network in range(self.networks):
                port = port_of(host, network)
                ends = ("type", "veth", "peer", "name", f"fd{network}", "netns", name)
                self._on_switch("link", "add", port, *ends)
                self._on_switch("link", "set", port, "master", f"br{network}0", "up")
                if not self.multicast:
                    how = ("type", "bridge_slave", "mcast_flood", "off")
                    self._on_switch("link", "set", port, *how)
                self.address(host, network)
        for host in self.isolated:
            how = ("type", "bridge_slave", "isolated", "on")
            self._on_switch("link", "set", port_of(host, 0), *how)

    def address(self, host: int, network: int = 0) -> None:
        """The interface is up with the addresses of this host."""
        name = self.hosts[host]
        ip("-n", name, "link", "set", f"fd{network}", "up")
        if self.v4:
            self.add_v4(host, self.v4_address(host, network), network)
        if self.v6:
            mine = f"{self.v6_address(host, network)}/64"
            ip("-n", name, "addr", "replace", mine, "dev", f"fd{network}", "nodad")

    def add_v4(self, host: int, address: str, network: int = 0) -> None:
        """One IPv4 address more."""
        bits = ("brd", "+", "dev", f"fd{network}")
        ip("-n", self.hosts[host], "addr", "replace", f"{address}/24", *bits)

    def change_v4(self, host: int, old: str, new: str, network: int = 0) -> None:
        """A host has another address, as by DHCP."""
        ip("-n", self.hosts[host], "addr", "del", f"{old}/24", "dev", f"fd{network}")
        self.add_v4(host, new, network)

    def move(self, hosts: Iterable[int], switch: int, network: int = 0) -> None:
        """Plugs hosts into the other switch of a network (0: the first one)."""
        for host in hosts:
            port = port_of(host, network)
            self._on_switch("link", "set", port, "master", f"br{network}{switch}")

    def plug(self, hosts: Iterable[int], on: bool, network: int = 0) -> None:
        """Pulls the cable of hosts, or plugs it in again."""
        for host in hosts:
            self._on_switch("link", "set", port_of(host, network), "up" if on else "down")

    def remove(self) -> None:
        """All of it goes."""
        for name in (*self.hosts, self.switch):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def _on_switch(self, *arguments: str) -> None:
        ip("-n", self.switch, *arguments)


def port_of(host: int, network: int) -> str:
    """What the switch calls the port of a host."""
    return f"p{network}{host}"


def ip(*arguments: str) -> None:
    """``ip`` with these arguments; it must succeed."""
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (arguments, done.stderr)


@contextmanager
def made(lan: Lan) -> Iterator[Lan]:
    """A network for the time of the block."""
    try:
        lan.make()
        yield lan
    finally:
        lan.remove()
