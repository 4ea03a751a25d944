"""The verifier takes a good record, each beginning of one, and nothing else. SPEC 9."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.envelope import Envelope, open_envelope
from protocol.errors import PeerFault
from protocol.record import LENGTH_BYTES, MAGIC, read_objects, write_record
from protocol.verifier import CheckedStep, Report, verify
from tests.protocol.games import at_the_table
from tests.protocol.tables import Table, make_table

SEATS = 2

NOT_SIGNED = frozenset({"encoding", "signature", "version", "table", "kind"})
"""What may be wrong with an entry that somebody else has changed: its author never signed it."""


@pytest.fixture(scope="module", autouse=True)
def games() -> Iterator[None]:
    """Top Card can be played: a small game makes small records."""
    with at_the_table():
        yield


@pytest.fixture(scope="module")
def small(games: None) -> Table:
    """A whole match of one hand of Top Card."""
    table = make_table("verifier", "topcard", {"hands": 1}, SEATS, strategy="keep")
    table.begin()
    table.deliver()
    return table


@pytest.fixture(scope="module")
def record(small: Table) -> bytes:
    """Its record."""
    return small.record(0)


@pytest.fixture(scope="module")
def agreement(small: Table) -> bytes:
    """The signed agreement that it begins with."""
    return small.sealed


@pytest.fixture(scope="module")
def objects(record: bytes) -> list[bytes]:
    """Agreement and entries of it."""
    return list(read_objects(record))


@pytest.fixture(scope="module")
def entries(small: Table, objects: list[bytes]) -> list[Envelope]:
    """The entries of it, opened."""
    return [open_envelope(data, small.agreement) for data in objects[1:]]


def place(report: Report) -> tuple[int | None, int | None, int | None]:
    """Lane, step and seat of the fault."""
    assert report.fault is not None
    return report.fault.lane, report.fault.step, report.fault.seat


def place_of(entry: Envelope) -> tuple[int, int, int]:
    """The same of an entry."""
    return entry.lane, entry.step, entry.seat


def test_a_good_record_of_hazari_is_complete_and_everything_in_it_is_counted() -> None:
    """One hand: ten entries of each seat and their signatures, five proofs of each."""
    table = make_table("verifier", options={"hands": 1})
    table.begin()
    table.deliver()
    record = table.record(0)
    told: list[CheckedStep] = []
    report = verify(record, told.append)
    assert (report.verdict, report.fault) == ("complete", None)
    assert report.end is not None
    assert report.end.rule == "hands"
    assert told == report.steps
    everybody = (0, 1, 2, 3)
    assert told[-1].story[0].endswith("led")
    assert [replace(step, story=()) for step in told] == [
        CheckedStep(1, 1, "commit", everybody, 0),
        CheckedStep(1, 2, "open", everybody, 4),
        *(CheckedStep(1, 3 + seat, "mix", (seat,), 0) for seat in everybody),
        CheckedStep(1, 7, "prove", everybody, 4),
        CheckedStep(0, 1, "ready", everybody, 0),
        CheckedStep(0, 2, "shares", everybody, 4),
        CheckedStep(0, 3, "move", everybody, 0),
        CheckedStep(0, 4, "lock", everybody, 4),
        CheckedStep(0, 5, "shares", everybody, 4),
        CheckedStep(0, 6, "result", everybody, 0),
    ]
    counts = report.counts
    assert (counts.entries, counts.signatures, counts.proofs) == (40, 44, 20)
    assert counts.equations == 4 * (1 + (52 + 5) + 2 + 3 + 2)
    assert (counts.packs, counts.hands) == (1, 1)
    assert {table.record(seat) for seat in everybody} == {record}


def test_a_good_small_record_is_complete(record: bytes, entries: list[Envelope]) -> None:
    """The ground of what follows: nothing of this file is wrong but what a test changes."""
    report = verify(record)
    assert (report.verdict, report.fault) == ("complete", None)
    assert report.counts.entries == len(entries)
    assert report.counts.signatures == SEATS + len(entries)
    assert (report.counts.packs, report.counts.hands) == (1, 1)


@pytest.mark.usefixtures("once")
def test_cut_after_any_entry_it_is_sound_as_far_as_it_goes(objects: list[bytes]) -> None:
    """Also in the middle of a step, and with the agreement alone."""
    for length in range(1, len(objects)):
        report = verify(write_record(objects[0], objects[1:length]))
        assert (report.verdict, report.fault) == ("so far", None), length
        assert report.counts.entries == length - 1
        assert report.counts.signatures == SEATS + length - 1


@pytest.mark.usefixtures("once")
def test_cut_anywhere_else_it_cannot_be_read(objects: list[bytes]) -> None:
    """In the magic, before the agreement, in a length and in an entry: no whole file."""
    for length in range(len(MAGIC) + 1):
        assert_unreadable(MAGIC[:length])
    for count in range(len(objects)):
        whole = write_record(objects[0], objects[1:count]) if count else MAGIC
        size = len(objects[count])
        framed = size.to_bytes(LENGTH_BYTES, "big") + objects[count]
        for extra in (*range(1, LENGTH_BYTES + 2), LENGTH_BYTES + size // 2, len(framed) - 1):
            assert_unreadable(whole + framed[:extra])


def assert_unreadable(data: bytes) -> None:
    """The verdict, with its one code and a reason."""
    report = verify(data)
    assert report.verdict == "unreadable"
    assert report.fault is not None
    assert report.fault.code == "record"
    assert report.fault.text
    assert place(report) == (None, None, None)


def flips(objects: list[bytes], record: bytes, every: int) -> Iterator[tuple[int, int | None]]:
    """Places of bytes to change, with the number of the object that each is in (None: no object).

    All of the magic, the agreement, the lengths, and the ends of entries; of the rest one in so
    many, another one in each entry.
    """
    yield from ((at, None) for at in range(len(MAGIC)))
    start = len(MAGIC)
    for number, data in enumerate(objects):
        yield from ((start + i, None) for i in range(LENGTH_BYTES))
        start += LENGTH_BYTES
        for i in range(len(data)):
            edge = i < 20 or i >= len(data) - 2
            if number == 0 or edge or i % every == number % every:
                yield start + i, number
        start += len(data)
    assert start == len(record)


def assert_flip_is_refused(
    record: bytes, at: int, entry: Envelope | None, number: int | None, change: int
) -> None:
    """One byte changed: in an entry, that entry is named with what is wrong with it."""
    changed = bytearray(record)
    changed[at] ^= change
    report = verify(bytes(changed))
    assert report.verdict in ("unsound", "unreadable"), at
    assert report.fault is not None
    assert report.fault.text
    if number is None:
        # A length that is wrong moves all that follows: it is no file, or no entry begins there.
        assert report.fault.code in ("record", "encoding", "record.order"), (at, report.fault)
    elif entry is None:
        assert (report.verdict, place(report)) == ("unsound", (None, None, None))
    else:
        assert report.verdict == "unsound"
        assert report.fault.code in NOT_SIGNED, (at, report.fault)
        assert place(report) == place_of(entry), (at, report.fault)


@pytest.mark.usefixtures("once")
def test_a_changed_byte_is_refused_and_its_place_is_named(
    record: bytes, objects: list[bytes], entries: list[Envelope]
) -> None:
    """Magic, lengths, the whole agreement, both ends of every entry, and a sample of the rest."""
    for at, number in flips(objects, record, every=101):
        entry = entries[number - 1] if number else None
        assert_flip_is_refused(record, at, entry, number, 1 << at % 8)


@pytest.mark.slow
def test_any_changed_byte_of_an_entry_is_refused(
    small: Table, objects: list[bytes], entries: list[Envelope]
) -> None:
    """Every byte of every entry, where the verifier opens it; the place is named as above."""
    for data, entry in zip(objects[1:], entries, strict=True):
        for at in range(len(data)):
            changed = bytearray(data)
            changed[at] ^= 255 - at % 255
            with pytest.raises(PeerFault) as refused:
                open_envelope(bytes(changed), small.agreement)
            assert refused.value.code in NOT_SIGNED, (place_of(entry), at)


@pytest.mark.usefixtures("once")
def test_a_dropped_entry_is_missed(objects: list[bytes], entries: list[Envelope]) -> None:
    """All but the last, after which nothing is missing: the file is sound as far as it goes."""
    for number, entry in enumerate(entries[:-1], 1):
        report = verify(write_record(objects[0], objects[1:number] + objects[number + 1 :]))
        assert_out_of_order(report, entry)
    assert verify(write_record(objects[0], objects[1:-1])).verdict == "so far"


def test_without_its_agreement_it_is_no_record(objects: list[bytes]) -> None:
    """The first entry stands in its place then, and is none."""
    report = verify(write_record(objects[1], objects[2:]))
    assert report.verdict == "unsound"
    assert report.fault is not None
    assert report.agreement is None


@pytest.mark.usefixtures("once")
def test_a_repeated_entry_is_refused(objects: list[bytes], entries: list[Envelope]) -> None:
    """Right behind itself it stands in the next one's place, and after the end there is none."""
    for number, entry in enumerate(entries[1:], 1):
        report = verify(write_record(objects[0], [*objects[1 : number + 1], *objects[number:]]))
        assert_out_of_order(report, entry)
    report = verify(write_record(objects[0], [*objects[1:], objects[-1]]))
    assert report.verdict == "unsound"
    assert report.fault is not None
    assert report.fault.code == "record.end"


