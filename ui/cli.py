"""The command line: what can be said, and which module does it. Imports only what help needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ui import exits, parsing
from ui.parsing import Parser
from ui.trouble import guarded

DESCRIPTION = "Facedown: a card table without a dealer and without a server."

EXAMPLES = """\
examples:
  facedown play                              the table in your browser
  facedown play --bots 3                     a game against three bots, at once
  facedown demo                              four players on this machine, one match
  facedown bot --open --table kitchen        open a table and play at it
  facedown bot --table kitchen               find that table and sit down
  facedown tables                            which tables are on the network
  facedown verify game.facedown              was it fair?
  facedown export last.facedown              the record of the last table
"""

BOT_EXAMPLES = """\
examples:
  facedown bot --open --table kitchen --option hands=4
  facedown bot --open --table attic --game azi --seats 3 --option blind=on
  facedown bot --table kitchen --strategy random --save kitchen.facedown
  facedown bot --join 192.168.1.20:7421
  facedown bot --open --invite --table secret --option hands=4
  facedown bot --table attic --game azi --stdin              (docs/bot-events.md)
"""

PLAY_EXAMPLES = """\
examples:
  facedown play                       find tables, open one, play
  facedown play --bots 3              Hazari against three bots
  facedown play --bots 2 --game azi   Azi against two
  facedown play --no-open             print the page's address, open no browser
"""

DEMO_EXAMPLES = """\
examples:
  facedown demo
  facedown demo --hands 5 --save five.facedown
  facedown demo --game azi --seats 6 --hands 20 --option azi_entry=half_pot
"""


VERIFY_EXAMPLES = """\
examples:
  facedown verify game.facedown
  facedown verify --json - < game.facedown
  facedown verify before.facedown after.facedown
"""

EXPORT_EXAMPLES = """\
examples:
  facedown export                            which tables there are
  facedown export last.facedown              saves the record of the newest
  facedown export --table kitchen k.facedown
"""

LEAST_LOOK = 2.0
"""Seconds for ``facedown tables``: a question by mDNS and its answers take most of that."""


def run(arguments: Sequence[str]) -> int:
    """Carries out a command line; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show is no reason to fail.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")

    folder: Path | None = None

    def command() -> int:
        nonlocal folder
        asked = parser().parse_args(arguments)
        folder = getattr(asked, "data", None)
        carry_out: Callable[[argparse.Namespace], int] = asked.carry_out
        return carry_out(asked)

    return guarded(command, lambda: folder or data_folder())


def data_folder() -> Path:
    """Where a user's key, tables and reports are kept if nothing else is said."""
    import platformdirs

    return platformdirs.user_data_path("facedown", appauthor=False)


def parser() -> Parser:
    """The whole command line."""
    main = Parser(prog="facedown", description=DESCRIPTION, epilog=f"{EXAMPLES}\n{exits.table()}")
    main.add_argument("--version", action=parsing.Version, help="the version, and exit")
    commands = main.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    _play(commands)
    _bot(commands)
    _demo(commands)
    _tables(commands)
    _verify(commands)
    _export(commands)
    return main


Commands = argparse._SubParsersAction  # argparse gives this no public name


def _play(commands: Commands[Parser]) -> None:
    play = commands.add_parser(
        "play",
        help="the table in your browser: find friends, sit down, play",
        description="Starts your player and shows the table in your browser, on this computer.\n"
        "The first line of output is the page's address; it opens the page once.",
        epilog=PLAY_EXAMPLES,
        late=_more,
    )
    table = play.add_argument_group("a table to begin with")
    table.add_argument(
        "--bots",
        type=parsing.number(0, 5),
        default=0,
        metavar="N",
        help="open a table and let N bots of this computer sit down",
    )
    table.add_argument("--game", help="with --bots: the game (default: hazari)")
    table.add_argument("--table", metavar="NAME", help="with --bots: how the table is called")
    table.add_argument(
        "--seats",
        type=parsing.number(2, 6),
        metavar="N",
        help="with --bots: seats (default: you and the bots, as far as the game allows)",
    )
    parsing.option(table)
    who = play.add_argument_group("who and where")
    who.add_argument("--name", help="your name (default: the one used last, or your login name)")
    parsing.data(who)
    parsing.interface(who)
    parsing.port(who, "the port for other players (default: the one used last, or a free one)")
    parsing.port(
        who,
        "the page's port on 127.0.0.1 (default: the one used last, or a free one)",
        "--page-port",
    )
    parsing.discovery(who)
    who.add_argument("--no-open", action="store_true", help="do not open the browser")
    play.set_defaults(carry_out=_run_play)


