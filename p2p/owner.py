"""A peer: one task owns all its state; page, links, disk, jobs and clock talk to it by one channel.

Sans everything that a simulation replaces: transport, discovery, store, threads, randomness and
the calendar are handed in (``Parts``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

import trio

from engine import Move
from p2p import discovery
from p2p.database import Pinned
from p2p.discovery import Discovery, Sighting, TableAd
from p2p.endpoint import Endpoint
from p2p.events import (
    Agreed,
    DiscoveryOff,
    FaultSeen,
    Linked,
    Listening,
    NewKeyForName,
    PeerEvent,
    PeerFound,
    PeerLost,
    Resumed,
    TableOffer,
    TableSeen,
    Unlinked,
)
from p2p.finder import Finder
from p2p.identity import Identity
from p2p.jobs import Jobs
from p2p.mesh import Broke, Down, Got, Mesh, MeshEvent, Up
from p2p.messages import Ping, Statement, Tables
from p2p.messages import Agreed as AgreedMessage
from p2p.outputs import Completed
from p2p.reception import Desk, Reception, player_infos
from p2p.seat import Around, SeatDriver
from p2p.shorts import Shorts
from p2p.store import Store
from p2p.transport import Address, Transport
from p2p.trouble import Trouble
from protocol.agreement import Agreement, read_agreement
from protocol.effects import Job
from protocol.errors import LocalError, PeerFault
from protocol.session import Session

QUEUE = 64
"""Things that may wait for the owner; whoever brings more waits, links included."""

CLOSING_SECONDS = 0.3
"""How long the owner may take to give up its place in a lobby when the peer closes."""

_T = TypeVar("_T")

Discover: TypeAlias = Callable[[int], AbstractAsyncContextManager[Discovery]]
"""Starts discovery for a peer that listens at a port."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a peer is made of. ``hosts``: own numeric addresses; ``wall``: seconds of Unix time."""

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


@dataclass(frozen=True, slots=True)
class _JobDone:
    seat: SeatDriver
    number: int
    result: object


@dataclass(frozen=True, slots=True)
class _Command:
    run: Callable[[], Awaitable[None]]


_Item: TypeAlias = MeshEvent | discovery.Event | _JobDone | _Command
