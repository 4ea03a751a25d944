"""Whom to ask for what is missing, and when. SPEC 11.8.

Asked are: everybody at link-up, whoever shows in a ping that it is further, whoever said that there
is more, and whoever pings next, when nothing has moved for a while though others owe an entry, or
when the table went back some steps: what was sent for these steps has been passed over.
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
        self._asked_at: dict[bytes, dict[int, int]] = {}
        self._more: dict[bytes, dict[int, int]] = {}
        self._behind = False
        self._returned: set[bytes] = set()

    def moved(self, positions: Positions, now: float) -> bool:
        """Where this seat stands now; whether it has gone back."""
        if positions == self._positions:
            return False
        back = is_back(positions, self._positions)
        if back:
            self._behind = True
            self._returned = set(self._asked)
        self._positions = dict(positions)
        self._moved = now
        return back

    def behind(self) -> None:
        """An entry came that was too far ahead to be kept: whoever pings next is asked."""
        self._behind = True

    def ask(self, key: bytes, now: float) -> None:
        """This key is being asked."""
        self._asked[key] = now
        self._asked_at[key] = dict(self._positions)
        self._behind = False
        self._more.pop(key, None)
        self._returned.discard(key)

    def answered(self, key: bytes, more: bool) -> bool:
        """This key's answer has ended; whether it has sent all that it had.

        If not, it is asked again when this has been digested: because it has more, or because the
        table has gone back since it was asked, so that it answered another question.
        """
        if not more and key not in self._returned:
            return True
        self._more[key] = self._asked_at.get(key, dict(self._positions))
        return False

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


def is_back(positions: Positions, before: Positions) -> bool:
    """Whether steps that had been closed are open again: the votes about a seat were settled."""
    newest = max(before)
    if max(positions) < newest:
        return True
    # A lane that was closed, and older than one that is open, opens again in no other way.
    return any(
        step < before[lane] if lane in before else lane < newest for lane, step in positions.items()
    )


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
