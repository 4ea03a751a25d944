"""Our announcements as Avahi, the mDNS of Debian, reads them; in a network namespace of its own.

Needs root, ``ip netns`` and Debian's avahi-daemon, avahi-utils, dbus and iproute2; skips without,
or fails if FACEDOWN_REQUIRE_AVAHI=1. Nothing leaves the namespace, which has loopback only.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from p2p import identity
from p2p.discovery import TableAd, write_txt

pytestmark = [pytest.mark.avahi, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
TOOLS = ("ip", "dbus-daemon", "avahi-daemon", "avahi-browse", "avahi-publish")
PATIENCE = 25.0
"""Seconds for daemons to come up and for names to get round."""

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
  </policy>
</busconfig>
"""

AVAHI = """[server]
host-name=table
use-ipv4=yes
use-ipv6=no
allow-interfaces=lo
enable-dbus=yes
disallow-other-stacks=no
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
"""

PEER = """
import sys
import trio
from p2p.discovery import Found, TableAd
from p2p.interfaces import chosen
from p2p.multicast import open_multicast

async def main():
    key = bytes.fromhex(sys.argv[1])
    table = TableAd("Tuesday round", "hazari", 2, 4)
    async with open_multicast(chosen(), "B\\u00f6b", key, 7421, tables=[table]) as discovery:
        async for event in discovery.events:
            print(event.sighting.name if isinstance(event, Found) else event, flush=True)

trio.run(main)
"""


@dataclass
class Namespace:
    """A network of this test's own, and how to run programs in it."""

    name: str
    folder: Path
    environment: dict[str, str]

    def command(self, *command: str) -> list[str]:
        return ["ip", "netns", "exec", self.name, *command]

    def run(self, *command: str) -> str:
        """What a program that ends by itself says."""
        done = subprocess.run(
            self.command(*command),
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return done.stdout

    @contextmanager
    def running(self, log: str, *command: str) -> Iterator[Path]:
        """A program for the time of the block, and the file of all it says."""
        path = self.folder / log
        with (
            path.open("wb") as output,
            subprocess.Popen(
                self.command(*command),
                env=self.environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            ) as process,
        ):
            try:
                yield path
            finally:
                process.terminate()
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()


def missing() -> str | None:
    """What this machine lacks, in words."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "network namespaces need Linux and root"
    for tool in TOOLS:
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    probe = f"fdprobe{secrets.token_hex(3)}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True)
    if made.returncode != 0:
        return f"no network namespace can be made: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    """A namespace whose loopback carries multicast, with a bus and Avahi of its own."""
    lack = missing()
    if lack is not None:
        if os.environ.get("FACEDOWN_REQUIRE_AVAHI") == "1":
            pytest.fail(f"FACEDOWN_REQUIRE_AVAHI=1, but {lack}")
        pytest.skip(lack)
    with ExitStack() as stack:
        # A short path: the address of a Unix socket has 107 bytes at most.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fd-")))
        name = f"fd{secrets.token_hex(4)}"
        subprocess.run(["ip", "netns", "add", name], check=True)
        stack.callback(subprocess.run, ["ip", "netns", "del", name], check=True)
        environment = os.environ | {
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/bus",
            "FACEDOWN_INTERFACE": "127.0.0.1",
            "LC_ALL": "C.UTF-8",
        }
        inside = Namespace(name, folder, environment)
        for command in (
            "ip link set lo multicast on up",
            "ip route add 224.0.0.0/4 dev lo",
        ):
            subprocess.run(inside.command(*command.split()), check=True)
        (folder / "bus.conf").write_text(BUS.format(folder=folder))
        (folder / "avahi.conf").write_text(AVAHI)
        bus = stack.enter_context(
            inside.running("bus.log", "dbus-daemon", "--nofork", f"--config-file={folder}/bus.conf")
        )
        until(lambda: (folder / "bus").exists(), bus)
        # `ip netns exec` gives each program mounts of its own: this hides the pid file of an
        # Avahi that the machine may run.
        start = (
            "mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon && exec "
            f"avahi-daemon -f {folder}/avahi.conf --no-drop-root --no-chroot --no-rlimits"
        )
        avahi = stack.enter_context(inside.running("avahi.log", "sh", "-c", start))
        until(lambda: "Server startup complete" in avahi.read_text(), avahi)
        yield inside


def until(reached: object, log: Path) -> None:
    """Wait for something, with patience; fail with what the program said."""
    assert callable(reached)
    deadline = time.monotonic() + PATIENCE
    while not reached():
        if time.monotonic() > deadline:
            pytest.fail(f"not in time; {log.name}:\n{log.read_text()}")
        time.sleep(0.2)


def resolved(listing: str) -> list[list[str]]:
    """The entries of ``avahi-browse -p`` that were resolved, split into their fields."""
    return [line.split(";", 9) for line in listing.splitlines() if line.startswith("=")]


def test_avahi_lists_a_peer_with_a_readable_record(namespace: Namespace) -> None:
    """Name, address, port and every field of the TXT record."""
    key = identity.make(b"avahi".ljust(32)).key
    short = identity.short_form(key)
    found: list[list[str]] = []

    def listed() -> bool:
        found[:] = resolved(namespace.run("avahi-browse", "-rpt", "_facedown._tcp"))
        return bool(found)

    with namespace.running("peer.log", sys.executable, "-c", PEER, key.hex()) as log:
        until(listed, log)
    (entry,) = found
    _, interface, version, instance, service, domain, host, address, port, txt = entry
    assert (interface, version, service, domain) == ("lo", "IPv4", "_facedown._tcp", "local")
    assert instance == f"B\\195\\182b-{short[:4]}"
    assert host == f"facedown-{key.hex()[:12]}.local"
    assert (address, port) == ("127.0.0.1", "7421")
    assert sorted(txt.strip('"').split('" "')) == [
        f"id={short}",
        f"key={key.hex()}",
        "n=B\\195\\182b",  # this is how avahi-browse prints what is not ASCII
        "t1=2/4|hazari|Tuesday round",
        "txtvers=1",
        "v=1",
    ]


def test_a_peer_finds_what_avahi_publishes(namespace: Namespace) -> None:
    """The other way round: any program may call out a table, it only has to fit."""
    key = identity.make(b"cara".ljust(32)).key
    record = write_txt("Cara", key, identity.short_form(key), [TableAd("Blue", "hazari", 1, 4)])
    fields = [f"{field}={value}" for field, value in record.items()]
    ours = identity.make(b"avahi".ljust(32)).key.hex()
    publish = ("avahi-publish", "-s", "Cara-here", "_facedown._tcp", "7422")
    with (
        namespace.running("peer.log", sys.executable, "-c", PEER, ours) as log,
        # On loopback only loopback counts, so the service gets a host of that address.
        namespace.running("host.log", "avahi-publish", "-a", "-R", "cara.local", "127.0.0.1"),
        namespace.running("publish.log", *publish[:1], "-H", "cara.local", *publish[1:], *fields),
    ):
        until(lambda: "Cara" in log.read_text().split(), log)
