"""New identities of a test are always the same few.

The short form of a key is made slowly on purpose, and once in a process for each key: so it is made
for the first tests, and remembered for the others. Who is handed a secret keeps it. What measures
time pays for all that it does.
"""

from __future__ import annotations

import hashlib
from itertools import count

import pytest

from p2p import identity


@pytest.fixture(autouse=True)
def few_keys(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first new identity of a test, the second one and so on; no two of a test are alike."""
    if request.node.get_closest_marker("alone"):
        return
    make, numbers = identity.make, count()

    def made(secret: bytes | None = None) -> identity.Identity:
        return make(secret or hashlib.sha256(b"test key %d" % next(numbers)).digest())

    monkeypatch.setattr(identity, "make", made)
