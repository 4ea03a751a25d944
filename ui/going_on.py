"""A headless peer whose table has stopped waits for one that goes on, and sits down there."""

from __future__ import annotations

from contextlib import suppress

import trio

from p2p import events as p2p
from protocol import events as table
from protocol.errors import LocalError
from protocol.going_on import StoppedTable
from ui.peerlike import PeerLike

FINDING_SECONDS = 10.0
"""How long a table that was told of may take to be reached."""


class GoingOn:
    """Watches what the others tell of; ``hear`` is to be given every event of the peer."""

    def __init__(self, peer: PeerLike) -> None:
        self.waits = False
        self._peer = peer
        self._offers: dict[bytes, tuple[p2p.TableOffer, ...]] = {}
        self._asked: tuple[bytes, p2p.TableOffer] | None = None
        self._sits = False
        self._agreed = False
        self._given_up = False
        self._news = trio.Event()

    def hear(self, event: p2p.PeerEvent) -> None:
        """Something has happened."""
        match event:
            case p2p.TablesTold(_, key, offers):
                self._offers[key] = offers
            case p2p.Unlinked(key, _, _, _):
                self._offers.pop(key, None)
            case p2p.LobbyChanged():
                self._sits = True
            case p2p.Refused():
                self._sits = False
                self._drop()
            case p2p.Agreed() | p2p.SessionTold(table.WentBack()):
                self._agreed = True  # after going back the table is not over any more
            case _:
                return
        self._changed()

    def give_up(self) -> None:
        """Nobody waits for another table any more."""
        self._given_up = True
        self._changed()

    def _changed(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def sits_again(self, left: StoppedTable, seconds: float) -> bool:
        """Whether this peer plays on: at a table that goes on, all having signed, or its old one.

        Waits for one so many seconds, and where it has found one, until that begins or is closed.
        """
        self._sits = self._agreed = False
        self.waits = True
        try:
            while not self._given_up:
                news = self._news
                if self._agreed:
                    return True
                offer = None if self._sits else self._offer(left)
                if offer is not None:
                    await self._join(*offer)
                    continue
                with trio.move_on_after(float("inf") if self._sits else seconds) as patience:
                    await news.wait()
                if patience.cancelled_caught:
                    return False
            return False
        finally:
            self.waits = False

    def _offer(self, left: StoppedTable) -> tuple[bytes, p2p.TableOffer] | None:
        """A table that one of the old players has opened, with a free seat; and who tells of it.

        The opener's own word comes first: others could make up a table in its name.
        """
        found = [
            (key, offer)
            for key, offers in self._offers.items()
            for offer in offers
            if offer.origin == left.origin.table
            and offer.opener in left.origin.keys
            and offer.taken < offer.seats
        ]
        return min(found, key=lambda one: one[0] != one[1].opener, default=None)

    def _drop(self) -> None:
        """Passes over what was asked for, until it is told again: when it has changed."""
        key, asked = self._asked or (b"", None)
        if key in self._offers:
            self._offers[key] = tuple(offer for offer in self._offers[key] if offer != asked)

    async def _join(self, key: bytes, offer: p2p.TableOffer) -> None:
        """Asks for the own seat; what comes of it is told as an event."""
        self._asked = key, offer
        self._sits = True
        with trio.move_on_after(FINDING_SECONDS), suppress(LocalError):
            await self._peer.join(offer.table, None, offer.game, None, offer.opener)
            return
        self._sits = False
        self._drop()
