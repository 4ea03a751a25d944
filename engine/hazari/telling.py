"""A hand as plain values for hashes and as sentences for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.contract import Plain, Seat, StandingError
from engine.hazari.combinations import spoken
from engine.hazari.dismissal import because
from engine.hazari.rounds import PACK_POINTS, SEATS, Round
from engine.hazari.state import ALL_SEATS, HazariStanding, HazariState
from engine.reading import MAX_HANDS, items, number, numbers, optional_seat, switch


def plain_standing(standing: HazariStanding) -> Plain:
    """Pairs of name and value, in this fixed order. SPEC has the layout.

    What may be missing is a tuple of none or one.
    """
    return (
        ("points", standing.totals),
        ("dealer", () if standing.dealer is None else (standing.dealer,)),
        ("dealt", standing.dealt),
        ("played", standing.played),
        ("broken", int(standing.broken)),
    )


STANDING: Final = ("points", "dealer", "dealt", "played", "broken")


def restored(plain: object) -> HazariStanding:
    """The standing that ``plain_standing`` gives so; raises StandingError for any other values.

    Each hand that was scored has brought 360 points, in fives.
    """
    points, dealer, dealt, played, broken = items(plain, STANDING)
    hands = number(dealt, MAX_HANDS, "dealt")
    scored = number(played, hands, "played")
    totals = numbers(points, SEATS, PACK_POINTS * scored, "points")
    if sum(totals) != PACK_POINTS * scored or any(total % 5 for total in totals):
        raise StandingError(f"these are not the points of {scored} hands")
    found = HazariStanding(
        totals, optional_seat(dealer, SEATS, "dealer"), hands, scored, switch(broken, "broken")
    )
    if (found.dealer is None) != (hands == 0):
        raise StandingError("the dealer is known once a hand was dealt, and not before")
    if found.broken and hands == scored:
        raise StandingError("a hand that was void was not scored")
    return found


def plain_state(state: HazariState) -> Plain:
    """Pairs of name and value, in this fixed order; no face that is not public."""
    shown = state.shown
    return (
        ("game", "hazari"),
        ("phase", state.phase),
        ("before", plain_standing(state.before)),
        ("dealer", state.dealer),
        ("gone", tuple(sorted(state.gone))),
        ("hidden", tuple(sorted(state.hidden))),
        ("locked", tuple(sorted(state.locked))),
        ("arranged", tuple(() if said is None else said for said in state.arranged)),
        ("dismissed", tuple((one.seat, one.reason, one.cards) for one in state.dismissed)),
        ("void", int(state.void)),
        ("divisions", shown.divisions if shown else ()),
        ("replaced", tuple(sorted(shown.replaced)) if shown else ()),
        ("foul", tuple(sorted(shown.foul)) if shown else ()),
        ("rounds", tuple((r.order, r.winner, r.points) for r in shown.rounds) if shown else ()),
        ("scores", shown.scores if shown else ()),
    )


def story(state: HazariState) -> tuple[str, ...]:
    """What happened, in short sentences in order; ``seat 2`` stands for a name."""
    lines = [f"seat {state.dealer} dealt, seat {state.leader} led"]
    lines += [f"seat {seat} went away" for seat in sorted(state.gone)]
    for one in state.dismissed:
        cards = " ".join(one.cards)
        lines.append(f"seat {one.seat} dismissed a hand that {because(one.reason)}: {cards}")
    if state.dismissed:
        lines.append("the hand was cancelled, nobody scored")
    if state.void:
        lines.append("the cards of two seats could not be known, the hand was void")
    if state.shown:
        for seat in sorted(state.shown.replaced):
            why = "was out of order" if seat in state.shown.foul else "was not there"
            lines.append(f"the division of seat {seat} {why}, the fallback stood in")
        if state.shown.foul and state.rules.foul_scores_zero:
            lines.append(f"{_seats(state.shown.foul)} ranked below all others")
        lines += [_round_line(one) for one in state.shown.rounds]
        points = state.shown.scores
        lines.append("points: " + ", ".join(f"seat {s} {points[s]}" for s in ALL_SEATS))
    return tuple(lines)


def _round_line(one: Round) -> str:
    plays = "; ".join(f"seat {seat} {spoken(one.groups[seat])}" for seat in one.order)
    return f"round {one.number}: {plays}; seat {one.winner} took {one.points}"


def _seats(seats: Iterable[Seat]) -> str:
    return " and ".join(f"seat {seat}" for seat in sorted(seats))
