"""The test vectors: for every file its name and content, all from public seeds.

Bytes are hex, parts of hashes are hex (bytes), numbers (integers) or lists; points are 33 bytes. A
case with ``refusal`` null must be accepted, any other must be refused with just that code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from engine.cards import FULL_PACK
from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    card_point,
    commitment_base,
    commitment_bases,
    compress,
    compress_all,
    encode_scalar,
    encode_scalars,
    hash_to_point,
    negate,
)
from protocol.hashing import (
    Part,
    digest,
    encode,
    hash_to_scalar,
    permutation,
    stream,
    weight,
)
from protocol.proofs import knowledge, lock, shares
from tests.protocol.proofs.cheats import (
    ADDED,
    ADDED_CARDS,
    BEFORE,
    DOUBLED,
    IDENTITY,
    MULTIPLIED,
    MULTIPLIED_CARDS,
    R_MIX,
    TURNED,
    forge,
    forge_another_order,
    forge_with_a_broken_link,
    forge_with_a_changed_card,
)
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_CTX,
    Shuffled,
    small_pack,
    total,
)

Json: TypeAlias = "int | str | list[Json] | dict[str, Json] | None"
Case: TypeAlias = dict[str, Json]
Fields: TypeAlias = tuple[bytes, ...]

Q = ORDER.to_bytes(32, "big")
P = 2**256 - 2**32 - 977
O_AS_ZEROS = bytes(33)
OFF_THE_CURVE = b"\x02" + (5).to_bytes(32, "big")
X_TOO_LARGE = b"\x02" + (P + 1).to_bytes(32, "big")


def files() -> dict[str, str]:
    """The text of every file by its name."""
    contents: dict[str, Case] = {
        "hashing.json": hashing(),
        "permutation.json": permutations(),
        "points.json": points(),
        "knowledge.json": {"cases": list(knowledge_cases())},
        "shares.json": {"cases": list(shares_cases())},
        "lock.json": {"cases": list(lock_cases())},
        "shuffle.json": {"cases": list(shuffle_cases())},
    }
    return {
        name: json.dumps(content, indent=1, ensure_ascii=True) + "\n"
        for name, content in contents.items()
    }


def plain(part: Part) -> Json:
    """A part of a hash as it stands in the files."""
    if isinstance(part, bytes):
        return part.hex()
    if isinstance(part, int):
        return part
    return [plain(item) for item in part]


def hashing() -> Case:
    """Encodings, digests, scalars, weights and streams."""
    inputs: tuple[tuple[str, tuple[Part, ...]], ...] = (
        ("vector", ()),
        ("vector", (b"",)),
        ("vector", (b"abc", 0, 2**64 - 1)),
        ("vector", ([b"abc", 0], 2**64 - 1)),
        ("vector", ([], [[b"a"], [1, [2]]])),
        ("another vector", (b"abc", 0, 2**64 - 1)),
    )
    return {
        "cases": [
            {
                "label": label,
                "parts": [plain(part) for part in parts],
                "encoded parts": b"".join(map(encode, parts)).hex(),
                "digest": digest(label, *parts).hex(),
                "scalar": f"{hash_to_scalar(label, *parts):064x}",
                "weight": f"{weight(label, *parts):032x}",
            }
            for label, parts in inputs
        ],
        "streams": [
            {
                "label": label,
                "seed": seed.hex(),
                "first": [f"{draw:016x}" for draw in islice(stream(label, seed), 9)],
            }
            for label, seed in (("vector", b""), ("vector", b"seed"), ("another", b"seed"))
        ],
    }


def permutations() -> Case:
    """Orders of n places, 0-based."""
    return {
        "cases": [
            {
                "label": label,
                "seed": seed.hex(),
                "n": n,
                "permutation": list(permutation(label, seed, n)),
            }
            for label, seed in (("vector", b"seed"), ("vector", bytes(32)), ("other", b"seed"))
            for n in (0, 1, 2, 3, 13, 52)
        ]
    }


def points() -> Case:
    """Points from labels, and what is read as a point or a scalar."""
    q_minus_1 = (ORDER - 1).to_bytes(32, "big")
    good = compress(GENERATOR)
    labels: tuple[tuple[str, tuple[Part, ...]], ...] = (
        ("vector", ()),
        ("vector", (b"a",)),
        ("vector", (1,)),
    )
    return {
        "hash to point": [
            {
                "label": label,
                "parts": [plain(part) for part in parts],
                "point": compress(hash_to_point(label, *parts)).hex(),
            }
            for label, parts in labels
        ],
        "G": good.hex(),
        "H": compress(commitment_base()).hex(),
        "h": [compress(h).hex() for h in commitment_bases(52)],
        "cards": {card: compress(card_point(card)).hex() for card in FULL_PACK},
        "parsing points": [
            read("a point with even y", good, None),
            read("a point with odd y", compress(negate(GENERATOR)), None),
            read("O as zeros", O_AS_ZEROS, "point"),
            read("prefix 0", b"\x00" + good[1:], "point"),
            read("prefix 4", b"\x04" + good[1:], "point"),
            read("hybrid prefix 6", b"\x06" + good[1:], "point"),
            read("x off the curve", OFF_THE_CURVE, "point"),
            read("x of a point plus p", X_TOO_LARGE, "point"),
            read("32 bytes", good[:32], "length"),
            read("34 bytes", good + b"\0", "length"),
            read("65 bytes, uncompressed", GENERATOR, "length"),
            read("nothing", b"", "length"),
        ],
        "parsing scalars": [
            read("1", (1).to_bytes(32, "big"), None),
            read("q - 1", q_minus_1, None),
            read("0", bytes(32), "scalar"),
            read("q", Q, "scalar"),
            read("q + 1", (ORDER + 1).to_bytes(32, "big"), "scalar"),
            read("2^256 - 1", b"\xff" * 32, "scalar"),
            read("31 bytes", bytes(30) + b"\1", "length"),
            read("33 bytes", bytes(32) + b"\1", "length"),
        ],
    }


def read(name: str, data: bytes, refusal: str | None) -> Case:
    """Bytes, and whether they are refused."""
    return {"name": name, "bytes": data.hex(), "refusal": refusal}


def changed(fields: Fields, index: int, data: bytes) -> Fields:
    """The fields with one replaced."""
    return (*fields[:index], data, *fields[index + 1 :])


def spoilt(
    fields: Fields, points: Sequence[int], scalars: Sequence[int], code: str
) -> Iterator[tuple[str, Fields, str]]:
    """Name, fields and refusal of everything that can be wrong with bytes alone.

    ``points`` and ``scalars`` are the indexes of the fields of each kind.
    """
    for i in points:
        for name, data in (
            ("O", O_AS_ZEROS),
            ("no point", OFF_THE_CURVE),
            ("x too large", X_TOO_LARGE),
        ):
            yield f"field {i}: {name}", changed(fields, i, data + fields[i][33:]), "point"
        sign = bytes([fields[i][0] ^ 1]) + fields[i][1:]
        yield f"field {i}: a point negated", changed(fields, i, sign), code
    for i in scalars:
        for name, data in (("0", bytes(32)), ("q", Q), ("2^256 - 1", b"\xff" * 32)):
            yield f"field {i}: {name}", changed(fields, i, fields[i][:-32] + data), "scalar"
        # Never q - 1 in these vectors, so one more is a scalar again.
        more = (int.from_bytes(fields[i], "big") + 1).to_bytes(len(fields[i]), "big")
        yield f"field {i}: a scalar plus 1", changed(fields, i, more), code
    for i in range(len(fields)):
        yield f"field {i}: a byte short", changed(fields, i, fields[i][:-1]), "length"
        yield f"field {i}: a byte more", changed(fields, i, fields[i] + b"\0"), "length"
    yield "the last field missing", fields[:-1], "length"
    yield "a field more", (*fields, b""), "length"


def hexed(fields: Fields) -> Json:
    """Fields as they stand in the files."""
    return [field.hex() for field in fields]


def knowledge_cases() -> Iterator[Case]:
    """Seat 1's proof for its key."""
    pack = small_pack(2)
    x, X, code = pack.x[1], pack.X[1], knowledge.CODE
    fields = knowledge.prove(CTX, 1, x, X, FRESH).to_wire()

    def case(
        name: str,
        refusal: str | None,
        fields: Fields,
        ctx: bytes = CTX,
        seat: int = 1,
        X: Point = X,
    ) -> Case:
        return {
            "name": name,
            "ctx": ctx.hex(),
            "seat": seat,
            "X": compress(X).hex(),
            "fields": hexed(fields),
            "refusal": refusal,
        }

    yield case("an honest proof", None, fields) | {
        "x": encode_scalar(x).hex(),
        "fresh": FRESH.hex(),
    }
    yield case("replayed in another pack", code, fields, ctx=OTHER_CTX)
    yield case("replayed by another seat", code, fields, seat=2)
    yield case("for another key", code, fields, X=pack.X[0])
    yield case("for the negated key", code, fields, X=negate(X))
    for name, other, refusal in spoilt(fields, (0,), (1,), code):
        yield case(name, refusal, other)


