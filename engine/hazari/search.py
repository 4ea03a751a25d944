"""The best legal division of thirteen cards, found exactly, by meeting in the middle.

A division is cut between groups 2 and 3: six cards make groups 1 and 2, the other seven groups 3
and 4. There are 1716 such cuts, with 10 ways to divide the six and 35 to divide the seven, so that
77,220 halves stand for all divisions. The best halves of a cut, taken as if groups 2 and 3 could
stand in any order, bound it from above; cuts are then looked into with the highest bound first,
until no bound is above what has been found.

What is best is one whole number, a sum with one summand for each group. Its highest bits are the
worth under the aim (nothing for ``strength``), then come the four strengths in order, then the
cards: of divisions that are equal so far, the one whose groups, each highest card first, come first
in the total order. No two divisions have the same number, so there is exactly one answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final, Literal, TypeAlias

from engine.cards import is_card, ordered
from engine.contract import Card
from engine.hazari.chances import Chances, classes_by_ranks, measured
from engine.hazari.division import HAND_SIZE, Division
from engine.hazari.rounds import points

Aim: TypeAlias = Literal["strength", "points"]

Which: TypeAlias = int
"""A three or a four, as its index in _THREES or _FOURS; the index rises in the total order."""

# As places in the hand; place 0 is the card that is first in the total order.
_THREES: Final = tuple(combinations(range(HAND_SIZE), 3))
_FOURS: Final = tuple(combinations(range(HAND_SIZE), 4))

# The number that is to be highest, from the top: the worth (36 bits), then four fields for the
# classes of groups 1 to 4 (741 of them), then four for which three or four it is (at most 715).
_FIELD: Final = 10
_CLASSES_AT: Final = 4 * _FIELD
_WORTH_AT: Final = 8 * _FIELD


@dataclass(frozen=True, slots=True)
class _Hand:
    """The class of each three and four, and the number that each would add as group 1, 2, 3, 4."""

    threes: list[int]
    fours: list[int]
    numbers: list[list[int]]


@dataclass(frozen=True, slots=True)
class _Cut:
    """Six places and the other seven, each with all ways to divide it, in parallel tuples.

    The six are ``left[i]`` and ``right[i]``, in either order; the seven ``third[i]`` and the four
    ``fourth[i]``.
    """

    left: tuple[Which, ...]
    right: tuple[Which, ...]
    third: tuple[Which, ...]
    fourth: tuple[Which, ...]


def best_division(hand: Sequence[Card], aim: Aim, chances: Chances | None = None) -> Division:
    """The best legal division of thirteen different cards, in each group the highest card first.

    ``strength``: group 1 as strong as can be, then group 2, group 3 and group 4. ``points``: the
    most expected points (see ``chances``), and of those the strongest in that sense. Divisions that
    are still equal differ in suits or in the spare card only: the one whose groups come first in
    the total order. ``chances`` can take the place of the measured ones.

    Raises ValueError if these are not thirteen different cards.
    """
    if len(hand) != HAND_SIZE or len(set(hand)) != HAND_SIZE or not all(map(is_card, hand)):
        raise ValueError("a hand has thirteen different cards")
    cards = ordered(hand)
    known = None if aim == "strength" else chances or measured()
    first, second, third, fourth = _best(_read(cards, known))
    groups = (_THREES[first], _THREES[second], _THREES[third], _FOURS[fourth])
    return tuple(tuple(cards[place] for place in group) for group in groups)


def _read(cards: tuple[Card, ...], chances: Chances | None) -> _Hand:
    mixed, suited = classes_by_ranks(one_suit=False), classes_by_ranks(one_suit=True)
    ranks, suits = [card[0] for card in cards], [card[1] for card in cards]
    threes = [
        (suited if suits[a] == suits[b] == suits[c] else mixed)[ranks[a] + ranks[b] + ranks[c]]
        for a, b, c in _THREES
    ]
    fours = [max(threes[a], threes[b], threes[c], threes[d]) for a, b, c, d in _inner_threes()]
    single = [points((card,)) for card in cards]
    three_points = [single[a] + single[b] + single[c] for a, b, c in _THREES]
    four_points = [single[a] + single[b] + single[c] + single[d] for a, b, c, d in _FOURS]
    held = sum(single)
    numbers: list[list[int]] = []
    for group in range(4):
        below = _FIELD * (3 - group)
        classes, own = (fours, four_points) if group == 3 else (threes, three_points)
        row = [
            (strength_class << (_CLASSES_AT + below)) + ((len(classes) - 1 - which) << below)
            for which, strength_class in enumerate(classes)
        ]
        if chances is not None:
            for which, strength_class in enumerate(classes):
                worth = chances.worth(group, strength_class, own[which], held)
                row[which] += worth << _WORTH_AT
        numbers.append(row)
    return _Hand(threes, fours, numbers)


def _best(hand: _Hand) -> tuple[Which, Which, Which, Which]:
    """The division with the highest number."""
    cuts = _cuts()
    bounds = [
        max(number for number, _, _ in _fronts(hand, cut))
        + max(number for number, _, _ in _backs(hand, cut))
        for cut in cuts
    ]
    threes = hand.threes
    highest, best = -1, (0, 0, 0, 0)
    for at in sorted(range(len(cuts)), key=bounds.__getitem__, reverse=True):
        if bounds[at] <= highest:
            break
        backs = sorted(_backs(hand, cuts[at]), reverse=True)
        for front, first, second in _fronts(hand, cuts[at]):
            for back, third, fourth in backs:
                if front + back <= highest:
                    break
                if threes[third] <= threes[second]:
                    highest, best = front + back, (first, second, third, fourth)
                    break
    return best


def _fronts(hand: _Hand, cut: _Cut) -> Iterator[tuple[int, Which, Which]]:
    """Every legal pair of groups 1 and 2 from the six, after the number it adds."""
    threes, (ones, twos, _, _) = hand.threes, hand.numbers
    for left, right in zip(cut.left, cut.right, strict=True):
        # Equally strong threes are worth the same in either place: the earlier one goes first,
        # and every left is earlier than its right.
        if threes[left] >= threes[right]:
            yield ones[left] + twos[right], left, right
        else:
            yield ones[right] + twos[left], right, left


def _backs(hand: _Hand, cut: _Cut) -> Iterator[tuple[int, Which, Which]]:
    """Every legal pair of groups 3 and 4 from the seven, after the number it adds."""
    threes, fours, (_, _, three_numbers, four_numbers) = hand.threes, hand.fours, hand.numbers
    for third, fourth in zip(cut.third, cut.fourth, strict=True):
        if fours[fourth] <= threes[third]:
            yield three_numbers[third] + four_numbers[fourth], third, fourth


@cache
def _inner_threes() -> tuple[tuple[Which, ...], ...]:
    """For each four the threes in it."""
    which = {three: index for index, three in enumerate(_THREES)}
    return tuple(tuple(which[three] for three in combinations(four, 3)) for four in _FOURS)


@cache
def _cuts() -> tuple[_Cut, ...]:
    """All 1716 cuts; about 1.5 MB, made at the first search."""
    # The mask of a set of places has one bit for each: what is left over is a subtraction.
    three_of = {sum(1 << place for place in three): index for index, three in enumerate(_THREES)}
    four_of = {sum(1 << place for place in four): index for index, four in enumerate(_FOURS)}
    cuts: list[_Cut] = []
    for six in combinations(range(HAND_SIZE), 6):
        whole = sum(1 << place for place in six)
        seven = [place for place in range(HAND_SIZE) if place not in six]
        rest = sum(1 << place for place in seven)
        # The first of the six is always on the left, so that each pair is counted once.
        lefts = [1 << six[0] | 1 << a | 1 << b for a, b in combinations(six[1:], 2)]
        thirds = [1 << a | 1 << b | 1 << c for a, b, c in combinations(seven, 3)]
        cut = _Cut(
            tuple(three_of[left] for left in lefts),
            tuple(three_of[whole - left] for left in lefts),
            tuple(three_of[third] for third in thirds),
            tuple(four_of[rest - third] for third in thirds),
        )
        cuts.append(cut)
    return tuple(cuts)
