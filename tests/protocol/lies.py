"""All lies of the tests by name, with the fault that is laid to a seat for each. SPEC 5.5, 12."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from protocol.envelope import seal
from protocol.group import ORDER
from tests.protocol import pack_lies, table_lies
from tests.protocol.forger import (
    Alter,
    Bend,
    Payload,
    Place,
    Scene,
    flipped,
    forger_of,
    repeats,
    replayed,
    says,
    with_field,
)
from tests.protocol.pack_lies import all_one, committed_to, dealt_by, doubled, proved_by, turned
from tests.protocol.table_lies import dismissal_of, lock_on, true_shares, up
from tests.protocol.tables import Table, make_table

LIAR = 2

COMMIT, OPEN, MIX, PROVE = ((1, step, LIAR) for step in (1, 2, 5, 7))
READY, DEAL, UP, LOCK, SHOW, RESULT, SIT = ((0, step, LIAR) for step in range(1, 8))
PROVE_2 = (2, 7, LIAR)
READY_2, DEAL_2 = (0, 8, LIAR), (0, 9, LIAR)

NO_RUN = ("AS", "AH", "AD", "JS", "JH", "JD", "8S", "8H", "8D", "5S", "5H", "5D", "2S")


@dataclass(frozen=True)
class Lie:
    """What a seat says instead at some places, and the fault that is laid to a seat for it."""

    code: str
    at: Place
    alters: Mapping[Place, Alter] = field(default_factory=dict)
    bends: Mapping[tuple[int, int], Bend] = field(default_factory=dict)
    options: Mapping[str, int | str] = field(default_factory=dict)


@cache
def the_table(**options: int | str) -> Table:
    """The table of all records here, with these options."""
    return make_table("forger", options=options)


MEMORY: dict[str, dict[tuple[Place, bytes], Payload]] = {}
"""Honest work that forgers of a table share, by the table's options."""


def forged(one: Lie) -> bytes:
    """The record with the lie: the pack, or the hand and the one before, to their ends."""
    memory = MEMORY.setdefault(repr(one.options), {})
    forger = forger_of(the_table(**one.options), one.alters, one.bends, memory)
    second = any(lane == 2 or (lane == 0 and step > 7) for lane, step, _ in one.alters)
    first = (1, 7) if one.at[0] == 1 else (0, 7)
    return forger.run((0, 13) if second else first)


def lie(code: str, at: Place, alter: Alter, **more: object) -> Lie:
    """A lie at one place, and its fault there."""
    return Lie(code, at, {at: alter}, **more)  # type: ignore[arg-type]


def bent(code: str, at: Place, bend: Bend, alters: Mapping[Place, Alter] | None = None) -> Lie:
    """A lie that begins with other secrets of pack 1."""
    return Lie(code, at, alters or {}, {(1, LIAR): bend})


def wrong_head(scene: Scene) -> bytes:
    """The entry as it should be, but on another history."""
    return scene.sealed(head=bytes(32))


def old_head(scene: Scene) -> bytes:
    """The entry as it should be, but on the step before the last."""
    place = (scene.lane.number, scene.lane.step - 1, scene.seat)
    return scene.sealed(head=scene.earlier[place].head)


def of_kind(kind: str) -> Alter:
    """The payload of this step under another name."""
    return lambda scene: scene.sealed(kind=kind)


def as_seat(seat: int) -> Alter:
    """The liar's entry in another seat's name."""
    return lambda scene: scene.sealed(seat=seat)


def by_seat(seat: int) -> Alter:
    """An entry of a seat that owes none in this step, and signed by it."""
    return lambda scene: replace(scene, key=the_table().keys[seat]).sealed(seat=seat)


def for_lane(lane: int, step: int) -> Alter:
    """The liar's entry for another place."""
    return lambda scene: scene.sealed(lane=lane, step=step)


def of_another_table(scene: Scene) -> bytes:
    """The liar's entry for a table of the same players that agreed on other nonces."""
    other = the_table(target=500).agreement
    lane = scene.lane
    return seal(
        other, scene.key, lane.number, lane.step, scene.seat, lane.head, lane.kind, scene.payload
    ).data