def shares_cases() -> Iterator[Case]:
    """Seat 1's shares of two slots."""
    pack = small_pack(3)
    x, X, code = pack.x[1], pack.X[1], shares.CODE
    bases = pack.deck.first[:2]
    given, proof = shares.make(CTX, 1, x, X, bases, FRESH)
    fields = proof.to_wire()

    def case(
        name: str,
        refusal: str | None,
        fields: Fields = fields,
        ctx: bytes = CTX,
        seat: int = 1,
        X: Point = X,
        bases: Sequence[Point] = bases,
        given: Sequence[Point] = given,
    ) -> Case:
        return {
            "name": name,
            "ctx": ctx.hex(),
            "seat": seat,
            "X": compress(X).hex(),
            "bases": compress_all(bases).hex(),
            "shares": compress_all(given).hex(),
            "fields": hexed(fields),
            "refusal": refusal,
        }

    yield case("honest shares", None) | {"x": encode_scalar(x).hex(), "fresh": FRESH.hex()}
    yield case("replayed in another pack", code, ctx=OTHER_CTX)
    yield case("replayed by another seat", code, seat=0)
    yield case("for another key", code, X=pack.X[0])
    yield case("of other slots", code, bases=pack.deck.first[1:])
    yield case("in the other order", code, given=given[::-1])
    yield case("bases and shares in the other order", code, bases=bases[::-1], given=given[::-1])
    bent = (total(given[0], GENERATOR), total(given[1], negate(GENERATOR)))
    yield case("errors that cancel", code, given=bent)
    foreign, made = shares.make(CTX, 1, pack.x[0], X, bases, FRESH)
    yield case("made with another key", code, made.to_wire(), given=foreign)
    for name, other, refusal in spoilt(fields, (0, 1), (2,), code):
        yield case(name, refusal, other)


