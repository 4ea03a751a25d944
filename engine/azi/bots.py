"""Azi's bots. Each sees one seat's view and a draw, and answers with a legal move.

``random`` knows the rules and nothing else. ``steady`` deals what it cannot see many times over,
plays each deal out, and does what leaves it with most; see ``wagers``, ``chances``, ``playout``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.azi import stakes
from engine.azi.chances import DEALS, unseen, worth
from engine.azi.choices import legal
from engine.azi.moves import BID, BUY, DISCARD, PASS
from engine.azi.pack import clockwise
from engine.azi.playout import Cards, beats, bits, play_out, suit_of
from engine.azi.view import AziView
from engine.azi.wagers import best_wager
from engine.contract import Draw, Move, Seat, Strategy, View


def random(view: View, draw: Draw) -> Move:
    """Each kind of choice as likely as any other, and so each move of it; raises ValueError.

    That is where no choice is due.
    """
    choices = legal(_own(view))
    choice = choices[draw(len(choices))]
    if choice.amount is None:
        return choice.moves[draw(len(choice.moves))]
    least, most, step = choice.amount
    return (choice.kind, least + step * draw((most - least) // step + 1))


def steady(view: View, draw: Draw) -> Move:
    """What leaves the seat with most on average; raises ValueError where no choice is due.

    Draws once for each deal that it tries, and not at all where only one move is legal.
    """
    own = _own(view)
    if own.owes == BID:
        return best_wager(own, draw)
    if own.owes == BUY:
        return _buy(own)
    (choice,) = legal(own)
    if len(choice.moves) == 1:
        return choice.moves[0]
    return _discard(own, draw) if own.owes == DISCARD else _play(own, draw)


STRATEGIES: Final[dict[str, Strategy]] = {"random": random, "steady": steady}
"""Azi's strategies by the names that people choose them by."""


def _own(view: View) -> AziView:
    if not isinstance(view, AziView):
        raise TypeError(f"not a view of Azi: {type(view).__name__}")
    if view.owes is None:
        raise ValueError("a bot is asked only for a choice that its seat owes")
    return view


def _buy(view: AziView) -> Move:
    """Buy in if an equal part of the bank, with the price in it, is worth the price."""
    players = len(view.seats) + 1
    return (BUY,) if view.bank + view.price >= players * view.price else (PASS,)


def _moves(view: AziView) -> dict[Cards, Move]:
    """The move for each card that may be discarded or played, by the card's bit."""
    bit = bits(view.pack, view.trump, view.six_on_stage)
    (choice,) = legal(view)
    found = {bit[card]: (choice.kind, slot) for slot, card in view.hand}
    return {card: move for card, move in found.items() if move in choice.moves}


def _discard(view: AziView, draw: Draw) -> Move:
    """The card without which the hand wins most, the lead going round; of equal ones the worst."""
    known, moves = unseen(view), _moves(view)
    ends = stakes.chances_alone(view, known.players)
    sums = dict.fromkeys(sorted(moves, key=worth), 0.0)
    for number in range(DEALS):
        hand, *others = known.deal(draw)
        for card in sums:
            result = play_out((hand ^ card, *others), number % len(known.players))
            sums[card] += ends.value(result)
    return moves[max(sums, key=lambda card: sums[card])]


def _play(view: AziView, draw: Draw) -> Move:
    """The card after which the seat has most; of equal ones the worst."""
    known, moves = unseen(view), _moves(view)
    players = known.players
    ends = stakes.of_chips(view, players, view.contributions, view.levels, view.highest)
    once = sum(1 << players.index(winner) for _, _, winner in view.tricks if winner in players)
    trick = _trick(view, players)
    sums = dict.fromkeys(sorted(moves, key=worth), 0.0)
    for _ in range(DEALS):
        hands = known.deal(draw)
        likely = known.likelihood(known.places(hands))
        for card in sums:
            result = play_out(hands, 0, once, *trick, forced=card)
            sums[card] += likely * ends.value(result)
    return moves[max(sums, key=lambda card: sums[card])]


def _trick(view: AziView, players: Sequence[Seat]) -> tuple[Cards, Cards, int, int]:
    """Of the trick in progress what ``play_out`` asks for: best card, suit led, holder, waiting."""
    if not view.trick:
        return 0, 0, 0, 0
    bit = bits(view.pack, view.trump, view.six_on_stage)
    winner, card = view.trick[0]
    best, led = bit[card], suit_of(bit[card])
    for seat, card in view.trick[1:]:
        if beats(bit[card], best, led):
            winner, best = seat, bit[card]
    following = players.index(clockwise(players, winner)[0])
    holder = following if winner in players else -1 - following
    waiting = set(players) - {seat for seat, _ in view.trick}
    return best, led, holder, len(waiting)
