"""The door of an invite table: whoever knocks needs its token, and guesses slowly. SPEC 11.11."""

from __future__ import annotations

import hmac

WRONG_SECONDS = 1.0
"""After a wrong token none is judged for so long: guessing 40 bits takes thirty thousand years."""


class Door:
    """Judges tokens. ``token``: the right one; empty where everybody may come in."""

    def __init__(self, token: bytes = b"") -> None:
        self.token = token
        self._shut_until = float("-inf")

    def opens(self, token: bytes, now: float) -> bool | None:
        """Whether a token is the right one; None: not judged, ask again later.

        No token at all is told wrong at once, for nothing is learned by that.
        """
        if not self.token:
            return True
        if not token:
            return False
        if now < self._shut_until:
            return None
        right = hmac.compare_digest(token, self.token)
        if not right:
            self._shut_until = now + WRONG_SECONDS
        return right
