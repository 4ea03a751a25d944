"""What the peer tells, as lines for another program. A match over every kind of event."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import assert_never

from engine import game
from p2p import events as p2p
from protocol import events as table
from ui.lines import Lines


def tell(lines: Lines, event: p2p.PeerEvent, me: Mapping[str, object]) -> None:
    """One line for an event of the peer; ``me`` has name, key, short and data for ``listening``."""
    match event:
        case p2p.Listening(addresses, port):
            lines.emit("listening", addresses=[str(a) for a in addresses], port=port, **me)
        case p2p.DiscoveryOff(reason):
            lines.emit("discovery_off", reason=reason)
        case p2p.PeerFound():
            lines.emit(
                "peer_found",
                short=event.short,
                name=event.name,
                key_hint=event.key_hint,
                addresses=[str(address) for address in event.addresses],
                how=event.how,
                tables=event.tables,
            )
        case p2p.PeerLost(short):
            lines.emit("peer_lost", short=short)
        case p2p.TableSeen(name, played, taken, seats, short):
            lines.emit("table_seen", table=name, game=played, taken=taken, seats=seats, short=short)
        case p2p.TablesTold(short, key, offers):
            lines.emit("tables_told", short=short, key=key, tables=offers)
        case p2p.Linked(key, name, short, address, how):
            lines.emit("linked", key=key, name=name, short=short, address=str(address), how=how)
        case p2p.Unlinked(key, name, short, reason):
            lines.emit("unlinked", key=key, name=name, short=short, reason=reason)
        case p2p.ShortMade():
            pass  # only a page vouches for keys
        case p2p.NewKeyForName(name, short, known):
            lines.emit("new_key", name=name, short=short, known=known)
        case p2p.Refused(code, text):
            lines.emit("turned_away", code=code, text=text)
        case p2p.LobbyChanged():
            lines.emit(
                "lobby",
                table=event.table,
                game=event.game,
                options=dict(event.options),
                seats=event.seats,
                players=event.players,
                origin=event.origin,
            )
        case p2p.Looking(name, players, seconds):
            lines.emit("looking", table=name, players=players, seconds=seconds)
        case p2p.LookedInVain(name):
            lines.emit("looked_in_vain", table=name)
        case p2p.Agreed():
            lines.emit("agreed", **_sealed(event))
        case p2p.Resumed():
            lines.emit("resumed", **_sealed(event))
        case p2p.Watching():
            lines.emit("watching", **_sealed(event))
        case p2p.SpectatorsChanged(players):
            lines.emit("spectators", players=players)
        case p2p.ChatSaid(key, name, short, text, own):
            lines.emit("chat", key=key, name=name, short=short, text=text, own=own)
        case p2p.FaultSeen(fault, player):
            lines.emit(
                "fault",
                code=fault.code,
                text=fault.text,
                seat=fault.seat,
                player=player,
                lane=fault.lane,
                step=fault.step,
            )
        case p2p.SessionTold(told):
            tell_table(lines, told)
        case p2p.Missed(count):
            lines.emit("missed", count=count)
        case _:
            assert_never(event)


def _sealed(event: p2p.Agreed | p2p.Resumed | p2p.Watching) -> dict[str, object]:
    """The fields of a table that is agreed."""
    seat = {} if isinstance(event, p2p.Watching) else {"seat": event.seat}
    return {
        "table_id": event.table_id,
        **seat,
        "players": event.players,
        "code": event.code,
        "table": event.table,
        "game": event.game,
        "options": dict(event.options),
        "origin": event.origin,
    }


def tell_table(lines: Lines, event: table.Event) -> None:
    """One line for something that happened at the table."""
    match event:
        case table.StepClosed():
            lines.emit(
                "step",
                lane=event.lane,
                step=event.step,
                kind=event.kind,
                seats=event.seats,
                gone=event.gone,
                head=event.head,
                bytes=event.bytes,
            )
        case table.ProofChecked(pack, seat, seconds):
            lines.emit("proof_checked", pack=pack, seat=seat, seconds=round(seconds, 3))
        case table.PackFinished(pack, seats, head):
            lines.emit("pack", pack=pack, seats=seats, head=head)
        case table.HandStarted(hand, pack, seats):
            lines.emit("hand_started", hand=hand, pack=pack, seats=seats)
        case table.ViewChanged(view):
            lines.emit("view", view=view)
        case table.YourMove():
            ask(lines, event)
        case table.MoveMade(seat, move, opened):
            lines.emit("move", seat=seat, move=move, opened=opened)
        case table.HandOver(hand, _, standing, story):
            lines.emit("hand_over", hand=hand, standing=standing, story=story)
        case table.SitSaid(choices):
            lines.emit("sat", choices=choices)
        case table.MatchOver(end, standing):
            lines.emit(
                "match_over",
                winner=end.winner,
                shared=end.shared,
                rule=end.rule,
                text=end.text,
                standing=standing,
            )
        case table.Stopped(seats, code, text):
            lines.emit("stopped", seats=seats, code=code, text=text)
        case table.Left():
            lines.emit("left")
        case table.Overdue(lane, step, kind, seats, waiting):
            lines.emit("overdue", lane=lane, step=step, kind=kind, seats=seats, waiting=waiting)
        case table.VoteUnderWay(lane, step, seat, gone, here, needed):
            lines.emit("vote", lane=lane, step=step, seat=seat, gone=gone, here=here, needed=needed)
        case table.DeclaredGone(lane, step, seat, by):
            lines.emit("gone", lane=lane, step=step, seat=seat, by=by)
        case table.WentBack(lane, step, seat):
            lines.emit("went_back", lane=lane, step=step, seat=seat)
        case table.Leaves(seat):
            lines.emit("leaves", seat=seat)
        case table.CameBack(seats):
            lines.emit("came_back", seats=seats)
        case table.Behind(lane, step):
            lines.emit("behind", lane=lane, step=step)
        case _:
            assert_never(event)


def ask(lines: Lines, event: table.YourMove) -> None:
    """The line that asks for a move, with all that may be done."""
    lines.emit(
        "your_move",
        kind=event.kind,
        seconds=event.seconds,
        view=event.view,
        choices=game(event.view.game).legal(event.view),
    )


def me(name: str, key: bytes, short: str, data: Path) -> dict[str, object]:
    """What ``listening`` says of this player."""
    return {"name": name, "key": key, "short": short, "data": str(data)}
