"""Chat: lines of members of one table, each shown once, at a bounded rate, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p.chat import (
    A_SECOND,
    BURST,
    LINK_BURST,
    MAX_REMEMBERED,
    MAX_TEXT,
    OWN_BURST,
    Chatter,
    Line,
    make,
    read,
)
from p2p.messages import Chat
from protocol.errors import LocalError, PeerFault
from protocol.signing import public_bytes, sign
from protocol.wire import MAX_INTEGER, Value, pack
from tests.p2p.lobby_room import signing_key

TABLE = b"t" * 32
LOBBY = b"l" * 16
ANNA, BERT, CARL = (signing_key(name) for name in ("anna", "bert", "carl"))
KEYS = tuple(public_bytes(key) for key in (ANNA, BERT, CARL))
A, B, C = KEYS


def hears(chatter: Chatter, message: Chat, now: float = 0.0, source: bytes = B) -> str | None:
    """What Anna is shown of a message that comes by somebody's link."""
    line = chatter.hear(source, message, (TABLE, LOBBY), KEYS, now)
    return None if line is None else line.text


def said(text: str, count: int = 1, place: bytes = TABLE) -> Chat:
    """Something that Bert says."""
    return make(BERT, Line(B, place, count, text))


def test_a_line_is_heard_once_whichever_way_it_comes() -> None:
    """Copies, and what is older than the last, are dropped without a word."""
    anna, bert = Chatter(ANNA, 7), Chatter(BERT, 9)
    first = bert.say(TABLE, "hällo", 0.0)
    second = bert.say(LOBBY, "again", 0.0)
    assert read(first) == Line(B, TABLE, 10, "hällo")
    assert hears(anna, first) == "hällo"
    assert hears(anna, first, source=C) is None
    assert hears(anna, second, source=C) == "again"
    assert hears(anna, first) is None


def test_only_members_are_heard_and_only_about_this_table() -> None:
    """Neither strangers, nor what strangers pass on, nor the own lines, nor another table's."""
    anna = Chatter(ANNA, 0)
    stranger = signing_key("emil")
    own = public_bytes(stranger)
    assert hears(anna, make(stranger, Line(own, TABLE, 1, "hi"))) is None
    assert hears(anna, said("hi"), source=own) is None
    assert hears(anna, make(ANNA, Line(A, TABLE, 1, "hi"))) is None
    assert hears(anna, said("hi", place=b"x" * 32)) is None
    assert hears(anna, said("hi")) == "hi"


def test_a_false_signature_blames_the_link() -> None:
    """And uses up nothing of what the named author may say."""
    anna = Chatter(ANNA, 0)
    good = said("hi")
    envelope = sign(BERT, "envelope", good.body)
    for _ in range(BURST):
        for false in (
            replace(good, key=C),
            replace(good, signature=bytes(64)),
            replace(good, signature=envelope),
            replace(good, body=said("ho").body),
        ):
            with pytest.raises(PeerFault) as caught:
                hears(anna, false)
            assert caught.value.code == "signature"
            assert caught.value.seat is None
    assert hears(anna, good) == "hi"