LIES: dict[str, Lie] = {
    # COMMIT and OPEN.
    "a commitment of 31 bytes": lie("encoding", COMMIT, says(bytes(31))),
    "a commitment with more": lie("encoding", COMMIT, says(bytes(32), bytes(32))),
    "no commitment": lie("encoding", COMMIT, says()),
    "a commitment to nothing": lie("open.commitment", OPEN, with_field(5, bytes(32))),
    "another coin share": lie("open.commitment", OPEN, flipped(3)),
    "another key share": lie("open.commitment", OPEN, flipped(0, 0)),
    "other permutation commitments": lie("open.commitment", OPEN, flipped(4, 0)),
    "another seat's opening": lie("open.commitment", OPEN, repeats((1, 2, 0))),
    "a key share off the curve": lie("point", OPEN, with_field(0, b"\x02" + bytes(32))),
    "a key share with a bad first byte": lie("point", OPEN, with_field(0, b"\x05" + bytes(32))),
    "a proof with the scalar 0": lie("scalar", OPEN, with_field(2, bytes(32))),
    "a proof with the scalar q": lie("scalar", OPEN, with_field(2, ORDER.to_bytes(32, "big"))),
    "too few permutation commitments": lie("encoding", OPEN, with_field(4, b"\x02" * 33 * 51)),
    "no proof of knowledge": bent("proof.knowledge", OPEN, pack_lies.wrong_knowledge),
    "a rogue key": bent("proof.knowledge", OPEN, pack_lies.rogue_key),
    "another seat's key with its proof": bent("proof.knowledge", OPEN, pack_lies.copied_opening(0)),
    "a copied key share": bent("key.copied", OPEN, pack_lies.copied_key(0)),
    "a copied key share of a later seat": bent("key.copied", (1, 2, 3), pack_lies.copied_key(3)),
    # All must have known it: the sum names everybody, the first of them first.
    "key shares that cancel": bent("key.sum", (1, 2, 0), pack_lies.cancelling_key(0, 1, 3)),
    "two key shares that cancel": bent("key.sum", (1, 2, 0), pack_lies.cancelling_key(0, 1)),
    # MIX.
    "a pair twice": lie("deck.repeated", MIX, pack_lies.repeated_card),
    "a card doubled in secret": Lie(
        "proof.shuffle", PROVE, {MIX: dealt_by(doubled), PROVE: proved_by(doubled)}
    ),
    "a card doubled and committed to": bent(
        "proof.shuffle",
        PROVE,
        committed_to(doubled),
        {MIX: dealt_by(doubled), PROVE: proved_by(doubled)},
    ),
    "a pack of one card": bent(
        "proof.shuffle",
        PROVE,
        committed_to(all_one),
        {MIX: dealt_by(all_one), PROVE: proved_by(all_one)},
    ),
    "another order than committed to": Lie(
        "proof.shuffle", PROVE, {MIX: dealt_by(turned), PROVE: proved_by(turned)}
    ),
    "a card exchanged": Lie("proof.shuffle", PROVE, {MIX: pack_lies.exchanged_card}),
    "a shuffle of the opening deck": Lie(
        "proof.shuffle",
        PROVE,
        {MIX: pack_lies.from_deck(0), PROVE: proved_by(pack_lies.honest_order, 0)},
    ),
    "a deck of 51": lie("length", MIX, pack_lies.short_deck),
    "a deck with a point off the curve": lie(
        "point", MIX, with_field(1, (b"\x02" + bytes(32)) * 52)
    ),
    # PROVE.
    "a shuffle proof with another answer": lie("proof.shuffle", PROVE, flipped(5)),
    "a shuffle proof with another announcement": lie("proof.shuffle", PROVE, flipped(1, 33)),
    "another seat's shuffle proof": lie("proof.shuffle", PROVE, repeats((1, 7, 0))),
    "a shuffle proof of five fields": lie("length", PROVE, says(*[b""] * 5)),
    "the shuffle proof of another pack": lie("proof.shuffle", PROVE_2, repeats(PROVE)),
    # READY.
    "ready for the pack after": lie("ready.pack", READY, with_field(0, 2)),
    "ready for another history of the pack": lie("ready.pack", READY, flipped(1)),
    "ready for the pack before": lie("ready.pack", READY_2, repeats(READY)),
    "ready for no pack": lie("encoding", READY, with_field(0, 0)),
    # SHARES.
    "the share of another slot": lie("proof.shares", DEAL, table_lies.swapped_shares),
    "one share for two slots": lie("proof.shares", DEAL, table_lies.doubled_share),
    "one share moved": lie("proof.shares", DEAL, table_lies.one_wrong_share),
    "two shares moved that cancel": lie("proof.shares", DEAL, table_lies.cancelling_shares),
    "shares of another key": lie("proof.shares", DEAL, table_lies.other_keys_shares),
    "another seat's shares": lie("proof.shares", DEAL, repeats((0, 2, 0))),
    "true shares, another answer": lie("proof.shares", DEAL, flipped(3)),
    "a share too few": lie("length", DEAL, true_shares(lambda bases: bases[:-1])),
    "a share too many": lie("length", DEAL, true_shares(lambda bases: (*bases, bases[0]))),
    "shares of the whole pack": lie("length", DEAL, table_lies.all_shares),
    "no shares": lie("length", DEAL, with_field(0, b"")),
    "the shares of the hand before": lie("proof.shares", DEAL_2, repeats(DEAL)),
    # MOVE.
    "a slot twice": lie("rule.up.slots", UP, up(lambda own: [own[0], *own[:-1]])),
    "another seat's slots": lie("rule.up.slots", UP, up(lambda own: [s - 13 for s in own])),
    "one slot of another seat": lie("rule.up.slots", UP, up(lambda own: [0, *own[1:]])),
    "a slot that is none": lie("rule.up.slots", UP, up(lambda own: [*own[:-1], 52])),
    "slots out of order": lie("rule.up.slots", UP, up(lambda own: own[::-1])),
    "four cards in front": lie("rule.up.shape", UP, up(lambda own: own, (4, 3, 3, 3))),
    "three groups": lie("rule.up.shape", UP, up(lambda own: own, (3, 3, 7))),
    "a move of bytes": lie("encoding", UP, says(("up", b""), (), ())),
    "no move": lie("encoding", UP, says((), (), ())),
    "an unknown move": lie("rule.up.shape", UP, says(("fold",), (), ())),
    "a move with an opening": lie("encoding", UP, with_field(1, (b"",))),
    "a move with a claim": lie("encoding", UP, with_field(2, (b"",))),
    "a dismissal that the table has not": lie("rule.dismissal.off", UP, says(("dismiss",), (), ())),
    "a dismissal with other cards": lie(
        "proof.shares", UP, dismissal_of(NO_RUN), options={"dismissal": "no_run"}
    ),
    "a dismissal with cards of the others": lie(
        "face", UP, dismissal_of(["AS"] * 13), options={"dismissal": "no_run"}
    ),
    "a dismissal of no cards": lie(
        "face", UP, table_lies.dismissal_to_nothing, options={"dismissal": "no_run"}
    ),
    "a dismissal with a run": lie(
        "rule.dismissal.hand", UP, table_lies.true_dismissal, options={"dismissal": "no_run"}
    ),
    "a dismissal without shares": lie(
        "length", UP, says(("dismiss",), (), ()), options={"dismissal": "no_run"}
    ),
    # LOCK.
    "a lock of slots exchanged": lie("proof.lock", LOCK, lock_on(lambda own: own[::-1])),
    "a lock with one share twice": lie("proof.lock", LOCK, lock_on(lambda s: [s[1], *s[1:]])),
    "a lock of another seat's slots": lie("proof.lock", LOCK, table_lies.lock_of_others_slots),
    "a lock that nobody else can open": lie("proof.lock", LOCK, table_lies.lock_to_itself),
    "a lock of another key's shares": lie("proof.lock", LOCK, table_lies.lock_with_another_key),
    "another seat's lock": lie("proof.lock", LOCK, repeats((0, 4, 0))),
    "a lock of twelve": lie("length", LOCK, table_lies.short_lock),
    "a lock with another answer": lie("proof.lock", LOCK, flipped(3)),
    # The show.
    "cards exchanged at the show": lie("proof.shares", SHOW, table_lies.swapped_shares),
    "the deal's shares at the show": lie("length", SHOW, repeats(DEAL)),
    "another key's shares at the show": lie("proof.shares", SHOW, table_lies.other_keys_shares),
    # RESULT and SIT.
    "another result": lie("result", RESULT, flipped(0)),
    "no result": lie("encoding", RESULT, says()),
    "the result of the hand before": lie("result", (0, 13, LIAR), repeats(RESULT)),
    "sitting on the table": lie("sit", SIT, says("on the table", ())),
    "a seat returns without a word": lie("sit", SIT, says("in", (b"",))),
    "a word is no bytes": lie("sit", SIT, says("in", (1,))),
    "who returns is no array": lie("encoding", SIT, says("in", 1)),
    "sitting twice": lie("encoding", SIT, says("in", "in")),
    "sitting as a number": lie("sit", SIT, says(1, ())),
}

MISPLACED: dict[str, Lie] = {
    "out of turn": Lie("turn", (1, 5, 3), {MIX: by_seat(3)}),
    "another history": lie("head", DEAL, wrong_head),
    "the history of a step before": lie("head", UP, old_head),
    "another history in the pack": lie("head", MIX, wrong_head),
    "another kind": lie("kind", DEAL, of_kind("ready")),
    "another kind of lane": lie("kind", LOCK, of_kind("prove")),
    "another seat's name": lie("signature", DEAL, as_seat(1)),
    "another table": lie("table", DEAL, of_another_table),
    "another lane": lie("record.order", DEAL, for_lane(1, 2)),
    "another step": lie("record.order", DEAL, for_lane(0, 3)),
    "an entry of a step before": lie("record.order", DEAL, replayed(READY)),
    "an entry of another lane": lie("record.order", DEAL, replayed(OPEN)),
}
