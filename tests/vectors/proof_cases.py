"""Cases of each proof: honest, replayed and forged ones, and all that can be wrong with bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from protocol.group import (
    GENERATOR,
    ORDER,
    Point,
    compress,
    compress_all,
    encode_scalar,
    encode_scalars,
    negate,
)
from protocol.proofs import claim, knowledge, lock, shares
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
from tests.protocol.proofs.hidden import Hidden, hidden, prove_anyway
from tests.protocol.proofs.packs import (
    CTX,
    FRESH,
    OTHER_CTX,
    Shuffled,
    small_pack,
    total,
)
from tests.vectors.forms import O_AS_ZEROS, OFF_THE_CURVE, X_TOO_LARGE, Case, Json, Q, hexed

Fields: TypeAlias = tuple[bytes, ...]
Input: TypeAlias = "int | Sequence[Point]"


def cases_of(fields: Fields, **inputs: Input) -> Callable[..., Case]:
    """What makes the cases of a proof: the honest fields and inputs, but for those changed."""

    def case(
        name: str,
        refusal: str | None,
        fields: Fields = fields,
        ctx: bytes = CTX,
        **changed: Input,
    ) -> Case:
        shown = {
            key: value if isinstance(value, int) else compress_all(value).hex()
            for key, value in (inputs | changed).items()
        }
        return {
            "name": name,
            "ctx": ctx.hex(),
            **shown,
            "fields": hexed(fields),
            "refusal": refusal,
        }

    return case


def made_from(x: int) -> Case:
    """What an honest proof is made from, so that others can make it again."""
    return {"x": encode_scalar(x).hex(), "fresh": FRESH.hex()}


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


def knowledge_cases() -> Iterator[Case]:
    """Seat 1's proof for its key."""
    pack = small_pack(2)
    x, X, code = pack.x[1], pack.X[1], knowledge.CODE
    fields = knowledge.prove(CTX, 1, x, X, FRESH).to_wire()
    case = cases_of(fields, seat=1, X=(X,))
    yield case("an honest proof", None) | made_from(x)
    yield case("replayed in another pack", code, ctx=OTHER_CTX)
    yield case("replayed by another seat", code, seat=2)
    yield case("for another key", code, X=(pack.X[0],))
    yield case("for the negated key", code, X=(negate(X),))
    for name, other, refusal in spoilt(fields, (0,), (1,), code):
        yield case(name, refusal, other)


def shares_cases() -> Iterator[Case]:
    """Seat 1's shares of two slots."""
    pack = small_pack(3)
    x, X, code = pack.x[1], pack.X[1], shares.CODE
    bases = pack.deck.first[:2]
    given, proof = shares.make(CTX, 1, x, X, bases, FRESH)
    fields = proof.to_wire()
    case = cases_of(fields, seat=1, X=(X,), bases=bases, shares=given)
    yield case("honest shares", None) | made_from(x)
    yield case("replayed in another pack", code, ctx=OTHER_CTX)
    yield case("replayed by another seat", code, seat=0)
    yield case("for another key", code, X=(pack.X[0],))
    yield case("of other slots", code, bases=pack.deck.first[1:])
    yield case("in the other order", code, shares=given[::-1])
    yield case("bases and shares in the other order", code, bases=bases[::-1], shares=given[::-1])
    bent = (total(given[0], GENERATOR), total(given[1], negate(GENERATOR)))
    yield case("errors that cancel", code, shares=bent)
    foreign, made = shares.make(CTX, 1, pack.x[0], X, bases, FRESH)
    yield case("made with another key", code, made.to_wire(), shares=foreign)
    for name, other, refusal in spoilt(fields, (0, 1), (2,), code):
        yield case(name, refusal, other)


def lock_cases() -> Iterator[Case]:
    """Seat 0's lock of two shares."""
    pack = small_pack(3)
    x, X, code = pack.x[0], pack.X[0], lock.CODE
    others = total(*pack.X[1:])
    bases = pack.deck.first[:2]
    fields = lock.make(CTX, 0, x, X, others, bases, FRESH).to_wire()
    case = cases_of(fields, seat=0, X=(X,), Q=(others,), bases=bases)
    yield case("an honest lock", None) | made_from(x)
    yield case("replayed in another pack", code, ctx=OTHER_CTX)
    yield case("replayed by another seat", code, seat=1)
    yield case("for another key", code, X=(pack.X[1],))
    yield case("for other seats", code, Q=(pack.pk,))
    yield case("of other slots", code, bases=pack.deck.first[1:])
    yield case("of slots in the other order", code, bases=bases[::-1])
    foreign = lock.make(CTX, 0, pack.x[1], X, others, bases, FRESH)
    yield case("made with another key", code, foreign.to_wire())
    for name, other, refusal in spoilt(fields, (0, 1, 2), (3,), code):
        yield case(name, refusal, other)


