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
from protocol.history import Closed, History
from protocol.session import Session
from tests.protocol.once import computed_once
from tests.sim.games import at_the_table
from tests.sim.machine import CURRENT


@contextmanager
def hooked() -> Iterator[None]:
    """For the time of the block; the small games are there, and what all compute is kept."""
    close, post = History.close, Mesh.post

    def closing(self: History, number: int) -> Closed:
        # Closed.head may cover a finished pack besides, if that is here already.
        head = self.lanes[number].next_head
        closed = close(self, number)
        machine = CURRENT.get()
        if machine is not None:
            machine.world.monitor.closed(machine, self, closed, head)
        return closed

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
        patch.setattr(Mesh, "post", posting)
        patch.setattr(p2p.seating, "Session", sitting_down)
        yield
