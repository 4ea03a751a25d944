"""The engine is pure: it knows no other package, no clock, no network and no randomness."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine import Game, game, game_names

FILES = sorted(Path(engine.__file__).parent.rglob("*.py"))

PURE = {
    "__future__",
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "importlib",
    "itertools",
    "math",
    "pkgutil",
    "types",
    "typing",
}
"""All of the standard library that rules can need; ``importlib`` and ``pkgutil`` find games."""


def imported(path: Path) -> set[str]:
    """The top packages that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            assert node.module is not None
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_module_of_the_engine_imports_nothing_impure(path: Path) -> None:
    """No I/O, no async, no clock, no randomness, no cryptography, no other package."""
    assert imported(path) <= PURE | {"engine"}
    names = {node.id for node in ast.walk(ast.parse(path.read_bytes())) if type(node) is ast.Name}
    assert not names & {"open", "print", "input", "eval", "exec"}


def test_games_are_found_by_their_folders() -> None:
    """A name that is none is a KeyError; modules beside the folders are no games."""
    assert "hazari" in game_names()
    assert not {"contract", "options", "cards"} & set(game_names())
    with pytest.raises(KeyError):
        game("contract")


@pytest.mark.parametrize("name", game_names())
def test_a_game_says_what_every_game_says(name: str) -> None:
    """Its name is its folder's, its seats and options are declared, its pack fits the seats."""
    found: Game = game(name)
    assert found.name == name
    assert found.title
    assert all(2 <= seats <= 6 for seats in found.seats)
    options = engine.complete(found.options, {})
    pack = found.pack(options)
    assert len(set(pack)) == len(pack) > 1
    assert len({option.name for option in found.options}) == len(found.options)
    assert all(option.help and option.values for option in found.options)


@pytest.mark.parametrize("module", ["engine.hazari.bots", "engine.hazari.view", "engine.contract"])
def test_any_module_may_be_imported_first(module: str) -> None:
    """No order of imports is needed, so no circle is hidden by one."""
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
