"""A table begins when all seats are taken and all players are ready; not sooner."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from p2p.messages import Message, Statement
from p2p.outputs import Changed, Phase
from p2p.statements import Commit, Here, Leave, Listing, read
from protocol.errors import LocalError
from tests.p2p.lobby_room import Room

NAMES = ("anna", "bert", "carl", "dora")


def room_of(ready: str, chain: bool = False) -> Room:
    """All four sit at the table; those are ready whose first letter is given."""
    room = Room()
    room.opener("anna", ready="a" in ready)
    for before, name in pairwise(NAMES):
        room.joiner(name, before if chain else "anna", ready=name[0] in ready)
        room.settle()
    return room


def begun(room: Room) -> bool:
    """Whether all who are there have one agreement, or none of them has."""
    tables = {tuple(player.agreements) for player in room.players.values()}
    assert len(tables) == 1
    return tables != {()}


def seen_ready(room: Room, by: str) -> set[str]:
    """Who is ready as somebody sees it."""
    lobby = room.players[by].lobby
    return {name for name in room.players if lobby.rounds.is_ready(room.id(name))}


def says(message: Message) -> object:
    """What a lobby message says, None for others."""
    return read(message).said if isinstance(message, Statement) else None


@pytest.mark.parametrize("chain", [False, True], ids=["star", "chain"])
@pytest.mark.parametrize("late", NAMES)
def test_the_last_one_to_be_ready_begins(late: str, chain: bool) -> None:
    """Whoever it is, the opener too; all see at once who is ready."""
    room = room_of("abcd".replace(late[0], ""), chain)
    room.wait(30)
    assert not begun(room)
    for name in NAMES:
        assert seen_ready(room, name) == set(NAMES) - {late}
        assert room.players[name].lobby.phase is Phase.SEATED
    room.ready(late, True)
    assert begun(room)


def test_nobody_commits_before_all_are_ready() -> None:
    """So everybody may take it back until then."""
    room = Room()
    spoken: list[str] = []

    def watch(source: str, target: str, message: Message) -> bool:
        if isinstance(says(message), Commit):
            spoken.append(source)
        return False

    room.drops = watch
    room.opener("anna")
    for name in NAMES[1:]:
        room.joiner(name, "anna", ready=name != "dora")
        room.settle()
    room.wait(5)
    assert spoken == []
    room.ready("bert", False)
    room.ready("dora", True)
    room.wait(5)
    assert spoken == []
    assert not begun(room)
    room.ready("bert", True)
    assert begun(room)


def test_a_change_is_told_once() -> None:
    """People hear of it at every seat; saying the same again changes nothing."""
    room = room_of("ab")
    before = {name: len(room.players[name].told(Changed)) for name in NAMES}
    room.ready("carl", True)
    for name in NAMES:
        assert len(room.players[name].told(Changed)) == before[name] + 1
    room.ready("carl", True)
    room.wait(6)
    for name in NAMES:
        assert len(room.players[name].told(Changed)) == before[name] + 1
    room.ready("carl", False)
    assert seen_ready(room, "dora") == {"anna", "bert"}


def test_whoever_comes_later_learns_who_is_ready_at_once() -> None:
    """Not only with the next beat."""
    room = Room()
    room.opener("anna", ready=True)
    room.joiner("bert", "anna", ready=False)
    room.joiner("carl", "anna", ready=True)
    room.settle()
    room.joiner("dora", "anna", ready=False)
    room.settle()
    for name in NAMES:
        assert seen_ready(room, name) == {"anna", "carl"}


def test_it_is_too_late_after_the_own_commitment() -> None:
    """For this list; when the list changes it can be taken back again."""
    room = room_of("abc")
    room.drops = lambda source, target, message: isinstance(says(message), Commit)
    room.ready("dora", True)
    bert = room.players["bert"].lobby
    with pytest.raises(LocalError, match="too late"):
        bert.be_ready(False)
    assert bert.be_ready(True) == []
    room.drops = lambda source, target, message: False
    dora = room.players["dora"]
    room._carry_out(dora, dora.lobby.leave())
    room.settle()
    room.ready("bert", False)
    assert seen_ready(room, "anna") == {"anna", "carl"}


def test_what_is_said_against_a_commitment_does_not_count() -> None:
    """Whoever has committed and then says it is not ready is bound all the same."""
    room = room_of("abc")
    room.drops = lambda source, target, message: (
        isinstance(says(message), Commit) and source == "dora"
    )
    room.ready("dora", True)
    room.say("bert", Here(False), 9_000, ["anna"])
    room.settle()
    assert room.players["anna"].lobby.rounds._bound(room.id("bert"))
    assert "bert" in seen_ready(room, "anna")
    room.drops = lambda source, target, message: False
    room.cut("dora", "anna")
    room.link("dora", "anna")
    room.settle()
    assert begun(room)


def test_an_old_word_cannot_be_said_again() -> None:
    """A HERE from before does not make anybody ready, or not ready."""
    room = room_of("abc")
    room.wait(3)
    room.say("carl", Here(False), 1, ["anna"])
    room.say("dora", Here(True), 1, ["anna"])
    room.settle()
    assert seen_ready(room, "anna") == {"anna", "bert", "carl"}
    assert not begun(room)


def test_nobody_loses_the_seat_for_not_being_ready() -> None:
    """A full table waits for people as long as they like."""
    room = room_of("abc")
    room.wait(60)
    assert all(player.refusals == [] for player in room.players.values())
    room.ready("dora", True)
    assert begun(room)


def test_who_is_ready_and_does_not_sign_loses_the_seat() -> None:
    """Ten seconds after the last one was ready, not after the table was full."""
    room = room_of("abc")
    room.wait(30)
    room.drops = lambda source, target, message: (
        source == "dora" and isinstance(says(message), Commit)
    )
    room.ready("dora", True)
    room.wait(6)
    assert room.players["dora"].refusals == []
    room.wait(8)
    assert room.players["dora"].refusals == ["removed"]
    assert set(room.players["anna"].lobby.wanted) == {room.id("bert"), room.id("carl")}


def test_a_seat_that_changes_hands_is_not_ready() -> None:
    """Others stay ready; the new one has to say so itself, also if it was here before."""
    room = room_of("acd")
    dora = room.players["dora"]
    room._carry_out(dora, dora.lobby.leave())
    room.settle()
    room.cut("dora", "anna")
    room.joiner("dora", "anna", ready=False)
    room.players["dora"].lobby._voice._count = 5_000
    room.settle()
    room.wait(3)
    assert seen_ready(room, "anna") == {"anna", "carl"}
    room.ready("bert", True)
    assert not begun(room)
    room.ready("dora", True)
    assert begun(room)


def test_opener_that_leaves_closes_a_table_that_waits_for_somebody() -> None:
    """Ready or not."""
    room = room_of("ab")
    anna = room.players["anna"]
    room._carry_out(anna, anna.lobby.leave())
    room.settle()
    assert [room.players[name].refusals for name in NAMES[1:]] == [["closed"]] * 3


def test_a_stranger_is_nobody_to_wait_for() -> None:
    """HERE of somebody without a seat does not count."""
    room = room_of("abc")
    room.joiner("emil", "anna", ready=True)
    room.say("emil", Here(True), 500, ["anna"])
    room.settle()
    assert room.id("emil") not in room.players["anna"].lobby.rounds._ready


def test_whoever_is_not_seated_yet_may_be_ready_already() -> None:
    """It says so as soon as it has its seat."""
    room = Room()
    room.opener("anna")
    bert = room.joiner("bert", "anna", ready=False)
    room._carry_out(bert, bert.lobby.be_ready(True))
    room.settle()
    assert seen_ready(room, "anna") == {"anna", "bert"}


@pytest.mark.parametrize("seed", range(20))
def test_any_order_ends_in_one_agreement(seed: int) -> None:
    """People change their minds while links come and go; in the end all are ready and sit down."""
    chance = random.Random(seed)
    room = Room()
    room.opener("anna", ready=chance.random() < 0.5)
    names = ["anna"]
    for name in NAMES[1:]:
        room.joiner(name, chance.choice(names), ready=chance.random() < 0.5)
        names.append(name)
        for _ in range(chance.randrange(8)):
            deliver_one(room, chance)
    for _ in range(30):
        deliver_one(room, chance)
        player = room.players[chance.choice(NAMES)]
        if player.lobby.phase is Phase.SEATED and chance.random() < 0.5:
            try:
                room._carry_out(player, player.lobby.be_ready(chance.random() < 0.6))
            except LocalError:
                assert player.lobby.rounds._bound(player.id)
        if chance.random() < 0.1:
            one, other = chance.choice(sorted(room.links))
            room.cut(one, other)
            room.link(one, other)
    room.wait(7)
    for name in NAMES:
        if room.players[name].lobby.phase is Phase.SEATED:
            room.ready(name, True)
    room.wait(7)
    assert begun(room)
    assert not any(player.liars or player.refusals for player in room.players.values())


def deliver_one(room: Room, chance: random.Random) -> None:
    """Delivers the next message of some link."""
    waiting = [wire for wire in sorted(room.wires) if room.wires[wire]]
    if waiting:
        source, target = chance.choice(waiting)
        room._deliver(source, target, room.wires[source, target].popleft())


def test_lists_that_were_left_behind_leave_nobody_ready() -> None:
    """What is known of players ends with their seat."""
    room = room_of("abc")
    anna = room.players["anna"].lobby
    assert isinstance(anna.listing, Listing)
    room.say("bert", Leave(), 9_000, ["anna"])
    room.settle()
    assert room.id("bert") not in anna.rounds._ready
