"""A shuffle of the deck, and the proof that it is one. SPEC 4.4.

Terelius and Wikstroem's proof, after Haenni, Locher, Koenig and Dubuis, "Pseudo-Code Algorithms
for Verifiable Re-Encryption Mix-Nets" (2017), with announcements in place of the challenge. The
permutation is a tuple psi of 0 ... N - 1: place i of the new deck takes place psi[i] of the old
one. Randomness r is listed by places of the *old* deck.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain as concatenated

from protocol.errors import LocalError, PeerFault
from protocol.group import (
    GENERATOR,
    ORDER,
    POINT_BYTES,
    SCALAR_BYTES,
    Point,
    add,
    all_points,
    commitment_base,
    commitment_bases,
    compress,
    compress_all,
    encode_scalars,
    generator_times,
    parse_points,
    parse_scalars,
    secret_sum,
    secret_times,
)
from protocol.hashing import digest, hash_to_scalar, weight
from protocol.proofs.checking import Equation, Statement, read_fields, require_context
from protocol.proofs.nonces import hedged

CODE = "proof.shuffle"


@dataclass(frozen=True, slots=True)
class Deck:
    """N ciphertexts (A_i, B_i): all A first, then all B."""

    first: tuple[Point, ...]
    second: tuple[Point, ...]

    def to_wire(self) -> tuple[bytes, ...]:
        """Two fields: all A (33N bytes), all B (33N bytes)."""
        return (compress_all(self.first), compress_all(self.second))

    @classmethod
    def from_wire(cls, fields: object, n: int) -> Deck:
        """The deck of two fields; PeerFault ``length``, ``point`` or ``deck.repeated``."""
        first, second = read_fields(fields, n * POINT_BYTES, n * POINT_BYTES)
        deck = cls(parse_points(first, n), parse_points(second, n))
        check_deck(deck)
        return deck


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """C_1 ... C_N; K1, K2, K3, KB, KA; L_1 ... L_N; s1 ... s4; f_1 ... f_N; g_1 ... g_N."""

    chain: tuple[Point, ...]
    sums: tuple[Point, ...]
    links: tuple[Point, ...]
    s: tuple[int, ...]
    f: tuple[int, ...]
    g: tuple[int, ...]

    def to_wire(self) -> tuple[bytes, ...]:
        """Six fields: C (33N bytes), K (165), L (33N), s (128), f (32N), g (32N)."""
        return (
            *map(compress_all, (self.chain, self.sums, self.links)),
            *map(encode_scalars, (self.s, self.f, self.g)),
        )

    @classmethod
    def from_wire(cls, fields: object, n: int) -> ShuffleProof:
        """The proof for n cards, of six fields; PeerFault ``length``, ``point`` or ``scalar``."""
        points, scalars = (n, 5, n), (4, n, n)
        lengths = (*(m * POINT_BYTES for m in points), *(m * SCALAR_BYTES for m in scalars))
        octets = read_fields(fields, *lengths)
        chain, sums, links = map(parse_points, octets[:3], points)
        s, f, g = map(parse_scalars, octets[3:], scalars)
        return cls(chain, sums, links, s, f, g)


def opening_deck(pk: Point, cards: Sequence[Point]) -> Deck:
    """D_0 = (G, M_c + PK) for the card points in their order; LocalError if one sum is O."""
    second = all_points(add((M, pk)) for M in cards)
    if second is None:
        raise LocalError("a card hides the negative of the pack's key")  # by chance: 2^-256
    return Deck((GENERATOR,) * len(second), second)


def check_deck(deck: Deck) -> None:
    """PeerFault ``deck.repeated`` if two first halves are equal: one share would open both."""
    if len(set(deck.first)) != len(deck.first):
        raise PeerFault("deck.repeated", "a deck with two equal first halves")


def commit(permutation: Sequence[int], r: Sequence[int], n: int) -> tuple[Point, ...]:
    """The commitments c_1 ... c_n to a permutation: c_{psi(i)} = r_{psi(i)} G + h_i.

    Perfectly hiding for random r. LocalError if it is no permutation of n places, n < 2, or not
    n scalars.
    """
    _require_permutation(permutation, r, n)
    commitments: dict[int, Point | None] = {
        j: add((generator_times(r[j]), h))
        for j, h in zip(permutation, commitment_bases(n), strict=True)
    }
    return _no_zero(commitments[j] for j in range(n))


def mix(deck: Deck, pk: Point, permutation: Sequence[int], r: Sequence[int]) -> Deck:
    """The deck re-encrypted (A + rG, B + r PK) and permuted; LocalError as for ``commit``."""
    _require_permutation(permutation, r, len(deck.first))
    first = _no_zero(add((deck.first[j], generator_times(r[j]))) for j in permutation)
    second = _no_zero(add((deck.second[j], secret_times(r[j], pk))) for j in permutation)
    return Deck(first, second)


def prove(
    ctx: bytes,
    seat: int,
    pk: Point,
    before: Deck,
    after: Deck,
    commitments: Sequence[Point],
    permutation: Sequence[int],
    r_commit: Sequence[int],
    r_mix: Sequence[int],
    fresh: bytes,
) -> ShuffleProof:
    """The proof that ``after`` is ``mix(before, pk, permutation, r_mix)`` and that ``commitments``
    are ``commit(permutation, r_commit, N)``; ``fresh`` is 32 random bytes.

    In all 3N + 4 multiplications by G and 6N + 1 others with ``mix``. LocalError as for ``commit``.
    """
    n = len(before.first)
    _require_permutation(permutation, r_commit, n)
    _require_permutation(permutation, r_mix, n)
    about = _statement(ctx, seat, pk, before, after, commitments)
    H, h = commitment_base(), commitment_bases(n)
    u = _weights(about, n)
    v = [u[j] for j in permutation]
    secret = (encode_scalars(r_commit), encode_scalars(r_mix), tuple(permutation))
    draws = hedged("shuffle nonce", secret, about, fresh)
    while True:
        p, a, b, w = ([next(draws) for _ in range(m)] for m in (n, n, n, 4))
        C = _chain(p, v, H)
        if C is None:
            continue
        links = all_points(
            secret_sum(a_i, ((b_i, previous),))
            for a_i, b_i, previous in zip(a, b, (H, *C), strict=False)
        )
        sums = all_points(
            (
                generator_times(w[0]),
                generator_times(w[1]),
                secret_sum(w[2], zip(b, h, strict=True)),
                secret_sum(0, ((ORDER - w[3], pk), *zip(b, after.second, strict=True))),
                secret_sum(ORDER - w[3], zip(b, after.first, strict=True)),
            )
        )
        if links is None or sums is None:
            continue
        z = _challenge(about, C, sums, links)
        r_all = sum(r_commit)
        r_weighted = sum(r_i * u_i for r_i, u_i in zip(r_commit, u, strict=True))
        r_mixed = sum(r_i * u_i for r_i, u_i in zip(r_mix, u, strict=True))
        logs = (r_all, _chain_logarithm(p, v), r_weighted, r_mixed)
        s = tuple((w_i + z * log) % ORDER for w_i, log in zip(w, logs, strict=True))
        f = tuple((a_i + z * p_i) % ORDER for a_i, p_i in zip(a, p, strict=True))
        g = tuple((b_i + z * v_i) % ORDER for b_i, v_i in zip(b, v, strict=True))
        if all(concatenated(s, f, g)):
            return ShuffleProof(C, sums, links, s, f, g)


def statement(
    ctx: bytes,
    seat: int,
    pk: Point,
    before: Deck,
    after: Deck,
    commitments: Sequence[Point],
    proof: ShuffleProof,
) -> Statement:
    """The N + 5 equations of the proof, at most 8N + 8 different points.

    PeerFault ``deck.repeated`` if first halves of ``after`` are equal; LocalError if the lengths
    differ or N < 2.
    """
    n = len(before.first)
    about = _statement(ctx, seat, pk, before, after, commitments)
    if not n == len(proof.chain) == len(proof.links) == len(proof.f) == len(proof.g):
        raise LocalError("a proof for another number of cards")
    check_deck(after)
    G, H, h = GENERATOR, commitment_base(), commitment_bases(n)
    u = _weights(about, n)
    C = proof.chain
    K1, K2, K3, KB, KA = proof.sums
    s1, s2, s3, s4 = proof.s
    z = _challenge(about, C, proof.sums, proof.links)
    minus_g = [-g_i for g_i in proof.g]
    zu = [z * u_i % ORDER for u_i in u]
    product = 1
    for u_i in u:
        product = product * u_i % ORDER
    equations: list[Equation] = [
        ((1, K1), (-s1, G), *((z, c_i) for c_i in commitments), *((-z, h_i) for h_i in h)),
        ((1, K2), (-s2, G), (z, C[-1]), (-z * product, H)),
        ((1, K3), (-s3, G), *_pairs(minus_g, h), *_pairs(zu, commitments)),
        ((1, KB), (s4, pk), *_pairs(minus_g, after.second), *_pairs(zu, before.second)),
        ((1, KA), (s4, G), *_pairs(minus_g, after.first), *_pairs(zu, before.first)),
    ]
    for L, f_i, g_i, C_i, previous in zip(
        proof.links, proof.f, minus_g, C, (H, *C[:-1]), strict=True
    ):
        equations.append(((1, L), (-f_i, G), (g_i, previous), (z, C_i)))
    return Statement(CODE, seat, tuple(equations))


def _pairs(scalars: Sequence[int], points: Sequence[Point]) -> zip[tuple[int, Point]]:
    return zip(scalars, points, strict=True)


def _chain(p: Sequence[int], v: Sequence[int], H: Point) -> tuple[Point, ...] | None:
    """C_i = p_i G + v_i C_{i-1} from C_0 = H; None if one of them is O."""
    C = [H]
    for p_i, v_i in zip(p, v, strict=True):
        link = secret_sum(p_i, ((v_i, C[-1]),))
        if link is None:
            return None
        C.append(link)
    return tuple(C[1:])


def _chain_logarithm(p: Sequence[int], v: Sequence[int]) -> int:
    """phat, where C_N = phat G + (prod v) H."""
    log = 0
    for p_i, v_i in zip(p, v, strict=True):
        log = (p_i + v_i * log) % ORDER
    return log


def _statement(
    ctx: bytes, seat: int, pk: Point, before: Deck, after: Deck, commitments: Sequence[Point]
) -> bytes:
    require_context(ctx)
    n = len(commitments)
    decks = (before.first, before.second, after.first, after.second)
    if n < 2 or any(len(half) != n for half in decks):
        raise LocalError("a shuffle of fewer than two cards, or of lists of different lengths")
    bases = (GENERATOR, commitment_base(), *commitment_bases(n))
    return digest(
        "shuffle statement",
        ctx,
        seat,
        n,
        compress_all(bases),
        compress(pk),
        *map(compress_all, decks),
        compress_all(commitments),
    )


def _weights(about: bytes, n: int) -> list[int]:
    return [weight("shuffle weight", about, i) for i in range(1, n + 1)]


def _challenge(
    about: bytes, chain: Sequence[Point], sums: Sequence[Point], links: Sequence[Point]
) -> int:
    return hash_to_scalar("shuffle challenge", about, *map(compress_all, (chain, sums, links)))


def _require_permutation(permutation: Sequence[int], r: Sequence[int], n: int) -> None:
    if n < 2 or sorted(permutation) != list(range(n)) or len(r) != n:
        raise LocalError("no permutation of at least two places, or not one scalar for each")


def _no_zero(sums: Iterable[Point | None]) -> tuple[Point, ...]:
    points = all_points(sums)
    if points is None:
        raise LocalError("a point came out as O: draw other scalars")  # by chance: 2^-256
    return points
