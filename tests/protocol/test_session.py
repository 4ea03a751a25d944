"""Honest tables: in whatever order messages arrive, all seats have one history and one deal."""

from __future__ import annotations

import itertools
from collections import deque

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import Move, View
from engine.cards import FULL_PACK
from engine.hazari.dismissal import reason
from engine.hazari.moves import DISMISS
from protocol.effects import Effect, ForgetSecret, Job, Persist, PersistSecret, Send
from protocol.envelope import KINDS, Envelope, open_envelope, seal
from protocol.events import (
    HandOver,
    HandStarted,
    MatchOver,
    Overdue,
    ProofChecked,
    SitSaid,
    StepClosed,
    YourMove,
)
from protocol.group import compress
from protocol.packmaker import PackSecrets
from protocol.verifier import verify
from tests.protocol.tables import Table, drawer, make_table

pytestmark = pytest.mark.usefixtures("once")

FEW = settings(max_examples=2, suppress_health_check=list(HealthCheck))


def steps(table: Table, seat: int) -> dict[tuple[int, int], StepClosed]:
    """All steps that a seat saw close."""
    events = table.seats[seat].events
    return {(one.lane, one.step): one for one in events if isinstance(one, StepClosed)}


def started_hands(table: Table) -> dict[int, dict[int, tuple[str, ...]]]:
    """The cards that each seat was asked to arrange, by hand."""
    hands: dict[int, dict[int, tuple[str, ...]]] = {}
    for seat, seated in enumerate(table.seats):
        hand = 0
        for event in seated.events:
            if isinstance(event, HandStarted):
                hand = event.hand
            elif isinstance(event, YourMove):
                cards = tuple(card for _, card in event.view.hand)
                hands.setdefault(hand, {})[seat] = cards
    return hands


def assert_one_history(table: Table) -> None:
    """All seats saw the match end, the same steps with the same heads, and nobody to blame."""
    for seated in table.seats:
        assert seated.faults == []
        assert seated.session.over
        assert seated.session.deadline is None
        assert isinstance(seated.events[-1], MatchOver)
        assert seated.secrets == {}
    on_table = [
        {place: step for place, step in steps(table, seat).items() if place[0] == 0}
        for seat in range(len(table.seats))
    ]
    assert all(found == on_table[0] for found in on_table)
    for one, other in itertools.combinations(range(len(table.seats)), 2):
        mine, theirs = steps(table, one), steps(table, other)
        assert all(mine[place] == theirs[place] for place in mine.keys() & theirs.keys())
    assert len({table.record(seat) for seat in range(len(table.seats))}) == 1


def assert_every_card_once(table: Table) -> None:
    """In every hand the four seats hold 52 different cards."""
    hands = started_hands(table)
    assert hands
    for cards in hands.values():
        assert sorted(itertools.chain(*cards.values())) == sorted(FULL_PACK)


@pytest.mark.slow
@FEW
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([0, 3]))
def test_a_hand_is_the_same_in_any_order_of_delivery(seed: int, in_order: bool, twice: int) -> None:
    """Delays, overtaking and repetition change nothing in the history, and blame nobody."""
    table = make_table(seed, options={"hands": 1})
    table.jobs = deque()
    table.begin()
    table.deliver_in_any_order(drawer(seed), in_order, twice)
    assert_one_history(table)
    assert_every_card_once(table)


@pytest.mark.slow
def test_two_hands_are_two_packs_and_one_record() -> None:
    """Each hand is dealt from a pack of its own; the record holds both and is complete."""
    table = make_table("session", options={"hands": 2})
    table.begin()
    table.deliver_in_any_order(drawer("two"), in_order=False, twice=5)
    assert_one_history(table)
    assert_every_card_once(table)
    hands = started_hands(table)
    assert sorted(hands) == [1, 2]
    assert hands[1] != hands[2]
    report = verify(table.record(0))
    assert (report.verdict, report.counts.hands, report.counts.packs) == ("complete", 2, 2)


