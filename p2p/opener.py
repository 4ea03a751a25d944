"""The lobby of whoever opened a table: it keeps the list, and has no other power. SPEC 11.6.

When the agreement is signed this is a seat like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p.budget import put
from p2p.lobby import GONE_SECONDS, Lobby
from p2p.messages import LOBBY_ID_BYTES, TOKEN_BYTES, TableInfo
from p2p.outputs import Output, Phase
from p2p.statements import Heard, Join, Listing, Member
from p2p.terms import check_terms, same_name
from p2p.transport import Address
from protocol.agreement import Player
from protocol.errors import LocalError
from protocol.going_on import StoppedTable

SEALING_SECONDS = 10.0
"""How long a full table of ready players may take to sign before who holds it up loses the seat."""

MOST_HOLD_UPS = 2
"""How often a key may do that; then it gets no seat at this table any more."""

MOST_ANEW = 4
"""For how many new lists a key may be the reason by asking for the seat that it has: its program
was started again, or its answer takes longer than it takes to ask again."""

MAX_BANNED = 256
"""Keys that get no seat; those banned first are forgotten first."""


class Opener(Lobby):
    """A table that this player has opened; raises PeerFault for terms that no game has.

    ``info.lobby`` and ``info.opener`` may be empty: they are filled in. ``invite``: only who has
    the token gets a seat. ``stopped``: the table from which this one goes on; seats of those who
    were there to its end are kept for them. ``homes``: where its players may be reached.
    """

    def __init__(
        self,
        info: TableInfo,
        me: Member,
        key: Ed25519PrivateKey,
        entropy: Callable[[int], bytes],
        now: float,
        stamp: int = 0,
        invite: bool = False,
        ready: bool = True,
        stopped: StoppedTable | None = None,
        homes: Mapping[bytes, tuple[Address, ...]] = MappingProxyType({}),
    ) -> None:
        check_terms(info.game, info.options, info.seats)
        origin = b"" if stopped is None else stopped.origin.table
        info = replace(info, lobby=entropy(LOBBY_ID_BYTES), opener=me.key, taken=1, origin=origin)
        token = entropy(TOKEN_BYTES) if invite else b""
        super().__init__(info, me, key, entropy, now, stamp=stamp, token=token, ready=ready)
        self.phase = Phase.SEATED
        self._stopped = stopped
        self._homes = homes
        self._banned: dict[bytes, None] = {}
        self._held_up: dict[bytes, int] = {}
        self._anew: dict[bytes, int] = {}
        self._full_since: float | None = None
        self._publish((me,))

    def _beat(self, now: float) -> None:
        self._say_here()
        gone = {key for key in self._members if self._guests.silence(key, now) >= GONE_SECONDS}
        sealing = self.rounds.sealing
        if sealing is None or not self.rounds.all_ready:
            self._full_since = None  # nobody is to blame for not being ready
        elif self._full_since is None:
            self._full_since = now
        elif now - self._full_since >= SEALING_SECONDS:
            for key in sealing.waiting_for:
                gone.add(key)
                times = self._held_up.get(key, 0) + 1
                put(self._held_up, key, times)
                if times >= MOST_HOLD_UPS and key != self.me.key:
                    self._ban(key)
        gone -= {self.me.key}
        if gone:
            self._remove(gone)

    def _asked(self, source: bytes, heard: Heard, join: Join, now: float) -> None:
        key = heard.author
        invited = self.door.opens(join.token, key, now)
        if invited is None:
            return  # it asks again
        listing = self._list
        others = [member for member in listing.members if member.key != key]
        wanted = Member(key, join.name, join.owner, join.addresses)
        seated = len(others) < len(listing.members)
        if not invited:
            self._refuse(key, "invite", "this table is only for those who have its invite code")
        elif key in self._banned:
            self._refuse(key, "removed", "this player gets no seat at this table any more")
        elif join.game != listing.game:
            self._refuse(key, "game", f"{listing.game} is played at this table, not {join.game}")
        elif self._stopped is not None and self._stopped.refusal(_player(wanted)):
            # Also of a seated one: a list with another name of it would drive the others away.
            self._refuse(
                key, "kept", "at the table before this player was caught, or named otherwise"
            )
        elif seated and self.rounds.sealing is not None and self._may_begin_anew(key):
            # Its program was started again: it does not know its nonce any more.
            self._publish(tuple(wanted if m.key == key else m for m in listing.members))
        elif wanted in listing.members or (seated and self.rounds.sealing is not None):
            self._route(key, self._held[0])
        elif not seated and len(others) == listing.seats:
            self._refuse(key, "full", "all seats of this table are taken")
        elif any(same_name(join.name, name) for name in self._names(others, key)):
            self._refuse(key, "name", f"somebody at this table is called {join.name!r} already")
        elif why := self._kept_from(wanted, others):
            self._refuse(key, "kept", why)
        else:
            self._publish((*others, wanted))

    def _names(self, others: list[Member], key: bytes) -> set[str]:
        """The names that a key cannot have; of those too whose seats are kept for them."""
        before = () if self._stopped is None else self._stopped.agreement.players
        names = {one.name for one in before if one.key != key}
        return names | {other.name for other in others}

    def _kept_from(self, wanted: Member, others: list[Member]) -> str:
        """Why a table that goes on has no seat for a player; empty if it has."""
        stopped = self._stopped
        players = [_player(member) for member in (*others, wanted)]
        if stopped is None or not stopped.objection(stopped.origin, players):
            return ""
        if wanted.key in stopped.origin.keys:
            return "the seat of this player has been given to somebody else"
        return "the seats that are free are kept for those who had them"

    @property
    def wanted(self) -> dict[bytes, tuple[Address, ...]]:
        """See ``Lobby.wanted``; those who were at the table before are looked for too."""
        waits = self.phase is Phase.SEATED
        before = {key: homes for key, homes in self._homes.items() if waits}
        return {**before, **super().wanted}

    def _may_begin_anew(self, key: bytes) -> bool:
        """Whether all begin the rounds once more for a player who asks for its seat again."""
        times = self._anew.get(key, 0) + 1
        put(self._anew, key, times)
        return times <= MOST_ANEW

    def _lost(self, key: bytes, cheated: bool) -> None:
        if cheated:
            self._ban(key)
        self._remove({key})

    def remove(self, key: bytes) -> list[Output]:
        """See ``Lobby.remove``."""
        if self.phase is not Phase.SEATED:
            raise LocalError("This table does not wait for players any more.")
        if key == self.me.key or key not in self._members:
            raise LocalError("There is no other player with this key at the table.")
        self._ban(key)
        self._refuse(key, "removed", "whoever opened the table has given the seat away")
        self._remove({key})
        return self._flush()

    def _ban(self, key: bytes) -> None:
        put(self._banned, key, None, MAX_BANNED)

    @property
    def _list(self) -> Listing:
        assert self.listing is not None
        return self.listing

    def _remove(self, keys: set[bytes]) -> None:
        self._publish(tuple(m for m in self._list.members if m.key not in keys))

    def _publish(self, members: tuple[Member, ...]) -> None:
        """Makes a new list the valid one; a full one is signed as soon as all are ready."""
        info = self.info
        version = 1 if self.listing is None else self.listing.version + 1
        origin = None if self._stopped is None else self._stopped.origin
        terms = (info.table, info.game, info.options, info.seats)
        listing = Listing(version, *terms, members, origin)
        statement = self._voice.make(listing).statement
        before = self._members
        self._full_since = None
        self._adopt(listing, statement)
        self._voice.pass_on(statement, self.me.key, before)
        if set(self._members) - set(before):
            self._say_here()
        self._speak()


def _player(member: Member) -> Player:
    return Player(member.key, member.name, member.owner)
