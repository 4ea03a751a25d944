"""A table that this player has signed before its program was started again. SPEC 11.7.

It may have begun without this player, or lack nothing but signatures that never came here. So the
others are asked, by HERE, and given once more what this player has said: the agreement comes whole,
or the rest of the signatures does. All that is on disk, so this holds even if all were killed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p import statements
from p2p.database import Pledge
from p2p.messages import Message, Statement
from p2p.outputs import Completed
from p2p.statements import Commit, Heard, Here, Reveal, Said, Sign
from p2p.transport import Address
from protocol.agreement import NONCE_BYTES, Agreement, read_agreement, read_roster
from protocol.errors import PeerFault
from protocol.signing import public_bytes, verified
from protocol.wire import fields, octets, unpack

LOOK_SECONDS = 10.0
"""How long a program that was started again looks for such a table before anything else."""

PLEDGE_SECONDS = 600
"""How long after it was signed an agreement still makes this player sit down: longer than it takes
to start programs again, and not so long that people have forgotten what they wanted to play."""


class Recall:
    """The newest of ``pledges`` is asked for; older ones count if somebody has them whole.

    ``stamp``: see ``Lobby``, a greater one each time. ``post`` gives a message to those of the keys
    that are linked. ``looks``: whether nothing else is done meanwhile; ``done`` is set when it does
    not any more. Raises PeerFault if what was signed cannot be read: see ``fresh``.
    """

    def __init__(
        self,
        pledges: Sequence[Pledge],
        key: Ed25519PrivateKey,
        stamp: Callable[[], int],
        post: Callable[[Iterable[bytes], Message], None],
    ) -> None:
        newest = pledges[0]
        self.lobby = newest.lobby
        self.agreement = _read_body(newest.body)
        self.look_by = trio.current_time() + LOOK_SECONDS
        self.done = trio.Event()
        self._pledges = {pledge.table: pledge for pledge in pledges}
        self._number = newest.number
        self._key = key
        self._stamp = stamp
        self._post = post
        self._own = public_bytes(key)
        self._signs = {self._own: self.agreement.signature(key)}
        self._held = [self._made(said) for said in self._rounds()]

    @property
    def looks(self) -> bool:
        """Whether this player waits for the others."""
        return not self.done.is_set()

    def lasts(self, now: int) -> bool:
        """Whether anything still counts at ``now``, in seconds of Unix time."""
        for table in [t for t, p in self._pledges.items() if now - p.made >= PLEDGE_SECONDS]:
            del self._pledges[table]
        return self.agreement.table_id in self._pledges

    def members(self, table: bytes) -> Mapping[bytes, tuple[Address, ...]]:
        """The others at one of the tables, and where they were reached."""
        return dict(self._pledges[table].members)

    def rest(self) -> None:
        """It does not look any more: nobody has come, or something else is done."""
        self.done.set()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the others."""
        return tuple(p.name for p in self.agreement.roster.players if p.key != self._own)

    def linked(self, key: bytes) -> None:
        """There is a link with this key: it is asked, and given what was said in the rounds."""
        if key in self._others:
            self._ask(key)
            for statement in self._held:
                self._post((key,), statement)

    def named(self, key: bytes, table: bytes) -> None:
        """This key has said that it is at a table; it is asked if it is one of these."""
        if key in self._others and table in self._pledges:
            self._ask(key)

    def heard(self, source: bytes, heard: Heard) -> Completed | None:
        """A statement by the link of ``source``; the table, if that was all that it lacked."""
        if heard.lobby != self.lobby:
            return None
        said, author = heard.said, heard.author
        if not isinstance(said, Sign) or said.version != self._number or author in self._signs:
            return None
        body = self.agreement.body
        if author not in self._others or not verified(author, "agreement", body, said.signature):
            return None
        self._signs[author] = said.signature
        self._held.append(heard.statement)
        self._post([k for k in self._others if k not in (source, author)], heard.statement)
        players = self.agreement.roster.players
        if any(player.key not in self._signs for player in players):
            return None
        signatures = tuple(self._signs[player.key] for player in players)
        return self._completed(self.agreement, self.agreement.sealed(signatures))

    def agreed(self, sealed: bytes) -> Completed | None:
        """A signed agreement; the table, if it is one of these. Raises PeerFault."""
        agreement = read_agreement(sealed)
        return self._completed(agreement, sealed) if agreement.table_id in self._pledges else None

    def _rounds(self) -> tuple[Said, ...]:
        """What this player has said for that list, word for word; who lacks it can go on then."""
        roster, number = self.agreement.roster, self._number
        nonce = self.agreement.nonces[roster.index(self._own)]
        return (
            Commit(number, roster.commitment(self._own, nonce)),
            Reveal(number, nonce),
            Sign(number, self._signs[self._own]),
        )

    def _completed(self, agreement: Agreement, sealed: bytes) -> Completed:
        pledge = self._pledges[agreement.table_id]
        return Completed(agreement, sealed, pledge.lobby if pledge.shown else b"")

    @property
    def _others(self) -> tuple[bytes, ...]:
        return tuple(p.key for p in self.agreement.roster.players if p.key != self._own)

    def _ask(self, key: bytes) -> None:
        self._post((key,), self._made(Here(True)))

    def _made(self, said: Said) -> Statement:
        return statements.make(self._key, self.lobby, self._stamp(), said).statement


def _read_body(body: bytes) -> Agreement:
    roster, nonces = fields(unpack(body), 2, "an agreement's body")
    players = read_roster(roster)
    found = fields(nonces, len(players.players), "the nonces")
    return Agreement(players, tuple(octets(one, NONCE_BYTES, "a nonce") for one in found))


def fresh(pledges: Sequence[Pledge], now: int, own: bytes) -> list[Pledge]:
    """Those that still count, and that this program can read. ``now``: seconds of Unix time.

    ``own``: the key of this player, which is another one where the old one was lost.
    """
    found = []
    for pledge in (one for one in pledges if now - one.made < PLEDGE_SECONDS):
        try:
            agreement = _read_body(pledge.body)
        except PeerFault:
            continue  # of another version, with a game that is unknown here
        if own in agreement.keys:
            found.append(pledge)
    return found
