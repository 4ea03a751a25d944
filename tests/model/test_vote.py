"""The rule of the absence vote holds in every run of small tables; simpler rules do not."""

from __future__ import annotations

import random

import pytest

from tests.model import others
from tests.model.cases import cases, random_case, too_many_liars
from tests.model.explore import Broken, Found, explore, wander
from tests.model.plain import reached_plainly, reached_with_shortcuts
from tests.model.table import Case, Table
from tests.model.vote import GONE, Entry, Known, Message, Question, Rule, Stand, Vote

ONE = Question((), 2)
"""Is seat 2 gone in the first step?"""

THREE = Rule(3, ((2,),))


def known(*messages: Message) -> Known:
    """What a seat knows."""
    return frozenset(messages)


def named(seats: int, name: str) -> Case:
    """One of the cases of a long run."""
    return dict(cases(seats))[name]


class TestTheRule:
    """What a seat says, and what that comes to."""

    def test_a_seat_votes_by_its_own_eyes_first(self) -> None:
        entry = Entry(2, (), 1)
        assert THREE.votes(known(), 0, ONE) == [Vote(0, ONE, 1, GONE, 0)]
        assert THREE.votes(known(entry), 0, ONE) == [Vote(0, ONE, 1, 1, 0)]

    def test_a_seat_says_nothing_about_itself_but_its_entry(self) -> None:
        assert THREE.votes(known(), 2, ONE) == []

    def test_but_that_it_will_write_none(self) -> None:
        mute = Rule(3, ((2,),), mute=(2,))
        assert mute.votes(known(), 2, ONE) == [Vote(2, ONE, 1, GONE, 0)]
        assert mute.entry(known(), 2) is None

    def test_a_seat_writes_nothing_while_its_history_is_in_question(self) -> None:
        rule = Rule(3, ((2,), (0, 1, 2)), pauses=True)
        entry, gone = Entry(2, (), 1), Vote(0, ONE, 1, GONE, 0)
        assert rule.entry(known(entry), 1) is not None
        assert rule.entry(known(entry, gone), 1) is None
        stands = (Stand(seat, ONE, 2, 1) for seat in (1, 2))
        held = (Vote(seat, ONE, 2, 1, 0) for seat in (1, 2))
        assert rule.entry(known(entry, gone, *held, *stands), 1) is not None

    def test_more_than_half_make_a_certificate_and_settle(self) -> None:
        votes = known(*(Vote(seat, ONE, 1, GONE, 0) for seat in (0, 1)))
        stands = known(*(Stand(seat, ONE, 1, GONE) for seat in (0, 1)))
        assert THREE.certified(votes, ONE, 1) == [GONE]
        assert THREE.settled(votes, ONE) is None
        assert THREE.settled(votes | stands, ONE) == GONE

    def test_a_vote_for_an_entry_counts_with_the_entry_only(self) -> None:
        votes = known(*(Vote(seat, ONE, 1, 1, 0) for seat in (0, 1)))
        assert THREE.certified(votes, ONE, 1) == []
        assert THREE.certified(votes | {Entry(2, (), 1)}, ONE, 1) == [1]

    def test_a_vote_counts_with_the_certificate_that_it_names_only(self) -> None:
        votes = known(*(Vote(seat, ONE, 2, GONE, 1) for seat in (0, 1)))
        below = known(*(Vote(seat, ONE, 1, GONE, 0) for seat in (0, 1)))
        assert THREE.certified(votes, ONE, 2) == []
        assert THREE.certified(votes | below, ONE, 2) == [GONE]

    def test_who_stands_by_a_value_votes_for_another_on_a_newer_certificate_only(self) -> None:
        first = known(*(Vote(seat, ONE, 1, GONE, 0) for seat in (0, 1)))
        stood = known(*first, Stand(0, ONE, 1, GONE), Entry(2, (), 1))
        assert THREE.votes(stood, 0, ONE) == [Vote(0, ONE, 2, GONE, 1)]

    def test_who_voted_gone_waits_until_it_is_settled(self) -> None:
        seen = known(Vote(0, ONE, 1, GONE, 0), Entry(2, (), 1))
        assert THREE.walk(seen, 0).missing == (ONE,)
        assert THREE.walk(seen, 1).missing == ()

    def test_what_is_settled_replaces_an_entry_that_was_built_on(self) -> None:
        entry = Entry(2, (), 1)
        assert THREE.walk(known(entry), 1).head == (((2, 1),),)
        votes = (Vote(seat, ONE, 1, GONE, 0) for seat in (0, 2))
        stands = (Stand(seat, ONE, 1, GONE) for seat in (0, 2))
        assert THREE.walk(known(entry, *votes, *stands), 1).head == (((2, GONE),),)

    def test_a_gone_seat_owes_nothing_more(self) -> None:
        rule = Rule(3, ((2,), (0, 1, 2)))
        assert rule.owing((((2, GONE),),)) == (0, 1)

    @pytest.mark.parametrize(
        "lie",
        [
            (Entry(1, (), 1), Entry(1, (), 2)),
            (Vote(1, ONE, 1, GONE, 0), Vote(1, ONE, 1, 1, 0)),
            (Vote(1, ONE, 2, GONE, 0), Vote(1, ONE, 2, GONE, 1)),
            (Stand(1, ONE, 1, GONE), Stand(1, ONE, 1, 1)),
            (Stand(1, ONE, 1, GONE), Vote(1, ONE, 2, 1, 0)),
        ],
    )
    def test_two_words_that_no_honest_seat_says_prove_guilt(
        self, lie: tuple[Message, Message]
    ) -> None:
        assert THREE.guilty(lie) == {1}
        assert THREE.guilty(lie[:1]) == frozenset()

    def test_a_stand_may_be_left_for_a_newer_certificate(self) -> None:
        assert not THREE.guilty([Stand(1, ONE, 1, GONE), Vote(1, ONE, 3, 1, 2)])


