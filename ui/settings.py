"""What ``facedown bot`` was asked to do, checked before anything is started."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine import Game, OptionError, Options, game, game_names, parse_all
from protocol.agreement import MAX_NAME
from protocol.errors import LocalError, PeerFault
from protocol.wire import text
from ui import exits
from ui.exits import Exit


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the bot needs. ``strategy`` None: moves come from standard input."""

    table: str | None
    opens: bool
    join: tuple[str, int] | None
    game: str
    options: Options
    seats: int
    strategy: str | None
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
    found = find_game(asked.game)
    if asked.strategy not in found.strategies:
        known = ", ".join(found.strategies)
        raise _usage(f"{asked.game} has no strategy {asked.strategy!r}; there are: {known}.")
    if asked.open and asked.join is not None:
        raise _usage("--open and --join exclude each other: open a table, or join one.")
    if not asked.open and (asked.option or asked.seats is not None):
        raise _usage("--option and --seats are for whoever opens the table (--open).")
    if asked.stdin and asked.linger:
        raise _usage("--stdin and --linger exclude each other: both need standard input.")
    if not asked.open and asked.join is None and asked.no_discovery and asked.table is not None:
        raise _usage("with --no-discovery a table is only found by --join HOST:PORT.")
    name = plain_name(asked.name if asked.name is not None else _login(), "--name")
    table = None if asked.table is None else plain_name(asked.table, "--table")
    if asked.open and table is None:
        table = _cut(f"table of {name}")
    return Settings(
        table=table,
        opens=asked.open,
        join=None if asked.join is None else read_address(asked.join),
        game=asked.game,
        options=read_options(found, asked.option),
        seats=read_seats(found, asked.seats),
        strategy=None if asked.stdin else asked.strategy,
        name=name,
        data=asked.data or default_folder(),
        interface=asked.interface,
        port=asked.port,
        discovery=not asked.no_discovery,
        save=None if asked.save is None else read_save(asked.save),
        give_up=asked.give_up,
        linger=asked.linger,
    )


def find_game(name: str) -> Game:
    """The game of this name; raises Exit."""
    if name not in game_names():
        raise _usage(f"the game {name!r} is unknown; there is: {', '.join(game_names())}.")
    return game(name)


def read_options(found: Game, pairs: Sequence[str]) -> Options:
    """All options of a game from ``NAME=VALUE`` texts; raises Exit."""
    try:
        return parse_all(found.options, list(pairs))
    except OptionError as error:
        raise _usage(f"{error}.") from None


def read_seats(found: Game, seats: int | None) -> int:
    """The seats of a table, by default as many as the game allows; raises Exit."""
    if seats is None:
        return max(found.seats)
    if seats not in found.seats:
        allowed = " or ".join(map(str, found.seats))
        raise _usage(f"{found.title} is played by {allowed}, not by {seats}.")
    return seats


def read_address(typed: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``; raises Exit."""
    from p2p.transport import read_address as read

    try:
        address = read(typed)
    except LocalError as error:
        raise _usage(f"--join: {error}.") from None
    return address.host, address.port


def read_save(file: Path) -> Path:
    """A file that a record can be written to, as far as that can be known; raises Exit."""
    if file.is_dir():
        raise _usage(f"--save: {file} is a folder, not a file.")
    if not file.parent.is_dir():
        raise _usage(f"--save: there is no folder {file.parent}.")
    return file


def plain_name(name: str, option: str) -> str:
    """A name that everybody's program accepts; raises Exit."""
    try:
        return text(name, MAX_NAME, "a name")
    except PeerFault as fault:
        raise _usage(f"{option}: {name!r} will not do: {fault.text}.") from None


def _usage(sentence: str) -> Exit:
    return Exit(exits.USAGE, sentence)


def _login() -> str:
    """The login name, as far as it will do as a name."""
    try:
        return plain_name(_cut(getpass.getuser()), "--name")
    except (OSError, KeyError, ImportError, Exit):
        return "player"


def _cut(name: str) -> str:
    return name.encode()[:MAX_NAME].decode(errors="ignore").rstrip()
