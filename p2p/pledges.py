"""What this player has promised in lobbies: written down before it is said, kept after a restart.

SPEC 11.6, 11.7. ``p2p.recall`` finds the others for what was signed.
"""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p.database import Pledge, Promised
from p2p.events import LookedInVain, Looking, PeerEvent
from p2p.lobby import Lobby
from p2p.mesh import Mesh
from p2p.outputs import Completed, Promise
from p2p.recall import LOOK_SECONDS, Recall, fresh
from p2p.statements import Heard
from p2p.store import Store
from protocol.signing import public_bytes


class Pledges:
    """``stamp``: see ``Lobby``; ``wall``: seconds of Unix time."""

    def __init__(
        self,
        key: Ed25519PrivateKey,
        store: Store,
        mesh: Mesh,
        tell: Callable[[PeerEvent], None],
        stamp: Callable[[], int],
        wall: Callable[[], float],
    ) -> None:
        self._key = key
        self._store = store
        self._mesh = mesh
        self._tell = tell
        self._stamp = stamp
        self._wall = wall
        self._recall: Recall | None = None

    # Promising.

    async def write(self, lobby: Lobby, promise: Promise) -> None:
        """Writes down what is about to be said in a lobby."""
        if promise.agreement is None:
            await self._store.promise(lobby.info.lobby, promise.number)
            return
        members = {**lobby.wanted, **self._mesh.known()}
        await self._store.pledge(
            Pledge(
                lobby.info.lobby,
                promise.number,
                promise.agreement.table_id,
                promise.agreement.body,
                not lobby.door.token,
                tuple((key, members[key]) for key in promise.agreement.keys if key in members),
                int(self._wall()),
            )
        )

    async def of(self, lobby: bytes) -> Promised:
        """What was said in a lobby that binds this player."""
        return await self._store.promised(lobby)

    async def release(self, lobby: bytes) -> None:
        """The people leave a lobby: what was signed there makes this player sit down no more."""
        await self._store.release(lobby)
        if self._recall is not None:
            await self.keep()

    # Looking for what was signed.

    @property
    def deadline(self) -> float:
        """When ``tick`` is next of use; infinity: never."""
        recall = self._recall
        return recall.look_by if recall is not None and recall.looks else float("inf")

    async def look(self) -> None:
        """The program has been started: looks for what was signed before, if there is anything."""
        self._recall = recall = await self._signed()
        if recall is not None:
            table = recall.agreement
            self._mesh.want(recall.members(table.table_id))
            self._tell(Looking(table.roster.table, recall.names, LOOK_SECONDS))

    async def keep(self) -> None:
        """A lobby is closed: what was signed counts if it comes by itself."""
        self._recall = await self._signed()
        self.rest()

    async def _signed(self) -> Recall | None:
        own = public_bytes(self._key)
        pledges = fresh(await self._store.pledges(), int(self._wall()), own)
        return Recall(pledges, self._key, self._stamp, self._mesh.post) if pledges else None

    async def looked(self) -> None:
        """Returns when nothing is looked for, or not any more."""
        if self._recall is not None:
            await self._recall.done.wait()

    def looks_for(self, lobby: bytes) -> bool:
        """Whether a table of this lobby is looked for right now."""
        recall = self._recall
        return recall is not None and recall.looks and recall.lobby == lobby

    def rest(self) -> None:
        """Nothing is looked for any more; what comes by itself counts."""
        if self._recall is not None:
            self._recall.rest()

    def forget(self) -> None:
        """This player has a seat: nothing else that was signed counts any more."""
        self.rest()
        self._recall = None

    def tick(self, now: float) -> None:
        """Time has passed."""
        if self._recall is not None and now >= self.deadline:
            self._recall.rest()
            self._mesh.want({})
            self._tell(LookedInVain(self._recall.agreement.roster.table))

    # What comes in.

    @property
    def _lasting(self) -> Recall | None:
        """What was signed, as long as it counts."""
        if self._recall is not None and not self._recall.lasts(int(self._wall())):
            self.forget()
        return self._recall

    def linked(self, key: bytes) -> None:
        """There is a new link with this key."""
        if (recall := self._lasting) is not None:
            recall.linked(key)

    def named(self, key: bytes, table: bytes) -> None:
        """Somebody who is linked is at this table."""
        if (recall := self._lasting) is not None:
            recall.named(key, table)

    def heard(self, source: bytes, heard: Heard) -> Completed | None:
        """A statement of a lobby; the table that was signed, if it begins by that."""
        recall = self._lasting
        return None if recall is None else recall.heard(source, heard)

    def agreed(self, sealed: bytes) -> Completed | None:
        """An agreement; the same. Raises PeerFault if it is none."""
        recall = self._lasting
        return None if recall is None else recall.agreed(sealed)

    def meet(self, completed: Completed) -> None:
        """Such a table begins: from now on this peer wants links with those who sit there."""
        if self._recall is not None:
            self._mesh.want(self._recall.members(completed.agreement.table_id))
