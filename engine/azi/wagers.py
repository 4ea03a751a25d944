"""What to say in the own turn to bid, by trying it on many deals.

In each deal every other player that would have to answer stays in if its hand is good enough for
what that costs it, and the tricks are played out among those who stay. Nobody is expected to bid
again, so a bid is no bluff. A blind seat compares what it can say blind, at half price, with what
it would say to each kind of hand once it has looked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.azi import stakes
from engine.azi.chances import DEALS, Unseen, unseen
from engine.azi.choices import legal
from engine.azi.moves import BID, FOLD, LEVEL, LOOK
from engine.azi.pack import clockwise
from engine.azi.playout import Cards, play_out
from engine.azi.stakes import Ends
from engine.azi.view import AziView
from engine.contract import Draw, Move, Seat

KINDS: Final = 5
"""Kinds of hands, from bad to good, that a blind seat tells apart when it thinks of looking.

More would each be seen in too few deals.
"""

SIZES: Final = (0.0, 0.5, 1.0, 2.0)
"""Bids that are considered: above the least one by so many times the bank."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player does if it stays in: chips paid, level reached; with which hands it does."""

    cost: int
    level: int
    least_place: float


@dataclass(slots=True)
class Plan:
    """One thing to say, what others answer, and what came of it in the deals tried so far.

    ``own``: what it costs the seat and to which level it takes it. ``leader``: who leads, if that
    one stays in. ``ends``: by the bits of who stays in, those players, the place of the leader
    among them, and the ends there are. ``sums``: what the seat had, by kind of its hand.
    """

    move: Move
    own: Answer
    highest: int
    leader: int
    answers: dict[int, Answer]
    ends: dict[int, tuple[tuple[int, ...], int, Ends]] = field(default_factory=dict)
    sums: list[float] = field(default_factory=lambda: [0.0] * KINDS)


def best_wager(view: AziView, draw: Draw) -> Move:
    """The move of a seat that owes a bid; draws once for each deal."""
    known = unseen(view)
    seat = known.players[0]
    now = list(_plans(view, known.players))
    later: list[Plan] = []
    if _is_blind(view, seat):
        later = list(_plans(replace(view, looked=(*view.looked, seat)), known.players))
    folding = [0.0] * KINDS
    stays = stakes.use(view, view.stacks[seat])
    for _ in range(DEALS):
        hands = known.deal(draw)
        places = known.places(hands)
        likely = known.likelihood(places)
        kind = int(KINDS * places[0])
        folding[kind] += likely * stays
        played: dict[tuple[tuple[int, ...], int], int] = {}
        for plan in (*now, *later):
            plan.sums[kind] += likely * _tried(view, known, plan, hands, places, played)
    said: dict[Move, float] = {plan.move: sum(plan.sums) for plan in now}
    if view.highest:
        said[(FOLD,)] = sum(folding)
    looking = [plan.sums for plan in later] + ([folding] if later and view.highest else [])
    if looking:
        said[(LOOK,)] = sum(max(column) for column in zip(*looking, strict=True))
    return max(said, key=lambda move: said[move])


def _plans(view: AziView, players: Sequence[Seat]) -> Iterator[Plan]:
    """Levelling and a few bids, as far as they are legal."""
    for choice in legal(view):
        if choice.kind == LEVEL and view.highest_bidder is not None:
            leader = clockwise(players, view.highest_bidder)[0]
            yield _plan(view, players, (LEVEL,), view.highest, players.index(leader))
        elif choice.amount is not None:
            least, most, step = choice.amount
            above = {int(size * view.bank) // step * step for size in SIZES}
            for total in sorted({min(most, least + more) for more in above}):
                yield _plan(view, players, (BID, total), total, 0)


def _plan(view: AziView, players: Sequence[Seat], move: Move, highest: int, leader: int) -> Plan:
    own = _answer(view, players[0], highest, 0, 1)
    bank = view.bank + own.cost
    answers = {
        player: _answer(view, seat, highest, bank, len(players) - 1)
        for player, seat in enumerate(players)
        if player and view.stacks[seat] and view.levels[seat] < highest
    }
    return Plan(move, own, highest, leader, answers)


def _answer(view: AziView, seat: Seat, highest: int, bank: int, others: int) -> Answer:
    """What a seat pays to get to a level, or all that it has left.

    It does so with a hand that beats so many others as often as the bank makes it worth while. For
    each other it beats, a hand is taken to beat the next one just as likely.
    """
    rate = 2 if _is_blind(view, seat) else 1
    cost = min(view.stacks[seat], -((view.levels[seat] - highest) // rate))
    part = cost / (bank + cost) if cost else 0.0
    return Answer(cost, view.levels[seat] + cost * rate, part ** (1 / others))


def _is_blind(view: AziView, seat: Seat) -> bool:
    return view.blind and seat not in view.looked


def _tried(
    view: AziView,
    known: Unseen,
    plan: Plan,
    hands: Sequence[Cards],
    places: Sequence[float],
    played: dict[tuple[tuple[int, ...], int], int],
) -> float:
    """What the seat has of a plan in one deal; ``played``: results among the same players."""
    staying = (1 << len(hands)) - 1
    for player, answer in plan.answers.items():
        if places[player] < answer.least_place:
            staying ^= 1 << player
    if staying not in plan.ends:
        plan.ends[staying] = _ends(view, known.players, plan, staying)
    inside, leader, ends = plan.ends[staying]
    if len(inside) == 1:
        return ends.wins[0]
    if (inside, leader) not in played:
        played[inside, leader] = play_out([hands[player] for player in inside], leader)
    return ends.value(played[inside, leader])


def _ends(
    view: AziView, players: Sequence[Seat], plan: Plan, staying: int
) -> tuple[tuple[int, ...], int, Ends]:
    """Who stays in, who of them leads, and what the seat has of each end then."""
    inside = tuple(player for player in range(len(players)) if staying >> player & 1)
    contributions, levels = list(view.contributions), list(view.levels)
    for player in inside:
        answer = plan.own if not player else plan.answers.get(player)
        if answer is not None:
            contributions[players[player]] += answer.cost
            levels[players[player]] = answer.level
    seats = [players[player] for player in inside]
    ends = stakes.of_chips(view, seats, contributions, levels, plan.highest)
    leader = next((place for place, player in enumerate(inside) if player >= plan.leader), 0)
    return inside, leader, ends