def lock_cases() -> Iterator[Case]:
    """Seat 0's lock of two shares."""
    pack = small_pack(3)
    x, X, code = pack.x[0], pack.X[0], lock.CODE
    others = total(*pack.X[1:])
    bases = pack.deck.first[:2]
    fields = lock.make(CTX, 0, x, X, others, bases, FRESH).to_wire()

    def case(
        name: str,
        refusal: str | None,
        fields: Fields = fields,
        ctx: bytes = CTX,
        seat: int = 0,
        X: Point = X,
        others: Point = others,
        bases: Sequence[Point] = bases,
    ) -> Case:
        return {
            "name": name,
            "ctx": ctx.hex(),
            "seat": seat,
            "X": compress(X).hex(),
            "Q": compress(others).hex(),
            "bases": compress_all(bases).hex(),
            "fields": hexed(fields),
            "refusal": refusal,
        }

    yield case("an honest lock", None) | {"x": encode_scalar(x).hex(), "fresh": FRESH.hex()}
    yield case("replayed in another pack", code, ctx=OTHER_CTX)
    yield case("replayed by another seat", code, seat=1)
    yield case("for another key", code, X=pack.X[1])
    yield case("for other seats", code, others=pack.pk)
    yield case("of other slots", code, bases=pack.deck.first[1:])
    yield case("of slots in the other order", code, bases=bases[::-1])
    foreign = lock.make(CTX, 0, pack.x[1], X, others, bases, FRESH)
    yield case("made with another key", code, foreign.to_wire())
    for name, other, refusal in spoilt(fields, (0, 1, 2), (3,), code):
        yield case(name, refusal, other)


