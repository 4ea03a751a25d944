"""Messages: what is sent comes back the same, and no bytes whatever do more than raise a fault."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p import codec, statements
from p2p.frames import FRAME_LIMIT
from p2p.messages import (
    ALL_SENT,
    MAX_ADDRESSES,
    MAX_CHAT,
    MAX_CHUNK,
    MAX_LANES,
    MAX_ONLOOKERS,
    MAX_VOTE,
    Admit,
    Agreed,
    Bye,
    Chat,
    Entries,
    EnvelopeMessage,
    Have,
    Knock,
    LanePosition,
    Members,
    Message,
    Onlookers,
    Ping,
    Pong,
    Statement,
    TableInfo,
    Tables,
    Unwatch,
    VoteMessage,
    Watch,
)
from p2p.statements import (
    Commit,
    Here,
    Join,
    Leave,
    Listing,
    Member,
    Refuse,
    Reveal,
    Said,
    Sign,
)
from p2p.transport import Address
from protocol.errors import PeerFault
from protocol.signing import public_bytes, sign
from protocol.wire import MAX_BYTES, MAX_INTEGER, Value, pack, unpack
from tests.p2p.lobby_room import signing_key, terms

TABLE = b"t" * 32
KEY = public_bytes(signing_key("anna"))
LOBBY = b"l" * 16
INFO = replace(terms(), lobby=LOBBY, opener=KEY)
ADDRESSES = (Address("10.0.0.1", 7), Address("fe80::1%eth0", 65535))

MESSAGES: tuple[Message, ...] = (
    Tables(()),
    Tables((INFO,)),
    Statement(b"body", KEY, b"s" * 64),
    Knock(b"token"),
    Admit(()),
    Admit((INFO,)),
    Chat(b"body", KEY, b"s" * 64),
    Agreed(b"sealed"),
    EnvelopeMessage(TABLE, b"envelope"),
    VoteMessage(TABLE, b"vote"),
    VoteMessage(TABLE, b"v" * MAX_VOTE, b"e" * MAX_BYTES),
    Have(TABLE, (LanePosition(0, 5, (1, 2)), LanePosition(3, 1, ()))),
    Entries(TABLE, (b"one", b"two"), ALL_SENT),
    Entries(TABLE, (), ALL_SENT, ((b"vote", b""), (b"stand", b"entry"))),
    Ping(7, b"", ()),
    Ping(MAX_INTEGER, TABLE, ((0, 5), (3, 1))),
    Pong(7),
    Members(TABLE, ((KEY, ADDRESSES),)),
    Watch(LOBBY, "Eve"),
    Unwatch("crowded", "16 look on here already"),
    Onlookers(TABLE, ((KEY, "Eve"),)),
    Bye("done", "the game is over"),
)

SAID: tuple[Said, ...] = (
    Join("hazari", "Anna", KEY, ADDRESSES),
    Join("hazari", "Anna", b"", (), b"token"),
    Listing(3, "kitchen", "hazari", INFO.options, 4, (Member(KEY, "Anna", b"", ADDRESSES),)),
    Refuse(KEY, "full", "all seats are taken"),
    Commit(3, b"c" * 32),
    Reveal(3, b"n" * 32),
    Sign(3, b"s" * 64),
    Here(True),
    Here(False),
    Leave(),
)

values: st.SearchStrategy[Value] = st.recursive(
    st.integers(0, MAX_INTEGER) | st.binary(max_size=70) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=6).map(tuple),
    max_leaves=20,
)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_message_comes_back_the_same(message: Message) -> None:
    """Packing and reading a message gives the message."""
    assert codec.from_wire(unpack(pack(codec.to_wire(message)), FRAME_LIMIT)) == message


@pytest.mark.parametrize("said", SAID, ids=lambda said: type(said).__name__)
def test_statement_comes_back_the_same(said: Said) -> None:
    """A statement is read as what was said, by whom, in which lobby."""
    heard = statements.make(signing_key("anna"), LOBBY, 9, said)
    read = statements.read(heard.statement)
    assert (read.author, read.lobby, read.count, read.said) == (KEY, LOBBY, 9, said)


@pytest.mark.parametrize(
    "value",
    [
        (),
        b"ping",
        ("unknown",),
        ("ping", 1, b"short", ()),
        ("ping", 1, TABLE, ((3, 1), (0, 1))),
        ("ping", 1, TABLE, ((0, 1), (0, 1))),
        ("ping", 1, TABLE, tuple((n, 1) for n in range(MAX_LANES + 1))),
        ("pong",),
        ("pong", -0, 1),
        ("have", TABLE, ((0, 0, ()),)),
        ("have", TABLE, ((0, 1, (6,)),)),
        ("entries", TABLE, (b"x",) * (MAX_CHUNK + 1), 0, ()),
        ("entries", TABLE, (b"",), 0, ()),
        ("entries", TABLE, (), 3, ()),
        ("entries", TABLE, (b"x",), 0),
        ("entries", TABLE, (), 0, (b"v",)),
        ("entries", TABLE, (), 0, ((b"v",),)),
        ("entries", TABLE, (), 0, ((b"", b"e"),)),
        ("entries", TABLE, (), 0, ((b"v", b"x" * (MAX_BYTES + 1)),)),
        ("entries", TABLE, (), 0, ((b"x" * (MAX_VOTE + 1), b""),)),
        ("entries", TABLE, (), 0, ((b"v", b""),) * (MAX_CHUNK + 1)),
        ("vote", TABLE, b"v"),
        ("vote", TABLE, b"", b"e"),
        ("vote", TABLE[1:], b"v", b""),
        ("vote", TABLE, "v", b""),
        ("vote", TABLE, b"v", ()),
        ("vote", TABLE, b"v", "e"),
        ("vote", TABLE, b"x" * (MAX_VOTE + 1), b""),
        ("vote", TABLE, b"v", b"x" * (MAX_BYTES + 1)),
        ("envelope", TABLE, b"x" * (MAX_BYTES + 1)),
        ("members", TABLE, ((KEY, (("10.0.0.1", 0),)),)),
        ("members", TABLE, ((KEY, (("somewhere.example", 80),)),)),
        ("members", TABLE, ((KEY, (("224.0.0.251", 80),)),)),
        ("members", TABLE, ((KEY, (("0.0.0.0", 80),)),)),
        ("members", TABLE, ((KEY, (("10.0.0.1", 80),) * (MAX_ADDRESSES + 1)),)),
        ("watch", LOBBY),
        ("watch", LOBBY, ""),
        ("watch", LOBBY[1:], "Eve"),
        ("unwatch", "crowded", "line\nbreak"),
        ("onlookers", TABLE, ((KEY, "Eve"),) * (MAX_ONLOOKERS + 1)),
        ("onlookers", TABLE, ((KEY[1:], "Eve"),)),
        ("bye", "", "text"),
        ("bye", "code", "line\nbreak"),
        ("tables", (("lobby",),)),
        ("agreed", b""),
        ("knock", b""),
        ("knock", b"too long"),
        ("knock", "token"),
        ("admit", (("lobby",),)),
        ("admit", (codec.to_wire(Tables((INFO,))), ()) * 2),
        ("chat", b"", KEY, b"s" * 64),
        ("chat", b"x" * (MAX_CHAT + 1), KEY, b"s" * 64),
        ("chat", b"body", KEY[:31], b"s" * 64),
        ("chat", "body", KEY, b"s" * 64),
    ],
    ids=repr,
)
def test_malformed_message_is_a_fault(value: Value) -> None:
    """What breaks the schema raises a fault that blames no seat."""
    with pytest.raises(PeerFault) as caught:
        codec.from_wire(value)
    assert caught.value.code in ("message", "encoding")
    assert caught.value.seat is None


@given(kind=st.sampled_from([codec.to_wire(m)[0] for m in MESSAGES]), rest=st.lists(values))  # type: ignore[index]
def test_no_value_does_more_than_raise_a_fault(kind: Value, rest: list[Value]) -> None:
    """Every value either is a message, which packs to the same bytes, or raises PeerFault."""
    value: Value = (kind, *rest)
    try:
        message = codec.from_wire(value)
    except PeerFault:
        return
    assert codec.to_wire(message) == value


@given(
    kind=st.sampled_from(["join", "list", "refuse", "commit", "reveal", "sign", "here"]),
    rest=values,
)
def test_no_statement_does_more_than_raise_a_fault(kind: str, rest: Value) -> None:
    """Signed nonsense raises PeerFault, like unsigned nonsense."""
    body = pack((1, LOBBY, 1, kind, rest))
    with pytest.raises(PeerFault):
        statements.read(Statement(body, KEY, b"s" * 64))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("here", ()),
        ("here", (2,)),
        ("here", ("1",)),
        ("join", ("hazari", "Anna", b"", ())),
        ("join", ("hazari", "Anna", b"", (), b"four")),
        ("join", ("hazari", "Anna", b"", (), "token")),
        ("join", ("hazari", "An\u202ena", b"", (), b"")),
    ],
)
def test_malformed_statement_is_a_fault(kind: str, value: Value) -> None:
    """Also where the signature would be good: the form is looked at first."""
    body = pack((1, LOBBY, 1, kind, value))
    signature = sign(signing_key("anna"), "lobby", body)
    with pytest.raises(PeerFault) as caught:
        statements.read(Statement(body, KEY, signature))
    assert caught.value.code == "encoding"


def test_statement_of_somebody_else_is_a_fault() -> None:
    """A good signature under another key's name does not count."""
    statement = statements.make(signing_key("anna"), LOBBY, 1, Here(True)).statement
    other = public_bytes(signing_key("bert"))
    for false in (
        replace(statement, key=other),
        replace(statement, signature=bytes(64)),
        replace(statement, body=statement.body.replace(LOBBY, b"x" * 16)),
    ):
        with pytest.raises(PeerFault) as caught:
            statements.read(false)
        assert caught.value.code == "signature"


def test_table_info_is_bounded() -> None:
    """More seats taken than there are, or a name that could rearrange a line, is a fault."""
    for info in (
        replace(INFO, taken=5),
        replace(INFO, seats=7),
        replace(INFO, table="x" * 41),
        replace(INFO, table="kit\u202echen"),
    ):
        value = ("tables", (tuple(getattr(info, name) for name in TableInfo.__slots__),))
        with pytest.raises(PeerFault):
            codec.from_wire(value)
