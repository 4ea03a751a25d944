"""A standing as plain values is the standing again; nothing else that comes from outside is."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Game, Options, Plain, StandingError, complete
from engine.azi import GAME as AZI
from engine.hazari import GAME as HAZARI
from engine.hazari.state import HazariStanding
from tests.engine.azi_chance import ByChance, packs, some_options
from tests.engine.driver import Match
from tests.engine.hands import deck, fallback_move
from tests.engine.test_azi_properties import Watch

GAMES: tuple[tuple[Game, int], ...] = ((HAZARI, 4), (AZI, 2), (AZI, 6))

HAZARI_OPTIONS = complete(HAZARI.options, {"dismissal": "both"})
AZI_OPTIONS = complete(AZI.options, {"stack": 100, "azi_entry": "half_pot"})

POINTS = (("points", (100, 95, 85, 80)), ("dealer", (2,)), ("dealt", 2))
HAZARI_GOOD = (*POINTS, ("played", 1), ("broken", 0))

AZI_GOOD = (
    ("stacks", (90, 70, 100)),
    ("carried", 40),
    ("winner", (1,)),
    ("entry", "azi"),
    ("heirs", (0, 2)),
    ("entered", (1,)),
    ("azi_bank", 20),
    ("opener", (1,)),
    ("free", 1),
    ("dealt", 4),
    ("played", 3),
)


def changed(plain: tuple[tuple[str, Plain], ...], **changes: Plain) -> Plain:
    """The pairs with some values changed."""
    return tuple((name, changes.get(name, value)) for name, value in plain)


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_the_opening_of_a_table_is_a_standing_between_hands(game: Game, seats: int) -> None:
    """Before anybody has dealt."""
    options = complete(game.options, {})
    opening = game.opening(options, seats)
    assert game.restored(options, seats, game.plain_standing(opening)) == opening


@pytest.mark.parametrize("seed", range(6))
def test_each_standing_of_a_match_of_hazari_comes_back(seed: int) -> None:
    """With dismissals, and with seats that go: void hands too."""
    chance = random.Random(seed)

    def silent(number: int) -> Mapping[int, frozenset[int]]:
        lost = frozenset(seat for seat in range(4) if chance.random() < 0.2)
        return {chance.randint(2, 5): lost} if number > 3 else {}

    decks = (deck(seed * 100 + number) for number in range(1000))
    opening = HAZARI.opening(HAZARI_OPTIONS, 4)
    match = Match(HAZARI, HAZARI_OPTIONS, 4, decks, fallback_move, opening, silent=silent)
    for table in match.play():
        table.finish()
        if HAZARI.over(table.state):
            standing = HAZARI.settle(table.state)
            plain = HAZARI.plain_standing(standing)
            assert HAZARI.restored(HAZARI_OPTIONS, 4, plain) == standing
    assert match.number > 3


@pytest.mark.parametrize("seed", range(20, 32))
def test_each_standing_of_a_match_of_azi_comes_back(seed: int) -> None:
    """Asserted at each hand and interlude: see ``Watch.same_standing``."""
    assert Watch(seed, fully=False).run().hands


def test_a_void_hand_of_hazari_is_a_standing_too() -> None:
    """The match is over by it, which is for ``match`` to say."""
    found = HAZARI.restored(HAZARI_OPTIONS, 4, changed(HAZARI_GOOD, broken=1))
    assert isinstance(found, HazariStanding)
    assert found.broken
    assert HAZARI.match(HAZARI_OPTIONS, found, frozenset(range(4))) is not None


HAZARI_BAD: dict[str, Plain] = {
    "three totals": changed(HAZARI_GOOD, points=(180, 95, 85)),
    "a total more": changed(HAZARI_GOOD, points=(100, 95, 85, 80, 0)),
    "too many points": changed(HAZARI_GOOD, points=(105, 95, 85, 80)),
    "points of no hand": changed(HAZARI_GOOD, played=0),
    "points that are no fives": changed(HAZARI_GOOD, points=(101, 94, 85, 80)),
    "more hands scored than dealt": changed(HAZARI_GOOD, dealt=0),
    "too many hands": changed(HAZARI_GOOD, dealt=1_000_001),
    "no dealer after a hand": changed(HAZARI_GOOD, dealer=()),
    "a dealer before any hand": changed(
        HAZARI_GOOD, points=(0, 0, 0, 0), dealt=0, played=0, dealer=(1,)
    ),
    "two dealers": changed(HAZARI_GOOD, dealer=(1, 2)),
    "a fifth seat deals": changed(HAZARI_GOOD, dealer=(4,)),
    "broken twice": changed(HAZARI_GOOD, broken=2),
    "broken without a void hand": changed(HAZARI_GOOD, broken=1, dealt=1),
    "a pair less": HAZARI_GOOD[:-1],
    "another order": HAZARI_GOOD[::-1],
    "one of azi": AZI_GOOD,
}

AZI_BAD: dict[str, Plain] = {
    "a chip more": changed(AZI_GOOD, carried=41),
    "chips from nowhere": changed(AZI_GOOD, stacks=(90, 70, 101)),
    "two stacks": changed(AZI_GOOD, stacks=(90, 170)),
    "a seventh word": changed(AZI_GOOD, entry="often"),
    "a winner who is not there": changed(AZI_GOOD, winner=(3,)),
    "heirs in another order": changed(AZI_GOOD, heirs=(2, 0)),
    "an heir twice": changed(AZI_GOOD, heirs=(2, 2)),
    "no heirs": changed(AZI_GOOD, heirs=()),
    "an heir who bought in": changed(AZI_GOOD, heirs=(1, 2)),
    "a bank without an opener": changed(AZI_GOOD, opener=()),
    "an azi without a bank": changed(AZI_GOOD, azi_bank=0, entered=()),
    "more bought in than there is": changed(AZI_GOOD, entered=(1,), azi_bank=40),
    "an ante after such an azi": changed(AZI_GOOD, free=0),
    "bought in again": changed(AZI_GOOD, entry="again"),
    "one heir of a lost deal": changed(AZI_GOOD, entry="again", heirs=(1,), entered=()),
    "a bank that all play for": changed(AZI_GOOD, entry=""),
    "something before the first game": changed(AZI_GOOD, dealt=0, played=0),
    "more played than dealt": changed(AZI_GOOD, played=5),
    "a pair less": AZI_GOOD[:-1],
    "one of hazari": HAZARI_GOOD,
}


@pytest.mark.parametrize("plain", HAZARI_BAD.values(), ids=HAZARI_BAD.keys())
def test_what_no_match_of_hazari_comes_to_is_refused(plain: Plain) -> None:
    """Each with a sentence."""
    assert HAZARI.restored(HAZARI_OPTIONS, 4, HAZARI_GOOD)
    with pytest.raises(StandingError, match=r"\w"):
        HAZARI.restored(HAZARI_OPTIONS, 4, plain)


@pytest.mark.parametrize("plain", AZI_BAD.values(), ids=AZI_BAD.keys())
def test_what_no_match_of_azi_comes_to_is_refused(plain: Plain) -> None:
    """Each with a sentence; chips are never made or lost."""
    assert AZI.restored(AZI_OPTIONS, 3, AZI_GOOD)
    with pytest.raises(StandingError, match=r"\w"):
        AZI.restored(AZI_OPTIONS, 3, plain)


@pytest.mark.parametrize(("game", "seats"), [(HAZARI, 3), (AZI, 1), (AZI, 7)])
def test_a_number_of_seats_that_no_table_has_is_refused(game: Game, seats: int) -> None:
    """Whatever the standing says."""
    with pytest.raises(StandingError):
        game.restored(complete(game.options, {}), seats, HAZARI_GOOD)


ANYTHING = st.recursive(
    st.one_of(
        st.integers(-2, 400),
        st.integers(),
        st.booleans(),
        st.none(),
        st.binary(max_size=4),
        st.floats(),
        st.sampled_from(["", "azi", "again", "points", "stacks"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.lists(inner, max_size=5).map(tuple)),
    max_leaves=12,
)


@settings(max_examples=300)
@given(st.sampled_from([name for name, _ in (*HAZARI_GOOD, *AZI_GOOD)]), ANYTHING)
def test_whatever_stands_in_a_field_is_refused_or_comes_back_the_same(
    name: str, value: object
) -> None:
    """No other exception, and no value that is told in another way afterwards."""
    cases: tuple[tuple[Game, Options, int, tuple[tuple[str, Plain], ...]], ...] = (
        (HAZARI, HAZARI_OPTIONS, 4, HAZARI_GOOD),
        (AZI, AZI_OPTIONS, 3, AZI_GOOD),
    )
    for game, options, seats, good in cases:
        plain = changed(good, **{name: value})  # type: ignore[arg-type]
        try:
            found = game.restored(options, seats, plain)
        except StandingError:
            continue
        assert repr(game.plain_standing(found)) == repr(plain)


@given(ANYTHING)
def test_anything_else_is_refused(value: object) -> None:
    """Nothing but pairs is a standing."""
    for game, seats in GAMES:
        with pytest.raises(StandingError):
            game.restored(complete(game.options, {}), seats, value)


def some_standing(seats: int, chance: random.Random, options: Options) -> Plain:
    """Values that may be a standing of Azi: chips add up, all else is drawn."""
    total = seats * int(options["stack"])
    cuts = sorted(chance.choice((0, total, chance.randint(0, total))) for _ in range(seats))
    parts = [high - low for low, high in pairwise([0, *cuts, total])]
    carried = parts.pop(chance.randrange(len(parts)))
    entry = chance.choice(("", "azi", "again"))
    heirs = tuple(sorted(chance.sample(range(seats), chance.randint(0, seats))))
    others = [seat for seat in range(seats) if seat not in heirs]
    entered = tuple(sorted(chance.sample(others, chance.randint(0, len(others)))))
    bank = chance.choice((0, carried, chance.randint(0, carried)))
    return (
        ("stacks", tuple(parts)),
        ("carried", carried),
        ("winner", chance.choice(((), (chance.randrange(seats),)))),
        ("entry", entry),
        ("heirs", heirs),
        ("entered", chance.choice(((), entered))),
        ("azi_bank", bank if entry else 0),
        ("opener", chance.choice(((), (chance.randrange(seats),)))),
        ("free", chance.randint(0, 1)),
        ("dealt", 9),
        ("played", chance.randint(0, 9)),
    )


def test_play_goes_on_from_any_standing_that_is_accepted() -> None:
    """Whoever made it up: games are played and come to an end, and no chip is made or lost."""
    accepted = 0
    for seed in range(1500):
        chance = random.Random(seed)
        seats = chance.randint(2, 6)
        options = {**some_options(AZI, chance), "hands": 0}
        plain = some_standing(seats, chance, options)
        try:
            standing = AZI.restored(options, seats, plain)
        except StandingError:
            continue
        accepted += 1
        choose = ByChance(AZI, chance)
        match = Match(AZI, options, seats, packs(options, chance), choose, standing)
        for _ in islice(match.play(), 6):
            found = AZI.plain_standing(match.standing)
            assert AZI.restored(options, seats, found) == match.standing
    assert accepted > 100
