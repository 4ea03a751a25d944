"""A few words for people about what happens at a headless peer's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from p2p import events as p2p
from protocol import events as table
from ui.wording import listed, named, shown

DUE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "commit": "to begin a new pack",
        "open": "to begin a new pack",
        "mix": "to shuffle",
        "prove": "to prove that the shuffle only changed the order",
        "ready": "to be ready for the deal",
        "shares": "to help to open cards",
        "move": "to choose",
        "lock": "to seal cards for the deal",
        "result": "to confirm the result",
        "sit": "to say whether to play on",
        "back": "to come back to the table",
    }
)
"""What seats are waited for to do, by the kind of step."""


def remark(event: p2p.PeerEvent, players: Sequence[str]) -> str | None:
    """One line about an event that people care for; None for all others."""
    match event:
        case p2p.Listening(addresses, _):
            return f"listening at {listed([str(address) for address in addresses])}"
        case p2p.DiscoveryOff(reason):
            return shown(reason)
        case p2p.NewKeyForName(name, short, _):
            return f"careful: {shown(name)} has another key ({short}) than at earlier tables"
        case p2p.LobbyChanged(name, _, _, seats, people):
            here = listed([shown(p.name) + (" (not ready)" * (not p.ready)) for p in people])
            return f'table "{shown(name)}", {len(people)} of {seats}: {here}'
        case p2p.Looking(name, others, seconds):
            who = listed([shown(other) for other in others])
            return (
                f'table "{shown(name)}" with {who} was signed before this program ended: '
                f"looking for it, for {seconds:g} s at most"
            )
        case p2p.LookedInVain(name):
            return f'nobody knows of an agreement for table "{shown(name)}": going on without it'
        case p2p.Agreed(_, seat, _):
            return f"all have signed; seat {seat} is ours, players by seat: {listed(players)}"
        case p2p.Resumed(_, seat, _):
            return f"going on at an unfinished table, seat {seat}, with {listed(players)}"
        case p2p.FaultSeen(fault, player):
            return f"{shown(player) or 'somebody'} broke the protocol: {shown(str(fault))}"
        case p2p.SessionTold(told):
            return _at_the_table(told, players)
    return None


def _at_the_table(event: table.Event, players: Sequence[str]) -> str | None:
    match event:
        case table.HandOver(hand, _, _, story):
            return f"hand {hand}: {named(story[-1], players)}" if story else f"hand {hand} is over"
        case table.Overdue(_, _, kind, seats, waiting):
            what = DUE.get(kind, "to go on")
            return f"waiting for more than {waiting:g} s for {_names(seats, players)} {what}"
        case table.VoteUnderWay(_, _, seat, gone, _, needed) if 0 < gone <= needed:
            who = _names((seat,), players)
            return f"voting: is {who} gone? {gone} of the {needed} that are needed say so"
        case table.DeclaredGone(_, _, seat, by):
            who = _names((seat,), players)
            return f"{who} was declared gone by {_names(by, players)}: the game goes on"
        case table.WentBack(_, step, seat):
            who = _names((seat,), players)
            return f"the others went on without {who}: this table went back to step {step}"
        case table.Leaves(seat):
            return f"{_names((seat,), players)} leaves the table at once"
        case table.CameBack(seats):
            return f"at the table again: {_names(seats, players)}"
    return None


def _names(seats: Sequence[int], players: Sequence[str]) -> str:
    return listed([players[seat] for seat in seats if seat < len(players)])
