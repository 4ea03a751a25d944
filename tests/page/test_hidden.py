"""No hidden card in anything that a window is sent: whole hands, every message, every seat.

What is public is taken from the shares that were given for each card: what is open to all by them.
It is not asked of the views that are tested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engine import Card, Slot
from engine.cards import FULL_PACK
from p2p import events as p2p
from protocol import events as table
from protocol.effects import Effect, Job, Send, Tell
from protocol.watch import Watcher
from tests.page.rooms import PLAYERS, FakePeer, Window, agreed, shown
from tests.protocol.once import computed_once
from tests.protocol.tables import Table, make_table
from ui.lines import plain
from ui.page.replay import walk

CARD = re.compile(r"(?<![0-9A-Za-z])(?:[2-9TJQKA]|10)(?:[SHDC](?![0-9A-Za-z])|[♠♥♦♣])")
"""What looks like a card, also in the middle of a text."""

Told = list[tuple[int, table.Event, dict[Slot, Card]]]
"""To which seat, what, and the faces that are open to all by then."""


@dataclass
class Truth:
    """What a seat may know of the hand in play."""

    own: dict[Slot, Card] = field(default_factory=dict)
    opened: dict[Slot, Card] = field(default_factory=dict)
    earlier: set[Card] = field(default_factory=set)
    """What was open in hands before."""
    last: set[Card] = field(default_factory=set)
    """What was known of the hand before, until the first view of this one."""

    @property
    def known(self) -> set[Card]:
        """All cards that may be named to this seat now."""
        return {*self.own.values(), *self.opened.values()}


def cards_in(value: object, path: str = "") -> Iterator[tuple[str, Card]]:
    """Every card that is named anywhere in a value, keys of objects too, and where."""
    if isinstance(value, str):
        for found in CARD.finditer(value):
            suits = dict(zip("♠♥♦♣", "SHDC", strict=True))
            text = found[0].replace("10", "T")
            yield path, text[0] + suits.get(text[1], text[1])
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from cards_in(key, path)
            yield from cards_in(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from cards_in(inner, f"{path}/{number}")


def told_at(made: Table) -> Told:
    """Plays a table to its end: what the sessions told, in order."""
    told: Told = []

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Tell):
            hand = made.seats[seat].session.history.table.hand
            told.append((seat, effect.event, {} if hand is None else dict(hand.faces)))

    made.watch = watch
    with computed_once():
        made.begin()
        made.deliver()
    assert all(seated.session.over for seated in made.seats)
    return told


def watched(made: Table) -> Told:
    """Plays a table to its end: what one is told who looks on; its seat is -1."""
    entries: list[bytes] = []

    def watch(seat: int, effect: Effect) -> None:
        if isinstance(effect, Send) and effect.envelope not in entries:
            entries.append(effect.envelope)

    made.watch = watch
    watcher, told = Watcher(made.agreement), []

    def run(effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Job):
                run(watcher.done(effect.number, effect.run(), 0.0))
            elif isinstance(effect, Tell):
                hand = watcher.history.table.hand
                told.append((-1, effect.event, {} if hand is None else dict(hand.faces)))

    with computed_once():
        made.begin()
        made.deliver()
        run(watcher.begin(0.0))
        for entry in entries:
            run(watcher.receive(entry, 0.0))
    return told


def hands_of(told: Told, seat: int) -> dict[int, dict[Slot, Card]]:
    """The cards that a seat was dealt in each hand, by all that it was ever shown as its own."""
    hands: dict[int, dict[Slot, Card]] = {}
    hand = 0
    for to, event, _ in told:
        if to != seat:
            continue
        if isinstance(event, table.HandStarted):
            hand = event.hand
            hands[hand] = {}
        elif isinstance(event, (table.ViewChanged, table.YourMove)) and hand in hands:
            hands[hand] |= dict(event.view.hand)
    return hands


LIST_OF_THE_PACK = re.compile(r".*/view/pack/\d+")


def assert_nothing_hidden(text: str, truth: Truth, hand: int) -> int:
    """A message names no card but those that the seat may know; how many it names."""
    count = 0
    for path, card in cards_in(json.loads(text)):
        if LIST_OF_THE_PACK.fullmatch(path):
            continue  # which cards there are at all
        allowed = truth.known
        if path.startswith(("/set/log", "/set/hands")):
            allowed = allowed | truth.earlier
        if path.startswith("/set/view"):
            allowed = allowed | truth.last
        assert card in allowed, f"hand {hand}: {card} at {path}"
        count += 1
    return count


TABLES = [
    pytest.param("hazari", 4, {"hands": 1}, id="hazari"),
    pytest.param("azi", 3, {"hands": 2, "max_bid": 30, "blind": "on"}, id="azi"),
    pytest.param(
        "azi", 3, {"hands": 3, "cards": 4, "trump_from": "dealers_last_card", "max_bid": 30},
        id="azi dealer's card", marks=pytest.mark.slow,
    ),
    pytest.param("azi", 6, {"hands": 4, "max_bid": 30}, id="azi of six", marks=pytest.mark.slow),
    pytest.param(
        "hazari", 4, {"hands": 3, "dismissal": "both"}, id="hazari longer", marks=pytest.mark.slow
    ),
]  # fmt: skip


@pytest.mark.trio
@pytest.mark.parametrize(("game", "seats", "options"), TABLES)
async def test_no_window_is_ever_sent_a_hidden_card(
    tmp_path: Path, game: str, seats: int, options: dict[str, Any]
) -> None:
    """Neither the window that hears everything nor one that is opened later."""
    told = told_at(make_table("hidden", game, options, seats))
    for seat in range(seats):
        begun = agreed(game, seats, seat, **options)
        assert await names_only_what_is_known(tmp_path / str(seat), told, seat, begun) > 50


@pytest.mark.trio
@pytest.mark.parametrize(("game", "seats", "options"), TABLES[:3])
async def test_nobody_who_looks_on_is_sent_a_hidden_card(
    tmp_path: Path, game: str, seats: int, options: dict[str, Any]
) -> None:
    """Neither at the table nor when it is played over again from the record."""
    made = make_table("hidden", game, options, seats)
    told = watched(made)
    a = agreed(game, seats, 0, **options)
    begun = p2p.Watching(a.table_id, a.players, a.code, a.table, a.game, a.options)
    assert await names_only_what_is_known(tmp_path, told, -1, begun) > 20
    public: dict[int, set[Card]] = {}
    hand = 0
    for _, event, faces in told:
        hand = event.hand if isinstance(event, table.HandStarted) else hand
        public.setdefault(hand, set()).update(faces.values())
    replay = walk(made.record(0))
    assert replay.hands
    for shown_hand in replay.hands:
        text = json.dumps({"set": {"view": shown_hand.frames}}, default=plain)
        for path, card in cards_in(json.loads(text)):
            if "/view/pack/" not in path:
                assert card in public[shown_hand.hand], path


async def names_only_what_is_known(folder: Path, told: Told, seat: int, begun: object) -> int:
    """Shows all that a seat was told to windows; returns how often a card was named."""
    named = 0
    hands = hands_of(told, seat)
    peer = FakePeer(max(seat, 0))
    async with shown(folder, peer, name=PLAYERS[seat].name) as (room, _):
        window = Window(room)
        await window.read()
        peer.tell(begun)
        await window.read()
        truth, hand = Truth(), 0
        for number, (to, event, faces) in enumerate(told):
            if to != seat:
                continue
            if isinstance(event, table.HandStarted):
                hand = event.hand
                earlier = truth.earlier | set(truth.opened.values())
                truth = Truth(hands[hand], {}, earlier, truth.known)
            elif isinstance(event, (table.ViewChanged, table.YourMove)):
                truth.last = set()
            truth.opened |= faces
            heard = len(window.texts)
            peer.tell(event)
            await window.read()
            texts = window.texts[heard:]
            if number % 7 == 0 or isinstance(event, table.HandOver):
                late = Window(room)
                await late.read()
                texts += late.texts
                late.close()
            for text in texts:
                named += assert_nothing_hidden(text, truth, hand)
        assert window.state["table"]["ended"] is not None
    return named


def test_moves_open_what_they_say() -> None:
    """What is counted as public is what all seats were told alike, and true."""
    told = told_at(make_table("hidden", "azi", {"hands": 2, "max_bid": 30}, 3))
    hand = 0
    every = [hands_of(told, seat) for seat in range(3)]
    for to, event, _ in told:
        if isinstance(event, table.HandStarted) and to == 0:
            hand = event.hand
        if isinstance(event, table.MoveMade) and to == 0:
            for slot, card in event.opened:
                assert every[event.seat][hand][slot] == card
                others = [s for s in range(3) if s != event.seat]
                assert not [s for s in others if slot in every[s][hand]]
    seen = [
        [event for to, event, _ in told if to == seat and isinstance(event, table.MoveMade)]
        for seat in range(3)
    ]
    assert seen[0] == seen[1] == seen[2]
    assert seen[0]


@pytest.mark.trio
async def test_one_hidden_card_would_be_found(tmp_path: Path) -> None:
    """Wherever it stood; so that the test above means something."""
    truth = Truth({1: "AS"}, {2: "KH"})
    for place in (
        {"set": {"view": {"hand": [[1, "AS"], [2, "QD"]]}}},
        {"set": {"result": {"story": ["anna takes Q♦"]}}},
        {"set": {"ask": {"barred": [[3, "rule", "you must follow QD"]]}}},
        {"events": [{"kind": "move", "opened": [[4, "QD"]]}]},
        {"set": {"QD": 1}},
        {"set": {"log": [{"text": "10♣"}]}},
    ):
        with pytest.raises(AssertionError, match=r"QD|TC"):
            assert_nothing_hidden(json.dumps(place), truth, 1)
    fine = {"set": {"view": {"hand": [[1, "AS"]], "pack": list(FULL_PACK), "id": "2c" * 32}}}
    assert assert_nothing_hidden(json.dumps(fine), truth, 1) == 1
    assert len(list(cards_in([list(FULL_PACK)]))) == 52
