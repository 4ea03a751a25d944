"""Whether our four packages are ours: other software may use the same short names."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

NAMES = ("engine", "protocol", "p2p", "ui")


def stranger(home: Path | None = None) -> str | None:
    """One sentence that names a package that is not beside this one, or None if all are ours.

    ``home`` is the folder that should hold all four; by default the one that holds ``ui``.
    """
    if home is None:
        home = Path(__file__).resolve().parent.parent
    for name in NAMES:
        found = _place(name)
        if found is None:
            return f"Facedown is not whole: its package {name!r} is missing. Install it again."
        if found != home / name:
            return (
                f"Another package called {name!r} is in the way, in {found}: remove it, or give "
                "Facedown a virtual environment of its own."
            )
    return None


def _place(name: str) -> Path | None:
    """The folder or file that would be imported under a name."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.origin is not None:
        origin = Path(spec.origin).resolve()
        return origin.parent if origin.name.startswith("__init__.") else origin
    # A folder without __init__ is a package too.
    folders = list(spec.submodule_search_locations or ())
    return Path(folders[0]).resolve() if folders else None
