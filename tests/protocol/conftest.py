"""What the protocol's tests share: a second game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.protocol.games import at_the_table


@pytest.fixture
def topcard() -> Iterator[str]:
    """The name of a game of five cards that the protocol has never heard of."""
    with at_the_table():
        yield "topcard"
