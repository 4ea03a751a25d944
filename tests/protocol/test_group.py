"""The group against a textbook curve; parsing refuses all that is no point and no scalar."""

from __future__ import annotations

import ast
import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protocol
from engine.cards import FULL_PACK
from protocol import group
from protocol.errors import LocalError, PeerFault
from protocol.group import GENERATOR, ORDER, Point
from protocol.hashing import encode
from tests.protocol import curve

scalars = st.integers(1, ORDER - 1) | st.sampled_from([1, 2, ORDER - 1, ORDER - 2, ORDER // 2])
few = settings(max_examples=15, deadline=None)


def affine(P: Point | None) -> curve.Affine:
    """A point in the textbook's form."""
    return None if P is None else curve.decode(P)


def test_order_and_generator_are_those_of_the_curve() -> None:
    """SEC 2's numbers."""
    assert curve.N == ORDER
    assert affine(GENERATOR) == curve.G


@few
@given(scalars, scalars)
def test_both_constant_time_products_agree_with_the_textbook(k: int, base: int) -> None:
    """kG and kP."""
    P = group.generator_times(base)
    assert affine(P) == curve.times(base, curve.G)
    assert affine(group.secret_times(k, P)) == curve.times(k * base, curve.G)


@few
@given(st.lists(st.tuples(st.integers(-ORDER, 2 * ORDER), st.integers(1, 5)), max_size=5))
def test_a_combination_is_the_sum_of_its_terms(terms: list[tuple[int, int]]) -> None:
    """Any integers as coefficients, equal points among the bases, O as a result."""
    based = [(k, group.generator_times(base)) for k, base in terms]
    expected = curve.times(sum(k * base for k, base in terms), curve.G)
    assert affine(group.combination(based)) == expected


@few
@given(st.integers(0, 3), st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), max_size=4))
def test_a_secret_sum_is_the_sum_of_its_terms(g: int, terms: list[tuple[int, int]]) -> None:
    """Zero scalars are left out; nothing left gives O."""
    based = [(k, group.generator_times(base)) for k, base in terms]
    expected = curve.times(g + sum(k * base for k, base in terms), curve.G)
    assert affine(group.secret_sum(g, based)) == expected


def test_sums_that_come_to_nothing_are_none() -> None:
    """P - P, the empty sum, and terms with zero coefficients only."""
    P = group.generator_times(7)
    assert group.add([P, group.negate(P)]) is None
    assert group.add([]) is None
    assert group.subtract(P, [P]) is None
    assert group.combination([(5, P), (-5, P)]) is None
    assert group.combination([(0, P), (ORDER, P), (-ORDER, P)]) is None
    assert group.combination([]) is None
    assert group.secret_sum(0, [(0, P)]) is None
    assert group.secret_sum(ORDER - 7, [(1, P)]) is None


def test_subtracting_takes_every_point_off() -> None:
    """10 - 2 - 3 = 5."""
    ten, two, three, five = map(group.generator_times, (10, 2, 3, 5))
    assert group.subtract(ten, [two, three]) == five


def test_all_points_is_none_as_soon_as_one_is_o() -> None:
    """One O among points spoils them all; no points at all are no O."""
    assert group.all_points([GENERATOR, None]) is None
    assert group.all_points([GENERATOR, GENERATOR]) == (GENERATOR, GENERATOR)
    assert group.all_points([]) == ()


@pytest.mark.parametrize("k", [0, -1, ORDER, ORDER + 1, 2**256])
def test_scalars_out_of_range_are_the_callers_mistake(k: int) -> None:
    """Products with secret scalars and encodings take 1 ... q - 1 only."""
    calls: tuple[Callable[[], object], ...] = (
        lambda: group.generator_times(k),
        lambda: group.secret_times(k, GENERATOR),
        lambda: group.encode_scalar(k),
    )
    for call in calls:
        with pytest.raises(LocalError):
            call()


@few
@given(scalars)
def test_points_and_scalars_survive_the_wire(k: int) -> None:
    """Compressing is a slice, and parsing undoes it."""
    P = group.generator_times(k)
    data = group.compress(P)
    assert len(data) == 33
    assert data[0] == 2 + P[64] % 2
    assert data[1:] == P[1:33]
    assert group.parse_point(data) == P
    assert group.parse_points(data + data, 2) == (P, P)
    assert group.compress_all([P, P]) == data + data
    assert group.parse_scalar(group.encode_scalar(k)) == k
    assert group.parse_scalars(group.encode_scalars([k, 1]), 2) == (k, 1)


GOOD = group.compress(GENERATOR)
NOT_ON_CURVE = (5).to_bytes(32, "big")
assert curve.lift(5, odd=False) is None

BAD_POINTS = {
    "O as zeros": bytes(33),
    "O as one zero byte, filled up": b"\x00" + GOOD[1:],
    "prefix 1": b"\x01" + GOOD[1:],
    "prefix of an uncompressed point": b"\x04" + GOOD[1:],
    "hybrid prefix": b"\x06" + GOOD[1:],
    "prefix 255": b"\xff" + GOOD[1:],
    "x not on the curve": b"\x02" + NOT_ON_CURVE,
    "x of 0": b"\x02" + bytes(32),
    "x of p": b"\x02" + curve.P.to_bytes(32, "big"),
    "x + p": b"\x02" + (curve.P + 1).to_bytes(32, "big"),
    "x of 2^256 - 1": b"\x03" + b"\xff" * 32,
}


