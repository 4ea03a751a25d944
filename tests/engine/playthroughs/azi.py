"""The playthroughs of Azi: the defaults, each option at work, a seat missing at each kind of step.

In the tricks, and where four cards are dealt, each seat plays what its own program would when the
clock runs out; the bids are told here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine import Card, Move, Seat, View, complete
from engine.azi import GAME
from engine.azi.standing import AziStanding
from tests.engine.azi_chance import pack
from tests.engine.driver import Match, Silent
from tests.engine.playthroughs import render


@dataclass(frozen=True)
class Deal:
    """One hand: the pack, what is said from the first bid on, who is there and who falls silent.

    ``said`` is in the order of the turns; once it is used up who may levels, and who must open
    bids the least. ``between`` is what those say who are asked before this hand.
    """

    seed: int
    said: Sequence[str] = ()
    silent: Silent = field(default_factory=dict)
    between: Sequence[str] = ()
    silent_between: Silent = field(default_factory=dict)
    present: frozenset[Seat] | None = None
    lost_at_ready: frozenset[Seat] = frozenset()


@dataclass(frozen=True)
class Scenario:
    """Hands played one after the other, and what is settled between them."""

    about: str
    seats: int
    deals: Sequence[Deal]
    options: Mapping[str, int | str] = field(default_factory=dict)
    coin: int = 0
    before: Mapping[str, object] = field(default_factory=dict)

    def text(self) -> str:
        """The playthrough."""
        given = complete(GAME.options, dict(self.options))
        standing = GAME.opening(given, self.seats)
        assert isinstance(standing, AziStanding)
        lines = [f"Azi: {self.about}", ""]
        lines += [f"option: {name} = {value}" for name, value in given.items()]
        speaker = Speaker(self.deals)
        match = Match(
            GAME,
            given,
            self.seats,
            speaker.packs(str(given["left_out_suit"])),
            speaker,
            replace(standing, **self.before),  # type: ignore[arg-type]
            coins=lambda number: self.coin,
            sit=self.sit,
            late_at_ready=lambda number: self.deal(number).lost_at_ready,
            silent=self.silent,
        )
        speaker.match = match
        return "\n".join([*lines, *render.play_on(match, len(self.deals))]) + "\n"

    def deal(self, number: int) -> Deal:
        """The hand of this number, from 1."""
        return self.deals[number - 1] if number <= len(self.deals) else Deal(0)

    def sit(self, number: int) -> frozenset[Seat]:
        """Who wants to play a hand."""
        present = self.deal(number).present
        return frozenset(range(self.seats)) if present is None else present

    def silent(self, number: int) -> Silent:
        """Who falls silent in a hand, or before it."""
        return self.deal(number).silent if number > 0 else self.deal(-number).silent_between


@dataclass
class Speaker:
    """Says what the deals tell, in turn."""

    deals: Sequence[Deal]
    match: Match | None = None
    told: tuple[int, int] = (0, 0)

    def packs(self, left_out: str) -> Iterator[Sequence[Card]]:
        """The pack of each hand, and one for a hand that is not played any more."""
        for deal in (*self.deals, Deal(0)):
            yield pack(deal.seed, left_out)

    def __call__(self, seat: Seat, view: View) -> Move:
        """The next thing that is told, or what goes without saying."""
        assert self.match is not None
        if view.owes not in ("bid", "buy"):
            return GAME.late(view)
        number = self.match.number if view.owes == "bid" else -self.match.number - 1
        place = self.told[1] if self.told[0] == number else 0
        self.told = (number, place + 1)
        deal = self.deals[abs(number) - 1]
        said = deal.said if view.owes == "bid" else deal.between
        if place < len(said):
            kind, *amount = said[place].split()
            return (kind, *map(int, amount))
        choices = {choice.kind: choice for choice in GAME.legal(view)}
        if "level" in choices:
            return ("level",)
        bid = choices.get("bid")
        return GAME.late(view) if bid is None or bid.amount is None else ("bid", bid.amount[0])


def _missing(step: int, *seats: Seat) -> Silent:
    return {step: frozenset(seats)}


def _seats(*seats: Seat) -> frozenset[Seat]:
    return frozenset(seats)


BLIND: Mapping[str, int | str] = {"blind": "on"}

SCENARIOS: Mapping[str, Scenario] = {
    "default": Scenario(
        "the defaults; the coin chooses seat 2, which leads, and the bidding goes twice around",
        4,
        [Deal(1, ("bid 10", "bid 30", "level", "bid 50", "bid 80", "fold", "fold", "level"))],
        coin=6,
    ),
    "two_seats": Scenario(
        "two seats, and three bids each",
        2,
        [Deal(11, tuple(f"bid {total}" for total in (10, 20, 30, 40, 50, 60)))],
    ),
    "six_seats": Scenario(
        "six seats, trumps from the stock, an ace is turned up: six on stage; azi, and again",
        6,
        [Deal(3), Deal(5, ("bid 40", "level", "fold", "level", "fold", "level"))],
        {"left_out_suit": "H", "turn_seconds": 0},
    ),
    "one_is_left": Scenario(
        "all but one fold: no card is shown; that seat is the winner, so the next one opens",
        3,
        [Deal(1, ("bid 10", "bid 25", "fold", "fold")), Deal(2, ("bid 10", "fold", "fold"))],
    ),
    "cards_4": Scenario(
        "four cards: everybody discards one before the first bid", 4, [Deal(2)], {"cards": 4}
    ),
    "stack_and_ante": Scenario(
        "few chips: seat 0 cannot open and goes in with all, seat 1 has none left, seat 2 opens",
        4,
        [Deal(2, ("bid 20", "bid 30", "level"))],
        {"stack": 100, "ante": 15, "min_bid": 20},
        before={"stacks": (25, 15, 200, 160)},
    ),
    "nobody_can_open": Scenario(
        "nobody can open: all are in with all they have, and the first seat leads",
        3,
        [Deal(5)],
        {"stack": 12, "ante": 8, "min_bid": 12},
        coin=1,
    ),
    "raise_step_and_max_bid": Scenario(
        "a step of 20, at most 60",
        5,
        [Deal(4, ("bid 10", "bid 30", "bid 60", "level", "level"))],
        {"raise_step": 20, "max_bid": 60, "left_out_suit": "S"},
    ),
    "callers_may_reraise": Scenario(
        "who has levelled bids again",
        3,
        [Deal(7, ("bid 10", "level", "bid 20", "bid 30", "bid 45", "level", "fold"))],
        {"callers_may_reraise": "on"},
    ),
    "short_winner_matched": Scenario(
        "a winner without enough to level takes as much from each as its own stake",
        3,
        [Deal(2, ("bid 50", "level", "level"))],
        before={"stacks": (1000, 970, 30)},
    ),
    "short_winner_pro_rata": Scenario(
        "a winner without enough to level takes its part of the bank",
        3,
        [Deal(2, ("bid 50", "level", "level"))],
        {"short_stack": "pro_rata"},
        before={"stacks": (1000, 970, 30)},
    ),
    "trump_from_dealers_last_card": Scenario(
        "the dealer's last card, an ace, is turned up and played; the six of trumps beats it",
        3,
        [Deal(660)],
        {"trump_from": "dealers_last_card"},
    ),
    "azi_all_ante": Scenario(
        "two games of azi, one after the other, for a new ante; seat 3 sits out and comes back",
        4,
        [
            Deal(3, ("bid 10", "level", "level", "fold")),
            Deal(6, ("bid 10",), present=_seats(0, 1, 2)),
            Deal(2, ("bid 10", "level", "fold", "fold")),
        ],
        {"left_out_suit": "C"},
        before={"winner": 3},
    ),
    "azi_half_pot": Scenario(
        "the trick takers play free, seat 4 buys in, seat 5 passes, seat 3 is silent; the winner "
        "takes the bank whole",
        6,
        [
            Deal(7),
            Deal(1, ("bid 20",), between=("buy", "pass"), silent_between=_missing(1, 3)),
        ],
        {"azi_entry": "half_pot"},
    ),
    "azi_trick_takers_only": Scenario(
        "nobody but the trick takers; then one of them is lost before READY closes",
        4,
        [Deal(3), Deal(5, lost_at_ready=_seats(1))],
        {"azi_entry": "trick_takers_only"},
    ),
    "azi_one_can_play": Scenario(
        "of the trick takers only seat 1 wants to play on: it takes the carried bank",
        4,
        [Deal(3), Deal(1, present=_seats(1, 3))],
        {"azi_entry": "trick_takers_only"},
    ),
    "azi_at_the_end": Scenario(
        "the last game of the match is azi: the trick takers share the bank, and the win",
        4,
        [Deal(3, ("bid 10", "level", "level", "level"))],
        {"hands": 1, "ante": 0},
    ),
    "hands_2": Scenario("a match of two games", 2, [Deal(3), Deal(12)], {"hands": 2}),
    "all_the_chips": Scenario(
        "the match ends when one seat has all the chips", 2, [Deal(2, ("bid 90",))], {"stack": 100}
    ),
    "too_few_want_to_play": Scenario(
        "the match ends when only one seat wants to play on",
        3,
        [Deal(2), Deal(1, present=_seats(1))],
    ),
    "blind": Scenario(
        "blind bids: seat 1 looks and bids, seat 2 folds with its shares, the others look at the "
        "end",
        4,
        [Deal(4, ("bid 10", "look", "bid 20", "fold", "level", "level"))],
        BLIND,
    ),
    "blind_two_seats": Scenario(
        "blind bids of two seats need no locks",
        2,
        [Deal(4, ("bid 10", "bid 20", "look", "level"))],
        BLIND,
    ),
    "blind_dealers_last_card": Scenario(
        "the dealer's turned-up card is for all, though the dealer has not looked",
        3,
        [Deal(80, ("bid 10", "look", "level", "level"))],
        {**BLIND, "trump_from": "dealers_last_card"},
    ),
    "blind_silent_at_the_lock": Scenario(
        "seat 1 gives no lock: its ante and more stay, the others are dealt again; of them seat 2 "
        "gives no shares, and the two who are left are dealt again",
        4,
        [Deal(4, silent=_missing(1, 1)), Deal(5, silent=_missing(2, 2)), Deal(6)],
        BLIND,
    ),
    "blind_silent_at_a_look": Scenario(
        "seat 1 looks, seat 3 is silent: the three others open its lock, and again when all look",
        4,
        [Deal(6, ("bid 10", "look", "level", "level"), silent=_missing(4, 3))],
        BLIND,
    ),
    "blind_two_silent_at_a_look": Scenario(
        "seats 0 and 3 are silent when seat 1 looks: no lock opens, the game is void",
        4,
        [Deal(6, ("bid 10", "look"), silent=_missing(4, 0, 3)), Deal(7)],
        BLIND,
    ),
    "blind_silent_at_opening": Scenario(
        "the opener is silent, pays half and folds; its lock is opened when the others look",
        3,
        [Deal(6, silent=_missing(3, 0))],
        BLIND,
    ),
    "blind_leader_silent_at_the_end": Scenario(
        "the highest bidder is silent when all look: the next seat leads",
        3,
        [Deal(6, ("bid 10", "level", "level"), silent=_missing(6, 0))],
        BLIND,
    ),
    "silent_at_the_deal": Scenario(
        "seat 1 is silent at the deal: the pack is spent, the others are dealt again without it",
        4,
        [Deal(4, silent=_missing(1, 1)), Deal(5)],
    ),
    "silent_at_the_deal_of_two": Scenario(
        "of two seats one is silent at the deal: the other takes the bank",
        2,
        [Deal(4, silent=_missing(1, 1))],
    ),
    "silent_at_the_discard": Scenario(
        "the opener is silent at the discard and pays for opening",
        4,
        [Deal(5, silent=_missing(2, 0))],
        {"cards": 4, "left_out_suit": "D"},
    ),
    "late_opener": Scenario(
        "the own program of the opener speaks for it, and that of the next seat, too",
        3,
        [Deal(5, ("late", "late"))],
    ),
    "silent_at_a_bid": Scenario(
        "seat 1 is silent in its turn: it folds", 3, [Deal(5, silent=_missing(3, 1))]
    ),
    "silent_in_the_tricks": Scenario(
        "seat 1 takes a trick and is silent: it stays taken, the next seat leads",
        4,
        [Deal(3, silent=_missing(10, 1))],
    ),
    "silent_in_the_tricks_of_two": Scenario(
        "the other takes the bank", 2, [Deal(3, silent=_missing(4, 0))]
    ),
}
