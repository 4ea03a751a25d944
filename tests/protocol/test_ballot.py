"""A ballot answers just as the explored rule does, and keeps what it is asked to remember."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.ballot import GONE, MAX_ROUND, Ballot, Kind, Question, Vote, contradiction
from tests.model import vote as model

ENTRY = b"e" * 32
ASKED = Question(3, 7, bytes(range(32)), 2)


def cast(
    seat: int = 0,
    kind: Kind = "vote",
    round: int = 1,
    value: bytes = GONE,
    basis: int = 0,
    question: Question = ASKED,
) -> Vote:
    """A vote of a seat, by default for GONE in round 1; unsigned, as that plays no part here."""
    data = repr((seat, kind, round, value, basis)).encode()
    return Vote(question, seat, kind, round, value, basis, data)


VOTERS = (0, 1, 2, 3, 4, 5)
MODEL_QUESTION = model.Question((), 2)
VERSIONS = (model.GONE, 1, 2)


def hashed(version: int) -> bytes:
    """The value that stands for a version of the model's entry; in the same order."""
    return GONE if version == model.GONE else bytes([version]) * 32


def said(message: model.Vote | model.Stand, seats: tuple[int, ...]) -> Vote:
    """The model's message as a vote of the table's."""
    basis = message.basis if isinstance(message, model.Vote) else 0
    kind: Kind = "vote" if isinstance(message, model.Vote) else "stand"
    value = hashed(message.value)
    return cast(seats[message.seat], kind, message.round, value, basis)


@st.composite
def messages(draw: st.DrawFn, seats: int) -> list[model.Vote | model.Stand]:
    """What liars and honest seats may have said, biased to what makes certificates.

    In most rounds most seats say the same, so that bases and stands have something to rest on.
    """
    found: list[model.Vote | model.Stand] = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        usual = draw(st.sampled_from(VERSIONS)), draw(st.integers(0, number - 1))
        oddness = draw(st.sampled_from([1, 1, 4]))
        for seat in range(seats):
            value, basis = usual
            is_odd = draw(st.integers(0, 9)) < oddness
            if is_odd:
                value, basis = draw(st.sampled_from(VERSIONS)), draw(st.integers(0, number - 1))
            spoken = draw(st.sampled_from(["both", "both", "vote", "vote", "stand", "nothing"]))
            if spoken in ("both", "vote"):
                found.append(model.Vote(seat, MODEL_QUESTION, number, value, basis))
            if spoken in ("both", "stand"):
                found.append(model.Stand(seat, MODEL_QUESTION, number, value))
            if is_odd and draw(st.booleans()):
                other = VERSIONS[value - 1]
                found.append(model.Vote(seat, MODEL_QUESTION, number, other, basis))
                found.append(model.Stand(seat, MODEL_QUESTION, number, other))
    return draw(st.permutations(found))


def stands_twice(known: model.Known, seat: int) -> bool:
    """Whether a seat's newest round has two stands: the model takes any of them, the ballot one."""
    rounds = [m.round for m in known if isinstance(m, model.Stand) and m.seat == seat]
    return rounds.count(max(rounds, default=0)) > 1


