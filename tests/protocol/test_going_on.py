"""Three of four go on: a new record begins with what the old one left, and both can be checked.

The lobby that comes to such an agreement has its tests in ``tests/p2p/test_going_on.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine import Plain, complete, game
from protocol.agreement import Agreement, Player, new_roster, read_agreement, read_roster
from protocol.envelope import TABLE_LANE
from protocol.errors import LocalError, PeerFault
from protocol.events import HandOver, HandStarted
from protocol.going_on import continuation, stopped
from protocol.history import History
from protocol.origin import MAX_HAND, Origin
from protocol.session import Session
from protocol.signing import public_bytes
from protocol.table import TableState
from protocol.verifier import Report, verify
from protocol.wire import Value, pack
from tests.protocol.once import computed_once
from tests.protocol.stopping import POINTS, Played, after_sit, at_sit, stopped_state, two_tables
from tests.protocol.tables import (
    Seated,
    Table,
    by_strategy,
    entropy,
    make_table,
    player_key,
)


@pytest.fixture(scope="module")
def played() -> Played:
    """A match of two hands, one at each table."""
    return two_tables()


def points_of(plain: Plain) -> tuple[int, ...]:
    """The totals of a standing of Hazari."""
    return dict(plain)["points"]  # type: ignore[arg-type, return-value]


def test_the_match_goes_on_at_the_new_table_to_its_end(played: Played) -> None:
    """Scores, dealer and the numbers of hands are those of the table before."""
    report = verify(played.second.record(0))
    assert report.verdict == "complete"
    assert report.end is not None
    events = played.second.seats[2].events
    assert [event.hand for event in events if isinstance(event, HandStarted)] == [2]
    (over,) = (event for event in events if isinstance(event, HandOver))
    assert over.hand == 2
    before, after = points_of(played.found.origin.standing), points_of(report.standing)
    assert (sum(before), sum(after)) == (360, 720)
    assert all(one <= other for one, other in zip(before, after, strict=True))
    names = [player.name for player in played.first.agreement.players]
    names[2] = "somebody new"
    assert [player.name for player in played.second.agreement.players] == names


def test_all_seats_of_the_new_table_have_one_record(played: Played) -> None:
    """That of the newcomer is no other."""
    assert len({played.second.record(seat) for seat in range(4)}) == 1


def test_both_records_show_that_it_goes_on_as_it_may(played: Played) -> None:
    """Who has both needs nothing else."""
    before, after = map(verify, played.records)
    assert held(before, after) == ("holds", "goes on from that one as it may")


def held(before: Report, after: Report) -> tuple[str, str]:
    """Whether one record follows another one."""
    assert before.table is not None
    assert after.agreement is not None
    return continuation(before.table, after.agreement)


def changed(played: Played, **changes: object) -> Agreement:
    """The agreement of the second table with some fields of its roster changed."""
    agreement = played.second.agreement
    return replace(agreement, roster=replace(agreement.roster, **changes))


def test_a_record_that_follows_from_something_else_is_told_apart(played: Played) -> None:
    """Another table, standing, hand, rules, names, or the seat of somebody who was there."""
    before = played.first.seats[0].session.history.table
    origin, players = played.found.origin, played.second.agreement.players
    new, other = players[2], Player(public_bytes(player_key("other", 0)), "other")
    there = (other, players[1], played.first.agreement.players[2], players[3])
    options = (("target", 500), *played.second.agreement.roster.options[1:])
    cases: dict[str, dict[str, object]] = {
        "does not go on": {"origin": None},
        "another table": {"origin": replace(origin, table=bytes(32))},
        "another standing": {"origin": replace(origin, standing=POINTS)},
        "another hand": {"origin": replace(origin, hand=3)},
        "other players": {"origin": replace(origin, keys=origin.keys[::-1])},
        "other rules": {"options": options},
        "name": {"players": (replace(players[0], name="x"), players[1], new, players[3])},
        "there to the end": {"players": there},
    }
    for words, changes in cases.items():
        verdict, clause = continuation(before, changed(played, **changes))
        assert (verdict, words in clause) == ("false", True), clause


def test_a_record_that_ends_too_early_shows_nothing(played: Played) -> None:
    """Of the table before only a part is known."""
    before = History(played.first.agreement).table
    assert continuation(before, played.second.agreement)[0] == "open"


# What an agreement may say.

PLAYERS = tuple(Player(public_bytes(player_key("going on", i)), f"player {i}") for i in range(4))
STRANGER = Player(public_bytes(player_key("going on", 9)), "stranger")
STOPPED = stopped(stopped_state(PLAYERS, PLAYERS[3].key))


def roster(players: tuple[Player, ...], origin: Value) -> Value:
    """A roster of Hazari as a wire value."""
    options = tuple(complete(game("hazari").options, {}).items())
    listed = tuple((player.key, player.name, player.owner) for player in players)
    return (1, "kitchen", "hazari", options, listed, origin)


def seated(**seats: Player) -> tuple[Player, ...]:
    """The players by seat as at the stopped table, with others in some seats (``s0`` and so on)."""
    return tuple(seats.get(f"s{i}", one) for i, one in enumerate(STOPPED.agreement.players))


def origin_value(**changes: Value) -> Value:
    """The origin as a wire value with some fields changed."""
    names = ("table", "hand", "standing", "keys")
    fields = dict(zip(names, STOPPED.origin.value(), strict=True))  # type: ignore[arg-type]
    return tuple({**fields, **changes}.values())


KEYS = STOPPED.origin.keys
WON: Value = (("points", (1000, 80, 0, 0)), ("dealer", (2,)), ("dealt", 3), ("played", 3))

REFUSED: dict[str, tuple[tuple[Player, ...], Value, str]] = {
    "no array": (seated(), b"", "encoding"),
    "three fields": (seated(), STOPPED.origin.value()[:3], "encoding"),  # type: ignore[index]
    "a short id": (seated(), origin_value(table=bytes(31)), "encoding"),
    "hand 0": (seated(), origin_value(hand=0), "encoding"),
    "hand 1000001": (seated(), origin_value(hand=1_000_001), "encoding"),
    "bytes in the standing": (seated(), origin_value(standing=((b"points", 1),)), "encoding"),
    "no standing": (seated(), origin_value(standing=()), "origin"),
    "a standing of another game": (seated(), origin_value(standing=(("stacks", (1,)),)), "origin"),
    "a match that is won": (seated(), origin_value(standing=(*WON, ("broken", 0))), "origin"),
    "a void hand": (seated(), origin_value(standing=(*POINTS[:-1], ("broken", 1))), "origin"),
    "three keys": (seated(), origin_value(keys=KEYS[:3]), "origin"),
    "seven keys": (seated(), origin_value(keys=(*KEYS, *KEYS[:3])), "encoding"),
    "one key twice": (seated(), origin_value(keys=(*KEYS[:3], KEYS[0])), "origin"),
    "a key of small order": (seated(), origin_value(keys=(*KEYS[:3], bytes(32))), "key.identity"),
    "two at each other's seat": (
        seated(s0=seated()[1], s1=seated()[0]),
        STOPPED.origin.value(),
        "origin",
    ),
    "an old key at the seat of another who is gone": (
        seated(s0=seated()[1], s1=STRANGER),
        STOPPED.origin.value(),
        "origin",
    ),
    "half of the seats are new": (
        seated(s0=STRANGER, s1=replace(STRANGER, key=public_bytes(player_key("going on", 8)))),
        STOPPED.origin.value(),
        "origin",
    ),
}


@pytest.mark.parametrize(("players", "origin", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_every_refusal_of_an_origin_has_its_code(
    players: tuple[Player, ...], origin: Value, code: str
) -> None:
    """What cannot be, whoever signs it; a good one is read back as it was."""
    good = read_roster(roster(seated(s1=STRANGER), STOPPED.origin.value()))
    assert good.origin == STOPPED.origin
    assert good.body == pack(roster(seated(s1=STRANGER), STOPPED.origin.value()))
    with pytest.raises(PeerFault) as caught:
        read_roster(roster(players, origin))
    assert caught.value.code == code


def test_without_an_origin_the_seats_follow_from_the_nonces() -> None:
    """With one they are the roster's order, whatever the nonces are."""
    going_on = read_roster(roster(seated(), STOPPED.origin.value()))
    fresh = read_roster(roster(seated(), ()))
    orders = set()
    for number in range(12):
        nonces = tuple(entropy("nonces", number, i)(32) for i in range(4))
        assert Agreement(going_on, nonces).players == seated()
        orders.add(Agreement(fresh, nonces).players)
    assert len(orders) > 1


