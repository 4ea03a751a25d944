"""How the command line is read: strict names, numbers with limits, help that is made when asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeAlias

from ui import exits
from ui.trouble import version

Number: TypeAlias = Callable[[str], int]
Seconds: TypeAlias = Callable[[str], float]


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


class Version(argparse.Action):
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


def number(least: int, most: int) -> Number:
    """Reads a whole number within these limits."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"a number from {least} to {most}, not {text!r}")
        return value

    return read


def seconds(least: float = 0.0, why: str = "") -> Seconds:
    """Reads seconds above 0, and at least ``least`` for the reason that ``why`` gives."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value <= 1e6:
            raise argparse.ArgumentTypeError(f"seconds above 0, not {text!r}")
        if value < least:
            raise argparse.ArgumentTypeError(f"{least:g} seconds or more, not {text!r}: {why}")
        return value

    return read


def option(where: argparse._ActionsContainer) -> None:
    """Adds ``--option``."""
    where.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, see below; may be repeated",
    )


def interface(where: argparse._ActionsContainer) -> None:
    """Adds ``--interface``."""
    where.add_argument(
        "--interface",
        metavar="NAME",
        help="an interface or one of its addresses (default: FACEDOWN_INTERFACE, else all)",
    )


def data(where: argparse._ActionsContainer) -> None:
    """Adds ``--data``."""
    where.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="key and tables are kept there (default: your user data folder)",
    )


def port(where: argparse._ActionsContainer, help: str, name: str = "--port") -> None:
    """Adds ``--port``, or another option that is a port; 0 stands for the default."""
    where.add_argument(name, type=number(0, 65535), default=0, metavar="N", help=help)


def discovery(where: argparse._ActionsContainer) -> None:
    """Adds ``--no-discovery``."""
    where.add_argument(
        "--no-discovery", action="store_true", help="neither look nor call on the network (mDNS)"
    )
