"""The lobby of a player who asks for a seat, and watches whoever opened the table. SPEC 11.6."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p.database import Promised
from p2p.lobby import GONE_SECONDS, Lobby
from p2p.messages import TableInfo
from p2p.outputs import Output, Phase
from p2p.statements import Heard, Join, Listing, Member, Refuse
from p2p.terms import numbered, objection_to
from protocol.errors import PeerFault
from protocol.going_on import StoppedTable

NOTHING = Promised()

ANSWER_SECONDS = 30.0
"""How long this player asks for a seat without any answer: whoever has told of the table may have
made it up in the name of somebody who is there, and so seems to be heard."""

NAME_TRIES = 6
"""A joiner whose name is taken calls itself "name 2", "name 3" and so on, by itself."""


class Joiner(Lobby):
    """A table that somebody else has opened.

    ``contact`` is the linked key that told of the table: the opener or any member. ``promised``:
    what binds this player from when it was in this lobby before. ``stopped``: what it knows of the
    table from which this one goes on. The rest as for ``Lobby``.
    """

    def __init__(
        self,
        info: TableInfo,
        me: Member,
        key: Ed25519PrivateKey,
        entropy: Callable[[int], bytes],
        now: float,
        contact: bytes,
        stamp: int = 0,
        token: bytes = b"",
        ready: bool = True,
        promised: Promised = NOTHING,
        stopped: StoppedTable | None = None,
    ) -> None:
        super().__init__(info, me, key, entropy, now, stamp, token, ready, promised.tables)
        self._past = promised.number
        self._stopped = stopped
        self._contact = contact
        self._name = me.name
        self._renamed = 0
        self._voice.listeners = (contact,)
        self._ask_until = now + ANSWER_SECONDS

    def linked(self, key: bytes, now: float) -> list[Output]:
        """See ``Lobby.linked``; the contact is asked for a seat."""
        outputs = super().linked(key, now)
        if self.phase is Phase.JOINING and key == self._contact:
            self._ask()
        return outputs + self._flush()

    def _beat(self, now: float) -> None:
        if self.phase is Phase.JOINING:
            self._ask()
        else:
            self._say_here()
        if self._guests.silence(self.info.opener, now) >= GONE_SECONDS:
            self._close("closed", "whoever opened the table cannot be reached any more")
        elif self.phase is Phase.JOINING and now >= self._ask_until:
            self._close("closed", "nobody at this table answers")

    def _asked(self, source: bytes, heard: Heard, join: Join, now: float) -> None:
        """Somebody wants a seat: the opener answers, members pass it on."""
        self._voice.pass_on(heard.statement, source)

    def _lost(self, key: bytes, cheated: bool) -> None:
        """A player has left or cheated: the opener makes a new list, members wait for it."""
        if key == self.info.opener:
            code = "opener" if cheated else "closed"
            done = "cheats" if cheated else "has closed it"
            self._close(code, f"whoever opened the table {done}")

    def _take_refuse(self, source: bytes, heard: Heard, refuse: Refuse) -> bool:
        by_opener = heard.author == self.info.opener
        if refuse.key != self.me.key:
            if by_opener:
                self._voice.pass_on(heard.statement, source)
                self._route(refuse.key, heard.statement)
            return by_opener
        by_contact = heard.author == source == self._contact
        if not by_opener and not (by_contact and self.phase is Phase.JOINING):
            return False
        if refuse.code == "name" and self._renamed < NAME_TRIES:
            self._renamed += 1
            self.me = replace(self.me, name=numbered(self._name, self._renamed + 1))
            self._ask()
        else:
            self._close(refuse.code, refuse.text)
        return True

    def _take_listing(self, source: bytes, heard: Heard, listing: Listing) -> bool:
        if self.listing is None and listing.version <= self._past:
            # This player has committed to a nonce for it, which it has forgotten, and must not
            # commit to another one. The opener makes a new list when it is asked again.
            return False
        newest = 0 if self.listing is None else self.listing.version
        if listing.version <= newest:
            if listing.version == newest:
                self._voice.pass_on(heard.statement, source)
                self._lied(heard, PeerFault("lobby.twice", "two different lists of one number"))
            return True
        seated = any(member.key == self.me.key for member in listing.members)
        if not seated and self.phase is Phase.JOINING:
            return False
        objection = objection_to(listing, self.info, self.me, self.listing, self._stopped)
        if objection:
            self._close("opener", f"whoever opened the table {objection}")
            return True
        before = self._members
        self._adopt(listing, heard.statement)
        self._voice.pass_on(heard.statement, source, before)
        if seated:
            self.phase = Phase.SEATED
            if set(self._members) - set(before):
                self._say_here()  # whoever is new does not know who is ready
            self._speak()
        else:
            self._close("removed", "whoever opened the table has given the seat away")
        return True

    def _ask(self) -> None:
        me, token = self.me, self.door.token
        self._voice.say(Join(self.info.game, me.name, me.owner, me.addresses, token))
