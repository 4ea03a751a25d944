"""Hedged nonces: hashed from the secret, the statement and 32 fresh bytes. SPEC 4.2.

A nonce that is used for two challenges, or that somebody else can compute, gives the secret away.
So none rests on one thing alone: should the fresh bytes repeat, another statement still gets other
nonces; should they be foreseen, the secret still hides them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from protocol.errors import LocalError
from protocol.hashing import Part, digest, hash_to_scalar

FRESH_BYTES = 32


def hedged(label: str, secret: Part, statement: Part, fresh: bytes) -> Iterator[int]:
    """An endless row of scalars in 1 ... q - 1, all different for another label, secret,
    statement or fresh bytes, and the same for the same.

    LocalError unless there are 32 fresh bytes.
    """
    if len(fresh) != FRESH_BYTES:
        raise LocalError(f"nonces need {FRESH_BYTES} fresh bytes, not {len(fresh)}")
    seed = digest(label, secret, statement, fresh)
    scalars = (hash_to_scalar("nonce scalar", seed, i) for i in count())
    return (k for k in scalars if k)
