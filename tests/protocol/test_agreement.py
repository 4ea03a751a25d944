"""The agreement: signed by all, read strictly, and the seats follow from everybody's nonce."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import complete, game
from protocol.agreement import Agreement, Player, Roster, new_roster, read_agreement, read_roster
from protocol.errors import PeerFault
from protocol.hashing import digest
from protocol.signing import public_bytes, sign
from protocol.wire import Value, pack, unpack
from tests.protocol.tables import make_agreement, player_key

KEYS = tuple(player_key("agreement", index) for index in range(4))
AGREEMENT, GOOD = make_agreement(KEYS, "hazari", {"hands": 2}, "agreement")
OWNER = public_bytes(player_key("owner", 0))


def roster_value(**changes: Value) -> Value:
    """The roster as a wire value with some fields changed."""
    names = ("version", "table", "game", "options", "players", "origin")
    fields = dict(zip(names, AGREEMENT.roster.value(), strict=True))
    return tuple({**fields, **changes}.values())


def players(**changes: Value) -> tuple[Value, ...]:
    """The players with some fields of the second one changed."""
    first, second, *rest = AGREEMENT.roster.players
    fields: dict[str, Value] = {"key": second.key, "name": second.name, "owner": b"", **changes}
    others = [(one.key, one.name, one.owner) for one in (first, *rest)]
    return (others[0], tuple(fields.values()), *others[1:])


def options(**changes: Value) -> tuple[Value, ...]:
    """The options with some values changed."""
    return tuple({**dict(AGREEMENT.roster.options), **changes}.items())


def refusal(data: bytes) -> PeerFault:
    """The fault by which a signed agreement is refused."""
    with pytest.raises(PeerFault) as caught:
        read_agreement(data)
    return caught.value


def test_a_signed_agreement_comes_back_with_its_identity() -> None:
    """Roster, nonces, table id and seats are what they were."""
    found = read_agreement(GOOD)
    assert found == AGREEMENT
    assert found.table_id == digest("agreement", AGREEMENT.body)
    assert found.options == complete(game("hazari").options, {"hands": 2})
    assert sorted(found.keys) == sorted(map(public_bytes, KEYS))


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_any_flipped_byte_is_refused(place: int, change: int) -> None:
    """No bit of an agreement can be changed by whoever passes it on."""
    bad = bytearray(GOOD)
    bad[place] ^= change
    refusal(bytes(bad))


@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=4))
def test_any_truncation_or_insertion_is_refused(place: int, more: bytes) -> None:
    """Nothing can be left out or slipped in."""
    assert refusal(GOOD[:place]).code == "encoding"
    refusal(GOOD[:place] + more + GOOD[place:])
    refusal(GOOD + more)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_without_another_exception(data: bytes) -> None:
    """Noise raises PeerFault and nothing else."""
    assert refusal(data).code == "encoding"


ANYTHING: st.SearchStrategy[Value] = st.recursive(
    st.integers(0, 2**63 - 1) | st.binary(max_size=33) | st.sampled_from(["hazari", "hands", "\n"]),
    lambda inner: st.lists(inner, max_size=5).map(tuple),
    max_leaves=10,
)


@given(st.sampled_from(["version", "table", "game", "options", "players", "origin"]), ANYTHING)
def test_any_value_in_any_field_of_a_roster_is_read_or_refused(field: str, value: Value) -> None:
    """A strange roster raises PeerFault at most."""
    changed = roster_value(**{field: value})
    try:
        found = read_roster(changed)
    except PeerFault:
        return
    assert found.value() == changed


PLAYERS = AGREEMENT.roster.value()[4]
assert isinstance(PLAYERS, tuple)
NO_POINT = (2).to_bytes(32, "little")
LARGE_Y = (2**255 - 18).to_bytes(32, "little")

REFUSALS: dict[str, tuple[Value, str]] = {
    "no array": (b"x", "encoding"),
    "four fields": ((1, "t", "hazari", ()), "encoding"),
    "version 2": (roster_value(version=2), "version"),
    "an empty table name": (roster_value(table=""), "encoding"),
    "a long table name": (roster_value(table="x" * 41), "encoding"),
    "an unknown game": (roster_value(game="snap"), "game"),
    "a game of bytes": (roster_value(game=b"hazari"), "encoding"),
    "three players": (roster_value(players=PLAYERS[:3]), "seats"),
    "no players": (roster_value(players=()), "seats"),
    "seven players": (roster_value(players=PLAYERS + PLAYERS[:3]), "encoding"),
    "one key twice": (roster_value(players=players(key=PLAYERS[0][0])), "key.repeated"),
    "a short key": (roster_value(players=players(key=bytes(31))), "encoding"),
    "a key of small order": (roster_value(players=players(key=bytes(32))), "key.identity"),
    "a key that is no point": (roster_value(players=players(key=NO_POINT)), "key.identity"),
    "a key in another encoding": (roster_value(players=players(key=LARGE_Y)), "key.identity"),
    "an owner of small order": (roster_value(players=players(owner=bytes(32))), "key.identity"),
    "a short owner": (roster_value(players=players(owner=b"x")), "encoding"),
    "an owner in words": (roster_value(players=players(owner="")), "encoding"),
    "an empty name": (roster_value(players=players(name="")), "encoding"),
    "a long name": (roster_value(players=players(name="é" * 21)), "encoding"),
    "a name with a control character": (roster_value(players=players(name="a\x1b")), "encoding"),
    "an option out of range": (roster_value(options=options(hands=1001)), "options"),
    "a word for a number": (roster_value(options=options(hands="2")), "options"),
    "bytes for a word": (roster_value(options=options(hints=b"on")), "options"),
    "an unknown option": (roster_value(options=options(jokers=1)), "options"),
    "an option left out": (roster_value(options=options()[1:]), "options"),
    "options in another order": (roster_value(options=options()[::-1]), "options"),
    "an option twice": (roster_value(options=(*options(), ("hands", 2))), "options"),
    "an option of three": (roster_value(options=(("hands", 2, 3),)), "encoding"),
}


@pytest.mark.parametrize(("value", "code"), REFUSALS.values(), ids=REFUSALS.keys())
def test_every_refusal_of_a_roster_has_its_code(value: Value, code: str) -> None:
    """Each field is refused by the code that SPEC.md gives."""
    with pytest.raises(PeerFault) as caught:
        read_roster(value)
    assert caught.value.code == code


def resigned(body: bytes) -> bytes:
    """Any body, signed by all four."""
    return pack((body, tuple(sign(key, "agreement", body) for key in KEYS)))


def test_the_form_of_a_signed_agreement_is_exact() -> None:
    """Count and length of nonces and signatures are fixed, and the body has one encoding."""
    roster, nonces = AGREEMENT.roster.value(), AGREEMENT.nonces
    signatures = unpack(GOOD)[1]
    bad = {
        "encoding": [
            pack(b"x"),
            pack(("x", signatures)),
            pack((AGREEMENT.body, b"x")),
            pack((AGREEMENT.body, signatures[:3])),
            pack((AGREEMENT.body, (*signatures, signatures[0]))),
            pack((AGREEMENT.body, (*signatures[:3], signatures[3][:-1]))),
            resigned(pack((roster, nonces[:3]))),
            resigned(pack((roster, (*nonces[:3], nonces[3][:-1])))),
            resigned(pack((roster, nonces, 0))),
            resigned(AGREEMENT.body + b"\x00"),
        ],
        "signature": [
            pack((AGREEMENT.body, signatures[::-1])),
            pack((AGREEMENT.body, (*signatures[:3], bytes(64)))),
            pack(
                (AGREEMENT.body, tuple(sign(key, "lobby", AGREEMENT.body) for key in KEYS)),
            ),
        ],
    }
    for code, objects in bad.items():
        for data in objects:
            assert refusal(data).code == code
    assert read_agreement(resigned(AGREEMENT.body)) == AGREEMENT


def test_every_signature_is_asked_for() -> None:
    """Whose signature is another's is named."""
    for place, player in enumerate(AGREEMENT.roster.players):
        signatures = [AGREEMENT.signature(key) for key in KEYS]
        signatures[place] = AGREEMENT.signature(KEYS[place - 1])
        fault = refusal(AGREEMENT.sealed(tuple(signatures)))
        assert (fault.code, player.name in fault.text) == ("signature", True)


