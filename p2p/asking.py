"""Whom to ask for what is missing, and when. SPEC 11.8.

Asked are: everybody at link-up, whoever shows in a ping that it is further, whoever said that there
is more, and, when nothing has moved for a while though others owe an entry, whoever pings next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ASK_SECONDS = 1.5
"""Seconds between two questions to one key that follow from its pings."""

STUCK_SECONDS = 10.0
"""Seconds without progress, and without a question, after which to ask without a sign."""

Positions = Mapping[int, int]


class Asking:
    """Sans-I/O; positions are the open step of each lane in use."""

    def __init__(self, positions: Positions, now: float) -> None:
        self._positions = dict(positions)
        self._moved = now
        self._asked: dict[bytes, float] = {}
        self._more: dict[bytes, dict[int, int]] = {}
        self._behind = False

    def moved(self, positions: Positions, now: float) -> None:
        """Where this seat stands now."""
        if positions != self._positions:
            self._positions = dict(positions)
            self._moved = now

    def behind(self) -> None:
        """An entry came that was too far ahead to be kept: whoever pings next is asked."""
        self._behind = True

    def ask(self, key: bytes, now: float) -> None:
        """This key is being asked."""
        self._asked[key] = now
        self._behind = False
        self._more.pop(key, None)

    def has_more(self, key: bytes) -> None:
        """This key has answered and has more, for when this has been digested."""
        self._more[key] = dict(self._positions)

    def to_ask_again(self) -> list[bytes]:
        """The keys that have more, if what they sent has led on; call it when all is digested."""
        return [key for key, before in self._more.items() if before != self._positions]

    def pinged(
        self, key: bytes, theirs: Sequence[tuple[int, int]], waits: bool, now: float
    ) -> bool:
        """Whether to ask a key that pings from ``theirs``; ``waits``: others owe an entry here."""
        asked = self._asked.get(key, float("-inf"))
        if now - asked < ASK_SECONDS:
            return False
        stuck = waits and now - max(self._moved, asked) >= STUCK_SECONDS
        return stuck or self._behind or is_ahead(theirs, self._positions)


def is_ahead(theirs: Sequence[tuple[int, int]], ours: Positions) -> bool:
    """Whether somebody at ``theirs`` has closed a step that is open or unknown at ``ours``."""
    if not theirs:
        return False
    newest = max(ours)
    if any(step > ours.get(lane, 0) for lane, step in theirs if lane in ours or lane > newest):
        return True
    # A pack that is open here, unknown there and not newer than theirs is finished there.
    lanes = {lane for lane, _ in theirs}
    return any(lane not in lanes and lane < max(lanes) for lane in ours)
