"""Whole peers over a virtual network: quick for what they are, but no part of the quick loop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocol.once import computed_once


@pytest.fixture(autouse=True)
def once() -> Iterator[None]:
    """What all peers of a table compute alike is computed once: these tests are of the network."""
    with computed_once():
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder is slow."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.slow)
