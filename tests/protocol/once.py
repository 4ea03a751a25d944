"""What all seats of a table in one process compute alike is computed once.

Four sessions, and the verifier after them, judge the same proofs, check the same signatures and
read the same bytes and points; a table that is played again from its seed multiplies the same
numbers and makes the same packs. Each of these is a function of its arguments alone, so its value
may be kept. Nothing is left out:
whatever is new, as every lie is, is computed by the very code that is shipped. For tests of whole
tables; how proofs, signatures and points are judged is tested without this.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import SimpleNamespace

import pytest
from btclib_secp256k1 import ecdh

from protocol import agreement, envelope, group, identity_keys, votes
from protocol.proofs import Statement, checking, shuffle
from protocol.signing import verified
from protocol.wire import unpack

_point = lru_cache(maxsize=2**16)(group._lift)
_product = lru_cache(maxsize=2**16)(ecdh.shared_point)
_verified = lru_cache(maxsize=2**12)(verified)
_unpack = lru_cache(maxsize=2**12)(unpack)
_is_on_curve = lru_cache(maxsize=2**9)(identity_keys._is_on_curve)
_commit = lru_cache(maxsize=2**8)(shuffle.commit)
_mix = lru_cache(maxsize=2**8)(shuffle.mix)
_prove = lru_cache(maxsize=2**8)(shuffle.prove)
_hold = checking._hold


@lru_cache(maxsize=2**9)
def _holds(statement: Statement) -> bool:
    return _hold((statement,))


def _all_hold(statements: Sequence[Statement]) -> bool:
    """As all of them in one sum, but for a chance of 2^-128."""
    return all(map(_holds, statements))


@contextmanager
def computed_once(proofs: bool = True) -> Iterator[None]:
    """For the time of the block. Without ``proofs`` these are judged each time, in one sum."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group, "_lift", _point)
        patch.setattr(group, "ecdh", SimpleNamespace(shared_point=_product))
        patch.setattr(agreement, "verified", _verified)
        patch.setattr(envelope, "verified", _verified)
        patch.setattr(votes, "verified", _verified)
        if lobby := sys.modules.get("p2p.statements"):
            patch.setattr(lobby, "verified", _verified)
        patch.setattr(envelope, "unpack", _unpack)
        patch.setattr(votes, "unpack", _unpack)
        patch.setattr(identity_keys, "_is_on_curve", _is_on_curve)
        for name, kept in (("commit", _commit), ("mix", _mix), ("prove", _prove)):
            patch.setattr(shuffle, name, kept)
        if proofs:
            patch.setattr(checking, "_hold", _all_hold)
        yield
