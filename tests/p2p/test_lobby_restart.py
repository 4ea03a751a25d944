"""Who is started again in a lobby is no liar, and gets its seat. SPEC 11.6, 11.7."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from p2p.messages import Agreed, Message, Statement, TableInfo
from p2p.opener import MOST_ANEW
from p2p.outputs import Phase
from p2p.statements import Commit, Join, Reveal, Said, Sign, read
from p2p.terms import complete_options
from tests.p2p.lobby_room import Player, Room


def said(message: Message) -> Said | None:
    """What a message says in the lobby."""
    return read(message).said if isinstance(message, Statement) else None


def azi() -> TableInfo:
    """A table of three."""
    return TableInfo(b"", b"", "kitchen", "azi", complete_options("azi", {}), 3, 1)


def without(*kinds: type) -> Callable[[str, str, Message], bool]:
    """Messages with such statements are lost, on all links."""
    return lambda source, target, message: isinstance(said(message), kinds)


def three(drops: Callable[[str, str, Message], bool]) -> Room:
    """Anna has opened a table of three; bert and carl ask for seats, all linked with each other."""
    room = Room(drops=drops)
    room.opener("anna", azi())
    for name in ("bert", "carl"):
        room.joiner(name, "anna")
        room.settle()
    room.link("bert", "carl")
    room.settle()
    return room


def started_again(room: Room, name: str) -> Player:
    """Somebody's program is started again, with what is on its disk; it meets bert first."""
    room.vanish(name)
    room.now += 1
    again = room.joiner(name, "anna")
    room.link(name, "bert")
    room.settle()
    return again


def all_agreed(room: Room) -> bool:
    """Whether all sit at one table, and nobody is called a liar."""
    assert not any(player.liars for player in room.players.values())
    return len({tuple(player.agreements) for player in room.players.values()}) == 1 and all(
        len(player.agreements) == 1 for player in room.players.values()
    )


@pytest.mark.parametrize("lost", [(Commit,), (Reveal,), (Sign,)], ids=["commit", "reveal", "sign"])
def test_who_is_started_again_between_the_rounds_gets_its_seat(lost: tuple[type, ...]) -> None:
    """It has forgotten its nonce: there is a new list, and nobody lies."""
    room = three(without(*lost))
    assert room.disks["carl"].number == 3
    before = room.players["anna"].lobby.listing
    room.drops = lambda source, target, message: False
    started_again(room, "carl")
    after = room.players["anna"].lobby.listing
    assert before is not None
    assert after is not None
    assert after.version > before.version
    assert all_agreed(room)


def test_no_list_is_taken_that_was_committed_to_before() -> None:
    """Whoever brings it: a member that has not heard of the new list yet."""
    room = three(without(Reveal))
    old = room.players["bert"].lobby._held[0]
    room.vanish("carl")
    again = room.joiner("carl", "bert")
    room.drops = lambda source, target, message: isinstance(said(message), Join)
    room.wires["bert", "carl"].append(old)
    room.settle()
    assert again.lobby.phase is Phase.JOINING
    assert again.lobby.listing is None


def test_who_signed_before_it_was_started_again_sits_at_that_table() -> None:
    """Its signature makes the table begin; the agreement never came to its disk."""

    def drops(source: str, target: str, message: Message) -> bool:
        to_carl = isinstance(message, Agreed) or isinstance(said(message), Sign)
        return target == "carl" and to_carl

    room = three(drops)
    assert [len(room.players[name].agreements) for name in ("anna", "bert", "carl")] == [1, 1, 0]
    room.drops = lambda source, target, message: False
    started_again(room, "carl")
    assert all_agreed(room)


def test_who_has_not_signed_sits_at_no_table_that_others_name() -> None:
    """An agreement of another lobby is none, whoever sends it."""
    room = three(lambda source, target, message: False)
    sealed = room.players["anna"].lobby._sealed
    other = Room()
    other.opener("anna", azi())
    carl = other.joiner("carl", "anna")
    other.wires["anna", "carl"].append(Agreed(sealed))
    other.settle()
    assert carl.agreements == []
    assert carl.lobby.phase is Phase.SEATED


def test_who_asks_again_and_again_holds_up_nobody_for_ever() -> None:
    """After some new lists it gets the one that is there, and is out of it after ten seconds."""
    room = three(without(Commit))
    anna = room.players["anna"].lobby
    assert anna.listing is not None
    first = anna.listing.version
    for number in range(3 * MOST_ANEW):
        join = Join(anna.info.game, "carl", b"", (), b"")
        room.say("carl", join, 10**9 + number, ["anna"])
        room.settle()
        room.now += 1
    assert anna.listing.version == first + MOST_ANEW
    room.wait(14)
    assert len(anna.listing.members) < 3
