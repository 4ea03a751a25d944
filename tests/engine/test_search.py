"""The search for the best division, against a slow look at every legal one, and its chances."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from statistics import mean, median

import pytest

from bench.chances import measure, module, rising
from bench.search import AIMS, hands, milliseconds
from engine.cards import FULL_PACK, order, ordered
from engine.contract import Card
from engine.hazari.chances import (
    CLASSES,
    PARTS,
    POINT,
    Chances,
    classes,
    classes_by_ranks,
    expected_points,
    measured,
)
from engine.hazari.combinations import strength
from engine.hazari.division import Division, fallback, order_fault
from engine.hazari.rounds import points
from engine.hazari.search import Aim, best_division
from tests.engine.hands import cards

Group = tuple[Card, ...]


# Many threes of equal strength, and hands at the edges of what can be dealt.
ODD_HANDS = {
    "three ranks and a card": cards("AS AH AD AC KS KH KD KC QS QH QD QC JS"),
    "one suit": cards("AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"),
    "no run": cards("AS AH QS QH TS TH 8S 8D 6H 6D 4H 4D 2C"),
    "every rank, four suits": cards("AS KH QD JC TS 9H 8D 7C 6S 5H 4D 3C 2S"),
    "the lowest": cards("2S 2H 2D 2C 3S 3H 3D 3C 4S 4H 4D 4C 5S"),
}


def chances_without_sense(seed: int) -> Chances:
    """Chances that rise and fall with strength as they like."""
    chance = random.Random(seed)
    rows = tuple(tuple(chance.randrange(PARTS + 1) for _ in range(CLASSES)) for _ in range(4))
    return Chances(rows, (1000, 2000, 3000, 4000))


def legal_divisions(hand: Sequence[Card]) -> Iterator[tuple[Group, Group, Group, Group]]:
    """Every legal division, groups highest card first: of 1,201,200 divisions the ones in order."""
    held = ordered(hand)
    strong = {group: strength(group) for size in (3, 4) for group in combinations(held, size)}
    for fourth in combinations(held, 4):
        nine = tuple(card for card in held if card not in fourth)
        weakest = strong[fourth]
        allowed = {three: strong[three] for three in combinations(nine, 3)}
        allowed = {three: found for three, found in allowed.items() if found >= weakest}
        for first, highest in allowed.items():
            six = tuple(card for card in nine if card not in first)
            for second in combinations(six, 3):
                middle = allowed.get(second)
                if middle is None or middle > highest:
                    continue
                third = tuple(card for card in six if card not in second)
                if third in allowed and allowed[third] <= middle:
                    yield first, second, third, fourth


def best_by_looking_at_all(hand: Sequence[Card], known: Chances | None) -> Division:
    """The best division as the search's docstring defines it; ``known`` None: by strength."""
    return best_of(legal_divisions(hand), hand, known)


def best_of(divisions: Iterable[Division], hand: Sequence[Card], known: Chances | None) -> Division:
    """The best of these divisions of a hand: by worth, then by strength, then by the order."""
    held = sum(map(points, hand_as_groups(hand)))
    every_group = [group for size in (3, 4) for group in combinations(ordered(hand), size)]
    strong = {group: strength(group) for group in every_group}
    places = {group: tuple(-order(card) for card in group) for group in every_group}
    worth: list[dict[Group, int]] = [{}, {}, {}, {}]
    for group in every_group:
        for number in (3,) if len(group) == 4 else (0, 1, 2):
            if known is None:
                worth[number][group] = 0
            else:
                kind = classes()[strong[group]]
                others = known.shares[number] * (360 - held)
                worth[number][group] = known.rows[number][kind] * (PARTS * points(group) + others)
    first, second, third, fourth = worth
    best, found = -1, list[Division]()
    for division in divisions:
        a, b, c, d = division
        all_four = first[a] + second[b] + third[c] + fourth[d]
        if all_four > best:
            best, found = all_four, [division]
        elif all_four == best:
            found.append(division)
    return max(
        found, key=lambda one: ([strong[group] for group in one], [places[group] for group in one])
    )


def hand_as_groups(hand: Sequence[Card]) -> list[Group]:
    """Each card alone, to be counted."""
    return [(card,) for card in hand]


def assert_exact(hand: Sequence[Card], seed: int) -> None:
    """The search finds what looking at all finds, under both aims and under senseless chances."""
    legal, odd = list(legal_divisions(hand)), chances_without_sense(seed)
    assert best_division(hand, "strength") == best_of(legal, hand, None)
    assert best_division(hand, "points") == best_of(legal, hand, measured())
    assert best_division(hand, "points", odd) == best_of(legal, hand, odd)