def _bot(commands: Commands[Parser]) -> None:
    bot = commands.add_parser(
        "bot",
        help="a player without a screen: a strategy, or another program by JSON lines",
        description="Joins or opens a table and plays. Prints one JSON object a line on stdout\n"
        "(docs/bot-events.md); words for people go to stderr. Started again with the same\n"
        "--data folder, it goes on at the table that it had to leave.",
        epilog=BOT_EXAMPLES,
        late=_more,
    )
    table = bot.add_argument_group("the table")
    table.add_argument("--table", metavar="NAME", help="the table to join or to open")
    table.add_argument("--open", action="store_true", help="open the table instead of joining it")
    table.add_argument(
        "--join",
        metavar="WHERE",
        help="HOST:PORT or an invite code: ask there for the table, or for the only one (default: "
        "what the environment variable FACEDOWN_JOIN says, or else look on the network)",
    )
    table.add_argument(
        "--invite",
        action="store_true",
        help="with --open: the table is told to nobody; who has one of the codes that are printed "
        "can join",
    )
    table.add_argument(
        "--game",
        help="the game; other tables are passed by (default: whatever is played at the table; "
        "with --open: hazari)",
    )
    parsing.option(table)
    table.add_argument(
        "--seats",
        type=parsing.number(2, 6),
        metavar="N",
        help="with --open: seats, of which each game has its own numbers, see below",
    )
    play = bot.add_argument_group("how it plays")
    play.add_argument("--strategy", metavar="NAME", help="the strategy (default: steady)")
    play.add_argument(
        "--stdin",
        action="store_true",
        help="another program plays, by JSON lines on standard input; instead of --strategy",
    )
    who = bot.add_argument_group("who and where it is")
    who.add_argument("--name", help="the player's name (default: your login name)")
    who.add_argument(
        "--owner",
        metavar="HEX",
        help="the identity key of whose bot this is, 64 digits (default: its own key)",
    )
    who.add_argument(
        "--no-shorts",
        action="store_true",
        help="leave the short forms of keys empty: each takes 0.1 s, and only people need them",
    )
    parsing.data(who)
    parsing.interface(who)
    parsing.port(who, "the port (default: a free one)")
    parsing.discovery(who)
    end = bot.add_argument_group("how it ends")
    end.add_argument("--save", type=Path, metavar="FILE", help="write the record there at the end")
    end.add_argument(
        "--give-up",
        type=parsing.seconds(),
        metavar="SECONDS",
        help="end when nothing has happened at the table for so long (default: never)",
    )
    end.add_argument(
        "--go-on",
        type=parsing.number(0, 86_400),
        metavar="SECONDS",
        help="when the table has stopped for want of a player, wait so long for one of the others "
        "to open a table that goes on from it, and sit down there (default: 60; with --linger: "
        "without end; 0: not at all)",
    )
    end.add_argument(
        "--linger",
        action="store_true",
        help="stay after the match; end, whatever happens, when standard input is closed",
    )
    bot.set_defaults(carry_out=_run_bot)


