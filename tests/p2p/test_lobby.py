"""The lobby: seats are given and freed, liars are named, and all sign one agreement."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from p2p.messages import Agreed, Message, Statement
from p2p.opener import Opener
from p2p.outputs import Completed, Phase
from p2p.statements import Commit, Join, Leave, Listing, Member, Reveal, Sign, read
from protocol.agreement import read_agreement
from protocol.errors import PeerFault
from tests.p2p.lobby_room import Player, Room, hash_stream, signing_key, terms


def full_room(*links: tuple[str, str]) -> Room:
    """Anna opens, Bert, Carl and Dora join; all messages delivered. Links are those given."""
    room = Room()
    room.opener("anna")
    joined = {"anna"}
    for name, contact in links:
        if name in joined:
            room.link(name, contact)
        else:
            room.joiner(name, contact)
            joined.add(name)
        room.settle()
    return room


STAR = (("bert", "anna"), ("carl", "anna"), ("dora", "anna"))
CHAIN = (("bert", "anna"), ("carl", "bert"), ("dora", "carl"))


def said(message: Message) -> object:
    """What a lobby message says, None for others."""
    return read(message).said if isinstance(message, Statement) else None


def all_agreed(players: list[Player]) -> bool:
    """Whether all have one and the same agreement, and only that."""
    return all(len(p.agreements) == 1 for p in players) and (
        len({p.agreements[0] for p in players}) == 1
    )


@pytest.mark.parametrize("links", [STAR, CHAIN], ids=["star", "chain"])
def test_full_table_is_signed_by_all(links: tuple[tuple[str, str], ...]) -> None:
    """When all seats are taken, all have the same signed agreement, by any connected graph."""
    room = full_room(*links)
    players = list(room.players.values())
    assert all_agreed(players)
    completed = players[0].told(Completed)[0]
    assert isinstance(completed, Completed)
    agreement = read_agreement(completed.sealed)
    assert sorted(p.name for p in agreement.players) == ["anna", "bert", "carl", "dora"]
    assert agreement.roster.table == "kitchen"
    assert [p.lobby.phase for p in players] == [Phase.AGREED] * 4


def test_nonces_are_fresh_for_every_list() -> None:
    """A player that commits to two lists does so with two nonces."""
    room = full_room(*STAR[:2])
    seen: list[Commit] = []

    def watch(source: str, target: str, message: Message) -> bool:
        what = said(message)
        if isinstance(what, Commit) and source == "bert":
            seen.append(what)
        return isinstance(what, Sign)

    room.drops = watch
    room.joiner("dora", "anna")
    room.settle()
    room.vanish("dora")
    room.wait(8)
    room.drops = lambda source, target, message: watch(source, target, message) and False
    room.joiner("dora", "anna")
    room.settle()
    assert all_agreed(list(room.players.values()))
    assert len({commit.version for commit in seen}) == 2
    assert len({commit.commitment for commit in seen}) == 2


def test_nobody_reveals_before_all_have_committed() -> None:
    """As long as one commitment is missing, no nonce is on any link."""
    room = full_room(*STAR[:2])
    revealed: list[str] = []

    def drops(source: str, target: str, message: Message) -> bool:
        what = said(message)
        if isinstance(what, Reveal):
            revealed.append(source)
        return isinstance(what, Commit) and read_author(message) == room.id("dora")

    room.drops = drops
    room.joiner("dora", "anna")
    room.settle()
    # Dora herself has all four commitments and may reveal; nobody else has hers.
    assert set(revealed) <= {"dora"}
    assert not any(player.agreements for player in room.players.values())


def read_author(message: Message) -> bytes:
    """The author of a lobby message."""
    assert isinstance(message, Statement)
    return message.key


def test_bots_are_marked_with_their_owner() -> None:
    """The roster names the key of a bot's owner, and leaves it empty for people."""
    room = full_room(*STAR[:2])
    room.joiner("dora", "anna", owner=room.id("anna"))
    room.settle()
    completed = room.players["bert"].told(Completed)[0]
    assert isinstance(completed, Completed)
    owners = {p.name: p.owner for p in completed.agreement.players}
    assert owners == {"anna": b"", "bert": b"", "carl": b"", "dora": room.id("anna")}


