"""What a pack of 52 cards costs: operations as executed, and time against their prices.

    python -m bench.crypto

One thread. Operations are counted while they run and held against the caps that SPEC 4.9 gives.
Each round prices every operation before and after it times the pieces of work, so that a machine
that is slow for a while is slow for both; a ratio is the median over all rounds. The exit status is
1 if a cap or a ratio is broken.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from bench.prices import Prices, counted, measure, since
from protocol.group import Point, Tally, add, card_point, generator_times, secret_times
from protocol.hashing import digest, hash_to_scalar, permutation
from protocol.proofs import (
    ClaimProof,
    Deck,
    Lock,
    ShuffleProof,
    Statement,
    check,
    claim,
    lock,
    shares,
    shuffle,
)
from protocol.proofs.shares import uncover

CARDS = 52
SEATS = 4
HAND = 13
CLAIMED = (0, 1)
"""Slots of seat 0 that a move makes claims about, each with one set of cards."""
ALLOWED = 18
ROUNDS = 15
WORST_RATIO = 1.35
"""Time over the sum of the priced operations: what Python may add on top of the curve."""

SHUFFLE_CAP = 9 * CARDS + 5
GENERATOR_CAP = 3 * CARDS + 4
VERIFY_CAP = 9 * CARDS + 11
THREE_CAP = 905
"""Terms of the first three proofs of a pack, which the last seat checks in one list."""
CLAIMS_CAP = len(CLAIMED) * (3 * ALLOWED + 1)
VERIFY_CLAIMS_CAP = (2 * len(CLAIMED) + 1) * ALLOWED + 2 * len(CLAIMED) + 2

CTX = digest("bench context")
FRESH = digest("bench fresh")

OPERATIONS = {
    "generator": "kG, constant time",
    "secret": "kP, constant time",
    "term": "a term kP of a sum",
    "sum": "a sum of points, its inversion",
    "addition": "a point more in a sum",
    "parse": "33 bytes to a point",
}


@dataclass(frozen=True, slots=True)
class Mixed:
    """One seat's part in the pack, as others get it."""

    seat: int
    before: Deck
    after: Deck
    commitments: tuple[Point, ...]
    fields: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Something to be timed, and a cap on its multiplications if it has one."""

    name: str
    run: Callable[[], object]
    cap: int | None = None
    ratio: bool = False
    """Whether its time is held against the prices."""


def scalars(name: bytes, n: int) -> tuple[int, ...]:
    """n scalars, the same in every run."""
    return tuple(hash_to_scalar("bench scalars", name, i) for i in range(n))


def multiplications(count: Tally) -> int:
    """Multiplications of every kind."""
    return count.generator + count.secret + count.terms


def timed(run: Callable[[], object]) -> tuple[Tally, float]:
    """The operations of one run and its seconds."""
    before = counted()
    start = perf_counter()
    run()
    seconds = perf_counter() - start
    return since(before), seconds


class Table:
    """A pack made by all seats, and everything that is timed on it."""

    def __init__(self) -> None:
        self.x = scalars(b"keys", SEATS)
        self.X = tuple(map(generator_times, self.x))
        pk = add(self.X)
        others = add(self.X[1:])
        assert pk is not None
        assert others is not None
        self.pk, self.others = pk, others
        self.cards = [card_point(str(card)) for card in range(CARDS)]
        deck = shuffle.opening_deck(pk, self.cards)
        self.mixed: list[Mixed] = []
        for seat in range(SEATS):
            self.mixed.append(self.mix(seat, deck))
            deck = self.mixed[-1].after
        self.hand = deck.first[:HAND]
        self.dealt = deck.first[HAND:]
        self.lock = lock.make(CTX, 0, self.x[0], self.X[0], others, self.hand, FRESH).to_wire()
        self.shares = shares.make(CTX, 0, self.x[0], self.X[0], self.dealt, FRESH)
        hidden = {slot: self.hidden(slot) for slot in CLAIMED}
        self.rests = {slot: rest for slot, (rest, _) in hidden.items()}
        there = [card for _, card in hidden.values()]
        absent = [card for card in self.cards if card not in there]
        allowed = {*there, *absent[: ALLOWED - len(there)]}
        self.allowed = tuple(card for card in self.cards if card in allowed)
        self.held = {slot: self.allowed.index(card) for slot, (_, card) in hidden.items()}
        self.claims = [proof.to_wire() for proof in self.claim()]

    def secrets(self, seat: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """A seat's permutation, commitment randomness and mix randomness."""
        name = b"%d" % seat
        psi = permutation("bench permutation", name, CARDS)
        return psi, scalars(b"commit" + name, CARDS), scalars(b"mix" + name, CARDS)

    def mix(self, seat: int, before: Deck) -> Mixed:
        """A seat's commitments, deck and proof."""
        psi, r_commit, _ = self.secrets(seat)
        commitments = shuffle.commit(psi, r_commit, CARDS)
        after, proof = self.mix_and_prove(seat, before, commitments)
        return Mixed(seat, before, after, commitments, proof.to_wire())

    def mix_and_prove(
        self, seat: int, before: Deck, commitments: tuple[Point, ...]
    ) -> tuple[Deck, ShuffleProof]:
        """What a seat computes in MIX and PROVE."""
        psi, r_commit, r_mix = self.secrets(seat)
        after = shuffle.mix(before, self.pk, psi, r_mix)
        return after, shuffle.prove(
            CTX, seat, self.pk, before, after, commitments, psi, r_commit, r_mix, FRESH
        )

    def statement(self, mixed: Mixed) -> Statement:
        """A shuffle's statement from the bytes of its proof."""
        return shuffle.statement(
            CTX,
            mixed.seat,
            self.pk,
            mixed.before,
            mixed.after,
            mixed.commitments,
            ShuffleProof.from_wire(mixed.fields, CARDS),
        )

    def verify(self, *seats: int) -> None:
        """Read and check the proofs of these seats as one list."""
        assert not check([self.statement(self.mixed[seat]) for seat in seats])

    def verify_lock(self) -> None:
        """Read and check a lock."""
        given = Lock.from_wire(self.lock, HAND)
        stated = lock.statement(CTX, 0, self.X[0], self.others, self.hand, given)
        assert not check([stated])

    def verify_shares(self) -> None:
        """Check the shares of the deal."""
        stated = shares.statement(CTX, 0, self.X[0], self.dealt, *self.shares)
        assert not check([stated])

    def hidden(self, slot: int) -> tuple[Point, Point]:
        """What the other seats' shares leave of a slot of seat 0, and its card."""
        A, B = self.mixed[-1].after.first[slot], self.mixed[-1].after.second[slot]
        given = [secret_times(x, A) for x in self.x]
        rest, card = uncover(B, given[1:]), uncover(B, given)
        assert rest is not None
        assert card is not None
        return rest, card

    def claim(self) -> list[ClaimProof]:
        """The claims of a move of seat 0."""
        x, X, allowed = self.x[0], self.X[0], self.allowed
        return [
            claim.make(CTX, 0, k, x, X, self.hand[k], self.rests[k], allowed, self.held[k], FRESH)
            for k in CLAIMED
        ]

    def verify_claims(self) -> None:
        """Read and check the claims of a move as one list."""
        X, allowed = self.X[0], self.allowed
        stated = []
        for k, fields in zip(CLAIMED, self.claims, strict=True):
            proof = ClaimProof.from_wire(fields, ALLOWED)
            rest = self.rests[k]
            stated.append(claim.statement(CTX, 0, k, X, self.hand[k], rest, allowed, proof))
        assert not check(stated)

    def works(self) -> tuple[Work, ...]:
        """All that is timed. Proofs are of seat 1, whose deck before has no two equal points."""
        one = self.mixed[1]
        psi, r_commit, _ = self.secrets(1)
        x, X = self.x[0], self.X[0]
        return (
            Work("commit", lambda: shuffle.commit(psi, r_commit, CARDS)),
            Work(
                "shuffle and prove",
                lambda: self.mix_and_prove(1, one.before, one.commitments),
                SHUFFLE_CAP,
                ratio=True,
            ),
            Work("verify", lambda: self.verify(1), VERIFY_CAP, ratio=True),
            Work("verify three, last seat", lambda: self.verify(0, 1, 2), THREE_CAP, ratio=True),
            Work("verify three, first seat", lambda: self.verify(1, 2, 3)),
            Work("verify three, middle seat", lambda: self.verify(0, 2, 3)),
            Work(
                f"make {CARDS - HAND} shares",
                lambda: shares.make(CTX, 0, x, X, self.dealt, FRESH),
            ),
            Work(f"verify {CARDS - HAND} shares", self.verify_shares),
            Work(
                f"make a lock of {HAND}",
                lambda: lock.make(CTX, 0, x, X, self.others, self.hand, FRESH),
            ),
            Work(f"verify a lock of {HAND}", self.verify_lock),
            Work(f"two claims of {ALLOWED} cards", self.claim, CLAIMS_CAP, ratio=True),
            Work("verify two claims", self.verify_claims, VERIFY_CLAIMS_CAP, ratio=True),
        )


