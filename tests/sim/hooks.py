"""Where the simulation reaches into the programs: sessions, posts, and the end of every step.

Nothing is changed for honest programs; liars get sessions of their own, and say what they like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

import p2p.seating
from p2p.mesh import Mesh
from p2p.messages import Message
from protocol.follower import Follower
from protocol.history import Closed, History
from protocol.lane import Lane
from protocol.session import Session
from tests.protocol.once import computed_once
from tests.sim.games import at_the_table
from tests.sim.machine import CURRENT


@contextmanager
def hooked() -> Iterator[None]:
    """For the time of the block; the small games are there, and what all compute is kept."""
    close, post, settle, go_back = History.close, Mesh.post, Follower._settle, History.go_back

    def closing(self: History, number: int) -> Closed:
        # Afterwards the head may cover a finished pack besides, if that is here already.
        lane = self.lanes[number].copy()
        closed = close(self, number)
        machine = CURRENT.get()
        if machine is not None:
            machine.world.monitor.closed(machine, self, closed, lane)
        return closed

    def settling(self: Follower) -> bool:
        changed = settle(self)
        machine = CURRENT.get()
        if machine is not None:
            machine.world.monitor.polled(machine, self)
        return changed

    def going_back(self: History, number: int, step: int) -> Lane:
        machine = CURRENT.get()
        if machine is not None:
            machine.world.monitor.goes_back(machine, number, step)
        return go_back(self, number, step)

    def posting(self: Mesh, keys: Iterable[bytes], message: Message) -> None:
        machine = CURRENT.get()
        role = None if machine is None else machine.role
        if role is None:
            post(self, keys, message)
            return
        for some, said in role.posts(tuple(keys), message):
            post(self, some, said)

    def sitting_down(*about: object) -> Session:
        machine = CURRENT.get()
        assert machine is not None
        return machine.make_session(*about)

    with pytest.MonkeyPatch.context() as patch, computed_once(), at_the_table():
        patch.setattr(History, "close", closing)
        patch.setattr(History, "go_back", going_back)
        patch.setattr(Follower, "_settle", settling)
        patch.setattr(Mesh, "post", posting)
        patch.setattr(p2p.seating, "Session", sitting_down)
        yield