@given(st.integers(0, 3), st.binary(min_size=32, max_size=32))
def test_one_other_nonce_is_another_table(place: int, nonce: bytes) -> None:
    """The identity of a table covers every nonce; the seats are always all players once."""
    nonces = [*AGREEMENT.nonces]
    nonces[place] = nonce
    other = Agreement(AGREEMENT.roster, tuple(nonces))
    assert other.table_id != AGREEMENT.table_id
    assert sorted(other.keys) == sorted(AGREEMENT.keys)


def test_one_nonce_alone_can_move_everybody() -> None:
    """All 24 orders of the seats come up as one player's nonce varies."""
    orders = {
        Agreement(AGREEMENT.roster, (*AGREEMENT.nonces[:3], bytes(28) + n.to_bytes(4, "big"))).keys
        for n in range(400)
    }
    assert len(orders) == 24


def test_a_commitment_is_for_one_roster_and_one_player() -> None:
    """Another name, option or player gives another commitment for the same nonce."""
    roster, nonce = AGREEMENT.roster, AGREEMENT.nonces[0]
    first, *rest = roster.players
    others: list[Roster] = [
        replace(roster, table="x"),
        replace(roster, options=tuple(complete(game("hazari").options, {}).items())),
        replace(roster, players=(replace(first, name="x"), *rest)),
        replace(roster, players=(replace(first, owner=OWNER), *rest)),
        replace(roster, players=(*rest, first)),
    ]
    made = {one.commitment(first.key, nonce) for one in (roster, *others)}
    made.add(roster.commitment(rest[0].key, nonce))
    made.add(roster.commitment(first.key, AGREEMENT.nonces[1]))
    assert len(made) == 8


def test_a_roster_of_our_own_is_checked_like_one_from_outside() -> None:
    """A name that others would refuse is refused before it is sent; bots keep their owner."""
    people = [Player(public_bytes(key), f"p{place}") for place, key in enumerate(KEYS)]
    chosen = complete(game("hazari").options, {})
    with_bot = new_roster("t", "hazari", chosen, (*people[:3], replace(people[3], owner=OWNER)))
    assert with_bot.players[3].owner == OWNER
    assert with_bot.index(people[2].key) == 2
    with pytest.raises(PeerFault):
        new_roster("t", "hazari", chosen, (*people[:3], replace(people[3], name="a\nb")))
