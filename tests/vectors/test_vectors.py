"""The vectors are what the program makes, and it judges each of them as they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from protocol.errors import PeerFault
from protocol.group import (
    Point,
    card_point,
    commitment_base,
    commitment_bases,
    compress,
    compress_all,
    hash_to_point,
    parse_point,
    parse_points,
    parse_scalar,
    parse_scalars,
)
from protocol.hashing import Part, digest, encode, hash_to_scalar, permutation, stream, weight
from protocol.proofs import (
    ClaimProof,
    Deck,
    KnowledgeProof,
    Lock,
    ShareProof,
    ShuffleProof,
    Statement,
    check,
    claim,
    knowledge,
    lock,
    shares,
    shuffle,
)
from tests.vectors.make import files

FOLDER = Path(__file__).parent

Case = dict[str, Any]  # what JSON holds is checked by being used


def load(name: str) -> Case:
    """The content of a file."""
    content: Case = json.loads((FOLDER / name).read_text(encoding="ascii"))
    return content


def cases(name: str) -> list[Any]:
    """The cases of a file, each under its name."""
    return [pytest.param(case, id=case["name"]) for case in load(name)["cases"]]


@pytest.mark.parametrize("name", list(files()))
def test_files_are_what_the_generator_makes(name: str) -> None:
    """If this fails on purpose, run ``python -m tests.vectors`` and say in SPEC what changed."""
    assert (FOLDER / name).read_text(encoding="ascii") == files()[name]


def test_there_is_no_other_file() -> None:
    """Every file of the folder has a generator and is tested."""
    assert {path.name for path in FOLDER.glob("*.json")} == set(files())


def part(value: Any) -> Part:
    """A part of a hash from its form in the files."""
    if isinstance(value, str):
        return bytes.fromhex(value)
    if isinstance(value, int):
        return value
    return [part(item) for item in value]


def test_hashes() -> None:
    """Encodings, digests, scalars, weights, streams."""
    content = load("hashing.json")
    for case in content["cases"]:
        label, parts = case["label"], [part(value) for value in case["parts"]]
        assert b"".join(map(encode, parts)).hex() == case["encoded parts"]
        assert digest(label, *parts).hex() == case["digest"]
        assert hash_to_scalar(label, *parts) == int(case["scalar"], 16)
        assert weight(label, *parts) == int(case["weight"], 16)
    for case in content["streams"]:
        draws = islice(stream(case["label"], bytes.fromhex(case["seed"])), len(case["first"]))
        assert [f"{draw:016x}" for draw in draws] == case["first"]


def test_permutations() -> None:
    """Of no place up to 52."""
    for case in load("permutation.json")["cases"]:
        made = permutation(case["label"], bytes.fromhex(case["seed"]), case["n"])
        assert list(made) == case["permutation"]


def test_points_from_labels() -> None:
    """Hash to point, the bases and the cards."""
    content = load("points.json")
    for case in content["hash to point"]:
        made = hash_to_point(case["label"], *(part(value) for value in case["parts"]))
        assert compress(made).hex() == case["point"]
    assert compress(commitment_base()).hex() == content["H"]
    assert [compress(h).hex() for h in commitment_bases(52)] == content["h"]
    for card, point in content["cards"].items():
        assert compress(card_point(card)).hex() == point


@pytest.mark.parametrize(
    ("kind", "parse"),
    [("points", parse_point), ("scalars", parse_scalar)],
    ids=["points", "scalars"],
)
def test_parsing(kind: str, parse: Callable[[bytes], object]) -> None:
    """What is read, and what is refused with which code."""
    for case in load("points.json")[f"parsing {kind}"]:
        try:
            parse(bytes.fromhex(case["bytes"]))
            refusal = None
        except PeerFault as fault:
            refusal = fault.code
        assert refusal == case["refusal"], case["name"]


def refusal(case: Case, read: Callable[[Case], Statement]) -> str | None:
    """The code with which a case is refused."""
    try:
        stated = read(case)
    except PeerFault as fault:
        return fault.code
    return stated.fault().code if check([stated]) else None


def fields(case: Case) -> tuple[bytes, ...]:
    """The fields of the proof."""
    return tuple(map(bytes.fromhex, case["fields"]))


def read_knowledge(case: Case) -> Statement:
    """The statement of a case."""
    ctx, X = bytes.fromhex(case["ctx"]), parse_point(bytes.fromhex(case["X"]))
    return knowledge.statement(ctx, case["seat"], X, KnowledgeProof.from_wire(fields(case)))


def read_shares(case: Case) -> Statement:
    """The statement of a case; the vectors have two shares."""
    ctx, X = bytes.fromhex(case["ctx"]), parse_point(bytes.fromhex(case["X"]))
    bases = parse_points(bytes.fromhex(case["bases"]), 2)
    given = parse_points(bytes.fromhex(case["shares"]), 2)
    proof = ShareProof.from_wire(fields(case))
    return shares.statement(ctx, case["seat"], X, bases, given, proof)


def read_lock(case: Case) -> Statement:
    """The statement of a case; the vectors have two shares."""
    ctx, X = bytes.fromhex(case["ctx"]), parse_point(bytes.fromhex(case["X"]))
    others = parse_point(bytes.fromhex(case["Q"]))
    bases = parse_points(bytes.fromhex(case["bases"]), 2)
    return lock.statement(ctx, case["seat"], X, others, bases, Lock.from_wire(fields(case), 2))


def claim_inputs(case: Case) -> tuple[Point, Point, Point, tuple[Point, ...]]:
    """Key, first half, what the others' shares leave of the second, and the allowed cards."""
    X, A, Q = (parse_point(bytes.fromhex(case[name])) for name in ("X", "A", "Q"))
    allowed = bytes.fromhex(case["allowed"])
    return X, A, Q, parse_points(allowed, len(allowed) // 33)


def read_claim(case: Case) -> Statement:
    """The statement of a case."""
    ctx, inputs = bytes.fromhex(case["ctx"]), claim_inputs(case)
    proof = ClaimProof.from_wire(fields(case), len(inputs[3]))
    return claim.statement(ctx, case["seat"], case["slot"], *inputs, proof)


def deck(case: Case, name: str) -> tuple[bytes, ...]:
    """The fields of a deck."""
    return tuple(map(bytes.fromhex, case[name]))


def read_shuffle(case: Case) -> Statement:
    """The statement of a case. The deck before may be D_0, which is never on the wire."""
    n = case["n"]
    first, second = deck(case, "before")
    return shuffle.statement(
        bytes.fromhex(case["ctx"]),
        case["seat"],
        parse_point(bytes.fromhex(case["pk"])),
        Deck(parse_points(first, n), parse_points(second, n)),
        Deck.from_wire(deck(case, "after"), n),
        parse_points(bytes.fromhex(case["commitments"]), n),
        ShuffleProof.from_wire(fields(case), n),
    )


@pytest.mark.parametrize("case", cases("knowledge.json"))
def test_knowledge(case: Case) -> None:
    """Accepted, or refused with the exact code; made again from its secrets."""
    assert refusal(case, read_knowledge) == case["refusal"]
    if "x" in case:
        x, fresh = parse_scalar(bytes.fromhex(case["x"])), bytes.fromhex(case["fresh"])
        ctx, X = bytes.fromhex(case["ctx"]), parse_point(bytes.fromhex(case["X"]))
        assert knowledge.prove(ctx, case["seat"], x, X, fresh).to_wire() == fields(case)


@pytest.mark.parametrize("case", cases("shares.json"))
def test_shares(case: Case) -> None:
    """Accepted, or refused with the exact code; made again from their secrets."""
    assert refusal(case, read_shares) == case["refusal"]
    if "x" in case:
        x, fresh = parse_scalar(bytes.fromhex(case["x"])), bytes.fromhex(case["fresh"])
        ctx, X = bytes.fromhex(case["ctx"]), parse_point(bytes.fromhex(case["X"]))
        bases = parse_points(bytes.fromhex(case["bases"]), 2)
        given, proof = shares.make(ctx, case["seat"], x, X, bases, fresh)
        assert compress_all(given).hex() == case["shares"]
        assert proof.to_wire() == fields(case)


@pytest.mark.parametrize("case", cases("lock.json"))
def test_locks(case: Case) -> None:
    """Accepted, or refused with the exact code; made again from their secrets."""
    assert refusal(case, read_lock) == case["refusal"]
    if "x" in case:
        x, fresh = parse_scalar(bytes.fromhex(case["x"])), bytes.fromhex(case["fresh"])
        ctx, X = bytes.fromhex(case["ctx"]), parse_point(bytes.fromhex(case["X"]))
        others = parse_point(bytes.fromhex(case["Q"]))
        bases = parse_points(bytes.fromhex(case["bases"]), 2)
        assert lock.make(ctx, case["seat"], x, X, others, bases, fresh).to_wire() == fields(case)


@pytest.mark.parametrize("case", cases("claim.json"))
def test_claims(case: Case) -> None:
    """Accepted, or refused with the exact code; made again from their secrets."""
    assert refusal(case, read_claim) == case["refusal"]
    if "x" in case:
        x, fresh = parse_scalar(bytes.fromhex(case["x"])), bytes.fromhex(case["fresh"])
        ctx, seat, slot = bytes.fromhex(case["ctx"]), case["seat"], case["slot"]
        made = claim.make(ctx, seat, slot, x, *claim_inputs(case), case["held"], fresh)
        assert made.to_wire() == fields(case)


@pytest.mark.parametrize("case", cases("shuffle.json"))
def test_shuffles(case: Case) -> None:
    """Accepted, or refused with the exact code; made again from their secrets."""
    assert refusal(case, read_shuffle) == case["refusal"]
    if "fresh" in case:
        n, psi = case["n"], case["permutation"]
        r_commit = parse_scalars(bytes.fromhex(case["r commitments"]), n)
        r_mix = parse_scalars(bytes.fromhex(case["r mix"]), n)
        ctx, pk = bytes.fromhex(case["ctx"]), parse_point(bytes.fromhex(case["pk"]))
        first, second = deck(case, "before")
        before = Deck(parse_points(first, n), parse_points(second, n))
        c = shuffle.commit(psi, r_commit, n)
        after = shuffle.mix(before, pk, psi, r_mix)
        fresh = bytes.fromhex(case["fresh"])
        proof = shuffle.prove(ctx, case["seat"], pk, before, after, c, psi, r_commit, r_mix, fresh)
        assert compress_all(c).hex() == case["commitments"]
        assert after.to_wire() == deck(case, "after")
        assert proof.to_wire() == fields(case)
