"""Looking on at a table: who is asked for it, and who else when that one is gone. SPEC 11.10.

The owner of a peer calls these methods one after the other, from one task.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from p2p.database import NO_SEAT
from p2p.events import PlayerInfo, Refused, Watching
from p2p.finder import Offer
from p2p.following import Around
from p2p.messages import Agreed, Members, Message, Unwatch, Watch
from p2p.transport import Address
from p2p.watching import WatchDriver
from protocol.agreement import Agreement, read_agreement, table_code

ANSWER_SECONDS = 10.0
"""How long a member may take to answer, before another one is asked."""

RELINK_SECONDS = 3.0
"""How long a link may be gone before another member is asked: it is dialled again meanwhile."""

PAUSE_SECONDS = 1.0
"""How long to wait after a refusal before another member is asked."""

Infos = Callable[[Agreement], Awaitable[tuple[PlayerInfo, ...]]]


class Onlooker:
    """One table at which this peer looks on, or asks to. ``driver``: when it does.

    ``wall``: seconds of Unix time. ``infos``: the players of an agreement, by seat.
    """

    def __init__(
        self,
        offer: Offer,
        name: str,
        key: bytes,
        around: Around,
        infos: Infos,
        wall: Callable[[], float],
    ) -> None:
        self.driver: WatchDriver | None = None
        self._lobby = offer.info.lobby
        self._contact = offer.contact
        self._name = name
        self._key = key
        self._around = around
        self._infos = infos
        self._wall = wall
        self._addresses: dict[bytes, tuple[Address, ...]] = {}
        self._closed = False
        self._next_at = float("inf")

    @property
    def over(self) -> bool:
        """Whether there is nothing more to come: refused, stopped, or the table has ended."""
        return self._closed or (self.driver is not None and self.driver.over)

    @property
    def deadline(self) -> float:
        """When ``tick`` is next of use; infinity: never."""
        return float("inf") if self.over else self._next_at

    # What the owner calls.

    def begin(self) -> None:
        """Asks the one who told of the table."""
        self._wait_for(self._contact)
        self._ask()

    def leave(self) -> None:
        """Looks on no more."""
        if not self._closed:
            self._closed = True
            self._around.mesh.post((self._contact,), Unwatch("left", "it looks on no more"))
            self._around.mesh.want({})
        if self.driver is not None:
            self.driver.stop()

    def linked(self, key: bytes) -> None:
        """There is a new link with this key."""
        if key == self._contact and not self.over:
            self._ask()

    def unlinked(self, key: bytes) -> None:
        """There is no link with this key any more; the mesh dials it again if it can."""
        if key == self._contact and not self.over:
            if self.driver is None:
                self._refused("closed", "the link is gone")
            else:
                self._next_at = trio.current_time() + RELINK_SECONDS

    async def received(self, key: bytes, message: Message) -> None:
        """A message by the link with this key; only the member that is asked is listened to.

        Raises PeerFault for an agreement that is none.
        """
        if key != self._contact or self.over:
            return
        match message:
            case Agreed(sealed):
                await self._agreed(sealed)
            case Members(table, members) if self._is_of(table):
                self._learn(members)
            case Unwatch(code, text):
                if self.driver is None:
                    self._refused(code, text)
                else:
                    self._next_at = trio.current_time() + PAUSE_SECONDS
            case _:
                if self.driver is not None and self.driver.source == key:
                    await self.driver.received(message)

    def tick(self) -> None:
        """Time has passed."""
        if trio.current_time() >= self.deadline:
            if self.driver is None:
                self._refused("closed", "there is no answer")
            else:
                self._go_on()

    # Whom to ask.

    def _ask(self) -> None:
        self._around.mesh.post((self._contact,), Watch(self._lobby, self._name))

    def _wait_for(self, key: bytes) -> None:
        self._contact = key
        self._next_at = trio.current_time() + ANSWER_SECONDS

    def _learn(self, members: tuple[tuple[bytes, tuple[Address, ...]], ...]) -> None:
        """Where members can be reached: a hint, so it only says where to dial."""
        assert self.driver is not None
        for key, addresses in members:
            if key in self.driver.agreement.keys and addresses:
                self._addresses[key] = addresses
        own = self._addresses.get(self._contact, ())
        self._around.mesh.want({self._contact: own})

    def _go_on(self) -> None:
        """Asks the next member by seat of whom it is known where it is, and so round."""
        assert self.driver is not None
        keys = self.driver.agreement.keys
        place = keys.index(self._contact) if self._contact in keys else -1
        ring = (*keys[place + 1 :], *keys[: place + 1])
        self._wait_for(next((key for key in ring if key in self._addresses), self._contact))
        mesh = self._around.mesh
        mesh.want({self._contact: self._addresses.get(self._contact, ())})
        if self._contact in mesh.linked:
            self._ask()

    # What comes of it.

    async def _agreed(self, sealed: bytes) -> None:
        agreement = read_agreement(sealed)
        if self.driver is None:
            if self._key in agreement.keys:
                self._refused("seated", "this player has a seat at that table")
                return
            await self._look_on(agreement, sealed)
        elif agreement.table_id != self.driver.agreement.table_id:
            return
        assert self.driver is not None
        self._next_at = float("inf")
        if self.driver.over:
            await self.driver.begin()  # all of it was on disk
        else:
            self.driver.listen(self._contact)

    async def _look_on(self, agreement: Agreement, sealed: bytes) -> None:
        """On disk first, then told."""
        table = agreement.table_id
        await self._around.store.open_table(table, sealed, NO_SEAT, int(self._wall()))
        driver = WatchDriver(agreement, self._around)
        await driver.replay()
        roster, players = agreement.roster, await self._infos(agreement)
        terms = (roster.table, roster.game, roster.options, roster.origin)
        self._around.tell(Watching(table, players, table_code(table), *terms))
        self.driver = driver

    def _is_of(self, table: bytes) -> bool:
        return self.driver is not None and table == self.driver.agreement.table_id

    def _refused(self, code: str, text: str) -> None:
        self._closed = True
        self._around.mesh.want({})
        self._around.tell(Refused(code, text))