@pytest.mark.slow
@settings(max_examples=300)
@given(st.integers(1, 6), st.sets(st.sampled_from([1, 2])), st.data())
def test_the_ballot_answers_as_the_explored_rule_does(
    count: int, versions: set[int], data: st.DataObject
) -> None:
    """Every question that both can be asked, after any set of messages in any order."""
    seats = VOTERS[6 - count :]
    heard = data.draw(messages(count))
    # Mute seats may say anything of themselves: in the ballot that is the caller's business.
    rule = model.Rule(count, ((2,),), mute=tuple(range(count)))
    entries = [model.Entry(2, (), version) for version in versions]
    known: model.Known = frozenset((*heard, *entries))
    held = {hashed(version) for version in versions}
    ballot = Ballot(seats)
    for number, message in enumerate(heard):
        mine = said(message, seats)
        assert ballot.add(mine) is (message not in heard[:number])
        assert ballot.knows(mine)

    assert ballot.quorum == rule.quorum
    for number in range(6):
        certified = rule.certified(known, MODEL_QUESTION, number)
        assert ballot.certified(number, held) == [hashed(value) for value in certified]
    settled = rule.settled(known, MODEL_QUESTION)
    assert ballot.settled(held) == (None if settled is None else hashed(settled))
    for place, seat in enumerate(seats):
        assert ballot.round_of(seat) == rule.round_of(known, place, MODEL_QUESTION)
        assert ballot.spoken_for_gone(seat) == rule._doubts(known, place, MODEL_QUESTION)
        if stands_twice(known, place):
            continue
        standing = rule.standing(known, place, MODEL_QUESTION)
        assert ballot.standing(seat) == (None if standing is None else said(standing, seats))
        stands = rule.stands(known, place, MODEL_QUESTION)
        assert ballot.stands(seat, held) == [hashed(stand.value) for stand in stands]
        votes = rule.votes(known, place, MODEL_QUESTION)
        assert ballot.votes(seat, held) == [(hashed(v.value), v.basis) for v in votes]
        for version in (None, *VERSIONS):
            lead = version if version is None else model.Vote(0, MODEL_QUESTION, 1, version, 0)
            picked = rule.picked(known, place, MODEL_QUESTION, lead)
            assert ballot.picked(seat, held, lead and said(lead, seats)) == (
                None if picked is None else (hashed(picked.value), picked.basis)
            )


@given(messages(2))
def test_contradictions_are_those_of_the_explored_rule(
    heard: list[model.Vote | model.Stand],
) -> None:
    """Of any two messages, and of one against a ballot; the order plays no part."""
    ballot = Ballot((0, 1))
    for message in heard:
        found = False
        for other in heard:
            if other.seat == message.seat:
                expected = model.contradict(message, other) or model.contradict(other, message)
                mine, theirs = said(message, VOTERS), said(other, VOTERS)
                assert (contradiction(mine, theirs) is not None) == expected
                assert contradiction(mine, theirs) == contradiction(theirs, mine)
                found |= expected and ballot.knows(theirs)
        against = ballot.against(said(message, VOTERS))
        assert (against is not None) == found
        assert against is None or contradiction(against, said(message, VOTERS)) is not None
        ballot.add(said(message, VOTERS))


def test_contradictions_have_their_codes() -> None:
    """Two votes or two stands of a round, and a stand that a vote breaks; no other pair."""
    stand = cast(kind="stand", round=2)
    assert contradiction(cast(), cast(value=ENTRY)) == "vote.twice"
    assert contradiction(cast(round=3, basis=1), cast(round=3, basis=2)) == "vote.twice"
    assert contradiction(stand, cast(kind="stand", round=2, value=ENTRY)) == "vote.twice"
    assert contradiction(stand, cast(round=3, value=ENTRY, basis=1)) == "vote.stand"
    assert contradiction(stand, cast(round=3, basis=0)) == "vote.stand"
    assert contradiction(stand, cast(round=3, value=ENTRY, basis=2)) is None
    assert contradiction(stand, cast(round=2, value=ENTRY)) is None
    assert contradiction(stand, stand) is None
    assert contradiction(cast(), cast(seat=1, value=ENTRY)) is None
    elsewhere = replace(ASKED, head=ENTRY)
    assert contradiction(cast(), cast(value=ENTRY, question=elsewhere)) is None


def test_one_vote_under_two_signatures_is_one_vote() -> None:
    """Ed25519 leaves it to the signer how many signatures a body has; it proves nothing."""
    first = cast(kind="stand")
    second = replace(first, data=b"signed anew")
    ballot = Ballot((0, 1))
    assert ballot.add(first)
    assert contradiction(first, second) is None
    assert ballot.against(second) is None
    assert not ballot.add(second)
    assert ballot.all() == (first,)


def filled(*votes: Vote, voters: tuple[int, ...] = (0, 1, 2, 3)) -> Ballot:
    """A ballot with these votes."""
    ballot = Ballot(voters)
    for one in votes:
        assert ballot.add(one)
    return ballot


def test_a_seat_without_a_vote_is_not_counted() -> None:
    """Whatever it signs."""
    ballot = Ballot((0, 1, 2))
    assert not ballot.add(cast(seat=3))
    assert ballot.all() == ()


