"""Nonces: never the same for two statements, never from public data, never from ``random``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

import p2p
import protocol
from protocol.errors import LocalError
from protocol.group import ORDER, all_points, generator_times, secret_times, subtract
from protocol.proofs import claim, knowledge, lock, nonces, shares, shuffle
from protocol.proofs.nonces import hedged
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_CTX,
    OTHER_FRESH,
    small_pack,
    some_scalars,
    total,
)


def test_nonces_hang_on_all_they_are_made_of_and_on_nothing_else() -> None:
    """Label, secret, statement, fresh bytes: one changed, all changed; the same, the same."""
    rows = [
        tuple(islice(hedged(*made_of), 4))
        for made_of in [
            ("a", b"secret", b"statement", FRESH),
            ("b", b"secret", b"statement", FRESH),
            ("a", b"secre", b"statement", FRESH),
            ("a", b"secret", b"statemen", FRESH),
            ("a", b"secret", b"statement", OTHER_FRESH),
        ]
    ]
    assert len({nonce for row in rows for nonce in row}) == 20
    assert rows[0] == tuple(islice(hedged("a", b"secret", b"statement", FRESH), 4))
    assert all(0 < nonce < ORDER for row in rows for nonce in row)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_nonces_without_their_fresh_bytes_are_refused(length: int) -> None:
    """At once, not when the first is drawn."""
    with pytest.raises(LocalError):
        hedged("a", b"secret", b"statement", bytes(length))


def test_a_nonce_of_zero_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash that is 0 modulo q would announce O."""
    monkeypatch.setattr(nonces, "hash_to_scalar", lambda label, seed, i: (0, 0, 3, 0, 4)[i])
    assert list(islice(hedged("a", b"", b"", FRESH), 2)) == [3, 4]


def announcements() -> dict[str, Callable[[bytes, bytes, int], list[bytes]]]:
    """For each proof: what it announces, given context, fresh bytes and which secret."""
    pack = small_pack(3)
    honest = pack.shuffles[0]

    def of_knowledge(ctx: bytes, fresh: bytes, which: int) -> list[bytes]:
        return [knowledge.prove(ctx, 0, pack.x[which], pack.X[0], fresh).R]

    def of_shares(ctx: bytes, fresh: bytes, which: int) -> list[bytes]:
        _, proof = shares.make(ctx, 0, pack.x[which], pack.X[0], pack.deck.first, fresh)
        return [proof.R, proof.R_bases]

    def of_lock(ctx: bytes, fresh: bytes, which: int) -> list[bytes]:
        Q = total(*pack.X[1:])
        made = lock.make(ctx, 0, pack.x[which], pack.X[0], Q, pack.deck.first, fresh)
        return [*made.announcements, *made.R, *made.V]

    def of_claim(ctx: bytes, fresh: bytes, which: int) -> list[bytes]:
        # One statement for both secrets: each has a card that it would be true for.
        A, Q = pack.deck.first[0], pack.deck.second[0]
        allowed = all_points(subtract(Q, (secret_times(x, A),)) for x in pack.x[:2])
        assert allowed is not None
        proof = claim.make(ctx, 0, 0, pack.x[which], pack.X[0], A, Q, allowed, which, fresh)
        return [*proof.R, *proof.Z]

    def of_shuffle(ctx: bytes, fresh: bytes, which: int) -> list[bytes]:
        r_commit = (honest.r_commit, honest.r_mix)[which]
        proof = shuffle.prove(
            ctx,
            0,
            pack.pk,
            honest.before,
            honest.after,
            honest.commitments,
            honest.permutation,
            r_commit,
            honest.r_mix,
            fresh,
        )
        return [*proof.chain, *proof.sums, *proof.links]

    return {
        "knowledge": of_knowledge,
        "shares": of_shares,
        "lock": of_lock,
        "claim": of_claim,
        "shuffle": of_shuffle,
    }


@pytest.mark.parametrize("name", ["knowledge", "shares", "lock", "claim", "shuffle"])
def test_announcements_repeat_for_the_same_inputs_only(name: str) -> None:
    """No announcement is ever shared by two contexts, two secrets or two draws of fresh bytes."""
    announce = announcements()[name]
    first = announce(CTX, FRESH, 0)
    assert announce(CTX, FRESH, 0) == first
    others = [announce(CTX, OTHER_FRESH, 0), announce(OTHER_CTX, FRESH, 0), announce(CTX, FRESH, 1)]
    every = [point for made in (first, *others) for point in made]
    assert len(set(every)) == len(every)


def test_a_nonce_used_twice_gives_the_key_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """What hedging is for: two answers to two challenges on one announcement, and x is known."""
    (x, k) = some_scalars("reuse", 2)
    X = generator_times(x)
    monkeypatch.setattr(knowledge, "hedged", lambda *_: iter([k]))
    one, two = (knowledge.prove(ctx, 0, x, X, FRESH) for ctx in (CTX, OTHER_CTX))
    assert one.R == two.R
    z_one, z_two = (knowledge._challenge(ctx, 0, X, one.R) for ctx in (CTX, OTHER_CTX))
    assert (one.s - two.s) * pow(z_one - z_two, -1, ORDER) % ORDER == x


@pytest.mark.parametrize("package", [protocol, p2p], ids=["protocol", "p2p"])
def test_the_module_random_is_imported_nowhere(package: object) -> None:
    """Its numbers can be foretold from a few of them; ``secrets`` or handed-in bytes only."""
    (folder,) = package.__path__  # type: ignore[attr-defined]  # every package has one
    modules = list(Path(folder).rglob("*.py"))
    assert modules
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            if isinstance(node, ast.ImportFrom):
                names.add(node.module or "")
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                assert called not in {"__import__", "import_module"}, path
            assert not {name for name in names if name.split(".")[0] in {"random", "numpy"}}, path