EXPLORED = {
    "a liar owes, one round": (312, 1_056, 69_071),
    "an honest seat owes, one round": (215, 0, 0),
    "no liars, one round": (327, 0, 0),
    "a seat has lost its secrets": (60, 0, 0),
    "then a step of all": (1786, 0, 0),
    "with pauses, then a step of all": (1786, 0, 0),
    "a liar owes, with two versions": (1176, 0, 0),
}
"""States of the cases that are small enough for every day, by 3, 4 and 5 seats; 0: not every day.

The numbers are those of the first run: another one means that another thing is explored.
"""


class TestEveryRun:
    """No fork, nobody honest blamed or shut out, nothing undone, and an end."""

    @pytest.mark.parametrize("name", EXPLORED)
    def test_of_three_seats(self, name: str) -> None:
        found = explore(named(3, name))
        assert (found.complete, found.states) == (True, EXPLORED[name][0])
        assert GONE in found.settled

    def test_of_four_seats_with_a_liar(self) -> None:
        name = "a liar owes, one round"
        found = explore(named(4, name))
        assert (found.complete, found.states) == (True, EXPLORED[name][1])
        assert found.settled == {GONE, 1}

    def test_of_five_seats_with_two_liars_as_far_as_time_goes(self) -> None:
        assert explore(named(5, "a liar owes, one round"), most=3_000).healed

    @pytest.mark.parametrize("seats", [3, 4])
    def test_with_half_of_the_seats_lying_a_fork_still_names_a_liar(self, seats: int) -> None:
        assert explore(too_many_liars(seats), most=6_000, heal=0).states

    @pytest.mark.parametrize("seats", [3, 4, 5, 6])
    def test_at_random_with_liars_that_fight_on(self, seats: int) -> None:
        table, found = Table(random_case(seats)), Found()
        for seed in range(3):
            wander(table, found, random.Random(seed))
        assert found.states
        assert found.rounds <= seats + 1


class TestTheShortcuts:
    """What the explorer leaves out makes no difference."""

    @pytest.mark.slow
    @pytest.mark.parametrize("owing", [0, 2])
    def test_lose_nothing(self, owing: int) -> None:
        case = Case(Rule(3, ((owing,),)), (2,), 1)
        short, plain = reached_with_shortcuts(case), reached_plainly(case)
        for part in range(2):
            assert {outcome[part] for outcome in short} == {outcome[part] for outcome in plain}


def trouble(case: Case, heal: int = 1) -> str:
    """What the explorer finds wrong with a rule."""
    with pytest.raises(Broken) as broken:
        explore(case, heal=heal)
    assert broken.value.trace
    return broken.value.what


class TestTheExplorerFinds:
    """Rules that do not hold, each by the fault that it has."""

    def test_that_one_vote_waits_for_ever_when_the_late_seat_is_back(self) -> None:
        with pytest.raises(Broken) as broken:
            explore(Case(others.OneVote(3, ((2,),)), (1,), 1))
        assert broken.value.what == "L1: 0, 2 are there, and wait for ever"
        assert broken.value.trace == (
            "2 says 2's entry 1 for step 1",
            "0 says 0 votes GONE (seat 2 in step 1, round 1)",
        )

    def test_that_one_vote_waits_for_ever_when_two_seats_drop_out(self) -> None:
        case = Case(others.OneVote(5, ((4,),)), (3, 4), 1)
        assert trouble(case) == "L1: 0, 1, 2 are there, and wait for ever"

    def test_that_one_vote_does_not_fork(self) -> None:
        assert explore(Case(others.OneVote(4, ((3,),)), (0,), 1), heal=0).complete

    def test_a_fork_where_all_who_are_present_sign_what_they_see(self) -> None:
        case = Case(others.PresentSign(3, ((2,),)), (), 1)
        assert trouble(case, heal=0).startswith("S1: seat 2 in step 1 is settled in two ways")

    def test_that_growing_sets_of_absent_seats_can_come_to_a_dead_end(self) -> None:
        assert others.dead_ends(4, 3) == []
        # 0 misses 1, and 2 misses 3: no set of more than half is left that both can state.
        state = others.dead_ends(5, 4)[0]
        assert state == (frozenset({1, 4}), None, frozenset({3, 4}), None, None)

    @pytest.mark.parametrize(
        ("rule", "case", "code"),
        [
            (others.CertificateSettles, (4, ((3,),), (3,), 2), "S1"),
            (others.HalfIsEnough, (2, ((1,),), (), 1), "S1"),
            (others.UncheckedBasis, (3, ((2,),), (1,), 2), "S1"),
            (others.StandsForgotten, (3, ((2,),), (2,), 2), "S2"),
            (others.VotesForgotten, (3, ((2,),), (2,), 1), "S2"),
            (others.LateStands, (3, ((2,),), (2,), 2), "S2"),
            (others.LeaderKnowsBest, (3, ((1,),), (2,), 2), "S2"),
            (others.OwnEyes, (3, ((2,), (0, 1, 2)), (2,), 1), "S4"),
        ],
    )
    def test_what_each_part_of_the_rule_is_for(
        self,
        rule: type[Rule],
        case: tuple[int, tuple[tuple[int, ...], ...], tuple[int, ...], int],
        code: str,
    ) -> None:
        seats, owed, liars, rounds = case
        found = trouble(Case(rule(seats, owed), liars, rounds, asked=(0,)), heal=0)
        assert found.startswith(f"{code}:")
