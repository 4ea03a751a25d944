"""One question about a silent seat, and what all that was said about it comes to. SPEC 5.6.

The rule is that of ``tests/model/vote.py``, where it is explored; same names, same answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

GONE = b""
"""The value that says that the seat's entry does not stand; others are hashes of entries."""

MAX_ROUND = 64
"""Rounds of one question: more than an hour of them by the clocks of SPEC 8."""

Kind: TypeAlias = Literal["vote", "stand"]


@dataclass(frozen=True, slots=True)
class Question:
    """Does the entry of seat ``about`` stand in this step after this head?"""

    lane: int
    step: int
    head: bytes
    about: int


@dataclass(frozen=True, slots=True)
class Vote:
    """What a seat votes for in a round, or stands by. ``data`` are the bytes as received.

    ``basis``: the round of the certificate that a vote rests on, 0 for none; of a stand 0.
    """

    question: Question
    seat: int
    kind: Kind
    round: int
    value: bytes
    basis: int
    data: bytes


def contradiction(a: Vote, b: Vote) -> str | None:
    """The fault code of a seat that signed both, in whichever order; None: an honest one may."""
    if (a.question, a.seat) != (b.question, b.seat):
        return None
    if a.kind == b.kind:
        # The same words under a second signature are no second vote.
        differ = (a.value, a.basis) != (b.value, b.basis)
        return "vote.twice" if a.round == b.round and differ else None
    stand, vote = (a, b) if a.kind == "stand" else (b, a)
    return "vote.stand" if vote.basis < stand.round < vote.round else None