def _demo(commands: Commands[Parser]) -> None:
    demo = commands.add_parser(
        "demo",
        help="separate players on this machine find each other, play a match and check it",
        description="Starts a bot per seat, each a process of its own with a fresh data folder,\n"
        "on 127.0.0.1 only. They find each other by mDNS, play, and check each other; then the\n"
        "record is verified. Exit code 0 only if all of that holds.",
        epilog=DEMO_EXAMPLES,
        late=_more,
    )
    demo.add_argument("--game", help="the game (default: hazari)")
    demo.add_argument(
        "--seats",
        type=parsing.number(2, 6),
        metavar="N",
        help="players, of which each game has its own numbers, see below",
    )
    demo.add_argument(
        "--hands",
        type=parsing.number(1, 1000),
        metavar="N",
        help="hands to play (default: a whole match; of Azi, which may last long, 10 games)",
    )
    parsing.option(demo)
    demo.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="where the record goes (default: demo-DATE-TIME.facedown in this folder)",
    )
    demo.set_defaults(carry_out=_run_demo)


def _tables(commands: Commands[Parser]) -> None:
    tables = commands.add_parser(
        "tables",
        help="which tables are on the network",
        description="Looks for open tables by mDNS and lists them.",
    )
    tables.add_argument(
        "--seconds",
        type=parsing.seconds(LEAST_LOOK, "others take that long to answer"),
        default=3.0,
        metavar="S",
        help=f"how long to look (default: 3, at least {LEAST_LOOK:g})",
    )
    tables.add_argument("--json", action="store_true", help="one JSON object a line")
    parsing.interface(tables)
    tables.set_defaults(carry_out=_run_tables)


def _verify(commands: Commands[Parser]) -> None:
    verify = commands.add_parser(
        "verify",
        help="judge the record of a table",
        description="Repeats every check of a record: signatures, proofs, rules, hashes.\n"
        "Ends with 0: sound and complete, 3: sound as far as it goes, 1: not sound,\n"
        "2: not readable.",
        epilog=VERIFY_EXAMPLES,
    )
    verify.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a .facedown file; - for standard input. Of several each is checked to go on from the "
        "one before it",
    )
    how = verify.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="the whole report as one JSON object")
    how.add_argument("--brief", action="store_true", help="only the verdict, not every step")
    verify.set_defaults(carry_out=_run_verify)


def _export(commands: Commands[Parser]) -> None:
    export = commands.add_parser(
        "export",
        help="the records of the tables that were played here",
        description="Lists all tables of a data folder, the newest first; or saves the record of\n"
        "the newest, as far as it has come. The folder must not be in use.",
        epilog=EXPORT_EXAMPLES,
    )
    export.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="where to save a record to"
    )
    export.add_argument(
        "--table", metavar="WHICH", help="only tables of this name, or whose id begins like this"
    )
    parsing.data(export)
    export.set_defaults(carry_out=_run_export)


def _run_play(asked: argparse.Namespace) -> int:
    from ui import settings
    from ui.page import play

    return play.run(settings.read_play(asked, data_folder))


def _run_bot(asked: argparse.Namespace) -> int:
    from ui import bot, settings

    return bot.run(settings.read(asked, data_folder))


def _run_demo(asked: argparse.Namespace) -> int:
    from ui import demo

    return demo.run(asked.game, asked.seats, asked.hands, asked.option, asked.save)


def _run_tables(asked: argparse.Namespace) -> int:
    from ui import tables

    return tables.run(asked.interface, asked.seconds, asked.json)


def _run_verify(asked: argparse.Namespace) -> int:
    from ui import verify

    return verify.run(asked.files, as_json=asked.json, brief=asked.brief)


def _run_export(asked: argparse.Namespace) -> int:
    from ui import export, settings

    file = None if asked.file is None else settings.read_save(asked.file, "FILE")
    return export.run(asked.data or data_folder(), file, asked.table)


def _more() -> str:
    """What is told last of a command that plays: the games, and how it can end."""
    from ui import catalogue

    return f"{catalogue.listing()}\n\n{exits.table()}"
