"""The disk of a simulated machine: it outlives the program, fills up, and fails in the middle."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p2p.database import Database
from p2p.jobs import InlineJobs
from p2p.store import Store
from p2p.trouble import Trouble
from protocol.effects import ForgetSecret, Persist, PersistSecret, PersistVote
from tests.protocol.tables import body_hash_of

if TYPE_CHECKING:
    from tests.sim.machine import Machine


class SimStore(Store):
    """A store in memory. What was written stays; a dead machine writes no more.

    ``on_disk``: all envelopes and votes that are; ``hashes``: those of the envelopes; ``kept``: the
    secrets that are. ``failing``: what becomes of a write by its number: ``full``, it is not on
    disk, ``torn``, it is, and neither is answered well.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(Database(), InlineJobs())
        self._machine = machine
        self.on_disk: set[bytes] = set()
        self.hashes: set[bytes] = set()
        self.kept: dict[str, bytes] = {}
        self.writes = 0
        self.failing: dict[int, str] = {}

    async def _run(self, work: partial[None]) -> None:
        """Every write comes this way."""
        machine = self._machine
        changes = work.args[-1] if work.args else ()
        votes = isinstance(changes, tuple) and any(isinstance(c, PersistVote) for c in changes)
        await machine.moment("before write")
        if votes:
            await machine.moment("before vote write")
        self.writes += 1
        failure = self.failing.pop(self.writes, "")
        if failure == "full":
            machine.failed = True
            raise Trouble("data-full", "The data file fails: the disk is full.")
        await super()._run(work)
        self._note(work)
        if failure:
            machine.failed = True
            raise Trouble("data-permission", "The data file fails: disk I/O error.")
        if votes:
            await machine.moment("after vote write")
        await machine.moment("after write")

    def _note(self, work: partial[None]) -> None:
        changes = work.args[-1] if work.args else ()
        if not isinstance(changes, tuple):
            return
        for change in changes:
            match change:
                case Persist(_, _, _, envelope):
                    self.on_disk.add(envelope)
                    self.hashes.add(body_hash_of(envelope))
                case PersistVote(_, _, _, vote):
                    self.on_disk.add(vote)
                case PersistSecret(name, value):
                    self.kept[name] = value
                case ForgetSecret(name):
                    self.kept.pop(name, None)
        self._machine.world.monitor.wrote(self._machine, changes)