def test_full_table_refuses() -> None:
    """Who comes too late is told that the table is full, or that it plays."""
    room = full_room(*STAR[:2])
    room.drops = lambda source, target, message: isinstance(said(message), Sign)
    room.joiner("dora", "anna")
    room.settle()
    late = room.joiner("emil", "anna")
    room.settle()
    assert late.refusals == ["full"]
    playing = full_room(*STAR)
    late = playing.joiner("emil", "bert")
    playing.settle()
    assert late.refusals == ["playing"]


def test_refusals_by_way_of_a_member() -> None:
    """A joiner that only knows a member gets the opener's answer through it."""
    room = full_room(*STAR[:2])
    guest = room.joiner("dora", "carl", game="whist")
    room.settle()
    assert guest.refusals == ["game"]


def test_taken_name_gets_a_number() -> None:
    """A joiner whose name is taken joins under its name with a number, and says so itself."""
    room = full_room(*STAR[:1])
    twin = room.joiner("carl", "anna", called="BERT")
    third = room.joiner("dora", "anna", called="bert")
    room.settle()
    assert twin.lobby.me.name == "BERT 2"
    assert third.lobby.me.name == "bert 3"
    assert all_agreed(list(room.players.values()))


def test_long_name_is_cut_for_its_number() -> None:
    """The number fits into the limit of a name, on a whole character."""
    room = Room()
    long = "ü" * 20
    room.opener("anna")
    room.joiner("bert", "anna", called=long)
    twin = room.joiner("carl", "anna", called=long)
    room.settle()
    assert twin.refusals == []
    assert twin.lobby.me.name == "ü" * 19 + " 2"


def test_terms_that_no_game_has_cannot_be_opened() -> None:
    """Unknown games, options out of range and wrong numbers of seats are refused at once."""
    key = signing_key("anna")
    me = Member(b"", "anna")
    for info, code in (
        (replace(terms(), game="whist"), "game"),
        (replace(terms(), options=terms().options[:-1]), "options"),
        (terms(seats=3), "seats"),
    ):
        with pytest.raises(PeerFault) as caught:
            Opener(info, me, key, hash_stream("anna"), 0.0)
        assert caught.value.code == code


def test_changed_terms_drive_a_joiner_away() -> None:
    """A list with other options than those that were joined for is not accepted."""
    room = full_room(*STAR[:1])
    guest = room.joiner("carl", "anna")
    changed = (*terms().options[:1], ("hands", 7), *terms().options[2:])
    members = (
        Member(room.id("anna"), "anna"),
        Member(room.id("carl"), "carl"),
    )
    room.say("anna", Listing(9, "kitchen", "hazari", changed, 4, members), 99, ["carl"])
    room.settle()
    assert guest.refusals == ["opener"]


def test_vanished_member_frees_its_seat() -> None:
    """Six seconds of silence free a seat, and the next one gets it."""
    room = full_room(*CHAIN[:2])
    room.vanish("carl")
    room.wait(4)
    assert len(room.players["anna"].lobby.wanted) == 2
    room.wait(4)
    assert set(room.players["bert"].lobby.wanted) == {room.id("anna")}
    room.joiner("dora", "bert")
    room.joiner("emil", "bert")
    room.settle()
    assert all_agreed(list(room.players.values()))


def test_member_that_is_heard_by_others_keeps_its_seat() -> None:
    """A member without a link to the opener stays, as long as somebody passes its voice on."""
    room = full_room(*CHAIN[:2])
    room.wait(30)
    assert len(room.players["anna"].lobby.wanted) == 2
    assert room.players["carl"].lobby.phase is Phase.SEATED


def test_leaving_frees_the_seat_at_once() -> None:
    """LEAVE needs no waiting."""
    room = full_room(*STAR[:2])
    carl = room.players["carl"]
    room._carry_out(carl, carl.lobby.leave())
    room.settle()
    assert set(room.players["anna"].lobby.wanted) == {room.id("bert")}


def test_old_leave_cannot_be_said_again() -> None:
    """A LEAVE from before somebody joined again does not remove it."""
    room = full_room(*STAR[:2])
    room.say("carl", Leave(), 150, ["anna"])
    room.settle()
    assert set(room.players["anna"].lobby.wanted) == {room.id("bert")}
    room.cut("carl", "anna")
    carl = room.joiner("carl", "anna")
    carl.lobby._voice._count = 200
    room.wait(3)
    assert set(room.players["anna"].lobby.wanted) == {room.id("bert"), room.id("carl")}
    room.say("carl", Leave(), 151, ["anna"])
    room.settle()
    assert set(room.players["anna"].lobby.wanted) == {room.id("bert"), room.id("carl")}


