"""What windows show of a peer, kept up to date from its events."""

from __future__ import annotations

import time
from collections.abc import Callable, Container

from p2p import events as p2p
from p2p.following import Attendance
from protocol.going_on import StoppedTable
from ui.page.again import beginning, stopped_table
from ui.page.games import known_games
from ui.page.network import Network
from ui.page.seated import NOBODY, Seated, player
from ui.page.sections import Sections
from ui.trouble import version

CHAT = 200
"""Lines of the chat that are kept."""


class State(Sections):
    """All sections. ``short``: the short form of ``key``, if it is known. ``looks``: whether tables
    are looked for on the network."""

    def __init__(
        self,
        name: str,
        key: bytes,
        short: str = "",
        wall: Callable[[], float] = time.time,
        looks: bool = True,
    ) -> None:
        super().__init__(wall)
        self.invite_only = False
        """Whether the table that this player opened takes only those who have a code."""
        self._key = key
        self._left: StoppedTable | None = None
        self._network = Network(looks, wall())
        me = {"name": name, "key": key, "short": short, "addresses": (), "codes": ()}
        self.put("me", {**me, "version": version()})
        self.put("games", known_games())
        self.put("network", self._network.plain())
        self.put("lobby", None)
        self.put("again", None)
        self.put("spectators", ())
        self.put("chat", [])
        self.put("muted", ())
        self.put("resuming", False)
        self.put("looking", None)
        self._seated = Seated(self, key)

    # What the room asks for and changes.

    def know(self, keys: frozenset[bytes]) -> None:
        """The keys of those who were ever at a table with this peer."""
        self._network.known = keys
        self.put("network", self._network.plain())

    def clear_table(self) -> None:
        """Forgets the table: back to the lobby."""
        self._seated.clear()
        self.put("spectators", ())
        if self.sections["lobby"] is None:  # else it is that of the next table
            self.put("chat", [])

    @property
    def back(self) -> dict[str, object]:
        """Which pack was dealt from last, to be given back after a restart (``know_back``)."""
        return self._seated.back

    def know_back(self, back: dict[str, object]) -> None:
        """The pack that was dealt from last before this program was started."""
        self._seated.back = back

    @property
    def gone(self) -> dict[str, object]:
        """Who was declared gone at the table, to be given back after a restart (``know_gone``)."""
        return self._seated.gone

    def know_gone(self, gone: dict[str, object]) -> None:
        """Who was declared gone at the last table before this program was started."""
        self._seated.gone = gone

    def know_bots(self, keys: Container[bytes]) -> None:
        """The keys of bots that this program has started: nobody else can be one of them."""
        self._seated.bots = keys
        for section in ("lobby", "table"):
            held = self.sections[section]
            if isinstance(held, dict):
                players = [{**one, "mine": one["key"] in keys} for one in held["players"]]
                self.update(section, players=players)

    def know_stopped(self, left: StoppedTable | None) -> None:
        """The newest table, if it has stopped and others may go on from it."""
        self._left = left
        self._say_again()

    def _say_again(self) -> None:
        self.put("again", stopped_table(self._left, self._key, self._network.going_on()))

    @property
    def stopped_keys(self) -> frozenset[bytes]:
        """The keys of all players of the table from which others may go on."""
        return frozenset() if self._left is None else frozenset(self._left.origin.keys)

    def know_self(self, short: str) -> None:
        """The own short form, which takes a moment."""
        self.update("me", short=short)

    def answered(self) -> None:
        """The choice that was owed has been made."""
        self.put("ask", None)

    def waits(self, found: tuple[str, tuple[int, ...]] | None, there: Attendance = NOBODY) -> None:
        """What the table waits for now, as ``Peer.waiting`` says, and who is there."""
        self._seated.waits(found, there)

    def pauses(self, until: float | None) -> None:
        """Whether this player holds the next hand up, and until when (Unix time) at most."""
        self.put("paused", None if until is None else {"until": int(until * 1000)})

    # What the peer tells.

    def take(self, event: p2p.PeerEvent) -> None:
        """One event of the peer."""
        if self._network.take(event):
            self.put("network", self._network.plain())
            self._say_again()
        match event:
            case p2p.SessionTold(told):
                self._seated.take(told)
            case p2p.Listening(addresses, _):
                self.update("me", addresses=[str(address) for address in addresses])
            case p2p.Linked(key, _, _, _, _):
                self._seated.link(key, up=True)
            case p2p.Unlinked(key, _, _, _):
                self._seated.link(key, up=False)
            case p2p.ShortMade(key, short):
                self._name(key, short)
            case p2p.NewKeyForName(name, short, known):
                self.log("new_key", name=name, short=short, known=known)
            case p2p.Refused(code, text):
                self.put("lobby", None)
                self.tell("turned_away", code=code, text=text)
            case p2p.LobbyChanged():
                self.put("looking", None)
                self._lobby(event)
            case p2p.Looking(name, others, seconds):
                until = int((self.wall() + seconds) * 1000)
                self.put("looking", {"table": name, "names": others, "until": until})
            case p2p.LookedInVain(name):
                self.put("looking", None)
                self.tell("looked_in_vain", table=name)
            case p2p.Agreed() | p2p.Resumed() | p2p.Watching():
                self.know_stopped(None)
                self.put("looking", None)
                if self.sections["lobby"] is None:
                    self.put("chat", [])  # what was said elsewhere
                self.put("lobby", None)
                self._seated.sit_down(event)
            case p2p.SpectatorsChanged(players):
                self.put("spectators", [player(one, self._key) for one in players])
            case p2p.ChatSaid():
                self._chat(event)
            case p2p.FaultSeen(fault, name):
                self._seated.blame(fault, name)
            case _:
                pass

    def _name(self, key: bytes, short: str) -> None:
        """The short form of an own bot is known now."""
        for section in ("lobby", "table"):
            held = self.sections[section]
            if isinstance(held, dict):
                players = [
                    {**one, "short": short} if one["key"] == key else one for one in held["players"]
                ]
                self.update(section, players=players)

    def _lobby(self, event: p2p.LobbyChanged) -> None:
        bots = self._seated.bots
        players = [player(one, self._key, bots) | {"ready": one.ready} for one in event.players]
        opener = bool(event.players) and event.players[0].key == self._key
        if self.sections["lobby"] is None:
            self.put("chat", [])  # what was said elsewhere
        self.put(
            "lobby",
            {
                "table": event.table,
                "game": event.game,
                "options": dict(event.options),
                "seats": event.seats,
                "players": players,
                "opener": opener,
                "invite": opener and self.invite_only,
                "origin": beginning(event.origin, event.players, self._left),
            },
        )

    def _chat(self, event: p2p.ChatSaid) -> None:
        held = self.sections["chat"]
        assert isinstance(held, list)
        self.count += 1
        line = {
            "n": self.count,
            "at": int(self.wall()),
            "name": event.name,
            "short": event.short,
            "text": event.text,
            "own": event.own,
        }
        self.put("chat", [*held[-CHAT + 1 :], line])
        if event.short not in self.sections["muted"]:  # type: ignore[operator]
            self.tell("chat", **line)
