"""From a signed agreement, new or from the store, to a seat that plays. SPEC 11.7, 11.8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from p2p.database import Pinned
from p2p.events import Agreed, NewKeyForName, PlayerInfo, Resumed
from p2p.finder import Finder
from p2p.following import Around
from p2p.outputs import Completed
from p2p.parts import Parts
from p2p.reception import player_infos
from p2p.seat import SeatDriver
from p2p.shorts import Shorts
from p2p.transport import Address
from p2p.trouble import Trouble
from protocol.agreement import Agreement, Player, read_agreement, table_code
from protocol.errors import PeerFault
from protocol.origin import Origin
from protocol.session import Session

Options: TypeAlias = tuple[tuple[str, int | str], ...]
Sealed: TypeAlias = tuple[
    bytes, int, tuple[PlayerInfo, ...], tuple[str, ...], str, str, Options, Origin | None
]


MOST_KNOWN = 4
"""Other keys of the same name that are told of."""


class Seating:
    """Makes seats. ``known_hosts``: a set that gets the hosts of all members, for the gate."""

    def __init__(
        self,
        parts: Parts,
        around: Around,
        shorts: Shorts,
        finder: Finder,
        known_hosts: set[str],
    ) -> None:
        self._parts = parts
        self._around = around
        self._shorts = shorts
        self._finder = finder
        self._known_hosts = known_hosts

    async def begin(self, completed: Completed) -> SeatDriver:
        """A seat at a new table: all have signed. On disk first, then told."""
        agreement, store = completed.agreement, self._parts.store
        seat = agreement.keys.index(self._parts.identity.key)
        opened = int(self._parts.wall())
        # Some of those who were at the table before may be looked for, and have no seat here.
        wanted = self._around.mesh.known()
        members = {key: homes for key, homes in wanted.items() if key in agreement.keys}
        # First, for whoever goes on with a table must know where the others are.
        others = [player for player in agreement.players if player.key in members]
        known = [await self._pin(player, members[player.key]) for player in others]
        lobby = completed.lobby
        await store.open_table(agreement.table_id, completed.sealed, seat, opened, lobby)
        for player, keys in zip(others, known, strict=True):
            await self._warn(player, keys)
        sealed = await self._sealed(agreement, seat)
        driver = await self._sit_down(agreement, seat, lobby, {}, members)
        # Last: whoever hears it finds this peer at the table.
        self._around.tell(Agreed(*sealed))
        return driver

    async def resume(self) -> SeatDriver | None:
        """A seat at the table in the store that is not over, with all that is known of it.

        Raises Trouble ``data-damaged`` if what is stored makes no sense.
        """
        store = self._parts.store
        stored = await store.unfinished()
        if stored is None:
            return None
        try:
            agreement = read_agreement(stored.sealed)
        except PeerFault as fault:
            text = f"The table in the data folder cannot be read: {fault.text}."
            raise Trouble("data-damaged", text) from None
        secrets = await store.secrets(stored.table)
        pinned = {peer.key: peer.addresses for peer in await store.pinned()}
        own = self._parts.identity.key
        members = {key: pinned.get(key, ()) for key in agreement.keys if key != own}
        sealed = await self._sealed(agreement, stored.seat)
        place = (agreement, stored.seat, stored.lobby)
        driver = await self._sit_down(*place, secrets, members)
        self._around.tell(Resumed(*sealed))
        return driver

    async def _sealed(self, agreement: Agreement, seat: int) -> Sealed:
        """What is told of a table that is agreed: the fields of Agreed and Resumed."""
        players = await player_infos(agreement.players, self._shorts, agreement.keys)
        self._shorts.keep([*agreement.keys, *(p.owner for p in agreement.players)])
        roster, table = agreement.roster, agreement.table_id
        terms = (roster.table, roster.game, roster.options, roster.origin)
        return (table, seat, players, table_code(table), *terms)

    async def _sit_down(
        self,
        agreement: Agreement,
        seat: int,
        lobby: bytes,
        secrets: Mapping[str, bytes],
        members: Mapping[bytes, tuple[Address, ...]],
    ) -> SeatDriver:
        """A driver with all that the store has of the table; then links with all members."""
        key = self._parts.identity.signing_key
        session = Session(agreement, seat, key, self._parts.entropy, secrets)
        driver = SeatDriver(session, self._around, lobby)
        await driver.replay()
        mesh = self._around.mesh
        mesh.want(members)
        for member, addresses in members.items():
            self._known_hosts.update(address.host for address in addresses)
            sighting = self._finder.seen(member)
            if sighting is not None:
                mesh.learn(member, sighting.addresses)
        for linked in mesh.linked:
            await driver.linked(linked)
        return driver

    async def _pin(self, player: Player, addresses: tuple[Address, ...]) -> tuple[bytes, ...]:
        """Remembers a player; the keys of others that had that name before."""
        return await self._parts.store.pin(Pinned(player.key, player.name, addresses))

    async def _warn(self, player: Player, keys: tuple[bytes, ...]) -> None:
        """Says that others, with these keys, had a player's name before.

        Own bots have new keys in each game, and it is known whose they are.
        """
        if keys and not self._shorts.vouched(player.key):
            known = tuple([await self._shorts.of(key) for key in keys[:MOST_KNOWN]])
            short = await self._shorts.of(player.key)
            self._around.tell(NewKeyForName(player.name, short, known))
