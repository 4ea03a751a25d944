"""The command line: what can be said, and which module does it. Imports only what help needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from ui import exits
from ui.trouble import guarded, version

DESCRIPTION = "Facedown: a card table without a dealer and without a server."

EXAMPLES = """\
examples:
  facedown demo                              four players on this machine, one match
  facedown bot --open --table kitchen        open a table and play at it
  facedown bot --table kitchen               find that table and sit down
  facedown tables                            which tables are on the network
  facedown verify game.facedown              was it fair?
"""

BOT_EXAMPLES = """\
examples:
  facedown bot --open --table kitchen --option hands=4
  facedown bot --table kitchen --strategy random --save kitchen.facedown
  facedown bot --join 192.168.1.20:7421
  my-program | facedown bot --table kitchen --stdin      (docs/bot-events.md)
"""

DEMO_EXAMPLES = """\
examples:
  facedown demo
  facedown demo --hands 5 --save five.facedown
  facedown demo --option dismissal=both
"""


VERIFY_EXAMPLES = """\
examples:
  facedown verify game.facedown
  facedown verify --json - < game.facedown
"""


class Parser(argparse.ArgumentParser):
    """A parser that refuses abbreviations, and whose last words are made when help is asked for."""

    def __init__(self, *args: object, late: Callable[[], str] | None = None, **kw: object) -> None:
        kw["allow_abbrev"] = False
        kw["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(*args, **kw)  # type: ignore[arg-type]  # argparse's own, passed on
        self._late = late

    def format_help(self) -> str:
        """The help, with what takes a moment to find out."""
        if self._late is not None:
            self.epilog = "\n".join((self.epilog or "", self._late())).strip()
            self._late = None
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """One line that says what is wrong, and where help is."""
        sys.stderr.write(f"{self.prog}: {message}\n{self.prog} --help explains it.\n")
        sys.exit(exits.USAGE)


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
    main.add_argument("--version", action=_Version, help="the version, and exit")
    commands = main.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    _bot(commands)
    _demo(commands)
    _tables(commands)
    _verify(commands)
    return main


class _Version(argparse.Action):
    """Finds the version only when it is asked for."""

    def __init__(self, option_strings: list[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        print(f"facedown {version()}")
        parser.exit()


Commands = argparse._SubParsersAction  # argparse gives this no public name


def _bot(commands: Commands[Parser]) -> None:
    bot = commands.add_parser(
        "bot",
        help="a player without a screen: a strategy, or another program by JSON lines",
        description="Joins or opens a table and plays. Prints one JSON object a line on stdout\n"
        "(docs/bot-events.md); words for people go to stderr. Started again with the same\n"
        "--data folder, it goes on at the table that it had to leave.",
        epilog=BOT_EXAMPLES,
        late=lambda: f"{_games()}\n\n{exits.table()}",
    )
    table = bot.add_argument_group("the table")
    table.add_argument("--table", metavar="NAME", help="the table to join or to open")
    table.add_argument("--open", action="store_true", help="open the table instead of joining it")
    table.add_argument(
        "--join",
        metavar="HOST:PORT",
        help="ask this address for the table, or for its only one (default: look on the network)",
    )
    table.add_argument("--game", default="hazari", help="the game (default: hazari)")
    _option(table)
    table.add_argument(
        "--seats", type=_number(2, 6), metavar="N", help="with --open: seats (default: the game's)"
    )
    play = bot.add_argument_group("how it plays")
    play.add_argument("--strategy", default="steady", help="the strategy (default: steady)")
    play.add_argument(
        "--stdin", action="store_true", help="moves come as JSON lines on standard input instead"
    )
    who = bot.add_argument_group("who and where it is")
    who.add_argument("--name", help="the player's name (default: your login name)")
    _data(who)
    _interface(who)
    who.add_argument(
        "--port",
        type=_number(0, 65535),
        default=0,
        metavar="N",
        help="the port (default: a free one)",
    )
    who.add_argument(
        "--no-discovery", action="store_true", help="neither look nor call on the network (mDNS)"
    )
    end = bot.add_argument_group("how it ends")
    end.add_argument("--save", type=Path, metavar="FILE", help="write the record there at the end")
    end.add_argument(
        "--give-up",
        type=_seconds,
        metavar="SECONDS",
        help="end when nothing has happened at the table for so long (default: never)",
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
        late=lambda: f"{_games()}\n\n{exits.table()}",
    )
    demo.add_argument("--game", default="hazari", help="the game (default: hazari)")
    demo.add_argument(
        "--seats", type=_number(2, 6), metavar="N", help="players (default: the game's)"
    )
    demo.add_argument(
        "--hands",
        type=_number(1, 1000),
        metavar="N",
        help="hands to play (default: a whole match)",
    )
    _option(demo)
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
        "--seconds", type=_seconds, default=3.0, metavar="S", help="how long to look (default: 3)"
    )
    tables.add_argument("--json", action="store_true", help="one JSON object a line")
    _interface(tables)
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
    verify.add_argument("file", metavar="FILE", help="a .facedown file; - for standard input")
    how = verify.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="the whole report as one JSON object")
    how.add_argument("--brief", action="store_true", help="only the verdict, not every step")
    verify.set_defaults(carry_out=_run_verify)


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

    return verify.run(asked.file, as_json=asked.json, brief=asked.brief)


def _option(where: argparse._ActionsContainer) -> None:
    where.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, see below; may be repeated",
    )


def _interface(where: argparse._ActionsContainer) -> None:
    where.add_argument(
        "--interface",
        metavar="NAME",
        help="an interface or one of its addresses (default: FACEDOWN_INTERFACE, else all)",
    )


def _data(where: argparse._ActionsContainer) -> None:
    where.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="key and tables are kept there (default: your user data folder)",
    )


def _games() -> str:
    """All games with their options and strategies."""
    from engine import game, game_names

    lines = []
    for name in game_names():
        found = game(name)
        strategies = ", ".join(found.strategies)
        lines += [f"options of {name} (NAME=VALUE; strategies: {strategies}):"]
        for option in found.options:
            lines.append(f"  {option.name:<18} {option.help}")
            lines.append(f"  {'':<18} {option.values} (default: {option.default})")
    return "\n".join(lines)


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"a number from {least} to {most}, not {text!r}")
        return value

    return read


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1e6:
        raise argparse.ArgumentTypeError(f"seconds above 0, not {text!r}")
    return value