def test_opener_that_leaves_closes_the_table() -> None:
    """Without its opener a table that waits is closed for all, at once or after silence."""
    room = full_room(*CHAIN[:2])
    anna = room.players["anna"]
    room._carry_out(anna, anna.lobby.leave())
    room.settle()
    assert [room.players[n].refusals for n in ("bert", "carl")] == [["closed"], ["closed"]]
    room = full_room(*CHAIN[:2])
    room.vanish("anna")
    room.wait(8)
    assert [room.players[n].refusals for n in ("bert", "carl")] == [["closed"], ["closed"]]


def test_who_gets_no_answer_does_not_ask_for_a_seat_for_ever() -> None:
    """The opener is there, and knows nothing of the table that somebody else has told of."""
    room = full_room(*STAR[:1])
    carl = room.joiner("carl", "anna")
    room.drops = lambda source, target, message: (
        source == "carl" and isinstance(said(message), Join)
    )
    room.wait(29)
    assert carl.refusals == []
    room.wait(3)
    assert carl.refusals == ["closed"]
    assert carl.lobby.deadline is None


def test_member_that_vanishes_while_signing_is_replaced() -> None:
    """A table that was full and is not any more begins anew with the next player."""
    room = full_room(*STAR[:2])
    room.drops = lambda source, target, message: (
        source == "dora" and isinstance(said(message), Reveal)
    )
    room.joiner("dora", "anna")
    room.settle()
    room.vanish("dora")
    room.wait(8)
    room.joiner("emil", "carl")
    room.settle()
    assert all_agreed(list(room.players.values()))


def test_who_holds_up_a_full_table_loses_the_seat() -> None:
    """Being there is not enough: who does not sign within ten seconds makes room."""
    room = full_room(*STAR[:2])
    room.drops = lambda source, target, message: (
        source == "dora" and isinstance(said(message), Commit)
    )
    dora = room.joiner("dora", "anna")
    room.settle()
    room.wait(14)
    assert dora.refusals == ["removed"]
    assert set(room.players["anna"].lobby.wanted) == {room.id("bert"), room.id("carl")}


@pytest.mark.parametrize("links", [STAR[:2], CHAIN[:2]], ids=["star", "chain"])
def test_wrong_reveal_is_named_and_dropped(links: tuple[tuple[str, str], ...]) -> None:
    """A nonce that is not the one committed to names its author, who gets no seat any more."""
    room = full_room(*links)
    contact = "anna" if links[1][1] == "anna" else "carl"
    room.drops = lambda source, target, message: (
        source == "dora" and isinstance(said(message), (Reveal, Sign))
    )
    dora = room.joiner("dora", contact)
    room.settle()
    listing = room.players["anna"].lobby.listing
    assert listing is not None
    room.drops = lambda source, target, message: False
    room.say("dora", Reveal(listing.version, bytes(32)), 500, [contact])
    room.settle()
    honest = [room.players[name] for name in ("anna", "bert", "carl")]
    assert all(player.liars == [(room.id("dora"), "lobby.reveal")] for player in honest)
    assert dora.refusals == ["removed"]
    again = room.joiner("emil", "anna")
    room.settle()
    assert all_agreed([*honest, again])


def test_two_commitments_are_named_and_dropped() -> None:
    """Different commitments for different ears are found out by passing them on."""
    room = full_room(("bert", "anna"), ("carl", "anna"), ("carl", "bert"))
    room.drops = lambda source, target, message: (
        source == "dora" and isinstance(said(message), (Commit, Reveal, Sign))
    )
    room.joiner("dora", "anna")
    room.settle()
    room.link("dora", "bert")
    room.settle()
    room.drops = lambda source, target, message: False
    listing = room.players["anna"].lobby.listing
    assert listing is not None
    room.say("dora", Commit(listing.version, bytes(32)), 500, ["anna"])
    room.say("dora", Commit(listing.version, bytes(31) + b"\1"), 500, ["bert"])
    room.settle()
    assert room.players["anna"].liars == [(room.id("dora"), "lobby.twice")]
    assert room.players["bert"].liars == [(room.id("dora"), "lobby.twice")]
    assert room.id("dora") not in room.players["anna"].lobby.wanted


