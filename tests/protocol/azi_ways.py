"""How seats play Azi in tests: simple ways, each the same whenever it is asked the same."""

from __future__ import annotations

from collections.abc import Callable

from engine import Game, Move, View, game
from engine.azi.view import AziView
from tests.protocol.tables import entropy

AZI: Game = game("azi")


def as_azi(view: View) -> AziView:
    """The view as one of Azi's."""
    assert isinstance(view, AziView)
    return view


def calm(view: AziView) -> Move:
    """Bids the least to open, levels, gives away the lowest card, buys nothing."""
    bid = next((one for one in AZI.legal(view) if one.kind == "bid"), None)
    if view.owes != "bid":
        return AZI.late(view)
    if view.highest == 0:
        assert bid is not None
        assert bid.amount is not None
        return ("bid", bid.amount[0])
    return ("level",)


def eager(view: AziView) -> Move:
    """Looks first, then is calm."""
    if view.owes == "bid" and any(one.kind == "look" for one in AZI.legal(view)):
        return ("look",)
    return calm(view)


def bold(view: AziView) -> Move:
    """Bids as little as it may as often as it may, then levels."""
    bid = next((one for one in AZI.legal(view) if one.kind == "bid"), None)
    if bid is not None and bid.amount is not None:
        return ("bid", bid.amount[0])
    return calm(view)


def bold_once(view: AziView) -> Move:
    """Bids once, then levels."""
    assert view.seat is not None
    return calm(view) if view.bids_made[view.seat] else bold(view)


def timid(view: AziView) -> Move:
    """Folds as soon as it may."""
    return ("fold",) if view.owes == "bid" and view.highest else calm(view)


def seen_timid(view: AziView) -> Move:
    """Looks, then folds as soon as it may."""
    looks = any(one.kind == "look" for one in AZI.legal(view))
    return ("look",) if looks else timid(view)


def all_in(view: AziView) -> Move:
    """Bids all it can reach."""
    bid = next((one for one in AZI.legal(view) if one.kind == "bid"), None)
    if bid is not None and bid.amount is not None:
        return ("bid", bid.amount[1])
    return calm(view)


def buyer(view: AziView) -> Move:
    """Is calm, and buys in."""
    return ("buy",) if view.owes == "buy" else calm(view)


def first_slot(view: AziView) -> Move:
    """Is calm, but lays aside the first card that it may, whatever it is."""
    return AZI.legal(view)[0].moves[0] if view.owes == "discard" else calm(view)


def fickle(view: AziView) -> Move:
    """Does anything that it may, as a hash of what everybody knows has it."""
    draw = int.from_bytes(entropy("fickle", view.seat, view.hand_number, view.actions)(8), "big")
    choices = [one for one in AZI.legal(view) if one.kind != "level" or draw % 3]
    choice = choices[draw % len(choices)]
    if choice.amount is None:
        return choice.moves[draw % len(choice.moves)]
    least, most, step = choice.amount
    return (choice.kind, least + step * (draw % ((most - least) // step + 1)))


WAYS: dict[str, Callable[[AziView], Move]] = {
    "calm": calm,
    "eager": eager,
    "bold": bold,
    "bold once": bold_once,
    "timid": timid,
    "seen timid": seen_timid,
    "all in": all_in,
    "buyer": buyer,
    "first slot": first_slot,
    "fickle": fickle,
}