@pytest.mark.slow
def test_the_slow_look_sees_every_legal_division() -> None:
    """As many that begin with a pair of aces or better as ``order_fault`` finds among all."""
    hand = ODD_HANDS["no run"]
    held = ordered(hand)
    expected = 0
    for first in combinations(held, 3):
        if strength(first) < (2, 14, 0, 0):
            continue
        ten = [card for card in held if card not in first]
        for second in combinations(ten, 3):
            seven = [card for card in ten if card not in second]
            for third in combinations(seven, 3):
                fourth = tuple(card for card in seven if card not in third)
                expected += order_fault((first, second, third, fourth)) is None
    found = sum(strength(first) >= (2, 14, 0, 0) for first, _, _, _ in legal_divisions(hand))
    assert found == expected > 0


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))]
)
def test_the_search_finds_exactly_the_best_of_all_legal_divisions(seed: int) -> None:
    """Random hands, each compared with all its legal divisions."""
    assert_exact(random.Random(seed).sample(FULL_PACK, 13), seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["three ranks and a card", "no run"])
def test_the_search_is_exact_where_many_groups_are_equal(name: str) -> None:
    """Ties are settled by strength, then by the total order, as in the slow look."""
    assert_exact(ODD_HANDS[name], 1)


@pytest.mark.parametrize("earlier", [0, 1, 2])
def test_equal_neighbours_are_found_where_they_are_best(earlier: int) -> None:
    """Where nothing but a run A-K-Q in two neighbouring groups wins, both are one."""
    run = classes()[strength(cards("AS KS QH"))]
    wins = tuple(PARTS if kind == run else 0 for kind in range(CLASSES))
    rows = tuple(
        wins if number in (earlier, earlier + 1) else (0,) * CLASSES for number in range(4)
    )
    known, hand = Chances(rows, measured().shares), ODD_HANDS["three ranks and a card"]
    division = best_division(hand, "points", known)
    assert division == best_by_looking_at_all(hand, known)
    assert [classes()[strength(group)] for group in division[earlier : earlier + 2]] == [run, run]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_the_search_is_exact_on_more_random_hands(seed: int) -> None:
    """Twelve more hands against all their legal divisions."""
    assert_exact(random.Random(seed).sample(FULL_PACK, 13), seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ODD_HANDS))
def test_the_search_is_exact_on_odd_hands(name: str) -> None:
    """Hands at the edges of what can be dealt."""
    assert_exact(ODD_HANDS[name], 2)


@pytest.mark.parametrize("aim", AIMS)
def test_every_answer_is_a_legal_division_of_the_hand_in_order(aim: Aim) -> None:
    """Thirteen cards in 3, 3, 3 and 4, none outranking the one before, highest card first."""
    for hand in [*hands(50, seed=5), *ODD_HANDS.values()]:
        division = best_division(hand, aim)
        assert [len(group) for group in division] == [3, 3, 3, 4]
        assert sorted(card for group in division for card in group) == sorted(hand)
        assert order_fault(division) is None
        assert all(group == ordered(group) for group in division)


@pytest.mark.parametrize("aim", AIMS)
def test_the_order_in_which_a_hand_is_given_does_not_matter(aim: Aim) -> None:
    """Any order of the same cards has the same answer."""
    hand = hands(1, seed=6)[0]
    turned = [*hand[5:], *reversed(hand[:5])]
    assert best_division(turned, aim) == best_division(tuple(sorted(hand)), aim)


@pytest.mark.slow
def test_strength_is_never_below_the_fallback_and_each_aim_wins_by_its_own_measure() -> None:
    """Group by group in order for the one aim, in expected points for the other."""
    for hand in hands(50, seed=7):
        strong, worth = best_division(hand, "strength"), best_division(hand, "points")
        late = fallback(hand)
        assert [strength(group) for group in strong] >= [strength(group) for group in late]
        assert [strength(group) for group in strong] >= [strength(group) for group in worth]
        assert expected_points(worth) >= expected_points(strong)


def test_strength_looks_beyond_the_first_of_equal_threes_where_the_fallback_does_not() -> None:
    """Of two equal runs Q-J-T the one is taken that leaves a colour of spades for group 3."""
    hand = cards("5S 5H 5C QS QD JH TS AS 6S AD 7H 6C 3C")
    strong, late = best_division(hand, "strength"), fallback(hand)
    assert (strong[1], strong[2]) == (cards("QD JH TS"), cards("AS QS 6S"))
    assert (late[1], late[2]) == (cards("QS JH TS"), cards("AS AD QD"))


