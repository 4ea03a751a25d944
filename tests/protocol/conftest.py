"""What the protocol's tests share: a second game, and work that is done once for all seats."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.protocol.games import at_the_table
from tests.protocol.once import computed_once


@pytest.fixture
def topcard() -> Iterator[str]:
    """The name of a game of five cards that the protocol has never heard of."""
    with at_the_table():
        yield "topcard"


@pytest.fixture
def once() -> Iterator[None]:
    """What all seats of a table compute alike is computed once."""
    with computed_once():
        yield
