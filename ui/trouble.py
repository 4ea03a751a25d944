"""The one handler around every command: trouble becomes a sentence and an exit code.

Nothing prints a traceback at a user. What nobody foresaw goes to a report in the data folder, which
holds the traceback (places in the code, no values) and versions, and nothing that is secret.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ui import exits
from ui.exits import Exit, Terminated


def guarded(command: Callable[[], int], folder: Callable[[], Path]) -> int:
    """The exit code of a command; ``folder`` says where a report of a fault of ours belongs."""
    take_signals()
    try:
        code = command()
        sys.stdout.flush()
        return code
    except BaseException as error:
        return _answer(error, folder)


def take_signals() -> None:
    """Lets SIGINT and SIGTERM end this process by an exception.

    Set by hand: whatever a shell script starts in the background inherits SIGINT as ignored.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _terminated)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise Terminated


def say(text: str) -> None:
    """A line for people, on stderr; lost if nobody listens any more."""
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def leaves(error: BaseException) -> list[BaseException]:
    """The errors inside groups of groups; an error that is no group is its own only leaf."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an error means: the exit code, the sentence for people, and the error it came from."""

    code: int
    text: str
    leaf: BaseException


def judge(error: BaseException) -> Verdict:
    """What to tell of an error, or of a group of them; code INTERNAL for what nobody foresaw."""
    from protocol.errors import LocalError

    found = leaves(error)
    for leaf in found:
        if isinstance(leaf, KeyboardInterrupt):
            return Verdict(exits.INTERRUPTED, "ended by Ctrl-C", leaf)
        if isinstance(leaf, Terminated):
            return Verdict(exits.TERMINATED, "ended by SIGTERM", leaf)
        if isinstance(leaf, BrokenPipeError):
            return Verdict(exits.PIPE, "whoever read the output went away", leaf)
    for leaf in found:
        if not isinstance(leaf, (Exit, LocalError, OSError, ModuleNotFoundError)):
            text = f"a fault in Facedown itself ({type(leaf).__name__})"
            return Verdict(exits.INTERNAL, text, leaf)
    leaf = found[0]
    if isinstance(leaf, Exit):
        return Verdict(leaf.code, leaf.text, leaf)
    if isinstance(leaf, OSError):
        place = f"{leaf.filename}: " if leaf.filename else ""
        return Verdict(exits.CANNOT_START, f"{place}{leaf.strerror or leaf}", leaf)
    if isinstance(leaf, ModuleNotFoundError):
        text = f"the Python package {leaf.name!r} is missing; install Facedown again"
        return Verdict(exits.CANNOT_START, text, leaf)
    return Verdict(exits.CANNOT_START, str(leaf), leaf)


def _answer(error: BaseException, folder: Callable[[], Path]) -> int:
    """Says what there is to say of an error; returns the exit code."""
    if isinstance(error, SystemExit):  # argparse has said it all
        return error.code if isinstance(error.code, int) else exits.USAGE
    verdict = judge(error)
    text = verdict.text
    if verdict.code == exits.PIPE:
        _drop_output()
        return verdict.code
    if verdict.code == exits.INTERNAL:
        report = _write_report(error, folder)
        text += f"; a report is in {report}" if report else "; the report could not be written"
    say(f"facedown: {text.rstrip('.')}.")
    return verdict.code


def _drop_output() -> None:
    """Lets the interpreter flush into nowhere when it exits, instead of complaining."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_report(error: BaseException, folder: Callable[[], Path]) -> Path | None:
    import platform
    import traceback

    lines = [
        f"Facedown {version()}, Python {platform.python_version()}, {platform.platform()}\n",
        *traceback.format_exception(error),
    ]
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for base in (folder, lambda: Path(tempfile.gettempdir())):
        try:
            target = base()
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with open(os.open(target / name, flags, 0o600), "w", encoding="utf-8") as file:
                file.writelines(lines)
        except OSError:
            continue
        return target / name
    return None


def version() -> str:
    """The version that is installed, or a word where none is."""
    from importlib import metadata

    try:
        return metadata.version("facedown")
    except metadata.PackageNotFoundError:
        return "(not installed)"
