"""What all tests share: loopback only, the option ``--vectors``, and calm settings."""

from __future__ import annotations

import gc
import os

import hypothesis
import pytest

from tests.network_guard import network_guard

__all__ = ["network_guard"]

# Before anything of this project is imported: no test may reach a real interface.
os.environ["FACEDOWN_INTERFACE"] = "127.0.0.1"

hypothesis.settings.register_profile(
    "facedown",
    deadline=None,  # a shared machine is slow at times, which is no failure
    database=None,  # what is found becomes a test of its own
    print_blob=True,
)
hypothesis.settings.load_profile("facedown")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``pytest tests/engine --vectors DIR`` runs the rule cases of another directory."""
    parser.addoption(
        "--vectors",
        metavar="DIR",
        default=None,
        help="directory of rule cases, GAME.json each, instead of tests/engine/vectors",
    )


def pytest_collection_finish() -> None:
    """The collector of cycles looks at no test again and again, and not every few objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