def test_the_lead_goes_round_among_the_voting_seats() -> None:
    """From round 2 on, in seat order, whatever the order they are named in."""
    ballot = Ballot((5, 1, 3))
    assert ballot.voters == (1, 3, 5)
    assert [ballot.leader(number) for number in range(2, 9)] == [1, 3, 5, 1, 3, 5, 1]


def test_votes_are_found_by_seat_and_round() -> None:
    """And rounds counted by who voted in them, with what does not count as well."""
    first, later = cast(), cast(round=2, value=ENTRY, basis=1)
    ballot = filled(cast(1), first, later, cast(2), cast(kind="stand"))
    assert ballot.vote_of(0, 1) == first
    assert ballot.vote_of(0, 2) == later
    assert ballot.vote_of(1, 2) is None
    assert [ballot.voted(number) for number in range(4)] == [0, 3, 1, 0]
    assert ballot.newest == 1
    assert Ballot((0, 1)).newest == 0


def test_doubt_is_that_somebody_spoke_for_gone() -> None:
    """By a vote or a stand; a vote for the entry raises none."""
    assert not filled(cast(value=ENTRY)).doubted
    assert filled(cast(value=ENTRY), cast(1)).doubted
    ballot = filled(cast(1, kind="stand"))
    assert ballot.doubted
    assert ballot.spoken_for_gone(1)
    assert not ballot.spoken_for_gone(0)


def test_nobody_votes_after_the_last_round() -> None:
    """A vote of round 65 would be refused by all."""
    full = [cast(seat, round=n) for n in range(1, MAX_ROUND + 1) for seat in range(3)]
    ballot = filled(*full)
    assert ballot.votes(0, ()) == []
    assert ballot.picked(0, (), None) is None
    assert ballot.votes(3, ()) == [(GONE, 0)]
    assert ballot.stands(0, ()) == [GONE]
    assert ballot.newest == MAX_ROUND


def test_certificates_that_rest_on_each_other_are_found_through_all_rounds() -> None:
    """64 rounds of six seats, each on the one before: counted at once, and only from the ground."""
    votes = [
        cast(seat, round=n, value=ENTRY, basis=n - 1)
        for n in range(1, MAX_ROUND + 1)
        for seat in range(6)
    ]
    ballot = filled(*votes, voters=VOTERS)
    assert ballot.certified(MAX_ROUND, [ENTRY]) == [ENTRY]
    assert ballot.certified(MAX_ROUND, ()) == []
    loose = filled(*votes[6:], voters=VOTERS)
    assert all(loose.certified(n, [ENTRY]) == [] for n in range(1, MAX_ROUND + 1))


def test_a_vote_rests_on_a_certificate_for_its_own_value() -> None:
    """One for another value is no basis, and more than half must have it."""
    first = [cast(seat) for seat in (0, 1, 2)]
    entry = [cast(seat, round=2, value=ENTRY, basis=1) for seat in (0, 1, 2)]
    assert filled(*first, *entry).certified(2, [ENTRY]) == []
    gone = [cast(seat, round=2, basis=1) for seat in (0, 1, 2)]
    assert filled(*first, *gone).certified(2, [ENTRY]) == [GONE]
    assert filled(*first[1:], *gone).certified(2, [ENTRY]) == []


def test_an_absence_has_the_lowest_seats_of_the_lowest_round() -> None:
    """Just so many stands as are needed, ascending by seat, in whatever order they came."""
    ballot = filled(cast(3, "stand", 2), cast(1, "stand", 2), cast(0, "stand", 1))
    assert ballot.absence() is None
    ballot.add(cast(2, "stand", 2, ENTRY))
    assert ballot.absence() is None
    ballot.add(cast(0, "stand", 2))
    later = tuple(cast(seat, "stand", 2).data for seat in (0, 1, 3))
    assert ballot.absence() == later
    for seat in (3, 2, 1):
        ballot.add(cast(seat, "stand", 1))
    assert ballot.absence() == tuple(cast(seat, "stand", 1).data for seat in (0, 1, 2))