# What is left of a table.


def test_who_sits_out_is_among_those_whose_seat_may_be_taken() -> None:
    """Hazari stops for want of it, as of who has left."""
    table = at_sit(PLAYERS)
    seat = table.agreement.keys.index(PLAYERS[1].key)
    found = stopped(after_sit(table, {PLAYERS[1].key: "out"}))
    assert (found.vacant, found.caught) == ({seat}, frozenset())
    assert found.origin == Origin(table.agreement.table_id, 3, POINTS, table.agreement.keys)


def test_a_hand_that_is_not_over_counts_for_nothing(played: Played) -> None:
    """Where a table stops in the middle of a hand the next one begins with the same number."""
    one = make_table("cut short", options={"hands": 2})
    history = one.seats[0].session.history
    history.stop(frozenset({1}), "equivocation", "two versions")
    found = stopped(history.table)
    assert (found.origin.hand, found.vacant) == (1, {1})
    opening = one.agreement.game.opening(one.agreement.options, 4)
    assert found.origin.standing == one.agreement.game.plain_standing(opening)


def test_a_hand_that_its_rules_have_ended_counts(played: Played) -> None:
    """Whether all have confirmed its result or not."""
    table = played.first.seats[0].session.history
    states = []
    history = History(played.first.agreement)
    states = list(_states(played.first, history))
    at_result = next(state for state in states if state.stage == "result")
    assert at_result.left == table.table.left
    before = states[states.index(at_result) - 1]
    assert before.left == (before.standing, 1)


