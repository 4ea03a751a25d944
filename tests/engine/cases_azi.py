"""Rule cases of Azi (``vectors/azi.json``): one function for each kind of case.

A function gives what the rules say, to be compared with the case's ``expect``. A state is made by
the contract as far as the case tells of a game, and by hand beyond that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine import Card, IllegalMove, Seat, Slot
from engine.azi import GAME
from engine.azi.ending import win
from engine.azi.interlude import Interlude
from engine.azi.money import Chips
from engine.azi.state import PLAYING, AziState, Play
from tests.engine.azi_hands import (
    ALL,
    cards,
    dealt,
    deck,
    game,
    moved,
    options,
    standing,
    start,
    view,
)
from tests.engine.azi_script import table

Case = Mapping[str, Any]

WHY = {
    "bid.limit": "three bids used",
    "bid.low": "not higher",
    "bid.lead": "gave up the lead",
}
"""Refusals in the words of the cases."""


def at_trick(case: Case, seats: int, played: Sequence[Card] = ()) -> AziState:
    """A game in its first trick, seat 0 having led, and so many cards are played."""
    chosen = options(trump_from=case.get("trump_from", "stock"))
    state = start(chosen, standing(*[1000] * seats))
    state = dealt(state, {state.turned_up_slot: case["turned_up"]})
    trick = tuple(Play(seat, state.block(seat)[0], card) for seat, card in enumerate(played))
    return replace(state, phase=PLAYING, leader=0, turn=len(played), trick=trick)


def legal(case: Case) -> list[Card]:
    """What may be played of a hand."""
    played, hand = case["played"], case["hand"]
    seat = len(played)
    state = at_trick(case, max(2, seat + 1), played)
    faces: dict[Slot, Card] = dict(zip(state.block(seat), hand, strict=False))
    (choice,) = GAME.legal(view(state, seat, faces))
    return [faces[slot] for _, slot in choice.moves if isinstance(slot, int)]


def trick(case: Case) -> Card:
    """The card that takes a trick."""
    played = case["cards"]
    state = at_trick(case, len(played))
    for seat, card in enumerate(played):
        slot = state.block(seat)[-1]
        state = game(GAME.apply(state, {seat: ("play", slot)}, {slot: card}))
    (taken,) = state.tricks
    return next(one.card for one in taken.plays if one.seat == taken.winner)


def whole_game(case: Case) -> str:
    """How a game ends whose tricks go to these seats; each takes its own by a trump."""
    names = "ABC"
    winners = [names.index(name) for name in case["trick_winners"]]
    low, high = iter(cards("6S 7S 8S 9S TS JS 6D 7D 8D")), iter(cards("AH KH QH"))
    taking = [*winners, 0][:3]
    hands = [[""] * 3 for _ in names]
    for number, winner in enumerate(taking):
        for seat, hand in enumerate(hands):
            hand[number] = next(high) if seat == winner else next(low)
    faces = deck([" ".join(hand) for hand in hands], turned_up="9H")
    state = dealt(start(options(), standing(100, 100, 100)), faces)
    state = moved(state, "0 bid 10, 1 level, 2 level", faces)
    while not GAME.over(state):
        (seat,) = GAME.owed(state)
        slot = state.block(seat)[len(state.tricks)]
        state = game(GAME.apply(state, {seat: ("play", slot)}, faces))
    assert [one.winner for one in state.tricks] == winners
    if state.winner is None:
        return state.ended
    return f"{names[state.winner]} wins after trick {len(state.tricks)}"


def pack(case: Case) -> int:
    """The number of cards."""
    return len(GAME.pack(options()))


def opener(case: Case) -> int:
    """Who opens the bidding."""
    before = standing(*[1000] * case["seats"], winner=case["last_winner"])
    return start(options(), before).opener


def bidding(case: Case) -> str:
    """How the bidding stands after these actions, or why the last is refused."""
    ante = case["ante"]
    before = standing(*[stack + ante for stack in case["stacks_after_ante"]])
    given = {
        name: {True: "on", False: "off"}[value] if isinstance(value, bool) else value
        for name, value in case.get("options", {}).items()
    }
    state = start(options(ante=ante, **given), before, coin=case["opener"])
    state = dealt(state, {state.turned_up_slot: "QH"})
    for seat, *said in case["actions"]:
        try:
            state = game(GAME.apply(state, {seat: tuple(said)}, {}))
        except IllegalMove as illegal:
            return f"illegal: {WHY[illegal.rule]}"
    if GAME.over(state):
        return f"seat {state.winner} takes {state.payouts[0][1]} unplayed"
    if state.phase == PLAYING:
        return f"seat {state.leader} leads, bank {state.chips.bank}"
    return f"seat {state.turn} to act"


def split(case: Case) -> dict[str, object]:
    """What a winner takes and what goes back."""
    paid, winner = case["contributions"], case["winner"]
    state = start(options(short_stack=case["short_stack"]), standing(*[1000] * len(paid)))
    chips = Chips((*[0] * len(paid), *paid, case["carried"]))
    folded = frozenset(case["folded"])
    bid = replace(state, chips=chips, levels=tuple(paid), highest=max(paid), folded=folded)
    state = win(bid, winner)
    back = list(state.chips.stacks)
    taken, back[winner] = back[winner], 0
    return {"winner": taken, "back": back}


def azi_entry(case: Case) -> str:
    """What a game after an azi of three trick takers begins with."""
    chosen = options(azi_entry=case["azi_entry"], ante=case.get("ante", 10))
    buyers: list[Seat] = list(range(3, 3 + case.get("buyers", 0)))
    before = standing(
        *[1000] * (3 + len(buyers)),
        carried=case["bank"],
        entry="azi",
        heirs=(0, 1, 2),
        azi_bank=case["bank"],
        opener=0,
        free=case["azi_entry"] != "all_ante",
    )
    if not buyers:
        return f"bank {start(chosen, before).chips.bank} before bidding"
    state = GAME.interlude(chosen, before, ALL)
    for seat in buyers:
        assert state is not None
        state = GAME.apply(state, {seat: ("buy",)}, {})
    assert isinstance(state, Interlude)
    paid = {1000 - state.standing.stacks[seat] for seat in buyers}
    after = start(chosen, state.standing)
    assert after.seats == (0, 1, 2, *buyers)
    pays = "pays" if len(buyers) == 1 else "each pays"
    return f"{pays} {' or '.join(map(str, paid))}, bank {after.chips.bank}"


def blind(case: Case) -> str:
    """What all but the opener have paid, some of them blind; who bids in full looks first."""
    state = start(options(ante=case["ante"], blind="on"), standing(*[1000] * case["seats"]))
    state = dealt(state, {state.turned_up_slot: "QH"})
    for seat, kind, *chips in case["actions"]:
        how = kind.removesuffix("_blind")
        if how == kind:
            state = game(GAME.shown(GAME.apply(state, {seat: ("look",)}, {}), {}))
        levels = [amount * (1 if how == kind else 2) for amount in chips]
        state = game(GAME.apply(state, {seat: (how, *levels)}, {}))
    paid = [put - case["ante"] for put in state.chips.contributions]
    told = [f"seat {seat} pays {paid[seat]}" for seat in state.seats[1:]]
    return ", ".join((*told, f"bank {state.chips.bank}"))


KINDS: Mapping[str, Callable[[Case], object]] = {
    "legal": legal,
    "trick": trick,
    "game": whole_game,
    "pack": pack,
    "opener": opener,
    "bidding": bidding,
    "split": split,
    "azi_entry": azi_entry,
    "blind": blind,
    "table": table,
}