@pytest.mark.parametrize("name", BAD_POINTS)
def test_what_is_no_point_is_refused(name: str) -> None:
    """Alone and in a list, with the code ``point``."""
    for data, n in ((BAD_POINTS[name], 1), (GOOD + BAD_POINTS[name], 2)):
        with pytest.raises(PeerFault) as fault:
            group.parse_points(data, n)
        assert fault.value.code == "point"
        assert fault.value.seat is None


@pytest.mark.parametrize("value", [0, ORDER, ORDER + 1, 2**256 - 1])
def test_what_is_no_scalar_is_refused(value: int) -> None:
    """0 and everything from q on, alone and in a list."""
    data = value.to_bytes(32, "big")
    good = (1).to_bytes(32, "big")
    for wire, n in ((data, 1), (good + data, 2), (data + good, 2)):
        with pytest.raises(PeerFault) as fault:
            group.parse_scalars(wire, n)
        assert fault.value.code == "scalar"


@pytest.mark.parametrize("change", [-33, -1, 1, 33])
def test_lists_must_have_their_exact_length(change: int) -> None:
    """Too short and too long, by a byte and by a whole point, with the code ``length``."""
    data = (GOOD * 4)[: 99 + change]
    with pytest.raises(PeerFault) as fault:
        group.parse_points(data, 3)
    assert fault.value.code == "length"
    with pytest.raises(PeerFault) as fault:
        group.parse_scalars(bytes(96 + change), 3)
    assert fault.value.code == "length"


def test_uncompressed_points_are_refused_on_the_wire() -> None:
    """One point has one encoding."""
    with pytest.raises(PeerFault) as fault:
        group.parse_point(GENERATOR)
    assert fault.value.code == "length"


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=70), st.integers(0, 2))
def test_no_bytes_at_all_bring_about_another_exception(data: bytes, n: int) -> None:
    """Parsing hostile bytes gives values or a PeerFault."""
    for parse in (group.parse_points, group.parse_scalars):
        with contextlib.suppress(PeerFault):
            assert len(parse(data, n)) == n


def try_and_increment(label: bytes, *parts: bytes) -> curve.Affine:
    """Hash to point as SPEC 3 words it, on the textbook curve."""
    for counter in range(256):
        message = encode(b"facedown/1/" + label) + b"".join(parts) + encode(counter)
        x = int.from_bytes(hashlib.sha256(message).digest(), "big")
        if (P := curve.lift(x, odd=False)) is not None:
            return P
    raise AssertionError("no point in 256 tries")


def test_bases_and_cards_are_the_outputs_of_public_labels_and_nothing_else() -> None:
    """H, h_1 ... h_52 and the 52 cards, recomputed apart; all distinct, none of them G or -G.

    So nobody has chosen them, and nobody knows a logarithm between any two.
    """
    assert affine(group.commitment_base()) == try_and_increment(b"generator H")
    bases = group.commitment_bases(52)
    for i, h in enumerate(bases, start=1):
        assert affine(h) == try_and_increment(b"generator h", encode(i))
    cards = [group.card_point(card) for card in FULL_PACK]
    for card, M in zip(FULL_PACK, cards, strict=True):
        assert affine(M) == try_and_increment(b"card", encode(card.encode()))
    every = [group.commitment_base(), *bases, *cards, GENERATOR]
    assert len({P[1:33] for P in every}) == 52 + 52 + 2


def test_the_bases_of_a_small_pack_are_the_first_of_a_large_one() -> None:
    """h_i hangs on i alone."""
    assert group.commitment_bases(3) == group.commitment_bases(52)[:3]


def test_operations_are_counted() -> None:
    """One of each kind, so the bench may trust the tally."""
    names = ("generator", "secret", "terms", "sums", "additions", "parses")
    before = [getattr(group.tally, name) for name in names]
    P = group.generator_times(3)
    group.secret_times(3, P)
    group.combination([(1, P), (0, P), (2, GENERATOR)])
    group.add([P, P, P])
    group.parse_point(GOOD)
    after = [getattr(group.tally, name) for name in names]
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 2, 1, 2, 1]


PUBLIC = {
    "keys": {
        "pubkey_tweak_mul_sum",
        "pubkey_sum",
        "pubkey_from_prvkey",
        "pubkey_negate",
        "reserialize",
    },
    "ecdh": {"shared_point"},
}


def test_the_curve_library_is_used_in_one_module_and_by_its_public_names_only() -> None:
    """The functions with underscores change their arguments in place; others mislead on timing."""
    folder = Path(protocol.__path__[0])
    importers = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "btclib" in path.read_text(encoding="utf-8")
    }
    assert importers == {"group.py"}
    tree = ast.parse((folder / "group.py").read_text(encoding="utf-8"))
    used = {
        (node.value.id, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in PUBLIC
    }
    assert used == {(module, name) for module, names in PUBLIC.items() for name in names}