class Ballot:
    """All that was said about one question, liars' contradictions as well.

    ``held``, wherever it is asked for, are the hashes of the entries in question that are here. A
    vote for another value does not count, nor does one that rests on an unknown certificate: both
    are kept, and count as soon as what they need is here.
    """

    def __init__(self, voters: tuple[int, ...]) -> None:
        self.voters = tuple(sorted(voters))
        self._said: dict[tuple[int, Kind, int, bytes, int], Vote] = {}
        self._settled: bytes | None = None
        self._asked: tuple[int, tuple[bytes, ...]] = (0, ())

    @property
    def quorum(self) -> int:
        """More than half of the voting seats."""
        return len(self.voters) // 2 + 1

    def against(self, vote: Vote) -> Vote | None:
        """The first of what is here that this one contradicts."""
        return next((said for said in self._said.values() if contradiction(said, vote)), None)

    def knows(self, vote: Vote) -> bool:
        """Whether it is here; under another signature it would be the same."""
        return _key(vote) in self._said

    def add(self, vote: Vote) -> bool:
        """Keeps a vote about this question. False: it is here, or its seat has no vote."""
        if vote.seat not in self.voters or self.knows(vote):
            return False
        self._said[_key(vote)] = vote
        return True

    def all(self) -> tuple[Vote, ...]:
        """Everything, in the order in which it came."""
        return tuple(self._said.values())

    # What it comes to.

    def certified(self, round: int, held: Collection[bytes]) -> list[bytes]:
        """The values that have a certificate in this round; several by liars only."""
        return self._certificates(held).get(round, [])

    def _certificates(self, held: Collection[bytes]) -> dict[int, list[bytes]]:
        """Per round in which somebody voted the values with a certificate, sorted."""
        found: dict[int, list[bytes]] = {}
        counted: dict[tuple[int, bytes], set[int]] = {}
        # In ascending rounds: what a vote rests on is of an earlier one, so it is found by then.
        for number, votes in self._by_round("vote"):
            for vote in votes:
                rests = vote.basis == 0 or vote.value in found.get(vote.basis, ())
                if rests and (vote.value == GONE or vote.value in held):
                    counted.setdefault((number, vote.value), set()).add(vote.seat)
            values = sorted({vote.value for vote in votes})
            found[number] = [v for v in values if len(counted.get((number, v), ())) >= self.quorum]
        return found

    def settled(self, held: Collection[bytes]) -> bytes | None:
        """The value by which this question is settled, for good; None: it is not."""
        asked = len(self._said), tuple(held)
        if self._settled is None and asked != self._asked:
            self._asked = asked
            self._settled = self._find_settled(held)
        return self._settled

    def _find_settled(self, held: Collection[bytes]) -> bytes | None:
        certificates = self._certificates(held)
        for number, stands in self._by_round("stand"):
            for value in certificates.get(number, []):
                if len({stand.seat for stand in stands if stand.value == value}) >= self.quorum:
                    return value
        return None

    def absence(self) -> tuple[bytes, ...] | None:
        """The stands by GONE for the record: of the lowest round with enough, the lowest seats."""
        for _, stands in self._by_round("stand"):
            gone = {stand.seat: stand.data for stand in stands if stand.value == GONE}
            if len(gone) >= self.quorum:
                return tuple(gone[seat] for seat in sorted(gone)[: self.quorum])
        return None

    def _by_round(self, kind: Kind) -> Iterator[tuple[int, list[Vote]]]:
        """Votes or stands per round, in ascending rounds."""
        rounds: dict[int, list[Vote]] = {}
        for vote in self._said.values():
            if vote.kind == kind:
                rounds.setdefault(vote.round, []).append(vote)
        yield from sorted(rounds.items())

    def voted(self, round: int) -> int:
        """How many seats have voted in a round, whether that counts or not."""
        return len({v.seat for v in self._said.values() if (v.kind, v.round) == ("vote", round)})

    @property
    def newest(self) -> int:
        """The newest round in which more than half have voted; 0: there is none."""
        rounds = self._by_round("vote")
        enough = (n for n, votes in rounds if len({v.seat for v in votes}) >= self.quorum)
        return max(enough, default=0)

    @property
    def doubted(self) -> bool:
        """Whether anybody has spoken for GONE."""
        return any(vote.value == GONE for vote in self._said.values())

    # What a seat has said, and may say.

    def spoken_for_gone(self, seat: int) -> bool:
        """Whether a seat has voted for GONE or stands by it: it goes on only when it is settled."""
        return any((v.seat, v.value) == (seat, GONE) for v in self._said.values())

    def vote_of(self, seat: int, round: int) -> Vote | None:
        """The vote of a seat in a round; of a liar's several the first that came."""
        return next((v for v in self._of(seat, "vote") if v.round == round), None)

    def round_of(self, seat: int) -> int:
        """The last round in which a seat has voted; 0: it has not."""
        return max((vote.round for vote in self._of(seat, "vote")), default=0)

    def standing(self, seat: int) -> Vote | None:
        """The newest stand of a seat; of a liar's several of one round the first that came."""
        return max(self._of(seat, "stand"), key=lambda stand: stand.round, default=None)

    def _of(self, seat: int, kind: Kind) -> list[Vote]:
        return [v for v in self._said.values() if (v.seat, v.kind) == (seat, kind)]

    def votes(self, seat: int, held: Collection[bytes]) -> list[tuple[bytes, int]]:
        """The (value, basis) that a seat may vote for in its next round, by value.

        Nothing after the last round. What the seat in question may say of itself, and whether it
        is time, is for the caller to know.
        """
        last = self.round_of(seat)
        if last >= MAX_ROUND:
            return []
        # For each value the newest certificate, 0 for what needs none: what the own eyes say.
        allowed = dict.fromkeys(list(held) or [GONE], 0)
        for number, values in self._certificates(held).items():
            if number <= last:
                allowed |= dict.fromkeys(values, number)
        stand = self.standing(seat)
        return [
            (value, basis)
            for value, basis in sorted(allowed.items())
            if stand is None or basis > stand.round or (value, basis) == (stand.value, stand.round)
        ]

    def stands(self, seat: int, held: Collection[bytes]) -> list[bytes]:
        """What a seat may stand by: certificates of the round in which it voted last."""
        last = self.round_of(seat)
        stand = self.standing(seat)
        return [] if stand is not None and stand.round == last else self.certified(last, held)

    def picked(
        self, seat: int, held: Collection[bytes], lead: Vote | None
    ) -> tuple[bytes, int] | None:
        """What a seat votes for in its next round: the value of the leader's vote if it may,
        else that of the newest certificate, else the entry, else GONE. None: nothing."""
        votes = self.votes(seat, held)
        if lead is not None:
            votes = [vote for vote in votes if vote[0] == lead.value] or votes
        return max(votes, key=lambda vote: vote[1], default=None)

    def leader(self, round: int) -> int:
        """The seat whose vote the others wait for and follow in a round from 2 on."""
        return self.voters[(round - 2) % len(self.voters)]


def _key(vote: Vote) -> tuple[int, Kind, int, bytes, int]:
    return vote.seat, vote.kind, vote.round, vote.value, vote.basis