@pytest.mark.parametrize(
    "value",
    [
        (),
        (1, TABLE, 1),
        (1, TABLE, 1, ""),
        (1, TABLE, 1, b"bytes"),
        (1, TABLE, 1, "x" * (MAX_TEXT + 1)),
        (1, TABLE, 1, "ü" * (MAX_TEXT // 2 + 1)),
        (1, TABLE, 1, "two\nlines"),
        (1, TABLE, 1, "bell\a"),
        (1, TABLE, 1, "turned \u202e round"),
        (1, TABLE, 1, "isolated \u2067 too"),
        (1, TABLE, 1, "a\u2028b"),
        (1, TABLE, "1", "hi"),
        (1, TABLE[1:], 1, "hi"),
        (1, "table", 1, "hi"),
        (1, (), 1, "hi"),
        (1, TABLE, 1, "hi", 0),
        "hi",
    ],
    ids=lambda value: repr(value)[-30:],
)
def test_malformed_lines_blame_the_link(value: Value) -> None:
    """Also where they are well signed."""
    body = pack(value)
    with pytest.raises(PeerFault) as caught:
        hears(Chatter(ANNA, 0), Chat(body, B, sign(BERT, "chat", body)))
    assert caught.value.code == "encoding"


def test_another_version_is_refused() -> None:
    """The version comes first."""
    body = pack((2, TABLE, 1, "hi"))
    with pytest.raises(PeerFault) as caught:
        read(Chat(body, B, bytes(64)))
    assert caught.value.code == "version"


@given(st.binary(max_size=640))
def test_no_bytes_do_more_than_raise_a_fault(body: bytes) -> None:
    """Whatever a link brings."""
    with pytest.raises(PeerFault):
        hears(Chatter(ANNA, 0), Chat(body, B, bytes(64)))


@given(st.text(max_size=600), st.integers(0, MAX_INTEGER))
def test_what_may_be_said_can_be_heard(text: str, count: int) -> None:
    """The own program refuses just what those of others would."""
    line = make(BERT, Line(B, TABLE, count, text))
    try:
        Chatter(BERT, 0).say(TABLE, text, 0.0)
    except LocalError:
        with pytest.raises(PeerFault):
            read(line)
    else:
        assert hears(Chatter(ANNA, 0), line) == text


def test_people_can_say_two_lines_a_second() -> None:
    """A few at once; the next one when there is time for it again."""
    bert = Chatter(BERT, 0)
    for _ in range(OWN_BURST):
        bert.say(TABLE, "hi", 10.0)
    with pytest.raises(LocalError, match="Not so fast: 2 lines a second"):
        bert.say(TABLE, "hi", 10.0)
    bert.say(TABLE, "hi", 10.0 + 1 / A_SECOND)
    with pytest.raises(LocalError, match="Not so fast"):
        bert.say(TABLE, "hi", 10.0 + 1 / A_SECOND)


def test_what_cannot_be_said_does_not_count() -> None:
    """A line that is too long is not held against who typed it."""
    bert = Chatter(BERT, 0)
    for _ in range(10):
        with pytest.raises(LocalError, match="text of 1 to 500 bytes"):
            bert.say(TABLE, "x" * 501, 0.0)
    assert read(bert.say(TABLE, "x" * 500, 0.0)).count == 1


def test_more_than_an_author_may_say_is_dropped_and_nothing_else_happens() -> None:
    """Somebody else is heard all the same, and so is the author a moment later."""
    anna = Chatter(ANNA, 0)
    heard = [hears(anna, said(str(n), n)) for n in range(BURST + 10)]
    assert heard == [str(n) for n in range(BURST)] + [None] * 10
    assert hears(anna, make(CARL, Line(C, TABLE, 1, "hi"))) == "hi"
    assert hears(anna, said("later", 100), 1.0) == "later"
    assert hears(anna, said("later", 101), 1.0) == "later"
    assert hears(anna, said("later", 102), 1.0) is None


def test_who_keeps_to_the_rate_is_heard_after_six_seconds_of_silence() -> None:
    """All that a link that was held up brings at once is shown."""
    anna, bert = Chatter(ANNA, 0), Chatter(BERT, 0)
    lines = [bert.say(TABLE, "hi", 0.0) for _ in range(OWN_BURST)]
    lines += [bert.say(TABLE, "hi", now / 2) for now in range(1, 13)]
    assert [hears(anna, line, 6.0) for line in lines] == ["hi"] * 16


def test_a_link_that_floods_is_closed() -> None:
    """Copies and nonsense count: whoever passes on so much does not keep to the rate."""
    anna = Chatter(ANNA, 0)
    line = said("hi")
    for _ in range(int(LINK_BURST)):
        hears(anna, line)
    with pytest.raises(PeerFault) as caught:
        hears(anna, line)
    assert caught.value.code == "message"
    assert hears(anna, said("ho", 2), source=C) == "ho"


def test_six_who_say_all_they_may_are_no_flood() -> None:
    """By one link, for a long time."""
    anna = Chatter(ANNA, 0)
    others = [signing_key(f"player {n}") for n in range(5)]
    keys = (A, *(public_bytes(key) for key in others))
    count = 0
    for half in range(240):
        for key in others:
            count += 1
            author = public_bytes(key)
            message = make(key, Line(author, TABLE, count, "hi"))
            assert anna.hear(keys[1], message, (TABLE,), keys, half / 2) is not None


def test_memory_is_bounded() -> None:
    """However many links there were."""
    anna = Chatter(ANNA, 0)
    for n in range(3 * MAX_REMEMBERED):
        anna.hear(bytes([n]) * 32, said("hi"), (), (), 0.0)
    assert len(anna._links) == MAX_REMEMBERED
