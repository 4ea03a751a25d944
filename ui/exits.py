"""How a command ends: the exit codes, and the exception that carries one with its sentence."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
UNSOUND: Final = 1
USAGE: Final = 2
SO_FAR: Final = 3
STOPPED: Final = 4
OWN_FAULT: Final = 5
GAVE_UP: Final = 6
CANNOT_START: Final = 7
REFUSED: Final = 8
INTERNAL: Final = 70
INTERRUPTED: Final = 130
PIPE: Final = 141
TERMINATED: Final = 143

MEANINGS: Final[dict[int, str]] = {
    DONE: "done: match over or left, record sound and complete",
    UNSOUND: "the record is not sound; demo: a check failed",
    USAGE: "wrong usage, or a file that cannot be read",
    SO_FAR: "the record is sound as far as it goes",
    STOPPED: "the table stopped; the output says by whom and why",
    OWN_FAULT: "this peer itself broke the protocol",
    GAVE_UP: "gave up waiting (--give-up)",
    CANNOT_START: "could not start: data folder or port in use, unusable interface",
    REFUSED: "refused by the table: full, another protocol version, no such table",
    INTERNAL: "a fault in Facedown itself; the message says where the report is",
    INTERRUPTED: "ended by Ctrl-C (SIGINT)",
    PIPE: "whoever read the output went away",
    TERMINATED: "ended by SIGTERM",
}
"""Every code that a command can end with, in words for people."""


class Exit(Exception):
    """Ends the command with ``code``; ``text`` is one clear sentence for people."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Terminated(BaseException):
    """SIGTERM has come; passes every handler of errors, like KeyboardInterrupt."""


def table() -> str:
    """The exit codes as lines for the help."""
    rows = [f"  {code:>3}  {meaning}" for code, meaning in MEANINGS.items()]
    return "\n".join(["exit codes:", *rows])
