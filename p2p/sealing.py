"""From a full list to a signed agreement: all commit to a nonce, reveal it, sign. SPEC 11.7.

Nobody reveals before all have committed to this very roster, so nobody chooses where it sits; and
what a seat signs has its own fresh nonce in it, so an old agreement cannot be passed off on it.
"""

from __future__ import annotations

from typing import TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p.statements import Commit, Reveal, Sign
from protocol.agreement import Agreement, Roster
from protocol.errors import PeerFault
from protocol.signing import public_bytes, verified

Round: TypeAlias = Commit | Reveal | Sign


class Sealing:
    """The three rounds for one roster, as one player sees them. Sans-I/O.

    ``nonce``: 32 fresh random bytes, used for this roster and never again.
    """

    def __init__(self, version: int, roster: Roster, key: Ed25519PrivateKey, nonce: bytes) -> None:
        self.version = version
        self.roster = roster
        self._key = key
        self._own = public_bytes(key)
        self._nonce = nonce
        self._commits: dict[bytes, bytes] = {}
        self._reveals: dict[bytes, bytes] = {}
        self._signs: dict[bytes, bytes] = {}

    @property
    def agreement(self) -> Agreement | None:
        """Roster and nonces, once all are revealed."""
        keys = self._keys
        if any(key not in self._reveals for key in keys):
            return None
        return Agreement(self.roster, tuple(self._reveals[key] for key in keys))

    @property
    def sealed(self) -> bytes | None:
        """The agreement with all signatures, once they are there."""
        agreement = self.agreement
        if agreement is None or any(key not in self._signs for key in self._keys):
            return None
        return agreement.sealed(tuple(self._signs[key] for key in self._keys))

    def committed(self, key: bytes) -> bool:
        """Whether a player has committed to a nonce, and so to this roster."""
        return key in self._commits

    @property
    def signed(self) -> bool:
        """Whether this player has signed, and so is bound if all others do."""
        return self._own in self._signs

    @property
    def waiting_for(self) -> tuple[bytes, ...]:
        """The keys that hold up the round that is open, in the roster's order."""
        for done in (self._commits, self._reveals, self._signs):
            missing = tuple(key for key in self._keys if key not in done)
            if missing:
                return missing
        return ()

    @property
    def _keys(self) -> tuple[bytes, ...]:
        return tuple(player.key for player in self.roster.players)

    def speak(self) -> Round | None:
        """What this player says next; None if it is not its turn. Counts as said."""
        said: Round
        if self._own not in self._commits:
            said = Commit(self.version, self.roster.commitment(self._own, self._nonce))
        elif self._own not in self._reveals:
            if len(self._commits) < len(self._keys):
                return None
            said = Reveal(self.version, self._nonce)
        elif self._own not in self._signs:
            agreement = self.agreement
            if agreement is None:
                return None
            said = Sign(self.version, agreement.signature(self._key))
        else:
            return None
        self.take(self._own, said)
        return said

    def take(self, author: bytes, said: Round) -> bool:
        """Files what a player of the roster has said; False if it cannot be used (yet).

        Raises PeerFault ``lobby.twice``, ``lobby.reveal`` or ``lobby.signature`` if it proves that
        the author cheats.
        """
        match said:
            case Commit(_, commitment):
                return _file(self._commits, author, commitment)
            case Reveal(_, nonce):
                if author not in self._commits:
                    return False
                if self.roster.commitment(author, nonce) != self._commits[author]:
                    raise PeerFault("lobby.reveal", "a nonce that is not what was committed to")
                return _file(self._reveals, author, nonce)
            case Sign(_, signature):
                agreement = self.agreement
                if agreement is None:
                    return False
                if not verified(author, "agreement", agreement.body, signature):
                    raise PeerFault("lobby.signature", "a false signature of the agreement")
                return _file(self._signs, author, signature)


def _file(values: dict[bytes, bytes], author: bytes, value: bytes) -> bool:
    if values.setdefault(author, value) != value:
        raise PeerFault("lobby.twice", "two different statements of one player for one round")
    return True
