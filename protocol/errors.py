"""Two kinds of trouble: our caller misused us, or a peer broke the protocol."""

from __future__ import annotations

from dataclasses import dataclass


class LocalError(Exception):
    """Our own caller did something wrong (a move that the rules forbid, a call out of order)."""


class RefusedMove(LocalError):
    """A move that the own program refuses; ``rule`` is the code of the rule that forbids it."""

    def __init__(self, rule: str, text: str) -> None:
        super().__init__(text)
        self.rule = rule


MAX_FAULT_TEXT = 300
"""Characters of a fault's text: two or three lines at a terminal."""


@dataclass(unsafe_hash=True)  # not frozen: contextlib must be able to set __traceback__
class PeerFault(Exception):
    """Somebody else's bytes broke the protocol. A value as much as an exception.

    ``code`` is one of SPEC.md's fault codes (``protocol.faults``). ``seat``, ``lane`` and ``step``
    are None where the bytes cannot be laid to a seat: then only the link they came by is to blame.
    """

    code: str
    text: str
    seat: int | None = None
    lane: int | None = None
    step: int | None = None

    def __post_init__(self) -> None:
        # A text may quote what a peer sent, and that may be as long as a frame.
        if len(self.text) > MAX_FAULT_TEXT:
            self.text = self.text[: MAX_FAULT_TEXT - 1] + "…"

    def __str__(self) -> str:
        return f"{self.text} [{self.code}]"

    def at(self, seat: int, lane: int, step: int) -> PeerFault:
        """The same fault, laid to a seat at a step."""
        return PeerFault(self.code, self.text, seat, lane, step)
