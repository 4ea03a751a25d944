"""Who at a table has shown that it has the end, so that this program may end too. SPEC 11.8."""

from __future__ import annotations

from collections.abc import Iterable

from p2p.messages import Have, Message, Ping
from protocol.envelope import TABLE_LANE


class Farewell:
    """Where the members stand in the table lane, as each has said last by PING or HAVE."""

    def __init__(self) -> None:
        self._steps: dict[bytes, int] = {}

    def heard(self, key: bytes, message: Message) -> None:
        """A message about the table by a member's link."""
        match message:
            case Ping(_, _, positions):
                lanes = dict(positions)
            case Have(_, asked):
                lanes = {position.lane: position.step for position in asked}
            case _:
                return
        # A program that keeps a table that was over at its start names no positions.
        self._steps[key] = lanes.get(TABLE_LANE, 0) if lanes else MOST

    def lacking(self, keys: Iterable[bytes], step: int) -> tuple[bytes, ...]:
        """Those of the keys that have not shown that they have closed all steps before this one."""
        return tuple(key for key in keys if self._steps.get(key, 0) < step)


MOST = 2**63
"""More than any step: whoever stands there lacks nothing."""
