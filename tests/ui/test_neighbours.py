"""Packages of others with our short names are noticed before anything of them is used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ui import exits, neighbours

HOME = Path(neighbours.__file__).resolve().parent.parent


def facedown(in_the_way: Path, home: Path = HOME) -> subprocess.CompletedProcess[str]:
    """``facedown --version`` of ``home``'s ui, with a folder that comes before it."""
    # As the installed command does it: our ui is found, and then whatever comes first.
    script = (
        "import sys, importlib.util as u\n"
        f"s = u.spec_from_file_location('ui', {str(home / 'ui' / '__init__.py')!r})\n"
        "sys.modules['ui'] = m = u.module_from_spec(s)\n"
        "s.loader.exec_module(m)\n"
        "from ui.__main__ import main\n"
        "sys.argv = ['facedown', '--version']\n"
        "main()\n"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", script],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join([str(in_the_way), str(home)])),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_our_own_packages_are_no_strangers(tmp_path: Path) -> None:
    """The usual case."""
    assert neighbours.stranger() is None
    assert facedown(tmp_path).returncode == exits.DONE


@pytest.mark.parametrize("name", ["engine", "protocol", "p2p"])
@pytest.mark.parametrize("kind", ["package", "module"])
def test_a_package_in_the_way_is_named(tmp_path: Path, name: str, kind: str) -> None:
    """With the place where it is, in one sentence; it is not even imported."""
    if kind == "module":
        (tmp_path / f"{name}.py").write_text("print('I was imported')")
    else:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("print('I was imported')")
    done = facedown(tmp_path)
    assert done.returncode == exits.USAGE
    assert done.stdout == ""
    assert f"Another package called {name!r} is in the way, in {tmp_path / name}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_where_our_package_should_be_is_named(tmp_path: Path) -> None:
    """If ours is gone, a mere folder of that name counts as somebody else's."""
    home = tmp_path / "home"
    for name in neighbours.NAMES:
        if name != "engine":
            shutil.copytree(HOME / name, home / name)
    (tmp_path / "other" / "engine").mkdir(parents=True)
    done = facedown(tmp_path / "other", home)
    assert done.returncode == exits.USAGE
    assert "Another package called 'engine' is in the way" in done.stderr


def test_packages_elsewhere_are_strangers(tmp_path: Path) -> None:
    """What counts is to be beside us."""
    sentence = neighbours.stranger(tmp_path)
    assert sentence is not None
    assert "'engine' is in the way" in sentence
