"""The newest table of this peer, if it was over before the program was started. SPEC 11.8.

A program may end when its last entry is on disk and has come to nobody; without that entry the
table ends for the others in another way than for this peer, or not at all. So whoever had a seat
there can ask for what was missed, until another table begins here. It is all from the disk: the
secrets of that table are gone, people are not told of it, and nothing is signed any more.
"""

from __future__ import annotations

from collections import Counter

import trio

from p2p.database import StoredTable
from p2p.farewell import Farewell
from p2p.gallery import ANSWER_BYTES
from p2p.mesh import Mesh
from p2p.messages import Have, Message, Ping
from p2p.store import Store
from p2p.transport import Address
from protocol.agreement import read_agreement
from protocol.evidence import MOST_SHOWN

LOOKING_SECONDS = 60.0
"""How long the others are dialled after the start; who comes later has to come by itself."""


class Keeper:
    """Answers HAVE for one table that is over; raises PeerFault if its agreement is none."""

    def __init__(self, stored: StoredTable, mesh: Mesh, store: Store) -> None:
        self.sealed = stored.sealed
        self.keys = read_agreement(stored.sealed).keys
        self._table = stored.table
        self._members = tuple(key for seat, key in enumerate(self.keys) if seat != stored.seat)
        self._mesh = mesh
        self._store = store
        self._looks = True
        self._farewell = Farewell()
        self._end: int | None = None
        self._shown: Counter[bytes] = Counter()

    def ping(self, number: int) -> Ping:
        """A ping that names the table: who waits there for an entry asks for it."""
        return Ping(number, self._table, ())

    async def look(self) -> None:
        """Dials the others for a while, unless something else is done meanwhile (``rest``)."""
        pinned = {peer.key: peer.addresses for peer in await self._store.pinned()}
        if self._looks:
            members: dict[bytes, tuple[Address, ...]]
            members = {key: pinned.get(key, ()) for key in self._members}
            self._mesh.want(members)
            await trio.sleep(LOOKING_SECONDS)
        if self._looks:
            self._mesh.want({})

    def lacking_end(self) -> tuple[int, ...]:
        """The seats whose programs are linked and have not shown that they have the end."""
        linked = [key for key in self._members if key in self._mesh.linked]
        return tuple(map(self.keys.index, self._farewell.lacking(linked, self._end or 1)))

    def rest(self) -> None:
        """From now on somebody else says with whom this peer wants links."""
        self._looks = False

    async def received(self, key: bytes, message: Message) -> None:
        """A message by the link with this key; only who had a seat gets an answer."""
        if key not in self._members or getattr(message, "table", None) != self._table:
            return
        self._farewell.heard(key, message)
        if self._end is None:  # nothing is added to a table that is over
            self._end = await self._store.end(self._table)
        if not isinstance(message, Have) or self._mesh.waiting_bytes(key) >= ANSWER_BYTES:
            return
        shown = self._shown[key] < MOST_SHOWN
        ends = await self._store.answer_from_the_end(message) if shown else []
        if ends:
            self._shown[key] += 1
        for entries in ends or await self._store.answer(message, ()):
            self._mesh.post((key,), entries)
