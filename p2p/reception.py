"""A peer between tables: what others offer, and the one table that it waits at. SPEC 11.6.

The owner of a peer calls these methods one after the other, from one task.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass

import trio

from p2p import statements
from p2p.budget import Budgets
from p2p.discovery import TableAd
from p2p.events import (
    FaultSeen,
    LobbyChanged,
    PeerEvent,
    PlayerInfo,
    Refused,
    TableOffer,
    TablesTold,
)
from p2p.identity import Identity
from p2p.joiner import Joiner
from p2p.lobby import Lobby
from p2p.mesh import Mesh
from p2p.messages import Admit, Agreed, Knock, Message, Statement, TableInfo, Tables
from p2p.opener import Opener
from p2p.outputs import Changed, Completed, Lied, Output, Phase, Post, Promise
from p2p.outputs import Refused as Closed
from p2p.pledges import Pledges
from p2p.shorts import Shorts
from p2p.statements import Heard, Here, Join, Listing, Member, Refuse
from p2p.terms import check_terms, complete_options
from p2p.transport import Address
from protocol.agreement import MAX_NAME, Agreement, Player
from protocol.errors import LocalError, PeerFault
from protocol.going_on import StoppedTable
from protocol.wire import text

LINK_A_SECOND = 32.0
LINK_BURST = 320.0
"""Messages of the lobby that one link may bring, copies counted: several times what a full table
says when all come and are ready at once. Whoever brings more is no honest peer."""

TABLES_GAP = 1.0
"""Seconds between two tellings of the tables of one key."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a reception works with. ``stamp``: see ``Lobby``. ``start``: runs something in a task
    of its own. ``short_of``: the short form of a linked key if people know of the link.
    ``agreement_of``: that of the table at which this peer has a seat, signed by all, if a key has
    one too. ``entering``: told before this peer enters a lobby.
    """

    identity: Identity
    name: str
    owner: bytes
    entropy: Callable[[int], bytes]
    mesh: Mesh
    shorts: Shorts
    tell: Callable[[PeerEvent], None]
    announce: Callable[[Sequence[TableAd]], None]
    addresses: Callable[[], tuple[Address, ...]]
    stamp: Callable[[], int]
    ready: bool
    start: Callable[[Callable[[], Awaitable[None]]], None]
    short_of: Callable[[bytes], str | None]
    pledges: Pledges
    agreement_of: Callable[[bytes], Awaitable[bytes | None]]
    entering: Callable[[], None]


@dataclass(frozen=True, slots=True)
class _List:
    """A list of players that people are to be told of."""

    listing: Listing
    ready: frozenset[bytes]

    @property
    def keys(self) -> tuple[bytes, ...]:
        """All keys whose short forms are shown, owners too."""
        members = self.listing.members
        return tuple(key for m in members for key in (m.key, m.owner) if key)


class Reception:
    """The lobby's driver. ``offers``: the tables that each linked key tells of; ``admitted``: what
    each has answered to the token of an invite table; ``pledges``: what was promised in lobbies.
    """

    def __init__(self, desk: Desk) -> None:
        self.offers: dict[bytes, tuple[TableInfo, ...]] = {}
        self.admitted: dict[bytes, tuple[TableInfo, ...]] = {}
        self.lobby: Lobby | None = None
        self.pledges = desk.pledges
        self._desk = desk
        self._shown: tuple[TableInfo, ...] = ()
        self._told: tuple[TableInfo, ...] = ()
        self._links = Budgets(LINK_A_SECOND, LINK_BURST)
        self._offers_told: dict[bytes, tuple[TableOffer, ...]] = {}
        self._tell_at: dict[bytes, float] = {}
        self._may_tell: dict[bytes, float] = {}
        self._unsaid: _List | None = None
        self._looking_up = False

    @property
    def deadline(self) -> float:
        """When ``tick`` is next of use; infinity: never."""
        wanted = None if self.lobby is None else self.lobby.deadline
        tables = min(self._tell_at.values(), default=float("inf"))
        return min(tables, self.pledges.deadline, float("inf") if wanted is None else wanted)

    @property
    def waiting(self) -> bool:
        """Whether this peer waits at a table."""
        return self.lobby is not None and self.lobby.phase in (Phase.JOINING, Phase.SEATED)

    @property
    def token(self) -> bytes:
        """The token of the invite table that this peer waits at, else empty."""
        return self.lobby.door.token if self.lobby is not None and self.waiting else b""

    def name_of(self, key: bytes) -> str:
        """The name of a player who waits at this table; empty if there is none with this key."""
        listing = None if self.lobby is None else self.lobby.listing
        members = () if listing is None else listing.members
        return next((member.name for member in members if member.key == key), "")

    @property
    def told(self) -> tuple[TableInfo, ...]:
        """The tables that everybody is told of."""
        return self._told

    # What people ask for.

    async def open(
        self, table: str, game: str, options: Mapping[str, object], seats: int, invite: bool
    ) -> None:
        """Opens a table; LocalError for terms that no game has, or if this peer waits already."""
        self._must_be_free()
        desk = self._desk
        try:
            text(table, MAX_NAME, "a table's name")
            chosen = complete_options(game, options)
            info = TableInfo(b"", desk.identity.key, table, game, chosen, seats, 1)
            key = desk.identity.signing_key
            now = trio.current_time()
            more = (desk.stamp(), invite, desk.ready)
            lobby = Opener(info, self._me(), key, desk.entropy, now, *more)
        except PeerFault as fault:
            raise LocalError(f"This table cannot be opened: {fault.text}.") from None
        await self._enter(lobby)

    async def go_on(
        self, stopped: StoppedTable, homes: Mapping[bytes, tuple[Address, ...]], invite: bool
    ) -> None:
        """Opens a table that goes on from one of this peer's; see ``Opener``."""
        self._must_be_free()
        desk, roster = self._desk, stopped.agreement.roster
        if stopped.refusal(self._player(stopped)):
            raise LocalError("This player was caught at that table: others may go on from it.")
        count = len(roster.players)
        info = TableInfo(b"", b"", roster.table, roster.game, roster.options, count, 1)
        key, now = desk.identity.signing_key, trio.current_time()
        more = (desk.stamp(), invite, desk.ready, stopped, homes)
        await self._enter(Opener(info, self._me(stopped), key, desk.entropy, now, *more))

    async def join(
        self,
        info: TableInfo,
        contact: bytes,
        token: bytes = b"",
        stopped: StoppedTable | None = None,
    ) -> None:
        """Asks for a seat by the link with ``contact``; what comes of it is told as an event.

        ``stopped``: what is known here of the table from which that one goes on.
        """
        self._must_be_free()
        desk = self._desk
        try:
            check_terms(info.game, info.options, info.seats)
        except PeerFault as fault:
            desk.tell(Refused("options" if fault.code == "seats" else fault.code, fault.text))
            return
        # If this link breaks before there is a list, it is dialled again: nobody else would do it.
        desk.mesh.want({contact: ()})
        desk.mesh.learn(contact, desk.mesh.dialled_at(contact), proved=True)
        now = trio.current_time()
        key = desk.identity.signing_key
        promised = await desk.pledges.of(info.lobby)
        more = (contact, desk.stamp(), token, desk.ready, promised, stopped)
        await self._enter(Joiner(info, self._me(stopped), key, desk.entropy, now, *more))

    async def _enter(self, lobby: Lobby) -> None:
        self._desk.entering()
        self.lobby = lobby
        self._unsaid = None
        outputs = lobby.begin()
        for key in self._desk.mesh.linked:
            outputs += lobby.linked(key, trio.current_time())
        await self._carry_out(outputs)

    async def leave(self) -> None:
        """Gives up waiting, for good; an opener closes its table by that."""
        if self.lobby is not None:
            await self.pledges.release(self.lobby.info.lobby)
        await self.close()

    async def close(self) -> None:
        """Gives up waiting: the program ends, or goes to the table that it has signed."""
        self._unsaid = None
        if self.lobby is not None:
            await self._carry_out(self.lobby.leave())

    async def remove(self, key: bytes) -> None:
        """The opener gives a seat away; LocalError where it has none to give."""
        if self.lobby is None or not self.waiting:
            raise LocalError("This peer waits at no table.")
        await self._carry_out(self.lobby.remove(key))

    async def ready(self, ready: bool) -> Completed | None:
        """Whether this player would begin; raises LocalError where it does not wait."""
        if self.lobby is None or not self.waiting:
            raise LocalError("This peer waits at no table.")
        return await self._carry_out(self.lobby.be_ready(ready))

    async def over(self) -> None:
        """The game at the table is over: it is not offered any more, and nobody reminded of it."""
        if self._shown or (self.lobby is not None and self.lobby.phase is Phase.AGREED):
            self.lobby = None
            self._shown = ()
            self._advertise()

    def show(self, lobby: bytes, agreement: Agreement) -> None:
        """Tells of the table at which this peer plays, also when its lobby is not here any more."""
        roster = agreement.roster
        terms = (roster.table, roster.game, roster.options)
        count = len(roster.players)
        self._shown = (TableInfo(lobby, roster.players[0].key, *terms, count, count),)
        self._advertise()

    async def _recalled(self, completed: Completed | None) -> Completed | None:
        """Leaves whatever lobby this peer is in for a table that it has signed before."""
        if completed is None:
            return None
        if self.lobby is not None and self.waiting and self.lobby.rounds.committed:
            return None  # it is about to begin at another one
        await self.close()
        self.lobby = None
        self.pledges.meet(completed)
        return completed

    async def _closed(self, code: str, reason: str) -> None:
        """This player has no seat in its lobby any more. What it has signed there may count yet."""
        self._unsaid = None
        self._desk.mesh.want({})
        self._desk.tell(Refused(code, reason))
        await self.pledges.keep()

    def _must_be_free(self) -> None:
        if self.waiting:
            raise LocalError("This peer waits at a table already.")

    def _me(self, stopped: StoppedTable | None = None) -> Member:
        player = self._player(stopped)
        return Member(player.key, player.name, player.owner, self._desk.addresses())

    def _player(self, stopped: StoppedTable | None) -> Player:
        """This player; by the name that it had at a table that goes on."""
        desk = self._desk
        before = None if stopped is None else stopped.player(desk.identity.key)
        return before or Player(desk.identity.key, desk.name, desk.owner)

    # What the mesh tells. Each returns the signed agreement when it is complete.

    async def linked(self, key: bytes) -> Completed | None:
        """There is a new link with this key."""
        self._desk.mesh.post((key,), Tables(self._told))
        self.pledges.linked(key)
        if self.lobby is None:
            return None
        return await self._carry_out(self.lobby.linked(key, trio.current_time()))

    def named(self, key: bytes) -> None:
        """The short form of a linked key is known now."""
        if self.offers.get(key):
            self._tell_at[key] = self._may_tell.get(key, float("-inf"))
            self._tell_tables(trio.current_time())

    async def unlinked(self, key: bytes) -> None:
        """There is no link with this key any more."""
        self.offers.pop(key, None)
        self.admitted.pop(key, None)
        self._tell_at.pop(key, None)
        self._may_tell.pop(key, None)
        self._offers_told.pop(key, None)
        if self.lobby is not None:
            await self._carry_out(self.lobby.unlinked(key))

    async def received(self, key: bytes, message: Message) -> Completed | None:
        """A message by the link with this key; raises PeerFault if the link is to blame."""
        if not self._links.spend(key, trio.current_time()):
            raise PeerFault("message", "far more messages of the lobby than all players may say")
        match message:
            case Tables(tables):
                self.offers[key] = tables
                self._tell_at[key] = self._may_tell.get(key, float("-inf"))
                self._tell_tables(trio.current_time())
            case Statement():
                return await self._heard(key, statements.read(message))
            case Knock(token):
                self._knocked(key, token)
            case Admit(tables):
                self.admitted[key] = tables
            case Agreed(sealed):
                return await self._agreed(sealed)
            case _:
                pass
        return None

    async def _agreed(self, sealed: bytes) -> Completed | None:
        completed = None
        if self.lobby is not None:
            completed = await self._carry_out(self.lobby.agreed(sealed))
        if completed is None:
            completed = await self._recalled(self.pledges.agreed(sealed))
        return completed

    def _knocked(self, key: bytes, token: bytes) -> None:
        """Tells of an invite table to whoever has its token."""
        lobby = self.lobby
        right: bool | None = False
        if lobby is not None and lobby.door.token:
            right = lobby.door.opens(token, key, trio.current_time())
        if right is not None:  # else it knocks again
            offered = lobby.offered if right and lobby is not None else ()
            self._desk.mesh.post((key,), Admit(offered))

    async def tick(self) -> Completed | None:
        """Time has passed."""
        self._tell_tables(trio.current_time())
        self.pledges.tick(trio.current_time())
        if self.lobby is None:
            return None
        return await self._carry_out(self.lobby.tick(trio.current_time()))

    async def _heard(self, key: bytes, heard: Heard) -> Completed | None:
        completed = await self._recalled(self.pledges.heard(key, heard))
        if completed is not None:
            return completed
        lobby = self.lobby
        if (
            lobby is not None
            and heard.lobby == lobby.info.lobby
            and lobby.phase is not Phase.CLOSED
        ):
            return await self._carry_out(lobby.received(key, heard, trio.current_time()))
        if self.pledges.looks_for(heard.lobby):
            return None
        if isinstance(heard.said, (Join, Here)) and heard.author == key:
            # It may be one of this peer's table that was cut off when the last signatures came.
            sealed = await self._desk.agreement_of(key)
            if sealed is not None:
                self._desk.mesh.post((key,), Agreed(sealed))
            refusal = Refuse(key, "no-such-table", "there is no such table here any more")
            signing_key = self._desk.identity.signing_key
            made = statements.make(signing_key, heard.lobby, self._desk.stamp(), refusal)
            self._desk.mesh.post((key,), made.statement)
        return None

    # What the lobby asks for.

    async def _carry_out(self, outputs: Sequence[Output]) -> Completed | None:
        completed: Completed | None = None
        changed = False
        for output in outputs:
            match output:
                case Post(keys, message):
                    self._desk.mesh.post(keys, message)
                case Changed():
                    changed = True  # told last
                case Promise():
                    assert self.lobby is not None
                    await self.pledges.write(self.lobby, output)
                case Closed(code, reason):
                    await self._closed(code, reason)
                case Lied(key, fault):
                    self._desk.tell(FaultSeen(fault, self.name_of(key)))
                case Completed():
                    completed = output
        self._advertise()
        if changed:
            await self._tell_list()
        return completed

    async def _tell_list(self) -> None:
        """Tells of the list: at once if all short forms are known, else when they are."""
        lobby, listing = self.lobby, None if self.lobby is None else self.lobby.listing
        if lobby is None or listing is None or lobby.phase is Phase.CLOSED:
            return
        self._desk.mesh.want(lobby.wanted)
        ready = frozenset(m.key for m in listing.members if lobby.rounds.is_ready(m.key))
        self._unsaid = _List(listing, ready)
        if self._unknown() is None:
            await self.say_list()
        elif not self._looking_up:
            self._looking_up = True
            self._desk.start(self._look_up)

    async def _look_up(self) -> None:
        """Beside the owner's task, which nobody may hold up by ever new keys."""
        try:
            while self._unsaid is not None:
                key = self._unknown()
                if key is None:
                    await self.say_list()
                else:
                    await self._desk.shorts.of(key)
        finally:
            self._looking_up = False

    def _unknown(self) -> bytes | None:
        """A key in the list whose short form is not known yet."""
        keys = () if self._unsaid is None else self._unsaid.keys
        return next((key for key in keys if self._desk.shorts.known(key) is None), None)

    async def say_list(self) -> None:
        """Tells of the last list, if that is still to be done."""
        said, self._unsaid = self._unsaid, None
        if said is None:
            return
        listing = said.listing
        members = tuple(Player(m.key, m.name, m.owner) for m in listing.members)
        players = await player_infos(members, self._desk.shorts, said.ready)
        self._desk.shorts.keep(said.keys)
        terms = (listing.table, listing.game, listing.options, listing.seats)
        self._desk.tell(LobbyChanged(*terms, players, listing.origin))

    def _tell_tables(self, now: float) -> None:
        """Tells of the tables of those whose turn it is: the newest of what each has said."""
        for key in [key for key, at in self._tell_at.items() if at <= now]:
            del self._tell_at[key]
            offers = tuple(
                TableOffer(info.table, info.game, info.taken, info.seats, info.opener, info.origin)
                for info in self.offers.get(key, ())
            )
            short = self._desk.short_of(key)
            if short is not None and offers != self._offers_told.get(key, ()):
                self._offers_told[key] = offers
                self._may_tell[key] = now + TABLES_GAP
                self._desk.tell(TablesTold(short, key, offers))

    def _advertise(self) -> None:
        """Tells all who are linked, and the network, when what is offered here has changed."""
        offered = self._shown if self.lobby is None else self.lobby.advertised
        if offered == self._told:
            return
        self._told = offered
        self._desk.mesh.post(self._desk.mesh.linked, Tables(offered))
        own = [info for info in offered if info.opener == self._desk.identity.key]
        self._desk.announce([TableAd(i.table, i.game, i.taken, i.seats) for i in own])


async def player_infos(
    players: Sequence[Player], shorts: Shorts, ready: Container[bytes]
) -> tuple[PlayerInfo, ...]:
    """Players with the short forms of their keys, as people see them."""
    return tuple(
        [
            PlayerInfo(
                p.key, p.name, await shorts.of(p.key), await shorts.of(p.owner), p.key in ready
            )
            for p in players
        ]
    )
