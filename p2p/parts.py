"""What a peer is made of: everything that a simulation replaces is handed in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TypeAlias

from p2p.discovery import Discovery
from p2p.identity import Identity
from p2p.jobs import Jobs
from p2p.store import Store
from p2p.transport import Transport

Discover: TypeAlias = Callable[[int], AbstractAsyncContextManager[Discovery]]
"""Starts discovery for a peer that listens at a port."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a peer is made of. ``hosts``: own numeric addresses; ``wall``: seconds of Unix time.

    ``ready``: whether it would begin at once at any table. ``shorts``: whether short forms of keys
    are worked out; if not, all that are told are empty.
    """

    identity: Identity
    name: str
    owner: bytes
    transport: Transport
    store: Store
    jobs: Jobs
    entropy: Callable[[int], bytes]
    hosts: Callable[[], Sequence[str]]
    wall: Callable[[], float]
    discover: Discover | None = None
    ready: bool = True
    shorts: bool = True
