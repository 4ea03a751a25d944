"""From a table's name or an address to a link with a peer that tells of the table. SPEC 11.6.

What discovery says is a hint: it names addresses to dial, and the key that must answer there.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass

import trio

from p2p import base32
from p2p.discovery import Sighting
from p2p.events import Refused
from p2p.frames import LinkDown
from p2p.invites import Invite
from p2p.mesh import Mesh
from p2p.messages import Knock, TableInfo
from p2p.shorts import Shorts
from p2p.transport import Address
from protocol.errors import LocalError, PeerFault

OFFER_SECONDS = 5.0
"""How long a peer may take to tell of its tables once it is linked."""

KNOCK_SECONDS = 1.3
"""How long to wait for the answer to a token; it is not judged within a second of a wrong one."""

KNOCKS = 6

RETRY_SECONDS = 5.0
"""Seconds until somebody who could not be reached is dialled again."""


@dataclass(frozen=True, slots=True)
class Meant:
    """Which table is looked for. ``table``: its name; None takes the first with a free seat.

    ``full``: without a name one is meant that has no free seat, so that it may play. ``opener``:
    only one that this key has opened. ``short``: only one that a key of this short form tells of.
    """

    table: str | None = None
    full: bool = False
    opener: bytes | None = None
    short: str | None = None

    @property
    def bound(self) -> bool:
        """Whether it matters whose table it is."""
        return self.opener is not None or self.short is not None

    def fits(self, table: str, taken: int, seats: int, opener: bytes) -> bool:
        """Whether it may be this table, whoever tells of it."""
        if self.opener not in (None, opener):
            return False
        return self.table == table or (self.table is None and (taken == seats) == self.full)


@dataclass(frozen=True, slots=True)
class Offer:
    """A table, and the linked key that tells of it."""

    contact: bytes
    info: TableInfo


class Finder:
    """Looks for tables. ``offers``: what each linked key tells of, kept by the reception;
    ``admitted``: what each has answered to KNOCK; ``owner``: the key of a bot's owner, or empty.
    """

    def __init__(
        self,
        mesh: Mesh,
        shorts: Shorts,
        offers: Mapping[bytes, tuple[TableInfo, ...]],
        admitted: MutableMapping[bytes, tuple[TableInfo, ...]],
        owner: bytes = b"",
    ) -> None:
        self._mesh = mesh
        self._shorts = shorts
        self._offers = offers
        self._admitted = admitted
        self._owner = owner
        self._sightings: dict[str, Sighting] = {}
        self._news = trio.Event()

    def found(self, sighting: Sighting) -> None:
        """Discovery has seen somebody."""
        self._sightings[sighting.instance] = sighting
        self.note_news()

    def lost(self, instance: str) -> Sighting | None:
        """Discovery has heard a goodbye; what was known of that instance."""
        return self._sightings.pop(instance, None)

    def note_news(self) -> None:
        """Something has changed that those who look may be waiting for."""
        self._news.set()
        self._news = trio.Event()

    def seen(self, key: bytes) -> Sighting | None:
        """What was last called out in a key's name."""
        return next((s for s in self._sightings.values() if s.key == key), None)

    async def at(self, address: Address, meant: Meant) -> Offer | Refused:
        """The table that is meant, or the only one, that somebody at an address tells of.

        Raises LocalError if nobody answers there who may be talked to.
        """
        key = await self._dial(address)
        return key if isinstance(key, Refused) else await self._choose(key, address, meant)

    async def invited(self, invite: Invite, meant: Meant) -> Offer | Refused:
        """The table that an invite code leads to: by its token, or else as ``at`` does.

        Raises LocalError as ``at``, and if somebody else answers there than the code says.
        """
        before = self._mesh.linked
        key = await self._dial(invite.address)
        if isinstance(key, Refused):
            return key
        if not await self._is_meant(key, invite):
            other = PeerFault("auth.key", "this is not the key of the invite code")
            if key not in before:
                self._mesh.drop(key, other)
            raise LocalError(
                f"Somebody else answers at {invite.address} than this invite code says: "
                "ask for a new one."
            )
        if not invite.token:
            return await self._choose(key, invite.address, meant)
        for info in await self._knock(key, invite.token):
            if meant.table in (None, info.table):
                return Offer(key, info)
            return Refused(
                "no-such-table", f"the table of this invite code is not called {meant.table!r}"
            )
        return Refused("invite", "this invite code does not open a table there any more")

    async def _is_meant(self, key: bytes, invite: Invite) -> bool:
        """Whether an invite code is of this key. An owner is known by the whole of its key."""
        if key == self._owner:
            return True
        return await self._shorts.proved(key) == base32.encode(invite.short)

    async def _knock(self, key: bytes, token: bytes) -> tuple[TableInfo, ...]:
        """What a linked peer answers to a token; it judges none just after a wrong one."""
        for _ in range(KNOCKS):
            self._admitted.pop(key, None)
            self._mesh.post((key,), Knock(token))
            with trio.move_on_after(KNOCK_SECONDS):
                while key not in self._admitted:
                    await self._news.wait()
                return self._admitted.pop(key)
        return ()

    async def _dial(self, address: Address) -> bytes | Refused:
        """The key that is linked at an address, when it has told of its tables, or soon will."""
        try:
            key = await self._mesh.connect([address], None, "address")
        except LinkDown as down:
            raise LocalError(_no_link(address, str(down))) from None
        except PeerFault as fault:
            if fault.code == "version":
                return Refused("version", fault.text)
            raise LocalError(_no_link(address, fault.text)) from None
        with trio.move_on_after(OFFER_SECONDS):
            while key not in self._offers:
                await self._news.wait()
        return key

    async def _choose(self, key: bytes, address: Address, meant: Meant) -> Offer | Refused:
        offer = await self._offered(meant, key)
        if offer is not None:
            return offer
        if meant.table is None and not meant.bound and self._offers.get(key):
            # None is as it should be; the one who is asked says so in its own words.
            return Offer(key, self._offers[key][0])
        state = "plays" if meant.full else "waits for players"
        named = state if meant.table is None else f"is called {meant.table!r}"
        return Refused("no-such-table", f"no table at {address} {named}")

    async def anywhere(self, meant: Meant) -> Offer:
        """The first table that may be meant; waits until there is one.

        If it matters who has opened it, that key itself is asked first, and others only when it
        calls nothing out: they could make up a table in its name.
        """
        tried: dict[str, float] = {}
        while True:
            news = self._news
            for key in tuple(self._offers):
                if meant.opener in (None, key) and (offer := await self._offered(meant, key)):
                    return offer
            sighting = self._untried(meant, tried)
            if sighting is not None:
                tried[sighting.instance] = trio.current_time()
                await self._try(sighting)
                continue
            for key in tuple(self._offers):
                if meant.opener is not None and (offer := await self._offered(meant, key)):
                    return offer
            with trio.move_on_after(RETRY_SECONDS):
                await news.wait()

    async def _offered(self, meant: Meant, key: bytes) -> Offer | None:
        """What a linked key tells of, if it may be meant."""
        for info in self._offers.get(key, ()):
            if meant.fits(info.table, info.taken, info.seats, info.opener):
                # The short form of who is linked is known by then, and proved.
                if meant.short is None or await self._shorts.proved(key) == meant.short:
                    return Offer(key, info)
                return None
        return None

    def _untried(self, meant: Meant, tried: Mapping[str, float]) -> Sighting | None:
        """Somebody who calls out such a table, and was not dialled lately."""
        now = trio.current_time()
        for sighting in self._sightings.values():
            tells = meant.short in (None, sighting.short) and any(
                meant.fits(ad.name, ad.taken, ad.seats, sighting.key) for ad in sighting.tables
            )
            last = tried.get(sighting.instance, -RETRY_SECONDS)
            if tells and sighting.key not in self._mesh.linked and now >= last + RETRY_SECONDS:
                return sighting
        return None

    async def _try(self, sighting: Sighting) -> None:
        """Dials, and gives the other side a moment to tell of its tables."""
        try:
            await self._mesh.connect(sighting.addresses, sighting.key, "mdns")
        except (LinkDown, PeerFault):
            return
        with trio.move_on_after(OFFER_SECONDS):
            while not self._offers.get(sighting.key):
                await self._news.wait()


def _no_link(address: Address, why: str) -> str:
    """One sentence that names the address once."""
    return f"{why}." if str(address) in why else f"There is no link with {address}: {why}."
