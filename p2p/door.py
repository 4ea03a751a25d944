"""The door of an invite table: whoever knocks needs its token, and guesses slowly. SPEC 11.11."""

from __future__ import annotations

import hmac

from p2p.budget import Budget, put

WRONG_SECONDS = 1.0
"""After a wrong token none of the same key is judged for so long."""

WRONG_A_SECOND = 32.0
WRONG_BURST = 64.0
"""Wrong tokens of all keys together; beyond these nobody is judged. There are not so many links,
and guessing 40 bits at this rate takes five hundred years."""


class Door:
    """Judges tokens. ``token``: the right one; empty where everybody may come in."""

    def __init__(self, token: bytes = b"") -> None:
        self.token = token
        self._shut_until: dict[bytes, float] = {}
        self._wrong = Budget(WRONG_A_SECOND, WRONG_BURST)

    def opens(self, token: bytes, key: bytes, now: float) -> bool | None:
        """Whether a token that this key gives is the right one; None: not judged, ask again later.

        No token at all is told wrong at once, for nothing is learned by that.
        """
        if not self.token:
            return True
        if not token:
            return False
        if now < self._shut_until.get(key, now):
            return None
        if not self._wrong.is_left(now):
            return None
        right = hmac.compare_digest(token, self.token)
        if not right:
            self._wrong.spend(now)
            put(self._shut_until, key, now + WRONG_SECONDS)
        return right
