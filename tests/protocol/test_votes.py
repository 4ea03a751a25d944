"""Votes, and words of coming and going: well formed and signed they are read, else refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.envelope import MAX_LANE, MAX_STEP, open_envelope, seal
from protocol.errors import PeerFault
from protocol.signing import SigningLabel, public_bytes, sign
from protocol.votes import (
    GONE,
    MAX_HAND,
    MAX_ROUND,
    MAX_WORD,
    Back,
    Kind,
    Leaving,
    Question,
    Vote,
    absence_object,
    open_word,
    parse_absence,
    read_absence,
    seal_back,
    seal_leaving,
    seal_vote,
)
from protocol.wire import Value, fields, pack, unpack
from tests.protocol.tables import make_agreement, player_key

PLAYERS = 4
PEOPLE = tuple(player_key("votes", index) for index in range(PLAYERS))
AGREEMENT, _ = make_agreement(PEOPLE, "hazari", {}, "votes")
OTHER_TABLE, _ = make_agreement(PEOPLE, "hazari", {}, "another")
KEYS = sorted(PEOPLE, key=lambda key: AGREEMENT.keys.index(public_bytes(key)))
"""By seat."""
HEAD = bytes(range(32))
ENTRY = b"e" * 32
ASKED = Question(3, 7, HEAD, 2)


def cast(
    seat: int = 0,
    kind: Kind = "vote",
    round: int = 1,
    value: bytes = GONE,
    basis: int = 0,
    question: Question = ASKED,
) -> Vote:
    """A sealed vote of a seat, by default for GONE in round 1."""
    return seal_vote(AGREEMENT, KEYS[seat], seat, question, kind, round, value, basis)


def signed(body: Value, label: SigningLabel = "vote", signer: int = 0) -> bytes:
    """Any body, well signed."""
    packed = pack(body)
    return pack((packed, sign(KEYS[signer], label, packed)))


def vote(**changes: Value) -> bytes:
    """A vote of seat 0, well signed, with some fields changed."""
    said: dict[str, Value] = {
        "version": 1,
        "table": AGREEMENT.table_id,
        "lane": 3,
        "step": 7,
        "seat": 0,
        "head": HEAD,
        "about": 2,
        "kind": "vote",
        "round": 3,
        "value": ENTRY,
        "basis": 2,
    }
    return signed(tuple({**said, **changes}.values()))


def refusal(data: bytes) -> str:
    """The code by which a word is refused; the fault never names a seat."""
    with pytest.raises(PeerFault) as caught:
        open_word(data, AGREEMENT)
    assert (caught.value.seat, caught.value.lane, caught.value.step) == (None, None, None)
    return caught.value.code


# What is signed.

SEATS = st.integers(0, PLAYERS - 1)
QUESTIONS = st.builds(
    Question,
    st.integers(0, MAX_LANE),
    st.integers(1, MAX_STEP),
    st.binary(min_size=32, max_size=32),
    SEATS,
)
VALUES = st.just(GONE) | st.binary(min_size=32, max_size=32)


@given(SEATS, QUESTIONS, VALUES, st.integers(1, MAX_ROUND), st.data())
def test_a_vote_comes_back_as_it_was_sealed(
    seat: int, question: Question, value: bytes, round: int, data: st.DataObject
) -> None:
    """Opening a vote or a stand gives the same value, bytes included."""
    basis = data.draw(st.integers(0, round - 1))
    for made in (
        cast(seat, "vote", round, value, basis, question),
        cast(seat, "stand", round, value, 0, question),
    ):
        assert open_word(made.data, AGREEMENT) == made


@given(SEATS, st.integers(1, MAX_HAND), st.sampled_from(["in", "out"]))
def test_words_of_coming_and_going_come_back_as_they_were_sealed(
    seat: int, hand: int, choice: str
) -> None:
    """So do BACK and LEAVING."""
    back = seal_back(AGREEMENT, KEYS[seat], seat, hand, choice)
    leaving = seal_leaving(AGREEMENT, KEYS[seat], seat, hand)
    assert open_word(back.data, AGREEMENT) == back == Back(seat, hand, choice, back.data)
    assert open_word(leaving.data, AGREEMENT) == leaving == Leaving(seat, hand, leaving.data)


def test_the_longest_vote_is_far_below_the_limit() -> None:
    """A stand or vote has at most 193 bytes."""
    far = Question(MAX_LANE, MAX_STEP, HEAD, 3)
    assert len(cast(0, "stand", MAX_ROUND, ENTRY, 0, far).data) == 193 <= MAX_WORD


GOOD = [
    cast(0, "vote", 3, ENTRY, 2).data,
    cast(0, "stand").data,
    seal_back(AGREEMENT, KEYS[0], 0, 5, "out").data,
    seal_leaving(AGREEMENT, KEYS[0], 0, 5).data,
]
ANY_CODE = {"encoding", "signature", "version", "table"}


@given(st.sampled_from(GOOD), st.data())
def test_any_changed_word_is_refused(good: bytes, data: st.DataObject) -> None:
    """No byte can be changed, taken away or added."""
    place = data.draw(st.integers(0, len(good) - 1))
    more = data.draw(st.binary(min_size=1, max_size=5))
    change = data.draw(st.integers(1, 255))
    flipped = good[:place] + bytes([good[place] ^ change]) + good[place + 1 :]
    assert refusal(flipped) in ANY_CODE
    assert refusal(good[:place]) == "encoding"
    assert refusal(good[:place] + more + good[place:]) in ANY_CODE


@given(st.binary(max_size=600))
def test_any_bytes_are_refused_without_another_exception(data: bytes) -> None:
    """Noise raises PeerFault and nothing else, and is no absence."""
    assert refusal(data) == "encoding"
    assert parse_absence(data) is None


ANYTHING: st.SearchStrategy[Value] = st.recursive(
    st.integers(0, 2**63 - 1)
    | st.binary(max_size=40)
    | st.sampled_from(["vote", "stand", "back", "leaving", "in", "out", "absent", ""]),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=8,
)
FIELDS = ["version", "table", "lane", "step", "head", "about", "kind", "round", "value", "basis"]


@given(st.sampled_from([*FIELDS, "seat"]), ANYTHING)
def test_any_value_in_any_field_is_read_or_refused(field: str, value: Value) -> None:
    """A well signed vote with a strange field raises PeerFault at most."""
    data = vote(**{field: value})
    try:
        word = open_word(data, AGREEMENT)
    except PeerFault:
        return
    assert isinstance(word, Vote)
    assert word == cast(0, word.kind, word.round, word.value, word.basis, word.question)


@given(st.lists(ANYTHING, max_size=12).map(tuple), st.booleans())
def test_any_signed_array_is_read_or_refused(items: tuple[Value, ...], ours: bool) -> None:
    """Nor does any other array, with this table in front or without."""
    body = (1, AGREEMENT.table_id, *items) if ours else items
    try:
        word = open_word(signed(body), AGREEMENT)
    except PeerFault:
        return
    assert isinstance(word, (Back, Leaving))


def back(*said: Value, table: bytes = AGREEMENT.table_id) -> bytes:
    """A well signed word of coming or going."""
    return signed((1, table, *said))


REFUSALS: dict[str, tuple[bytes, str]] = {
    "no array": (pack(b"x"), "encoding"),
    "three fields": (pack((b"", bytes(64), b"")), "encoding"),
    "a body that is text": (pack(("x", bytes(64))), "encoding"),
    "a short signature": (pack((b"x", bytes(63))), "encoding"),
    "a signature of text": (pack((pack((1,) * 11), "x")), "encoding"),
    "no array in the body": (signed(b"x"), "encoding"),
    "a body of no field": (signed(()), "encoding"),
    "a body of ten fields": (signed((1,) * 10), "encoding"),
    "a body of twelve fields": (signed((1,) * 12), "encoding"),
    "a body that is not canonical": (pack((b"\x9b" + b"\xcc\x01" * 11, bytes(64))), "encoding"),
    "version 2": (vote(version=2), "version"),
    "version in words": (vote(version="1"), "version"),
    "another table": (vote(table=OTHER_TABLE.table_id), "table"),
    "no table": (vote(table=3), "table"),
    "a lane too far": (vote(lane=MAX_LANE + 1), "encoding"),
    "a lane of text": (vote(lane="back"), "encoding"),
    "step 0": (vote(step=0), "encoding"),
    "a step too far": (vote(step=MAX_STEP + 1), "encoding"),
    "a seat too far": (vote(seat=PLAYERS), "encoding"),
    "a seat of bytes": (vote(seat=b"\x00"), "encoding"),
    "a short head": (vote(head=bytes(31)), "encoding"),
    "a long head": (vote(head=bytes(33)), "encoding"),
    "about a seat too far": (vote(about=PLAYERS), "encoding"),
    "an unknown kind": (vote(kind="voted"), "vote"),
    "a kind of bytes": (vote(kind=b"vote"), "vote"),
    "round 0": (vote(round=0, basis=0), "encoding"),
    "a stand of round 0": (vote(kind="stand", round=0, basis=0), "encoding"),
    "round 65": (vote(round=MAX_ROUND + 1), "encoding"),
    "a short value": (vote(value=bytes(31)), "encoding"),
    "a long value": (vote(value=bytes(33)), "encoding"),
    "a value of text": (vote(value=""), "encoding"),
    "a value of 0": (vote(value=0), "encoding"),
    "a basis of its own round": (vote(basis=3), "encoding"),
    "a basis after its round": (vote(basis=4), "encoding"),
    "a stand with a basis": (vote(kind="stand", basis=1), "encoding"),
    "the seat of another": (vote(seat=1), "signature"),
    "back of nobody": (back("back", PLAYERS, 1, "in"), "encoding"),
    "back of another": (back("back", 1, 1, "in"), "signature"),
    "back in hand 0": (back("back", 0, 0, "in"), "encoding"),
    "back in a hand too far": (back("back", 0, MAX_HAND + 1, "in"), "encoding"),
    "back with another choice": (back("back", 0, 1, "leave"), "vote"),
    "back with a choice of bytes": (back("back", 0, 1, b"in"), "vote"),
    "back without a choice": (back("back", 0, 1), "encoding"),
    "back at another table": (back("back", 0, 1, "in", table=b""), "table"),
    "leaving of another": (back("leaving", 1, 1), "signature"),
    "leaving hand 0": (back("leaving", 0, 0), "encoding"),
    "leaving at another table": (back("leaving", 0, 1, table=b""), "table"),
    "leaving with a choice": (back("leaving", 0, 1, "in"), "encoding"),
    "an unknown word": (back("gone", 0, 1), "encoding"),
}


@pytest.mark.parametrize(("data", "code"), REFUSALS.values(), ids=REFUSALS.keys())
def test_every_refusal_has_its_code(data: bytes, code: str) -> None:
    """Each field is refused by a code that SPEC.md gives."""
    assert refusal(data) == code


def test_a_word_is_at_most_512_bytes_long() -> None:
    """The length is looked at before anything is read."""
    room = MAX_WORD - len(pack((bytes(300), bytes(64))))
    longest = pack((bytes(300 + room), bytes(64)))
    assert len(longest) == MAX_WORD
    with pytest.raises(PeerFault, match=r"bytes that are no|an array of at most"):
        open_word(longest, AGREEMENT)
    with pytest.raises(PeerFault, match="an object of 513 bytes"):
        open_word(pack((bytes(301 + room), bytes(64))), AGREEMENT)


def test_the_last_round_and_its_last_basis_are_read() -> None:
    """Bounds hold where they should."""
    word = open_word(vote(round=MAX_ROUND, basis=MAX_ROUND - 1), AGREEMENT)
    assert isinstance(word, Vote)
    assert (word.round, word.basis) == (MAX_ROUND, MAX_ROUND - 1)


def test_a_signature_under_another_label_is_none() -> None:
    """What was signed as something else cannot be passed off as a vote."""
    body, _ = fields(unpack(GOOD[0]), 2, "a vote")
    assert isinstance(body, bytes)
    labels: tuple[SigningLabel, ...] = ("agreement", "lobby", "envelope", "auth", "chat")
    for label in labels:
        assert refusal(pack((body, sign(KEYS[0], label, body)))) == "signature"


def test_a_vote_is_no_entry_and_an_entry_no_vote() -> None:
    """Neither is read in the place of the other."""
    entry = seal(AGREEMENT, KEYS[0], 3, 7, 0, HEAD, "move", (b"x",))
    assert refusal(entry.data) == "encoding"
    for good in GOOD:
        with pytest.raises(PeerFault):
            open_envelope(good, AGREEMENT)


# Absences in the record.

ABSENCE = tuple(cast(seat, "stand").data for seat in (0, 1, 3))


def test_an_absence_is_read() -> None:
    """Who declared the seat gone; a stand of the seat in question may be among them."""
    assert read_absence(ABSENCE, AGREEMENT, ASKED, (0, 1, 2, 3)) == (0, 1, 3)
    own = tuple(cast(seat, "stand", 9).data for seat in (2, 3))
    assert read_absence(own, AGREEMENT, ASKED, (1, 2, 3)) == (2, 3)


def swapped(other: bytes, place: int = 1) -> tuple[bytes, ...]:
    """The good absence with another stand in one place."""
    return (*ABSENCE[:place], other, *ABSENCE[place + 1 :])


BAD: dict[str, tuple[bytes, ...]] = {
    "no stands": (),
    "too few": ABSENCE[:2],
    "too many": tuple(cast(seat, "stand").data for seat in range(4)),
    "one of them twice": (ABSENCE[0], ABSENCE[0], ABSENCE[2]),
    "descending": ABSENCE[::-1],
    "two exchanged": (ABSENCE[1], ABSENCE[0], ABSENCE[2]),
    "of another lane": swapped(cast(1, "stand", question=replace(ASKED, lane=2)).data),
    "of another step": swapped(cast(1, "stand", question=replace(ASKED, step=8)).data),
    "of another head": swapped(cast(1, "stand", question=replace(ASKED, head=ENTRY)).data),
    "about another seat": swapped(cast(1, "stand", question=replace(ASKED, about=1)).data),
    "a vote": swapped(cast(1).data),
    "by the entry": swapped(cast(1, "stand", value=ENTRY).data),
    "of another round": swapped(cast(1, "stand", 2).data),
    "a word of leaving": swapped(seal_leaving(AGREEMENT, KEYS[1], 1, 1).data),
    "a bad signature": swapped(ABSENCE[1][:-1] + bytes([ABSENCE[1][-1] ^ 1])),
    "of another table": swapped(
        seal_vote(OTHER_TABLE, KEYS[1], 1, ASKED, "stand", 1, GONE, 0).data
    ),
    "an entry": swapped(seal(AGREEMENT, KEYS[1], 3, 7, 1, HEAD, "move", ()).data),
    "noise": swapped(b"x"),
    "nothing": swapped(b""),
}


def is_refused(
    items: tuple[bytes, ...], question: Question = ASKED, voters: tuple[int, ...] = (0, 1, 2, 3)
) -> bool:
    """Whether an absence is refused by its own code, and laid to nobody."""
    with pytest.raises(PeerFault) as caught:
        read_absence(items, AGREEMENT, question, voters)
    fault = caught.value
    return (fault.code, fault.seat, fault.lane) == ("record.absence", None, None)


@pytest.mark.parametrize("items", BAD.values(), ids=BAD.keys())
def test_every_bad_absence_is_refused(items: tuple[bytes, ...]) -> None:
    """Each thing that an absence must be is looked at."""
    assert is_refused(items)


def test_an_absence_is_of_one_question_and_of_its_voting_seats() -> None:
    """A good one is none elsewhere, nor where others or more seats vote."""
    assert is_refused(ABSENCE, replace(ASKED, head=ENTRY))
    assert is_refused(ABSENCE, replace(ASKED, about=1))
    assert is_refused(ABSENCE, voters=(0, 1, 2))
    assert is_refused(ABSENCE[:2], voters=(0, 2, 3))
    assert is_refused((), voters=())


def test_an_absence_comes_back_from_its_object() -> None:
    """As it was packed; its object is no envelope."""
    data = absence_object(ABSENCE)
    assert parse_absence(data) == ABSENCE
    with pytest.raises(PeerFault):
        open_envelope(data, AGREEMENT)


@pytest.mark.parametrize(
    "make",
    [
        lambda: seal(AGREEMENT, KEYS[0], 3, 7, 0, HEAD, "move", ()).data,
        lambda: ABSENCE[0],
        lambda: pack(("absence", *ABSENCE)),
        lambda: pack((b"absent", *ABSENCE)),
        lambda: pack(ABSENCE),
        lambda: pack(()),
        lambda: pack("absent"),
        lambda: pack(("absent", 3)),
        lambda: pack(("absent", ABSENCE)),
        lambda: pack(("absent", ABSENCE[0], "x")),
        lambda: absence_object(ABSENCE) + b"\x00",
        lambda: absence_object(ABSENCE)[:-1],
    ],
)
def test_nothing_else_is_an_absence(make: Callable[[], bytes]) -> None:
    """Envelopes least of all."""
    assert parse_absence(make()) is None
