"""A table that goes on from another one: who gets which seat, and what nobody signs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Plain
from p2p.lobby import Lobby
from p2p.outputs import Completed, Refused
from p2p.statements import Join, Listing, Member
from protocol.agreement import Agreement, Player
from protocol.errors import LocalError
from protocol.going_on import StoppedTable, stopped
from protocol.origin import Origin
from protocol.signing import public_bytes
from tests.p2p.lobby_room import Room, signing_key, terms
from tests.protocol.stopping import POINTS, after_sit, at_sit, stopped_state

NAMES = ("anna", "ben", "carl", "dan")


def key(name: str) -> bytes:
    """The public key of somebody."""
    return public_bytes(signing_key(name))


PLAYERS = tuple(Player(key(name), name) for name in NAMES)


def left(*names: str) -> StoppedTable:
    """The table of the four, after these have left it."""
    return stopped(stopped_state(PLAYERS, *map(key, names)))


def room_of(table: StoppedTable, **more: bool) -> Room:
    """A room in which anna has opened a table that goes on."""
    room = Room()
    info = replace(terms(), options=table.agreement.roster.options)
    room.opener("anna", info, stopped=table, **more)
    return room


def come(room: Room, table: StoppedTable, *names: str) -> None:
    """Some ask for a seat, one after the other; those who were there know the table."""
    for name in names:
        room.joiner(name, "anna", stopped=table if name in NAMES else None)
        room.settle()


def agreement_of(room: Room, name: str) -> Agreement:
    """What somebody has signed with all others."""
    (completed,) = (o for o in room.players[name].out if isinstance(o, Completed))
    return completed.agreement


def refusals(room: Room, name: str) -> list[str]:
    """The codes by which somebody was refused."""
    return [o.code for o in room.players[name].out if isinstance(o, Refused)]


@pytest.mark.parametrize("order", [("ben", "carl", "zoe"), ("zoe", "carl", "ben")])
def test_three_go_on_with_somebody_new_in_the_seat_of_the_fourth(order: tuple[str, ...]) -> None:
    """Seats and scores are those of the table before, in whatever order they come."""
    table = left("dan")
    room = room_of(table)
    come(room, table, *order)
    names = [player.name for player in table.agreement.players]
    expected = ["zoe" if name == "dan" else name for name in names]
    for name in ("anna", *order):
        agreement = agreement_of(room, name)
        assert [player.name for player in agreement.players] == expected
        assert agreement.roster.origin == table.origin
    standing = agreement.game.plain_standing(agreement.standing)
    assert (standing, agreement.first_hand) == (POINTS, 3)


def test_all_four_may_go_on_when_the_fourth_has_thought_better_of_it() -> None:
    """Whoever left may come back, as long as the seat is free and the others sign it."""
    table = left("dan")
    room = room_of(table)
    come(room, table, "dan", "carl", "ben")
    assert agreement_of(room, "dan").players == table.agreement.players


def test_seats_of_those_who_were_there_to_the_end_are_kept_for_them() -> None:
    """The second newcomer is refused, though a seat is free."""
    table = left("dan")
    room = room_of(table)
    come(room, table, "zoe", "yan")
    assert refusals(room, "yan") == ["kept"]
    come(room, table, "carl", "ben")
    assert "yan" not in [player.name for player in agreement_of(room, "zoe").players]


def test_a_seat_that_was_given_away_is_gone() -> None:
    """Dan comes after zoe: anna, ben and carl keep their seats."""
    table = left("dan")
    room = room_of(table)
    come(room, table, "zoe", "dan")
    assert refusals(room, "dan") == ["kept"]


def test_more_than_half_keep_their_seats() -> None:
    """Two of four have left: one of them, or nobody, has to come back."""
    table = left("dan", "carl")
    room = room_of(table)
    come(room, table, "zoe", "yan", "ben")
    assert refusals(room, "yan") == ["kept"]
    come(room, table, "carl")
    assert {p.name for p in agreement_of(room, "ben").players} == {"anna", "ben", "carl", "zoe"}


def test_a_player_who_changed_names_is_not_seated_as_somebody_else() -> None:
    """Nor is a newcomer by the name of one whose seat is kept."""
    table = left("dan")
    room = room_of(table)
    room.joiner("ben", "anna", called="benjamin", stopped=table)
    room.settle()
    assert refusals(room, "ben") == ["kept"]
    room.joiner("zoe", "anna", called="carl")
    room.settle()
    assert room.players["zoe"].lobby.me.name == "carl 2"


def test_who_is_seated_cannot_drive_the_others_away_by_another_name() -> None:
    """In a full list it may ask for its seat again: by the name that it had, or in vain."""
    table = left("dan")
    room = room_of(table, ready=False)
    come(room, table, "ben", "carl", "zoe")
    for count, name in enumerate(("benjamin", "ben")):
        again = Join("hazari", name, b"", ())
        room.say("ben", again, 10**15 + count, ["anna"])
        room.settle()
        assert room.players["anna"].lobby.listing is not None
        names = {member.name for member in room.players["anna"].lobby.listing.members}
        assert names == {"anna", "ben", "carl", "zoe"}
    assert refusals(room, "carl") == refusals(room, "zoe") == []


def test_who_was_caught_does_not_come_back() -> None:
    """It could not win at the table before."""
    state = stopped_state(PLAYERS, key("dan"))
    seat = state.agreement.keys.index(key("dan"))
    table = stopped(replace(state, caught=frozenset({seat})))
    room = room_of(table)
    come(room, table, "dan")
    assert refusals(room, "dan") == ["kept"]


def wrong_points(table: StoppedTable) -> Origin:
    """Ten points from one seat to another."""
    plain = dict(POINTS)  # type: ignore[arg-type]
    plain["points"] = (110, 85, 85, 80)
    return replace(table.origin, standing=tuple(plain.items()))


LIES = {
    "another standing": wrong_points,
    "another hand": lambda table: replace(table.origin, hand=4),
    "another table": lambda table: replace(table.origin, table=bytes(32)),
    "other seats": lambda table: replace(table.origin, keys=table.origin.keys[::-1]),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_who_was_there_signs_nothing_that_is_not_so(lie: object) -> None:
    """The opener tells another origin than what it was: all others leave."""
    table = left("dan")
    false = replace(table, origin=lie(table))  # type: ignore[operator]
    room = room_of(false)
    come(room, table, "ben")
    assert refusals(room, "ben") == ["opener"]


def test_who_was_there_signs_no_other_rules() -> None:
    """The options are those of the table before."""
    table = left("dan")
    room = Room()
    room.opener("anna", terms(), stopped=table)
    come(room, table, "ben")
    assert refusals(room, "ben") == ["opener"]


def test_who_was_there_and_cannot_look_it_up_signs_nothing() -> None:
    """Its data folder is lost, or it did not see the end."""
    table = left("dan")
    room = room_of(table)
    room.joiner("ben", "anna", stopped=None)
    room.settle()
    assert refusals(room, "ben") == ["opener"]


def test_nobody_who_was_there_signs_away_the_seat_of_another_who_was() -> None:
    """The opener is another program: it says that carl was the one who left."""
    table = left("dan")
    carl = table.origin.keys.index(key("carl"))
    false = replace(table, vacant=frozenset({carl}))
    room = room_of(false)
    come(room, table, "zoe", "ben", "dan")
    assert refusals(room, "ben") == refusals(room, "dan") == ["opener"]
    for player in room.players.values():
        assert not [o for o in player.out if isinstance(o, Completed)]


def _list(room: Room, *names: str) -> Listing:
    """A list of anna and these, as the opener would make it."""
    lobby: Lobby = room.players["anna"].lobby
    assert lobby.listing is not None
    members = tuple(Member(key(name), name) for name in ("anna", *names))
    return replace(lobby.listing, version=99, members=members)


def test_a_list_must_not_change_what_the_table_begins_with() -> None:
    """Also to those who were not there: what they see when they sit down is what they sign."""
    table = left("dan")
    room = room_of(table)
    come(room, table, "zoe")
    changed = replace(_list(room, "zoe"), origin=wrong_points(table))
    room.say("anna", changed, 10**15, ["zoe"])
    room.settle()
    assert refusals(room, "zoe") == ["opener"]


def test_a_list_must_not_come_to_go_on_after_somebody_has_joined() -> None:
    """Nor the other way round: it is part of what was joined for."""
    room = Room()
    room.opener("anna", replace(terms(), options=left("dan").agreement.roster.options))
    room.joiner("zoe", "anna")
    room.settle()
    room.say("anna", replace(_list(room, "zoe"), origin=left("dan").origin), 10**15, ["zoe"])
    room.settle()
    assert refusals(room, "zoe") == ["opener"]


def test_nothing_goes_on_from_a_table_that_is_not_over() -> None:
    """While it plays nobody can leave it that way."""
    with pytest.raises(LocalError, match="not over"):
        stopped(at_sit(PLAYERS))


def test_nothing_goes_on_from_a_match_that_has_ended() -> None:
    """Somebody has won."""
    plain: Plain = (*POINTS[:-2], ("played", 1), ("broken", 0))  # type: ignore[misc]
    table = at_sit(PLAYERS, options={"hands": 1}, standing=plain)
    with pytest.raises(LocalError, match="over"):
        stopped(after_sit(table, {key("dan"): "leave"}))


def test_nothing_goes_on_from_a_void_hand() -> None:
    """Two have left one hand: else they could come back and be dealt new cards."""
    state = stopped_state(PLAYERS, key("dan"))
    assert state.ending is not None
    standing = state.agreement.game.restored(
        state.agreement.options,
        4,
        (*POINTS[:-1], ("broken", 1)),  # type: ignore[misc]
    )
    void = replace(state, ending=replace(state.ending, left=(standing, 4)))
    with pytest.raises(LocalError, match="match is over"):
        stopped(void)
