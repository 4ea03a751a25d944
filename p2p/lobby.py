"""A table that waits for its players, as one of them sees it: messages in, messages out. SPEC 11.6.

The opener keeps the list (``p2p.opener``), the others ask for a seat and follow it
(``p2p.joiner``); everything else, which is here, each player says for itself, signed, and all
members pass it on, so any connected graph of links is enough. Sans-I/O: the driver says which keys
are linked and carries out what the methods return; ``now`` is seconds of any steady clock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p.budget import Budgets
from p2p.door import Door
from p2p.guests import Guests
from p2p.messages import Agreed, Message, Statement, TableInfo
from p2p.outputs import Changed, Completed, Lied, Output, Phase, Post, Promise, Refused
from p2p.rounds import Rounds
from p2p.sealing import Round
from p2p.statements import Commit, Heard, Here, Join, Leave, Listing, Member, Refuse, Sign
from p2p.transport import Address
from p2p.voice import Voice
from protocol.agreement import Agreement, read_agreement
from protocol.errors import LocalError, PeerFault

BEAT_SECONDS = 2.0
"""How often a player says that it is still here."""

SAID_A_SECOND = 2.0
SAID_BURST = 20
"""What one author may say of itself: ask for a seat, be ready or not. What is beyond is dropped;
both are said again every beat, so nothing is lost by that."""

GONE_SECONDS = 6.0
"""Silence after which a player is taken to be gone and its seat is free again."""


class Lobby(ABC):
    """One table of the lobby; see ``Opener`` and ``Joiner``.

    ``stamp``: an integer that is larger at each start of the program (milliseconds of the calendar,
    for instance), from which the own statements are counted. ``token``: that of an invite table,
    else empty. ``ready``: whether this player would begin as soon as it has a seat. ``signed``: the
    tables whose agreements it has signed in this lobby before.
    """

    def __init__(
        self,
        info: TableInfo,
        me: Member,
        key: Ed25519PrivateKey,
        entropy: Callable[[int], bytes],
        now: float,
        stamp: int = 0,
        token: bytes = b"",
        ready: bool = True,
        signed: Iterable[bytes] = (),
    ) -> None:
        self.info = info
        self.me = me
        self.phase = Phase.JOINING
        self.listing: Listing | None = None
        self.door = Door(token)
        self.rounds = Rounds(key, entropy, ready, signed)
        self._next_beat = now + BEAT_SECONDS
        self._guests = Guests(now)
        self._authors = Budgets(SAID_A_SECOND, SAID_BURST)
        self._sealed = b""
        self._players: tuple[bytes, ...] = ()
        self._held: list[Statement] = []
        self._out: list[Output] = []
        self._voice = Voice(key, info.lobby, stamp, self._out)

    # What the driver calls.

    def begin(self) -> list[Output]:
        """What is to be done first, before anything has come in."""
        return self._flush()

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is next of use; None: never."""
        return self._next_beat if self.phase in (Phase.JOINING, Phase.SEATED) else None

    @property
    def advertised(self) -> tuple[TableInfo, ...]:
        """What to tell those who look for a table; one that plays is full. No invite table."""
        return () if self.door.token else self.offered

    @property
    def offered(self) -> tuple[TableInfo, ...]:
        """What to tell those who may know of the table; nothing as long as there is no seat."""
        if self.phase not in (Phase.SEATED, Phase.AGREED):
            return ()
        return (replace(self.info, taken=len(self._members)),)

    @property
    def wanted(self) -> dict[bytes, tuple[Address, ...]]:
        """The keys to be linked with, and where they say they listen."""
        if self.listing is None or self.phase is Phase.CLOSED:
            return {}
        return {m.key: m.addresses for m in self.listing.members if m.key != self.me.key}

    def linked(self, key: bytes, now: float) -> list[Output]:
        """There is a link with this key now."""
        self._voice.links[key] = None
        self._guests.hear(key, now)
        if key in self._members:
            agreed = self.phase is Phase.AGREED
            held: Iterable[Message] = [Agreed(self._sealed)] if agreed else self._held
            self._out.extend(Post((key,), message) for message in held)
        return self._flush()

    def unlinked(self, key: bytes) -> list[Output]:
        """There is no link with this key any more."""
        self._voice.links.pop(key, None)
        return self._flush()

    def received(self, source: bytes, heard: Heard, now: float) -> list[Output]:
        """A statement about this lobby that came by the link of ``source``."""
        if heard.author != self.me.key and self._guests.is_new(heard):
            if self.phase is Phase.AGREED:
                self._remind(source, heard)
            elif self.phase is not Phase.CLOSED and self._take(source, heard, now):
                self._guests.note(heard, now)
        return self._flush()

    def agreed(self, sealed: bytes) -> list[Output]:
        """A signed agreement from somebody who has it all; raises PeerFault if it is malformed.

        Only one that this player has signed itself, in this lobby, counts; also when its program
        was started again since, and it asks for its seat.
        """
        if self.phase in (Phase.JOINING, Phase.SEATED) and self.rounds.has_signed_any:
            agreement = read_agreement(sealed)
            if self.rounds.has_signed(agreement.table_id):
                self._complete(agreement, sealed)
        return self._flush()

    def tick(self, now: float) -> list[Output]:
        """Time has passed."""
        if self.deadline is not None and now >= self._next_beat:
            self._next_beat = now + BEAT_SECONDS
            for key in self._voice.links:
                self._guests.hear(key, now)
            self._beat(now)
        return self._flush()

    def leave(self) -> list[Output]:
        """This player gives up; if it is the opener, the table is closed by that."""
        if self.phase in (Phase.JOINING, Phase.SEATED):
            self._voice.say(Leave())
            self.phase = Phase.CLOSED
        return self._flush()

    def be_ready(self, ready: bool) -> list[Output]:
        """This player would begin, or not yet; raises LocalError when it is bound already."""
        if self.rounds.choose(ready):
            self._out.append(Changed())
            if self.phase is Phase.SEATED:
                self._say_here()
                self._speak()
        return self._flush()

    def remove(self, key: bytes) -> list[Output]:
        """The seat of a player is given away; LocalError if it is not this player's to give."""
        raise LocalError("Only who opened the table can give a seat away.")

    # What opener and joiner do in different ways.

    @abstractmethod
    def _beat(self, now: float) -> None:
        """It is time to say that this player is still here, and to see who is not."""

    @abstractmethod
    def _asked(self, source: bytes, heard: Heard, join: Join, now: float) -> None:
        """Somebody wants a seat."""

    @abstractmethod
    def _lost(self, key: bytes, cheated: bool) -> None:
        """A player has left or cheated."""

    def _take_refuse(self, source: bytes, heard: Heard, refuse: Refuse) -> bool:
        """Somebody was refused."""
        return False

    def _take_listing(self, source: bytes, heard: Heard, listing: Listing) -> bool:
        """The opener has made a list."""
        return False

    # Statements of others. Each returns whether the statement was used up; if not, another copy
    # of it may be of use later.

    def _take(self, source: bytes, heard: Heard, now: float) -> bool:
        author, said = heard.author, heard.said
        if isinstance(said, Join):
            return self._take_join(source, heard, said, now)
        if isinstance(said, Refuse):
            return self._take_refuse(source, heard, said)
        if isinstance(said, Listing):
            return author == self.info.opener and self._take_listing(source, heard, said)
        if author not in self._members:
            return False
        if not isinstance(said, (Here, Leave)):
            return self._take_round(source, heard, said)
        if not self._guests.is_fresh(heard):
            return False
        if isinstance(said, Here) and not self._authors.spend(author, now):
            return False
        self._voice.pass_on(heard.statement, source)
        if isinstance(said, Leave):
            self._lost(author, cheated=False)
        elif self.rounds.note(author, said.ready):
            self._out.append(Changed())
            self._speak()
        return True

    def _take_join(self, source: bytes, heard: Heard, join: Join, now: float) -> bool:
        if self.phase is not Phase.SEATED:
            return False
        # Over its own link the author is alive; a member may pass on what is newer than the last.
        if source != heard.author and not (
            source in self._members and self._guests.is_fresh(heard)
        ):
            return False
        if not self._authors.spend(heard.author, now):
            return False
        self._guests.came_by(heard.author, source)
        self._asked(source, heard, join, now)
        return True

    def _take_round(self, source: bytes, heard: Heard, said: Round) -> bool:
        sealing = self.rounds.sealing
        if sealing is None or said.version != sealing.version:
            return False
        ready = self.rounds.is_ready(heard.author)
        try:
            if not sealing.take(heard.author, said):
                return False
        except PeerFault as fault:
            self._voice.pass_on(heard.statement, source)
            self._lied(heard, fault)
            return True
        self._held.append(heard.statement)
        self._voice.pass_on(heard.statement, source)
        if not ready:
            self.rounds.note(heard.author, True)
            self._out.append(Changed())
        self._speak()
        return True

    def _remind(self, source: bytes, heard: Heard) -> None:
        """The game has begun; whoever does not know it yet is told."""
        if source in self._members:
            if isinstance(heard.said, (Here, Listing, Join)):
                self._out.append(Post((source,), Agreed(self._sealed)))
        elif isinstance(heard.said, Join) and source == heard.author:
            self._refuse(source, "playing", "the game has begun at this table")

    # What follows.

    def _adopt(self, listing: Listing, statement: Statement) -> None:
        """Makes a list the valid one."""
        self.listing = listing
        self._voice.listeners = self._members
        self._held = [statement]
        self._out.append(Changed())
        try:
            self.rounds.adopt(listing)
        except PeerFault as fault:
            self._close("opener", f"the players cannot sit down: {fault.text}")

    def _speak(self) -> None:
        """Says whatever this player owes in the rounds; completes the table after the last."""
        while (said := self.rounds.speak()) is not None:
            self._promise(said)
            self._held.append(self._voice.say(said))
        if self.rounds.completed is not None:
            self._complete(*self.rounds.completed)

    def _promise(self, said: Round) -> None:
        """What is about to be said may bind this player, also when it is started again.

        Whoever opened the table comes back to what it has signed, but to no list of this lobby.
        """
        if isinstance(said, Commit) and self.me.key != self.info.opener:
            self._out.append(Promise(said.version))
        elif isinstance(said, Sign):
            sealing = self.rounds.sealing
            assert sealing is not None
            assert sealing.agreement is not None
            self._out.append(Promise(said.version, sealing.agreement))

    def _complete(self, agreement: Agreement, sealed: bytes) -> None:
        self.phase = Phase.AGREED
        self._sealed = sealed
        self._players = agreement.keys
        shown = b"" if self.door.token else self.info.lobby
        self._out.append(Completed(agreement, sealed, shown))
        self._voice.tell(Agreed(sealed))

    def _lied(self, heard: Heard, fault: PeerFault) -> None:
        self._out.append(Lied(heard.author, fault))
        self.rounds.sealing = None
        self._lost(heard.author, cheated=True)

    def _close(self, code: str, text: str) -> None:
        self.phase = Phase.CLOSED
        self._out.append(Refused(code, text))

    # Speaking.

    def _say_here(self) -> None:
        self._voice.say(Here(self.rounds.ready))

    @property
    def _members(self) -> tuple[bytes, ...]:
        if self.phase is Phase.AGREED:
            return self._players
        return () if self.listing is None else tuple(m.key for m in self.listing.members)

    def _refuse(self, key: bytes, code: str, text: str) -> None:
        self._route(key, self._voice.make(Refuse(key, code, text)).statement)

    def _route(self, key: bytes, statement: Statement) -> None:
        """Gives a statement to one player, by the way by which it has asked if need be."""
        self._voice.give(key if key in self._voice.links else self._guests.way(key), statement)

    def _flush(self) -> list[Output]:
        out, self._out[:] = list(self._out), []
        return out
