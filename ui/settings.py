"""What ``facedown bot`` was asked to do, checked before anything is started."""

from __future__ import annotations

import argparse
import getpass
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine import Options
from protocol.agreement import MAX_NAME
from protocol.errors import LocalError, PeerFault
from protocol.identity_keys import check_identity_key
from protocol.wire import text
from ui.catalogue import check_strategy, find_game, read_options, read_seats, usage
from ui.exits import Exit

JOIN_VARIABLE = "FACEDOWN_JOIN"
"""The environment variable that says what ``--join`` does not: arguments can be seen by all users
of a computer, and an invite code is a secret."""

USUAL_GAME = "hazari"
"""The game of a table that is opened if nothing is said."""


GO_ON = {False: 60.0, True: float("inf")}
"""How long to wait for a table that goes on if nothing is said, by whether the bot lingers."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the bot needs.

    ``game`` None: whatever is played at the table. ``strategy`` None: the usual one of the game.
    ``program``: moves come from standard input instead. ``code``: an invite code to join by.
    ``invite``: the table that is opened is one for which such a code is needed. ``owner``: the key
    of whose bot this is; empty: its own. ``shorts``: whether short forms of keys are worked out.
    ``go_on``: how many seconds after a table has stopped it waits for one that goes on from it.
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
    code: str | None = None
    invite: bool = False
    owner: bytes = b""
    shorts: bool = True
    go_on: float = 0.0


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """What ``facedown play`` was asked to do.

    ``name`` None: the one used last, or else ``usual_name``. ``bots`` above 0: a table is opened
    at once and that many bots sit down. ``opens``: whether the browser is started. Ports of 0: the
    ones used last, else free ones.
    """

    data: Path
    name: str | None
    usual_name: str
    bots: int
    table: str
    game: str
    options: Options
    seats: int
    opens: bool
    interface: str | None
    port: int
    page_port: int
    discovery: bool


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
    if asked.invite and not asked.open:
        raise usage("--invite is for whoever opens the table (--open).")
    if asked.stdin and asked.linger:
        raise usage("--stdin and --linger exclude each other: both need standard input.")
    name = plain_name(asked.name if asked.name is not None else _login(), "--name")
    table = None if asked.table is None else plain_name(asked.table, "--table")
    if asked.open and table is None:
        table = _cut(f"table of {name}")
    found = find_game(played or USUAL_GAME)
    where = asked.join
    if where is None and not asked.open:
        where = os.environ.get(JOIN_VARIABLE) or None
    if not asked.open and where is None and asked.no_discovery and asked.table is not None:
        raise usage("with --no-discovery a table is only found by --join WHERE.")
    join, code = (None, None) if where is None else read_join(where)
    return Settings(
        table=table,
        opens=asked.open,
        join=join,
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
        code=code,
        invite=asked.invite,
        owner=b"" if asked.owner is None else read_key(asked.owner),
        shorts=not asked.no_shorts,
        go_on=float(GO_ON[asked.linger] if asked.go_on is None else asked.go_on),
    )


def read_play(asked: argparse.Namespace, default_folder: Callable[[], Path]) -> PlaySettings:
    """The settings of ``facedown play``; raises Exit (usage) with one sentence."""
    if not asked.bots and (asked.game or asked.table or asked.option or asked.seats):
        raise usage("--game, --table, --seats and --option go with --bots: in the page you choose.")
    found = find_game(asked.game or USUAL_GAME)
    seats = asked.seats
    if seats is None:
        seats = min((n for n in found.seats if n > asked.bots), default=max(found.seats))
    if asked.bots >= read_seats(found, seats):
        raise usage(f"{seats} seats are yours and {seats - 1} bots', not {asked.bots}.")
    usual = _login()
    name = None if asked.name is None else plain_name(asked.name, "--name")
    return PlaySettings(
        data=asked.data or default_folder(),
        name=name,
        usual_name=usual,
        bots=asked.bots,
        table=plain_name(asked.table or _cut(f"table of {name or usual}"), "--table"),
        game=found.name,
        options=read_options(found, asked.option),
        seats=seats,
        opens=not asked.no_open,
        interface=asked.interface,
        port=asked.port,
        page_port=asked.page_port,
        discovery=not asked.no_discovery,
    )


def read_join(typed: str) -> tuple[tuple[str, int] | None, str | None]:
    """Host and port of ``HOST:PORT``, or else an invite code; raises Exit."""
    from p2p import invites
    from p2p.transport import read_address

    try:
        if ":" not in typed:
            invites.decode(typed)
            return None, typed
        address = read_address(typed)
    except LocalError as error:
        what = str(error).rstrip(".")
        hint = "" if ":" in typed else "; nor is it an address, like 192.168.1.20:7421"
        raise usage(f"--join: {what}{hint}.") from None
    return (address.host, address.port), None


def read_key(typed: str) -> bytes:
    """An identity key in hexadecimal; raises Exit."""
    try:
        return check_identity_key(bytes.fromhex(typed))
    except (ValueError, PeerFault):
        raise usage(f"--owner: {typed!r} is no identity key of 64 hexadecimal digits.") from None


def read_save(file: Path, option: str = "--save") -> Path:
    """A file that a record can be written to, as far as that can be known; raises Exit."""
    if file.is_dir():
        raise usage(f"{option}: {file} is a folder, not a file.")
    if not file.parent.is_dir():
        raise usage(f"{option}: there is no folder {file.parent}.")
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
