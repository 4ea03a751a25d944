"""What the page shows, kept up to date from the peer's events. docs/page.md explains each section.

Nothing here ever holds more than this seat may know: views come from the engine for this seat, and
everything else is public.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from engine import View, game
from p2p import events as p2p
from protocol import events as table
from ui.page.fairness import Fairness
from ui.page.games import barred, known_games
from ui.trouble import version

LOST_SECONDS = 3.0
"""How long somebody without a link may owe an entry until people are told that it is lost."""

LOG = 300
"""Lines of the log that are kept."""

CHAT = 200
"""Lines of the chat that are kept."""

Happened = dict[str, object]


class State:
    """The sections by name, as values that ``ui.lines.plain`` turns into JSON.

    ``changed``: names of sections that differ since they were last taken; ``happened``: events in
    order since then. ``wall``: seconds of Unix time. ``looks``: whether tables are looked for.
    """

    def __init__(
        self,
        name: str,
        key: bytes,
        short: str,
        wall: Callable[[], float] = time.time,
        looks: bool = True,
    ) -> None:
        self.sections: dict[str, object] = {
            "me": {
                "name": name,
                "key": key,
                "short": short,
                "addresses": (),
                "codes": (),
                "watch": True,
                "version": version(),
            },
            "games": known_games(),
            "network": {},
            "lobby": None,
            "spectators": (),
            "chat": [],
            "muted": (),
            "resuming": False,
        }
        self.changed: set[str] = set()
        self.happened: list[Happened] = []
        self.fairness: Fairness | None = None
        self.known: frozenset[bytes] = frozenset()
        self._key = key
        self._looks = looks
        self.wall = wall
        self._found: dict[str, p2p.PeerFound] = {}
        self._heard: dict[tuple[str, str], p2p.TableSeen] = {}
        self._off: str | None = None
        self._since = wall()
        self._links: dict[bytes, bool] = {}
        self._away: dict[int, str] = {}
        self._overdue: dict[int, float] = {}
        self._count = 0
        self._network()
        self.clear_table()

    # What the room asks for and changes.

    def put(self, section: str, value: object) -> None:
        """Sets a section; it counts as changed if it differs."""
        if section not in self.sections or self.sections[section] != value:
            self.sections[section] = value
            self.changed.add(section)

    def update(self, section: str, **fields: object) -> None:
        """Changes fields of a section that is an object."""
        held = self.sections[section]
        assert isinstance(held, dict)
        self.put(section, {**held, **fields})

    def clear_table(self) -> None:
        """Forgets the table: back to the lobby."""
        for section in ("table", "view", "ask", "result", "paused", "waiting", "fair", "standing"):
            self.put(section, None)
        self.put("log", [])
        self.put("hands", [])
        self.fairness = None
        self._away.clear()
        self._overdue.clear()

    def answered(self) -> None:
        """The choice that was owed has been made."""
        self.put("ask", None)

    def waits(self, found: tuple[str, tuple[int, ...]] | None) -> None:
        """What the table waits for now, as ``Peer.waiting`` says."""
        if found is None or self.sections["table"] is None:
            self.put("waiting", None)
            return
        kind, seats = found
        overdue = max((self._overdue.get(seat, 0.0) for seat in seats), default=0.0)
        held = self.sections["waiting"]
        since = int(self.wall() * 1000)
        if isinstance(held, dict) and (held["kind"], held["seats"]) == (kind, seats):
            since = held["since"]
        waiting = {"kind": kind, "seats": seats, "since": since, "overdue": overdue or None}
        self.put("waiting", waiting)
        if self.wall() * 1000 - since > LOST_SECONDS * 1000:
            self._players()

    def tell(self, kind: str, **fields: object) -> None:
        """Something happened: an event for every window, not kept."""
        self.happened.append({"kind": kind, **fields})

    def log(self, kind: str, **fields: object) -> None:
        """Something happened that belongs into the log."""
        self._count += 1
        line = {"n": self._count, "at": int(self.wall()), "kind": kind, **fields}
        self.happened.append(line)
        held = self.sections["log"]
        assert isinstance(held, list)
        self.put("log", [*held[-LOG + 1 :], line])

    # What the peer tells.

    def take(self, event: p2p.PeerEvent) -> None:
        """One event of the peer."""
        match event:
            case p2p.SessionTold(told):
                self._table(told)
            case p2p.Listening(addresses, _):
                self.update("me", addresses=[str(address) for address in addresses])
            case p2p.DiscoveryOff(reason):
                self._off = reason
                self._network()
            case p2p.PeerFound():
                self._found[event.short] = event
                self._network()
            case p2p.PeerLost(short):
                self._found.pop(short, None)
                self._network()
            case p2p.TableSeen():
                self._heard[event.short, event.table] = event
                self._network()
            case p2p.Linked(key, _, short, _, _) | p2p.Unlinked(key, _, short, _):
                self._links[key] = isinstance(event, p2p.Linked)
                if not self._links[key]:
                    self._heard = {at: seen for at, seen in self._heard.items() if at[0] != short}
                    self._network()
                self._players()
            case p2p.NewKeyForName(name, short, known):
                self.log("new_key", name=name, short=short, known=known)
            case p2p.Refused(code, text):
                self.put("lobby", None)
                self.tell("turned_away", code=code, text=text)
            case p2p.LobbyChanged():
                self._lobby(event)
            case p2p.Agreed() | p2p.Resumed() | p2p.Watching():
                self._sit_down(event)
            case p2p.SpectatorsChanged(players):
                self.put("spectators", [self._player(one) for one in players])
            case p2p.ChatSaid():
                self._chat(event)
            case p2p.FaultSeen(fault, player):
                if self.fairness is not None and fault.seat is not None:
                    self.fairness.blame(fault, player)
                    self.put("fair", self.fairness.plain())
                    self.log("fault", seat=fault.seat, code=fault.code, text=fault.text)

    # The network.

    def _network(self) -> None:
        tables: dict[tuple[str, str], dict[str, object]] = {}
        for (short, name), seen in self._heard.items():
            tables[short, name] = _offer(seen.table, seen.game, seen.taken, seen.seats, short)
        for short, found in self._found.items():
            # What somebody calls out counts more than what it once said on a link.
            tables = {at: offer for at, offer in tables.items() if at[0] != short}
            for offer in found.tables:
                row = _offer(offer.table, offer.game, offer.taken, offer.seats, short)
                # Claimed by mDNS; proved only once there is a link.
                known = found.key_hint in self.known
                tables[short, offer.table] = {
                    **row,
                    "opener": found.name,
                    "how": found.how,
                    "known": known,
                }
        peers = [
            {"short": found.short, "name": found.name, "how": found.how}
            for found in self._found.values()
        ]
        self.put(
            "network",
            {
                "discovery": self._looks and self._off is None,
                "reason": self._off,
                "since": int(self._since * 1000),
                "peers": peers,
                "tables": list(tables.values()),
            },
        )

    def _lobby(self, event: p2p.LobbyChanged) -> None:
        players = [self._player(one) | {"ready": one.ready} for one in event.players]
        self.put(
            "lobby",
            {
                "table": event.table,
                "game": event.game,
                "options": dict(event.options),
                "seats": event.seats,
                "players": players,
                "opener": bool(event.players) and event.players[0].key == self._key,
            },
        )

    def _player(self, one: p2p.PlayerInfo) -> dict[str, object]:
        return {
            "key": one.key,
            "name": one.name,
            "short": one.short,
            "bot": one.owner,
            "own": one.key == self._key,
        }

    # The table.

    def _sit_down(self, event: p2p.Agreed | p2p.Resumed | p2p.Watching) -> None:
        self.clear_table()
        self.put("lobby", None)
        found = game(event.game)
        options = dict(event.options)
        seat = None if isinstance(event, p2p.Watching) else event.seat
        self.put(
            "table",
            {
                "id": event.table_id,
                "name": event.table,
                "game": event.game,
                "title": found.title,
                "options": options,
                "seat": seat,
                "code": event.code,
                "hand": 0,
                "players": [self._player(one) for one in event.players],
                "ended": None,
                "stopped": None,
                "left": False,
            },
        )
        resumed = not isinstance(event, p2p.Agreed)
        self.fairness = Fairness(len(found.pack(options)), seat, resumed)
        self.put("fair", self.fairness.plain())
        self.log(type(event).__name__.lower())
        self._players()

    def _players(self) -> None:
        """How each player of the table is connected."""
        held = self.sections["table"]
        if not isinstance(held, dict):
            return
        late: tuple[int, ...] = ()
        waiting = self.sections["waiting"]
        if (
            isinstance(waiting, dict)
            and self.wall() * 1000 - waiting["since"] > LOST_SECONDS * 1000
        ):
            late = waiting["seats"]
        players = []
        for seat, one in enumerate(held["players"]):
            link = self._away.get(seat)
            if link is None:
                link = "linked" if one["own"] or self._links.get(one["key"], False) else "relayed"
                if link != "linked" and (seat in self._overdue or seat in late):
                    link = "lost"
            players.append({**one, "link": link})
        self.update("table", players=players)

    def _chat(self, event: p2p.ChatSaid) -> None:
        held = self.sections["chat"]
        assert isinstance(held, list)
        self._count += 1
        line = {
            "n": self._count,
            "at": int(self.wall()),
            "name": event.name,
            "short": event.short,
            "text": event.text,
            "own": event.own,
        }
        self.put("chat", [*held[-CHAT + 1 :], line])
        if event.short not in self.sections["muted"]:  # type: ignore[operator]
            self.tell("chat", **line)

    def _table(self, event: table.Event) -> None:
        if self.fairness is not None and self.fairness.take(event):
            self.put("fair", self.fairness.plain())
        match event:
            case table.StepClosed():
                if self._overdue:
                    self._overdue.clear()
                    self._players()
            case table.HandStarted(hand, _, seats):
                self.update("table", hand=hand)
                self.put("result", None)
                self.put("paused", None)
                self.log("hand_started", hand=hand, seats=seats)
            case table.ViewChanged(view):
                self._see(view)
            case table.YourMove():
                self._ask(event)
            case table.MoveMade(seat, move, opened):
                self.log("move", seat=seat, move=move, opened=opened)
            case table.HandOver():
                self._hand_over(event)
            case table.SitSaid(choices):
                for seat, choice in choices:
                    if choice == "in":
                        self._away.pop(seat, None)
                    elif self._away.get(seat) != ("left" if choice == "leave" else choice):
                        self._away[seat] = "left" if choice == "leave" else choice
                        self.log("sat_out" if choice == "out" else "left", seat=seat)
                self._players()
            case table.MatchOver(end, standing):
                self.update("table", ended={**_end(end), "standing": standing})
                self.put("standing", standing)
                self.put("paused", None)
                self.log("match_over", winner=end.winner, shared=end.shared, rule=end.rule)
            case table.Stopped(seats, code, text):
                stopped = {"seats": seats, "code": code, "text": text}
                self.update("table", stopped=stopped)
                self.put("ask", None)
                self.put("paused", None)
                self.log("stopped", **stopped)
            case table.Left():
                self.update("table", left=True)
                self.put("ask", None)
                self.put("paused", None)
            case table.Overdue(_, _, kind, seats, seconds):
                self._overdue |= dict.fromkeys(seats, seconds)
                self._players()
                self.log("overdue", seats=seats, due=kind, seconds=seconds)
            case _:
                pass

    def _see(self, view: View) -> None:
        self.put("view", view)
        if view.owes is None:
            self.put("ask", None)
        held = self.sections["table"]
        number = getattr(view, "hand_number", 0)
        if isinstance(held, dict) and not held["hand"] and number:
            self.update("table", hand=number)  # dealt before we came

    def _ask(self, event: table.YourMove) -> None:
        rules = game(event.view.game)
        until = int((self.wall() + event.seconds) * 1000) if event.seconds else None
        choices = rules.legal(event.view)
        self.put(
            "ask",
            {
                "kind": event.kind,
                "seconds": event.seconds,
                "until": until,
                "choices": choices,
                "barred": barred(rules, event.view, choices),
            },
        )
        self.put("view", event.view)
        self.tell("ask", what=event.kind)

    def _hand_over(self, event: table.HandOver) -> None:
        held = self.sections["hands"]
        assert isinstance(held, list)
        result = {
            "hand": event.hand,
            "standing": event.standing,
            "story": event.story,
            "view": self.sections["view"],
        }
        self.put("result", result)
        self.put("standing", event.standing)
        self.put("hands", [*held, {"hand": event.hand, "standing": event.standing}])
        self.put("ask", None)
        self.log("hand_over", hand=event.hand)

    def pauses(self, until: float | None) -> None:
        """Whether this player holds the next hand up, and until when (Unix time) at most."""
        self.put("paused", None if until is None else {"until": int(until * 1000)})


def _offer(name: str, played: str, taken: int, seats: int, short: str) -> dict[str, object]:
    return {
        "table": name,
        "game": played,
        "taken": taken,
        "seats": seats,
        "short": short,
        "opener": "",
        "how": "member",
        "known": False,
    }


def _end(end: object) -> Mapping[str, object]:
    from ui.lines import plain

    found = plain(end)
    assert isinstance(found, dict)
    return found
