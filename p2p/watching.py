"""A table that plays, for who has no seat: catches up, then tells what happens. SPEC 11.10."""

from __future__ import annotations

from p2p.following import Around, TableDriver
from p2p.messages import Message
from protocol.agreement import Agreement
from protocol.effects import Persist, Send, SendVote
from protocol.watch import Watcher


class WatchDriver(TableDriver):
    """Drives one watcher. It listens to one member at a time, its ``source``.

    Entries are kept on disk, so that the record can be saved; there is nothing secret.
    """

    def __init__(self, agreement: Agreement, around: Around) -> None:
        super().__init__(Watcher(agreement), around)
        self.source = b""
        self._catching_up = True
        self._stopped = False

    def listen(self, key: bytes) -> None:
        """From now on this member's entries count; it is asked for what is missing."""
        if key != self.source:
            self._complete = False
        self.source = key
        self._flood.relinked(key)
        self._ask(key)

    def stop(self) -> None:
        """Nothing more is told or kept, whatever is still being checked."""
        self._stopped = True

    async def received(self, message: Message) -> None:
        """A message of the source."""
        if getattr(message, "table", None) == self._table:
            await self._heard(self.source, message)

    async def job_done(self, number: int, result: object) -> None:
        """A job has its result."""
        if not self._stopped:
            await super().job_done(number, result)

    def _stored(self, entry: Persist) -> None:
        """There is nothing else to do."""

    def _send(self, send: Send, entry: Persist | None) -> None:
        """The members show each other what they must see; nobody listens to an onlooker."""

    def _send_vote(self, send: SendVote) -> None:
        """As with entries."""

    def _went_back(self) -> None:
        """The follower has told it, as it tells the end."""

    def _ended(self) -> None:
        """The follower has told it."""

    def _waits(self) -> bool:
        return any(self._follower.missing().values())
