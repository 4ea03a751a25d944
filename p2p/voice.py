"""A player in a lobby speaks: its own statements, and those of others it passes on. SPEC 11.6."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2p import statements
from p2p.messages import Message, Statement
from p2p.outputs import Output, Post
from p2p.statements import Heard, Said


class Voice:
    """Speaks to those of ``listeners`` that are linked. What is to be sent is put into ``out``."""

    def __init__(self, key: Ed25519PrivateKey, lobby: bytes, stamp: int, out: list[Output]) -> None:
        self.links: dict[bytes, None] = {}
        self.listeners: tuple[bytes, ...] = ()
        self._key = key
        self._lobby = lobby
        self._count = stamp
        self._out = out

    def make(self, said: Said) -> Heard:
        """A new statement of this player, not sent to anybody yet."""
        self._count += 1
        return statements.make(self._key, self._lobby, self._count, said)

    def say(self, said: Said) -> Statement:
        """Makes a statement and tells it to all."""
        statement = self.make(said).statement
        self.tell(statement)
        return statement

    def tell(self, message: Message) -> None:
        """Gives a message to all listeners."""
        self._post(self._audience(()), message)

    def pass_on(self, statement: Statement, source: bytes, more: tuple[bytes, ...] = ()) -> None:
        """Passes a statement on to all listeners and those of ``more``, but not back."""
        keys = tuple(k for k in self._audience(more) if k not in (source, statement.key))
        self._post(keys, statement)

    def give(self, key: bytes | None, message: Message) -> None:
        """Gives a message to one key, if it is linked."""
        if key is not None and key in self.links:
            self._post((key,), message)

    def _audience(self, more: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return tuple(key for key in self.links if key in self.listeners or key in more)

    def _post(self, keys: tuple[bytes, ...], message: Message) -> None:
        if keys:
            self._out.append(Post(keys, message))
