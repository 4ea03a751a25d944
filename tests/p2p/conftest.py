"""What the tests of peers share: few keys, and work that is done once for all seats of a table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.keys import few_keys
from tests.protocol.once import computed_once

__all__ = ["few_keys"]


@pytest.fixture(autouse=True)
def once(request: pytest.FixtureRequest) -> Iterator[None]:
    """These tests are of links and the mesh; what measures time pays for all that it does."""
    if request.node.get_closest_marker("alone"):
        yield
        return
    with computed_once():
        yield
