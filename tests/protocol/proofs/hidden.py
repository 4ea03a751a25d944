"""A hidden slot whose secrets are known, and a prover of claims about it that need not be true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from protocol.group import GENERATOR, ORDER, Point, secret_times
from protocol.proofs import ClaimProof, Statement, claim
from protocol.proofs.shares import uncover
from tests.protocol.proofs.cheats import summed
from tests.protocol.proofs.packs import CTX, FRESH, SmallPack, some_scalars


@dataclass(frozen=True, slots=True)
class Hidden:
    """One slot of one seat, with all shares off but its own."""

    pack: SmallPack
    seat: int
    slot: int
    A: Point
    Q: Point
    card: int
    """Which card of the pack it is."""

    @property
    def x(self) -> int:
        """The seat's secret."""
        return self.pack.x[self.seat]

    @property
    def X(self) -> Point:
        """The seat's key."""
        return self.pack.X[self.seat]

    def make(self, allowed: Sequence[int], fresh: bytes = FRESH, ctx: bytes = CTX) -> ClaimProof:
        """The honest proof that the card is one of these."""
        held = allowed.index(self.card)
        inputs = (self.X, self.A, self.Q, self.points(allowed), held, fresh)
        return claim.make(ctx, self.seat, self.slot, self.x, *inputs)

    def statement(self, allowed: Sequence[int], proof: ClaimProof, ctx: bytes = CTX) -> Statement:
        """What a proof claims, all inputs being the right ones."""
        inputs = (self.X, self.A, self.Q, self.points(allowed), proof)
        return claim.statement(ctx, self.seat, self.slot, *inputs)

    def points(self, cards: Sequence[int]) -> tuple[Point, ...]:
        """The points of some cards of the pack."""
        return tuple(self.pack.cards[card] for card in cards)


def hidden(pack: SmallPack, seat: int, slot: int) -> Hidden:
    """A slot as its owner sees it."""
    A, B = pack.deck.first[slot], pack.deck.second[slot]
    shares = [secret_times(x, A) for x in pack.x]
    Q, M = uncover(B, shares[:seat] + shares[seat + 1 :]), uncover(B, shares)
    assert Q is not None
    assert M is not None
    return Hidden(pack, seat, slot, A, Q, pack.cards.index(M))


def prove_anyway(
    of: Hidden,
    allowed: Sequence[int],
    mended: int | None,
    moved: Mapping[tuple[str, int], int] = MappingProxyType({}),
    drawn: Mapping[int, int] = MappingProxyType({}),
) -> ClaimProof:
    """The steps of a prover for any slot and any cards, written apart from the real one.

    All c and s are drawn first (c may be given), and announcements made to fit. An announcement
    ``(list, index)`` is ``moved`` by that many G. Then c of the card ``mended`` is made to fit the
    challenge, and s to fit its R. The proof holds if that is the card that is there.
    """
    m, points = len(allowed), of.points(allowed)
    c, s = list(some_scalars("anyway c", m)), list(some_scalars("anyway s", m))
    for i, chosen in drawn.items():
        c[i] = chosen
    R, Z = [], []
    for i in range(m):
        R.append(summed((s[i] + moved.get(("R", i), 0), GENERATOR), (-c[i], of.X)))
        error = (moved.get(("Z", i), 0), GENERATOR)
        Z.append(summed((s[i], of.A), (-c[i], of.Q), (c[i], points[i]), error))
    if mended is not None:
        about = claim._statement(CTX, of.seat, of.slot, of.X, of.A, of.Q, points)
        rest = claim._challenge(about, R, Z) - sum(c)
        c[mended] = (c[mended] + rest) % ORDER
        s[mended] = (s[mended] + rest * of.x) % ORDER
    return ClaimProof(tuple(R), tuple(Z), tuple(c), tuple(s))
