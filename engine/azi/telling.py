"""A game as plain values for hashes and as sentences for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.azi.interlude import Interlude
from engine.azi.standing import AziStanding
from engine.azi.state import ALONE, AZI, SPENT, VOID, WON, Action, AziState, Play, Trick
from engine.contract import Plain, Seat


def plain_standing(standing: AziStanding) -> Plain:
    """Pairs of name and value, in this fixed order. SPEC has the layout.

    What may be missing is a tuple of none or one.
    """
    return (
        ("stacks", standing.stacks),
        ("carried", standing.carried),
        ("winner", _maybe(standing.winner)),
        ("entry", standing.entry),
        ("heirs", standing.heirs),
        ("entered", standing.entered),
        ("azi_bank", standing.azi_bank),
        ("opener", _maybe(standing.opener)),
        ("free", int(standing.free)),
        ("dealt", standing.dealt),
        ("played", standing.played),
    )


def plain_state(state: AziState) -> Plain:
    """Pairs of name and value, in this fixed order; no face that is not public."""
    return (
        ("game", "azi"),
        ("phase", state.phase),
        ("before", plain_standing(state.before)),
        ("seats", state.seats),
        ("dealer", state.dealer),
        ("opener", state.opener),
        ("stacks", state.chips.stacks),
        ("contributions", state.chips.contributions),
        ("carried", state.chips.carried),
        ("sealed", int(state.sealed)),
        ("turned_up", state.turned_up),
        ("discards", tuple(_maybe(slot) for slot in state.discards)),
        ("turn", _maybe(state.turn)),
        ("opened", state.opened),
        ("levels", state.levels),
        ("bids_made", state.bids_made),
        ("highest", state.highest),
        ("highest_bidder", _maybe(state.highest_bidder)),
        ("yielded", tuple(sorted(state.yielded))),
        ("folded", tuple(sorted(state.folded))),
        ("gone", tuple(sorted(state.gone))),
        ("looked", tuple(sorted(state.looked))),
        ("seen", tuple(sorted(state.seen))),
        ("given", tuple(sorted(state.given))),
        ("leader", _maybe(state.leader)),
        ("trick", _row(state.trick)),
        ("tricks", tuple((one.leader, one.winner, *_row(one.plays)) for one in state.tricks)),
        ("actions", state.actions),
        ("ended", state.ended),
        ("winner", _maybe(state.winner)),
        ("heirs", state.heirs),
        ("payouts", state.payouts),
    )


def plain_interlude(state: Interlude) -> Plain:
    """Pairs of name and value, in this fixed order."""
    return (
        ("game", "azi"),
        ("phase", "buy" if state.queue else "over"),
        ("before", plain_standing(state.before)),
        ("present", tuple(sorted(state.present))),
        ("standing", plain_standing(state.standing)),
        ("queue", state.queue),
        ("gone", tuple(sorted(state.gone))),
        ("actions", state.actions),
        ("payouts", state.payouts),
    )


_TOLD: Final = {
    "look": "looked",
    "bid": "bid {}",
    "bid_blind": "bid {} blind",
    "level": "levelled for {}",
    "level_blind": "levelled blind for {}",
    "fold": "folded",
    "all_in": "could not open and went in with {}",
    "late": "was to open and did not: it paid {} and folded",
    "gone": "went away",
    "penalty": "lost its ante and {} more, the cards could not be dealt",
    "buy": "bought in for {}",
    "pass": "did not buy in",
}
"""How each kind of action is told; the braces stand for its amount."""


def story(state: AziState) -> tuple[str, ...]:
    """What happened, in short sentences in order; ``seat 2`` stands for a name."""
    lines = [f"{_seats(state.seats)} were dealt in, seat {state.opener} opened"]
    if state.before.carried:
        lines.append(f"a bank of {state.before.carried} was carried over")
    if state.turned_up:
        lines.append(f"{state.turned_up} was turned up")
    if state.six_on_stage:
        lines.append("six on stage: the six of trumps was the highest card")
    lines += _actions(state.actions)
    lines += [_trick_line(number, one) for number, one in enumerate(state.tricks, start=1)]
    return (*lines, *_end(state))


def story_of_interlude(state: Interlude) -> tuple[str, ...]:
    """What was asked, and what became of a bank that is not played for."""
    lines = _actions(state.actions)
    if state.payouts:
        lines.append("fewer than two could play on for the bank")
    return (*lines, *_parts(state.payouts))


def _actions(actions: Iterable[Action]) -> list[str]:
    return [f"seat {seat} {_TOLD[kind].format(amount)}" for seat, kind, amount in actions]


def _end(state: AziState) -> list[str]:
    if state.ended == AZI:
        bank = state.chips.bank or sum(chips for _, chips in state.payouts)
        if not state.payouts:
            return [f"azi: the bank of {bank} is carried over"]
        return [f"azi in the last game: the bank of {bank} is shared out", *_parts(state.payouts)]
    if state.ended == VOID:
        lost = sorted(state.gone) if state.gone < frozenset(state.seats) else []
        but = f" but {_seats(lost)}" if lost else ""
        return ["the game was void, everybody had the chips back" + but]
    if state.ended == SPENT:
        return [f"the cards are dealt again to {_seats(state.heirs)}"]
    if state.ended == ALONE:
        return [f"seat {state.winner} was left alone", *_parts(state.payouts)]
    if state.ended == WON:
        (winner, taken), *back = state.payouts
        told = [f"seat {winner} took {taken}"]
        told += [f"{chips} went back to seat {seat}" for seat, chips in back]
        return [f"seat {winner} won two tricks", ", ".join(told)]
    return []


def _parts(payouts: Iterable[tuple[Seat, int]]) -> list[str]:
    return [f"seat {seat} took {chips}" for seat, chips in payouts]


def _trick_line(number: int, trick: Trick) -> str:
    plays = ", ".join(f"seat {one.seat} {one.card}" for one in trick.plays)
    return f"trick {number}: {plays}; seat {trick.winner} took it"


def _row(plays: Iterable[Play]) -> tuple[Plain, ...]:
    """Plays as three rows, of seats, slots and cards, which is less deep than one for each."""
    held = tuple(plays)
    return (
        tuple(one.seat for one in held),
        tuple(one.slot for one in held),
        tuple(one.card for one in held),
    )


def _maybe(value: int | None) -> tuple[int, ...]:
    return () if value is None else (value,)


def _seats(seats: Iterable[Seat]) -> str:
    names = [f"seat {seat}" for seat in seats]
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
