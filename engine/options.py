"""Options of a game: declared once, checked once, part of the signed agreement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = "int | str"

Options: TypeAlias = Mapping[str, Value]
"""Every option of a game with its value, defaults filled in."""


class OptionError(ValueError):
    """An option is unknown, not of its kind or out of range; the text is one clear sentence."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``choices`` for words; else an integer that ``allowed`` accepts.

    ``allowed`` sees the value; ``values`` says the range in words, for help and errors.
    Switches are the words ``on`` and ``off``. ``default_for`` gives the default where it hangs on
    other options (it sees all values, ``default`` standing in for its own); ``conflict`` sees all
    values and says in a clear sentence why this one does not go with another, or None.
    """

    name: str
    default: Value
    values: str
    help: str
    choices: tuple[str, ...] = ()
    allowed: Callable[[int], bool] | None = None
    default_for: Callable[[Options], Value] | None = None
    conflict: Callable[[Options], str | None] | None = None

    def check(self, value: object) -> Value:
        """The value itself if it is allowed; raises OptionError if not."""
        if self.choices:
            if isinstance(value, str) and value in self.choices:
                return value
        elif type(value) is int and self.allowed is not None and self.allowed(value):
            return value
        raise OptionError(f"option {self.name} must be {self.values}, not {value!r}")

    def parse(self, text: str) -> Value:
        """The value spelled by a text of the command line."""
        if self.choices:
            return self.check(text)
        try:
            number = int(text)
        except ValueError:
            raise OptionError(f"option {self.name} must be {self.values}, not {text!r}") from None
        return self.check(number)


def complete(declared: tuple[Option, ...], given: Mapping[str, object]) -> dict[str, Value]:
    """All options in declared order, defaults filled in; raises OptionError.

    What ``complete`` returns it accepts again, unchanged.
    """
    names = [option.name for option in declared]
    for name in given:
        if name not in names:
            raise OptionError(f"unknown option {name!r}; there are: {', '.join(names)}")
    values = {
        option.name: option.check(given[option.name]) if option.name in given else option.default
        for option in declared
    }
    values |= {
        option.name: option.default_for(values)
        for option in declared
        if option.default_for is not None and option.name not in given
    }
    for option in declared:
        trouble = None if option.conflict is None else option.conflict(values)
        if trouble is not None:
            raise OptionError(trouble)
    return values


def parse_all(declared: tuple[Option, ...], pairs: list[str]) -> dict[str, Value]:
    """Options from ``key=value`` texts; raises OptionError for anything else."""
    known = {option.name: option for option in declared}
    given: dict[str, Value] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise OptionError(f"an option is written name=value, not {pair!r}")
        if name not in known:
            raise OptionError(f"unknown option {name!r}; there are: {', '.join(known)}")
        if name in given:
            raise OptionError(f"option {name} is given twice")
        given[name] = known[name].parse(text)
    return complete(declared, given)
