"""A peer in life: TCP with TLS, multicast DNS, SQLite in the data folder, threads."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import trio

from p2p import identity
from p2p.handle import Peer, run_peer
from p2p.interfaces import chosen, local_addresses
from p2p.jobs import ThreadJobs
from p2p.parts import Discover, Parts
from p2p.store import open_store
from p2p.transport import TcpTransport
from p2p.trouble import Trouble, single_errors
from protocol.agreement import MAX_NAME
from protocol.errors import LocalError, PeerFault
from protocol.wire import text

__all__ = ["Peer", "PeerConfig", "open_peer"]


@dataclass(frozen=True, slots=True)
class PeerConfig:
    """How a peer is run. ``data``: its folder. ``owner``: the key of a bot's owner, else empty.

    ``ready``: whether it would begin at once at any table; see ``Peer.ready``. ``shorts``: whether
    short forms of keys are worked out, which takes 0.1 s each; if not, all that are told are empty.

    ``interface``: a name or an address, or None for FACEDOWN_INTERFACE or else all. ``port`` 0
    takes a free one.
    """

    data: Path
    name: str
    interface: str | None = None
    port: int = 0
    owner: bytes = b""
    discovery: bool = True
    ready: bool = True
    shorts: bool = True


@asynccontextmanager
async def open_peer(config: PeerConfig) -> AsyncIterator[Peer]:
    """A peer on this machine's network; leaving the block closes everything within a second.

    Raises LocalError in words for people; Trouble, which is one, has a ``reason`` for programs.
    What the block itself raises comes out as it is.
    """
    try:
        text(config.name, MAX_NAME, "a name")
    except PeerFault as fault:
        raise LocalError(f"This name cannot be used: {fault.text}.") from None
    choice = chosen(config.interface)
    with single_errors():
        async with open_store(config.data) as store:
            who = await trio.to_thread.run_sync(identity.load_or_make, config.data)
            await trio.to_thread.run_sync(_check_interface, choice)
            parts = Parts(
                who,
                config.name,
                config.owner,
                await trio.to_thread.run_sync(TcpTransport, choice, config.port),
                store,
                ThreadJobs(),
                secrets.token_bytes,
                partial(_hosts, choice),
                time.time,
                _discover(choice, config.name, who.key) if config.discovery else None,
                config.ready,
                config.shorts,
            )
            async with run_peer(parts) as peer:
                yield peer


def _check_interface(choice: str | None) -> None:
    try:
        local_addresses(choice)
    except LocalError as error:
        raise Trouble("interface", str(error)) from None


def _discover(choice: str | None, name: str, key: bytes) -> Discover:
    from p2p.multicast import open_multicast  # only here: zeroconf takes its time to load

    return partial(open_multicast, choice, name, key)


def _hosts(choice: str | None) -> Sequence[str]:
    """The own addresses of now; none while the chosen interface is gone."""
    try:
        return local_addresses(choice)
    except LocalError:
        return ()
