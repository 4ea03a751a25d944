"""What ``facedown bot`` was asked to do, checked before anything is started."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine import Options
from protocol.agreement import MAX_NAME
from protocol.errors import LocalError, PeerFault
from protocol.wire import text
from ui.catalogue import check_strategy, find_game, read_options, read_seats, usage
from ui.exits import Exit

USUAL_GAME = "hazari"
"""The game of a table that is opened if nothing is said."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the bot needs.

    ``game`` None: whatever is played at the table. ``strategy`` None: the usual one of the game.
    ``program``: moves come from standard input instead.
    """

    table: str | None
    opens: bool
    join: tuple[str, int] | None
    game: str | None
    options: Options
    seats: int
    strategy: str | None
    program: bool
    name: str
    data: Path
    interface: str | None
    port: int
    discovery: bool
    save: Path | None
    give_up: float | None
    linger: bool


def read(asked: argparse.Namespace, default_folder: Callable[[], Path]) -> Settings:
    """The settings of a command line; raises Exit (usage) with one sentence."""
    played = USUAL_GAME if asked.open and asked.game is None else asked.game
    if asked.strategy is not None and asked.stdin:
        raise usage("--strategy and --stdin exclude each other: one of the two chooses the moves.")
    check_strategy(played, asked.strategy)
    if asked.open and asked.join is not None:
        raise usage("--open and --join exclude each other: open a table, or join one.")
    if not asked.open and (asked.option or asked.seats is not None):
        raise usage("--option and --seats are for whoever opens the table (--open).")
    if asked.stdin and asked.linger:
        raise usage("--stdin and --linger exclude each other: both need standard input.")
    if not asked.open and asked.join is None and asked.no_discovery and asked.table is not None:
        raise usage("with --no-discovery a table is only found by --join HOST:PORT.")
    name = plain_name(asked.name if asked.name is not None else _login(), "--name")
    table = None if asked.table is None else plain_name(asked.table, "--table")
    if asked.open and table is None:
        table = _cut(f"table of {name}")
    found = find_game(played or USUAL_GAME)
    return Settings(
        table=table,
        opens=asked.open,
        join=None if asked.join is None else read_address(asked.join),
        game=played,
        options=read_options(found, asked.option),
        seats=read_seats(found, asked.seats),
        strategy=asked.strategy,
        program=asked.stdin,
        name=name,
        data=asked.data or default_folder(),
        interface=asked.interface,
        port=asked.port,
        discovery=not asked.no_discovery,
        save=None if asked.save is None else read_save(asked.save),
        give_up=asked.give_up,
        linger=asked.linger,
    )


def read_address(typed: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``; raises Exit."""
    from p2p.transport import read_address as read

    try:
        address = read(typed)
    except LocalError as error:
        raise usage(f"--join: {error}.") from None
    return address.host, address.port


def read_save(file: Path) -> Path:
    """A file that a record can be written to, as far as that can be known; raises Exit."""
    if file.is_dir():
        raise usage(f"--save: {file} is a folder, not a file.")
    if not file.parent.is_dir():
        raise usage(f"--save: there is no folder {file.parent}.")
    return file


def plain_name(name: str, option: str) -> str:
    """A name that everybody's program accepts; raises Exit."""
    try:
        return text(name, MAX_NAME, "a name")
    except PeerFault as fault:
        raise usage(f"{option}: {name!r} will not do: {fault.text}.") from None


def _login() -> str:
    """The login name, as far as it will do as a name."""
    try:
        return plain_name(_cut(getpass.getuser()), "--name")
    except (OSError, KeyError, ImportError, Exit):
        return "player"


def _cut(name: str) -> str:
    return name.encode()[:MAX_NAME].decode(errors="ignore").rstrip()
