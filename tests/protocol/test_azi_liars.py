"""One liar at a table of Azi: all others name it, it gains nothing, and the match goes to its end.

All seats are sessions in one process. The liar's says something else at one place, signed and as
well made as can be; the others do not know of any test.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import IllegalMove
from engine.azi.interlude import Interlude
from engine.azi.moves import REFUSALS
from protocol.envelope import open_envelope
from protocol.errors import PeerFault
from protocol.events import Overdue
from protocol.proofs import judge
from protocol.wire import Value
from tests.protocol.azi_claims import mended, revoke
from tests.protocol.azi_forgeries import move, stray_move
from tests.protocol.azi_lies import (
    BLIND,
    CHEATS,
    PLAIN,
    Cheat,
)
from tests.protocol.azi_moments import (
    Wanted,
    bids,
    could_revoke,
    dealt,
    helps_to_look,
    locks,
)
from tests.protocol.azi_stage import (
    Course,
    Moment,
    Setting,
    Told,
    before,
    feed,
    honest,
    liars_first,
    named,
    setting,
    stage,
    with_lies,
)
from tests.protocol.azi_verdicts import (
    assert_gains_nothing,
    assert_goes_on,
    assert_named,
    assert_played_to_the_end,
)
from tests.protocol.azi_ways import AZI
from tests.protocol.forger import Alter
from tests.protocol.liar import deliver_anyhow
from tests.protocol.table_lies import one_wrong_share

pytestmark = pytest.mark.usefixtures("once")

QUICK = (
    "a revoke with every branch simulated",
    "a revoke with the own card allowed",
    "a bid beyond the stack",
    "a card opened to the best of trumps",
    "a claim too few",
    "the blind price after a look",
    "a wrong share for a look",
    "a fold without its shares",
    "a lock that nobody else can open",
    "a wrong share at the deal",
    "a bid out of turn",
    "another result",
)
"""One lie of every kind; the others differ from these in one thing only."""


@pytest.mark.parametrize("name", QUICK)
def test_a_lie_is_named_by_all_and_gains_nothing(name: str) -> None:
    """Code, seat, lane and step; the others go on without the liar, to the end of the match."""
    assert_useless(CHEATS[name])


WHERES = list(dict.fromkeys(cheat.where for cheat in CHEATS.values()))


@pytest.mark.slow
@pytest.mark.parametrize("where", [pytest.param(one, id=str(i)) for i, one in enumerate(WHERES)])
def test_so_is_every_other_lie(where: Setting) -> None:
    """All that can be told at one table, one after the other."""
    for name, cheat in CHEATS.items():
        if cheat.where == where and name not in QUICK:
            try:
                assert_useless(cheat)
            except BaseException as error:
                error.add_note(f"the lie was: {name}")
                raise


def test_every_rule_is_broken_by_some_lie() -> None:
    """All that the rules refuse is tried, but for a price that nobody who cannot pay is asked."""
    codes = {cheat.code for cheat in CHEATS.values()}
    assert {f"rule.{code}" for code in REFUSALS} - codes == {"rule.buy.chips"}


def assert_useless(cheat: Cheat) -> None:
    """The lie is named, the match goes on to its end, and the liar has nothing by it."""
    course = with_lies(cheat.where, cheat.told)
    assert_named(course, (cheat.code, cheat.told))
    assert_played_to_the_end(course)
    assert_goes_on(cheat, course)
    assert_gains_nothing(cheat, course)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "a bid beyond the stack",
        "a revoke with the own card allowed",
        "a wrong share for a look",
        "another result",
    ],
)
def test_a_liar_is_dealt_no_further_hand(name: str) -> None:
    """The others make a pack of their own and play on."""
    once = CHEATS[name]
    options = tuple({**dict(once.where.options), "hands": 2}.items())
    cheat = replace(once, where=replace(once.where, options=options))
    assert_useless(cheat)
    course = with_lies(cheat.where, cheat.told)
    assert [named(over.state)["seats"] for over in course.hands][1:] == [course.honest]


# Who opens, and two at a table.


@pytest.mark.slow
@pytest.mark.parametrize(
    "where",
    [setting(3, min_bid=100), setting(3, ante=0), setting(3, blind="on", min_bid=100)],
)
def test_who_must_open_does_not_get_off_by_a_lie_at_the_deal(where: Setting) -> None:
    """It sees its cards there, and pays at least what being late would cost it later."""
    cheat = Cheat("proof.shares", where, dealt_to_opener, one_wrong_share)
    course = with_lies(where, cheat.told)
    assert_named(course, (cheat.code, cheat.told))
    assert_played_to_the_end(course)
    assert_goes_on(cheat, course)
    assert_gains_nothing(cheat, course)


def dealt_to_opener(m: Moment) -> bool:
    """The cards are dealt to the seat that must open."""
    return m.kind == "shares" and m.phase == "deal" and m.seat == m.azi.opener


@pytest.mark.parametrize(
    ("wanted", "alter", "code", "options"),
    [
        (dealt_to_opener, one_wrong_share, "proof.shares", {}),
        (bids, move("bid", 5000), "rule.bid.chips", {}),
        (could_revoke, revoke(mended), "proof.claim", {}),
        (helps_to_look, one_wrong_share, "proof.shares", {"blind": "on"}),
    ],
)
def test_of_two_the_other_takes_the_bank_and_the_match(
    wanted: Wanted, alter: Alter, code: str, options: dict[str, int | str]
) -> None:
    """One alone plays no further. Who was caught cannot win, with however many chips."""
    where = setting(2, "eager", seed=2, **options)
    cheat = Cheat(code, where, wanted, alter)
    course = with_lies(where, cheat.told)
    assert_named(course, (code, cheat.told))
    other = 1 - cheat.told.seat
    state = named(course.hands[0].state)
    assert (state["ended"], state["winner"]) == ("alone", (other,))
    assert course.match.end.winner == other
    assert_played_to_the_end(course)
    assert_gains_nothing(cheat, course)


# Silence, and other orders of delivery.


@pytest.mark.parametrize(
    ("where", "wanted"),
    [(PLAIN, dealt), pytest.param(BLIND, locks, marks=pytest.mark.slow)],
)
def test_who_gives_no_share_is_waited_for_and_named(where: Setting, wanted: Wanted) -> None:
    """Nobody sees a card by it but those that the others have given; all say whom they wait for."""
    one = next(m for m in honest(where).moments if wanted(m))
    table = stage(where)
    table.tamper = lambda source, target, data: (
        [] if open_envelope(data, table.agreement).seat == one.seat else [data]
    )
    feed(table, before(where, one.place[:2]))
    table.begin()
    table.deliver()
    table.now = 15.0
    for seat, seated in enumerate(table.seats):
        assert seated.faults == []
        if seat != one.seat:
            table.run(seated.session.tick(table.now), seat)
            late = [e for e in seated.events if isinstance(e, Overdue) and e.lane == 0]
            assert [(e.kind, e.seats) for e in late] == [(one.kind, (one.seat,))]
            assert seated.session.view is not None
            assert seated.session.view.hand == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "a revoke with the own card allowed",
        "a wrong share for a look",
        "a fold with a share too few",
        "a wrong share at the deal",
        "another result",
    ],
)
def test_in_any_order_of_delivery_a_lie_has_one_end(name: str) -> None:
    """All others end with the same record."""
    cheat = CHEATS[name]
    for seed in range(2):
        course = with_lies(cheat.where, cheat.told, deliver=partial(deliver_anyhow, seed=seed))
        assert_named(course, (cheat.code, cheat.told))
        assert_played_to_the_end(course)


@pytest.mark.slow
def test_who_was_caught_is_heard_no_more() -> None:
    """What it says afterwards is out of turn; nothing that it says about the past stops anybody."""
    cheat = CHEATS["a bid beyond the stack"]
    lane, step, liar = cheat.told.place
    late = [
        Told((lane, later, liar), stray_move("level"), stray=True) for later in (step + 1, step + 3)
    ]
    told = (cheat.told, *late)
    table = stage(PLAIN, told)
    feed(table, before(PLAIN, cheat.told.place[:2]))
    table.begin()
    liars_first(table, (liar,))
    course = Course(PLAIN, told, table)
    assert_named(course, (cheat.code, cheat.told), *(("turn", one) for one in late))
    assert_played_to_the_end(course)


@pytest.mark.slow
def test_who_cannot_pay_is_not_asked_to_buy_in() -> None:
    """And if it were, it would be refused."""
    one = CHEATS["a price of its own"].moment
    state = one.hand.state
    assert isinstance(state, Interlude)
    stacks = list(state.standing.stacks)
    stacks[one.seat] = state.standing.price - 1
    poor = replace(state.standing, stacks=tuple(stacks))
    asked = AZI.interlude(one.table.agreement.options, poor, one.table.present)
    assert asked is None or one.seat not in AZI.owed(asked)
    with pytest.raises(IllegalMove) as caught:
        AZI.needs(replace(state, standing=poor), one.seat, ("buy",))
    assert caught.value.rule == "buy.chips"


# Whatever a seat signs.

BYTES = st.sampled_from(
    [b"", bytes(32), bytes(33), b"\x02" * 33, b"\xff" * 32, b"\x02" + bytes(32)]
)
WORDS = st.sampled_from(["bid", "fold", "late", "level", "look", "play", "discard", "buy", "pass"])
ATOMS = st.one_of(st.integers(0, 30), st.just(2**63 - 1), BYTES, st.binary(max_size=40), WORDS)
VALUES: st.SearchStrategy[Value] = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=12
)
MOVES = st.lists(st.one_of(WORDS, st.integers(0, 30), VALUES), min_size=1, max_size=3).map(tuple)


@cache
def scenes() -> tuple[Moment, ...]:
    """Moments of all kinds in games with looks, folds, discards, claims and buy-ins."""
    wheres = [
        setting(3, "calm", "eager", "timid", blind="on"),
        CHEATS["the own discard"].where,
        CHEATS["a price of its own"].where,
    ]
    found: dict[tuple[object, ...], Moment] = {}
    for where in wheres:
        for one in honest(where).moments:
            if one.place[0] == 0:
                claims = one.kind == "move" and one.envelope.payload[2] != ()
                found.setdefault((where, one.kind, one.phase, one.move[:1], claims), one)
    return tuple(found.values())


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_whatever_a_seat_signs_is_read_or_refused(data: st.DataObject) -> None:
    """Any payload, any move, an honest one with a field changed: a fault of this seat, or true.

    Nothing else comes out of it, so no entry can stop a session or the verifier.
    """
    one = data.draw(st.sampled_from(scenes()))
    payload = list(one.envelope.payload)
    how = data.draw(st.sampled_from(["any", "move", "field"]))
    if how == "any":
        payload = list(data.draw(st.lists(VALUES, max_size=4)))
    elif how == "move" and payload:
        payload[0] = data.draw(MOVES)
    elif payload:
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(VALUES)
    refused: PeerFault | None = None
    try:
        _, pending = one.lane.read(replace(one.envelope, payload=tuple(payload)))
    except PeerFault as fault:
        refused = fault
    else:
        judge(pending)
    if refused is not None:
        assert refused.text
        assert (refused.lane, refused.step, refused.seat) == one.place