@pytest.mark.slow
def test_a_dismissed_hand_counts_nothing_and_the_next_one_is_dealt() -> None:
    """The seat opens its cards with the move; all agree on it, and the match goes on."""
    table = make_table(5, options={"hands": 1, "dismissal": "both"})
    random = table.play
    dismissed: list[int] = []

    def play(seat: int, view: View) -> Move:
        may = reason(tuple(card for _, card in view.hand), "both")
        if may is None or dismissed:
            return random(seat, view)
        dismissed.append(seat)
        return (DISMISS,)

    table.play = play
    table.begin()
    table.deliver()
    assert dismissed, "no hand of this seed can be dismissed any more: look for another seed"
    assert_one_history(table)
    assert_every_card_once(table)
    assert sorted(started_hands(table)) == [1, 2]
    ended = [one for one in table.seats[0].events if isinstance(one, HandOver)]
    assert dict(ended[0].standing)["points"] == (0, 0, 0, 0)
    assert verify(table.record(0)).verdict == "complete"


# What stays secret.


def sent_by(table: Table, seat: int) -> list[Envelope]:
    """The entries of its own that a seat has sent, in order."""
    opened = [open_envelope(data, table.agreement) for data in table.seats[seat].sent]
    return [envelope for envelope in opened if envelope.seat == seat]


def test_nothing_secret_leaves_a_seat_before_the_show() -> None:
    """Neither seed, key, permutation nor a share of an own card is in what was sent till then."""
    table = make_table("session", options={"hands": 1})
    table.begin()
    seeds = [dict(seated.secrets) for seated in table.seats]
    table.deliver()
    for seat, seated in enumerate(table.seats):
        pack = seated.session.history.table.playing.pack
        secrets = PackSecrets(pack.plan, seat, seeds[seat]["pack/1"])
        assert pack.keys[seat] == secrets.X, "the test looks at the wrong secrets"
        shares = seated.session.history.table.playing.shares
        own = [compress(shares[seat, slot]) for slot in range(13 * seat, 13 * seat + 13)]
        entries = sent_by(table, seat)
        (_, show) = [place for place, one in enumerate(entries) if one.kind == "shares"]
        before = b"".join(one.data for one in entries[:show])
        assert all(share in entries[show].data for share in own)
        scalars = (secrets.x, *secrets.mix_randomness, *secrets.commitment_randomness)
        hidden = [
            secrets.seed,
            bytes(secrets.permutation),
            *(scalar.to_bytes(32, "big") for scalar in scalars),
            *own,
        ]
        assert not [secret for secret in hidden if secret in before]


def test_no_share_leaves_a_seat_before_ready_has_closed() -> None:
    """While one READY is missing nobody who lacks it gives away a share of any card."""
    table = make_table("session", options={"hands": 1})

    def withhold(source: int, target: int, data: bytes) -> list[bytes]:
        envelope = open_envelope(data, table.agreement)
        return [] if (envelope.seat, envelope.kind) == (3, "ready") else [data]

    table.tamper = withhold
    table.begin()
    table.deliver()
    for seat in range(3):
        assert {one.kind for one in sent_by(table, seat)} == {*KINDS[:5]}
        assert table.seats[seat].session.missing()[0] == (3,)
    assert "shares" in {one.kind for one in sent_by(table, 3)}  # for it the step has closed


def test_own_secrets_are_stored_before_anything_is_said_and_forgotten_after_the_result() -> None:
    """The seed is on disk before COMMIT, each entry before it is sent, and goes with RESULT."""
    table = make_table("session", options={"hands": 1})
    happened: list[tuple[int, str]] = []
    stored: set[bytes] = set()

    def watch(seat: int, effect: object) -> None:
        if isinstance(effect, PersistSecret):
            happened.append((seat, f"keep {effect.name}"))
        elif isinstance(effect, ForgetSecret):
            happened.append((seat, f"forget {effect.name}"))
        elif isinstance(effect, Persist):
            stored.add(bytes([seat]) + effect.envelope)
        elif isinstance(effect, Send):
            assert bytes([seat]) + effect.envelope in stored
            envelope = open_envelope(effect.envelope, table.agreement)
            if envelope.seat == seat:
                happened.append((seat, f"{envelope.kind} {envelope.lane}"))

    table.watch = watch
    table.begin()
    table.deliver()
    for seat in range(4):
        own = [what for who, what in happened if who == seat]
        assert own[:2] == ["keep pack/1", "commit 1"]
        assert own.index("keep pack/2") < own.index("commit 2")
        assert own.index("result 0") < own.index("forget pack/1")