def shuffle_cases() -> Iterator[Case]:
    """Seat 1's shuffle of two cards, seat 0's from the opening deck, and one of 52 cards."""
    code = "proof.shuffle"
    first, second, third = small_pack(2).shuffles
    yield honest("the first shuffle, all first halves before being G", first)
    yield honest("the second shuffle", second)
    yield honest("a whole pack", small_pack(52).shuffles[0])
    fields = second.proof.to_wire()

    def case(name: str, refusal: str | None, fields: Fields = fields, **inputs: Json) -> Case:
        return shuffle_case(name, refusal, second, fields) | inputs

    def deck(first: Sequence[Point], second: Sequence[Point]) -> Json:
        return hexed((compress_all(first), compress_all(second)))

    before, after, c = second.before, second.after, second.commitments
    yield case("replayed in another pack", code, ctx=OTHER_CTX.hex())
    yield case("replayed by another seat", code, seat=2)
    yield case("for another key", code, pk=compress(negate(second.pk)).hex())
    yield case("with another seat's proof", code, third.proof.to_wire())
    yield case("commitments exchanged", code, commitments=compress_all(c[::-1]).hex())
    yield case(
        "another seat's commitments", code, commitments=compress_all(third.commitments).hex()
    )
    yield case("cards exchanged before", code, before=deck(before.first, before.second[::-1]))
    yield case("cards exchanged after", code, after=deck(after.first, after.second[::-1]))
    yield case(
        "cards in another order after", code, after=deck(after.first[::-1], after.second[::-1])
    )
    moved = (total(after.second[0], GENERATOR), after.second[1])
    yield case("a card moved after", code, after=deck(after.first, moved))
    doubled = (after.second[0],) * 2
    yield case("a second half copied", code, after=deck(after.first, doubled))
    same = (after.first[0],) * 2
    yield case("a first half copied", "deck.repeated", after=deck(same, after.second))
    yield case("a whole card copied", "deck.repeated", after=deck(same, doubled))
    for name, other, refusal in spoilt(fields, (0, 1, 2), (3, 4, 5), code):
        yield case(name, refusal, other)
    yield from forged_cases()


def forged_cases() -> Iterator[Case]:
    """Three cards and no shuffle, with proofs that meet all equations but those named."""
    honest = small_pack(3).shuffles[1]
    for name, forged in (
        (
            "a permutation, made with the tools of the next ones",
            forge(TURNED, TURNED, BEFORE, R_MIX),
        ),
        ("K1 alone is false", forge(MULTIPLIED, MULTIPLIED_CARDS, BEFORE, R_MIX)),
        ("K2 alone is false", forge(ADDED, ADDED_CARDS, BEFORE, R_MIX)),
        ("K3 alone is false", forge_another_order()),
        ("KB alone is false", forge_with_a_changed_card("second")),
        ("KA alone is false", forge_with_a_changed_card("first")),
        ("L3 alone is false", forge_with_a_broken_link()),
        ("a card doubled: K2, KB and KA are false", forge(DOUBLED, DOUBLED, BEFORE, R_MIX)),
        ("a card doubled in secret: KB and KA are false", forge(IDENTITY, DOUBLED, BEFORE, R_MIX)),
    ):
        commitments, after, proof = forged
        refusal = None if name.startswith("a permutation") else "proof.shuffle"
        yield shuffle_case(name, refusal, honest, proof.to_wire()) | {
            "after": hexed(after.to_wire()),
            "commitments": compress_all(commitments).hex(),
        }


def honest(name: str, made: Shuffled) -> Case:
    """An honest shuffle with its secrets, so that others can make it again."""
    return shuffle_case(name, None, made, made.proof.to_wire()) | {
        "permutation": list(made.permutation),
        "r commitments": encode_scalars(made.r_commit).hex(),
        "r mix": encode_scalars(made.r_mix).hex(),
        "fresh": FRESH.hex(),
    }


def shuffle_case(name: str, refusal: str | None, made: Shuffled, fields: Fields) -> Case:
    """What a verifier is given of a shuffle."""
    return {
        "name": name,
        "n": len(made.commitments),
        "ctx": CTX.hex(),
        "seat": made.seat,
        "pk": compress(made.pk).hex(),
        "before": hexed(made.before.to_wire()),
        "after": hexed(made.after.to_wire()),
        "commitments": compress_all(made.commitments).hex(),
        "fields": hexed(fields),
        "refusal": refusal,
    }
