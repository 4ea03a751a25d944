"""A player helps a table to begin: who is ready, then the three rounds. SPEC 11.6, 11.7."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p.budget import put
from p2p.sealing import Round, Sealing
from p2p.statements import Listing
from protocol.agreement import NONCE_BYTES, Agreement, Player, new_roster
from protocol.errors import LocalError
from protocol.signing import public_bytes

MAX_SIGNED = 16
"""Agreements that this player has signed in this lobby and that may yet be completed by others:
each rests on a list of its own, and takes all players three rounds."""


class Rounds:
    """For the list that is valid.

    ``ready``: whether this player would begin from the first on. ``signed``: the tables whose
    agreements it has signed in this lobby before.
    """

    def __init__(
        self,
        key: Ed25519PrivateKey,
        entropy: Callable[[int], bytes],
        ready: bool,
        signed: Iterable[bytes] = (),
    ) -> None:
        self.sealing: Sealing | None = None
        self._key = key
        self._own = public_bytes(key)
        self._entropy = entropy
        self._ready = {self._own} if ready else set()
        self._members: tuple[bytes, ...] = ()
        self._signed: dict[bytes, None] = {}
        for table_id in signed:
            put(self._signed, table_id, None, MAX_SIGNED)

    def adopt(self, listing: Listing) -> None:
        """This list is the valid one. A full one is a roster: a fresh nonce, and no way back.

        Raises PeerFault if its players cannot sit down together.
        """
        self.sealing = None
        self._members = tuple(member.key for member in listing.members)
        self._ready &= {self._own, *self._members}
        if len(listing.members) == listing.seats:
            options, origin = dict(listing.options), listing.origin
            players = _in_order(listing)
            roster = new_roster(listing.table, listing.game, options, players, origin)
            nonce = self._entropy(NONCE_BYTES)
            self.sealing = Sealing(listing.version, roster, self._key, nonce)

    # Who is ready.

    @property
    def ready(self) -> bool:
        """Whether this player would begin."""
        return self.is_ready(self._own)

    @property
    def all_ready(self) -> bool:
        """Whether all players of the list would begin."""
        return all(map(self.is_ready, self._members))

    def is_ready(self, key: bytes) -> bool:
        """Whether a player would begin. Whoever has committed to this list has said so for good."""
        return key in self._ready or self._bound(key)

    def note(self, key: bytes, ready: bool) -> bool:
        """A player says whether it is ready; whether that changes anything."""
        before = self.is_ready(key)
        if ready:
            self._ready.add(key)
        elif not self._bound(key):
            self._ready.discard(key)
        return self.is_ready(key) != before

    def choose(self, ready: bool) -> bool:
        """This player would begin, or not; as ``note``. Raises LocalError if it is bound."""
        if not ready and self._bound(self._own):
            raise LocalError("All are ready and the table is about to begin: it is too late.")
        return self.note(self._own, ready)

    @property
    def committed(self) -> bool:
        """Whether this player has committed to the list that is valid."""
        return self._bound(self._own)

    def _bound(self, key: bytes) -> bool:
        return self.sealing is not None and self.sealing.committed(key)

    # The rounds.

    def speak(self) -> Round | None:
        """What this player says next, as ``Sealing.speak``; nothing before all are ready.

        Until then each may take its word back.
        """
        if self.sealing is None or not self.all_ready:
            return None
        said = self.sealing.speak()
        if self.sealing.signed and self.sealing.agreement is not None:
            put(self._signed, self.sealing.agreement.table_id, None, MAX_SIGNED)
        return said

    @property
    def completed(self) -> tuple[Agreement, bytes] | None:
        """The agreement, and with all signatures, once they are there."""
        if self.sealing is None or self.sealing.agreement is None or self.sealing.sealed is None:
            return None
        return self.sealing.agreement, self.sealing.sealed

    def has_signed(self, table_id: bytes) -> bool:
        """Whether this player has signed the agreement of that table in this lobby."""
        return table_id in self._signed

    @property
    def has_signed_any(self) -> bool:
        """Whether there is an agreement that this player has signed."""
        return bool(self._signed)


def _in_order(listing: Listing) -> tuple[Player, ...]:
    """The players of a full list in the order of its roster: as they came, or by their old seats.

    Raises PeerFault ``origin`` if they cannot go on together.
    """
    players = tuple(Player(m.key, m.name, m.owner) for m in listing.members)
    if listing.origin is None:
        return players
    seats = listing.origin.seating(tuple(player.key for player in players))
    return tuple(players[index] for index in seats if index is not None)