@pytest.mark.usefixtures("once")
def test_swapped_entries_are_refused(objects: list[bytes], entries: list[Envelope]) -> None:
    """Any two: the first of the two places is where it goes wrong."""
    for one in range(1, len(objects)):
        for other in range(one + 1, len(objects), 3):
            changed = list(objects)
            changed[one], changed[other] = changed[other], changed[one]
            assert_out_of_order(verify(write_record(changed[0], changed[1:])), entries[one - 1])


def assert_out_of_order(report: Report, due: Envelope) -> None:
    """Refused at the place where this entry is due."""
    assert report.verdict == "unsound"
    assert report.fault is not None
    assert report.fault.code == "record.order"
    assert place(report) == place_of(due)


def test_another_tables_agreement_makes_all_entries_strangers(
    objects: list[bytes], entries: list[Envelope]
) -> None:
    """The same players, another table: the first entry is of no table that this file is of."""
    other = make_table("verifier", "topcard", {"hands": 2}, SEATS)
    report = verify(write_record(other.sealed, objects[1:]))
    assert report.fault is not None
    assert report.fault.code == "table"
    assert place(report) == place_of(entries[0])


@settings(max_examples=300)
@given(data=st.binary(max_size=200), how=st.sampled_from(["", "magic", "framed", "agreed"]))
def test_no_bytes_make_the_verifier_fail(agreement: bytes, data: bytes, how: str) -> None:
    """Alone, after the magic, as a framed object, and after a good agreement."""
    framed = len(data).to_bytes(LENGTH_BYTES, "big") + data
    record = {
        "": data,
        "magic": MAGIC + data,
        "framed": MAGIC + framed,
        "agreed": write_record(agreement, []) + framed,
    }[how]
    report = verify(record)
    assert report.verdict in ("unsound", "unreadable")
    assert report.fault is not None
    assert report.fault.text
