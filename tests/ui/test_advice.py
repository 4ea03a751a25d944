"""What the page is told about its trays: only of own cards, and whatever a window sends."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import cast

import pytest
import trio

from engine import Card, Move, Slot, View, game
from engine.hazari.view import HazariView
from ui.page.advice import NoAdvice, suggest, weigh_cards, weigh_trays
from ui.page.commands import BadCommand, carry_out, read
from ui.page.room import Room

# slots  13    14    15    16    17    18    19    20    21    22    23    24    25
HAND = ["AS", "KS", "QS", "TH", "TD", "TC", "9H", "9D", "2C", "7S", "5S", "3D", "2D"]


def view_of(cards: list[str] = HAND, seat: int = 1, **changes: object) -> HazariView:
    """The view of a seat that arranges these cards."""
    first = 13 * seat
    held: tuple[tuple[Slot, Card], ...] = tuple(enumerate(cards, start=first))
    view = HazariView(
        game="hazari",
        seat=seat,
        owes="up",
        hand=held,
        phase="up",
        hand_number=1,
        dealer=0,
        leader=3,
        totals=(0, 0, 0, 0),
        target=1000,
        hands=0,
        hands_played=0,
        hints=True,
        dismissal="off",
    )
    return replace(view, **changes)  # type: ignore[arg-type]


def weighed(*groups: list[int], view: HazariView | None = None) -> dict[str, object]:
    """What is said of trays; those that are not named are empty."""
    filled = [*groups, *([] for _ in range(4 - len(groups)))]
    return weigh_trays(view or view_of(), filled)


def trays(told: dict[str, object]) -> list[dict[str, object] | None]:
    return cast("list[dict[str, object] | None]", told["trays"])


def test_trays_in_the_right_order() -> None:
    told = weighed([16, 17, 18], [13, 14, 15], [19, 20, 21], [22, 23, 24, 25])
    assert told["faults"] == []
    first, second, third, fourth = trays(told)
    assert first == {
        "type": "troy",
        "best": ("TH", "TD", "TC"),
        "ranks": ["T"],
        "points": 30,
        "full": True,
    }
    assert second is not None
    assert second["type"] == "colour_run"
    assert second["ranks"] == ["A", "K", "Q"]
    assert third is not None
    assert (third["type"], third["ranks"]) == ("pair", ["9", "2"])
    assert fourth is not None
    assert (fourth["type"], fourth["points"]) == ("indi", 20)


def test_a_tray_that_outranks_the_one_before() -> None:
    told = weighed([13, 14, 15], [16, 17, 18], [19, 20, 21], [22, 23, 24, 25])
    assert told["faults"] == [(2, 1)]


def test_trays_are_judged_only_when_full() -> None:
    """Also across one that is not: what is full must still come in order."""
    assert weighed([22, 23, 24], [16, 17])["faults"] == []
    assert weighed([22, 23, 24], [16, 17], [13, 14, 15])["faults"] == [(3, 1)]
    assert weighed([22, 23, 24], [], [19, 20, 25], [13, 14, 15])["faults"] == [(3, 1)]


def test_trays_that_are_not_full() -> None:
    told = weighed([13], [19, 20], [16, 19 + 3], [13 + 2, 17, 18])
    one, pair, two, three = trays(told)
    assert one is not None
    assert (one["type"], one["points"], one["full"]) == (None, 10, False)
    assert pair is not None
    assert (pair["type"], pair["ranks"]) == ("pair", ["9"])
    assert two is not None
    assert two["type"] is None
    assert three is not None
    assert (three["type"], three["full"]) == ("pair", False)
    assert trays(weighed()) == [None] * 4


def test_the_run_of_ace_two_three() -> None:
    told = weigh_cards([["2D", "AS", "3D"], ["AC", "2C", "3C"], ["KH", "AS", "2D"]])
    assert [found and (found["type"], found["ranks"]) for found in trays(told)] == [
        ("run", ["A", "2", "3"]),
        ("colour_run", ["A", "2", "3"]),
        ("indi", ["A", "K", "2"]),
    ]


@pytest.mark.parametrize(
    "groups",
    [
        None,
        "13",
        {},
        [],
        [[], [], []],
        [[], [], [], [], []],
        [[13], [13], [], []],
        [[13, 13], [], [], []],
        [[12], [], [], []],
        [[26], [], [], []],
        [[0], [], [], []],
        [[True], [], [], []],
        [[13.0], [], [], []],
        [["13"], [], [], []],
        [[[13]], [], [], []],
        [13, [], [], []],
        [[13, 14, 15, 16], [], [], []],
        [[], [], [], [13, 14, 15, 16, 17]],
    ],
)
def test_groups_that_are_none(groups: object) -> None:
    with pytest.raises(NoAdvice):
        weigh_trays(view_of(), groups)


@pytest.mark.parametrize(
    "groups",
    [
        None,
        "AS",
        ["AS"],
        [["AS", "AS", "KS"]],
        [["1S", "KS", "QS"]],
        [[["AS"], "KS", "QS"]],
        [["AS", "KS", "QS", "JS", "TS"]],
        [["AS"]] * 17,
    ],
)
def test_cards_that_are_none(groups: object) -> None:
    with pytest.raises(NoAdvice):
        weigh_cards(groups)


@pytest.mark.parametrize("view", [None, "view", view_of(HAND[:0]), View("azi", 1, None, ())])
def test_no_hand_no_advice(view: object) -> None:
    with pytest.raises(NoAdvice):
        weigh_trays(view, [[], [], [], []])
    with pytest.raises(NoAdvice):
        suggest(view)


def test_a_suggestion_is_a_legal_division() -> None:
    view = view_of()
    told = suggest(view)
    move: Move = ("up", *cast("list[tuple[Slot, ...]]", told["groups"]))
    assert game("hazari").objection(view, move) is None
    assert told["dismiss"] is False


def test_a_suggestion_leaves_what_lies() -> None:
    """Any beginning of a legal division is completed; what has no legal end is told apart."""
    view = view_of()
    best = suggest(view)["groups"]
    assert isinstance(best, list)
    faces = dict(view.hand)
    weak = min(faces, key=lambda slot: "23456789TJQKA".index(faces[slot][0]))
    for lying in ([best[0], [], [], []], [[], best[1][:2], [], best[3]], [[weak], [], [], []]):
        told = suggest(view, [list(group) for group in lying])
        assert told["kept"] is True
        groups = told["groups"]
        assert isinstance(groups, list)
        assert all(set(lies) <= set(group) for lies, group in zip(lying, groups, strict=True))
        read = weigh_trays(view, [list(group) for group in groups])
        assert read["faults"] == []
        assert [len(group) for group in groups] == [3, 3, 3, 4]
    upside = [[], [], [], [*best[0], best[3][0]]]  # the strongest cards at the end
    told = suggest(view, [list(group) for group in upside])
    assert told["kept"] is False
    assert sorted(map(sorted, told["groups"])) == sorted(map(sorted, suggest(view)["groups"]))  # type: ignore[call-overload]


def test_a_suggestion_says_when_a_dismissal_is_better() -> None:
    """It is a division even so: the player chooses."""
    poor = ["QH", "TD", "9S", "9H", "7D", "7C", "6S", "6H", "4D", "4C", "3S", "3H", "3C"]
    for option in ("off", "no_run", "both"):
        told = suggest(view_of(poor, dismissal=option))
        assert len(cast("list[object]", told["groups"])) == 4
        assert told["dismiss"] is (option != "off")


def test_no_suggestion_where_hints_are_off_or_nothing_is_due() -> None:
    for view in (view_of(hints=False), view_of(owes=None)):
        with pytest.raises(NoAdvice):
            suggest(view)


class _State:
    def __init__(self, view: object) -> None:
        self.sections = {"view": view}


class _Room:
    def __init__(self, view: object) -> None:
        self.state = _State(view)
        self.advising = trio.CapacityLimiter(1)


def asked(view: object, what: str, **fields: object) -> object:
    """What a command of a window is answered."""
    command = read(json.dumps({"id": 1, "do": what, **fields}))
    return trio.run(carry_out, cast("Room", _Room(view)), command)


def test_the_commands() -> None:
    groups = [[13, 14, 15], [], [], []]
    assert asked(view_of(), "weigh", groups=groups) == weigh_trays(view_of(), groups)
    cards = [["AS", "KS", "QS"]]
    assert asked(None, "weigh", cards=cards) == weigh_cards(cards)
    assert asked(view_of(), "suggest") == suggest(view_of())
    for what, view in (("weigh", view_of()), ("suggest", None)):
        with pytest.raises(BadCommand) as bad:
            asked(view, what)
        assert bad.value.rule == "page.advice"
