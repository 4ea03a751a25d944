"""Two versions of one entry, told to different seats: all name the liar alone. SPEC 5.5."""

from __future__ import annotations

import pytest

from protocol.events import MatchOver, Stopped
from protocol.group import secret_times
from protocol.pack import PackState
from protocol.verifier import verify
from tests.protocol.forger import Alter, Payload, Place, Scene, flipped, says
from tests.protocol.liar import (
    HONEST,
    deliver_anyhow,
    events,
    kinds_sent,
    lies_like,
    named,
    played,
    table_with,
)
from tests.protocol.lies import (
    COMMIT,
    DEAL,
    LIAR,
    LOCK,
    MIX,
    OPEN,
    PROVE,
    READY,
    RESULT,
    SHOW,
    SIT,
    UP,
    Lie,
)
from tests.protocol.pack_lies import dealt_by, honest_order, proved_by, repeated_card, turned
from tests.protocol.table_lies import hand_of, lock_on, prove_shares, up
from tests.protocol.tables import Table

pytestmark = pytest.mark.usefixtures("once")


def as_payload(lie: Payload | bytes) -> Payload:
    """A lie that is a payload."""
    assert not isinstance(lie, bytes)
    return lie


def again(scene: Scene) -> Payload:
    """The same shares, lock or shuffle proved with another nonce, or a deck in another order.

    As true as the first, as far as anybody can tell.
    """
    own, rules = scene.own, scene.lane.rules
    if isinstance(rules, PackState):
        version = proved_by(honest_order) if rules.stage == "prove" else dealt_by(turned)
        return as_payload(version(scene))
    if scene.lane.kind == "lock":
        return as_payload(lock_on(list)(scene))
    bases = hand_of(scene).bases(hand_of(scene).due(scene.seat))
    return prove_shares(own, bases, [secret_times(own.x, A) for A in bases])


EQUIVOCATIONS: dict[str, tuple[Place, Alter]] = {
    "two commitments": (COMMIT, says(bytes(32))),
    "two decks": (MIX, again),
    "two proofs": (PROVE, again),
    "two deals": (DEAL, again),
    "two divisions": (UP, up(lambda own: [*own[3:6], *own[:3], *own[6:]])),
    "two locks": (LOCK, again),
    "two shows": (SHOW, again),
}

HALF_TRUE: dict[str, tuple[Place, Alter]] = {
    "an opening for one and a lie for another": (OPEN, flipped(3)),
    "a deck for one and a pair twice for another": (MIX, repeated_card),
    "a proof for one and none for another": (PROVE, flipped(5)),
    "two packs to be ready for": (READY, flipped(1)),
    "a deal for one and a lie for another": (DEAL, flipped(3)),
    "a division for one and a lie for another": (UP, up(lambda own: own[::-1])),
    "a lock for one and a lie for another": (LOCK, flipped(3)),
    "two results": (RESULT, flipped(0)),
}


@lies_like(
    "two commitments",
    "two decks",
    "two proofs",
    "two divisions",
    slow=("two deals", "two locks", "two shows"),
)
def test_two_versions_of_an_entry_stop_the_table(name: str) -> None:
    """Both are true: whatever each has seen first, all end with both and name the liar alone."""
    at, alter = EQUIVOCATIONS[name]
    table = played(table_with(Lie("equivocation", at), {at: alter}, (0,)))
    for seat in HONEST:
        assert {fault.code for fault in named(table, seat)} == {"equivocation"}
    assert_all_stopped(table, at)


@lies_like(
    "a proof for one and none for another",
    "two packs to be ready for",
    "a deal for one and a lie for another",
    "two results",
    slow=(
        "an opening for one and a lie for another",
        "a deck for one and a pair twice for another",
        "a division for one and a lie for another",
        "a lock for one and a lie for another",
    ),
)
def test_a_true_and_a_false_version_stop_the_table(name: str) -> None:
    """Some stop for the lie, some for the two versions; all name the liar, and nobody else."""
    at, alter = HALF_TRUE[name]
    table = played(table_with(Lie("equivocation", at), {at: alter}, (0,)))
    assert_all_stopped(table, at)
    if at[0] == 1 or at == READY:
        seen = [kinds_sent(table, seat) for seat in HONEST]
        assert not all("shares" in [kind for _, _, kind in sent] for sent in seen)


def assert_all_stopped(table: Table, at: Place) -> None:
    """Every honest seat has named the liar and nobody else, and has stopped for it."""
    for seat in HONEST:
        assert {(f.lane, f.step, f.seat) for f in named(table, seat)} == {at}, seat
        (stopped,) = events(table, seat, Stopped)
        assert isinstance(stopped, Stopped)
        assert stopped.seats == (LIAR,)
        assert not events(table, seat, MatchOver)
        # A record has one version of every entry. Whichever it is, nobody honest is to blame.
        report = verify(table.record(seat))
        assert report.fault is None or report.fault.seat == LIAR


def test_in_and_out_at_once_ends_the_match() -> None:
    """Who was told out sees a seat that leaves; the others see the two, and name it."""
    table = played(table_with(Lie("", SIT), {SIT: says("out", ())}, (0,)))
    for seat in HONEST:
        (stopped,) = events(table, seat, Stopped)
        assert isinstance(stopped, Stopped)
        assert stopped.seats == (LIAR,)
        assert {fault.seat for fault in named(table, seat)} <= {LIAR}
    assert [fault.code for fault in named(table, 1)] == ["equivocation"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*EQUIVOCATIONS, *HALF_TRUE])
def test_in_any_order_of_delivery_the_liar_alone_is_named(name: str) -> None:
    """And nobody is left waiting."""
    at, alter = (EQUIVOCATIONS | HALF_TRUE)[name]
    for seed in range(3):
        half = ((0,), (1, 3), (3,))[seed]
        table = table_with(Lie("equivocation", at), {at: alter}, half)
        table.begin()
        deliver_anyhow(table, seed)
        assert_all_stopped(table, at)