def claim_cases() -> Iterator[Case]:
    """Seat 1's claims about slot 2 of five: its card is one of three; false ones as well."""
    of, code = hidden(small_pack(5), 1, 2), claim.CODE
    other, absent, *rest = (card for card in range(5) if card != of.card)
    allowed = sorted((other, absent, of.card))
    proof = of.make(allowed)
    fields = proof.to_wire()
    case = cases_of(
        fields,
        seat=1,
        slot=2,
        X=(of.X,),
        A=(of.A,),
        Q=(of.Q,),
        allowed=of.points(allowed),
    )
    for name, cards in (
        ("an honest claim", allowed),
        ("an honest claim of one card", [of.card]),
        ("an honest claim of the whole pack", list(range(5))),
    ):
        made = {"held": cards.index(of.card)} | made_from(of.x)
        yield case(name, None, of.make(cards).to_wire(), allowed=of.points(cards)) | made
    yield case("replayed in another pack", code, ctx=OTHER_CTX)
    yield case("replayed by another seat", code, seat=0)
    yield case("replayed for another slot", code, slot=3)
    yield case("for another key", code, X=(of.pack.X[0],))
    yield case("with another slot's first half", code, A=(of.pack.deck.first[3],))
    yield case("with a share too few taken off", code, Q=(of.pack.deck.second[2],))
    yield case("with a false share taken off", code, Q=(total(of.Q, GENERATOR),))
    yield case("with the cards in another order", code, allowed=of.points(allowed[::-1]))
    exchanged = [{other: absent, absent: other}.get(card, card) for card in allowed]
    yield case("with two cards exchanged", code, allowed=of.points(exchanged))
    replaced = sorted((other, rest[0], of.card))
    yield case("with another card allowed", code, allowed=of.points(replaced))
    for name, columns in (
        ("announcements exchanged", (fields[1], fields[0], *fields[2:])),
        ("challenges and answers exchanged", (*fields[:2], fields[3], fields[2])),
    ):
        yield case(name, code, columns)
    turned = tuple(
        field[width:] + field[:width] for field, width in zip(fields, (33, 33, 32, 32), strict=True)
    )
    for i, field in enumerate(turned):
        yield case(f"field {i}: turned by one card", code, changed(fields, i, field))
    yield case("all fields turned by one card", code, turned)
    yield case("a proof for fewer cards", "length", of.make([of.card]).to_wire())
    yield case("no card allowed", code, (b"", b"", b"", b""), allowed=())
    yield case("no card allowed, but a proof", "length", allowed=())
    yield from (case(*forged) for forged in forged_claims(of, allowed))
    lies = sorted((other, absent, rest[0]))
    for i in range(3):
        forged = prove_anyway(of, lies, i).to_wire()
        name = f"the card is not allowed: Z{i + 1} alone is false"
        yield case(name, code, forged, allowed=of.points(lies))
    for name, spoiled, refusal in spoilt(fields, (0, 1), (2, 3), code):
        yield case(name, refusal, spoiled)


def forged_claims(of: Hidden, allowed: Sequence[int]) -> Iterator[tuple[str, str | None, Fields]]:
    """Name, refusal and fields of claims about one of three cards that no honest prover makes."""
    code, here = claim.CODE, allowed.index(of.card)
    small = prove_anyway(of, allowed, here, drawn={here - 1: 5}).to_wire()
    yield "a true claim, made with the tools of the next ones", None, small
    twice = small[2].replace((5).to_bytes(32, "big"), (ORDER + 5).to_bytes(32, "big"))
    yield "a challenge plus q, which is right modulo q", "scalar", changed(small, 2, twice)
    unmended = prove_anyway(of, allowed, None).to_wire()
    yield "the sum of the challenges alone is false", code, unmended
    for kind in ("R", "Z"):
        for i in range(3):
            moved = prove_anyway(of, allowed, here, {(kind, i): 1}).to_wire()
            yield f"{kind}{i + 1} alone is false", code, moved
    errors = {("R", 0): 1, ("Z", 0): -1, ("R", 2): -1, ("Z", 2): 1}
    yield "errors that cancel", code, prove_anyway(of, allowed, here, errors).to_wire()


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