def test_a_table_that_is_stopped_for_a_lie_forgets_its_secrets() -> None:
    """Two entries for one place: the seat is named, nothing more is said, no seed is kept."""
    table = make_table("session", options={"hands": 1})
    table.begin()
    honest = open_envelope(table.seats[3].sent[0], table.agreement)
    other = seal(table.agreement, table.keys[3], 1, 1, 3, honest.head, "commit", (bytes(32),))
    table.run(table.seats[0].session.receive(honest.data, 0.0), 0)
    assert table.seats[0].secrets
    table.run(table.seats[0].session.receive(other.data, 0.0), 0)
    assert [(f.code, f.seat) for f in table.seats[0].faults] == [("equivocation", 3)]
    assert table.seats[0].session.over
    assert table.seats[0].secrets == {}
    assert {honest.data, other.data} <= set(table.seats[0].sent)


# What the people at a seat are told, and how they may hold it back.


def test_closed_step_tells_the_bytes_of_its_envelopes() -> None:
    """All seats tell the same number: what the record holds of the step."""
    table = make_table("session", options={"hands": 1})
    table.begin()
    table.deliver()
    for seat in range(4):
        for place, step in steps(table, seat).items():
            entries = table.seats[seat].entries
            assert step.bytes == sum(len(entries[(*place, one)]) for one in step.seats)


def test_checked_proof_tells_how_long_its_check_took() -> None:
    """From handing out the job to its result, by the clock that the driver hands in."""
    table = make_table("session", options={"hands": 1})
    seconds = {"check prove": 2.5}

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Job):
            table.now += seconds.get(effect.what, 0.0)

    table.watch = watch
    table.begin()
    table.deliver()
    for seat, seated in enumerate(table.seats):
        checked = [one for one in seated.events if isinstance(one, ProofChecked)]
        assert {(one.pack, one.seat) for one in checked if one.pack == 1} == {
            (1, other) for other in range(4) if other != seat
        }
        assert {one.seconds for one in checked} <= {2.5, 5.0, 7.5}


def sat(table: Table, seat: int) -> list[SitSaid]:
    """What a seat was told of the answers between hands."""
    return [event for event in table.seats[seat].events if isinstance(event, SitSaid)]


def test_all_are_told_who_leaves_and_who_sits_out() -> None:
    """When SIT closes, so that a page can tell leaving from losing the network."""
    table = make_table("sat", "azi", {"hands": 3, "max_bid": 10, "ante": 0}, 4)
    table.seats[1].session.sit("out")
    table.seats[3].session.sit("leave")
    table.begin()
    table.deliver()
    first = SitSaid(((0, "in"), (1, "out"), (2, "in"), (3, "leave")))
    for seat in range(4):
        assert sat(table, seat)[0] == first
    assert sat(table, 0)[1] == SitSaid(((0, "in"), (1, "out"), (2, "in")))


@pytest.mark.slow
def test_paused_seat_holds_the_next_hand_back_until_it_goes_on() -> None:
    """RESULT closes, the next pack is made; only the answer between hands waits, and is awaited."""
    table = make_table("session", options={"hands": 2})
    session = table.seats[2].session
    table.run(session.pause(True, table.now), 2)
    table.begin()
    table.deliver()
    for seat in range(4):
        assert table.seats[seat].session.waiting == ("sit", (2,))
        assert 2 in table.seats[seat].session.history.finished
        assert sat(table, seat) == []
    table.now += 70
    table.run(table.seats[0].session.tick(table.now), 0)
    assert table.seats[0].events[-1] == Overdue(0, 7, "sit", (2,), 70.0)
    table.run(session.pause(False, table.now), 2)
    table.deliver()
    assert_one_history(table)
    assert session.waiting is None


def test_table_waits_for_a_pack_before_it_waits_for_anybody_to_play() -> None:
    """While READY waits for its pack, that pack's open step is what the table waits on."""
    table = make_table("session", options={"hands": 1})
    assert table.seats[0].session.waiting == ("commit", (0, 1, 2, 3))
    table.begin()
    assert table.seats[0].session.waiting == ("commit", (1, 2, 3))
    session = table.seats[0].session
    kinds: list[str] = []

    def watch(seat: int, effect: Effect) -> None:
        if session.waiting is not None and session.waiting[0] not in kinds[-1:]:
            kinds.append(session.waiting[0])

    table.watch = watch
    table.deliver()
    pack = ["commit", "open", "mix", "prove"]
    assert kinds == [*pack, "ready", "shares", "move", "lock", "shares", "result"]
