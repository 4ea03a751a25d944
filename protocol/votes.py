"""Votes about a silent seat, and words of coming and going: how they are signed. SPEC 5.6.

What all votes about one question come to is in ``protocol.ballot``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.agreement import VERSION, Agreement
from protocol.ballot import GONE, MAX_ROUND, Ballot, Kind, Question, Vote, contradiction
from protocol.envelope import MAX_LANE, MAX_STEP
from protocol.errors import PeerFault
from protocol.hashing import DIGEST_BYTES
from protocol.signing import SIGNATURE_BYTES, sign, verified
from protocol.wire import Value, array, fields, integer, octets, pack, unpack

__all__ = [
    "GONE",
    "MAX_HAND",
    "MAX_ROUND",
    "MAX_WORD",
    "Back",
    "Ballot",
    "Kind",
    "Leaving",
    "Question",
    "Vote",
    "Word",
    "absence_object",
    "contradiction",
    "open_word",
    "parse_absence",
    "read_absence",
    "seal_back",
    "seal_leaving",
    "seal_vote",
]

MAX_HAND = MAX_STEP
"""Every hand has steps of its own."""

MAX_WORD = 512
"""Bytes; the longest vote has 193."""


@dataclass(frozen=True, slots=True)
class Back:
    """A seat that is away wants to be back at the SIT of a hand; ``choice``: "in" or "out"."""

    seat: int
    hand: int
    choice: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Leaving:
    """A seat goes: its clocks count as run out for the rest of this hand."""

    seat: int
    hand: int
    data: bytes


Word: TypeAlias = Vote | Back | Leaving


def seal_vote(
    agreement: Agreement,
    key: Ed25519PrivateKey,
    seat: int,
    question: Question,
    kind: Kind,
    round: int,
    value: bytes,
    basis: int,
) -> Vote:
    """A new vote or stand of our own."""
    lane, step, head, about = question.lane, question.step, question.head, question.about
    body = (lane, step, seat, head, about, kind, round, value, basis)
    return Vote(question, seat, kind, round, value, basis, _signed(agreement, key, body))


def seal_back(
    agreement: Agreement, key: Ed25519PrivateKey, seat: int, hand: int, choice: str
) -> Back:
    """A new word of our own that we are back."""
    return Back(seat, hand, choice, _signed(agreement, key, ("back", seat, hand, choice)))


def seal_leaving(agreement: Agreement, key: Ed25519PrivateKey, seat: int, hand: int) -> Leaving:
    """A new word of our own that we go."""
    return Leaving(seat, hand, _signed(agreement, key, ("leaving", seat, hand)))


def _signed(agreement: Agreement, key: Ed25519PrivateKey, said: tuple[Value, ...]) -> bytes:
    body = pack((VERSION, agreement.table_id, *said))
    return pack((body, sign(key, "vote", body)))


def open_word(data: bytes, agreement: Agreement) -> Word:
    """A word of this table with a good signature.

    Raises PeerFault without a seat, by the codes of ``open_envelope``, and ``vote`` for what is
    well formed and means nothing. Whether the seat has a vote, and about owes an entry in that
    step, is not looked at: that is known to who knows the table's history.
    """
    body, signature = fields(unpack(data, MAX_WORD), 2, "a vote")
    if not isinstance(body, bytes):
        raise PeerFault("encoding", "a vote's body must be bytes")
    signature = octets(signature, SIGNATURE_BYTES, "a signature")
    said = array(unpack(body, MAX_WORD), 11, "a vote")
    match said:
        case (_, _, "back", signer, _, _) | (_, _, "leaving", signer, _):
            pass
        case (_, _, _, _, signer, _, _, _, _, _, _):
            pass
        case _:
            raise PeerFault("encoding", "neither a vote nor a word of coming or going")
    if said[0] != VERSION:
        raise PeerFault("version", f"a vote of protocol version {said[0]!r}")
    if said[1] != agreement.table_id:
        raise PeerFault("table", "a vote of another table")
    seat = integer(signer, 0, len(agreement.keys) - 1, "a seat")
    # As with entries: nobody is told of having said what somebody else has changed.
    if not verified(agreement.keys[seat], "vote", body, signature):
        raise PeerFault("signature", f"a vote that is not signed by seat {seat}")
    match said[2:]:
        case ("back", _, hand, choice):
            hand = integer(hand, 1, MAX_HAND, "a hand")
            if not isinstance(choice, str) or choice not in ("in", "out"):
                raise PeerFault("vote", "a seat comes back in or out of the next hand")
            return Back(seat, hand, choice, data)
        case ("leaving", _, hand):
            return Leaving(seat, integer(hand, 1, MAX_HAND, "a hand"), data)
    return _read_vote(said[2:], seat, agreement, data)


def _read_vote(said: tuple[Value, ...], seat: int, agreement: Agreement, data: bytes) -> Vote:
    """A vote of this seat from what it has signed; raises PeerFault."""
    lane, step, _, head, about, kind, number, value, basis = said
    question = Question(
        integer(lane, 0, MAX_LANE, "a lane"),
        integer(step, 1, MAX_STEP, "a step"),
        octets(head, DIGEST_BYTES, "a head"),
        integer(about, 0, len(agreement.keys) - 1, "a seat"),
    )
    number = integer(number, 1, MAX_ROUND, "a round")
    if value != GONE:
        value = octets(value, DIGEST_BYTES, "the value of a vote")
    assert isinstance(value, bytes)
    if kind == "vote":
        basis = integer(basis, 0, number - 1, "the basis of a vote")
        return Vote(question, seat, "vote", number, value, basis, data)
    if kind == "stand":
        return Vote(question, seat, "stand", number, value, integer(basis, 0, 0, "a basis"), data)
    raise PeerFault("vote", "a vote of an unknown kind")


def absence_object(items: tuple[bytes, ...]) -> bytes:
    """The object of the record in the place of an entry that was settled as GONE. SPEC 9.1."""
    return pack(("absent", *items))


def parse_absence(data: bytes) -> tuple[bytes, ...] | None:
    """The stands of an absence, unread; None: it is none. An envelope opens with bytes."""
    try:
        value = unpack(data)
    except PeerFault:
        return None
    if not isinstance(value, tuple) or value[:1] != ("absent",):
        return None
    items = tuple(item for item in value[1:] if isinstance(item, bytes))
    return items if len(items) == len(value) - 1 else None


def read_absence(
    items: tuple[bytes, ...], agreement: Agreement, question: Question, voters: tuple[int, ...]
) -> tuple[int, ...]:
    """The seats, ascending, that declare the seat in question gone.

    Raises PeerFault ``record.absence`` for anything else than more than half of the voting seats,
    just so many, that stand by GONE in one round of this question.
    """
    needed = Ballot(voters).quorum
    if len(items) != needed:
        raise PeerFault(
            "record.absence", f"an absence of {len(items)} stands where {needed} make it"
        )
    rounds: set[int] = set()
    seats: list[int] = []
    for data in items:
        try:
            word = open_word(data, agreement)
        except PeerFault as fault:
            raise PeerFault("record.absence", f"an absence with a bad stand: {fault}") from None
        if not isinstance(word, Vote) or (word.kind, word.value) != ("stand", GONE):
            raise PeerFault("record.absence", "an absence with something else than stands by GONE")
        if word.question != question:
            raise PeerFault("record.absence", "an absence with a stand about another question")
        if word.seat not in voters:
            raise PeerFault("record.absence", "an absence with a stand of a seat without a vote")
        if seats and word.seat <= seats[-1]:
            raise PeerFault("record.absence", "an absence whose seats do not ascend")
        rounds.add(word.round)
        seats.append(word.seat)
    if len(rounds) != 1:
        raise PeerFault("record.absence", "an absence with stands of several rounds")
    return tuple(seats)
