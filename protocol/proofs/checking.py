"""The verdict on proofs: their equations, each read as one sum that must be O. SPEC 4.1.

A sum is never taken in stages, so an O met on the way (commitments that add up to O, an answer of
zero) decides nothing. Any list of statements is checked by one random combination of all their
equations, with 128-bit weights that come from a hash of them, so that everybody who repeats the
check finds the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from protocol.errors import LocalError, PeerFault
from protocol.group import ORDER, SCALAR_BYTES, Point, combination, compress
from protocol.hashing import DIGEST_BYTES, digest, weight

Equation: TypeAlias = tuple[tuple[int, Point], ...]
"""Terms kP that add up to O; a coefficient is any integer and counts modulo q."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What one proof of one seat claims: that each of the equations holds."""

    code: str
    seat: int
    equations: tuple[Equation, ...]

    def fault(self) -> PeerFault:
        """The fault of the seat, for when the statement is false."""
        return PeerFault(self.code, "a proof that proves nothing", self.seat)


Pending: TypeAlias = Callable[[], Statement]
"""A statement yet to be made: hashing a deck is work for a job, not for the event loop."""


def judge(pending: Sequence[Pending]) -> dict[int, str]:
    """Makes and checks statements: the indexes of the false ones with their codes.

    One that cannot even be made (PeerFault) is false with the code of that fault.
    """
    verdicts: dict[int, str] = {}
    made: dict[int, Statement] = {}
    for index, make in enumerate(pending):
        try:
            made[index] = make()
        except PeerFault as fault:
            verdicts[index] = fault.code
    indexes = list(made)
    for place in check(list(made.values())):
        verdicts[indexes[place]] = made[indexes[place]].code
    return dict(sorted(verdicts.items()))


def check(statements: Sequence[Statement]) -> frozenset[int]:
    """The indexes of the false ones among the statements.

    A true statement is never named; a false one escapes with a chance of 2^-128. One alone is
    judged as a list of one. If a list does not hold as a whole, each is judged by itself, so the
    verdict on a statement does not hang on the company it is in.
    """
    if _hold(statements):
        return frozenset()
    if len(statements) == 1:
        return frozenset({0})
    return frozenset(i for i, statement in enumerate(statements) if not _hold((statement,)))


def read_fields(fields: object, *lengths: int) -> tuple[bytes, ...]:
    """The fields of a proof, one bytes object of each length; else PeerFault ``length``."""
    if not isinstance(fields, (tuple, list)) or len(fields) != len(lengths):
        raise PeerFault("length", f"a proof must have {len(lengths)} fields")
    octets: list[bytes] = []
    for field, length in zip(fields, lengths, strict=True):
        if not isinstance(field, bytes) or len(field) != length:
            raise PeerFault("length", f"a field of a proof must be {length} bytes")
        octets.append(field)
    return tuple(octets)


def require_context(ctx: bytes) -> None:
    """LocalError unless ctx is a digest."""
    if len(ctx) != DIGEST_BYTES:
        raise LocalError(f"the context of a proof is {DIGEST_BYTES} bytes, not {len(ctx)}")


def _hold(statements: Sequence[Statement]) -> bool:
    equations = [equation for statement in statements for equation in statement.equations]
    seed = digest("check", [_encode(equation) for equation in equations])
    coefficients: defaultdict[Point, int] = defaultdict(int)
    for i, equation in enumerate(equations):
        factor = weight("check weight", seed, i)
        for k, P in equation:
            # Points that stand in many equations (G, H, the decks) cost one multiplication.
            coefficients[P] += factor * k
    return combination((k, P) for P, k in coefficients.items()) is None


def _encode(equation: Equation) -> bytes:
    return b"".join([(k % ORDER).to_bytes(SCALAR_BYTES, "big") + compress(P) for k, P in equation])
