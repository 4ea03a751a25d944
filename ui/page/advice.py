"""What groups of cards are worth in Hazari, and a division to begin with, for the page.

The page knows no rules: it asks what its trays hold. Everything here follows from the own cards, or
from cards that the window names itself; nothing that is hidden takes part.
"""

from __future__ import annotations

import secrets
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Final

from engine import Card, Slot
from engine.cards import FULL_PACK
from engine.hazari.bots import steady
from engine.hazari.combinations import TYPES, Strength, best_three, strength
from engine.hazari.division import GROUP_SIZES, HAND_SIZE
from engine.hazari.moves import DISMISS, UP
from engine.hazari.rounds import points
from engine.hazari.view import HazariView

MOST_GROUPS: Final = 16
"""Groups of cards that may be named at once: those of the four rounds of a hand."""

MOST_TRIES: Final = 20_000
"""Groups that are looked at to complete what the player has begun: a tenth of a second."""

_PAIR: Final = "pair"


class NoAdvice(Exception):
    """There is nothing to be said to this; the text says why, for developers."""


def weigh_trays(view: object, groups: object) -> dict[str, object]:
    """What the own slots in four trays are worth; trays may be empty or partly filled.

    ``trays``: for each what ``_worth`` says, None for an empty one; ``faults``: pairs (later,
    earlier), from 1, of full trays that follow each other, but for trays that are not full, in the
    wrong order. Raises NoAdvice.
    """
    faces = dict(_own(view).hand)
    slots = _read_groups(groups, faces.keys())
    cards = [tuple(faces[slot] for slot in group) for group in slots]
    full = [n for n, size in enumerate(GROUP_SIZES) if len(cards[n]) == size]
    faults = [
        (after + 1, before + 1)
        for before, after in pairwise(full)
        if strength(cards[after]) > strength(cards[before])
    ]
    trays = [_worth(group, size) for group, size in zip(cards, GROUP_SIZES, strict=True)]
    return {"trays": trays, "faults": faults}


def weigh_cards(groups: object) -> dict[str, object]:
    """What groups of open cards are worth, as in ``weigh_trays``; raises NoAdvice."""
    if not isinstance(groups, list) or len(groups) > MOST_GROUPS:
        raise NoAdvice(f"cards must be at most {MOST_GROUPS} lists of cards")
    for group in groups:
        if not isinstance(group, list) or len(group) > max(GROUP_SIZES):
            raise NoAdvice("a group has at most four cards")
        if not all(isinstance(card, str) and card in FULL_PACK for card in group):
            raise NoAdvice("a card is one of the pack, like QH")
        if len(set(group)) != len(group):
            raise NoAdvice("no card twice")
    return {"trays": [_worth(group, len(group)) for group in groups], "faults": []}


def suggest(view: object, lying: object = None) -> dict[str, object]:
    """A division of the own cards by slots, in ``groups``; ``dismiss``: a dismissal is better.

    ``lying``: the slots that lie in each tray already; ``kept``: whether they stay where they lie.
    Takes a while: call it in a worker thread. Raises NoAdvice, also where the table wants no hints.
    """
    own = _own(view)
    if not own.hints:
        raise NoAdvice("this table plays without hints")
    if own.owes != UP:
        raise NoAdvice("no division is due now")
    _, *best = steady(replace(own, dismissal="off"), secrets.randbelow)
    placed = _read_groups(lying or [[], [], [], []], dict(own.hand).keys())
    groups = _around(dict(own.hand), placed, best)
    dismiss = own.dismissal != "off" and steady(own, secrets.randbelow) == (DISMISS,)
    return {"groups": groups or best, "dismiss": dismiss, "kept": groups is not None}


def _around(
    faces: Mapping[Slot, Card], placed: list[list[Slot]], best: Sequence[object]
) -> Sequence[object] | None:
    """The best division if it leaves all where it lies; else the rest divided as strong as the
    order of the trays allows, the first ones first. None: it does not, or nothing is free."""
    sizes = list(GROUP_SIZES)
    if all(set(lies) <= set(group) for lies, group in zip(placed, best, strict=True)):  # type: ignore[call-overload]
        return best
    if [len(group) for group in placed] == sizes:
        return None
    left = MOST_TRIES

    def fill(n: int, rest: frozenset[Slot], most: Strength | None) -> list[list[Slot]] | None:
        nonlocal left
        if n == len(sizes):
            return []
        later = [
            g for g, size in zip(placed[n + 1 :], sizes[n + 1 :], strict=True) if len(g) == size
        ]
        least = max((_strong(faces, group) for group in later), default=None)
        found = []
        for more in combinations(sorted(rest), sizes[n] - len(placed[n])):
            left -= 1
            if left < 0:
                return None
            group = [*placed[n], *more]
            power = _strong(faces, group)
            if (most is None or power <= most) and (least is None or power >= least):
                found.append((power, group, more))
        for power, group, more in sorted(found, key=lambda one: one[0], reverse=True):
            others = fill(n + 1, rest - set(more), power)
            if others is not None:
                return [group, *others]
        return None

    free = frozenset(faces) - {slot for group in placed for slot in group}
    return fill(0, free, None)


def _strong(faces: Mapping[Slot, Card], group: Sequence[Slot]) -> Strength:
    return strength([faces[slot] for slot in group])


def _own(view: object) -> HazariView:
    if not isinstance(view, HazariView) or len(view.hand) != HAND_SIZE:
        raise NoAdvice("there is no hand of Hazari here")
    return view


def _read_groups(groups: object, own: Container[Slot]) -> list[list[Slot]]:
    """Four lists of own slots, none too long, no slot twice; raises NoAdvice."""
    if not isinstance(groups, list) or len(groups) != len(GROUP_SIZES):
        raise NoAdvice("groups must be four lists of slots")
    seen: set[Slot] = set()
    for group, size in zip(groups, GROUP_SIZES, strict=True):
        if not isinstance(group, list) or len(group) > size:
            raise NoAdvice("the groups have at most 3, 3, 3 and 4 slots")
        for slot in group:
            if type(slot) is not int or slot not in own or slot in seen:
                raise NoAdvice("a slot is one of the own cards, and each is in one group")
            seen.add(slot)
    return groups


def _worth(cards: Sequence[Card], size: int) -> dict[str, object] | None:
    """What cards are worth in a tray for so many.

    ``type``: the combination of the best three, or what two cards already are, or None; ``best``:
    those cards; ``ranks``: the ranks that count, the weightiest first; ``points``: of all cards.
    """
    if not cards:
        return None
    kind: str | None = None
    best: tuple[Card, ...] = ()
    ranks: list[str] = []
    if len(cards) >= 3:
        best = best_three(cards)
        kind = TYPES[strength(best)[0] - 1].replace(" ", "_")
        ranks = _ranks(best)
    elif len(cards) == 2 and cards[0][0] == cards[1][0]:
        kind, best, ranks = _PAIR, tuple(cards), [cards[0][0]]
    return {
        "type": kind,
        "best": best,
        "ranks": ranks,
        "points": points(cards),
        "full": len(cards) == size,
    }


def _ranks(best: Sequence[Card]) -> list[str]:
    """The ranks of three cards: one that is there more often first, then the highest; A-2-3 so."""
    letters = [card[0] for card in best]
    if letters == ["A", "3", "2"]:
        return ["A", "2", "3"]
    distinct = list(dict.fromkeys(letters))
    return sorted(distinct, key=lambda rank: -letters.count(rank))