def test_false_signature_is_named_and_dropped() -> None:
    """A signature of something else than the agreement names its author."""
    room = full_room(*STAR[:2])
    room.drops = lambda source, target, message: (
        source == "dora" and (isinstance(message, Agreed) or isinstance(said(message), Sign))
    )
    room.joiner("dora", "anna")
    room.settle()
    listing = room.players["anna"].lobby.listing
    assert listing is not None
    room.drops = lambda source, target, message: False
    room.say("dora", Sign(listing.version, bytes(64)), 500, ["anna"])
    room.settle()
    assert room.players["bert"].liars == [(room.id("dora"), "lobby.signature")]


def test_opener_with_two_lists_is_found_out() -> None:
    """Two lists under one number close the table and name the opener."""
    room = full_room(*STAR[:2])
    listing = room.players["anna"].lobby.listing
    assert listing is not None
    other = replace(listing, members=listing.members[:1] + listing.members[2:])
    room.say("anna", other, 500, ["bert", "carl"])
    room.settle()
    assert room.players["bert"].liars == [(room.id("anna"), "lobby.twice")]
    assert room.players["carl"].refusals == ["opener"]


def test_missed_signature_comes_with_the_agreement() -> None:
    """Who lost its links in the last round gets the agreement when it is linked again."""
    room = full_room(*STAR[:2])
    room.drops = lambda source, target, message: (
        target == "bert" and isinstance(said(message), Sign)
    )
    dora = room.joiner("dora", "anna")
    # The agreement itself is lost too: the link goes down before it arrives.
    while not dora.agreements:
        for wire in sorted(room.wires):
            if room.wires[wire]:
                room._deliver(*wire, room.wires[wire].popleft())
    room.cut("bert", "anna")
    room.drops = lambda source, target, message: False
    room.settle()
    assert not room.players["bert"].agreements
    room.link("bert", "anna")
    room.settle()
    assert all_agreed(list(room.players.values()))


def test_agreement_that_was_not_signed_here_is_not_accepted() -> None:
    """A well signed agreement from another time does not make this player sit down."""
    old = Room()
    old.opener("anna", replace(terms(), table="attic"))
    for name, contact in STAR:
        old.joiner(name, contact)
        old.settle()
    completed = old.players["anna"].told(Completed)[0]
    assert isinstance(completed, Completed)
    room = full_room(*STAR[:2])
    bert = room.players["bert"].lobby
    assert bert.agreed(completed.sealed) == []
    # Also when it has just signed another one, whose last signature is on its way.
    room.drops = lambda source, target, message: (
        target == "bert" and (isinstance(message, Agreed) or isinstance(said(message), Sign))
    )
    room.joiner("dora", "anna")
    room.settle()
    assert bert.rounds.has_signed_any
    assert bert.agreed(completed.sealed) == []
    assert bert.phase is Phase.SEATED


def test_advertised_with_the_seats_taken() -> None:
    """Opener and members tell of the table with the seats taken; one that plays is full."""
    room = full_room(*STAR[:2])
    for name in ("anna", "bert"):
        assert [info.taken for info in room.players[name].lobby.advertised] == [3]
    room.joiner("dora", "bert")
    assert room.players["dora"].lobby.advertised == ()
    room.settle()
    for player in room.players.values():
        assert [info.taken for info in player.lobby.advertised] == [4]


@pytest.mark.parametrize("seed", range(40))
def test_any_order_of_delivery_ends_in_one_agreement(seed: int) -> None:
    """Whatever the links and in whatever order they deliver, all sign the same."""
    chance = random.Random(seed)
    room = Room()
    room.opener("anna")
    names = ["anna"]
    for name in ("bert", "carl", "dora"):
        room.joiner(name, chance.choice(names))
        names.append(name)
        for _ in range(chance.randrange(6)):
            deliver_one(room, chance)
        if chance.random() < 0.7:
            one, other = chance.sample(names, 2)
            if (one, other) not in room.links:
                room.link(one, other)
    while any(room.wires.values()):
        deliver_one(room, chance)
        if chance.random() < 0.05:
            # A link goes down with what is under way on it, and comes up again at once.
            one, other = chance.choice(sorted(room.links))
            room.cut(one, other)
            room.link(one, other)
    # Who asked somebody that had no seat itself yet asks again, beat by beat.
    room.wait(7)
    assert all_agreed(list(room.players.values()))
    assert not any(player.liars for player in room.players.values())


def deliver_one(room: Room, chance: random.Random) -> None:
    """Delivers the next message of some link."""
    waiting = [wire for wire in sorted(room.wires) if room.wires[wire]]
    if waiting:
        source, target = chance.choice(waiting)
        room._deliver(source, target, room.wires[source, target].popleft())
