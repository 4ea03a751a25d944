"""Imports run one way only: ui -> p2p -> protocol -> engine; and some things are never imported."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ORDER = ("ui", "p2p", "protocol", "engine")
NEVER = {
    # No I/O, no clock and no randomness that was not handed in.
    "engine": {"trio", "asyncio", "socket", "time", "datetime", "random", "secrets", "os",
               "sqlite3", "ssl", "hashlib", "cryptography", "btclib_secp256k1", "threading"},
    "protocol": {"trio", "asyncio", "socket", "time", "datetime", "random", "secrets", "os",
                 "sqlite3", "ssl", "threading", "zeroconf"},
    "p2p": {"random", "asyncio", "btclib_secp256k1"},
    "ui": {"random", "asyncio", "btclib_secp256k1"},
}  # fmt: skip


def modules(package: str) -> list[Path]:
    """All modules of a package."""
    return sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The top-level names of everything that a module imports, at any place in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("package", ORDER)
def test_a_package_imports_only_from_those_to_its_right(package: str) -> None:
    """The direction is what keeps the rules free of I/O and the network free of rules."""
    wrong = set(ORDER[: ORDER.index(package)]) | {"tests", "bench"} | NEVER[package]
    found = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(package)
        for name in imported(path)
        if name in wrong
    }
    assert found == set()


@pytest.mark.parametrize("package", ORDER)
def test_every_folder_with_modules_is_shipped(package: str) -> None:
    """The list of packages is explicit, so that tests never ship; so it must be complete."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {".".join(path.parent.relative_to(ROOT).parts) for path in modules(package)}
    assert folders <= set(listed)


def test_nothing_else_is_shipped() -> None:
    """Only the four packages and what is inside them."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert {name.partition(".")[0] for name in listed} == set(ORDER)
    assert all((ROOT / name.replace(".", "/")).is_dir() for name in listed)
