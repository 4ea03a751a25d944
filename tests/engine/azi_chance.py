"""Azi by chance: tables, packs, moves and absences that follow from one seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine import Card, Choice, Game, Move, OptionError, Options, Seat, View, complete

SUITS = "SHDC"


def cards_without(left_out: str) -> list[Card]:
    """The 27 cards, in the total order."""
    return [rank + suit for rank in "AKQJT9876" for suit in SUITS if suit != left_out]


def pack(seed: int, left_out: str) -> tuple[Card, ...]:
    """A shuffled pack, the same for the same seed."""
    cards = cards_without(left_out)
    random.Random(seed).shuffle(cards)
    return tuple(cards)


def some_options(game: Game, chance: random.Random) -> Options:
    """Complete options, every one of them at work now and then, and few chips."""
    blind = chance.random() < 0.4
    even = 2 if blind else 1
    stack = chance.choice((2, 5, 12, 30, 100))
    ante = min(stack, chance.choice((0, 1, 1, 2, 5)))
    min_bid = even * chance.randint(1, max(1, min(5, stack // even)))
    given: dict[str, int | str] = {
        "cards": 3 if blind else chance.choice((3, 3, 4)),
        "left_out_suit": chance.choice(SUITS),
        "stack": stack,
        "ante": ante,
        "min_bid": min_bid,
        "raise_step": even * chance.choice((1, 1, 2)),
        "max_bid": chance.choice((0, 0, min_bid, min_bid + even, min_bid + 4 * even)),
        "callers_may_reraise": chance.choice(("on", "off")),
        "azi_entry": chance.choice(("all_ante", "half_pot", "trick_takers_only")),
        "short_stack": chance.choice(("matched", "pro_rata")),
        "trump_from": chance.choice(("stock", "dealers_last_card")),
        "blind": "on" if blind else "off",
        "hands": chance.choice((0, 0, 3, 8)),
    }
    try:
        return complete(game.options, given)
    except OptionError:  # for instance a step beyond the stack; another draw does as well
        return some_options(game, chance)


def packs(options: Options, chance: random.Random) -> Iterator[Sequence[Card]]:
    """Shuffled packs without end."""
    pack = cards_without(str(options["left_out_suit"]))
    while True:
        chance.shuffle(pack)
        yield tuple(pack)


def moves_of(choice: Choice) -> list[Move]:
    """The moves that a choice lists; of an amount its least, its most and what is beside them."""
    if choice.amount is None:
        return list(choice.moves)
    least, most, step = choice.amount
    picked = {least, min(most, least + step), most, max(least, most - step)}
    return [(choice.kind, total) for total in sorted(picked)]


@dataclass
class ByChance:
    """A seat that may do anything legal does it by chance; it folds less often than it may."""

    game: Game
    chance: random.Random

    def __call__(self, seat: Seat, view: View) -> Move:
        """A legal move."""
        choices = list(self.game.legal(view))
        assert choices, f"seat {seat} owes {view.owes} and may do nothing"
        weights = [1 if choice.kind == "fold" else 4 for choice in choices]
        (choice,) = self.chance.choices(choices, weights)
        if choice.amount is not None and self.chance.random() < 0.5:
            return (choice.kind, choice.amount[0])
        return self.chance.choice(moves_of(choice))


def some_present(chance: random.Random, seats: int) -> Callable[[int], frozenset[Seat]]:
    """Mostly everybody wants to play on; some sit out, for a hand or a few."""

    def sit(number: int) -> frozenset[Seat]:
        return frozenset(seat for seat in range(seats) if number == 1 or chance.random() < 0.9)

    return sit