def _states(table: Table, history: History) -> Iterator[TableState]:
    """The states of the table lane, step by step, as the record has them."""
    from protocol.record import ordered

    entries: dict[tuple[int, int], dict[int, list[bytes]]] = {}
    for one in table.seats[0].written:
        place = entries.setdefault((one.lane, one.step), {})  # type: ignore[union-attr]
        place.setdefault(one.seat, []).append(one.envelope)  # type: ignore[union-attr]
    last = None
    for _ in ordered(history, lambda lane, step: entries.get((lane, step), {})):
        if history.lanes[TABLE_LANE].rules is not last:
            last = history.table
            yield last


def test_a_table_that_goes_on_begins_with_what_is_due_between_hands() -> None:
    """After an azi, those who have no part in the bank are asked whether they buy in."""
    standing: Plain = (
        ("stacks", (980, 980, 1000)),
        ("carried", 40),
        ("winner", ()),
        ("entry", "azi"),
        ("heirs", (0, 1)),
        ("entered", ()),
        ("azi_bank", 40),
        ("opener", (0,)),
        ("free", 1),
        ("dealt", 1),
        ("played", 1),
    )
    options = complete(game("azi").options, {"azi_entry": "half_pot", "hands": 2})
    keys = tuple(player_key("azi", i) for i in range(3))
    players = tuple(Player(public_bytes(key), f"player {i}") for i, key in enumerate(keys))
    origin = Origin(bytes(32), 2, standing, tuple(player.key for player in players))
    agreement = Agreement(new_roster("again", "azi", options, players, origin), (bytes(32),) * 3)
    sealed = agreement.sealed(tuple(agreement.signature(key) for key in keys))
    history = History(read_agreement(sealed))
    assert (history.table.stage, history.table.owed, history.newest) == ("move", (2,), 0)
    sessions = [Seated(Session(agreement, s, key, entropy("azi", s))) for s, key in enumerate(keys)]
    table = Table(agreement, keys, sealed, sessions, by_strategy("azi", "random", 1))
    with computed_once():
        table.begin()
        table.deliver()
    report = verify(table.record(1))
    assert report.verdict == "complete"
    assert report.steps[0].kind == "move"


def test_nothing_is_left_of_a_table_at_which_a_match_was_won(played: Played) -> None:
    """The second table of the two has ended by its rules."""
    with pytest.raises(LocalError, match="match at that table is over"):
        stopped(played.second.seats[0].session.history.table)


def test_nothing_goes_on_with_a_hand_beyond_the_last_that_there_may_be() -> None:
    """No program would read such an origin, and whoever told of it would be blamed."""
    keys = {PLAYERS[0].key: "leave"}
    assert stopped(after_sit(at_sit(PLAYERS, hand=MAX_HAND), keys)).origin.hand == MAX_HAND
    with pytest.raises(LocalError, match="Nothing goes on from that table"):
        stopped(after_sit(at_sit(PLAYERS, hand=MAX_HAND + 1), keys))
