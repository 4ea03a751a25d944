"""Invite codes survive being read aloud, and an invite table lets nobody in without its token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p.base32 import ALPHABET
from p2p.door import WRONG_A_SECOND, WRONG_BURST, WRONG_SECONDS, Door
from p2p.invites import Invite, decode, encode
from p2p.messages import Message, Statement
from p2p.statements import Join, read
from p2p.transport import Address
from protocol.errors import LocalError
from tests.p2p.lobby_room import Room

SHORT = b"\1\2\3\4\5"
V4 = Address("192.168.1.20", 7421)
V6 = Address("2001:db8::7", 65535)

SAMPLES = {
    "AR2M-0250-WZM0-G40R-40M3": Invite(V4, SHORT),
    "BR2M-0250-WZM0-G40R-40NG-P4RV-4CMK": Invite(V4, SHORT, b"abcde"),
}


@pytest.mark.parametrize("code", SAMPLES)
def test_codes_are_those_of_the_specification(code: str) -> None:
    """Both ways; another implementation writes the same."""
    assert encode(SAMPLES[code]) == code
    assert decode(code) == SAMPLES[code]


@given(
    host=st.ip_addresses().filter(lambda a: not (a.is_unspecified or a.is_multicast)),
    port=st.integers(1, 65535),
    short=st.binary(min_size=5, max_size=5),
    token=st.just(b"") | st.binary(min_size=5, max_size=5),
)
def test_what_is_encoded_comes_back(host: object, port: int, short: bytes, token: bytes) -> None:
    """For every address, key and token."""
    invite = Invite(Address(str(host), port), short, token)
    assert decode(encode(invite)) == invite


def test_people_type_it_as_they_like() -> None:
    """Small letters, spaces, dashes of every kind, and letters that look alike."""
    code = "BR2M-0250-WZM0-G40R-40NG-P4RV-4CMK"
    for typed in (
        code.lower(),
        code.replace("-", ""),
        code.replace("-", " — "),
        f"  {code}\n",
        code.replace("0", "o"),
        code.replace("-", "\N{NON-BREAKING HYPHEN}"),
    ):
        assert decode(typed) == SAMPLES[code]
    one = encode(Invite(Address("8.8.8.8", 1), b"\x08\x42\x10\x84\x21"))
    assert "1" in one
    assert decode(one.replace("1", "l")) == decode(one.replace("1", "I")) == decode(one)


@pytest.mark.parametrize("invite", [Invite(V4, SHORT), Invite(V6, SHORT, b"token")])
def test_every_wrong_letter_is_found(invite: Invite) -> None:
    """In every place, and so are two that have changed places."""
    letters = encode(invite).replace("-", "")
    for at, letter in enumerate(letters):
        for other in set(ALPHABET) - {letter}:
            with pytest.raises(LocalError, match="no invite code"):
                decode(letters[:at] + other + letters[at + 1 :])
    for at in range(len(letters) - 1):
        one, two = letters[at : at + 2]
        if one != two:
            with pytest.raises(LocalError, match="no invite code"):
                decode(letters[:at] + two + one + letters[at + 2 :])


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "it is empty"),
        (" - ", "it is empty"),
        ("kitchen", "should begin with A, B, C or D"),
        ("AR2M-0250-WZM0-G40R-40M", "it has 19 letters and should have 20"),
        ("AR2M-0250-WZM0-G40R-40M3-3", "it has 21 letters and should have 20"),
        ("AR2M-0250-WZM0-G40R-40U3", "the letter 'U' is in no code"),
        ("AR2M-0250-WZM0-G40R-4ÄM3", "the letter 'Ä' is in no code"),
        ("AR2M-0250-WZM0-G40R-40M4", "a letter is wrong"),
        ("A" * 10_000, "it is too long"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(typed: str, why: str) -> None:
    """For people who have mistyped it."""
    with pytest.raises(LocalError) as caught:
        decode(typed)
    assert why in str(caught.value)
    assert str(caught.value).startswith("This is no invite code: ")


@given(st.text(max_size=60) | st.text(ALPHABET, min_size=19, max_size=48))
def test_no_text_does_more_than_raise_an_error(typed: str) -> None:
    """Whatever is typed."""
    try:
        invite = decode(typed)
    except LocalError:
        return
    assert decode(encode(invite)) == invite


@pytest.mark.parametrize("host", ["0.0.0.0", "224.0.0.251", "::", "ff02::1"])
def test_codes_for_nobody_are_refused(host: str) -> None:
    """Unspecified and multicast addresses, and port 0."""
    for invite in (Invite(Address(host, 7), SHORT), Invite(Address("10.0.0.1", 0), SHORT)):
        with pytest.raises(LocalError, match="an address that no computer has"):
            decode(encode(invite))


@pytest.mark.parametrize("host", ["fe80::1%eth0", "kitchen.example"])
def test_addresses_that_mean_nothing_elsewhere_have_no_code(host: str) -> None:
    """Names, and addresses with the own name of an interface."""
    with pytest.raises(LocalError, match="no address for an invite code"):
        encode(Invite(Address(host, 7), SHORT))


def test_a_secret_is_not_printed() -> None:
    """Tokens stay out of reports."""
    assert "secre" not in repr(Invite(V4, SHORT, b"secre"))
    assert "secre" not in repr(Join("hazari", "Anna", b"", (), b"secre"))


# The door.


def test_the_right_token_opens_and_wrong_ones_shut_the_door_for_a_second() -> None:
    """Within it who guessed is not judged, not even with the right one; others are."""
    door = Door(b"token")
    assert door.opens(b"token", b"a", 5.0) is True
    assert door.opens(b"wrong", b"a", 6.0) is False
    assert door.opens(b"token", b"a", 6.0 + WRONG_SECONDS / 2) is None
    assert door.opens(b"wrong", b"a", 6.0 + WRONG_SECONDS / 2) is None
    assert door.opens(b"token", b"b", 6.0 + WRONG_SECONDS / 2) is True
    assert door.opens(b"token", b"a", 6.0 + WRONG_SECONDS) is True


def test_all_together_guess_slowly_too() -> None:
    """Keys cost nothing: with ever new ones the rate is bounded all the same."""
    door = Door(b"token")
    keys = [number.to_bytes(4, "big") for number in range(10_000)]
    judged = [door.opens(b"wrong", key, number / 1000) for number, key in enumerate(keys)]
    assert judged.count(False) <= WRONG_BURST + 10 * WRONG_A_SECOND + 1
    assert door.opens(b"token", b"new", 12.0) is True


def test_no_token_is_no_guess() -> None:
    """It tells nothing, so it keeps nobody out."""
    door = Door(b"token")
    assert door.opens(b"", b"a", 6.0) is False
    assert door.opens(b"token", b"a", 6.0) is True


def test_a_table_without_token_is_open_to_all() -> None:
    """Whatever they bring."""
    assert Door().opens(b"", b"a", 0.0) is True
    assert Door().opens(b"token", b"a", 0.0) is True


# An invite table.


def invite_room() -> tuple[Room, bytes]:
    """Anna has opened an invite table; with its token."""
    room = Room()
    anna = room.opener("anna", invite=True)
    token = anna.lobby.door.token
    assert len(token) == 5
    return room, token


def test_who_has_the_token_gets_a_seat_and_all_agree() -> None:
    """By the opener, or by any other player."""
    room, token = invite_room()
    for name, contact in (("bert", "anna"), ("carl", "bert"), ("dora", "carl")):
        room.joiner(name, contact, token=token)
        room.settle()
    assert len({player.agreements[0] for player in room.players.values()}) == 1


@pytest.mark.parametrize("token", [b"", b"wrong"])
def test_who_has_not_is_refused(token: bytes) -> None:
    """By the opener, also where somebody else is asked."""
    room, right = invite_room()
    room.joiner("bert", "anna", token=right)
    room.settle()
    for name, contact in (("carl", "anna"), ("dora", "bert")):
        room.wait(2)
        assert room.joiner(name, contact, token=token).refusals == []
        room.settle()
        assert room.players[name].refusals == ["invite"]
    assert set(room.players["anna"].lobby.wanted) == {room.id("bert")}


def test_guessing_is_slow_and_who_mistyped_gets_in_a_little_later() -> None:
    """A joiner that comes just after its own wrong guess asks again by itself; others get in."""
    room, token = invite_room()
    carl = room.joiner("carl", "anna", token=b"wrong")
    room.settle()
    assert carl.refusals == ["invite"]
    room.vanish("carl")
    carl = room.joiner("carl", "anna", token=token)
    bert = room.joiner("bert", "anna", token=token)
    room.settle()
    assert (carl.refusals, carl.lobby.listing) == ([], None)
    assert set(room.players["anna"].lobby.wanted) == {bert.id}
    room.wait(2)
    assert set(room.players["anna"].lobby.wanted) == {bert.id, carl.id}


def test_nobody_is_told_of_an_invite_table() -> None:
    """Neither by its opener nor by its players; whoever has the token may be."""
    room, token = invite_room()
    room.joiner("bert", "anna", token=token)
    room.settle()
    for name in ("anna", "bert"):
        assert room.players[name].lobby.advertised == ()
        assert [info.taken for info in room.players[name].lobby.offered] == [2]


def test_the_token_is_given_to_players_only() -> None:
    """A JOIN is passed on to those who have a seat, and so had a token."""
    room, token = invite_room()
    seen: list[str] = []

    def watch(source: str, target: str, message: Message) -> bool:
        if isinstance(message, Statement) and isinstance(read(message).said, Join):
            seen.append(target)
        return False

    room.joiner("bert", "anna", token=token)
    room.settle()
    room.joiner("emil", "bert", token=b"")
    room.settle()
    room.drops = watch
    room.joiner("carl", "bert", token=token)
    room.settle()
    assert set(seen) == {"anna", "bert"}