def main() -> int:
    """Measure, print, and say by the exit status whether caps and ratios are kept."""
    works = Table().works()
    counts: dict[str, Tally] = {}
    times: dict[str, list[float]] = {work.name: [] for work in works}
    ratios: dict[str, list[float]] = {work.name: [] for work in works}
    prices: list[Prices] = [measure()]
    for _ in range(ROUNDS):
        runs = {work.name: timed(work.run) for work in works}
        prices.append(measure())
        for name, (count, seconds) in runs.items():
            counts[name] = count
            times[name].append(seconds)
            operations = (prices[-2].of(count) + prices[-1].of(count)) / 2
            ratios[name].append(seconds / operations)

    print(f"{CARDS} cards, one thread, medians of {ROUNDS} rounds\n")
    print("price of an operation")
    for name, text in OPERATIONS.items():
        print(f"  {text:32}{1e6 * median(getattr(price, name) for price in prices):8.1f} us")
    print(f"\n{'':28}{'kG':>6}{'kP':>6}{'terms':>7}{'all':>6}{'cap':>6}{'ms':>8}{'ratio':>8}")
    broken: list[str] = []
    for work in works:
        count, ratio = counts[work.name], median(ratios[work.name])
        total = multiplications(count)
        cap = "" if work.cap is None else str(work.cap)
        print(
            f"{work.name:28}{count.generator:6}{count.secret:6}{count.terms:7}{total:6}{cap:>6}"
            f"{1e3 * median(times[work.name]):8.1f}{ratio:8.2f}"
        )
        if work.cap is not None and total > work.cap:
            broken.append(f"{work.name}: {total} multiplications, at most {work.cap} are allowed")
        if work.ratio and ratio > WORST_RATIO:
            broken.append(f"{work.name}: {ratio:.2f} times its operations, limit {WORST_RATIO}")
    by_generator = counts["shuffle and prove"].generator
    if by_generator > GENERATOR_CAP:
        broken.append(f"shuffle and prove: {by_generator} by G, at most {GENERATOR_CAP}")
    print(
        f"\nratio = time / sum of the priced operations, at most {WORST_RATIO} where it is judged"
    )
    for text in broken:
        print(f"BROKEN  {text}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