def test_of_equal_divisions_the_first_in_the_total_order_is_chosen() -> None:
    """Four aces, kings and queens: the three first suits make the troys."""
    expected = (cards("AS AH AD"), cards("KS KH KD"), cards("QS QH QD"), cards("AC KC QC JS"))
    assert best_division(ODD_HANDS["three ranks and a card"], "strength") == expected


@pytest.mark.parametrize(
    "hand",
    [
        ODD_HANDS["one suit"][:12],
        (*ODD_HANDS["one suit"][:12], "AS"),
        (*ODD_HANDS["one suit"][:12], "1S"),
        (*ODD_HANDS["one suit"], "AH"),
        (),
    ],
    ids=["twelve", "one twice", "no card", "fourteen", "none"],
)
def test_anything_but_thirteen_different_cards_is_refused(hand: Group) -> None:
    """A clear ValueError, whatever is wrong."""
    with pytest.raises(ValueError, match="thirteen different cards"):
        best_division(hand, "points")


def test_a_search_stays_far_below_a_tenth_of_a_second() -> None:
    """The middle of a few hands; bench/search.py has the figures."""
    for aim in AIMS:
        assert median(milliseconds(hand, aim) for hand in hands(15, seed=8)) < 100


def test_importing_the_search_makes_no_tables() -> None:
    """The command line starts fast: tables come with the first search."""
    program = (
        "import engine.hazari; from engine.hazari import chances, search;"
        "lazy = (search._cuts, search._inner_threes, chances.classes, chances.measured);"
        "print([one.cache_info().currsize for one in lazy])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[0, 0, 0, 0]"


def test_groups_of_one_class_are_equally_strong_and_have_equal_points() -> None:
    """And the classes rise with strength, from 0 to 740."""
    of_class: dict[int, set[int]] = {}
    for three in combinations(FULL_PACK, 3):
        kind = classes_by_ranks(len({card[1] for card in three}) == 1)["".join(c[0] for c in three)]
        assert kind == classes()[strength(three)]
        of_class.setdefault(kind, set()).add(points(three))
    assert sorted(of_class) == list(range(CLASSES))
    assert all(len(found) == 1 for found in of_class.values())
    assert list(classes()) == sorted(classes())


def test_the_measured_chances_never_fall_with_strength() -> None:
    """Four rounds, 741 classes, from 0 to 1; a hand's points fall on the four rounds."""
    known = measured()
    assert [len(row) for row in known.rows] == [CLASSES] * 4
    for row in known.rows:
        assert all(low <= high for low, high in pairwise(row))
        assert row[0] >= 0
        assert row[-1] == PARTS
    assert sum(known.shares) == pytest.approx(PARTS, abs=2)


def test_a_worth_is_the_chance_times_the_points_that_lie_in_the_round() -> None:
    """Half a chance of the own 30 points and a quarter of the other hands' 260."""
    known = Chances(((PARTS // 2,) * CLASSES,) * 4, (PARTS // 4,) * 4)
    assert known.worth(0, 5, 30, 100) == POINT * (30 + 65) // 2
    division = best_division(ODD_HANDS["one suit"], "points", known)
    assert expected_points(division, known) == pytest.approx(0.5 * 360)


@pytest.mark.slow
def test_expected_points_come_true() -> None:
    """Four players who arrange for points take 90 each on average, and expect no other."""
    chance = random.Random(9)
    expected: list[float] = []
    for _ in range(50):
        pack = chance.sample(FULL_PACK, 52)
        for at in range(0, 52, 13):
            expected.append(expected_points(best_division(pack[at : at + 13], "points")))
    assert mean(expected) == pytest.approx(90, abs=5)


def test_measuring_is_repeatable_and_its_module_reads_back_as_the_same_chances(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ``python -m bench.chances`` writes is what it has measured."""
    known = measure(passes=1, deals=3, seed=4)
    assert measure(passes=1, deals=3, seed=4) == known
    assert "pass 1: chances moved by" in capsys.readouterr().out
    written: dict[str, object] = {}
    exec(module(known, "a command"), written)
    monkeypatch.setattr("engine.hazari.chances.ROWS", written["ROWS"])
    monkeypatch.setattr("engine.hazari.chances.SHARES", written["SHARES"])
    assert measured.__wrapped__() == known


def test_chances_are_pooled_where_noise_would_let_them_fall() -> None:
    """3 of 4 before 1 of 4 become 4 of 8 for both; what was never seen takes its neighbour's."""
    assert rising([0, 3, 1, 0, 9], [2, 4, 4, 0, 10]) == (0, 5000, 5000, 5000, 9000)
    assert rising([0, 0], [0, 5]) == (0, 0)
